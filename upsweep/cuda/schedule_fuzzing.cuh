// Schedule fuzzing, called where blocks synchronise. In a build with -DUPSWEEP_DOZE warps sleep there at random. Late
// and early warps then occur far more often than on a GPU without it, and results must not change. In any other build
// it does nothing. (docs/how-we-know.md)
#pragma once

#if defined(UPSWEEP_DOZE)
#include <cstdint>
#endif

namespace upsweep::cuda {

// Called before a block publishes a value, polls a value of another block, or draws a ticket. Any lanes may call it.
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
