// Recurrences on CUDA: fold every tile's maps, scan the tiles, then step through every tile from the state it starts
// in. Each thread has a run of neighbouring steps; their maps are composed in order, within the block by Kogge and
// Stone's scan.
#pragma once

#include "upsweep/recurrence/steps.hpp"
#include "upsweep/scan/cuda.cuh"

namespace upsweep::cuda {

inline constexpr int recurrence_threads = 128, recurrence_items = 16,
                     recurrence_tile = recurrence_threads * recurrence_items;

template <class Steps>
__device__ typename Steps::map fold_run(const Steps& steps, std::uint64_t first, std::uint64_t last) {
  typename Steps::map f = steps.identity();
  for (std::uint64_t i = first; i < last; ++i) f = steps.extend(f, i);
  return f;
}

// The composition of what the threads up to this one hold. Leaves shared memory readable: `all[thread]` is thread's own
// result.
template <class Steps>
__device__ void compose_block(const Steps& steps, typename Steps::map (&all)[recurrence_threads],
                              typename Steps::map own) {
  const int thread = static_cast<int>(threadIdx.x);
  all[thread] = own;
  __syncthreads();  // each thread's own map is read by those to its right
  for (int distance = 1; distance < recurrence_threads; distance *= 2) {
    if (thread >= distance) own = steps(all[thread - distance], own);
    __syncthreads();  // every neighbour has been read before its place is written
    all[thread] = own;
    __syncthreads();  // and written before the next step reads it
  }
}

template <class Steps>
__global__ void __launch_bounds__(recurrence_threads)
    fold_tiles(Steps steps, std::uint64_t n, typename Steps::map* tiles) {
  __shared__ __align__(16) unsigned char raw[recurrence_threads * sizeof(typename Steps::map)];
  auto& all = *reinterpret_cast<typename Steps::map(*)[recurrence_threads]>(raw);
  const std::uint64_t first = std::uint64_t{blockIdx.x} * recurrence_tile + threadIdx.x * recurrence_items;
  const std::uint64_t last = first + recurrence_items < n ? first + recurrence_items : n;
  compose_block(steps, all, fold_run(steps, first, last));
  if (threadIdx.x == 0) tiles[blockIdx.x] = all[recurrence_threads - 1];
}

template <class Steps>
__global__ void __launch_bounds__(recurrence_threads)
    step_tiles(Steps steps, std::uint64_t n, const typename Steps::map* before, const typename Steps::state* start) {
  __shared__ __align__(16) unsigned char raw[recurrence_threads * sizeof(typename Steps::map)];
  auto& all = *reinterpret_cast<typename Steps::map(*)[recurrence_threads]>(raw);
  const std::uint64_t first = std::uint64_t{blockIdx.x} * recurrence_tile + threadIdx.x * recurrence_items;
  const std::uint64_t last = first + recurrence_items < n ? first + recurrence_items : n;
  compose_block(steps, all, fold_run(steps, first, last));
  typename Steps::state s = steps.apply(before[blockIdx.x], *start);
  if (threadIdx.x > 0) s = steps.apply(all[threadIdx.x - 1], s);
  for (std::uint64_t i = first; i < last; ++i) s = steps.step(i, s);
}

// A launch of its own, because until the last tile has read the start it must stay.
template <class Steps>
__global__ void apply_all(Steps steps, const typename Steps::map* before, const typename Steps::map* tile,
                          typename Steps::state* carry) {
  *carry = steps.apply(*tile, steps.apply(*before, *carry));
}

template <class Steps>
void recur(upsweep::device& where, std::uint64_t n, const Steps& steps, typename Steps::state* carry) {
  using map = typename Steps::map;
  device& d = of(where);
  d.make_current();
  if (n == 0) return;
  const std::uint64_t tiles = (n + recurrence_tile - 1) / recurrence_tile;
  if (tiles > 0x7fffffff)
    throw error(fault::unsupported, "recurrence", std::to_string(n) + " steps are more than one launch takes",
                "give it parts");
  map* const tile = d.scratch("recurrence/tiles", tiles * sizeof(map)).template as<map>();
  map* const before = d.scratch("recurrence/before", tiles * sizeof(map)).template as<map>();
  const auto blocks = static_cast<unsigned>(tiles);
  fold_tiles<<<blocks, recurrence_threads, 0, d.stream()>>>(steps, n, tile);
  check(cudaGetLastError(), "recurrence");
  scan<false>(where, tile, tiles, before, steps.identity(), steps, identity{});
  step_tiles<<<blocks, recurrence_threads, 0, d.stream()>>>(steps, n, before, carry);
  check(cudaGetLastError(), "recurrence");
  apply_all<<<1, 1, 0, d.stream()>>>(steps, before + tiles - 1, tile + tiles - 1, carry);
  check(cudaGetLastError(), "recurrence");
}

}  // namespace upsweep::cuda
