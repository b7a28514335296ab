#include "cli/text/grammar.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "upsweep/error.hpp"

using namespace upsweep;

std::vector<token_rule> rules_in(const std::string& path, const std::string& text) {
  std::vector<token_rule> rules;
  for (std::size_t at = 0, line = 1; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string row = text.substr(at, end - at);
    at = end + 1;
    if (row.empty() || row[0] == '#') continue;
    const std::size_t name = row.find_first_of(" \t"), pattern = row.find_first_not_of(" \t", name);
    if (name == std::string::npos || name == 0 || pattern == std::string::npos)
      throw error(fault::bad_argument, path, fmt::format("line {} is not a name and a pattern", line),
                  "give both, separated by a blank");
    const bool skip = row[0] == '-' && name > 1;
    rules.push_back({row.substr(skip, name - skip), row.substr(pattern), skip});
  }
  return rules;
}
