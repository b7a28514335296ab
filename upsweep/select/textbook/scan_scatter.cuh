// select/scan-scatter
//
// Source    kaust, harris2007: stream compaction; G. Blelloch's pack, 1990.
// Teaches   what a scan is for. Flag the elements that pass with 1 and the others with 0: the exclusive scan of the
//           flags is, for each element, how many are kept before it, and so its place. Three steps, flags, scan and
//           scatter, and the order is kept without anybody waiting for anybody.
// Work      n tests and the scan of n flags. Launches 5, three of them the scan's. Span that of the scan and 1.
// Wrong     a flag is a bit and takes four bytes, five times over memory: written, read twice by the scan, its sum
//           written, and both read again. Of up to 9n elements moved 2n would do.
// Fixed by  select/warp-aggregated: no flags in memory.
#pragma once

#include "upsweep/scan/textbook/scan_of_counts.cuh"
#include "upsweep/select/textbook/select_predicates.hpp"

namespace upsweep::textbook::select_variants {

template <class T, class Test>
__global__ void set_flags(global<const T> in, global<std::uint32_t> flags, std::uint64_t n, Test keeps) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) flags[i] = keeps(in[i]) ? 1 : 0;
}

// `places` is the scan of the flags.
template <class T>
__global__ void scatter_flagged(global<const T> in, global<T> out, global<std::uint64_t> count,
                                global<const std::uint32_t> flags, global<const std::uint32_t> places,
                                std::uint64_t n) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::uint32_t flag = flags[i];
  if (flag == 0 && i < n - 1) return;
  const std::uint32_t place = places[i];
  if (flag != 0) out[place] = in[i];
  if (i == n - 1) count[0] = std::uint64_t{place} + flag;
}

template <unsigned block = 256>
struct scan_scatter : variant_defaults {
  static constexpr std::string_view name = "select/scan-scatter";
  static constexpr int year = 1990;
  static constexpr std::string_view source = "kaust, harris2007";
  static constexpr std::string_view teaches =
      "stream compaction in three steps: flag what passes, scan the flags, scatter to where the scan says";
  static constexpr std::uint64_t max_n = 0xffffffff;
  static constexpr std::string_view limits =
      "a test of u32, f32 or u64 elements without values; places are counted in 32 bits";
  static constexpr auto cannot = variant_cannot;
  using scan = scan_variants::scan_of_counts<block>;
  static constexpr formula work{"n tests and a scan", [](double n) { return n + scan::work(n); }};
  static constexpr formula span{"a scan and 1", [](double n) { return 1 + scan::steps(n); }};
  static constexpr formula launches{"3 or 5", [](double n) { return 2 + scan::launches(n); }};
  static constexpr formula traffic{"at most 9n and 4 a range of the scan",
                                   [](double n) { return 6 * n + 2 + scan::traffic(n); }};

  template <class T, class Test, class Add, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, global<std::uint64_t> count, std::uint64_t n,
                  Test keeps, Add add) {
    global<std::uint32_t> flags = grid.template scratch<std::uint32_t>("flags", n),
                          places = grid.template scratch<std::uint32_t>("places", n);
    const std::uint64_t blocks = blocks_for(n, block);
    grid.launch(set_flags<T, Test>, blocks, block, in, flags, n, keeps);
    scan::run(grid, flags, places, n, add);
    grid.launch(scatter_flagged<T>, blocks, block, in, out, count, flags, places, n);
  }
};

}  // namespace upsweep::textbook::select_variants
