// scan/kogge-stone-warp
//
// Source    P. M. Kogge and H. S. Stone, IEEE Transactions on Computers, 1973: the doubling window, there as a
//           circuit; kaust.
// Teaches   within a warp the window doubles by __shfl_up_sync, in registers: no cells, no barriers. Then the warps'
//           totals are scanned the same way by the first warp, and each warp adds what came before it: the
//           decomposition of the whole scan, once more, inside a block.
// Work      129 a warp, 89 for the totals of 8 warps, 1 an element of all warps but the first; n - block to add the
//           sums.
// Span      5 + 3 to a block's sum and 1 more to its outputs, a level. Launches 2 a level less 1.
// Wrong     one element a thread: two barriers for 256 elements, and 4n elements of memory traffic by the
//           decomposition.
// Fixed by  scan/scan-then-propagate, nine elements a thread; scan/reduce-then-scan and scan/decoupled-lookback, less
//           traffic.
#pragma once

#include "upsweep/scan/textbook/scan_kernel_decomposition.cuh"

namespace upsweep::textbook::scan_variants {

template <unsigned block, class T, class Op>
__global__ void scan_kogge_stone_warp(global<const T> in, global<T> out, global<T> sums, std::uint64_t n,
                                      bool inclusive, Op op) {
  constexpr unsigned warps = block / 32;
  UPSWEEP_SHARED(T, warp_totals, warps);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * block + threadIdx.x;

  T x = i < n ? in[i] : identity_of<T>(op);
#pragma unroll
  for (unsigned window = 1; window < 32; window *= 2) {
    const T left = __shfl_up_sync(whole_warp, x, window);
    if (lane >= window) x = op(left, x);
  }
  if (lane == 31) warp_totals[warp] = x;
  __syncthreads();  // the last lane of each warp has written its total
  if (warp == 0) {
    T total = lane < warps ? warp_totals[lane] : identity_of<T>(op);
#pragma unroll
    for (unsigned window = 1; window < warps; window *= 2) {
      const T left = __shfl_up_sync(whole_warp, total, window);
      if (lane >= window) total = op(left, total);
    }
    if (lane < warps) warp_totals[lane] = total;
  }
  __syncthreads();  // the first warp has written the scanned totals

  if (!inclusive) {
    x = __shfl_up_sync(whole_warp, x, 1);
    if (lane == 0) x = identity_of<T>(op);
  }
  if (warp > 0) x = op(warp_totals[warp - 1], x);
  if (i < n) out[i] = x;
  if (threadIdx.x == 0) sums[blockIdx.x] = warp_totals[warps - 1];
}

template <unsigned block = 256>
struct kogge_stone_warp : variant_defaults {
  static_assert(block % 32 == 0 && std::has_single_bit(block), "whole warps shuffle");
  static constexpr std::string_view name = "scan/kogge-stone-warp";
  static constexpr int year = 1973;
  static constexpr std::string_view source = "kaust";
  static constexpr std::string_view teaches =
      "the doubling window by warp shuffles in registers, then over the warps' totals";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr unsigned warps = block / 32;
  // A warp's five steps skip 1, 2, 4, 8 and 16 lanes; so do the log2 warps steps over the totals.
  static constexpr unsigned work_of_block = warps * (5 * 32 - 31) + (log2_of(warps) * 32 - (warps - 1)) + (block - 32);
  static constexpr formula work{"1345 a block of 256 and n - 256 to add the sums, over all levels",
                                [](double n) { return levels_work(n, block, work_of_block); }};
  // The last warp adds the sum of the warps - 1 before it.
  static constexpr formula span{
      "9 a level",
      [](double n) { return levels_span(n, block, 5 + log2_of(warps), warps > 1 ? 5 + log2_up(warps - 1) + 1 : 5); }};
  static constexpr formula launches{"2⌈log256 n⌉ - 1", [](double n) { return levels_launches(n, block); }};
  static constexpr formula traffic{"4n and 2 a block, over all levels",
                                   [](double n) { return levels_traffic(n, block); }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op, bool inclusive) {
    scan_levels<T>(
        grid, in, out, n, op, inclusive, block,
        [&](global<const T> from, global<T> to, global<T> sums, std::uint64_t count, bool incl, std::uint64_t blocks) {
          grid.launch(scan_kogge_stone_warp<block, T, Op>, blocks, block, from, to, sums, count, incl, op);
        });
  }
};

}  // namespace upsweep::textbook::scan_variants
