// Box filters of floats, and variances of wide integers, with radii of up to 31, in one launch and without a
// subtraction.
//
// A run of places is filtered by van Herk's and by Gil and Werman's way, cut to the run: all its boxes hold the last
// element of the first of them, so each is a piece that ends there and a piece that begins behind. The first pieces are
// joined backwards, from that element on, and wait in shared memory; the second ones grow in a register. First runs of
// rows, a thread a column and run; then runs of columns, lanes below each other.
#pragma once

#include "upsweep/summed_area_table/cuda/summed_area_table_small_box.cuh"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::cuda {

// Filters the places first … last - 1 of a line of `length`, at most as many as a window has: give(i, part) for each.
// each(i) is element i as a part of `known` elements; wait(i, part) stores the part of place i, waited(i) returns it.
template <class Rule, class Each, class Wait, class Waited, class Give>
__device__ void filter_run(int first, int last, int radius, int begin, int length, double known, Each each, Wait wait,
                           Waited waited, Give give) {
  // Places may be counted from anywhere: the line's elements are begin … length - 1.
  using part = typename Rule::part;
  const int middle = first + radius < length ? first + radius : length - 1;
  part end{};
  double joined = 0;
#pragma unroll 4
  for (int i = middle; i >= first - radius; --i) {
    if (i >= begin) {
      end = Rule::joined(each(i), end, known, joined);
      joined += known;
    }
    if (i + radius < last) wait(i + radius, end);
  }
  part beginning{};
  double more = 0;
#pragma unroll 4
  for (int i = first; i < last; ++i) {
    const int from = i - radius > begin ? i - radius : begin;
    if (i > first && i + radius < length) {
      beginning = Rule::joined(beginning, each(i + radius), more, known);
      more += known;
    }
    const part before = waited(i);
    give(i, more > 0 ? Rule::joined(before, beginning, known * (middle - from + 1), more) : before);
  }
}

template <detail::summed_area_table_impl::box_result what, class In, class Out>
struct float_box_tile {
  using rule = std::conditional_t<what == detail::summed_area_table_impl::box_result::sum,
                                  detail::summed_area_table_impl::box_sum_of<In, Out>,
                                  std::conditional_t<what == detail::summed_area_table_impl::box_result::mean,
                                                     detail::summed_area_table_impl::box_mean_of<In, Out>,
                                                     detail::summed_area_table_impl::box_variance_of<In, Out>>>;
  using part = typename rule::part;
  static constexpr int width = 128, height = 32, threads = detail::summed_area_table_impl::cuda_box_threads, along = 16;
  static constexpr std::uint32_t pitch = width | 1;
};

