// The parts of CUDA that the lens does not support, reported before anything is compiled.
#pragma once

#include <string_view>

namespace upsweep::lens::own {

// The unsupported feature that a word belongs to, or nothing: "inline assembly".
const char* why_refused(std::string_view word);
// The unsupported feature that a header belongs to, or nothing.
const char* why_refused_header(std::string_view name);

}  // namespace upsweep::lens::own
