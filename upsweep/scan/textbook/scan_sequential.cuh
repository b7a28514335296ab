// scan/sequential
//
// Source    all five documents: the loop that every other variant is checked against.
// Teaches   what a scan is, and that its n applications each wait for the one before.
// Work      n. Span n. Launches 1, of a single thread.
// Wrong     the span.
// Fixed by  scan/thread-per-output.
// Erratum   harris2007's inclusive example prints [… 14 …] where 15 is right.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::textbook::scan_variants {

template <class T, class Op>
__global__ void scan_sequential(global<const T> in, global<T> out, std::uint64_t n, bool inclusive, Op op) {
  T sum = identity_of<T>(op);
  for (std::uint64_t i = 0; i < n; ++i) {
    const T x = in[i];  // before out[i], which may be the same cell
    if (!inclusive) out[i] = sum;
    sum = op(sum, x);
    if (inclusive) out[i] = sum;
  }
}

struct sequential : variant_defaults {
  static constexpr std::string_view name = "scan/sequential";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "article, harris2007, kaust, kit, utcs";
  static constexpr std::string_view teaches = "one loop in one thread: the least work, the longest span";
  static constexpr std::uint64_t max_n = 1ull << 26;
  static constexpr std::string_view limits =
      "one thread of the GPU works: past 2^26 elements it would run for many seconds";
  static constexpr formula work{"n", [](double n) { return n; }};
  static constexpr formula span{"n", [](double n) { return n; }};
  static constexpr formula launches{"1", [](double) { return 1.0; }};
  static constexpr formula traffic{"2n", [](double n) { return 2 * n; }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op, bool inclusive) {
    grid.launch(scan_sequential<T, Op>, 1, 1, in, out, n, inclusive, op);
  }
};

}  // namespace upsweep::textbook::scan_variants
