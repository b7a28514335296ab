// What an OpenCL compiler's log says of the user's own texts, which stand in the program as files whose names begin
// with "the " (opencl/custom.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace upsweep::core {

struct complaint {
  std::string place, message;  // "the operator's text, line 1, character 5"
};

// The first error that the log tells of such a text in the program. Compilers write FILE:LINE:COLUMN: error: MESSAGE,
// and PoCL error: FILE:LINE:COLUMN: MESSAGE. NVIDIA's does not heed what #line says: it writes
// <kernel>:LINE:COLUMN: error: MESSAGE, with the line counted from the program's first, and that line below it.
std::optional<complaint> complaint_about_text(std::string_view log, std::string_view program);

// The line of a log that says what is wrong, or else the first that says anything.
std::string first_error(const std::string& log);

}  // namespace upsweep::core
