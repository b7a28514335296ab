// convolve/constant-mask
//
// Source    the course report, and NVIDIA's Image Convolution with CUDA, V. Podlozhnyuk, 2007.
// Teaches   constant memory: all lanes of a warp want the same weight at the same time, and its cache hands one word to
//           all of them at once. It is filled before the launch, from device memory.
// Work      as convolve/naive. Span: the mask. Launches 1.
// Wrong     elements are still read from global memory once for each weight; and constant memory is small, 64 KiB for
//           everybody.
// Fixed by  convolve/shared-tile.
#pragma once

#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/textbook/convolve_weights.cuh"

namespace upsweep::textbook::convolve_variants {

template <class T, class Fma>
__global__ void convolve_with_constants(global<const T> in, global<T> out, shape s, Fma fma) {
  const std::uint64_t x = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (x >= s.width) return;
  T sum = 0;
  for (unsigned i = 0; i < s.mask_x; ++i)
    if (inside(x + i, s.before_x, s.width)) sum = fma(sum, constant_weight<T>(s.at(i, 0)), in[x + i - s.before_x]);
  out[x] = sum;
}

template <unsigned block = 256>
struct constant_mask : defaults {
  static constexpr std::string_view name = "convolve/constant-mask";
  static constexpr int year = 2007;
  static constexpr std::string_view source = "utcs; Podlozhnyuk";
  static constexpr std::string_view teaches =
      "the mask in constant memory, which hands one weight to a whole warp at once";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr std::string_view limits = "one row of i32 or f32, zeros beyond its ends; up to 4096 weights";
  static constexpr auto cannot = constant_row_cannot;
  static constexpr formula traffic{"at least 2n, each element once a warp and weight", [](double n) { return 2 * n; }};
  static counts_of_problem counts_of(const detail::convolve_impl::problem& p) {
    return {products_inside(p.size.x, p.mask.x, p.anchor.x), static_cast<double>(p.mask.x), 1,
            2.0 * static_cast<double>(p.n)};
  }

  template <class T, class Grid, class Fma>
  static void run(Grid& grid, global<const T> in, global<const T> mask, global<const T>, global<T> out, shape s,
                  Fma fma) {
    fill_constant_weights<T>(grid, mask, s.weights());
    grid.launch(convolve_with_constants<T, Fma>, blocks_for(s.width, block), block, in, out, s, fma);
  }
};

}  // namespace upsweep::textbook::convolve_variants
