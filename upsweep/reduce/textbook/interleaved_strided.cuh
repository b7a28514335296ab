// reduce/interleaved-strided
//
// Source    kaust, step 2 of 7, after Harris 2007.
// Teaches   the same tree with the work handed to consecutive threads: thread t works on cell 2·s·t, so a warp is
//           either busy or skipped.
// Work      block - 1 a block. Span log2 block a level. Launches 1 a level.
// Wrong     cell 2·s·t: the lanes of a warp read 2s cells apart, and those fall into ever fewer of the 32 banks of
//           shared memory: bank conflicts of degree 2, 4, 8 (in a larger block up to 32), one pass each.
// Fixed by  reduce/sequential-addressing. (Contiguous sections are joined in order here; from there on the operator
//           must commute.)
#pragma once

#include "upsweep/reduce/textbook/reduce_kernel_decomposition.cuh"

namespace upsweep::textbook::reduce_variants {

template <unsigned block, class T, class Op>
__global__ void reduce_interleaved_strided(global<const T> in, global<T> out, std::uint64_t n, Op op) {
  UPSWEEP_SHARED(T, cells, block);
  const unsigned t = threadIdx.x;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + t;
  cells[t] = i < n ? in[i] : identity_of<T>(op);
  __syncthreads();  // each thread has loaded its cell
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    const unsigned cell = 2 * s * t;
    if (cell < blockDim.x) cells[cell] = op(cells[cell], cells[cell + s]);
    __syncthreads();  // threads 2t and 2t + 1 have written the two cells that thread t joins next
  }
  if (t == 0) out[blockIdx.x] = cells[0];
}

template <unsigned block = 256>
struct interleaved_strided : variant_defaults {
  static constexpr std::string_view name = "reduce/interleaved-strided";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "kaust";
  static constexpr std::string_view teaches = "consecutive threads on cell 2·s·t: no divergence, but bank conflicts";
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
                       grid.launch(reduce_interleaved_strided<block, T, Op>, blocks, block, from, to, count, op);
                     });
  }
};

}  // namespace upsweep::textbook::reduce_variants
