// Histograms on CUDA of lazy samples. A block counts on its own while all counters fit in its shared memory; beyond
// that, and for weights, all blocks count in global memory.
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/histogram/cuda/histogram_cuda_lazy.cuh is CUDA; include it from a .cu file compiled by nvcc"
#endif

#include <algorithm>

#include "upsweep/for_each/for_each_cuda.cuh"
#include "upsweep/histogram/cuda/histogram_cuda_weights.cuh"
#include "upsweep/histogram/histogram_bins.hpp"
#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/histogram/histogram_weights.hpp"

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
    return b == detail::histogram_impl::no_bin ? ~std::uint64_t{0} : (channels > 1 ? i % channels * m : 0) + b;
  }
};

template <class Counter>
__global__ void __launch_bounds__(made_histogram_threads)
    count_made_in_shared(Counter counter, std::uint64_t n, unsigned counters, unsigned long long* out) {
  __shared__ unsigned mine[made_histogram_counters];
  for (unsigned c = threadIdx.x; c < counters; c += blockDim.x) mine[c] = 0;
  __syncthreads();  // orders the clearing of counters before any increment
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    if (const std::uint64_t c = counter(i); c != ~std::uint64_t{0}) atomicAdd(&mine[c], 1u);
  __syncthreads();  // orders the block's increments before counters are added up
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

template <class Counter, class W>
struct notes_exponents {
  Counter counter;
  W weights;
  unsigned* exponents;
  __host__ __device__ void operator()(std::uint64_t i) const {
#if defined(__CUDA_ARCH__)
    if (const std::uint64_t c = counter(i); c != ~std::uint64_t{0})
      raise(&exponents[c], detail::histogram_impl::parts_of(weights(i)).exponent);
#endif
  }
};

template <class Counter, class W>
struct adds_weights {
  Counter counter;
  W weights;
  std::uint64_t total;
  int bits_of_n;
  const unsigned* exponents;
  unsigned long long* sums;
  __host__ __device__ void operator()(std::uint64_t i) const {
#if defined(__CUDA_ARCH__)
    const std::uint64_t c = counter(i);
    if (c == ~std::uint64_t{0}) return;
    const detail::histogram_impl::weight_parts w = detail::histogram_impl::parts_of(weights(i));
    add_in_halves(&sums[c], total, detail::histogram_impl::fixed_of(w, exponents[c], bits_of_n),
                  detail::histogram_impl::is_subtracted(w, exponents[c]));
#endif
  }
};

struct gives_sums {
  const unsigned long long* sums;
  std::uint64_t total;
  int bits_of_n;
  const unsigned* exponents;
  double* out;
  __host__ __device__ void operator()(std::uint64_t c) const {
    out[c] = detail::histogram_impl::to_double({sums[c], sums[total + c]}, exponents[c], bits_of_n);
  }
};

template <class At, class Bins>
void count_made(upsweep::device& where, const At& at, const Bins& bins, const detail::histogram_impl::problem& p,
                std::uint64_t* out) {
  core::require_not_only_source<At>();
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
              const detail::histogram_impl::problem& p, double* out) {
  const std::uint64_t counters = p.m * p.channels, exponent_bytes = (counters * 4 + 255) / 256 * 256;
  const memory all = where.scratch("histogram/made weights", exponent_bytes + counters * 16);
  auto* const exponents = all.as<unsigned>();
  auto* const sums = all.plus_bytes(exponent_bytes).as<unsigned long long>();
  where.fill(all, 0, exponent_bytes + counters * 16);
  using counter = counter_of<At, Bins>;
  const counter of_sample{at, bins, p.m, p.channels};
  const int bits_of_n = detail::histogram_impl::bits_of_count(p.n);
  cuda::for_each_index(where, p.n, notes_exponents<counter, W>{of_sample, weights, exponents});
  cuda::for_each_index(where, p.n, adds_weights<counter, W>{of_sample, weights, counters, bits_of_n, exponents, sums});
  cuda::for_each_index(where, counters, gives_sums{sums, counters, bits_of_n, exponents, out});
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::cuda
