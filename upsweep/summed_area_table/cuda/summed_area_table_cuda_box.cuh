// Box filters by M. van Herk and by J. Gil and M. Werman. A line is divided into blocks as long as the window. Any
// window is the end of one block joined with the beginning of the next, or one of the two. The filter first runs down
// the columns, then along the rows of the result.
//
// Down the columns a thread slides along one column. It writes the ends of a block to scratch memory, from the last row
// to the first. Then it computes the block's windows, from the first to the last: each joins an end read back with the
// beginning of the next block, which grows in a register. Along the rows a thread does the same for each row, on
// columns that were written transposed, so that neighbouring threads again read adjacent elements.
#pragma once

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/summed_area_table/cuda/summed_area_table_cuda_tuning.hpp"
#include "upsweep/summed_area_table/summed_area_table_box.hpp"

namespace upsweep::cuda {

// Slides the window along block b of a line: out(i, part) for each i of it. `each(i)` is element i as a part, of
// `known` elements each.
template <class Rule, class Each, class Give>
__device__ void slide_over_block(std::uint64_t b, std::uint64_t length, std::uint64_t radius, double known,
                                 typename Rule::part* ends, std::uint64_t ends_step, Each each, Give give) {
  using part = typename Rule::part;
  // Windows that begin in the block: those around first + radius … last - 1 + radius; the very first also serves the
  // places before `radius`.
  const std::uint64_t window = 2 * radius + 1, first = b * window,
                      last = first + window < length ? first + window : length;
  part end{};
  for (std::uint64_t i = last; i-- > first;) {
    end = Rule::joined(each(i), end, known, known * static_cast<double>(last - 1 - i));
    ends[i * ends_step] = end;
  }
  if (b == 0) {  // windows cut off by the line's beginning: they begin at 0 and end at `radius` … 2 · radius - 1
    part beginning{};
    std::uint64_t joined = 0;
    for (std::uint64_t to = 0; to < length && to < 2 * radius; ++to, ++joined) {
      beginning = Rule::joined(beginning, each(to), known * static_cast<double>(joined), known);
      if (to >= radius) give(to - radius, beginning);
    }
    // Elements whose window is cut off at both sides.
    if (length <= 2 * radius)
      for (std::uint64_t i = length > radius ? length - radius : 0; i < length && i < radius; ++i) give(i, beginning);
  }
  part beginning{};
  std::uint64_t joined = 0;
  for (std::uint64_t from = first; from < last; ++from) {
    const std::uint64_t i = from + radius;
    if (i >= length) break;
    if (from > first && from + window - 1 < length) {
      beginning = Rule::joined(beginning, each(from + window - 1), known * static_cast<double>(joined), known);
      ++joined;
    }
    give(i, Rule::joined(ends[from * ends_step], beginning, known * static_cast<double>(last - from),
                         known * static_cast<double>(joined)));
  }
}

// A thread a column and block of it: parts to `columns`, transposed: of column x and row y at x · height + y.
template <class Rule, class In>
__global__ void __launch_bounds__(detail::summed_area_table_impl::cuda_box_threads)
    slide_down(const In* in, std::uint64_t row, std::uint64_t height, std::uint64_t pitch, std::uint64_t radius,
               typename Rule::part* ends, typename Rule::part* columns) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x, x = i % row, b = i / row;
  if (b * (2 * radius + 1) >= height) return;
  slide_over_block<Rule>(
      b, height, radius, 1, ends + x, row, [&](std::uint64_t y) { return Rule::to_accumulator(in[y * pitch + x]); },
      [&](std::uint64_t y, typename Rule::part sum) { columns[x * height + y] = sum; });
}

// A thread a row, channel and block.
template <class Rule, class Out>
__global__ void __launch_bounds__(detail::summed_area_table_impl::cuda_box_threads)
    slide_along(const typename Rule::part* columns, std::uint64_t width, std::uint64_t height, std::uint32_t channels,
                std::uint64_t pitch, std::uint64_t radius, std::uint64_t radius_down, typename Rule::part* ends,
                Out* out) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x, y = i % height,
                      c = i / height % channels, b = i / height / channels;
  if (b * (2 * radius + 1) >= width) return;
  const std::uint64_t rows = detail::summed_area_table_impl::window_at(y, radius_down, height),
                      step = channels * height, offset = c * height + y;
  slide_over_block<Rule>(
      b, width, radius, static_cast<double>(rows), ends + offset, step,
      [&](std::uint64_t x) { return columns[x * step + offset]; },
      [&](std::uint64_t x, typename Rule::part sum) {
        out[y * pitch + x * channels + c] =
            Rule::result(sum, rows * detail::summed_area_table_impl::window_at(x, radius, width));
      });
}

}  // namespace upsweep::cuda
