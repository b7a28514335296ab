// The CUDA histograms for every type of sample, and CUDA's entries in the catalog.
#include "upsweep/histogram/histogram_cuda.cuh"

#include "upsweep/cuda/device_info.hpp"
#include "upsweep/histogram/cuda/histogram_cuda_bins.cuh"
#include "upsweep/histogram/cuda/histogram_range_count.cuh"
#include "upsweep/histogram/histogram_problem.hpp"

namespace upsweep::detail::histogram_impl {

namespace {

// Bytes of more channels than the kernel for bytes takes, or than fit in the device's shared memory, are rare: they are
// counted as 16-bit integers.
__global__ void widen_bytes(const std::uint8_t* from, std::uint64_t n, bool is_signed, std::int16_t* to) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    to[i] = static_cast<std::int16_t>(is_signed ? static_cast<std::int8_t>(from[i]) : from[i]);
}

void count_words(cuda::device& d, const problem& p) {
  cuda::with_bins(p, [&]<class T>(type_tag<T>, const auto& bins) {
    if constexpr (sizeof(T) > 1)
      cuda::histogram_by_counters(d, p.in.as<const T>(), p.n, bins, static_cast<std::uint32_t>(p.m), p.channels,
                                  p.edges, p.out.as<unsigned long long>());
  });
}

void count_widened(cuda::device& d, const problem& p) {
  problem wide = p;
  const auto widened = [&](memory from, std::uint64_t n, const char* name) {
    const memory to = d.scratch(name, n * sizeof(std::int16_t));
    widen_bytes<<<static_cast<unsigned>(cuda::clamp_blocks(d, n, 4096, 8)), 256, 0, d.stream()>>>(
        from.as<const std::uint8_t>(), n, p.type == dtype::i8, to.as<std::int16_t>());
    return to;
  };
  wide.type = dtype::i16;
  wide.in = widened(p.in, p.n, "histogram/widened");
  if (p.edges) wide.in3 = widened(p.in3, p.m + 1, "histogram/widened edges");
  count_words(d, wide);
}

void count(cuda::device& d, const problem& p) {
  if (size_of(p.type) > 1) return count_words(d, p);
  const auto channels = static_cast<int>(p.channels);
  if (channels > cuda::most_byte_channels || cuda::all_byte_counters_bytes(channels) > d.shared_limit())
    return count_widened(d, p);
  const bool is_signed = p.type == dtype::i8;
  const auto count_in = [&](const auto& bins) {
    const cuda::to_bins<std::decay_t<decltype(bins)>> to{bins,       is_signed, static_cast<std::uint32_t>(p.m),
                                                         p.channels, false,     p.out.as<unsigned long long>()};
    cuda::histogram_of_byte_type(d, p.in.as<const std::uint8_t>(), p.n, to);
  };
  if (p.edges) return count_in(cuda::byte_edges{p.in3.address(), static_cast<std::uint32_t>(p.m), is_signed, p.closed});
  // Integers of up to 32 bits all follow the same rule.
  using bound = bound_of<std::int32_t>;
  count_in(even_bins<std::int32_t>::of(p.lower.as<bound>(), p.upper.as<bound>(), p.m));
}

void sum_weights(cuda::device& d, const problem& p) {
  cuda::with_bins(p, [&]<class T>(type_tag<T>, const auto& bins) {
    cuda::histogram_of_weights(d, p.in.as<const T>(), {p.in2.address(), p.weight_type == dtype::f64}, p.n, bins,
                               static_cast<std::uint32_t>(p.m), p.channels, p.out.as<double>());
  });
}

void run_histogram(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  if (p.n == 0) return d.fill(p.out, 0, p.channels * p.m * 8);
  p.weighted ? sum_weights(d, p) : count(d, p);
  cuda::check(cudaGetLastError(), "launching a histogram's kernels");
}

void run_range_count(device& where, const problem& p) {
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
          .kind = variant_kind::tuned,
          .year = 2026,
          .source = "upsweep",
          .teaches = "A column of counters for each lane in shared memory, so that no two lanes meet in a bank; one "
                     "launch, the last block "
                     "hands out the sums.",
          .work = {"n", [](double n) { return n; }},
          // Span: a block's own samples, serialised in the worst case, and the sums of all blocks.
          .span = {"n/m + m + 32 on m multiprocessors",
                   [](double n) {
                     const double m = cuda::fewest_multiprocessors();
                     return n / m + m + 32;
                   }},
          .launches = {"1; 2 beyond 4096 counters, 5 with weights", [](double) { return 1.0; }},
          .traffic = {"n", [](double n) { return n; }},
          .run = run_histogram,
      },
      {
          .name = "range-counts/two-look-ups",
          .where = backend::cuda,
          .what = primitive::range_count,
          .kind = variant_kind::tuned,
          .year = 2007,
          .source = "kaust",
          .teaches = "With the prefix of a histogram, how many samples lie in any range of bins is one subtraction.",
          .work = {"n", [](double n) { return n; }},
          .span = {"1", [](double) { return 1.0; }},
          .launches = {"1", [](double) { return 1.0; }},
          .traffic = {"5n", [](double n) { return 5 * n; }},
          .max_n = (std::uint64_t{1} << 31) * 256 - 256,
          .limits = "one launch of blocks of 256",
          .run = run_range_count,
      },
  };
  return all;
}

}  // namespace upsweep::detail::histogram_impl
