// What was measured for scan, and where.
#pragma once

#include <cstdint>

namespace upsweep::scan_room {

struct cpu_tuning {
  std::uint64_t block_bytes;         // folded from memory, then scanned from the second-level cache
  std::uint64_t parallel_bytes;      // below it, waking a second thread costs more than it gives
  std::uint64_t stream_bytes;        // from this size of output on, stores go past the caches
  std::uint64_t custom_block_bytes;  // for operators of the user's own, whose cost nobody knows
};

inline constexpr cpu_tuning cpu_tuned{256 << 10, 512 << 10, 64 << 20, 64 << 10};

}  // namespace upsweep::scan_room