template <detail::summed_area_table_impl::box_result what, class In, class Out>
__global__ void __launch_bounds__(detail::summed_area_table_impl::cuda_box_threads)
    filter_small_float_box(const __grid_constant__ small_box_arguments<In, Out> a) {
  using tile = float_box_tile<what, In, Out>;
  using rule = typename tile::rule;
  using part = typename tile::part;
  extern __shared__ __align__(16) unsigned char bytes[];
  part* const made = reinterpret_cast<part*>(bytes);  // first pieces of a row's boxes; each gives place to the result
  part* const columns = made + tile::height * tile::pitch;
  const std::uint32_t pitch = a.columns | 1;
  const int channels = static_cast<int>(a.channels), pixels = tile::width / channels,
            reach = static_cast<int>(a.radius_x) * channels;
  const auto radius_x = static_cast<int>(a.radius_x), radius_y = static_cast<int>(a.radius_y);
  const std::int64_t pixel0 = static_cast<std::int64_t>(blockIdx.x % a.tiles_across) * pixels, x0 = pixel0 * channels;
  const std::int64_t y0 = static_cast<std::int64_t>(blockIdx.x / a.tiles_across) * tile::height;
  const auto row = static_cast<std::int64_t>(a.row), width = row / channels,
             height = static_cast<std::int64_t>(a.height);
  // Rows and pixels are counted from the tile's first.
  const auto within = [](std::int64_t n, int most) { return n < most ? static_cast<int>(n) : most; };
  const int rows_here = within(height - y0, tile::height), rows_end = within(height - y0, tile::height + radius_y),
            rows_begin = -within(y0, radius_y);
  const int pixels_here = within(width - pixel0, pixels), pixels_end = within(width - pixel0, pixels + radius_x),
            pixels_begin = -within(pixel0, radius_x);

  const int down = 2 * radius_y + 1 < tile::height ? 2 * radius_y + 1 : tile::height,
            runs_down = (rows_here + down - 1) / down;
  const int strips = pixels * channels + 2 * reach;
  for (int i = static_cast<int>(threadIdx.x); i < runs_down * strips; i += tile::threads) {
    const int column = i % strips, first = i / strips * down,
              last = first + down < rows_here ? first + down : rows_here;
    const std::int64_t x = x0 - reach + column;
    if (x < 0 || x >= row) continue;
    const In* const in = a.in + y0 * static_cast<std::int64_t>(a.in_pitch) + x;
    const auto keep = [&](int y, part p) { columns[y * pitch + column] = p; };
    filter_run<rule>(
        first, last, radius_y, rows_begin, rows_end, 1,
        [&](int y) { return rule::to_accumulator(__ldg(in + y * static_cast<std::int64_t>(a.in_pitch))); }, keep,
        [&](int y) { return columns[y * pitch + column]; }, keep);
  }
  __syncthreads();  // the columns' parts are written

  const int y = static_cast<int>(threadIdx.x) % tile::height, warp = static_cast<int>(threadIdx.x) / tile::height;
  const int along = 2 * radius_x + 1 < tile::along ? 2 * radius_x + 1 : tile::along,
            runs_along = (pixels_here + along - 1) / along;
  if (y < rows_here) {
    const auto rows = static_cast<double>(
        detail::summed_area_table_impl::window_at(static_cast<std::uint64_t>(y0 + y), a.radius_y, a.height));
    const double whole = 1 / (rows * (2 * radius_x + 1));
    for (int i = warp; i < runs_along * channels; i += tile::threads / tile::height) {
      const int channel = i % channels, first = i / channels * along,
                last = first + along < pixels_here ? first + along : pixels_here;
      const part* const of_row = columns + y * pitch + reach + channel;
      part* const to = made + y * tile::pitch + channel;
      filter_run<rule>(
          first, last, radius_x, pixels_begin, pixels_end, rows, [&](int x) { return of_row[x * channels]; },
          [&](int x, part p) { to[x * channels] = p; }, [&](int x) { return to[x * channels]; },
          [&](int x, part p) {
            Out out;
            if constexpr (what == detail::summed_area_table_impl::box_result::sum) {
              out = rule::result(p, 1);
            } else {
              const int before = x - pixels_begin < radius_x ? x - pixels_begin : radius_x;
              const int after = pixels_end - 1 - x < radius_x ? pixels_end - 1 - x : radius_x;
              const double share = before + after == 2 * radius_x ? whole : 1 / (rows * (before + after + 1));
              if constexpr (what == detail::summed_area_table_impl::box_result::mean)
                out = static_cast<Out>(p * share);
              else
                out = static_cast<Out>(p.squares * share);
            }
            memcpy(&to[x * channels], &out, sizeof out);
          });
    }
  }
  __syncthreads();  // the tile's results are written

  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int r = static_cast<int>(threadIdx.x) / 32; r < rows_here; r += tile::threads / 32)
    for (int x = lane; x < pixels_here * channels; x += 32) {
      Out out;
      memcpy(&out, &made[r * tile::pitch + x], sizeof out);
      __stcs(a.out + (y0 + r) * static_cast<std::int64_t>(a.out_pitch) + x0 + x, out);
    }
}

// Returns false if the radius is too large, or if the data of each box exceeds a block's shared memory.
template <detail::summed_area_table_impl::box_result what, class In, class Out>
bool filter_with_small_float_box(device& d, const detail::summed_area_table_impl::problem& p) {
  using tile = float_box_tile<what, In, Out>;
  using part = typename tile::part;
  constexpr std::uint64_t most_bytes = 160 * 1024;
  const std::uint64_t rx = detail::summed_area_table_impl::useful_radius(p.radius.x, p.size.x),
                      ry = detail::summed_area_table_impl::useful_radius(p.radius.y, p.size.y);
  if (std::max(rx, ry) > largest_small_radius) return false;
  const std::uint64_t row = detail::summed_area_table_impl::row_of(p), pixels = tile::width / p.channels;
  small_box_arguments<In, Out> a{p.in.as<const In>(), p.out.as<Out>(), row, p.size.y, p.pitch, p.out_pitch};
  a.tiles_across = (p.size.x + pixels - 1) / pixels;
  a.channels = p.channels, a.radius_x = static_cast<std::uint32_t>(rx), a.radius_y = static_cast<std::uint32_t>(ry);
  a.before = a.radius_x * a.channels, a.columns = static_cast<std::uint32_t>(pixels * p.channels + 2 * a.before);
  const std::uint64_t bytes = tile::height * sizeof(part) * (tile::pitch + (a.columns | 1));
  if (bytes > std::min(most_bytes, d.shared_limit())) return false;
  const std::uint64_t blocks = a.tiles_across * ((p.size.y + tile::height - 1) / tile::height);
  d.allow_shared(filter_small_float_box<what, In, Out>, bytes, "box filters");
  filter_small_float_box<what, In, Out>
      <<<static_cast<unsigned>(blocks), tile::threads, static_cast<unsigned>(bytes), d.stream()>>>(a);
  return true;
}

}  // namespace upsweep::cuda
