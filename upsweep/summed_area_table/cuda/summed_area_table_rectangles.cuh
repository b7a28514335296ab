// Sums over rectangles from a table: a thread a rectangle and channel, its four loads under way together.
#pragma once

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/summed_area_table/cuda/summed_area_table_cuda_tuning.hpp"

namespace upsweep::cuda {

// Integers are given as unsigned ones: differences modulo 2^bits.
template <class T>
__global__ void __launch_bounds__(detail::summed_area_table_impl::cuda_rectangle_threads)
    sum_rectangles(const T* table, const std::uint64_t* rectangles, T* out, std::uint64_t m, std::uint32_t channels,
                   std::uint64_t pitch) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x, k = i / channels,
                      channel = i % channels;
  if (k >= m) return;
  const std::uint64_t x0 = rectangles[4 * k], y0 = rectangles[4 * k + 1], x1 = rectangles[4 * k + 2],
                      y1 = rectangles[4 * k + 3];
  const auto at = [&](std::uint64_t x, std::uint64_t y) {
    return x && y ? table[(y - 1) * pitch + (x - 1) * channels + channel] : T(0);
  };
  T sum = 0;
  if (x0 < x1 && y0 < y1) sum = (at(x1, y1) - at(x0, y1)) - (at(x1, y0) - at(x0, y0));
  out[i] = sum;
}

}  // namespace upsweep::cuda
