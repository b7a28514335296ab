// integral/transpose
//
// Source    M. Harris, S. Sengupta, J. Owens, Parallel Prefix Sum (Scan) with CUDA, 2007; utcs, whose OpenCL assignment
//           takes this way. The transposition: G. Ruetsch and P. Micikevicius, Optimizing Matrix Transpose in CUDA,
//           2009.
// Teaches   where columns are slow to walk, turn them into rows: scan the rows, transpose, scan the rows, transpose
//           back.
//           A transposition by tiles in shared memory reads along rows and writes along rows; what is turned about is
//           turned in shared memory.
// Work      as integral/rows-then-columns; a transposition adds nothing. Launches 4.
// Wrong     a column of the tile of 32 by 32 lies in one bank: a warp that reads it takes 32 turns. And all goes
//           through memory four times: 8n.
// Fixed by  integral/transpose-padded; integral/single-pass, 2n.
#pragma once

#include "upsweep/summed_area_table/textbook/rows_then_columns.cuh"

namespace upsweep::textbook::summed_area_table_variants {

// out(y, x) = in(x, y), a tile of 32 by 32 a block. `padding` cells are left free behind each row of the tile.
template <unsigned block, unsigned padding, class T>
__global__ void transpose_tile(global<const T> in, std::uint64_t in_pitch, global<T> out, std::uint64_t out_pitch,
                               std::uint64_t width, std::uint64_t height) {
  constexpr unsigned row = 32 + padding, step = block / 32;
  UPSWEEP_SHARED(T, cells, 32 * row);
  const std::uint64_t across = (width + 31) / 32;
  const std::uint64_t x = blockIdx.x % across * 32, y = blockIdx.x / across * 32;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (unsigned k = warp; k < 32; k += step)
    if (x + lane < width && y + k < height) cells[k * row + lane] = in[(y + k) * in_pitch + x + lane];
  __syncthreads();  // other warps have loaded the rows of which this one writes a column
#pragma unroll
  for (unsigned k = warp; k < 32; k += step)
    if (x + k < width && y + lane < height) out[(x + k) * out_pitch + y + lane] = cells[lane * row + k];
}

template <unsigned block, unsigned items, unsigned padding, class In, class T, class Grid, class Add>
void scan_and_transpose_twice(Grid& grid, global<const In> in, std::uint64_t in_pitch, global<T> out,
                              std::uint64_t out_pitch, extent size, Add add) {
  global<T> turned = grid.template scratch<T>("turned", size.x * size.y);
  const std::uint64_t tiles = (size.x + 31) / 32 * ((size.y + 31) / 32);
  const auto turn = transpose_tile<block, padding, T>;
  grid.launch(scan_lines<block, items, In, T, Add>, size.y, block, in, lines{in_pitch, 1}, out, lines{out_pitch, 1},
              size.x, add);
  grid.launch(turn, tiles, block, out, out_pitch, turned, size.y, size.x, size.y);
  grid.launch(scan_lines<block, items, T, T, Add>, size.x, block, turned, lines{size.y, 1}, turned, lines{size.y, 1},
              size.y, add);
  grid.launch(turn, tiles, block, turned, size.y, out, out_pitch, size.y, size.x);
}

template <unsigned block = 128, unsigned items = 5>
struct transpose : variant_defaults {
  static constexpr std::string_view name = "integral/transpose";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "Harris, Sengupta and Owens; utcs";
  static constexpr std::string_view teaches =
      "scan the rows, transpose, scan the rows, transpose back; the tile's columns lie in one bank";
  static constexpr std::string_view limits = textbook_limits;
  static constexpr std::uint64_t max_n = most_blocks;
  static constexpr auto cannot = variant_cannot;
  static constexpr formula work{"at least 2113 a tile of 640, twice; short lines have tiles of their own",
                                lines_work<block, items>};
  static constexpr formula span{"19 a tile of the longest row and column", lines_span<block, items>};
  static constexpr formula launches{"4", [](double) { return 4.0; }};
  static constexpr formula traffic{"8n", [](double n) { return 8 * n; }};

  template <class In, class T, class Grid, class Add>
  static void run(Grid& grid, global<const In> in, std::uint64_t in_pitch, global<T> out, std::uint64_t out_pitch,
                  extent size, Add add) {
    scan_and_transpose_twice<block, items, 0>(grid, in, in_pitch, out, out_pitch, size, add);
  }
};

}  // namespace upsweep::textbook::summed_area_table_variants
