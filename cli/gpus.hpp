// What the command says of CUDA GPUs beside their names. A build without CUDA has no such GPU, and nothing to say.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "upsweep/context.hpp"

// The rows of tuning that a CUDA variant is compiled in. "taken": whether that device takes it; null without one.
nlohmann::json tuning_rows(std::string_view variant, const upsweep::context* on);

// Its multiprocessors, memories and code. "cannot": why it cannot be opened just now; then nothing else is there.
nlohmann::json gpu_json(const std::string& device);

// Makes ready what the device has no ready code for: all that reduce has. Seconds.
double translate_reduce(const std::string& device);
