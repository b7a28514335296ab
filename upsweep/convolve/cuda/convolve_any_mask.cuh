// Any mask over any picture or volume: a thread computes four results in a column, so that an element is used for up to
// four products.
#pragma once

#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/convolve/cuda/convolve_cuda_tuning.hpp"
#include "upsweep/cuda/cuda_device.hpp"

namespace upsweep::cuda {

template <class In, class Out, class Sum>
struct any_arguments {
  const In* in;
  Out* out;
  const Sum* mask;
  std::int64_t in_x, in_y, in_z, out_row, out_y, out_z, in_pitch, out_pitch;  // out_row: elements
  std::int64_t mask_x, mask_y, mask_z, before_x, before_y, before_z;
  int channels;
  border edge;
  bool turned;
};

template <class In, class Out, class Sum>
__global__ void __launch_bounds__(detail::convolve_impl::any_threads)
    convolve_anything(const __grid_constant__ any_arguments<In, Out, Sum> a) {
  constexpr int results = detail::convolve_impl::any_results, threads = detail::convolve_impl::any_threads;
  const std::int64_t across = (a.out_row + threads - 1) / threads, down = (a.out_y + results - 1) / results;
  const std::int64_t block = blockIdx.x, e = block % across * threads + threadIdx.x;
  const std::int64_t y = block / across % down * results, z = block / across / down;
  if (e >= a.out_row) return;
  const std::int64_t x = e / a.channels - a.before_x, channel = e % a.channels,
                     weights = a.mask_x * a.mask_y * a.mask_z;
  Sum sum[results] = {};
  for (std::int64_t k = 0; k < a.mask_z; ++k) {
    const std::int64_t from_z = border_index(a.edge, z + k - a.before_z, a.in_z);
    if (from_z < 0) continue;
    for (std::int64_t j = 0; j < a.mask_y + results - 1; ++j) {
      const std::int64_t from_y = border_index(a.edge, y + j - a.before_y, a.in_y);
      if (from_y < 0) continue;
      const In* const row = a.in + (from_z * a.in_y + from_y) * a.in_pitch + channel;
      for (std::int64_t i = 0; i < a.mask_x; ++i) {
        const std::int64_t from_x = border_index(a.edge, x + i, a.in_x);
        if (from_x < 0) continue;
        const Sum v = detail::convolve_impl::to_accumulator<Sum>(row[from_x * a.channels]);
#pragma unroll
        for (int r = 0; r < results; ++r)
          if (j >= r && j - r < a.mask_y) {
            const std::int64_t at = (k * a.mask_y + j - r) * a.mask_x + i;
            sum[r] += a.mask[a.turned ? weights - 1 - at : at] * v;
          }
      }
    }
  }
#pragma unroll
  for (int r = 0; r < results; ++r)
    if (y + r < a.out_y) a.out[(z * a.out_y + y + r) * a.out_pitch + e] = detail::convolve_impl::stored<Out>(sum[r]);
}

}  // namespace upsweep::cuda
