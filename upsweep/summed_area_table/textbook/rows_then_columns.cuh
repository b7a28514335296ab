// integral/rows-then-columns
//
// Source    F. Crow, Summed-area Tables for Texture Mapping, 1984, for the table; M. Harris, S. Sengupta, J. Owens,
//           Parallel Prefix Sum (Scan) with CUDA, 2007, for making it of scans.
// Teaches   a table is a scan in two directions, one after the other: each row is scanned, and then each column of what
//           that gives. One kernel does both, a block a line, tile by tile as the scan's rungs do; only the distance
//           between a line's elements differs.
// Work      2113 a tile of 640 elements, in both directions. Span 19 a tile of the longest row and of the longest
//           column.
//           Launches 2.
// Wrong     down a column the lanes of a warp read from 32 rows: 32 sectors where 4 would do. And all goes through
//           memory twice: 4n, where 2n is needed.
// Fixed by  integral/transpose, whose lines always lie along rows; integral/single-pass, 2n.
#pragma once

#include "upsweep/scan/textbook/scan_tile.cuh"
#include "upsweep/summed_area_table/textbook/sums.hpp"

namespace upsweep::textbook::summed_area_table_variants {

// Block b scans line b of n elements, which begins at b · line and whose elements are `step` apart.
struct lines {
  std::uint64_t line, step;
};

template <unsigned block, unsigned items, class In, class T, class Add>
__global__ void scan_lines(global<const In> in, lines from, global<T> out, lines to, std::uint64_t n, Add add) {
  constexpr unsigned warps = block / 32, tile = block * items;
  UPSWEEP_SHARED(T, cells, tile);
  UPSWEEP_SHARED(T, warp_totals, warps);
  const std::uint64_t first_in = blockIdx.x * from.line, first_out = blockIdx.x * to.line;
  T before_tile = 0;
  for (std::uint64_t first = 0; first < n; first += tile) {
#pragma unroll
    for (unsigned j = threadIdx.x; j < tile; j += block)
      cells[j] = first + j < n ? static_cast<T>(in[first_in + (first + j) * from.step]) : T{0};
    __syncthreads();  // others have loaded this thread's own elements
    T own[items];
    scan_variants::take_own(cells, own);
    const T before = scan_variants::scan_threads<block>(warp_totals, scan_variants::sum_of_own(own, add), add);
    scan_variants::scan_own(cells, own, add(before_tile, before), true, add);
    const T total = warp_totals[warps - 1];
    before_tile = add(before_tile, total);
    __syncthreads();  // others have scanned what this thread stores, and read the totals that are written next
#pragma unroll
    for (unsigned j = threadIdx.x; j < tile; j += block)
      if (first + j < n) out[first_out + (first + j) * to.step] = cells[j];
  }
}

// Additions in a tile, and those that follow on each other.
template <unsigned block, unsigned items>
inline constexpr unsigned line_tile_work =
    block * (2 * items - 1) + scan_variants::scan_threads_work<block> + 2 * block;
template <unsigned block, unsigned items>
inline constexpr unsigned line_tile_chain = items - 1 + 5 + log2_of(block / 32) + 1 + 1 + items + 1;

// Two passes over lines that have n/2 elements at least (the shapes of n elements), and n at most.
template <unsigned block, unsigned items>
double lines_work(double n) {
  return n / (block * items) * line_tile_work<block, items>;
}
template <unsigned block, unsigned items>
double lines_span(double n) {
  return (n / (block * items) + 3) * line_tile_chain<block, items>;
}

template <unsigned block = 128, unsigned items = 5>
struct rows_then_columns : variant_defaults {
  static constexpr std::string_view name = "integral/rows-then-columns";
  static constexpr int year = 1984;
  static constexpr std::string_view source = "Crow";
  static constexpr std::string_view teaches = "scan each row, then each column of that: one kernel, two distances";
  static constexpr std::string_view limits = textbook_limits;
  static constexpr std::uint64_t max_n = most_blocks;
  static constexpr auto cannot = variant_cannot;
  static constexpr formula work{"at least 2113 a tile of 640, twice; short lines have tiles of their own",
                                lines_work<block, items>};
  static constexpr formula span{"19 a tile of the longest row and column", lines_span<block, items>};
  static constexpr formula launches{"2", [](double) { return 2.0; }};
  static constexpr formula traffic{"4n", [](double n) { return 4 * n; }};

  template <class In, class T, class Grid, class Add>
  static void run(Grid& grid, global<const In> in, std::uint64_t in_pitch, global<T> out, std::uint64_t out_pitch,
                  extent size, Add add) {
    grid.launch(scan_lines<block, items, In, T, Add>, size.y, block, in, lines{in_pitch, 1}, out, lines{out_pitch, 1},
                size.x, add);
    grid.launch(scan_lines<block, items, T, T, Add>, size.x, block, out, lines{1, out_pitch}, out, lines{1, out_pitch},
                size.y, add);
  }
};

}  // namespace upsweep::textbook::summed_area_table_variants
