// scan/sklansky
//
// Source    J. Sklansky, Conditional-Sum Addition Logic, 1960: divide and conquer, there as a circuit; kaust has the
//           family.
// Teaches   the shortest span with half of Hillis–Steele's work: scan both halves of a group, then add the left
//           half's last to all of the right half. In place, since a step writes only right halves and reads their own
//           cells and the last of a left one.
// Work      block·log2 (2·block) a block of 2·block elements, and n - 2·block to add the sums. Span log2 (2·block) a
//           level up, 1 down. Launches 2 a level less 1.
// Wrong     n log n work still. (The circuit's problem, one output that drives half of all inputs, does not arise here:
//           a warp that reads one cell reads it once, for all its lanes.)
// Fixed by  scan/brent-kung.
#pragma once

#include "upsweep/scan/textbook/scan_kernel_decomposition.cuh"

namespace upsweep::textbook::scan_variants {

template <unsigned block, class T, class Op>
__global__ void scan_sklansky(global<const T> in, global<T> out, global<T> sums, std::uint64_t n, bool inclusive,
                              Op op) {
  constexpr unsigned section = 2 * block;
  UPSWEEP_SHARED(T, cells, section);
  const unsigned t = threadIdx.x;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * section;
  for (unsigned j = t; j < section; j += block) cells[j] = first + j < n ? in[first + j] : identity_of<T>(op);
#pragma unroll 1  // nvcc would give the step of neighbouring cells code of its own that reads both at once
  for (unsigned half = 1; half < section; half *= 2) {
    __syncthreads();  // others have loaded, or written in the last step, what this step reads
    const unsigned right = t / half * 2 * half + half;  // where the right half of this thread's group begins
    const unsigned j = right + t % half;
    cells[j] = op(cells[right - 1], cells[j]);
  }
  __syncthreads();  // the last step is written
  for (unsigned j = t; j < section && first + j < n; j += block) {
    if (inclusive) {
      out[first + j] = cells[j];
    } else {
      out[first + j] = j > 0 ? cells[j - 1] : identity_of<T>(op);
    }
  }
  if (t == 0) sums[blockIdx.x] = cells[section - 1];
}

template <unsigned block = 256>
struct sklansky : variant_defaults {
  static constexpr std::string_view name = "scan/sklansky";
  static constexpr int year = 1960;
  static constexpr std::string_view source = "kaust";
  static constexpr std::string_view teaches =
      "divide and conquer: each left half's last onto its right half; log n steps, n/2 log n work";
  static constexpr unsigned section = 2 * block;
  static constexpr std::uint64_t max_n = most_blocks * section;
  static constexpr formula work{"2304 a block of 512 elements and n - 512 to add the sums, over all levels",
                                [](double n) { return levels_work(n, section, block * log2_of(section)); }};
  static constexpr formula span{"10 a level, less 1",
                                [](double n) { return levels_span(n, section, log2_of(section), log2_of(section)); }};
  static constexpr formula launches{"2⌈log512 n⌉ - 1", [](double n) { return levels_launches(n, section); }};
  static constexpr formula traffic{"4n and 2 a block, over all levels",
                                   [](double n) { return levels_traffic(n, section); }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op, bool inclusive) {
    scan_levels<T>(
        grid, in, out, n, op, inclusive, section,
        [&](global<const T> from, global<T> to, global<T> sums, std::uint64_t count, bool incl, std::uint64_t blocks) {
          grid.launch(scan_sklansky<block, T, Op>, blocks, block, from, to, sums, count, incl, op);
        });
  }
};

}  // namespace upsweep::textbook::scan_variants
