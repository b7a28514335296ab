// The scan as a part of other textbook variants: where each of n counts, or flags, begins. It is scan/reduce-then-scan,
// and its cost.
#pragma once

#include "upsweep/scan/textbook/reduce_then_scan.cuh"

namespace upsweep::textbook::scan_variants {

template <unsigned block>
struct scan_of_counts {
  static constexpr unsigned items = 9;  // a thread
  using base_scan = reduce_then_scan<block, items>;

  // out[i] = in[0] + … + in[i - 1]
  template <class Add, class Grid>
  static void run(Grid& grid, global<const std::uint32_t> in, global<std::uint32_t> out, std::uint64_t n, Add add) {
    base_scan::template run<std::uint32_t>(grid, in, out, n, add, false);
  }

  static double work(double n) { return base_scan::work.value(n); }
  static double launches(double n) { return base_scan::launches.value(n); }
  static double traffic(double n) { return base_scan::traffic.value(n); }

  // Additions that follow on each other in one thread or across a barrier, chained or not.
  static double steps(double n) {
    constexpr double threads = 5 + log2_of(block / 32), reduce_tile = items - 1 + threads + 1,
                     scan_tile = 2 * items - 1 + threads + 1 + 2;
    const std::uint64_t count = static_cast<std::uint64_t>(n);
    const double tiles = static_cast<double>(base_scan::tiles_a_range(count));
    return base_scan::ranges_of(count) > 1 ? tiles * (reduce_tile + scan_tile) + scan_tile : tiles * scan_tile;
  }
};

}  // namespace upsweep::textbook::scan_variants
