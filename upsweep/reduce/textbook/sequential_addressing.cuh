// reduce/sequential-addressing
//
// Source    kaust, step 3 of 7, after Harris 2007.
// Teaches   thread t < s adds cell t + s onto cell t, with s from half the block down to 1: neighbouring lanes,
//           neighbouring banks.
// Work      block - 1 a block. Span log2 block a level. Launches 1 a level.
// Wrong     half the threads do nothing but load, from the first step on; and x_0 meets x_128 before x_1, so the
//           operator must commute.
// Fixed by  reduce/first-add-on-load.
// Erratum   the listing starts with the stride at blockDim.x and ends while it is > 1: it reads past the block, and
//           never takes the last step. The slide corrects it: start at half, go down to 1.
#pragma once

#include "upsweep/reduce/textbook/reduce_kernel_decomposition.cuh"

namespace upsweep::textbook::reduce_variants {

template <unsigned block, class T, class Op>
__global__ void reduce_sequential_addressing(global<const T> in, global<T> out, std::uint64_t n, Op op) {
  UPSWEEP_SHARED(T, cells, block);
  const unsigned t = threadIdx.x;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + t;
  cells[t] = i < n ? in[i] : identity_of<T>(op);
  __syncthreads();  // each thread has loaded its cell
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) cells[t] = op(cells[t], cells[t + s]);
    __syncthreads();  // thread t + s/2 has written the cell that thread t reads next
  }
  if (t == 0) out[blockIdx.x] = cells[0];
}

template <unsigned block = 256>
struct sequential_addressing : variant_defaults {
  static constexpr std::string_view name = "reduce/sequential-addressing";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "kaust";
  static constexpr std::string_view teaches = "thread t < s adds cell t + s, s from half down to 1: no bank conflicts";
  static constexpr bool keeps_order = false;
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
                       grid.launch(reduce_sequential_addressing<block, T, Op>, blocks, block, from, to, count, op);
                     });
  }
};

}  // namespace upsweep::textbook::reduce_variants
