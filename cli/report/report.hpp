// The page that `upsweep report` writes from the JSON of bench, bench --table and check.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace report {

struct source {
  std::string name;  // of the file, as the reader knows it
  nlohmann::json json;
};

// Throws an upsweep::error that names the file when one is not what upsweep writes.
std::string render(const std::vector<source>&, const std::string& title, const std::string& introduction = {});

// Parses a file; throws an upsweep::error with one sentence.
source read_source(const std::string& path);

}  // namespace report
