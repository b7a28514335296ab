// Overhead of a call: each of five primitives through its public header, on a few elements.
#pragma once

#include <nlohmann/json.hpp>

#include <vector>

#include "cli/bench/timing.hpp"
#include "upsweep/context.hpp"

namespace bench {

struct timed_call {
  const char* primitive;
  std::uint64_t n, bytes;
  statistics seconds;  // of one call, by the host's clock; on a GPU the time to enqueue it
};

// Measures the named primitives, or all if none is named.
std::vector<timed_call> time_calls(const upsweep::context&, const std::vector<std::string>& primitives);

void print(const upsweep::context&, const std::vector<timed_call>&);
void append_json(const upsweep::context&, const std::vector<timed_call>&, nlohmann::ordered_json& rows);

}  // namespace bench
