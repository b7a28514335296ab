// convolve/2d-separable
//
// Source    S. Treitel and J. Shanks, The Design of Multistage Separable Planar Filters, 1971; V. Podlozhnyuk, Image
//           Convolution with CUDA, NVIDIA, 2007.
// Teaches   a mask that is a row times a column can be applied as the row, and then as the column: 2k products a pixel
//           instead of k·k.
// Work      (width + height of the mask) * n, less what lies outside. Span: their sum. Launches 2.
// Wrong     the row sums make a round trip through global memory, so that the picture is moved twice; and only masks of
//           rank 1 split into one row and one column.
// Fixed by  the library's convolve, which makes both passes over one tile, and sums of several products.
#pragma once

#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/textbook/picture_naive.cuh"

namespace upsweep::textbook::convolve_variants {

// One line of weights along one axis. In constant memory lie the row, the column and a number by which the whole is
// multiplied.
template <class T, class Fma>
__global__ void convolve_along(global<const T> in, global<T> out, shape s, tile_grid tiles, bool down, Fma fma) {
  const std::uint64_t x = blockIdx.x % tiles.across * tile_width + threadIdx.x % tile_width;
  const std::uint64_t y = blockIdx.x / tiles.across * (blockDim.x / tile_width) + threadIdx.x / tile_width;
  if (x >= s.width || y >= s.height) return;
  const unsigned count = down ? s.mask_y : s.mask_x, before = down ? s.before_y : s.before_x,
                 first = down ? s.mask_x : 0;
  const std::uint64_t place = down ? y : x, size = down ? s.height : s.width, stride = down ? s.width : 1;
  const std::uint64_t line = down ? x : y * s.width;
  T sum = 0;
  for (unsigned i = 0; i < count; ++i)
    if (inside(place + i, before, size))
      sum = fma(sum, constant_weight<T>(first + (s.turned ? count - 1 - i : i)),
                in[line + (place + i - before) * stride]);
  out[y * s.width + x] = down ? sum * constant_weight<T>(s.mask_x + s.mask_y) : sum;
}

template <unsigned block = 256>
struct picture_separable : defaults {
  static constexpr std::string_view name = "convolve/2d-separable";
  static constexpr int year = 1971;
  static constexpr std::string_view source = "Treitel and Shanks";
  static constexpr std::string_view teaches =
      "a mask of rank 1 as a row, and then a column: 2k products a pixel instead of k squared";
  static constexpr std::uint64_t max_n = most_blocks * tile_width;
  static constexpr std::string_view limits =
      "a picture of i32 or f32 with one channel, zeros beyond its edges; a mask of rank 1 that comes with its row and "
      "column";
  static const char* cannot(const detail::convolve_impl::problem& p) {
    if (p.rank != 1) return "masks that are not one row times one column";
    return p.mask.x + p.mask.y + 1 > most_weights ? "more than 4095 weights" : variant_cannot(p);
  }
  static constexpr formula work{"(width + height of the mask) * n, less what lies outside (6n for 3 by 3)",
                                [](double n) { return 6 * n; }};
  static constexpr formula span{"width + height of the mask (6 for 3 by 3)", [](double) { return 6.0; }};
  static constexpr formula launches{"2", [](double) { return 2.0; }};
  static constexpr formula traffic{"at least 4n, each element once a warp and weight", [](double n) { return 4 * n; }};
  static counts_of_problem counts_of(const detail::convolve_impl::problem& p) {
    return {products_inside(p.size.x, p.mask.x, p.anchor.x) * static_cast<double>(p.size.y) +
                products_inside(p.size.y, p.mask.y, p.anchor.y) * static_cast<double>(p.size.x),
            static_cast<double>(p.mask.x + p.mask.y), 2, 4.0 * static_cast<double>(p.n)};
  }

  // `factors`: the row, the column, and a number by which the product is multiplied.
  template <class T, class Grid, class Fma>
  static void run(Grid& grid, global<const T> in, global<const T>, global<const T> factors, global<T> out, shape s,
                  Fma fma) {
    fill_constant_weights<T>(grid, factors, s.mask_x + s.mask_y + 1);
    const tile_grid tiles = tiles_of(s.width, s.height, tile_width, block / tile_width);
    global<T> rows = grid.template scratch<T>("row sums", s.width * s.height);
    grid.launch(convolve_along<T, Fma>, tiles.count(), block, in, rows, s, tiles, false, fma);
    grid.launch(convolve_along<T, Fma>, tiles.count(), block, rows, out, s, tiles, true, fma);
  }
};

}  // namespace upsweep::textbook::convolve_variants
