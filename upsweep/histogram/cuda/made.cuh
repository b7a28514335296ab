// Histograms on CUDA of samples that are made as they are read. A block counts for itself while all counters fit its
// shared memory; beyond that, and for weights, all count in global memory.
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/histogram/cuda/made.cuh is CUDA; include it from a .cu file compiled by nvcc"
#endif

#include <algorithm>

#include "upsweep/for_each/cuda.cuh"
#include "upsweep/histogram/bins.hpp"
#include "upsweep/histogram/problem.hpp"
#include "upsweep/histogram/weights.hpp"

namespace upsweep::cuda {
inline namespace UPSWEEP_COMPILED {

inline constexpr unsigned made_histogram_threads = 512;
inline constexpr std::uint64_t made_histogram_counters = 8192;  // u32, of a block

// The counter of sample i, or no_bin.
template <class At, class Bins>
struct counter_of {
  At at;
  Bins bins;
  std::uint64_t m, channels;
  __host__ __device__ std::uint64_t operator()(std::uint64_t i) const {
    const std::uint32_t b = bins(at(i));
    return b == histogram_room::no_bin ? ~std::uint64_t{0} : (channels > 1 ? i % channels * m : 0) + b;
  }
};

template <class Counter>
__global__ void __launch_bounds__(made_histogram_threads)
    count_made_in_shared(Counter counter, std::uint64_t n, unsigned counters, unsigned long long* out) {
  __shared__ unsigned mine[made_histogram_counters];
  for (unsigned c = threadIdx.x; c < counters; c += blockDim.x) mine[c] = 0;
  __syncthreads();  // all are zero before any is counted in
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    if (const std::uint64_t c = counter(i); c != ~std::uint64_t{0}) atomicAdd(&mine[c], 1u);
  __syncthreads();  // all are counted before any is added up
  for (unsigned c = threadIdx.x; c < counters; c += blockDim.x)
    if (mine[c] != 0) atomicAdd(&out[c], static_cast<unsigned long long>(mine[c]));
}

template <class Counter>
struct counts_in_global {
  Counter counter;
  unsigned long long* out;
  __host__ __device__ void operator()(std::uint64_t i) const {
#if defined(__CUDA_ARCH__)
    if (const std::uint64_t c = counter(i); c != ~std::uint64_t{0}) atomicAdd(&out[c], 1ull);
#endif
  }
};

template <class W>
struct notes_largest {
  W weights;
  unsigned* largest;
  __host__ __device__ void operator()(std::uint64_t i) const {
#if defined(__CUDA_ARCH__)
    const unsigned mine = histogram_room::weight_magnitude(weights(i));
    if (mine > *static_cast<volatile unsigned*>(largest)) atomicMax(largest, mine);
#endif
  }
};

template <class Counter, class W>
struct adds_weights {
  Counter counter;
  W weights;
  std::uint64_t n;
  const unsigned* largest;
  unsigned long long* sums;
  __host__ __device__ void operator()(std::uint64_t i) const {
#if defined(__CUDA_ARCH__)
    const histogram_room::weight_scale scale(*largest, n);
    if (const std::uint64_t c = counter(i); scale.finite && c != ~std::uint64_t{0})
      atomicAdd(&sums[c], static_cast<unsigned long long>(scale.fixed(weights(i))));
#endif
  }
};

struct gives_sums {
  const unsigned long long* sums;
  const unsigned* largest;
  std::uint64_t n;
  double* out;
  __host__ __device__ void operator()(std::uint64_t c) const {
    out[c] = histogram_room::weight_scale(*largest, n).sum(static_cast<std::int64_t>(sums[c]));
  }
};

template <class At, class Bins>
void count_made(upsweep::device& where, const At& at, const Bins& bins, const histogram_room::problem& p,
                std::uint64_t* out) {
  static_assert(sizeof(std::uint64_t) == sizeof(unsigned long long));
  using counter = counter_of<At, Bins>;
  const counter of_sample{at, bins, p.m, p.channels};
  const std::uint64_t counters = p.m * p.channels;
  auto* const to = reinterpret_cast<unsigned long long*>(out);
  where.fill({out, 0}, 0, counters * sizeof(std::uint64_t));
  if (p.n == 0) return;
  if (counters > made_histogram_counters)
    return cuda::for_each_index(where, p.n, counts_in_global<counter>{of_sample, to});
  device& d = of(where);
  d.make_current();
  const std::uint64_t each = made_histogram_threads * 16, most = static_cast<std::uint64_t>(d.multiprocessors()) * 4;
  const auto blocks = static_cast<unsigned>(std::clamp<std::uint64_t>((p.n + each - 1) / each, 1, most));
  count_made_in_shared<<<blocks, made_histogram_threads, 0, d.stream()>>>(of_sample, p.n,
                                                                          static_cast<unsigned>(counters), to);
  check(cudaGetLastError(), "histogram of a made input on cuda");
}

template <class At, class W, class Bins>
void add_made(upsweep::device& where, const At& at, const W& weights, const Bins& bins,
              const histogram_room::problem& p, double* out) {
  const std::uint64_t counters = p.m * p.channels;
  const memory all = where.scratch("histogram/made weights", 256 + counters * sizeof(std::uint64_t));
  auto* const largest = all.as<unsigned>();
  auto* const sums = all.plus_bytes(256).as<unsigned long long>();
  where.fill(all, 0, 256 + counters * sizeof(std::uint64_t));
  using counter = counter_of<At, Bins>;
  cuda::for_each_index(where, p.n, notes_largest<W>{weights, largest});
  cuda::for_each_index(where, p.n, adds_weights<counter, W>{{at, bins, p.m, p.channels}, weights, p.n, largest, sums});
  cuda::for_each_index(where, counters, gives_sums{sums, largest, p.n, out});
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::cuda
