// Relaxed reads and writes of global memory that other threads may access at the same time. They order nothing, and
// none of them is undefined behaviour. The caller must argue which values a read can return.
#pragma once

#include <type_traits>

#include "upsweep/cuda/warp.cuh"

namespace upsweep::cuda {

// The unit in which an element is read and written: a 32-bit word, or less if its alignment is smaller.
template <class T>
using relaxed_piece = std::conditional_t<alignof(T) % 4 == 0, std::uint32_t,
                                         std::conditional_t<alignof(T) % 2 == 0, std::uint16_t, std::uint8_t>>;

// Loads piece by piece.
template <class T>
__device__ T load_relaxed(const T* from) {
  using piece = relaxed_piece<T>;
  constexpr int count = sizeof(T) / sizeof(piece);
  piece p[count];
  const auto* const pieces = reinterpret_cast<const piece*>(from);
#pragma unroll
  for (int i = 0; i < count; ++i) {
    if constexpr (sizeof(piece) == 4) {
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(p[i]) : "l"(pieces + i) : "memory");
    } else if constexpr (sizeof(piece) == 2) {
      asm volatile("ld.relaxed.gpu.global.u16 %0, [%1];" : "=h"(p[i]) : "l"(pieces + i) : "memory");
    } else {
      std::uint32_t byte;
      asm volatile("ld.relaxed.gpu.global.u8 %0, [%1];" : "=r"(byte) : "l"(pieces + i) : "memory");
      p[i] = static_cast<piece>(byte);
    }
  }
  T value;
  memcpy(&value, p, sizeof(T));
  return value;
}
template <class T>
__device__ void store_relaxed(T* to, const T& x) {
  using piece = relaxed_piece<T>;
  constexpr int count = sizeof(T) / sizeof(piece);
  piece p[count];
  memcpy(p, &x, sizeof(T));
  auto* const pieces = reinterpret_cast<piece*>(to);
#pragma unroll
  for (int i = 0; i < count; ++i) {
    if constexpr (sizeof(piece) == 4) {
      asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(pieces + i), "r"(p[i]) : "memory");
    } else if constexpr (sizeof(piece) == 2) {
      asm volatile("st.relaxed.gpu.global.u16 [%0], %1;" ::"l"(pieces + i), "h"(p[i]) : "memory");
    } else {
      asm volatile("st.relaxed.gpu.global.u8 [%0], %1;" ::"l"(pieces + i), "r"(std::uint32_t{p[i]}) : "memory");
    }
  }
}

}  // namespace upsweep::cuda
