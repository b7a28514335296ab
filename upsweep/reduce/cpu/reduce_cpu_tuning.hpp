// Tuning parameters of reduce on the CPU, and the machine they were measured on.
#pragma once

#include <cstdint>

namespace upsweep::detail::reduce_impl {

struct cpu_tuning {
  std::uint64_t block_bytes;         // bytes of input that one thread folds at a time
  std::uint64_t parallel_bytes;      // below it, waking a second thread does not pay
  std::uint64_t custom_block_bytes;  // block_bytes for user-defined operators, whose cost is unknown
};

inline constexpr cpu_tuning cpu_tuned{128 << 10, 512 << 10, 64 << 10};

}  // namespace upsweep::detail::reduce_impl
