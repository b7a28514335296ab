// The minimum of values from any index, in one variable.
#pragma once

#include <cstdint>
#if !defined(__CUDACC_RTC__)
#include <atomic>
#endif

#include "upsweep/core/config.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// *to becomes the minimum of its value and of every x, in any order. Relaxed: it publishes no other write of an index.
UPSWEEP_HD inline void take_least(std::uint64_t* to, std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  // Atomic operations on one address are serialised; this test avoids most of them.
  if (x < *static_cast<const volatile std::uint64_t*>(to))
    atomicMin(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(x));
#else
  const std::atomic_ref<std::uint64_t> least(*to);
  for (std::uint64_t now = least.load(std::memory_order_relaxed);
       x < now && !least.compare_exchange_weak(now, x, std::memory_order_relaxed);) {
  }
#endif
}

// The minimum so far: an index can skip its work if another has already found a smaller value.
UPSWEEP_HD inline std::uint64_t least_so_far(const std::uint64_t* at) {
#if defined(__CUDA_ARCH__)
  return *static_cast<const volatile std::uint64_t*>(at);
#else
  return std::atomic_ref<std::uint64_t>(*const_cast<std::uint64_t*>(at)).load(std::memory_order_relaxed);
#endif
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
