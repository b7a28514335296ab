// reduce/global-interleaved
//
// Source    kit, 2015, OpenCL there.
// Teaches   the tree: at stride 1, 2, 4, … every second survivor takes in its neighbour, and log2 n steps leave one.
//           Threads of different blocks cannot wait for each other inside a kernel, so each step is a launch, and the
//           end of a launch its barrier.
// Work      n - 1. Span log2 n, rounded up. Launches log2 n, rounded up, after a copy, since the tree overwrites its
//           input.
// Wrong     at stride s neighbouring threads touch cells 2s apart: beyond a few steps every 4 bytes cost a sector of
//           32.
// Fixed by  reduce/global-sequential. (Neighbours are joined in order, so this variant takes operators that do not
//           commute; that one does not.)
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::textbook::reduce_variants {

template <class T, class Op>
__global__ void add_neighbour(global<T> cells, std::uint64_t n, std::uint64_t stride, Op op) {
  const std::uint64_t i = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 2 * stride;
  if (i + stride < n) cells[i] = op(cells[i], cells[i + stride]);
}

template <unsigned block = 256>
struct global_interleaved : variant_defaults {
  static constexpr std::string_view name = "reduce/global-interleaved";
  static constexpr int year = 2015;
  static constexpr std::string_view source = "kit";
  static constexpr std::string_view teaches =
      "a tree in global memory, a launch a level, neighbours at stride 1, 2, 4, …: uncoalesced";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr formula work{"n - 1", [](double n) { return n - 1; }};
  static constexpr formula span{"⌈log2 n⌉", log2_up};
  static constexpr formula launches{"⌈log2 n⌉", log2_up};
  static constexpr formula traffic{"2n + 3(n - 1) + 2", [](double n) { return 2 * n + 3 * (n - 1) + 2; }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op) {
    global<T> cells = grid.template scratch<T>("cells", n);
    grid.copy(cells, in, n);
    for (std::uint64_t stride = 1; stride < n; stride *= 2)
      grid.launch(add_neighbour<T, Op>, blocks_for(blocks_for(n, 2 * stride), block), block, cells, n, stride, op);
    grid.copy(out, cells, 1);
  }
};

}  // namespace upsweep::textbook::reduce_variants
