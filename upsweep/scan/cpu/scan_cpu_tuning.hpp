// Tuning parameters of scan on the CPU, and the machine they were measured on.
#pragma once

#include <cstdint>

namespace upsweep::detail::scan_impl {

struct cpu_tuning {
  std::uint64_t block_bytes;         // a block is folded from memory, then scanned from the second-level cache
  std::uint64_t parallel_bytes;      // below it, waking a second thread does not pay
  std::uint64_t stream_bytes;        // from this size of output on, stores bypass the caches
  std::uint64_t custom_block_bytes;  // for user-defined operators, whose cost is unknown
};

// Measured on two cores of a Sapphire Rapids Xeon (2 MB of second-level cache each), g++ 12, AVX-512, u32 exclusive out
// of place, processor time per element. Blocks of 64, 128, 256, 512 KB: 0.73, 0.68, 0.66, 0.78 ns at 2^25. Streaming
// stores compared with plain ones: 0.53 to 0.76 ns at 2^23 (32 MB), 0.42 to 0.44 at 2^22, 0.38 to 0.35 at 2^20, where
// the output stays cached.
inline constexpr cpu_tuning cpu_tuned{256 << 10, 512 << 10, 32 << 20, 64 << 10};

}  // namespace upsweep::detail::scan_impl
