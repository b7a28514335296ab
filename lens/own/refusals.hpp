// What of CUDA the lens does not understand, told before anything is compiled.
#pragma once

#include <string_view>

namespace upsweep::lens::own {

// What a word stands for that is not understood, or nothing: "inline assembly".
const char* why_refused(std::string_view word);
// The same for a header's name.
const char* why_refused_header(std::string_view name);

}  // namespace upsweep::lens::own
