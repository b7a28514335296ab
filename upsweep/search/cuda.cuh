// Searches on CUDA: a thread an index, or, where something is brought together, threads that take every so many-th
// element and then fold what they have in two steps.
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/search/cuda.cuh is CUDA; include it from a .cu file compiled by nvcc, or include search.hpp"
#endif

#include <algorithm>

#include "upsweep/for_each.hpp"
#include "upsweep/search/asked.hpp"

namespace upsweep::search_room {

template <class T>
struct store_one {
  T* to;
  T value;
  UPSWEEP_HD void operator()(std::uint64_t) const { *to = value; }
};

// Relies on *first being no less than n before.
template <class Has>
struct first_so_far {
  Has has;
  std::uint64_t* first;
  UPSWEEP_HD void operator()(std::uint64_t i) const {
    if (i < upsweep::least_so_far(first) && has(i)) upsweep::take_least(first, i);
  }
};

template <class Has>
struct strided_count {
  Has has;
  std::uint64_t n, threads;
  std::uint64_t* counts;
  UPSWEEP_HD void operator()(std::uint64_t t) const {
    std::uint64_t count = 0;
    for (std::uint64_t i = t; i < n; i += threads) count += has(i) ? 1 : 0;
    counts[t] = count;
  }
};
struct strided_sum {
  const std::uint64_t* counts;
  std::uint64_t n, threads;
  std::uint64_t* sums;
  UPSWEEP_HD void operator()(std::uint64_t t) const {
    std::uint64_t sum = 0;
    for (std::uint64_t i = t; i < n; i += threads) sum += counts[i];
    sums[t] = sum;
  }
};

// The best of places t, t + threads, …; `candidates` holds the places, or is null where they are 0, 1, …
template <class At, class Better>
struct strided_best {
  At at;
  Better better;
  const std::uint64_t* candidates;
  std::uint64_t n, threads;
  std::uint64_t* places;
  UPSWEEP_HD void operator()(std::uint64_t t) const {
    std::uint64_t best = candidates ? candidates[t] : t;
    for (std::uint64_t i = t + threads; i < n; i += threads) {
      const std::uint64_t place = candidates ? candidates[i] : i;
      // Of equal ones the first, whichever of them came first here.
      if (better(at(place), at(best)) || (place < best && !better(at(best), at(place)))) best = place;
    }
    places[t] = best;
  }
};

}  // namespace upsweep::search_room

namespace upsweep::cuda {

inline constexpr std::uint64_t search_threads = 1 << 17, search_folds = 1 << 8;

template <class Has>
void first_place(upsweep::device& d, std::uint64_t places, std::uint64_t n, const Has& has, std::uint64_t* out) {
  cuda::for_each_index(d, 1, search_room::store_one<std::uint64_t>{out, n});
  cuda::for_each_index(d, places, search_room::first_so_far<Has>{has, out});
}

template <class Has>
void count_places(upsweep::device& d, std::uint64_t n, const Has& has, std::uint64_t* out) {
  const std::uint64_t threads = std::min(n, search_threads), folds = std::min(threads, search_folds);
  auto* const counts = d.scratch("search/cuda/counts", (search_threads + search_folds) * 8).as<std::uint64_t>();
  cuda::for_each_index(d, threads, search_room::strided_count<Has>{has, n, threads, counts});
  cuda::for_each_index(d, folds, search_room::strided_sum{counts, threads, folds, counts + threads});
  cuda::for_each_index(d, 1, search_room::strided_sum{counts + threads, folds, 1, out});
}

template <class At, class Better>
void best_place(upsweep::device& d, std::uint64_t n, const At& at, const Better& better, std::uint64_t* out) {
  using best = search_room::strided_best<At, Better>;
  if (n == 0) return cuda::for_each_index(d, 1, search_room::store_one<std::uint64_t>{out, 0});
  const std::uint64_t threads = std::min(n, search_threads), folds = std::min(threads, search_folds);
  auto* const places = d.scratch("search/cuda/places", (search_threads + search_folds) * 8).as<std::uint64_t>();
  cuda::for_each_index(d, threads, best{at, better, nullptr, n, threads, places});
  cuda::for_each_index(d, folds, best{at, better, places, threads, folds, places + threads});
  cuda::for_each_index(d, 1, best{at, better, places + threads, folds, 1, out});
}

}  // namespace upsweep::cuda
