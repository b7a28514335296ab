// scan/blelloch-padded
//
// Source    harris2007; kit, 2015; the algorithm is Blelloch's of 1990.
// Teaches   padding: one cell is left free after every 32, cell i moves to i + i/32, and cells that were a power of
//           two apart fall into different banks. And thread t loads elements t and t + block, which are coalesced and
//           free of conflicts.
// Work      as scan/blelloch-block: 2(s - 1), and s - 1 swaps, a block of s = 2·block elements, and n - s to add the
//           sums. Span 2·log2 s - 1 in the last level, log2 s and 1 more in every other. Launches 2 a level less 1.
// Wrong     from the step on whose cells are 64 apart, i/32 goes up by an even number from one thread to the next: five
//           of the eleven steps, of one warp each, keep a conflict of degree 2.
// Fixed by  scan/blelloch-doubly-padded for that; scan/kogge-stone-warp does without cells at all.
// Errata    the source's block A computes bankOffsetB from ai, not from bi. It has 16 banks; there are 32 since Fermi.
//           (8-byte cells are read by half-warps: for them one free cell after every 16 would be right.)
#pragma once

#include "upsweep/scan/textbook/scan_kernel_decomposition.cuh"

namespace upsweep::textbook::scan_variants {

// The position of cell i: one cell is left free after every 32.
constexpr UPSWEEP_HD unsigned padded_cell(unsigned i) { return i + (i >> 5); }

template <unsigned block, class T, class Op>
__global__ void scan_blelloch_padded(global<const T> in, global<T> out, global<T> sums, std::uint64_t n, bool inclusive,
                                     Op op) {
  constexpr unsigned section = 2 * block;
  UPSWEEP_SHARED(T, cells, padded_cell(section) + 1);  // cell `section` takes the section's sum
  const unsigned t = threadIdx.x;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * section;
  const unsigned a = t, b = t + block;
  cells[padded_cell(a)] = first + a < n ? in[first + a] : identity_of<T>(op);
  cells[padded_cell(b)] = first + b < n ? in[first + b] : identity_of<T>(op);

  unsigned s = 1;
  for (unsigned nodes = block; nodes > 0; nodes /= 2, s *= 2) {
    __syncthreads();  // others have loaded, or written one step further down, this node's children
    if (t < nodes) {
      const unsigned left = s * (2 * t + 1) - 1, right = left + s;
      cells[padded_cell(right)] = op(cells[padded_cell(left)], cells[padded_cell(right)]);
    }
  }
  if (t == 0) {  // this thread also wrote the root
    const T sum = cells[padded_cell(section - 1)];
    sums[blockIdx.x] = sum;
    cells[padded_cell(section)] = sum;
    cells[padded_cell(section - 1)] = identity_of<T>(op);
  }
  for (unsigned nodes = 1; nodes <= block; nodes *= 2) {
    s /= 2;
    __syncthreads();  // the thread one step further up has handed this node the sum of all before it
    if (t < nodes) {
      const unsigned left = s * (2 * t + 1) - 1, right = left + s;
      const T left_sum = cells[padded_cell(left)], before = cells[padded_cell(right)];
      cells[padded_cell(left)] = before;
      cells[padded_cell(right)] = op(before, left_sum);  // in this order: the operator need not commute
    }
  }
  __syncthreads();  // the leaves are written

  const unsigned shift = inclusive ? 1 : 0;
  if (first + a < n) out[first + a] = cells[padded_cell(a + shift)];
  if (first + b < n) out[first + b] = cells[padded_cell(b + shift)];
}

template <unsigned block = 1024>
struct blelloch_padded : variant_defaults {
  static constexpr std::string_view name = "scan/blelloch-padded";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "harris2007, kit";
  static constexpr std::string_view teaches =
      "cell i lies at i + i/32: of the bank conflicts a few of degree 2 are left";
  static constexpr unsigned section = 2 * block;
  static constexpr std::uint64_t max_n = most_blocks * section;
  static constexpr formula work{"4094 a block of 2048 elements and n - 2048 to add the sums, over all levels",
                                [](double n) { return levels_work(n, section, 2 * (section - 1)); }};
  static constexpr formula span{"21 in a level and 12 in every other", [](double n) {
                                  return levels_span(n, section, log2_of(section), 2 * log2_of(section) - 1);
                                }};
  static constexpr formula launches{"2⌈log2048 n⌉ - 1", [](double n) { return levels_launches(n, section); }};
  static constexpr formula traffic{"4n and 2 a block, over all levels",
                                   [](double n) { return levels_traffic(n, section); }};

  template <class T, class Op, class Grid>
  static void run(Grid& grid, global<const T> in, global<T> out, std::uint64_t n, Op op, bool inclusive) {
    scan_levels<T>(
        grid, in, out, n, op, inclusive, section,
        [&](global<const T> from, global<T> to, global<T> sums, std::uint64_t count, bool incl, std::uint64_t blocks) {
          grid.launch(scan_blelloch_padded<block, T, Op>, blocks, block, from, to, sums, count, incl, op);
        });
  }
};

}  // namespace upsweep::textbook::scan_variants
