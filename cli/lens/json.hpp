// A run under the lens as JSON: every count, per launch and per line, and what was found.
#pragma once

#include <nlohmann/json.hpp>

#include "lens/mutate.hpp"
#include "lens/own/run.hpp"

nlohmann::json to_json(const upsweep::lens::report&);
nlohmann::json to_json(const upsweep::lens::own::report&);
nlohmann::json to_json(const std::string& variant, const std::vector<upsweep::lens::mutant>&);
