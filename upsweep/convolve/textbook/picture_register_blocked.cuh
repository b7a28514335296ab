// convolve/2d-register-blocked
//
// Source    V. Volkov, Better Performance at Lower Occupancy, 2010; F. Iandola and others, Communication-Minimizing 2D
//           Convolution in GPU Registers, 2013.
// Teaches   a thread makes a column of four results: an element of the tile, once loaded, lies under up to four of
//           them, each with another row of the mask. Lanes stay side by side, so that nobody waits for a bank, and the
//           taller tile has less halo.
// Work      mask * n, n rounded up to whole tiles. Span: four times the mask. Launches 1.
// Wrong     four weights from constant memory for each element; the mask's size is known only at run time, which keeps
//           the compiler from unrolling and holding weights in registers.
// Fixed by  the library's convolve.
#pragma once

#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/textbook/picture_shared_tile.cuh"

namespace upsweep::textbook::convolve_variants {

inline constexpr unsigned column_of_results = 4;

template <unsigned rows, class T, class Fma>
__global__ void convolve_picture_in_registers(global<const T> in, global<T> out, shape s, tile_grid tiles, Fma fma) {
  UPSWEEP_DYNAMIC_SHARED(T, tile);
  const std::uint64_t first_x = blockIdx.x % tiles.across * tile_width, first_y = blockIdx.x / tiles.across * rows;
  load_picture_tile<T>(tile, in, first_x, first_y, rows, s);
  __syncthreads();  // the tile is full before anybody reads what another thread has loaded
  const unsigned column = threadIdx.x % tile_width, row = threadIdx.x / tile_width * column_of_results,
                 across = tile_width + s.mask_x - 1;
  T sum[column_of_results] = {};
  for (unsigned i = 0; i < s.mask_x; ++i)
    for (unsigned l = 0; l < s.mask_y + column_of_results - 1; ++l) {
      const T element = tile[(row + l) * across + column + i];
#pragma unroll
      for (unsigned r = 0; r < column_of_results; ++r)  // line l of the column is row l - r of the mask to result r
        if (l >= r && l - r < s.mask_y) sum[r] = fma(sum[r], constant_weight<T>(s.at(i, l - r)), element);
    }
#pragma unroll
  for (unsigned r = 0; r < column_of_results; ++r)
    if (first_x + column < s.width && first_y + row + r < s.height)
      out[(first_y + row + r) * s.width + first_x + column] = sum[r];
}

template <unsigned block = 256>
struct picture_register_blocked : defaults {
  static constexpr std::string_view name = "convolve/2d-register-blocked";
  static constexpr int year = 2013;
  static constexpr std::string_view source = "Volkov; Iandola and others";
  static constexpr std::string_view teaches =
      "a column of four results a thread: each element from shared memory serves four products";
  static constexpr unsigned rows = block / tile_width * column_of_results;
  static constexpr std::uint64_t max_n = most_blocks * tile_width;
  static constexpr std::string_view limits =
      "a picture of i32 or f32 with one channel, zeros beyond its edges; up to 4096 weights, and a tile in 48 KiB";
  static const char* cannot(const detail::convolve_impl::problem& p) { return tile_cannot(p, rows); }
  static constexpr formula work{"mask * n, n rounded up to tiles (9n for a mask of 9)", [](double n) { return 9 * n; }};
  static constexpr formula span{"4 mask (36 for a mask of 9)", [](double) { return 36.0; }};
  static constexpr formula traffic{"at least 2n, and the tiles' halos", [](double n) { return 2 * n; }};
  static counts_of_problem counts_of(const detail::convolve_impl::problem& p) {
    const double mask = static_cast<double>(p.mask.count());
    const tile_grid tiles = tiles_of(p.size.x, p.size.y, tile_width, rows);
    return {static_cast<double>(tiles.count()) * tile_width * rows * mask, column_of_results * mask, 1,
            2.0 * static_cast<double>(p.n)};
  }

  template <class T, class Grid, class Fma>
  static void run(Grid& grid, global<const T> in, global<const T> mask, global<const T>, global<T> out, shape s,
                  Fma fma) {
    fill_constant_weights<T>(grid, mask, s.weights());
    const tile_grid tiles = tiles_of(s.width, s.height, tile_width, rows);
    const unsigned bytes = (tile_width + s.mask_x - 1) * (rows + s.mask_y - 1) * static_cast<unsigned>(sizeof(T));
    grid.launch_with_shared(bytes, convolve_picture_in_registers<rows, T, Fma>, tiles.count(), block, in, out, s, tiles,
                            fma);
  }
};

}  // namespace upsweep::textbook::convolve_variants
