// Limits of this process's host memory below the memory of the machine: a container's limit, or RLIMIT_AS and
// RLIMIT_DATA (ulimit -v, ulimit -d).
#pragma once

#include <cstdint>
#include <string>

namespace upsweep::core {

struct host_limit {
  std::uint64_t bytes = ~std::uint64_t{0};  // the limit; the largest number means no limit
  std::uint64_t free = ~std::uint64_t{0};   // bytes that the limit still allows
  std::string name;                         // "RLIMIT_AS (ulimit -v)"
};

// The limit that allows the fewest further bytes. Reads a few small files.
host_limit least_host_limit();

// A clause for messages, "; RLIMIT_AS (ulimit -v) allows this process 1048576 bytes"; empty if every limit allows
// `wanted` bytes.
std::string said_of_host_limit(std::uint64_t wanted);

}  // namespace upsweep::core
