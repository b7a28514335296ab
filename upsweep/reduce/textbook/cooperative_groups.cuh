// reduce/cooperative-groups
//
// Source    kaust names it; the groups came with CUDA 9 in 2017.
// Teaches   a group is a value: the block, and the tile of 32 threads within it, say who takes part, know each one's
//           rank, and synchronize. No mask is written and no lane index computed; a function that is given a group
//           cannot wait for the wrong threads.
// Work      n + 160 a tile and 160 more a block; twice. Span a thread's share of n, then 10; twice. Launches 2, at
//           any n.
// Wrong     as reduce/warp-shuffle, whose machine code it nearly is: the two launches. (The whole grid as a group,
//           which could wait for itself, limits the grid to what the GPU holds at once.)
// Fixed by  the library's reduce.
#pragma once

#include "upsweep/cuda/textbook_cooperative_groups.cuh"

namespace upsweep::textbook::reduce_variants {

template <unsigned size, class T, class Op>
__device__ T tile_total(const cg::thread_block_tile<size>& tile, T total, Op op) {
#pragma unroll
  for (unsigned s = size / 2; s > 0; s /= 2) total = op(total, tile.shfl_xor(total, s));
  return total;
}

template <unsigned block_size, class T, class Op>
__global__ void reduce_cooperative_groups(global<const T> in, global<T> out, std::uint64_t n, Op op) {
  constexpr unsigned tiles = block_size / 32;
  UPSWEEP_SHARED(T, tile_totals, tiles);
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  T total = identity_of<T>(op);
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * block_size + block.thread_rank(); i < n;
       i += std::uint64_t{gridDim.x} * block_size)
    total = op(total, in[i]);
  total = tile_total(tile, total, op);
  if (tile.thread_rank() == 0) tile_totals[tile.meta_group_rank()] = total;
  block.sync();  // the first thread of each tile has written its total
  if (tile.meta_group_rank() == 0) {
    total = tile_total(tile, tile.thread_rank() < tiles ? tile_totals[tile.thread_rank()] : identity_of<T>(op), op);
    if (tile.thread_rank() == 0) out[blockIdx.x] = total;
  }
}

template <unsigned block = 256>
struct cooperative_groups : variant_defaults {
  static_assert(block % 32 == 0, "the block falls into tiles of 32");
  static constexpr std::string_view name = "reduce/cooperative-groups";
  static constexpr int year = 2017;
  static constexpr std::string_view source = "kaust";
  static constexpr std::string_view teaches =
      "the same through groups that know their members: no masks, no lane arithmetic";
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
    if (blocks == 1) return grid.launch(reduce_cooperative_groups<block, T, Op>, 1, block, in, out, n, op);
    global<T> totals = grid.template scratch<T>("totals", blocks);
    grid.launch(reduce_cooperative_groups<block, T, Op>, blocks, block, in, totals, n, op);
    grid.launch(reduce_cooperative_groups<block, T, Op>, 1, block, totals, out, blocks, op);
  }
};

}  // namespace upsweep::textbook::reduce_variants
