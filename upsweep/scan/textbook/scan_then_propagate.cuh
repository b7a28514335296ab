// scan/scan-then-propagate
//
// Source    S. Sengupta, M. Harris, Y. Zhang, J. Owens, Scan Primitives for GPU Computing, 2007; kaust. (The name is
//           Merrill and Grimshaw's.)
// Teaches   the decomposition of the variants before, with a tile instead of a block: nine elements a thread, folded in
//           registers, so that barriers and shuffles are paid by a tile of 2304. What an element costs is now its
//           memory traffic alone.
// Work      17·block + 1377 a tile, and n - tile to add the sums. Span 8 + 8 to a tile's sum, 10 more to its last
//           output, 1 a level coming down. Launches 2 a level less 1.
// Wrong     every element is read twice and written twice: 4n, where 2n is needed.
// Fixed by  scan/reduce-then-scan, 3n.
#pragma once

#include "upsweep/scan/textbook/scan_kernel_decomposition.cuh"
#include "upsweep/scan/textbook/scan_tile.cuh"

namespace upsweep::textbook::scan_variants {

template <unsigned block, unsigned items, class T, class Op>
__global__ void scan_tiles(global<const T> in, global<T> out, global<T> sums, std::uint64_t n, bool inclusive, Op op) {
  constexpr unsigned warps = block / 32;
  UPSWEEP_SHARED(T, cells, block * items);
  UPSWEEP_SHARED(T, warp_totals, warps);
  const std::uint64_t first = std::uint64_t{blockIdx.x} * block * items;
  load_tile<block, items>(cells, in, first, n, op);
  __syncthreads();  // others have loaded this thread's own elements
  T own[items];
  take_own(cells, own);
  const T before = scan_threads<block>(warp_totals, sum_of_own(own, op), op);
  scan_own(cells, own, before, inclusive, op);
  __syncthreads();  // others have scanned what this thread stores
  store_tile<block, items>(cells, out, first, n);
  if (threadIdx.x == 0) sums[blockIdx.x] = warp_totals[warps - 1];
}

template <unsigned block = 256, unsigned items = 9>
struct scan_then_propagate : variant_defaults {
  static constexpr std::string_view name = "scan/scan-then-propagate";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "kaust";
  static constexpr std::string_view teaches =
      "nine elements a thread; tiles scanned, their sums scanned and added back: 4n traffic";
  static constexpr unsigned tile = block * items;
  static constexpr std::uint64_t max_n = most_blocks * tile;
  static constexpr formula work{"5729 a tile of 2304 and n - 2304 to add the sums, over all levels", [](double n) {
                                  return levels_work(n, tile, block * (2 * items - 1) + scan_threads_work<block>);
                                }};
  static constexpr formula span{
      "26 in a level and 17 in every other",
      [](double n) { return levels_span(n, tile, chain_to_sum<block, items>, chain_to_thread<block, items> + items); }};
  static constexpr formula launches{"2⌈log2304 n⌉ - 1", [](double n) { return levels_launches(n, tile); }};
  static constexpr formula traffic{"4n and 2 a tile, over all levels",
                                   [](double n) { return levels_traffic(n, tile); }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op, bool inclusive) {
    scan_levels<T>(
        grid, in, out, n, op, inclusive, tile,
        [&](global<const T> from, global<T> to, global<T> sums, std::uint64_t count, bool incl, std::uint64_t blocks) {
          grid.launch(scan_tiles<block, items, T, Op>, blocks, block, from, to, sums, count, incl, op);
        });
  }
};

}  // namespace upsweep::textbook::scan_variants
