// A group beside its first member alone: what several devices gain, and what the exchange between them allows.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "cli/bench/run.hpp"

namespace bench {

// `devices` as `--device` lists them elsewhere: "cpu:1,cpu:1", "cuda:all". Measures and prints; returns the JSON.
nlohmann::ordered_json run_group(const std::string& devices, const plan&);

}  // namespace bench
