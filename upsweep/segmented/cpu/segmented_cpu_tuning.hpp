// Measured tuning of folds within runs on the CPU, with the machine it was measured on.
#pragma once

#include <cstdint>

namespace upsweep::detail::segmented_impl {

struct cpu_tuning {
  std::uint64_t block_bytes;         // folded from memory, then worked through in the second-level cache
  std::uint64_t parallel_bytes;      // below it, waking a second thread costs more than it gives
  std::uint64_t vector_run;          // from this many elements on, a run is folded or scanned by vectors
  std::uint64_t exact_scan_run;      // the same for scans of whole numbers, where a chain costs a cycle an element
  std::uint64_t custom_block_bytes;  // for user-defined operators of unknown cost
};

inline constexpr cpu_tuning cpu_tuned{128 << 10, 256 << 10, 48, 256, 64 << 10};

}  // namespace upsweep::detail::segmented_impl
