// Asynchronous copies of one or four elements into shared memory; wait_small_copies() waits for them. Before Ampere
// they are loads and stores.
#pragma once

#include "upsweep/cuda/bulk_copy.cuh"

namespace upsweep::cuda {

// Four bytes or eight; writes zeros if the element is absent.
template <class T>
__device__ void start_element_copy(T* to_shared, const T* from, bool there) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to_shared)), "l"(from),
               "n"(sizeof(T)), "r"(there ? static_cast<int>(sizeof(T)) : 0)
               : "memory");
#else
  *to_shared = there ? *from : T(0);
#endif
}

// An aligned struct of 4, 8 or 16 bytes.
template <class Vector>
__device__ void start_vector_copy(Vector* to_shared, const Vector* from) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(Vector) == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to_shared)), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to_shared)), "l"(from),
                 "n"(sizeof(Vector))
                 : "memory");
#else
  *to_shared = *from;
#endif
}

// The first `bytes` bytes of an aligned vector of 16, followed by zeros.
template <class Vector>
__device__ void start_vector_copy(Vector* to_shared, const Vector* from, int bytes) {
  static_assert(sizeof(Vector) == 16);
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to_shared)), "l"(from), "r"(bytes)
               : "memory");
#else
  for (int i = 0; i < 4; ++i) {
    const bool there = 4 * i < bytes;
    reinterpret_cast<unsigned*>(to_shared)[i] = there ? reinterpret_cast<const unsigned*>(from)[i] : 0;
  }
#endif
}

__device__ inline void wait_small_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace upsweep::cuda
