// scan/blelloch
//
// Source    G. E. Blelloch, Prefix Sums and Their Applications, 1990; utcs, in global memory as here.
// Teaches   up-sweep and down-sweep. Up: the reduction tree, kept. Down: the root becomes the identity; each node
//           hands its value, the sum of all before it, to its left child, and to the right child that sum and the
//           left child's. The leaves end as the exclusive scan. Each level is a launch.
// Work      2(N - 1), and N - 1 swaps, where N is n rounded up to a power of two, as the tree wants it: the rest is
//           identities. Span 2·log2 N - 1. Launches 2·log2 N + 3: two to bring the elements in and out, one for the
//           root. The inclusive scan is the exclusive one shifted left by one, with the root's sum at the end, at no
//           further application.
// Wrong     up to twice n, every level through memory, at the higher ones a sector for each element, and launches
//           that do nearly nothing.
// Fixed by  scan/blelloch-block.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::textbook::scan_variants {

template <class T, class Op>
__global__ void load_padded(global<const T> in, global<T> cells, std::uint64_t n, std::uint64_t padded, Op op) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < padded) cells[i] = i < n ? in[i] : identity_of<T>(op);
}

// Node i of this level has its children's cells at `left` and `right`, s apart, and its own at `right`.
template <class T, class Op>
__global__ void sweep_up(global<T> cells, std::uint64_t nodes, std::uint64_t s, Op op) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= nodes) return;
  const std::uint64_t right = (i + 1) * 2 * s - 1, left = right - s;
  cells[right] = op(cells[left], cells[right]);
}

// The cell beyond the last keeps the sum of all.
template <class T, class Op>
__global__ void clear_root(global<T> cells, std::uint64_t padded, Op op) {
  cells[padded] = cells[padded - 1];
  cells[padded - 1] = identity_of<T>(op);
}

template <class T, class Op>
__global__ void sweep_down(global<T> cells, std::uint64_t nodes, std::uint64_t s, Op op) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= nodes) return;
  const std::uint64_t right = (i + 1) * 2 * s - 1, left = right - s;
  const T left_sum = cells[left], before = cells[right];
  cells[left] = before;
  cells[right] = op(before, left_sum);  // in this order: the operator need not commute
}

template <class T>
__global__ void store_shifted(global<const T> cells, global<T> out, std::uint64_t n, std::uint64_t shift) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = cells[i + shift];
}

template <unsigned block = 256>
struct blelloch : variant_defaults {
  static constexpr std::string_view name = "scan/blelloch";
  static constexpr int year = 1990;
  static constexpr std::string_view source = "utcs";
  static constexpr std::string_view teaches = "up-sweep and down-sweep in global memory, a launch a level: linear work";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static double padded(double n) { return std::exp2(log2_up(n)); }
  static constexpr formula work{"2(N - 1), N = 2^⌈log2 n⌉", [](double n) { return 2 * (padded(n) - 1); }};
  static constexpr formula span{"2⌈log2 n⌉ - 1", [](double n) { return std::max(2 * log2_up(n) - 1, 0.0); }};
  static constexpr formula launches{"2⌈log2 n⌉ + 3", [](double n) { return 2 * log2_up(n) + 3; }};
  static constexpr formula traffic{"n + N + 7(N - 1) + 3 + 2n",
                                   [](double n) { return 3 * n + padded(n) + 7 * (padded(n) - 1) + 3; }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op, bool inclusive) {
    const std::uint64_t padded = std::bit_ceil(n);
    global<T> cells = grid.template scratch<T>("cells", padded + 1);
    grid.launch(load_padded<T, Op>, blocks_for(padded, block), block, in, cells, n, padded, op);
    for (std::uint64_t s = 1, nodes = padded / 2; nodes > 0; s *= 2, nodes /= 2)
      grid.launch(sweep_up<T, Op>, blocks_for(nodes, block), block, cells, nodes, s, op);
    grid.launch(clear_root<T, Op>, 1, 1, cells, padded, op);
    for (std::uint64_t s = padded / 2, nodes = 1; s > 0; s /= 2, nodes *= 2)
      grid.launch(sweep_down<T, Op>, blocks_for(nodes, block), block, cells, nodes, s, op);
    grid.launch(store_shifted<T>, blocks_for(n, block), block, cells, out, n, inclusive ? 1 : 0);
  }
};

}  // namespace upsweep::textbook::scan_variants
