// A communicator compared with its first rank alone: the gain of several devices, and the gain that the exchange
// between them allows.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "cli/bench/run.hpp"

namespace bench {

// `devices` as in `--device`: "cpu:1,cpu:1", "cuda:all". Measures and prints; returns the JSON.
nlohmann::ordered_json run_group(const std::string& devices, const plan&);

}  // namespace bench
