// histogram/global-atomics
//
// Source    V. Podlozhnyuk, Histogram Calculation in CUDA, NVIDIA, 2007, which begins by ruling it out; atomics on
//           global memory are of the same year.
// Teaches   the sequential loop, one thread a sample: nothing else is needed, where additions cannot interrupt each
//           other. Any number of bins, and right at once.
// Work      n. Span 1. Launches 2, one to clear the bins.
// Wrong     samples of one bin take turns at one address, all over the GPU. Bins of a photograph's sky, or constant
//           input, bring it to the speed of one atomic after the other.
// Fixed by  histogram/shared-privatized.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"
#include "upsweep/histogram/textbook/histogram_textbook_bins.hpp"

namespace upsweep::textbook::histogram_variants {

template <class T, class Bins>
__global__ void count_globally(global<const T> samples, global<std::uint64_t> counts, std::uint64_t n, Bins bin_of) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::uint32_t bin = bin_of(samples[i]);
  if (bin != no_bin) atomicAdd(counts + bin, std::uint64_t{1});  // relaxed: nothing is read by means of it
}

template <unsigned block = 256>
struct global_atomics : variant_defaults {
  static constexpr std::string_view name = "histogram/global-atomics";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "Podlozhnyuk";
  static constexpr std::string_view teaches = "a thread a sample and an atomic a sample, on the bins in global memory";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr std::string_view limits = "even bins of u8, u32 or f32 samples, one channel, no weights";
  static constexpr auto cannot = variant_cannot;
  static constexpr formula work{"n", [](double n) { return n; }};
  static constexpr formula span{"1", [](double) { return 1.0; }};
  static constexpr formula launches{"2", [](double) { return 2.0; }};
  static constexpr formula traffic{"at least n, the bins to clear them, and n atomics", [](double n) { return n; }};

  template <class T, class Bins, class Order, class Add, class Grid>
  static void run(Grid& grid, global<const T> samples, global<std::uint64_t> counts, std::uint64_t bins,
                  std::uint64_t n, Bins bin_of, Order, Add) {
    grid.launch(clear_cells<std::uint64_t>, blocks_for(bins, 256), 256, counts, bins);
    grid.launch(count_globally<T, Bins>, blocks_for(n, block), block, samples, counts, n, bin_of);
  }
};

}  // namespace upsweep::textbook::histogram_variants
