// reduce/sequential
//
// Source    kit, 2015: the loop that every other variant is checked against.
// Teaches   what the operator has to do at the least: n - 1 applications, each waiting for the one before.
// Work      n - 1. Span n - 1. Launches 1, of a single thread.
// Wrong     the span: one thread of a machine that has a quarter of a million, and each step waits for memory
//           as well.
// Fixed by  reduce/global-interleaved.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::textbook::reduce_variants {

template <class T, class Op>
__global__ void reduce_sequential(global<const T> in, global<T> out, std::uint64_t n, Op op) {
  T total = in[0];
  for (std::uint64_t i = 1; i < n; ++i) total = op(total, in[i]);
  out[0] = total;
}

struct sequential : variant_defaults {
  static constexpr std::string_view name = "reduce/sequential";
  static constexpr int year = 2015;
  static constexpr std::string_view source = "kit";
  static constexpr std::string_view teaches = "one loop in one thread: the least work, the longest span";
  static constexpr std::uint64_t max_n = 1ull << 26;
  static constexpr std::string_view limits =
      "one thread of the GPU works: past 2^26 elements it would run for many seconds";
  static constexpr formula work{"n - 1", [](double n) { return n - 1; }};
  static constexpr formula span{"n - 1", [](double n) { return n - 1; }};
  static constexpr formula launches{"1", [](double) { return 1.0; }};
  static constexpr formula traffic{"n + 1", [](double n) { return n + 1; }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op) {
    grid.launch(reduce_sequential<T, Op>, 1, 1, in, out, n, op);
  }
};

}  // namespace upsweep::textbook::reduce_variants
