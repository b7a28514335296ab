// convolve/naive
//
// Source    the course report's first kernel: GPU Accelerated Computing Using CUDA, UT Austin.
// Teaches   a thread a result: every result needs its own few elements and nobody else's results, so that there is
//           nothing to synchronize. Beyond the ends are zeros, which are left out.
// Work      a multiplication and an addition for each element of the mask and each result, less those outside. Span:
//           the mask. Launches 1.
// Wrong     each element is read by as many threads as the mask is long, and each weight by all of them: two loads a
//           product.
// Fixed by  convolve/constant-mask for the weights, convolve/shared-tile for the elements.
#pragma once

#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/textbook/convolve_weights.cuh"

namespace upsweep::textbook::convolve_variants {

template <class T, class Fma>
__global__ void convolve_naively(global<const T> in, global<const T> mask, global<T> out, shape s, Fma fma) {
  const std::uint64_t x = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (x >= s.width) return;
  T sum = 0;
  for (unsigned i = 0; i < s.mask_x; ++i)
    if (inside(x + i, s.before_x, s.width)) sum = fma(sum, mask[s.at(i, 0)], in[x + i - s.before_x]);
  out[x] = sum;
}

template <unsigned block = 256>
struct naive : defaults {
  static constexpr std::string_view name = "convolve/naive";
  static constexpr int year = 2018;
  static constexpr std::string_view source = "utcs";
  static constexpr std::string_view teaches =
      "a thread a result, mask and input in global memory: two loads for each product";
  static constexpr std::uint64_t max_n = most_blocks * block;
  static constexpr std::string_view limits = "one row of i32 or f32, zeros beyond its ends";
  static constexpr auto cannot = row_cannot;
  static constexpr formula traffic{"at least 2n, each element and weight once a warp", [](double n) { return 2 * n; }};
  static counts_of_problem counts_of(const detail::convolve_impl::problem& p) {
    return {products_inside(p.size.x, p.mask.x, p.anchor.x), static_cast<double>(p.mask.x), 1,
            2.0 * static_cast<double>(p.n)};
  }

  template <class T, class Grid, class Fma>
  static void run(Grid& grid, global<const T> in, global<const T> mask, global<const T>, global<T> out, shape s,
                  Fma fma) {
    grid.launch(convolve_naively<T, Fma>, blocks_for(s.width, block), block, in, mask, out, s, fma);
  }
};

}  // namespace upsweep::textbook::convolve_variants
