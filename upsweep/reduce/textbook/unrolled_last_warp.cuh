// reduce/unrolled-last-warp
//
// Source    kaust, step 5 of 7, after Harris 2007; kit, 2015 ("unrolled").
// Teaches   when 64 cells are left, one warp does the rest: its lanes wait for each other by __syncwarp, the other
//           warps are done, and no code tests which lanes are still needed, since a warp takes a step for one lane as
//           for 32.
// Work      640 a block of 512 elements: 511 that count, and 129 by lanes that are not needed. Span 1 + log2 block a
//           level. Launches 1 a level.
// Wrong     the loop above the last warp still counts, compares and branches, though the block size never changes.
// Fixed by  reduce/fully-unrolled.
// Erratum   the source has no barrier at all among the 32 lanes and declares the cells volatile, trusting a warp to
//           go in lockstep. Since Volta its lanes may part: each step here reads, waits, writes, waits.
#pragma once

#include "upsweep/reduce/textbook/reduce_kernel_decomposition.cuh"

namespace upsweep::textbook::reduce_variants {

template <unsigned block, class T, class Op>
__global__ void reduce_unrolled_last_warp(global<const T> in, global<T> out, std::uint64_t n, Op op) {
  UPSWEEP_SHARED(T, cells, block);
  const unsigned t = threadIdx.x;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * 2 * blockDim.x + t, j = i + blockDim.x;
  cells[t] = op(i < n ? in[i] : identity_of<T>(op), j < n ? in[j] : identity_of<T>(op));
  __syncthreads();  // each thread has loaded its cell
  for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
    if (t < s) cells[t] = op(cells[t], cells[t + s]);
    __syncthreads();  // thread t + s/2 has written the cell that thread t reads next
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
struct unrolled_last_warp : variant_defaults {
  static_assert(block >= 64, "the last warp joins 64 cells");
  static constexpr std::string_view name = "reduce/unrolled-last-warp";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "kaust, kit";
  static constexpr std::string_view teaches = "the last 64 cells by one warp and __syncwarp: six block barriers fewer";
  static constexpr bool keeps_order = false;
  static constexpr unsigned section = 2 * block;
  static constexpr std::uint64_t max_n = most_blocks * section;
  // block on load, block - 64 down to 64 cells, six steps of 32 lanes.
  static constexpr unsigned work_of_block = block + (block - 64) + 6 * 32;
  static constexpr formula work{
      "640 a block of 512 elements, over all levels",
      [](double n) { return over_levels(n, section, [](double, double blocks) { return blocks * work_of_block; }); }};
  static constexpr formula span{"9 a level", [](double n) { return levels(n, section) * log2_of(section); }};
  static constexpr formula launches{"⌈log512 n⌉", [](double n) { return levels(n, section); }};
  static constexpr formula traffic{"n + n/512 a level", [](double n) { return levels_traffic(n, section); }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op) {
    reduce_levels<T>(grid, in, out, n, section,
                     [&](global<const T> from, global<T> to, std::uint64_t count, std::uint64_t blocks) {
                       grid.launch(reduce_unrolled_last_warp<block, T, Op>, blocks, block, from, to, count, op);
                     });
  }
};

}  // namespace upsweep::textbook::reduce_variants
