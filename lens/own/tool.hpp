// Compilers, as processes of their own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace upsweep::lens::own {

// Returns the exit status, 127 if the program does not exist. Standard output and error are appended to `said`. Throws
// upsweep::error if it is interrupted.
int run_tool(const std::vector<std::string>& words, const std::filesystem::path& said);

}  // namespace upsweep::lens::own
