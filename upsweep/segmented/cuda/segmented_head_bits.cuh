// Converts segments' offsets to bits, the heads for the pass by key.
#pragma once

#include "upsweep/segmented/cuda/segmented_by_key.cuh"

namespace upsweep::cuda {

// Sets a bit at the beginning of each segment that is not empty, and one after the last. A template, so that several
// files may define it.
template <class Word>
__global__ void __launch_bounds__(256)
    mark_segments(const std::uint64_t* offsets, std::uint64_t segments, std::uint64_t n, Word* bits) {
  const std::uint64_t s = std::uint64_t{blockIdx.x} * 256 + threadIdx.x;
  if (s > segments) return;
  const std::uint64_t begin = offsets[s];
  const bool empty = s < segments && offsets[s + 1] <= begin;
  if (!empty && begin < n) atomicOr(&bits[begin / 32], Word{1} << begin % 32);
}

#if !defined(__CUDACC_RTC__)  // the host's side

// The heads of the segments as bits, in scratch.
inline const std::uint32_t* bits_of_segments(device& d, const std::uint64_t* offsets, std::uint64_t segments,
                                             std::uint64_t n, const char* where) {
  const std::uint64_t bytes = (n / 32 + 1) * sizeof(std::uint32_t);
  auto* const bits = d.scratch("segmented/cuda/bits", bytes).as<std::uint32_t>();
  check(cudaMemsetAsync(bits, 0, bytes, d.stream()), where);
  mark_segments<<<static_cast<unsigned>((segments + 256) / 256), 256, 0, d.stream()>>>(offsets, segments, n, bits);
  check(cudaGetLastError(), where);
  return bits;
}

#endif

}  // namespace upsweep::cuda
