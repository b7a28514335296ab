// reduce/warp-shuffle
//
// Source    kaust, step 8: the shuffles that Kepler introduced in 2012.
// Teaches   lanes of a warp read each other's registers: five steps of __shfl_xor_sync leave the warp's total in
//           every lane, with no shared memory and no barrier. One cell a warp then passes the totals to the first
//           warp, which does the same with them.
// Work      n + 160 a warp and 160 more a block; twice. Span a thread's share of n, then 10; twice. Launches 2, at
//           any n.
// Wrong     small sizes pay for the second launch; and mask, lane and warp are computed by hand, which is not checked.
// Fixed by  reduce/cooperative-groups for the second; the library's reduce, a single launch, for the first.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::textbook::reduce_variants {

template <unsigned block, class T, class Op>
__global__ void reduce_warp_shuffle(global<const T> in, global<T> out, std::uint64_t n, Op op) {
  constexpr unsigned warps = block / 32;
  UPSWEEP_SHARED(T, warp_totals, warps);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T total = identity_of<T>(op);
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * block + threadIdx.x; i < n; i += std::uint64_t{gridDim.x} * block)
    total = op(total, in[i]);
#pragma unroll
  for (unsigned s = 16; s > 0; s /= 2) total = op(total, __shfl_xor_sync(whole_warp, total, s));
  if (lane == 0) warp_totals[warp] = total;
  __syncthreads();  // the first lane of each warp has written its total
  if (warp == 0) {
    total = lane < warps ? warp_totals[lane] : identity_of<T>(op);
#pragma unroll
    for (unsigned s = 16; s > 0; s /= 2) total = op(total, __shfl_xor_sync(whole_warp, total, s));
    if (lane == 0) out[blockIdx.x] = total;
  }
}

template <unsigned block = 256>
struct warp_shuffle : variant_defaults {
  static_assert(block % 32 == 0, "whole warps shuffle");
  static constexpr std::string_view name = "reduce/warp-shuffle";
  static constexpr int year = 2012;
  static constexpr std::string_view source = "kaust";
  static constexpr std::string_view teaches = "the last steps by __shfl_xor_sync in registers: one barrier a block";
  static constexpr bool keeps_order = false;
  static constexpr std::uint64_t largest_grid = 1024;  // as in grid_stride.cuh
  static std::uint64_t blocks_of(std::uint64_t n) { return std::min(blocks_for(n, block), largest_grid); }

  static constexpr formula work{"n + 1440 a block, then once more over the ≤ 1024 blocks' results", [](double n) {
                                  const double tree = 5 * block + 5 * 32;
                                  const double blocks = static_cast<double>(blocks_of(static_cast<std::uint64_t>(n)));
                                  return n + blocks * tree + (blocks > 1 ? blocks + tree : 0);
                                }};
  static constexpr formula span{"n/2^18 + 10, then at most 4 + 10 more", [](double n) {
                                  const double blocks = static_cast<double>(blocks_of(static_cast<std::uint64_t>(n)));
                                  return ceil_div(n, blocks * block) + 10 +
                                         (blocks > 1 ? ceil_div(blocks, block) + 10 : 0);
                                }};
  static constexpr formula launches{"2", [](double n) { return n > block ? 2.0 : 1.0; }};
  static constexpr formula traffic{"n + 2 a block + 1", [](double n) {
                                     const double blocks =
                                         static_cast<double>(blocks_of(static_cast<std::uint64_t>(n)));
                                     return n + blocks + (blocks > 1 ? blocks + 1 : 0);
                                   }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op) {
    const std::uint64_t blocks = blocks_of(n);
    if (blocks == 1) return grid.launch(reduce_warp_shuffle<block, T, Op>, 1, block, in, out, n, op);
    global<T> totals = grid.template scratch<T>("totals", blocks);
    grid.launch(reduce_warp_shuffle<block, T, Op>, blocks, block, in, totals, n, op);
    grid.launch(reduce_warp_shuffle<block, T, Op>, 1, block, totals, out, blocks, op);
  }
};

}  // namespace upsweep::textbook::reduce_variants
