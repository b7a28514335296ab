// What was measured for reduce, and where.
#pragma once

#include <cstdint>

namespace upsweep::reduce_room {

struct cpu_tuning {
  std::uint64_t block_bytes;         // input that one thread folds at a time
  std::uint64_t parallel_bytes;      // below it, waking a second thread costs more than it gives
  std::uint64_t custom_block_bytes;  // the same for operators of the user's own, whose cost nobody knows
};

inline constexpr cpu_tuning cpu_tuned{128 << 10, 512 << 10, 64 << 10};

}  // namespace upsweep::reduce_room
