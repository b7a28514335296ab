// Counts, and the CUDA histograms' place in the catalog. Sums of weights are in cuda_weights.cu, so that the two
// compile side by side.
#include "upsweep/histogram/cuda.cuh"

#include "upsweep/histogram/cuda/bins.cuh"
#include "upsweep/histogram/cuda/range_counts.cuh"
#include "upsweep/histogram/problem.hpp"

namespace upsweep::histogram_room {

void sum_weights(cuda::device& d, const problem& p);  // cuda_weights.cu

namespace {

void count(cuda::device& d, const problem& p) {
  cuda::with_bins(p, [&]<class T>(type_tag<T>, const auto& bins) {
    auto* const out = p.out.as<unsigned long long>();
    const T* const in = p.in.as<const T>();
    const auto m = static_cast<std::uint32_t>(p.m);
    if constexpr (sizeof(T) == 1)
      if (p.channels <= cuda::most_byte_channels)
        return cuda::histogram_of_byte_type(d, in, p.n, bins, m, p.channels, out);
    cuda::histogram_by_counters(d, in, p.n, bins, m, p.channels, p.edges, out);
  });
}

void run_histogram(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  if (p.n == 0) return d.fill(p.out, 0, p.channels * p.m * 8);
  p.weighted ? sum_weights(d, p) : count(d, p);
  cuda::check(cudaGetLastError(), "launching a histogram's kernels");
}

void run_range_counts(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  if (p.n == 0) return;
  const std::uint64_t blocks = (p.n + cuda::range_threads - 1) / cuda::range_threads;
  cuda::count_ranges<<<static_cast<unsigned>(blocks), cuda::range_threads, 0, d.stream()>>>(
      p.in.as<const std::uint64_t>(), p.in2.as<const std::uint64_t>(), p.n, p.out.as<std::uint64_t>());
  cuda::check(cudaGetLastError(), "launching range-counts' kernel");
}

}  // namespace

std::span<const variant> cuda() {
  static const variant all[]{
      {
          .name = "histogram/lane-columns",
          .where = backend::cuda,
          .what = primitive::histogram,
          .kind = rung::library,
          .year = 2026,
          .source = "upsweep",
          .teaches = "A column of counters for each lane in shared memory, so that no two lanes meet in a bank; one "
                     "launch, the last block "
                     "hands out the sums.",
          .work = {"n", [](double n) { return n; }},
          // A block's own samples, one after the other at worst, and the sums of all blocks.
          .span = {"n/132 + 164", [](double n) { return n / 132 + 164; }},
          .launches = {"1; 2 beyond 4096 counters, 5 with weights", [](double) { return 1.0; }},
          .traffic = {"n", [](double n) { return n; }},
          .run = run_histogram,
      },
      {
          .name = "range-counts/two-look-ups",
          .where = backend::cuda,
          .what = primitive::range_counts,
          .kind = rung::library,
          .year = 2007,
          .source = "kaust",
          .teaches = "With the prefix of a histogram, how many samples lie in any range of bins is one subtraction.",
          .work = {"n", [](double n) { return n; }},
          .span = {"1", [](double) { return 1.0; }},
          .launches = {"1", [](double) { return 1.0; }},
          .traffic = {"5n", [](double n) { return 5 * n; }},
          .max_n = (std::uint64_t{1} << 31) * 256 - 256,
          .limits = "one launch of blocks of 256",
          .run = run_range_counts,
      },
  };
  return all;
}

}  // namespace upsweep::histogram_room
