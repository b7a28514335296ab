// convolve/2d-naive
//
// Source    textbook; D. Kirk and W. Hwu, Programming Massively Parallel Processors, chapter on convolution, 2010.
// Teaches   the same in two dimensions: a block is 32 columns by a few rows of results, so that a warp reads along a
//           row.
// Work      a product for each element of the mask and each result, less those outside. Span: the mask. Launches 1.
// Wrong     two loads a product, as of convolve/naive; and the mask is now k by k.
// Fixed by  convolve/2d-shared-tile.
#pragma once

#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/textbook/convolve_weights.cuh"

namespace upsweep::textbook::convolve_variants {

inline constexpr unsigned tile_width = 32;  // a warp's lanes side by side

template <class T, class Fma>
__global__ void convolve_picture_naively(global<const T> in, global<const T> mask, global<T> out, shape s,
                                         tile_grid tiles, Fma fma) {
  const std::uint64_t x = blockIdx.x % tiles.across * tile_width + threadIdx.x % tile_width;
  const std::uint64_t y = blockIdx.x / tiles.across * (blockDim.x / tile_width) + threadIdx.x / tile_width;
  if (x >= s.width || y >= s.height) return;
  T sum = 0;
  for (unsigned j = 0; j < s.mask_y; ++j) {
    if (!inside(y + j, s.before_y, s.height)) continue;
    for (unsigned i = 0; i < s.mask_x; ++i)
      if (inside(x + i, s.before_x, s.width))
        sum = fma(sum, mask[s.at(i, j)], in[(y + j - s.before_y) * s.width + x + i - s.before_x]);
  }
  out[y * s.width + x] = sum;
}

template <unsigned block = 256>
struct picture_naive : defaults {
  static constexpr std::string_view name = "convolve/2d-naive";
  static constexpr int year = 2010;
  static constexpr std::string_view source = "Kirk and Hwu";
  static constexpr std::string_view teaches =
      "a thread a pixel, blocks of 32 columns by 8 rows, everything in global memory";
  static constexpr std::uint64_t max_n = most_blocks * tile_width;
  static constexpr std::string_view limits = "a picture of i32 or f32 with one channel, zeros beyond its edges";
  static constexpr auto cannot = variant_cannot;
  static constexpr formula traffic{"at least 2n, each element and weight once a warp", [](double n) { return 2 * n; }};
  static counts_of_problem counts_of(const detail::convolve_impl::problem& p) {
    return {products_inside(p.size.x, p.mask.x, p.anchor.x) * products_inside(p.size.y, p.mask.y, p.anchor.y),
            static_cast<double>(p.mask.count()), 1, 2.0 * static_cast<double>(p.n)};
  }

  template <class T, class Grid, class Fma>
  static void run(Grid& grid, global<const T> in, global<const T> mask, global<const T>, global<T> out, shape s,
                  Fma fma) {
    const tile_grid tiles = tiles_of(s.width, s.height, tile_width, block / tile_width);
    grid.launch(convolve_picture_naively<T, Fma>, tiles.count(), block, in, mask, out, s, tiles, fma);
  }
};

}  // namespace upsweep::textbook::convolve_variants
