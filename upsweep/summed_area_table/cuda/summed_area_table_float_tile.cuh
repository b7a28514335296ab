// Box filters of floats of one channel with a radius of 1, 2 or 3 that the kernel knows, the same along both axes.
//
// A block copies its part of the picture with its halo into shared memory, four elements a copy, zeros beyond the
// edges. A lane walks down four columns. It sums the elements of a row around each column in f64, and keeps the rows'
// sums of a box in registers. For variances of radius 1 it keeps the elements, too, and squares their distances from
// the box's mean. For larger radii all of a lane's 16 boxes have some elements in common: the lane sums distances from
// one of these, and their squares, as in summed_area_table_box_variance.cuh.
#pragma once

#include "upsweep/cuda/small_copy.cuh"
#include "upsweep/cuda/warp.cuh"
#include "upsweep/summed_area_table/cuda/summed_area_table_small_box.cuh"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::cuda {

struct float_tile {
  static constexpr int warps = 4, width = 4 * warp_size, most_radius = 3;
  // Rows of a lane: fewer if the unrolled code is long.
  UPSWEEP_HD static constexpr int rows(int radius, bool variance) { return variance && radius > 1 ? 4 : 8; }
};

struct float_tile_arguments {
  const float* in;
  float* out;
  std::int64_t in_pitch, out_pitch;
  int width, height;
  unsigned across;  // tiles side by side
  bool mean, vectors_in, vectors_out;
};

template <int radius, bool variance>
__global__ void __launch_bounds__(float_tile::warps* warp_size)
    filter_float_tile(const __grid_constant__ float_tile_arguments a) {
  using tile = float_tile;
  constexpr int window = 2 * radius + 1, rows = tile::rows(radius, variance), threads = tile::warps * warp_size;
  constexpr int quads = warp_size + 2, tall = tile::warps * rows + 2 * radius, lead = 4 - radius;
  alignas(16) __shared__ float elements[tall][4 * quads];
  __shared__ double inverse[window * window + 1];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % warp_size, warp = thread / warp_size;
  const int x0 = static_cast<int>(blockIdx.x % a.across) * tile::width,
            y0 = static_cast<int>(blockIdx.x / a.across) * (tile::warps * rows);
  const int rows_needed = min(tall, a.height - y0 + 2 * radius);
  const auto load = [&](int j, int q) {
    const int y = y0 - radius + j, x = x0 - 4 + 4 * q;
    const bool row_there = static_cast<unsigned>(y) < static_cast<unsigned>(a.height);
    const float* const from = a.in + (row_there ? y : 0) * a.in_pitch;
    if (a.vectors_in && row_there && x >= 0 && x + 4 <= a.width)
      return start_vector_copy(reinterpret_cast<float4*>(&elements[j][4 * q]),
                               reinterpret_cast<const float4*>(from + x));
#pragma unroll 1
    for (int e = 0; e < 4; ++e) {
      const bool there = row_there && x + e >= 0 && x + e < a.width;
      start_element_copy(&elements[j][4 * q + e], from + (there ? x + e : 0), there);
    }
  };
#pragma unroll 4
  for (int j = warp; j < rows_needed; j += tile::warps) load(j, lane);
  for (int i = thread; i < 2 * rows_needed; i += threads) load(i / 2, warp_size + i % 2);
  if (thread <= window * window) inverse[thread] = 1.0 / max(thread, 1);
  wait_small_copies();
  __syncthreads();  // the elements and the inverses are written

  const int x = x0 + 4 * lane, y = y0 + warp * rows;
  if (x >= a.width || y >= a.height) return;
  const bool inside = x >= radius && x + 4 + radius <= a.width, together = a.vectors_out && x + 4 <= a.width;
  const double whole = a.mean ? 1.0 / (window * window) : 1;
  float* to = a.out + y * a.out_pitch + x;
  constexpr bool pivots = variance && radius > 1;
  double sums[window][4], squares[pivots ? window : 1][4], held[variance && !pivots ? window : 1][4 + 2 * radius];
  double is_column[4 + 2 * radius];  // 1, or 0 beyond the edges
#pragma unroll
  for (int i = 0; i < 4 + 2 * radius; ++i) is_column[i] = x - radius + i >= 0 && x - radius + i < a.width ? 1 : 0;
  // The sums of a row over four neighbouring windows: the elements that all four have in common, then the others of
  // each.
  const auto add_row = [](const double(&d)[4 + 2 * radius], double(&now)[4]) {
    if constexpr (radius == 1) {
      const double left = d[1] + d[2], right = d[3] + d[4];
      now[0] = d[0] + left, now[1] = left + d[3], now[2] = d[2] + right, now[3] = right + d[5];
    } else {
      double common = 0;
#pragma unroll
      for (int i = 3; i < window; ++i) common += d[i];
      const double two = d[1] + d[2], next = d[window] + d[window + 1];
      now[0] = common + (d[0] + two), now[1] = (common + two) + d[window], now[2] = (common + d[2]) + next,
      now[3] = common + (next + d[window + 2]);
    }
  };
  // An element that all of the lane's boxes have, where they reach into the picture: its last row's and column's at the
  // far edges.
  double pivot = 0;
  if constexpr (pivots) pivot = elements[min(y + 1, a.height - 1) - y0 + radius][min(x + 1, a.width - 1) - x0 + 4];
#pragma unroll
  for (int j = 0; j < rows + 2 * radius; ++j) {
    float v[12];
#pragma unroll
    for (int q = 0; q < 3; ++q) {
      const float4 four = reinterpret_cast<const float4*>(elements[warp * rows + j])[lane + q];
      v[4 * q] = four.x, v[4 * q + 1] = four.y, v[4 * q + 2] = four.z, v[4 * q + 3] = four.w;
    }
    double(&d)[4 + 2 * radius] = held[variance && !pivots ? j % window : 0];
#pragma unroll
    for (int i = 0; i < 4 + 2 * radius; ++i) d[i] = v[lead + i];
    if constexpr (pivots) {
      const double apart = y + j - radius >= 0 && y + j - radius < a.height ? -pivot : 0;
#pragma unroll
      for (int i = 0; i < 4 + 2 * radius; ++i) d[i] = fma(apart, is_column[i], d[i]);
    }
    add_row(d, sums[j % window]);
    if constexpr (pivots) {
#pragma unroll
      for (double& x : d) x *= x;
      add_row(d, squares[j % window]);
    }
    if (j < 2 * radius) continue;
    const auto add_rows = [](const double(&of)[window][4], double(&box)[4]) {
#pragma unroll
      for (int p = 0; p < 4; ++p) {
        box[p] = of[0][p];
#pragma unroll
        for (int k = 1; k < window; ++k) box[p] += of[k][p];
      }
    };
    double box[4], box_squares[4];
    add_rows(sums, box);
    if constexpr (pivots) add_rows(squares, box_squares);
    const int here = y + j - 2 * radius;
    if (here >= a.height) return;
    const int high = min(here + radius, a.height - 1) - max(here - radius, 0) + 1;
    float made[4];
    if constexpr (variance) {
#pragma unroll
      for (int p = 0; p < 4; ++p) {
        const int wide = min(x + p + radius, a.width - 1) - max(x + p - radius, 0) + 1;
        const double share = inverse[high * max(wide, 1)], mean = box[p] * share;
        if constexpr (pivots) {
          const auto r = static_cast<float>(fma(-mean, box[p], box_squares[p]) * share);
          made[p] = r < 0 ? 0 : r;
          continue;
        }
        double from_mean = 0;
#pragma unroll
        for (int k = 0; k < window; ++k) {
          const double(&of_row)[4 + 2 * radius] = held[(j + 1 + k) % window];
          const int row = here - radius + k;
          const double apart = row >= 0 && row < a.height ? -mean : 0;
#pragma unroll
          for (int i = 0; i < window; ++i) {
            const double t = fma(apart, is_column[p + i], of_row[p + i]);
            from_mean = fma(t, t, from_mean);
          }
        }
        // Floats that are not all alike are further apart than the rounding of their mean: this is nothing but that.
        if (from_mean < mean * mean * 0x1p-96) from_mean = 0;
        made[p] = static_cast<float>(from_mean * share);
      }
    } else if (!a.mean || (inside && high == window)) {
#pragma unroll
      for (int p = 0; p < 4; ++p) made[p] = static_cast<float>(box[p] * whole);
    } else {
#pragma unroll
      for (int p = 0; p < 4; ++p) {
        const int wide = min(x + p + radius, a.width - 1) - max(x + p - radius, 0) + 1;
        made[p] = static_cast<float>(box[p] * inverse[high * max(wide, 1)]);
      }
    }
    if (together) {
      __stcs(reinterpret_cast<float4*>(to), make_float4(made[0], made[1], made[2], made[3]));
    } else {
#pragma unroll
      for (int p = 0; p < 4; ++p)
        if (x + p < a.width) to[p] = made[p];
    }
    to += a.out_pitch;
  }
}

