// Compilers, as processes of their own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace upsweep::lens::own {

// The exit status, 127 where there is no such program; what it says on standard output and error goes to the end of
// `said`. Throws upsweep::error where it is interrupted.
int run_tool(const std::vector<std::string>& words, const std::filesystem::path& said);

}  // namespace upsweep::lens::own
