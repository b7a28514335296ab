// What was measured for the CPU's sort, and where.
#pragma once

#include <cstdint>

namespace upsweep::sort_room {

struct cpu_tuning {
  std::uint64_t
      cached_bytes;  // of records: what one thread sorts within its second-level cache, three times this in all
  std::uint64_t range_bytes;  // of records: what the first pass aims at
};

inline constexpr cpu_tuning cpu_tuned{512 << 10, 256 << 10};

}  // namespace upsweep::sort_room
