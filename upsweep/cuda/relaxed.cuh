// Reads and writes of global memory that others may make at the same time: relaxed ones, which order nothing, and of
// which none is undefined. What a read sees is for whoever calls to argue.
#pragma once

#include "upsweep/cuda/warp.cuh"

namespace upsweep::cuda {

// Word by word; an element that is not made of whole words is read and written as any other.
template <class T>
__device__ T load_relaxed(const T* from) {
  if constexpr (sizeof(T) % 4 != 0) {
    return *from;
  } else {
    words_of<T> w;
    const auto* const words = reinterpret_cast<const std::uint32_t*>(from);
#pragma unroll
    for (int i = 0; i < words_of<T>::count; ++i)
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(w.word[i]) : "l"(words + i) : "memory");
    return w.join();
  }
}
template <class T>
__device__ void store_relaxed(T* to, const T& x) {
  if constexpr (sizeof(T) % 4 != 0) {
    *to = x;
  } else {
    const auto w = words_of<T>::split(x);
    auto* const words = reinterpret_cast<std::uint32_t*>(to);
#pragma unroll
    for (int i = 0; i < words_of<T>::count; ++i)
      asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(words + i), "r"(w.word[i]) : "memory");
  }
}

}  // namespace upsweep::cuda
