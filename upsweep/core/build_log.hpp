// Finds errors in user-defined device source in the log of an OpenCL compiler. In the program, such source appears as
// files whose names begin with "the " (jit/jit.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace upsweep::core {

struct complaint {
  std::string place, message;  // "the operator's source, line 1, character 5"
};

// The first error in the log about user-defined source. Most compilers write FILE:LINE:COLUMN: error: MESSAGE; PoCL
// writes error: FILE:LINE:COLUMN: MESSAGE. NVIDIA's compiler ignores #line: it writes <kernel>:LINE:COLUMN: error:
// MESSAGE, where LINE counts from the first line of the program, and the text of that line below it.
std::optional<complaint> complaint_about_source(std::string_view log, std::string_view program);

// The line of a log with the first error, or else the first line that is not empty.
std::string first_error(const std::string& log);

}  // namespace upsweep::core
