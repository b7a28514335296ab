// Boxes of integers of any size, from a table in scratch memory: the difference of wrapped sums is right if the box's
// own sum fits.
#pragma once

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/summed_area_table/cuda/summed_area_table_cuda_tuning.hpp"
#include "upsweep/summed_area_table/summed_area_table_box.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::cuda {

// A thread computes one element of a piece of a row; the four look-ups of neighbours are adjacent.
template <class Rule, class T, class Out>
__global__ void __launch_bounds__(detail::summed_area_table_impl::cuda_box_threads)
    sum_boxes_from_table(const T* table, std::uint64_t pitch, Out* out, std::uint64_t out_pitch, extent size,
                         std::uint32_t channels, extent radius) {
  const std::uint64_t row = size.x * channels, across = (row + blockDim.x - 1) / blockDim.x;
  for (std::uint64_t piece = blockIdx.x; piece < across * size.y; piece += gridDim.x) {
    const std::uint64_t x = piece % across * blockDim.x + threadIdx.x, y = piece / across;
    if (x >= row) continue;
    const std::uint64_t pixel = x / channels, channel = x % channels;
    const std::uint64_t columns = detail::summed_area_table_impl::window_at(pixel, radius.x, size.x),
                        rows = detail::summed_area_table_impl::window_at(y, radius.y, size.y);
    const std::uint64_t x0 = pixel < radius.x ? 0 : pixel - radius.x, y0 = y < radius.y ? 0 : y - radius.y;
    const auto before = [&](std::uint64_t end_x, std::uint64_t end_y) {
      return end_x && end_y ? table[(end_y - 1) * pitch + (end_x - 1) * channels + channel] : T{0};
    };
    const T sum = before(x0 + columns, y0 + rows) - before(x0, y0 + rows) - before(x0 + columns, y0) + before(x0, y0);
    out[y * out_pitch + x] = Rule::result(sum, rows * columns);
  }
}

template <class Rule, class T, class Out>
void boxes_from_table(device& d, const detail::summed_area_table_impl::problem& p,
                      void (*make_table)(device&, const detail::summed_area_table_impl::problem&)) {
  detail::summed_area_table_impl::problem sums = p;
  const std::uint64_t row = detail::summed_area_table_impl::row_of(p),
                      threads = detail::summed_area_table_impl::cuda_box_threads;
  sums.what = detail::summed_area_table_impl::primitive::summed_area_table;
  sums.out_type = sizeof(T) == 4 ? dtype::u32 : p.type == dtype::i32 ? dtype::i64 : dtype::u64;
  sums.out_pitch = (row + 3) / 4 * 4;
  sums.out = d.scratch("integral/box table", sums.out_pitch * p.size.y * sizeof(T));
  make_table(d, sums);
  const extent radius{detail::summed_area_table_impl::useful_radius(p.radius.x, p.size.x),
                      detail::summed_area_table_impl::useful_radius(p.radius.y, p.size.y), 0};
  const std::uint64_t blocks = std::min<std::uint64_t>((row + threads - 1) / threads * p.size.y, 1u << 30);
  sum_boxes_from_table<Rule, T, Out>
      <<<static_cast<unsigned>(blocks), detail::summed_area_table_impl::cuda_box_threads, 0, d.stream()>>>(
          sums.out.as<const T>(), sums.out_pitch, p.out.as<Out>(), p.out_pitch, p.size, p.channels, radius);
}

}  // namespace upsweep::cuda
