// scan/hillis-steele
//
// Source    W. D. Hillis and G. L. Steele, Data Parallel Algorithms, CACM 1986; article; kit, 2015.
// Teaches   the doubling window: after step d element i has folded the last 2^d elements up to itself, since it took
//           in its neighbour 2^(d-1) to the left, who had done the same. Each step is a launch. A step reads what
//           others overwrite, hence two buffers, ping and pong.
// Work      n·log2 n - (n - 1), exactly n·L - 2^L + 1 with L = log2 n rounded up. Span L. Launches 1 + L: the first
//           copies, shifting for the exclusive scan, so that in and out may be the same.
// Wrong     log2 n times the sequential work, and as often through memory.
// Fixed by  scan/hillis-steele-block keeps the steps in shared memory; scan/blelloch keeps the work linear.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::textbook::scan_variants {

// The exclusive scan is the inclusive one of the input shifted right by one.
template <class T, class Op>
__global__ void copy_shifted(global<const T> in, global<T> out, std::uint64_t n, bool inclusive, Op op) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (inclusive) {
    out[i] = in[i];
  } else {
    out[i] = i > 0 ? in[i - 1] : identity_of<T>(op);
  }
}

template <class T, class Op>
__global__ void double_window(global<const T> in, global<T> out, std::uint64_t n, std::uint64_t window, Op op) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T x = in[i];
  if (i >= window) x = op(in[i - window], x);  // the left one first: the operator need not commute
  out[i] = x;
}

template <unsigned block = 256>
struct hillis_steele : variant_defaults {
  static constexpr std::string_view name = "scan/hillis-steele";
  static constexpr int year = 1986;
  static constexpr std::string_view source = "article, kit";
  static constexpr std::string_view teaches = "the window doubles with each launch: log n steps, n log n work";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr formula work{"n·⌈log2 n⌉ - 2^⌈log2 n⌉ + 1",
                                [](double n) { return n * log2_up(n) - std::exp2(log2_up(n)) + 1; }};
  static constexpr formula span{"⌈log2 n⌉", log2_up};
  static constexpr formula launches{"1 + ⌈log2 n⌉", [](double n) { return 1 + log2_up(n); }};
  static constexpr formula traffic{"2n + 3n·⌈log2 n⌉ - 2^⌈log2 n⌉ + 1",
                                   [](double n) { return 2 * n + 3 * n * log2_up(n) - std::exp2(log2_up(n)) + 1; }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op, bool inclusive) {
    const std::uint64_t blocks = blocks_for(n, block);
    if (n == 1) return grid.launch(copy_shifted<T, Op>, blocks, block, in, out, n, inclusive, op);
    global<T> ping = grid.template scratch<T>("ping", n), pong = grid.template scratch<T>("pong", n);
    grid.launch(copy_shifted<T, Op>, blocks, block, in, ping, n, inclusive, op);
    for (std::uint64_t window = 1; window < n; window *= 2) {
      const bool last = 2 * window >= n;
      grid.launch(double_window<T, Op>, blocks, block, ping, last ? out : pong, n, window, op);
      std::swap(ping, pong);
    }
  }
};

}  // namespace upsweep::textbook::scan_variants
