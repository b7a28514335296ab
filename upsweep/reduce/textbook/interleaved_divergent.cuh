// reduce/interleaved-divergent
//
// Source    kaust, step 1 of 7, after Harris' seven kernels of 2007.
// Teaches   shared memory and the block barrier: a block loads its section once and does its levels of the tree
//           there, at stride s = 1, 2, 4, … by the threads whose number is a multiple of 2s. Blocks' results go to
//           the next level (reduce_kernel_decomposition.cuh).
// Work      block - 1 a block, identities of a part-filled one included; n/block blocks, and so up the levels: n - 1
//           at full sizes.
// Span      log2 block a level. Launches 1 a level, log_block n of them.
// Wrong     the working threads are spread thin: every warp is entered at every step for fewer and fewer of its lanes
//           (and % is slow).
// Fixed by  reduce/interleaved-strided.
#pragma once

#include "upsweep/reduce/textbook/reduce_kernel_decomposition.cuh"

namespace upsweep::textbook::reduce_variants {

template <unsigned block, class T, class Op>
__global__ void reduce_interleaved_divergent(global<const T> in, global<T> out, std::uint64_t n, Op op) {
  UPSWEEP_SHARED(T, cells, block);
  const unsigned t = threadIdx.x;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + t;
  cells[t] = i < n ? in[i] : identity_of<T>(op);
  __syncthreads();  // each thread has loaded its cell
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0) cells[t] = op(cells[t], cells[t + s]);
    __syncthreads();  // thread t + 2s has written the cell that thread t reads next
  }
  if (t == 0) out[blockIdx.x] = cells[0];
}

template <unsigned block = 256>
struct interleaved_divergent : variant_defaults {
  static constexpr std::string_view name = "reduce/interleaved-divergent";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "kaust";
  static constexpr std::string_view teaches =
      "the tree in shared memory, thread t working where t mod 2s = 0: divergent warps";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr formula work{
      "255 a block of 256, over all levels",
      [](double n) { return over_levels(n, block, [](double, double blocks) { return blocks * (block - 1); }); }};
  static constexpr formula span{"8 a level", [](double n) { return levels(n, block) * log2_of(block); }};
  static constexpr formula launches{"⌈log256 n⌉", [](double n) { return levels(n, block); }};
  static constexpr formula traffic{"n + n/256 a level", [](double n) { return levels_traffic(n, block); }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op) {
    reduce_levels<T>(grid, in, out, n, block,
                     [&](global<const T> from, global<T> to, std::uint64_t count, std::uint64_t blocks) {
                       grid.launch(reduce_interleaved_divergent<block, T, Op>, blocks, block, from, to, count, op);
                     });
  }
};

}  // namespace upsweep::textbook::reduce_variants
