// reduce/global-sequential
//
// Source    kit, 2015, OpenCL there.
// Teaches   coalescing: each step adds the second half onto the first, so that neighbouring threads touch
//           neighbouring cells to the end. The same tree as reduce/global-interleaved with its leaves in another
//           order, and that order is all that changed.
// Work      n - 1. Span log2 n, rounded up. Launches as many, after a copy.
// Wrong     every step goes to memory and back, and the small steps at the end are launches that do nearly nothing.
//           x_0 meets x_{n/2} before x_1, so the operator must commute.
// Fixed by  reduce/interleaved-divergent, which keeps a block's steps in shared memory.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::textbook::reduce_variants {

template <class T, class Op>
__global__ void add_second_half(global<T> cells, std::uint64_t n, std::uint64_t half, Op op) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i + half < n) cells[i] = op(cells[i], cells[i + half]);
}

template <unsigned block = 256>
struct global_sequential : variant_defaults {
  static constexpr std::string_view name = "reduce/global-sequential";
  static constexpr int year = 2015;
  static constexpr std::string_view source = "kit";
  static constexpr std::string_view teaches =
      "the second half onto the first, a launch a level: the same tree, coalesced";
  static constexpr bool keeps_order = false;
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr formula work{"n - 1", [](double n) { return n - 1; }};
  static constexpr formula span{"⌈log2 n⌉", log2_up};
  static constexpr formula launches{"⌈log2 n⌉", log2_up};
  static constexpr formula traffic{"2n + 3(n - 1) + 2", [](double n) { return 2 * n + 3 * (n - 1) + 2; }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op) {
    global<T> cells = grid.template scratch<T>("cells", n);
    grid.copy(cells, in, n);
    while (n > 1) {
      const std::uint64_t half = (n + 1) / 2;  // of an odd count the middle one waits for the next step
      grid.launch(add_second_half<T, Op>, blocks_for(n - half, block), block, cells, n, half, op);
      n = half;
    }
    grid.copy(out, cells, 1);
  }
};

}  // namespace upsweep::textbook::reduce_variants
