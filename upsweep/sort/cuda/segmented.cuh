// Sorts of segments, by the sort of everything.
//
// Places are sorted by their keys, and then, stably, by the number of the segment that they lie in; at last each place
// of the output fetches its key. So nothing depends on how long the segments are: empty, tiny and huge ones may be
// mixed, and no offset is read by the host.
#pragma once

#include "upsweep/scan/cuda.cuh"
#include "upsweep/sort/cuda/plan.cuh"
#include "upsweep/sort/cuda/sort.hpp"

namespace upsweep::cuda {

// marks[i]: the segments that begin at i, the end of the last one counted as well.
template <class Index>
__global__ void mark_segments(const std::uint64_t* offsets, std::uint64_t count, std::uint64_t n, Index* marks) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t s = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; s < count; s += stride)
    if (offsets[s] < n) {
      if constexpr (sizeof(Index) == 8) {
        atomicAdd(reinterpret_cast<unsigned long long*>(marks + offsets[s]), 1ull);
      } else {
        atomicAdd(marks + offsets[s], 1u);
      }
    }
}

template <class Index>
__global__ void segments_of_places(const Index* places, const Index* segments, std::uint64_t n, Index* of_places) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    of_places[i] = segments[places[i]];
}

template <class T, class Index>
__device__ void fetch_elements(const Index* places, std::uint64_t begin, std::uint64_t end, const void* in, void* out,
                               std::uint64_t n) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    const std::uint64_t from = i < begin || i >= end ? i : places[i];
    static_cast<T*>(out)[i] = in ? static_cast<const T*>(in)[from] : static_cast<T>(from);
  }
}

// Elements of 1, 2, 4 or 8 bytes. What lies in no segment comes from its own place.
template <class Index>
__global__ void fetch_sorted(const Index* places, const std::uint64_t* offsets, std::uint64_t segments, const void* in,
                             void* out, std::uint32_t bytes, std::uint64_t n) {
  const std::uint64_t begin = offsets[0], end = offsets[segments];
  switch (bytes) {
    case 1: return fetch_elements<std::uint8_t>(places, begin, end, in, out, n);
    case 2: return fetch_elements<std::uint16_t>(places, begin, end, in, out, n);
    case 4: return fetch_elements<std::uint32_t>(places, begin, end, in, out, n);
    default: return fetch_elements<std::uint64_t>(places, begin, end, in, out, n);
  }
}

template <class Index>
void fetch_sorted_into(device& d, const Index* places, const std::uint64_t* offsets, std::uint64_t segments,
                       const void* in, void* out, std::uint32_t bytes, std::uint64_t n, unsigned grid) {
  // In place, the elements go round by a place of their own.
  const bool in_place = in == out;
  void* to = in_place ? d.scratch("sort/cuda segments fetched", n * bytes).address() : out;
  fetch_sorted<<<grid, 256, 0, d.stream()>>>(places, offsets, segments, in, to, bytes, n);
  check(cudaGetLastError(), "segmented_sort on cuda");
  if (in_place) d.copy({out, 0}, {to, 0}, n * bytes);
}

// r as for a sort of everything; segment s is [offsets[s], offsets[s + 1]).
template <class Index>
void segmented_sort(device& d, const radix_request& r, const std::uint64_t* offsets, std::uint64_t segments) {
  d.make_current();
  if (r.n == 0) return;
  const std::uint64_t bytes = (r.n * sizeof(Index) + 255) / 256 * 256,
                      key_bytes = (r.n * r.key_bytes + 255) / 256 * 256;
  const memory m = d.scratch("sort/cuda segments", 3 * bytes + key_bytes);
  auto *numbers = m.as<Index>(), *places = m.plus_bytes(bytes).as<Index>(),
       *of_places = m.plus_bytes(2 * bytes).as<Index>();
  const auto grid = static_cast<unsigned>(std::min<std::uint64_t>((r.n + 255) / 256, 16 * d.multiprocessors()));

  d.fill(m, 0, r.n * sizeof(Index));
  mark_segments<<<grid, 256, 0, d.stream()>>>(offsets, segments + 1, r.n, numbers);
  check(cudaGetLastError(), "segmented_sort on cuda");
  scan<true>(d, static_cast<const Index*>(numbers), r.n, numbers, Index{0}, plus_in_passing{}, identity{});

  radix_request by_key = r;
  by_key.value_bytes = sizeof(Index);
  by_key.keys_out = m.plus_bytes(3 * bytes).address();
  by_key.values = nullptr;
  by_key.values_out = places;
  radix_sort(d, by_key);

  segments_of_places<<<grid, 256, 0, d.stream()>>>(places, numbers, r.n, of_places);
  check(cudaGetLastError(), "segmented_sort on cuda");
  radix_request by_segment;
  by_segment.key_bytes = by_segment.value_bytes = sizeof(Index);
  by_segment.last_bit = static_cast<unsigned>(std::bit_width(segments + 1));
  by_segment.n = r.n;
  by_segment.keys = by_segment.keys_out = of_places;
  by_segment.values = by_segment.values_out = places;
  radix_sort(d, by_segment);

  const auto fetch = [&](std::uint32_t bytes_each, const void* in, void* out) {
    fetch_sorted_into(d, places, offsets, segments, in, out, bytes_each, r.n, grid);
  };
  if (r.value_bytes != 0) fetch(r.value_bytes, r.values, r.values_out);
  fetch(r.key_bytes, r.keys, r.keys_out);
}

}  // namespace upsweep::cuda
