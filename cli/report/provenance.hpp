// Where and from what a measurement comes: machine, compiler, flags, commit and date, for every JSON the command
// writes.
#pragma once

#include <nlohmann/json.hpp>

nlohmann::json provenance();
std::string upsweep_version();  // "0.1.0 (commit 0123abcd, changed since)"
