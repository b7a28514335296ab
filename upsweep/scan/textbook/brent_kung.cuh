// scan/brent-kung
//
// Source    R. P. Brent and H. T. Kung, A Regular Layout for Parallel Adders, IEEE Transactions on Computers, 1982;
//           kaust.
// Teaches   linear work: the reduction tree upward, whose cells 1, 3, 7, … are prefixes already, then downward each
//           known prefix is added to the subtree to the right of it. Twice the steps of Sklansky for a quarter of the
//           work.
// Work      2s - 2 - log2 s a block of s = 2·block elements, and n - s to add the sums. Steps 2·log2 s - 1, the
//           longest chain of applications 2·log2 s - 2 (the last of the way up and the first of the way down do not
//           depend on each other). Launches 2 a level less 1.
// Wrong     twice the barriers, with few threads at work around the turn, on cells a power of two apart: bank conflicts
//           up to degree 16 (32 in a larger block).
// Fixed by  scan/blelloch-padded for the conflicts; scan/kogge-stone-warp for the barriers.
#pragma once

#include "upsweep/scan/textbook/scan_kernel_decomposition.cuh"

namespace upsweep::textbook::scan_variants {

template <unsigned block, class T, class Op>
__global__ void scan_brent_kung(global<const T> in, global<T> out, global<T> sums, std::uint64_t n, bool inclusive,
                                Op op) {
  constexpr unsigned section = 2 * block;
  UPSWEEP_SHARED(T, cells, section);
  const unsigned t = threadIdx.x;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * section;
  for (unsigned j = t; j < section; j += block) cells[j] = first + j < n ? in[first + j] : identity_of<T>(op);
#pragma unroll 1  // nvcc would give the step of neighbouring cells code of its own that reads both at once
  for (unsigned s = 1; s < section; s *= 2) {
    __syncthreads();  // others have loaded, or written one step further down, what this step reads
    const unsigned j = (t + 1) * 2 * s - 1;
    if (j < section) cells[j] = op(cells[j - s], cells[j]);
  }
#pragma unroll 1
  for (unsigned s = section / 4; s > 0; s /= 2) {
    __syncthreads();  // others have written the prefixes that this step adds
    const unsigned j = (t + 1) * 2 * s - 1;
    if (j + s < section) cells[j + s] = op(cells[j], cells[j + s]);
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
struct brent_kung : variant_defaults {
  static constexpr std::string_view name = "scan/brent-kung";
  static constexpr int year = 1982;
  static constexpr std::string_view source = "kaust";
  static constexpr std::string_view teaches =
      "the tree up, the missing prefixes down: linear work in 2 log n - 1 steps";
  static constexpr unsigned section = 2 * block;
  static constexpr std::uint64_t max_n = most_blocks * section;
  static constexpr formula work{"1013 a block of 512 elements and n - 512 to add the sums, over all levels",
                                [](double n) { return levels_work(n, section, 2 * section - 2 - log2_of(section)); }};
  static constexpr formula span{"16 in a level and 10 in every other", [](double n) {
                                  return levels_span(n, section, log2_of(section), 2 * log2_of(section) - 2);
                                }};
  static constexpr formula launches{"2⌈log512 n⌉ - 1", [](double n) { return levels_launches(n, section); }};
  static constexpr formula traffic{"4n and 2 a block, over all levels",
                                   [](double n) { return levels_traffic(n, section); }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op, bool inclusive) {
    scan_levels<T>(
        grid, in, out, n, op, inclusive, section,
        [&](global<const T> from, global<T> to, global<T> sums, std::uint64_t count, bool incl, std::uint64_t blocks) {
          grid.launch(scan_brent_kung<block, T, Op>, blocks, block, from, to, sums, count, incl, op);
        });
  }
};

}  // namespace upsweep::textbook::scan_variants
