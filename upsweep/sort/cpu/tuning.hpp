// What was measured for the CPU's sort, and where.
#pragma once

#include <cstdint>

namespace upsweep::sort_room {

struct cpu_tuning {
  std::uint64_t cached_bytes;  // of records: what one thread sorts within its cache, with two buffers of that size
  std::uint64_t range_bytes;   // of records: what the first pass aims at
  std::uint64_t counted_from;  // keys of two bytes for which 65536 counts pay
};

inline constexpr cpu_tuning cpu_tuned{512 << 10, 256 << 10, 1 << 16};

}  // namespace upsweep::sort_room
