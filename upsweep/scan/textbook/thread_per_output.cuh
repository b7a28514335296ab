// scan/thread-per-output
//
// Source    article (part 2 of a web series on GPU programming); the year is CUDA's.
// Teaches   outputs do not depend on each other if each is computed from the start: thread i folds everything before
//           it.
// Work      n(n - 1)/2. Span n - 1. Launches 1.
// Wrong     half a square of work where a line would do, and the last thread takes as long as the sequential loop:
//           more threads, no less time.
// Fixed by  scan/hillis-steele.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::textbook::scan_variants {

// Inclusive, output i begins with x_0 and takes in i more; exclusive, with the identity, and takes in the i before it.
template <class T, class Op>
__global__ void scan_thread_per_output(global<const T> in, global<T> out, std::uint64_t n, bool inclusive, Op op) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T sum = inclusive ? in[0] : identity_of<T>(op);
#pragma unroll 1  // lanes that end early must not send the others through a remainder of their own
  for (std::uint64_t j = inclusive ? 1 : 0, count = 0; count < i; ++j, ++count) sum = op(sum, in[j]);
  out[i] = sum;
}

template <unsigned block = 256>
struct thread_per_output : variant_defaults {
  static constexpr std::string_view name = "scan/thread-per-output";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "article";
  static constexpr std::string_view teaches = "thread i folds all before it: parallel, and no faster than one thread";
  static constexpr std::uint64_t max_n = 1ull << 20;
  static constexpr std::string_view limits = "n²/2 applications: past 2^20 elements it would run for many seconds";
  static constexpr formula work{"n(n - 1)/2", [](double n) { return n * (n - 1) / 2; }};
  static constexpr formula span{"n - 1", [](double n) { return n - 1; }};
  static constexpr formula launches{"1", [](double) { return 1.0; }};
  static constexpr formula traffic{"n²/64 + n", [](double n) { return n * n / 64 + n; }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op, bool inclusive) {
    if (global<const T>(out) == in) {  // threads still read what others have overwritten: in place needs a copy
      global<T> copy = grid.template scratch<T>("cells", n);
      grid.copy(copy, in, n);
      in = copy;
    }
    grid.launch(scan_thread_per_output<T, Op>, blocks_for(n, block), block, in, out, n, inclusive, op);
  }
};

}  // namespace upsweep::textbook::scan_variants
