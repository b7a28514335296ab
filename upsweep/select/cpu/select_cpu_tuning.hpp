// Measured tuning of selections on the CPU, with the machine it was measured on.
#pragma once

#include <cstdint>

namespace upsweep::detail::select_impl {

struct cpu_tuning {
  std::uint64_t block_bytes;     // tested from memory, then moved from the second-level cache
  std::uint64_t parallel_bytes;  // below it, waking a second thread costs more than it gives
  std::uint64_t stream_bytes;    // from this size of input on, stores go past the caches
};

inline constexpr cpu_tuning cpu_tuned{128 << 10, 256 << 10, 16 << 20};

inline constexpr std::uint64_t custom_block = 1 << 14;  // elements, for user-defined predicates of unknown cost

}  // namespace upsweep::detail::select_impl
