// Sums of weights in bins, as integers (histogram/histogram_weights.hpp): the bits do not depend on the order of the
// additions.
#pragma once

#include "upsweep/cuda/warp.cuh"
#include "upsweep/histogram/cuda/histogram_counters.cuh"
#include "upsweep/histogram/histogram_weights.hpp"

namespace upsweep::cuda {

using detail::histogram_impl::weights_in_memory;

inline constexpr int weight_threads = 256;

// Adds to, or subtracts from, a 128-bit integer in shared memory whose four words are `stride` apart. A thread that
// sees a word wrap adds the carry to the next, so that the words are right after the last addition.
__device__ inline void add_in_words(std::uint32_t* word, std::uint32_t stride,
                                    detail::histogram_impl::fixed_point value, bool subtracted) {
  const std::uint32_t parts[4]{static_cast<std::uint32_t>(value.low), static_cast<std::uint32_t>(value.low >> 32),
                               static_cast<std::uint32_t>(value.high), static_cast<std::uint32_t>(value.high >> 32)};
  std::uint32_t carry = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const std::uint64_t whole = std::uint64_t{parts[k]} + carry;
    const auto part = static_cast<std::uint32_t>(whole);
    carry = static_cast<std::uint32_t>(whole >> 32);
    if (part == 0) continue;
    const std::uint32_t before = atomicAdd(word + k * stride, subtracted ? 0u - part : part);
    if (subtracted ? before < part : before + part < before) ++carry;
  }
}

// As above in global memory, with two words of 64 bits.
__device__ inline void add_in_halves(unsigned long long* word, std::uint64_t stride,
                                     detail::histogram_impl::fixed_point value, bool subtracted) {
  unsigned long long carry = 0;
  if (value.low) {
    const unsigned long long before = atomicAdd(word, subtracted ? 0ull - value.low : value.low);
    if (subtracted ? before < value.low : before + value.low < before) carry = 1;
  }
  const unsigned long long rest = value.high + carry;
  if (rest) atomicAdd(word + stride, subtracted ? 0ull - rest : rest);
}

// Calls f(i, counter) for the samples of this thread that are in a bin.
template <class T, class Bins, class F>
__device__ void for_each_in_bins(const T* in, std::uint64_t n, const Bins& bins, const counter_layout& cut, F f) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * weight_threads + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * weight_threads) {
    const std::uint32_t bin = bins(in[i]);
    if (bin != no_bin) f(i, std::uint64_t{channel_walk(cut.channels, i).now} * cut.m + bin);
  }
}

// Raises an exponent, which never decreases: most threads find it high enough already and need no atomic operation.
__device__ inline void raise(std::uint32_t* to, std::uint32_t exponent) {
  if (exponent > *static_cast<volatile std::uint32_t*>(to)) atomicMax(to, exponent);
}

// `exponents` holds zeros, one for each counter.
template <class T, class Bins>
__global__ void __launch_bounds__(weight_threads)
    largest_exponents(const T* in, weights_in_memory weights, std::uint64_t n, Bins bins, counter_layout cut,
                      bool in_shared, std::uint32_t* exponents, unsigned long long*) {
  extern __shared__ __align__(16) std::uint32_t words[];
  const std::uint32_t total = cut.m * cut.channels;
  if (in_shared)
    for (std::uint32_t c = threadIdx.x; c < total; c += weight_threads) words[c] = 0;
  __syncthreads();  // orders the clearing of exponents before any is raised
  std::uint32_t* const to = in_shared ? words : exponents;
  for_each_in_bins(in, n, bins, cut, [&](std::uint64_t i, std::uint64_t c) { raise(&to[c], weights(i).exponent); });
  if (!in_shared) return;
  __syncthreads();  // orders the block's weights before its exponents are published
  for (std::uint32_t c = threadIdx.x; c < total; c += weight_threads)
    if (words[c]) raise(&exponents[c], words[c]);
}

// `exponents` holds the largest of each counter; `sums` holds zeros: the low halves, then the high ones.
template <class T, class Bins>
__global__ void __launch_bounds__(weight_threads)
    add_weights(const T* in, weights_in_memory weights, std::uint64_t n, Bins bins, counter_layout cut, bool in_shared,
                std::uint32_t* exponents, unsigned long long* sums) {
  extern __shared__ __align__(16) std::uint32_t words[];  // four a counter, then its exponent
  const std::uint32_t total = cut.m * cut.channels;
  std::uint32_t* const near_exponents = words + 4 * total;
  if (in_shared) {
    for (std::uint32_t i = threadIdx.x; i < 4 * total; i += weight_threads) words[i] = 0;
    for (std::uint32_t c = threadIdx.x; c < total; c += weight_threads) near_exponents[c] = exponents[c];
  }
  __syncthreads();  // orders the clearing of words and the reads of exponents before weights are added
  const int bits_of_n = detail::histogram_impl::bits_of_count(n);
  for_each_in_bins(in, n, bins, cut, [&](std::uint64_t i, std::uint64_t c) {
    const detail::histogram_impl::weight_parts w = weights(i);
    const std::uint32_t exponent = in_shared ? near_exponents[c] : exponents[c];
    const detail::histogram_impl::fixed_point x = detail::histogram_impl::fixed_of(w, exponent, bits_of_n);
    const bool subtracted = detail::histogram_impl::is_subtracted(w, exponent);
    if (in_shared) {
      add_in_words(&words[c], total, x, subtracted);
    } else {
      add_in_halves(&sums[c], total, x, subtracted);
    }
  });
  if (!in_shared) return;
  __syncthreads();  // orders the block's additions before its sums are published
  for (std::uint32_t c = threadIdx.x; c < total; c += weight_threads)
    add_in_halves(&sums[c], total,
                  {std::uint64_t{words[total + c]} << 32 | words[c],
                   std::uint64_t{words[3 * total + c]} << 32 | words[2 * total + c]},
                  false);
}

static __global__ void __launch_bounds__(weight_threads)
    sums_to_floats(const unsigned long long* sums, std::uint64_t total, std::uint64_t n, const std::uint32_t* exponents,
                   double* out) {
  const std::uint64_t c = std::uint64_t{blockIdx.x} * weight_threads + threadIdx.x;
  if (c < total)
    out[c] = detail::histogram_impl::to_double({sums[c], sums[total + c]}, exponents[c],
                                               detail::histogram_impl::bits_of_count(n));
}

}  // namespace upsweep::cuda
