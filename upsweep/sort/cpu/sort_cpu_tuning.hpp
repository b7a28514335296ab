// Measured tuning of the CPU's sort, with the machine it was measured on.
#pragma once

#include <cstdint>

namespace upsweep::detail::sort_impl {

struct cpu_tuning {
  std::uint64_t cached_bytes;  // of records: that one thread sorts within its cache, with two buffers of that size
  std::uint64_t range_bytes;   // of records: what the first pass aims at
  std::uint64_t counted_from;  // keys of two bytes from which on 65536 counters are faster
};

inline constexpr cpu_tuning cpu_tuned{512 << 10, 256 << 10, 1 << 16};

}  // namespace upsweep::detail::sort_impl
