// convolve/shared-tile
//
// Source    the course report's optimized kernel: constant mask, and the block's input with its halo in shared memory.
// Teaches   a tile with a halo: a block's results need its own elements and a few on either side. They are read from
//           global memory once, side by side, and then as often as the mask asks from shared memory.
// Work      mask * n: the zeros beyond the ends lie in the tile and are multiplied too. Span: the mask. Launches 1.
// Wrong     still one load from shared memory, and one constant, for each product: shared memory, not arithmetic, is
//           the limit.
// Fixed by  convolve/register-blocked.
// Differs   the report loads the halo by the threads at the block's ends, one element each, so that a mask longer than
//           the block, or an even one, reads what nobody has loaded. Here all threads load in turn until the tile is
//           full, whatever the mask.
#pragma once

#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/textbook/convolve_weights.cuh"

namespace upsweep::textbook::convolve_variants {

// The elements under a block's results, and zeros where there are none. `first` is the place of the tile's first
// result.
template <class T>
__device__ void load_row_tile(const shared_pointer<T>& tile, global<const T> in, std::uint64_t first, unsigned elements,
                              const shape& s) {
  for (unsigned t = threadIdx.x; t < elements; t += blockDim.x)
    tile[t] = inside(first + t, s.before_x, s.width) ? static_cast<T>(in[first + t - s.before_x]) : T(0);
}

template <class T, class Fma>
__global__ void convolve_tiles(global<const T> in, global<T> out, shape s, Fma fma) {
  UPSWEEP_DYNAMIC_SHARED(T, tile);
  const std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x;
  load_row_tile<T>(tile, in, first, blockDim.x + s.mask_x - 1, s);
  __syncthreads();  // the tile is full before anybody reads what another thread has loaded
  const std::uint64_t x = first + threadIdx.x;
  if (x >= s.width) return;
  T sum = 0;
  for (unsigned i = 0; i < s.mask_x; ++i) sum = fma(sum, constant_weight<T>(s.at(i, 0)), tile[threadIdx.x + i]);
  out[x] = sum;
}

template <unsigned block = 256>
struct shared_tile : defaults {
  static constexpr std::string_view name = "convolve/shared-tile";
  static constexpr int year = 2018;
  static constexpr std::string_view source = "utcs";
  static constexpr std::string_view teaches =
      "a tile of the input with its halo in shared memory, the mask in constant memory";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr std::string_view limits = "one row of i32 or f32, zeros beyond its ends; up to 4096 weights";
  static constexpr auto cannot = constant_row_cannot;
  static constexpr formula work{"mask * n (9n for a mask of 9)", [](double n) { return 9 * n; }};
  static constexpr formula traffic{"at least 2n, and mask - 1 a block", [](double n) { return 2 * n; }};
  static counts_of_problem counts_of(const detail::convolve_impl::problem& p) {
    const double n = static_cast<double>(p.n), mask = static_cast<double>(p.mask.x);
    return {n * mask, mask, 1, 2 * n};
  }

  template <class T, class Grid, class Fma>
  static void run(Grid& grid, global<const T> in, global<const T> mask, global<const T>, global<T> out, shape s,
                  Fma fma) {
    fill_constant_weights<T>(grid, mask, s.weights());
    const unsigned bytes = (block + s.mask_x - 1) * static_cast<unsigned>(sizeof(T));
    grid.launch_with_shared(bytes, convolve_tiles<T, Fma>, blocks_for(s.width, block), block, in, out, s, fma);
  }
};

}  // namespace upsweep::textbook::convolve_variants
