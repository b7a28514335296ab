// Searches on CUDA. For a reduction, threads take elements at a fixed stride, and a block folds their results; the
// second step is one atomic operation a block, or one block.
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/search/search_cuda.cuh is CUDA; include it from a .cu file, or include search.hpp"
#endif

#include <algorithm>
#include <type_traits>
#include <utility>

#include "upsweep/for_each/for_each_cuda.cuh"
#include "upsweep/for_each/for_each_first_match.hpp"
#include "upsweep/search/search_conditions.hpp"

namespace upsweep::detail::search_impl {

template <class T>
struct store_one {
  T* to;
  T value;
  UPSWEEP_HD void operator()(std::uint64_t) const { *to = value; }
};

// The best element so far: its index and, if it is small, the element itself.
template <class At>
struct contender {
  using value = std::remove_cvref_t<decltype(std::declval<const At&>()(0))>;
  static constexpr bool held =
      std::is_trivially_copyable_v<value> && std::is_copy_assignable_v<value> && sizeof(value) <= 32;
  struct by_place {
    std::uint64_t place;
    __device__ decltype(auto) of(const At& at) const { return at(place); }
  };
  struct by_value {
    value x;
    std::uint64_t place;
    __device__ const value& of(const At&) const { return x; }
  };
  using type = std::conditional_t<held, by_value, by_place>;
  static __device__ type at_place(const At& at, std::uint64_t place) {
    if constexpr (held) {
      return {at(place), place};
    } else {
      return {place};
    }
  }
};

}  // namespace upsweep::detail::search_impl

namespace upsweep::cuda {

// A block's tile: the elements that its threads test before they read again the position that other blocks have
// found.
inline constexpr unsigned search_threads = 256, search_items = 8, search_tile = search_threads * search_items;

// Requires that *first is at least n before.
template <class Has>
__global__ void find_first(std::uint64_t begin, std::uint64_t n, Has has, std::uint64_t* first) {
  const std::uint64_t tile = begin + std::uint64_t{blockIdx.x} * search_tile, i = tile + threadIdx.x;
  if (tile >= upsweep::least_so_far(first)) return;
  unsigned found = search_items;
#pragma unroll
  for (unsigned k = search_items; k-- > 0;)
    if (i + k * search_threads < n && has(i + k * search_threads)) found = k;
  if (found < search_items) upsweep::take_least(first, i + found * search_threads);
}

// Adds to *out.
template <class Has>
__global__ void count_passing(std::uint64_t n, Has has, std::uint64_t* out) {
  __shared__ unsigned long long of_block;
  if (threadIdx.x == 0) of_block = 0;
  std::uint64_t count = 0;
  const std::uint64_t step = std::uint64_t{gridDim.x} * search_tile;
  for (std::uint64_t tile = std::uint64_t{blockIdx.x} * search_tile; tile < n; tile += step) {
    const std::uint64_t i = tile + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < search_items; ++k)
      if (i + k * search_threads < n) count += has(i + k * search_threads) ? 1 : 0;
  }
  for (int further = 16; further > 0; further /= 2) count += __shfl_down_sync(0xffffffffu, count, further);
  __syncthreads();  // of_block is 0
  if (threadIdx.x % 32 == 0 && count) atomicAdd(&of_block, static_cast<unsigned long long>(count));
  __syncthreads();  // every warp has added
  if (threadIdx.x == 0 && of_block) atomicAdd(reinterpret_cast<unsigned long long*>(out), of_block);
}

// The best of a block's indices; `candidates` holds them, or is null if they are 0, 1, … Every block has one.
template <class At, class Better>
__global__ void find_best(std::uint64_t n, At at, Better better, const std::uint64_t* candidates,
                          std::uint64_t* places) {
  using detail::search_impl::contender;
  using known = typename contender<At>::type;
  __shared__ alignas(16) unsigned char raw[search_threads * sizeof(known)];
  known* const all = reinterpret_cast<known*>(raw);
  const auto contends = [&](std::uint64_t i) { return contender<At>::at_place(at, candidates ? candidates[i] : i); };
  // Of equal ones the first, in whatever order the threads found them.
  const auto beats = [&](const known& a, const known& b) {
    return better(a.of(at), b.of(at)) || (a.place < b.place && !better(b.of(at), a.of(at)));
  };
  const std::uint64_t first = std::uint64_t{blockIdx.x} * search_threads;
  const std::uint64_t step = std::uint64_t{gridDim.x} * search_threads;
  const unsigned t = threadIdx.x, present = static_cast<unsigned>((min)(std::uint64_t{search_threads}, n - first));
  if (t < present) {
    known best = contends(first + t);
    std::uint64_t i = first + t + step;
    for (; i + 3 * step < n; i += 4 * step) {
      const known a = contends(i), b = contends(i + step), c = contends(i + 2 * step), d = contends(i + 3 * step);
      if (beats(a, best)) best = a;
      if (beats(b, best)) best = b;
      if (beats(c, best)) best = c;
      if (beats(d, best)) best = d;
    }
    for (; i < n; i += step)
      if (const known next = contends(i); beats(next, best)) best = next;
    all[t] = best;
  }
  for (unsigned half = search_threads / 2; half > 0; half /= 2) {
    __syncthreads();  // the half before is written
    if (t < half && t + half < present && beats(all[t + half], all[t])) all[t] = all[t + half];
  }
  if (t == 0) places[blockIdx.x] = all[0].place;
}

#if !defined(__CUDACC_RTC__)  // the host's side

template <class Has>
void first_place(upsweep::device& where, std::uint64_t places, std::uint64_t n, const Has& has, std::uint64_t* out) {
  core::require_not_only_source<Has>();
  device& d = of(where);
  cuda::for_each_index(d, 1, detail::search_impl::store_one<std::uint64_t>{out, n});
  for_each_grid(d, places, search_items, "find_first", [&](std::uint64_t begin, unsigned blocks) {
    find_first<<<blocks, search_threads, 0, d.stream()>>>(begin, places, has, out);
  });
}

template <class Has>
void count_places(upsweep::device& where, std::uint64_t n, const Has& has, std::uint64_t* out) {
  core::require_not_only_source<Has>();
  device& d = of(where);
  cuda::for_each_index(d, 1, detail::search_impl::store_one<std::uint64_t>{out, 0});
  if (n == 0) return;
  const std::uint64_t blocks = std::min<std::uint64_t>((n - 1) / search_tile + 1, d.multiprocessors() * 8);
  count_passing<<<static_cast<unsigned>(blocks), search_threads, 0, d.stream()>>>(n, has, out);
  check(cudaGetLastError(), "count_passing");
}

template <class At, class Better>
void best_place(upsweep::device& where, std::uint64_t n, const At& at, const Better& better, std::uint64_t* out) {
  core::require_not_only_source<At, Better>();
  device& d = of(where);
  if (n == 0) return cuda::for_each_index(d, 1, detail::search_impl::store_one<std::uint64_t>{out, 0});
  const std::uint64_t most = d.multiprocessors() * 8;
  const std::uint64_t blocks = (std::min)((n - 1) / (search_threads * 4) + 1, most);
  auto* const places = d.scratch("search/cuda/places", most * 8).template as<std::uint64_t>();
  d.make_current();
  find_best<<<static_cast<unsigned>(blocks), search_threads, 0, d.stream()>>>(n, at, better, nullptr, places);
  check(cudaGetLastError(), "find_best");
  find_best<<<1, search_threads, 0, d.stream()>>>(blocks, at, better, places, out);
  check(cudaGetLastError(), "find_best");
}

#endif

}  // namespace upsweep::cuda
