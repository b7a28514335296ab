// reduce/grid-stride
//
// Source    kaust, step 7 of 7, after Harris 2007.
// Teaches   cost: a fixed grid whose threads each fold many elements in a register, a whole grid apart, before the
//           tree begins. With n/log n threads, time times threads is O(n) (Brent), and the tree's overhead is paid by
//           a block, no longer by every 512 elements.
// Work      n + 384 a block, at most 1024 blocks, and 384 + a block's result each for the second launch.
// Span      a thread's share of n, then 8; twice. Launches 2, at any n.
// Wrong     the tree goes through shared memory, a barrier a step.
// Fixed by  reduce/warp-shuffle.
// Erratum   the source's loop tests i < n and adds element i + blockSize unchecked: past the end wherever n is no
//           multiple of 2·block.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::textbook::reduce_variants {

template <unsigned block, class T, class Op>
__global__ void reduce_grid_stride(global<const T> in, global<T> out, std::uint64_t n, Op op) {
  UPSWEEP_SHARED(T, cells, block);
  const unsigned t = threadIdx.x;
  T total = identity_of<T>(op);
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * 2 * block + t; i < n; i += std::uint64_t{gridDim.x} * 2 * block) {
    total = op(total, in[i]);
    if (i + block < n) total = op(total, in[i + block]);
  }
  cells[t] = total;
  __syncthreads();  // each thread has written its cell
  // The barriers from here on: thread t + s has written the cell that thread t reads in the next line.
  if constexpr (block >= 512) {
    if (t < 256) cells[t] = op(cells[t], cells[t + 256]);
    __syncthreads();
  }
  if constexpr (block >= 256) {
    if (t < 128) cells[t] = op(cells[t], cells[t + 128]);
    __syncthreads();
  }
  if constexpr (block >= 128) {
    if (t < 64) cells[t] = op(cells[t], cells[t + 64]);
    __syncthreads();
  }
  if (t < 32) {
#pragma unroll
    for (unsigned s = 32; s > 0; s /= 2) {
      const T other = cells[t + s];
      __syncwarp();  // lane t - s has read cell t: now it may change
      cells[t] = op(cells[t], other);
      __syncwarp();  // lane t + s/2 has written the cell that lane t reads next
    }
  }
  if (t == 0) out[blockIdx.x] = cells[0];
}

template <unsigned block = 256>
struct grid_stride : variant_defaults {
  static_assert(block >= 64 && block <= 512, "the tree is written for 64 to 512 cells");
  static constexpr std::string_view name = "reduce/grid-stride";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "kaust";
  static constexpr std::string_view teaches = "a fixed grid, many elements a thread before the tree: cost-optimal";
  static constexpr bool keeps_order = false;
  // The H200 holds 132 · 8 blocks of 256 at once; a constant keeps the grouping, and so a float's result, the same on
  // every GPU.
  static constexpr std::uint64_t largest_grid = 1024;
  static std::uint64_t blocks_of(std::uint64_t n) { return std::min(blocks_for(n, 2 * block), largest_grid); }

  static constexpr formula work{"n + 384 a block, then once more over the ≤ 1024 blocks' results", [](double n) {
                                  const double tree = block - 64 + 6 * 32;
                                  const double blocks = static_cast<double>(blocks_of(static_cast<std::uint64_t>(n)));
                                  return n + blocks * tree + (blocks > 1 ? blocks + tree : 0);
                                }};
  static constexpr formula span{"n/2^18 + 8, then at most 4 + 8 more", [](double n) {
                                  // Thread 0 of block 0 has the most: an element at 0, block, and so on, a grid apart.
                                  const auto longest = [](double elements, double blocks) {
                                    const double stride = blocks * 2 * block;
                                    return ceil_div(elements, stride) +
                                           ceil_div(std::max(elements - block, 0.0), stride) + log2_of(block);
                                  };
                                  const double blocks = static_cast<double>(blocks_of(static_cast<std::uint64_t>(n)));
                                  return longest(n, blocks) + (blocks > 1 ? longest(blocks, 1) : 0);
                                }};
  static constexpr formula launches{"2", [](double n) { return n > 2 * block ? 2.0 : 1.0; }};
  static constexpr formula traffic{"n + 2 a block + 1", [](double n) {
                                     const double blocks =
                                         static_cast<double>(blocks_of(static_cast<std::uint64_t>(n)));
                                     return n + blocks + (blocks > 1 ? blocks + 1 : 0);
                                   }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op) {
    const std::uint64_t blocks = blocks_of(n);
    if (blocks == 1) return grid.launch(reduce_grid_stride<block, T, Op>, 1, block, in, out, n, op);
    global<T> totals = grid.template scratch<T>("totals", blocks);
    grid.launch(reduce_grid_stride<block, T, Op>, blocks, block, in, totals, n, op);
    grid.launch(reduce_grid_stride<block, T, Op>, 1, block, totals, out, blocks, op);
  }
};

}  // namespace upsweep::textbook::reduce_variants
