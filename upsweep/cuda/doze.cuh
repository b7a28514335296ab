// Where blocks meet. In a build with -DUPSWEEP_DOZE warps fall asleep there at random: those that are late, and those
// that have gone ahead, are met far more often than a GPU would have it, and results must be what they are. In any
// other build it is nothing. (docs/how-we-know.md)
#pragma once

#if defined(UPSWEEP_DOZE)
#include <cstdint>
#endif

namespace upsweep::cuda {

// Before a block tells others something, looks for what others tell, or draws a ticket. Called by any lanes.
#if defined(UPSWEEP_DOZE)
static __device__ __noinline__ void may_doze() {
#if __CUDA_ARCH__ >= 700
  std::uint64_t x =
      static_cast<std::uint64_t>(clock64()) ^ std::uint64_t{blockIdx.x} << 40 ^ std::uint64_t{threadIdx.x} << 20;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  x ^= x >> 31;
  const auto chance = static_cast<std::uint32_t>(x & 0xffff);
  const auto length = static_cast<std::uint32_t>(x >> 32);
  if (chance < 8)
    __nanosleep(length % 1'000'000);  // as long as others take for many tiles
  else if (chance < 128)
    __nanosleep(length % 20'000);  // a tile or two
#endif
}
#else
__device__ inline void may_doze() {}
#endif

}  // namespace upsweep::cuda
