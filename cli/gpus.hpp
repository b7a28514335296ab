// Properties of CUDA GPUs that the command prints. A build without CUDA prints none.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "upsweep/context.hpp"

// The tuning policies of a CUDA variant. "taken": whether that device uses it; null without a device.
nlohmann::json tuning_rows(std::string_view variant, const upsweep::context* on);

// Its multiprocessors, memories and code. "cannot": why it cannot be opened; the object then has no other field.
nlohmann::json gpu_json(const std::string& device);

// Compiles all kernels of reduce for a device without a binary. Takes seconds.
double translate_reduce(const std::string& device);
