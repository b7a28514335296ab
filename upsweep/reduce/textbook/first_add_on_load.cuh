// reduce/first-add-on-load
//
// Source    kaust, step 4 of 7, after Harris 2007; kit, 2015.
// Teaches   each thread loads two elements, a block apart, and adds them on the way in: the first step of the tree is
//           done by all threads, and half as many blocks do the rest.
// Work      2·block - 1 a block of 2·block elements. Span 1 + log2 block a level. Launches 1 a level.
// Wrong     in the last steps one warp works, and yet the whole block meets at a barrier after each.
// Fixed by  reduce/unrolled-last-warp.
#pragma once

#include "upsweep/reduce/textbook/reduce_kernel_decomposition.cuh"

namespace upsweep::textbook::reduce_variants {

template <unsigned block, class T, class Op>
__global__ void reduce_first_add_on_load(global<const T> in, global<T> out, std::uint64_t n, Op op) {
  UPSWEEP_SHARED(T, cells, block);
  const unsigned t = threadIdx.x;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * 2 * blockDim.x + t, j = i + blockDim.x;
  cells[t] = op(i < n ? in[i] : identity_of<T>(op), j < n ? in[j] : identity_of<T>(op));
  __syncthreads();  // each thread has loaded its cell
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) cells[t] = op(cells[t], cells[t + s]);
    __syncthreads();  // thread t + s/2 has written the cell that thread t reads next
  }
  if (t == 0) out[blockIdx.x] = cells[0];
}

template <unsigned block = 256>
struct first_add_on_load : variant_defaults {
  static constexpr std::string_view name = "reduce/first-add-on-load";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "kaust, kit";
  static constexpr std::string_view teaches =
      "two elements a thread, added while loading: half the blocks, no idle half";
  static constexpr bool keeps_order = false;
  static constexpr unsigned section = 2 * block;
  static constexpr std::uint64_t max_n = most_blocks * section;
  static constexpr formula work{
      "511 a block of 512 elements, over all levels",
      [](double n) { return over_levels(n, section, [](double, double blocks) { return blocks * (section - 1); }); }};
  static constexpr formula span{"9 a level", [](double n) { return levels(n, section) * log2_of(section); }};
  static constexpr formula launches{"⌈log512 n⌉", [](double n) { return levels(n, section); }};
  static constexpr formula traffic{"n + n/512 a level", [](double n) { return levels_traffic(n, section); }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op) {
    reduce_levels<T>(grid, in, out, n, section,
                     [&](global<const T> from, global<T> to, std::uint64_t count, std::uint64_t blocks) {
                       grid.launch(reduce_first_add_on_load<block, T, Op>, blocks, block, from, to, count, op);
                     });
  }
};

}  // namespace upsweep::textbook::reduce_variants
