// Folds and scans across a warp, for elements of any size; operands stay in lane order, so the operator need not
// commute.
#pragma once

#include <cstdint>
#include <cstring>

#include "upsweep/cuda/schedule_fuzzing.cuh"
#include "upsweep/operators/wide_accumulators.hpp"

namespace upsweep::cuda {

inline constexpr unsigned whole_warp = 0xffffffffu;
inline constexpr int warp_size = 32;

// The sum and the largest over a warp, for all its lanes. Ampere and later have an instruction for each.
__device__ inline std::uint32_t warp_sum(std::uint32_t x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(whole_warp, x);
#else
  for (int d = 1; d < warp_size; d *= 2) x += __shfl_xor_sync(whole_warp, x, d);
  return x;
#endif
}
__device__ inline std::uint32_t warp_max(std::uint32_t x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(whole_warp, x);
#else
  for (int d = 1; d < warp_size; d *= 2) x = (max)(x, __shfl_xor_sync(whole_warp, x, d));
  return x;
#endif
}

// T as 32-bit words, for shuffles and for tagged words in memory.
template <class T>
struct words_of {
  static constexpr int count = (sizeof(T) + 3) / 4;
  std::uint32_t word[count];
  __device__ static words_of split(const T& value) {
    words_of w{};
    memcpy(w.word, &value, sizeof(T));
    return w;
  }
  __device__ T join() const {
    T value;
    memcpy(&value, word, sizeof(T));
    return value;
  }
};

// Both carriers of twelve bytes, without what pads them to sixteen.
template <class T>
  requires(std::is_same_v<T, core::scaled_sum> || std::is_same_v<T, core::scaled_product>)
struct words_of<T> {
  static constexpr int count = 3;
  std::uint32_t word[count];
  __device__ static words_of split(const T& value) {
    words_of w;
    memcpy(w.word, &value, sizeof w);
    return w;
  }
  __device__ T join() const {
    T value(0);
    memcpy(static_cast<void*>(&value), word, sizeof word);
    return value;
  }
};

template <class T>
__device__ T shuffle_up(T value, int delta) {
  auto w = words_of<T>::split(value);
#pragma unroll
  for (auto& word : w.word) word = __shfl_up_sync(whole_warp, word, delta);
  return w.join();
}

template <class T>
__device__ T shuffle_down(T value, int delta) {
  auto w = words_of<T>::split(value);
#pragma unroll
  for (auto& word : w.word) word = __shfl_down_sync(whole_warp, word, delta);
  return w.join();
}

template <class T>
__device__ T shuffle_from(T value, int lane) {
  auto w = words_of<T>::split(value);
#pragma unroll
  for (auto& word : w.word) word = __shfl_sync(whole_warp, word, lane);
  return w.join();
}

// Shared memory for elements whose type may have constructors, which shared variables must not.
template <class T, int Count>
struct shared_array {
  alignas(alignof(T) > 16 ? alignof(T) : 16) unsigned char bytes[Count * sizeof(T)];
  __device__ T* data() { return reinterpret_cast<T*>(bytes); }
};

// A barrier for the block's first `Threads` threads alone.
template <int Threads>
__device__ void sync_first_threads() {
  asm volatile("bar.sync 1, %0;" ::"n"(Threads) : "memory");
}

// For a kernel whose launch may overlap the one before it in its stream. After wait_for_kernel_before() that kernel's
// writes are visible. let_next_kernel_begin() lets the next kernel's blocks start as soon as they fit.
__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  may_doze();
#endif
}
__device__ inline void let_next_kernel_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Lane i gets x_0 ∘ … ∘ x_i.
template <class T, class Op>
__device__ T warp_inclusive_scan(T x, int lane, const Op& op) {
#pragma unroll
  for (int d = 1; d < warp_size; d *= 2) {
    const T left = shuffle_up(x, d);
    if (lane >= d) x = op(left, x);
  }
  return x;
}

// Lane 0 gets x_0 ∘ … ∘ x_31, grouped as a balanced tree; the other lanes get something without meaning.
template <class T, class Op>
__device__ T warp_reduce(T x, const Op& op) {
#pragma unroll
  for (int d = 1; d < warp_size; d *= 2) x = op(x, shuffle_down(x, d));
  return x;
}

}  // namespace upsweep::cuda
