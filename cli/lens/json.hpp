// The report of a run under the lens as JSON: all counts, per launch and per source line, and all findings.
#pragma once

#include <nlohmann/json.hpp>

#include "lens/mutate.hpp"
#include "lens/own/run.hpp"

nlohmann::json to_json(const upsweep::lens::report&);
nlohmann::json to_json(const upsweep::lens::own::report&);
nlohmann::json to_json(const std::string& variant, const std::vector<upsweep::lens::mutant>&);
