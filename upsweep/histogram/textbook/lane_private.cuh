// histogram/lane-private
//
// Source    C. Nugteren and others, High Performance Predictable Histogramming on GPUs, 2011.
// Teaches   a bank is a lane's own. Counter b of lane l is word 32·b + l, so that whatever the samples are, the 32
//           lanes of a warp are at 32 different counters in 32 different banks: no turns are taken, and constant input
//           costs what random input costs.
// Work      n. Span n over all the threads. Launches 2, one to clear the bins.
// Wrong     32 counters a bin: 256 bins fill 32 KiB, which leaves few warps on a multiprocessor, and each block ends
//           with adding up 32 columns. Warps of a block share the columns, so that counting is still by atomics; and a
//           sample of a byte is a load of a byte.
// Fixed by  the library's histogram.
// Differs   the source copies its histograms per warp, or per thread where they fit; columns by lane are the layout
//           that banks ask for.
#pragma once

#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/histogram/textbook/shared_privatized.cuh"

namespace upsweep::textbook::histogram_variants {

template <unsigned block, class T, class Bins>
__global__ void count_in_lanes(global<const T> samples, global<std::uint64_t> counts, unsigned bins, std::uint64_t n,
                               Bins bin_of) {
  UPSWEEP_DYNAMIC_SHARED(std::uint32_t, columns);  // 32 a bin
  const unsigned lane = threadIdx.x % 32;
  for (unsigned c = threadIdx.x; c < bins * 32; c += block) columns[c] = 0;
  __syncthreads();  // the columns are empty
  const std::uint64_t step = std::uint64_t{gridDim.x} * block;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * block + threadIdx.x; i < n; i += step) {
    const std::uint32_t bin = bin_of(samples[i]);
    if (bin != no_bin) atomicAdd(columns + (bin * 32 + lane), 1u);  // relaxed: the barrier orders it
  }
  __syncthreads();  // all of the block's samples are counted
  for (unsigned b = threadIdx.x / 32; b < bins; b += block / 32) {
    std::uint32_t count = columns[b * 32 + lane];
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2)
      count += __shfl_xor_sync(whole_warp, count, static_cast<int>(distance));
    if (lane == 0 && count > 0) atomicAdd(counts + b, std::uint64_t{count});  // relaxed, as above
  }
}

template <unsigned block = 256>
struct lane_private : variant_defaults {
  static constexpr std::string_view name = "histogram/lane-private";
  static constexpr int year = 2011;
  static constexpr std::string_view source = "Nugteren and others";
  static constexpr std::string_view teaches =
      "a column of counters for each lane, in its own bank: no two lanes ever wait for each other";
  static constexpr std::uint64_t most_bins = 256;  // 32 KiB of counters
  static constexpr std::string_view limits =
      "even bins of u8, u32 or f32 samples, one channel, no weights; 32 counters a bin must fit in shared memory";
  static const char* cannot(const detail::histogram_impl::problem& p) {
    return p.m > most_bins ? "more than 256 bins" : variant_cannot(p);
  }
  static constexpr formula work{"n", [](double n) { return n; }};
  static constexpr formula span{"16, or n/(1024·256)",
                                [](double n) { return std::max(16.0, samples_a_thread(n, block)); }};
  static constexpr formula launches{"2", [](double) { return 2.0; }};
  static constexpr formula traffic{"at least n, the bins to clear them, and an atomic a block and bin",
                                   [](double n) { return n; }};

  template <class T, class Bins, class Order, class Add, class Grid>
  static void run(Grid& grid, global<const T> samples, global<std::uint64_t> counts, std::uint64_t bins,
                  std::uint64_t n, Bins bin_of, Order, Add) {
    grid.launch(clear_cells<std::uint64_t>, blocks_for(bins, 256), 256, counts, bins);
    const unsigned m = static_cast<unsigned>(bins), bytes = 32 * m * static_cast<unsigned>(sizeof(std::uint32_t));
    grid.launch_with_shared(bytes, count_in_lanes<block, T, Bins>, private_histograms(n, block), block, samples, counts,
                            m, n, bin_of);
  }
};

}  // namespace upsweep::textbook::histogram_variants
