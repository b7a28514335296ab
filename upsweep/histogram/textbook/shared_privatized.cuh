// histogram/shared-privatized
//
// Source    R. Shams and R. Kennedy, Efficient Histogram Algorithms for NVIDIA CUDA Compatible Devices, 2007; N.
//           Sakharnykh, GPU Pro Tip: Fast Histograms Using Shared Atomics on Maxwell, NVIDIA, 2015.
// Teaches   privatization: each block counts in a histogram of its own, in shared memory, and adds it to the one in
//           global memory at the end. A thousand blocks cost a thousand additions a bin, however many samples there
//           are.
// Work      n. Span n over all the threads. Launches 2, one to clear the bins.
// Wrong     within a warp the same thing happens on a small scale: samples of one bin take turns, and so do samples of
//           bins that share a bank. Constant input takes 32 turns a warp. And the bins must fit in shared memory.
// Fixed by  histogram/lane-private.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"
#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/histogram/textbook/histogram_textbook_bins.hpp"

namespace upsweep::textbook::histogram_variants {

template <unsigned block, class T, class Bins>
__global__ void count_in_blocks(global<const T> samples, global<std::uint64_t> counts, unsigned bins, std::uint64_t n,
                                Bins bin_of) {
  UPSWEEP_DYNAMIC_SHARED(std::uint32_t, mine);  // one a bin; a block has far fewer than 2^32 samples
  for (unsigned b = threadIdx.x; b < bins; b += block) mine[b] = 0;
  __syncthreads();  // the block's bins are empty
  const std::uint64_t step = std::uint64_t{gridDim.x} * block;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * block + threadIdx.x; i < n; i += step) {
    const std::uint32_t bin = bin_of(samples[i]);
    if (bin != no_bin) atomicAdd(mine + bin, 1u);  // relaxed: the barrier orders it
  }
  __syncthreads();  // all of the block's samples are counted
  for (unsigned b = threadIdx.x; b < bins; b += block) {
    const std::uint32_t count = mine[b];
    if (count > 0) atomicAdd(counts + b, std::uint64_t{count});  // relaxed: nothing is read by means of it
  }
}

// As many blocks as have some samples each, and no more than add up quickly.
inline constexpr std::uint64_t most_private_histograms = 1024;
constexpr std::uint64_t private_histograms(std::uint64_t n, unsigned block) {
  return std::min(blocks_for(n, 16 * block), most_private_histograms);
}
inline double samples_a_thread(double n, unsigned block) {
  return ceil_div(n, static_cast<double>(private_histograms(static_cast<std::uint64_t>(n), block)) * block);
}

template <unsigned block = 256>
struct shared_privatized : variant_defaults {
  static constexpr std::string_view name = "histogram/shared-privatized";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "Shams and Kennedy";
  static constexpr std::string_view teaches =
      "each block counts in shared memory and adds its counts to the others' once, at the end";
  static constexpr std::uint64_t most_bins = 12288;  // 48 KiB of counters
  static constexpr std::string_view limits =
      "even bins of u8, u32 or f32 samples, one channel, no weights; the bins must fit in 48 KiB";
  static const char* cannot(const detail::histogram_impl::problem& p) {
    return p.m > most_bins ? "more than 12288 bins" : variant_cannot(p);
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
    const unsigned m = static_cast<unsigned>(bins), bytes = m * static_cast<unsigned>(sizeof(std::uint32_t));
    grid.launch_with_shared(bytes, count_in_blocks<block, T, Bins>, private_histograms(n, block), block, samples,
                            counts, m, n, bin_of);
  }
};

}  // namespace upsweep::textbook::histogram_variants
