// sort/radix-1bit
//
// Source    utcs: one bit a pass, from the lowest to the highest; predicate, scan, scatter, swap. The split is G.
//           Blelloch's, Prefix Sums and Their Applications, 1990. (The report scans by Thrust, this rung by our own.)
// Teaches   radix sort out of scan alone. A key whose bit is 0 goes to the place that the scan of the flags says; one
//           whose bit is 1 goes behind all of those, to the place that is left. Each pass is stable, and so the order
//           of the lower bits outlives the sorting by the higher ones.
// Work      a pass takes n digits and scans n flags; there are 32 passes for keys of 4 bytes. Launches 5 a pass, 3 of
//           them the scan's.
// Span      that of the scan and 1, in each pass.
// Wrong     one bit is a small step for moving everything: a pass reads and writes some 9n elements, 32 times over; and
//           the scatter goes to two places at once, each a little off the alignment of the warp's stores.
// Fixed by  sort/radix-4bit-block: four bits a pass, sorted in shared memory first.
#pragma once

#include "upsweep/scan/textbook/scan_of_counts.cuh"
#include "upsweep/sort/textbook/sort_textbook_keys.hpp"

namespace upsweep::textbook::sort_variants {

template <class Key, class Order>
__global__ void flag_zeros(global<const Key> keys, global<std::uint32_t> flags, std::uint64_t n, unsigned bit,
                           Order order) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) flags[i] = order.digit(keys[i], bit, 1) == 0 ? 1 : 0;
}

// `zeros_before` is the scan of the flags.
template <class Key>
__global__ void split(global<const Key> keys, global<Key> out, global<const std::uint32_t> flags,
                      global<const std::uint32_t> zeros_before, std::uint64_t n) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::uint32_t zeros = zeros_before[n - 1] + flags[n - 1], before = zeros_before[i];
  out[flags[i] != 0 ? before : zeros + (i - before)] = keys[i];
}

template <unsigned block = 256>
struct radix_1bit : variant_defaults {
  static constexpr std::string_view name = "sort/radix-1bit";
  static constexpr int year = 1990;
  static constexpr std::string_view source = "utcs";
  static constexpr std::string_view teaches =
      "radix sort out of scan alone: flag the zeros of one bit, scan the flags, scatter; 32 times";
  static constexpr std::uint64_t max_n = 0xffffffff;
  static constexpr std::string_view limits = "keys of 4 or 8 bytes without values; places are counted in 32 bits";
  static constexpr auto cannot = stable_variant_cannot;
  static constexpr bool by_digits = true;  // the formulas are those of 4-byte keys
  using scan = scan_variants::scan_of_counts<block>;
  static constexpr unsigned passes = 32;
  static constexpr formula work{"32 times n digits and a scan", [](double n) { return passes * (n + scan::work(n)); }};
  static constexpr formula span{"32 scans and 32", [](double n) { return passes * (1 + scan::steps(n)); }};
  static constexpr formula launches{"3 or 5 a pass, 32 passes",
                                    [](double n) { return passes * (2 + scan::launches(n)); }};
  static constexpr formula traffic{"32 times 9n and 2 a warp",
                                   [](double n) { return passes * (6 * n + 2 * ceil_div(n, 32) + scan::traffic(n)); }};

  template <class Key, class Order, class Add, class Grid>
  static void run(Grid& grid, global<const Key> in, global<Key> out, std::uint64_t n, Order order, Add add) {
    const std::uint64_t blocks = blocks_for(n, block);
    global<std::uint32_t> flags = grid.template scratch<std::uint32_t>("flags", n),
                          zeros_before = grid.template scratch<std::uint32_t>("zeros before", n);
    global<Key> other = grid.template scratch<Key>("other keys", n);
    global<const Key> from = in;
    for (unsigned bit = 0; bit < 8 * sizeof(Key); ++bit) {
      const global<Key> to = bit % 2 == 0 ? other : out;  // so that the last pass ends in `out`
      grid.launch(flag_zeros<Key, Order>, blocks, block, from, flags, n, bit, order);
      scan::run(grid, flags, zeros_before, n, add);
      grid.launch(split<Key>, blocks, block, from, to, flags, zeros_before, n);
      from = to;
    }
  }
};

}  // namespace upsweep::textbook::sort_variants
