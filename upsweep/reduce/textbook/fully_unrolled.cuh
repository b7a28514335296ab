// reduce/fully-unrolled
//
// Source    kaust, step 6 of 7, after Harris 2007.
// Teaches   the block size as a template parameter: every comparison with it is settled while compiling, no loop is
//           left, and the host chooses among the compiled sizes by a switch.
// Work      2·block + 128 a block of 2·block elements. Span 1 + log2 block a level. Launches 1 a level.
// Wrong     n/2 threads for n elements: starting a thread costs more than its one addition.
// Fixed by  reduce/grid-stride.
// Erratum   the source's switch goes down to blocks of 1. One warp is launched whole anyway, and its last steps read
//           64 cells: below 64 threads there is nothing to save, and cells[t + 32] would be outside. Here it ends at
//           64.
#pragma once

#include "upsweep/reduce/textbook/reduce_kernel_decomposition.cuh"

namespace upsweep::textbook::reduce_variants {

template <unsigned block, class T, class Op>
__global__ void reduce_fully_unrolled(global<const T> in, global<T> out, std::uint64_t n, Op op) {
  UPSWEEP_SHARED(T, cells, block);
  const unsigned t = threadIdx.x;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * 2 * block + t, j = i + block;
  cells[t] = op(i < n ? in[i] : identity_of<T>(op), j < n ? in[j] : identity_of<T>(op));
  __syncthreads();  // each thread has loaded its cell
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

struct fully_unrolled : variant_defaults {
  static constexpr std::string_view name = "reduce/fully-unrolled";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "kaust";
  static constexpr std::string_view teaches =
      "the block size is a template parameter: no loop is left; the host switches over 512 … 64";
  static constexpr bool keeps_order = false;
  static constexpr unsigned section = 1024;  // of a block of 512, the largest
  static constexpr std::uint64_t max_n = most_blocks * section;

  // As many threads as a level of n elements has pairs; only the last level has fewer than 512.
  static unsigned threads_for(std::uint64_t n) {
    return static_cast<unsigned>(std::bit_ceil(std::clamp<std::uint64_t>((n + 1) / 2, 64, 512)));
  }

  static constexpr formula work{"1152 a block of 1024 elements, over all levels", [](double n) {
                                  return over_levels(n, section, [](double elements, double blocks) {
                                    return blocks * (2 * threads_for(static_cast<std::uint64_t>(elements)) + 128);
                                  });
                                }};
  static constexpr formula span{"10 a level, fewer in the last", [](double n) {
                                  return over_levels(n, section, [](double elements, double) {
                                    return 1.0 + log2_of(threads_for(static_cast<std::uint64_t>(elements)));
                                  });
                                }};
  static constexpr formula launches{"⌈log1024 n⌉", [](double n) { return levels(n, section); }};
  static constexpr formula traffic{"n + n/1024 a level", [](double n) { return levels_traffic(n, section); }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op) {
    reduce_levels<T>(grid, in, out, n, section,
                     [&](global<const T> from, global<T> to, std::uint64_t count, std::uint64_t blocks) {
                       switch (const unsigned threads = threads_for(count)) {
                         case 512:
                           return grid.launch(reduce_fully_unrolled<512, T, Op>, blocks, threads, from, to, count, op);
                         case 256:
                           return grid.launch(reduce_fully_unrolled<256, T, Op>, blocks, threads, from, to, count, op);
                         case 128:
                           return grid.launch(reduce_fully_unrolled<128, T, Op>, blocks, threads, from, to, count, op);
                         default:
                           return grid.launch(reduce_fully_unrolled<64, T, Op>, blocks, threads, from, to, count, op);
                       }
                     });
  }
};

}  // namespace upsweep::textbook::reduce_variants
