// scan/reduce-then-scan
//
// Source    Y. Dotsenko et al., Fast Scan Algorithms on Graphics Processors, 2008; D. Merrill and A. Grimshaw,
//           Parallel Scan for Stream Architectures, 2009, who gave it this form.
// Teaches   sums can be had by reduction alone, which writes nothing: first each block reduces its range, then one
//           block scans the ranges' sums, then each block scans its range once, seeded. Three launches at any n,
//           since the number of ranges does not grow.
// Work      8·block + 160 a warp + 97 to reduce a tile, 19·block + 1377 to scan it. Launches 3.
// Span      the tiles of a range follow on each other, up and down again: 2·n/(1024·tile), and 52 for the three
//           kernels.
// Wrong     every element is still read twice: 3n, where 2n is needed.
// Fixed by  scan/decoupled-lookback.
#pragma once

#include "upsweep/scan/textbook/scan_tile.cuh"

namespace upsweep::textbook::scan_variants {

// The sum of one value a thread, in order, in thread 0. Lane t folds its own 2^k values with the next 2^k: distances
// double, so that the joined values are always adjacent. (Lanes near the end fold values that are never read.)
template <unsigned block, class T, class Op>
__device__ T reduce_threads(T x, Op op) {
  constexpr unsigned warps = block / 32;
  UPSWEEP_SHARED(T, warp_totals, warps);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (unsigned s = 1; s < 32; s *= 2) x = op(x, __shfl_down_sync(whole_warp, x, s));
  if (lane == 0) warp_totals[warp] = x;
  __syncthreads();  // the first lane of each warp has written its total
  if (warp == 0) {
    x = lane < warps ? warp_totals[lane] : identity_of<T>(op);
#pragma unroll
    for (unsigned s = 1; s < warps; s *= 2) x = op(x, __shfl_down_sync(whole_warp, x, s));
  }
  return x;
}

template <unsigned block, unsigned items, class T, class Op>
__global__ void reduce_ranges(global<const T> in, global<T> sums, std::uint64_t n, std::uint64_t range, Op op) {
  UPSWEEP_SHARED(T, cells, block * items);
  T sum = identity_of<T>(op);
  const std::uint64_t begin = blockIdx.x * range, end = begin + range < n ? begin + range : n;
  for (std::uint64_t first = begin; first < end; first += block * items) {
    load_tile<block, items>(cells, in, first, end, op);
    __syncthreads();  // others have loaded this thread's own elements
    T own[items];
    take_own(cells, own);
    const T total = reduce_threads<block>(sum_of_own(own, op), op);
    if (threadIdx.x == 0) sum = op(sum, total);
    // The next load need not wait: reduce_threads has a barrier after the last read of a cell.
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// `sums` holds the inclusive scan of the ranges' sums; the first range does not read it.
template <unsigned block, unsigned items, class T, class Op>
__global__ void scan_ranges(global<const T> in, global<T> out, global<const T> sums, std::uint64_t n,
                            std::uint64_t range, bool inclusive, Op op) {
  constexpr unsigned warps = block / 32;
  UPSWEEP_SHARED(T, cells, block * items);
  UPSWEEP_SHARED(T, warp_totals, warps);
  T before_tile = blockIdx.x > 0 ? sums[blockIdx.x - 1] : identity_of<T>(op);
  const std::uint64_t begin = blockIdx.x * range, end = begin + range < n ? begin + range : n;
  for (std::uint64_t first = begin; first < end; first += block * items) {
    load_tile<block, items>(cells, in, first, end, op);
    __syncthreads();  // others have loaded this thread's own elements
    T own[items];
    take_own(cells, own);
    const T before = scan_threads<block>(warp_totals, sum_of_own(own, op), op);
    scan_own(cells, own, op(before_tile, before), inclusive, op);
    before_tile = op(before_tile, warp_totals[warps - 1]);
    __syncthreads();  // others have scanned what this thread stores
    store_tile<block, items>(cells, out, first, end);
    // The next load need not wait: a thread loads the cells that it stored itself.
  }
}

template <unsigned block = 256, unsigned items = 9>
struct reduce_then_scan : variant_defaults {
  static constexpr std::string_view name = "scan/reduce-then-scan";
  static constexpr int year = 2009;
  static constexpr std::string_view source = "kaust";
  static constexpr std::string_view teaches =
      "ranges reduced, their sums scanned by one block, ranges scanned from there: 3n traffic, 3 launches";
  static constexpr unsigned tile = block * items;
  // The H200 holds 132 · 8 blocks of 256 at once; a constant keeps the grouping the same on every GPU. One block must
  // scan all their sums.
  static constexpr std::uint64_t most_ranges = std::min(1024u, tile);
  static std::uint64_t tiles_of(std::uint64_t n) { return std::max<std::uint64_t>(1, blocks_for(n, tile)); }
  static std::uint64_t tiles_a_range(std::uint64_t n) { return blocks_for(tiles_of(n), most_ranges); }
  static std::uint64_t ranges_of(std::uint64_t n) { return blocks_for(tiles_of(n), tiles_a_range(n)); }

  static constexpr unsigned warps = block / 32;
  static constexpr unsigned reduce_work = block * (items - 1) + warps * 160 + 32 * log2_of(warps) + 1;
  static constexpr unsigned scan_work = block * (2 * items - 1) + scan_threads_work<block> + 2 * block;
  static constexpr double to_sum = chain_to_sum<block, items>, to_thread = chain_to_thread<block, items>;
  static constexpr formula work{"9666 a tile of 2304, and 6241 for the sums", [](double n) {
                                  const double tiles = ceil_div(n, tile);
                                  return tiles > 1 ? tiles * (reduce_work + scan_work) + scan_work : scan_work;
                                }};
  static constexpr formula span{"2 a tile of a range, n/(1024·2304), and 52", [](double n) {
                                  const auto scanned = [](double before, double tiles) {
                                    // A later tile's last output: all tiles before it, then its own; or its own
                                    // alone, if that is longer.
                                    const double chain = std::max(before, tiles > 1 ? to_sum : 0) + (tiles - 1);
                                    return std::max(chain, to_thread) + 1 + items;
                                  };
                                  const std::uint64_t count = static_cast<std::uint64_t>(n);
                                  const double tiles = static_cast<double>(tiles_a_range(count));
                                  if (ranges_of(count) == 1) return scanned(0, tiles);
                                  return scanned(to_sum + tiles + scanned(0, 1), tiles);
                                }};
  static constexpr formula launches{"3", [](double n) { return n > tile ? 3.0 : 1.0; }};
  static constexpr formula traffic{"3n + 4 a range", [](double n) {
                                     const double ranges =
                                         static_cast<double>(ranges_of(static_cast<std::uint64_t>(n)));
                                     return ranges > 1 ? 3 * n + 4 * ranges - 1 : 2 * n;
                                   }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op, bool inclusive) {
    const std::uint64_t range = tiles_a_range(n) * tile, ranges = ranges_of(n);
    global<T> sums = grid.template scratch<T>("sums", ranges);
    if (ranges > 1) {
      grid.launch(reduce_ranges<block, items, T, Op>, ranges, block, in, sums, n, range, op);
      grid.launch(scan_ranges<block, items, T, Op>, 1, block, sums, sums, sums, ranges, tile, true, op);
    }
    grid.launch(scan_ranges<block, items, T, Op>, ranges, block, in, out, sums, n, range, inclusive, op);
  }
};

}  // namespace upsweep::textbook::scan_variants
