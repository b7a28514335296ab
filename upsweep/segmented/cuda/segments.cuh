// Segments as bits: what turns offsets into heads for the pass by key.
#pragma once

#include "upsweep/segmented/cuda/by_key.cuh"

namespace upsweep::cuda {

// Sets a bit where each segment that is not empty begins, and one after the last. Writes init for the empty ones where `out` is given.
template <class T>
__global__ void __launch_bounds__(256)
    mark_segments(const std::uint64_t* offsets, std::uint64_t segments, std::uint64_t n, std::uint32_t* bits, T* out, T init) {
  const std::uint64_t s = std::uint64_t{blockIdx.x} * 256 + threadIdx.x;
  if (s > segments) return;
  const std::uint64_t begin = offsets[s];
  const bool empty = s < segments && offsets[s + 1] <= begin;
  if (empty) {
    if (out != nullptr) out[s] = init;
  } else if (begin < n) {
    atomicOr(&bits[begin / 32], 1u << begin % 32);
  }
}

}  // namespace upsweep::cuda
