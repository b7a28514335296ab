// histogram/sort-based
//
// Source    J. Hoberock and N. Bell, Thrust's histogram example, NVIDIA, 2010.
// Teaches   a histogram without an atomic: sort the samples' bins, and each bin's samples lie side by side. Where a run
//           ends is one store, where it begins another. Neither how many bins there are nor how the samples fall into
//           them makes a difference.
// Work      n, and the sort of n keys by sort/radix-reduce-then-scan; 1 for each sample's bin. Launches 4 more than
//           that sort.
// Span      that of the sort, and 1.
// Wrong     a sort is a lot of work for what is only counted: some 14n elements moved, where n would do. It pays where
//           there are so many bins that no counters fit anywhere near, or where the order is wanted as well.
// Fixed by  histogram/shared-privatized for few bins; by the library's histogram for any number.
#pragma once

#include "upsweep/histogram/textbook/histogram_textbook_bins.hpp"
#include "upsweep/sort/textbook/radix_reduce_then_scan.cuh"

namespace upsweep::textbook::histogram_variants {

template <class T, class Bins>
__global__ void write_bins(global<const T> samples, global<std::uint32_t> bins, std::uint64_t n, Bins bin_of) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) bins[i] = bin_of(samples[i]);
}

// The end of a bin's run of sorted bins; no_bin is the largest, and is not counted.
template <class Bin>
__global__ void store_ends(global<const Bin> bins, global<std::uint64_t> counts, std::uint64_t n) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Bin bin = bins[i];
  if (bin != no_bin && (i == n - 1 || bins[i + 1] != bin)) counts[bin] = i + 1;
}

// Less its beginning: that is how many there are.
template <class Bin>
__global__ void subtract_beginnings(global<const Bin> bins, global<std::uint64_t> counts, std::uint64_t n) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n || i == 0) return;  // the first run begins at 0
  const Bin bin = bins[i];
  if (bin != no_bin && bins[i - 1] != bin) counts[bin] -= i;
}

template <unsigned block = 256>
struct sort_based : variant_defaults {
  using sort = sort_variants::radix_reduce_then_scan<block>;
  static constexpr std::string_view name = "histogram/sort-based";
  static constexpr int year = 2010;
  static constexpr std::string_view source = "Hoberock and Bell";
  static constexpr std::string_view teaches =
      "sort the samples' bins and see where each run ends and begins: no atomics, any number of bins";
  static constexpr std::uint64_t max_n = sort::max_n;
  static constexpr std::string_view limits =
      "even bins of u8, u32 or f32 samples, one channel, no weights; places are counted in 32 bits";
  static constexpr auto cannot = variant_cannot;
  static constexpr formula work{"n, and a radix sort of n", [](double n) { return n + sort::work.value(n); }};
  static constexpr formula span{"1, and a radix sort of n", [](double n) { return 1 + sort::span.value(n); }};
  static constexpr formula launches{"4, and a radix sort's", [](double n) { return 4 + sort::launches.value(n); }};
  static constexpr formula traffic{"at least 5n, the bins to clear them, and a radix sort's",
                                   [](double n) { return 5 * n + sort::traffic.value(n); }};

  template <class T, class Bins, class Order, class Add, class Grid>
  static void run(Grid& grid, global<const T> samples, global<std::uint64_t> counts, std::uint64_t bins,
                  std::uint64_t n, Bins bin_of, Order order, Add add) {
    const std::uint64_t blocks = blocks_for(n, block);
    global<std::uint32_t> each = grid.template scratch<std::uint32_t>("each sample's bin", n);
    grid.launch(clear_cells<std::uint64_t>, blocks_for(bins, 256), 256, counts, bins);
    grid.launch(write_bins<T, Bins>, blocks, block, samples, each, n, bin_of);
    sort::template run<std::uint32_t>(grid, each, each, n, order, add);
    grid.launch(store_ends<std::uint32_t>, blocks, block, each, counts, n);
    grid.launch(subtract_beginnings<std::uint32_t>, blocks, block, each, counts, n);
  }
};

}  // namespace upsweep::textbook::histogram_variants
