// convolve/2d-shared-tile
//
// Source    V. Podlozhnyuk, Image Convolution with CUDA, NVIDIA, 2007.
// Teaches   the halo in two dimensions: 32 by 8 results under a mask of k by k need 32 + k - 1 by 8 + k - 1 elements.
//           The smaller the tile, the more of what is loaded is halo.
// Work      mask * n. Span: the mask. Launches 1.
// Wrong     one load from shared memory for each product; and of k = 15 the halo is three times the tile.
// Fixed by  convolve/2d-register-blocked; by convolve/2d-separable for masks that split.
#pragma once

#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/textbook/picture_naive.cuh"

namespace upsweep::textbook::convolve_variants {

// The elements under tile_width by `rows` results, row by row, and zeros where there are none. (x, y): the first
// result.
template <class T>
__device__ void load_picture_tile(const shared_pointer<T>& tile, global<const T> in, std::uint64_t x, std::uint64_t y,
                                  unsigned rows, const shape& s) {
  const unsigned across = tile_width + s.mask_x - 1, elements = across * (rows + s.mask_y - 1);
  for (unsigned t = threadIdx.x; t < elements; t += blockDim.x) {
    const std::uint64_t from_x = x + t % across, from_y = y + t / across;
    tile[t] = inside(from_x, s.before_x, s.width) && inside(from_y, s.before_y, s.height)
                  ? static_cast<T>(in[(from_y - s.before_y) * s.width + from_x - s.before_x])
                  : T(0);
  }
}

template <unsigned rows, class T, class Fma>
__global__ void convolve_picture_tiles(global<const T> in, global<T> out, shape s, tile_grid tiles, Fma fma) {
  UPSWEEP_DYNAMIC_SHARED(T, tile);
  const std::uint64_t first_x = blockIdx.x % tiles.across * tile_width, first_y = blockIdx.x / tiles.across * rows;
  load_picture_tile<T>(tile, in, first_x, first_y, rows, s);
  __syncthreads();  // the tile is full before anybody reads what another thread has loaded
  const unsigned column = threadIdx.x % tile_width, row = threadIdx.x / tile_width, across = tile_width + s.mask_x - 1;
  if (first_x + column >= s.width || first_y + row >= s.height) return;
  T sum = 0;
  for (unsigned j = 0; j < s.mask_y; ++j)
    for (unsigned i = 0; i < s.mask_x; ++i)
      sum = fma(sum, constant_weight<T>(s.at(i, j)), tile[(row + j) * across + column + i]);
  out[(first_y + row) * s.width + first_x + column] = sum;
}

// The tile of that many rows of results must fit.
inline const char* tile_cannot(const detail::convolve_impl::problem& p, unsigned rows) {
  if (const char* what = variant_cannot(p)) return what;
  if (p.mask.count() > most_weights) return "more than 4096 weights";
  return (tile_width + p.mask.x - 1) * (rows + p.mask.y - 1) > most_tile ? "masks whose tile passes 48 KiB" : nullptr;
}

template <unsigned block = 256>
struct picture_shared_tile : defaults {
  static constexpr std::string_view name = "convolve/2d-shared-tile";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "Podlozhnyuk";
  static constexpr std::string_view teaches =
      "32 by 8 results from a tile with its halo in shared memory, the mask in constant memory";
  static constexpr unsigned rows = block / tile_width;
  static constexpr std::uint64_t max_n = most_blocks * tile_width;
  static constexpr std::string_view limits =
      "a picture of i32 or f32 with one channel, zeros beyond its edges; up to 4096 weights, and a tile in 48 KiB";
  static const char* cannot(const detail::convolve_impl::problem& p) { return tile_cannot(p, rows); }
  static constexpr formula work{"mask * n (9n for a mask of 9)", [](double n) { return 9 * n; }};
  static constexpr formula traffic{"at least 2n, and the tiles' halos", [](double n) { return 2 * n; }};
  static counts_of_problem counts_of(const detail::convolve_impl::problem& p) {
    const double n = static_cast<double>(p.n), mask = static_cast<double>(p.mask.count());
    return {n * mask, mask, 1, 2 * n};
  }

  template <class T, class Grid, class Fma>
  static void run(Grid& grid, global<const T> in, global<const T> mask, global<const T>, global<T> out, shape s,
                  Fma fma) {
    fill_constant_weights<T>(grid, mask, s.weights());
    const tile_grid tiles = tiles_of(s.width, s.height, tile_width, rows);
    const unsigned bytes = (tile_width + s.mask_x - 1) * (rows + s.mask_y - 1) * static_cast<unsigned>(sizeof(T));
    grid.launch_with_shared(bytes, convolve_picture_tiles<rows, T, Fma>, tiles.count(), block, in, out, s, tiles, fma);
  }
};

}  // namespace upsweep::textbook::convolve_variants
