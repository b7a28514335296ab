// Sums of weights in bins, as integers (histogram/weights.hpp): whatever the order of the additions, the same bits.
#pragma once

#include "upsweep/cuda/warp.cuh"
#include "upsweep/histogram/cuda/counters.cuh"
#include "upsweep/histogram/weights.hpp"

namespace upsweep::cuda {

using histogram_room::weight_magnitude;
using histogram_room::weight_scale;

inline constexpr int weight_threads = 256;

// `largest` holds zero.
static __global__ void __launch_bounds__(weight_threads)
    largest_weight(const float* weights, std::uint64_t n, std::uint32_t* largest) {
  std::uint32_t mine = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * weight_threads + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * weight_threads)
    mine = max(mine, weight_magnitude(weights[i]));
  mine = warp_max(mine);
  if (threadIdx.x % 32 == 0) atomicMax(largest, mine);
}

// A 64-bit addition in shared memory by two of 32 bits: whoever sees the low half wrap carries, so the halves are right
// in the end.
__device__ inline void add_wide(std::uint32_t* low, std::uint32_t* high, std::uint64_t value) {
  const auto part = static_cast<std::uint32_t>(value);
  const std::uint32_t before = atomicAdd(low, part);
  const std::uint32_t rest = static_cast<std::uint32_t>(value >> 32) + (before + part < before ? 1u : 0u);
  if (rest) atomicAdd(high, rest);
}

// `sums` holds zeros, one for each counter.
template <class T, class Bins>
__global__ void __launch_bounds__(weight_threads)
    add_weights(const T* in, const float* weights, std::uint64_t n, Bins bins, counter_layout cut, bool in_shared,
                const std::uint32_t* largest, unsigned long long* sums) {
  extern __shared__ __align__(16) std::uint32_t halves[];  // low halves, then high ones
  const std::uint32_t total = cut.m * cut.channels;
  if (in_shared)
    for (std::uint32_t i = threadIdx.x; i < 2 * total; i += weight_threads) halves[i] = 0;
  __syncthreads();  // the halves are zero before any weight is added
  const weight_scale scale(*largest, n);
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * weight_threads + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * weight_threads) {
    const std::uint32_t bin = bins(in[i]);
    if (bin == no_bin) continue;
    const std::uint64_t place = std::uint64_t{channel_walk(cut.channels, i).now} * cut.m + bin;
    const auto value = static_cast<std::uint64_t>(scale.fixed(weights[i]));
    if (in_shared) {
      add_wide(&halves[place], &halves[total + place], value);
    } else {
      atomicAdd(&sums[place], static_cast<unsigned long long>(value));
    }
  }
  if (!in_shared) return;
  __syncthreads();  // every weight of the block is added before the sums are handed on
  for (std::uint32_t c = threadIdx.x; c < total; c += weight_threads) {
    const std::uint64_t sum = static_cast<std::uint64_t>(halves[total + c]) << 32 | halves[c];
    if (sum) atomicAdd(&sums[c], static_cast<unsigned long long>(sum));
  }
}

static __global__ void __launch_bounds__(weight_threads)
    sums_to_floats(const unsigned long long* sums, std::uint64_t total, std::uint64_t n, const std::uint32_t* largest,
                   double* out) {
  const std::uint64_t c = std::uint64_t{blockIdx.x} * weight_threads + threadIdx.x;
  if (c < total) out[c] = weight_scale(*largest, n).sum(static_cast<std::int64_t>(sums[c]));
}

}  // namespace upsweep::cuda