// False where it is not for this kernel.
template <bool variance>
bool filter_float_tiles(device& d, const detail::summed_area_table_impl::problem& p) {
  const std::uint64_t radius = detail::summed_area_table_impl::useful_radius(p.radius.x, p.size.x);
  constexpr std::uint64_t most = 1u << 30;
  if (p.channels != 1 || radius != detail::summed_area_table_impl::useful_radius(p.radius.y, p.size.y) || radius < 1 ||
      radius > float_tile::most_radius || std::max(p.size.x, p.size.y) > most)
    return false;
  float_tile_arguments a{p.in.as<const float>(), p.out.as<float>(), static_cast<std::int64_t>(p.pitch),
                         static_cast<std::int64_t>(p.out_pitch)};
  a.width = static_cast<int>(p.size.x), a.height = static_cast<int>(p.size.y);
  a.mean = p.box == detail::summed_area_table_impl::box_result::mean;
  const auto whole_vectors = [](const void* base, std::uint64_t pitch) {
    return (reinterpret_cast<std::uintptr_t>(base) | pitch * sizeof(float)) % 16 == 0;
  };
  a.vectors_in = whole_vectors(a.in, p.pitch), a.vectors_out = whole_vectors(a.out, p.out_pitch);
  a.across = static_cast<unsigned>((a.width + float_tile::width - 1) / float_tile::width);
  const int high = float_tile::warps * float_tile::rows(static_cast<int>(radius), variance);
  const auto down = static_cast<unsigned>((a.height + high - 1) / high);
  constexpr int threads = float_tile::warps * warp_size;
  switch (radius) {
    case 1: filter_float_tile<1, variance><<<a.across * down, threads, 0, d.stream()>>>(a); break;
    case 2: filter_float_tile<2, variance><<<a.across * down, threads, 0, d.stream()>>>(a); break;
    default: filter_float_tile<3, variance><<<a.across * down, threads, 0, d.stream()>>>(a); break;
  }
  return true;
}

}  // namespace upsweep::cuda
