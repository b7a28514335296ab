// scan/blelloch-doubly-padded
//
// Source    harris2007, ZERO_BANK_CONFLICTS; the algorithm is Blelloch's of 1990.
// Teaches   the padding is padded: one more free cell after every 1024, cell i moves to i + i/32 + i/1024, and the
//           last conflict is gone.
// Work      as scan/blelloch-block: 2(s - 1), and s - 1 swaps, a block of s = 2·block elements, and n - s to add the
//           sums. Span 2·log2 s - 1 in the last level, log2 s and 1 more in every other. Launches 2 a level less 1.
// Wrong     more index arithmetic at every step, against a conflict of degree 2 in five steps of one warp, and only in
//           blocks of 2048 elements. The barriers and the idle threads around the root are still there.
// Fixed by  scan/kogge-stone-warp, scan/scan-then-propagate.
// Errata    the source's macro lacks parentheses, so that + binds before >>; and it shifts by NUM_BANKS where
//           LOG_NUM_BANKS is meant. Its block A computes bankOffsetB from ai, not from bi. It has 16 banks; there are
//           32 since Fermi.
#pragma once

#include "upsweep/scan/textbook/scan_kernel_decomposition.cuh"

namespace upsweep::textbook::scan_variants {

// The position of cell i: one cell is left free after every 32, and one more after every 1024.
constexpr UPSWEEP_HD unsigned doubly_padded_cell(unsigned i) { return i + (i >> 5) + (i >> 10); }

template <unsigned block, class T, class Op>
__global__ void scan_blelloch_doubly_padded(global<const T> in, global<T> out, global<T> sums, std::uint64_t n,
                                            bool inclusive, Op op) {
  constexpr unsigned section = 2 * block;
  UPSWEEP_SHARED(T, cells, doubly_padded_cell(section) + 1);  // cell `section` takes the section's sum
  const unsigned t = threadIdx.x;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * section;
  const unsigned a = t, b = t + block;
  cells[doubly_padded_cell(a)] = first + a < n ? in[first + a] : identity_of<T>(op);
  cells[doubly_padded_cell(b)] = first + b < n ? in[first + b] : identity_of<T>(op);

  unsigned s = 1;
  for (unsigned nodes = block; nodes > 0; nodes /= 2, s *= 2) {
    __syncthreads();  // others have loaded, or written one step further down, this node's children
    if (t < nodes) {
      const unsigned left = s * (2 * t + 1) - 1, right = left + s;
      cells[doubly_padded_cell(right)] = op(cells[doubly_padded_cell(left)], cells[doubly_padded_cell(right)]);
    }
  }
  if (t == 0) {  // this thread also wrote the root
    const T sum = cells[doubly_padded_cell(section - 1)];
    sums[blockIdx.x] = sum;
    cells[doubly_padded_cell(section)] = sum;
    cells[doubly_padded_cell(section - 1)] = identity_of<T>(op);
  }
  for (unsigned nodes = 1; nodes <= block; nodes *= 2) {
    s /= 2;
    __syncthreads();  // the thread one step further up has handed this node the sum of all before it
    if (t < nodes) {
      const unsigned left = s * (2 * t + 1) - 1, right = left + s;
      const T left_sum = cells[doubly_padded_cell(left)], before = cells[doubly_padded_cell(right)];
      cells[doubly_padded_cell(left)] = before;
      cells[doubly_padded_cell(right)] = op(before, left_sum);  // in this order: the operator need not commute
    }
  }
  __syncthreads();  // the leaves are written

  const unsigned shift = inclusive ? 1 : 0;
  if (first + a < n) out[first + a] = cells[doubly_padded_cell(a + shift)];
  if (first + b < n) out[first + b] = cells[doubly_padded_cell(b + shift)];
}

template <unsigned block = 1024>
struct blelloch_doubly_padded : variant_defaults {
  static constexpr std::string_view name = "scan/blelloch-doubly-padded";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "harris2007";
  static constexpr std::string_view teaches = "cell i lies at i + i/32 + i/1024: no bank conflict is left";
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
          grid.launch(scan_blelloch_doubly_padded<block, T, Op>, blocks, block, from, to, sums, count, incl, op);
        });
  }
};

}  // namespace upsweep::textbook::scan_variants
