// Kernel decomposition, as harris2007, kit and utcs have it: arbitrary size out of one block's scan. Each block scans
// its own section and leaves the section's sum; the sums are scanned, by the same kernel and recursively; each block
// but the first then adds what came before it. Sections are padded with the identity, so n is any number.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::textbook::scan_variants {

// Block b takes section b + 1, whose elements all lack the sum of the sections 0 … b.
template <class T, class Op>
__global__ void add_sums(global<T> out, global<const T> sums, std::uint64_t n, std::uint64_t section, Op op) {
  const std::uint64_t first = (std::uint64_t{blockIdx.x} + 1) * section;
  const std::uint64_t end = first + section < n ? first + section : n;
  std::uint64_t i = first + threadIdx.x;
  if (i >= end) return;  // a warp without elements does not read the sum
  const T before = sums[blockIdx.x];
  for (; i < end; i += blockDim.x) out[i] = op(before, out[i]);
}

// launch(in, out, sums, n, inclusive, blocks) scans each section of `in` to `out` (they may be the same) and its sum
// to `sums`.
template <class T, class Op, class Grid, class Launch>
void scan_levels(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op, bool inclusive,
                 std::uint64_t section, Launch launch, int level = 0) {
  const std::uint64_t blocks = blocks_for(n, section);
  global<T> sums = grid.template scratch<T>("sums " + std::to_string(level), blocks);
  launch(in, out, sums, n, inclusive, blocks);
  if (blocks == 1) return;
  scan_levels<T>(grid, sums, sums, blocks, op, true, section, launch, level + 1);
  grid.launch(add_sums<T, Op>, blocks - 1, 256, out, sums, n, section, op);
}

// f(elements, blocks), added up over the levels.
template <class F>
double over_levels(double n, double section, F f) {
  double sum = 0;
  for (;;) {
    const double blocks = ceil_div(n, section);
    sum += f(n, blocks);
    if (blocks <= 1) return sum;
    n = blocks;
  }
}

// `per_block` applications in each block, and one an element of all sections but the first.
inline double levels_work(double n, double section, double per_block) {
  return over_levels(n, section, [=](double elements, double blocks) {
    return blocks * per_block + (blocks > 1 ? elements - section : 0);
  });
}

// A section's sum ends a chain of `to_sum` applications, its last output one of `to_output`. Up the levels sums
// follow on sums; down again each level adds one.
inline double levels_span(double n, double section, double to_sum, double to_output) {
  const double blocks = ceil_div(n, section);
  if (blocks <= 1) return std::max(to_sum, to_output);
  return std::max(to_output, to_sum + levels_span(blocks, section, to_sum, to_output)) + 1;
}

// A scan a level, and the sums added at every level but the last.
inline double levels_launches(double n, double section) {
  return over_levels(n, section, [](double, double blocks) { return blocks > 1 ? 2.0 : 1.0; });
}

// Elements in and out and a sum a block; then, but for the first section, elements in and out again and a sum a block.
inline double levels_traffic(double n, double section) {
  return over_levels(n, section, [=](double elements, double blocks) {
    return 2 * elements + blocks + (blocks > 1 ? 2 * (elements - section) + blocks - 1 : 0);
  });
}

}  // namespace upsweep::textbook::scan_variants
