// Box filters of floats of one channel with radii of 4 to 31, in one pass over memory and without a subtraction.
//
// A block walks down a strip, eight rows of results at a time, a thread an element's column of it and of what the boxes
// reach beside it. Eight windows that begin one after another are all that eight of them have in common, and some of
// the seven elements before that and of the seven behind it: the first are joined backwards, the others forwards. What
// all have in common is joined from sums of eights, each made once.
//
//   down     the sums of the last eights of each column wait in shared memory. The seven rows that leave are read a
//            second time, from a cache
//   along    a row of columns' sums is cut into eights, too; a lane has one of them. Lanes lie below each other, and
//            rows an odd number of sums apart: no two lanes share a bank
//   out      neighbouring lanes swap halves of their eights, so that they write 32 bytes side by side
#pragma once

#include "upsweep/cuda/warp.cuh"
#include "upsweep/integral/cuda/small_box.cuh"
#include "upsweep/integral/problem.hpp"

namespace upsweep::cuda {

template <class In, class Out>
struct float_walk_arguments {
  const In* in;
  Out* out;
  std::int64_t in_pitch, out_pitch;
  int width, height, radius_x, radius_y;
  int strips, rows;  // side by side; of a walk
  bool mean, vectors_out;
};

struct float_walk {
  static constexpr int some = 8, threads = 256, blocks = 3, smallest = 4, most_held = (2 * 31 - 6) / some;
  static constexpr int pitch = threads + 1, group_pitch = threads / some + 2;
  // Elements left of the results that are read: whole sectors. And results side by side.
  UPSWEEP_HD static constexpr int before(int radius) { return (radius + some - 1) / some * some; }
  UPSWEEP_HD static constexpr int width(int radius) {
    return (threads - before(radius) - radius) / (2 * some) * (2 * some);
  }
};

template <class Out>
__device__ void store_eight(Out* row, int x, int end, bool there, bool vectors, const Out (&r)[8]) {
  if constexpr (sizeof(Out) == 4) {
    const bool odd = x % 16 != 0, whole = there && vectors && x + 8 <= end;
    const bool both = __shfl_xor_sync(whole_warp, whole, 8) && whole;
    float4 kept, got;
    kept.x = odd ? r[4] : r[0], kept.y = odd ? r[5] : r[1], kept.z = odd ? r[6] : r[2], kept.w = odd ? r[7] : r[3];
    got.x = __shfl_xor_sync(whole_warp, odd ? r[0] : r[4], 8),
    got.y = __shfl_xor_sync(whole_warp, odd ? r[1] : r[5], 8);
    got.z = __shfl_xor_sync(whole_warp, odd ? r[2] : r[6], 8),
    got.w = __shfl_xor_sync(whole_warp, odd ? r[3] : r[7], 8);
    if (both) {
      float4* const to = reinterpret_cast<float4*>(row + x / 16 * 16) + (odd ? 1 : 0);
      __stcs(to, odd ? got : kept), __stcs(to + 2, odd ? kept : got);
      return;
    }
  }
  if (!there) return;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (x + i < end) row[x + i] = r[i];
}

template <class In, class Out>
__global__ void __launch_bounds__(float_walk::threads, float_walk::blocks)
    filter_floats(const __grid_constant__ float_walk_arguments<In, Out> a) {
  constexpr int some = float_walk::some, pitch = float_walk::pitch;
  __shared__ double columns[some * pitch + some], groups[some][float_walk::group_pitch],
      held[float_walk::most_held][float_walk::threads];
  const int thread = static_cast<int>(threadIdx.x), rx = a.radius_x, ry = a.radius_y;
  const int before = float_walk::before(rx), width = float_walk::width(rx);
  const int x0 = static_cast<int>(blockIdx.x) % a.strips * width,
            first = static_cast<int>(blockIdx.x) / a.strips * a.rows, last = min(first + a.rows, a.height);
  const int x = x0 - before + thread;
  const bool there = x >= 0 && x < a.width;
  const In* const column = a.in + (there ? x : 0);
  const auto element = [&](int y) {
    return there && static_cast<unsigned>(y) < static_cast<unsigned>(a.height) ? __ldg(column + y * a.in_pitch) : In(0);
  };

  const int held_down = (2 * ry - 6) / some, rest_down = (2 * ry - 6) % some;
  for (int g = 0; g < held_down; ++g) {
    In v[some];
#pragma unroll
    for (int i = 0; i < some; ++i) v[i] = element(first + ry + 1 - some * (held_down - g) + i);
    double sum = 0;
#pragma unroll
    for (int i = 0; i < some; ++i) sum += v[i];
    held[g][thread] = sum;
  }
  int oldest = 0;
  In leaving[some - 1], entering[some];
  const auto read = [&](int y) {
    if (y - ry >= 0 && y + ry + some < a.height) {
      const In *enter = column + (y + ry + 1) * a.in_pitch, *leave = column + (y - ry) * a.in_pitch;
#pragma unroll
      for (int i = 0; i < some; ++i, enter += a.in_pitch) entering[i] = there ? __ldg(enter) : In(0);
#pragma unroll
      for (int i = 0; i < some - 1; ++i, leave += a.in_pitch) leaving[i] = there ? __ldg(leave) : In(0);
    } else {
#pragma unroll
      for (int i = 0; i < some; ++i) entering[i] = element(y + ry + 1 + i);
#pragma unroll
      for (int i = 0; i < some - 1; ++i) leaving[i] = element(y - ry + i);
    }
  };
  read(first);

  // Along: this thread's row of the eight, and its eight results.
  const int line = thread % some, eight = thread / some, at = x0 + some * eight;
  const double* const from = columns + line * pitch + some * eight + before - rx;
  const int groups_along = (2 * rx - 7) / some, rest_along = (2 * rx - 7) % some;
  const bool mine = some * eight < width && at < a.width;
  const bool inside = at >= rx && at + some + rx <= a.width;
  const double whole = a.mean ? 1.0 / ((2 * rx + 1) * (2 * ry + 1)) : 1;

#pragma unroll 1
  for (int y = first; y < last; y += some) {
    double sum[some], common = 0, eight_rows = 0, behind = 0;
#pragma unroll
    for (int e = 0; e < some - 2; ++e)
      if (e < rest_down) common += element(y - ry + some - 1 + e);
#pragma unroll
    for (int g = 0; g < float_walk::most_held; ++g)
      if (g < held_down) common += held[g][thread];
#pragma unroll
    for (int i = some - 2; i >= 0; --i) sum[i] = behind += leaving[i];
    sum[0] += common;
#pragma unroll
    for (int i = 0; i < some; ++i) {
      const double v = entering[i];
      eight_rows += v;
      if (i + 1 == some) break;
      common += v;
      sum[i + 1] = i + 2 < some ? sum[i + 1] + common : common;
    }
    if (held_down > 0) {
      held[oldest][thread] = eight_rows;
      if (++oldest == held_down) oldest = 0;
    }
    __syncthreads();  // the columns' sums of the rows before have been read
#pragma unroll
    for (int i = 0; i < some; ++i) columns[i * pitch + thread] = sum[i];
    if (y + some < last) read(y + some);
    __syncthreads();  // the columns' sums are there

    double own = from[some - 1];
    behind = 0;
#pragma unroll
    for (int i = some - 2; i >= 0; --i) sum[i] = behind += from[i];
    if (groups_along > 0) {
      groups[line][eight] = behind + own;
      __syncthreads();  // the eights' sums are there
    }
    Out made[some];
    if (mine) {
      for (int g = 1; g <= groups_along; ++g) own += groups[line][eight + g];
      const double* const rest = from + some * (groups_along + 1);
#pragma unroll
      for (int e = 0; e < some - 1; ++e)
        if (e < rest_along) own += rest[e];
      sum[0] += own;
#pragma unroll
      for (int i = 0; i + 1 < some; ++i) {
        own += from[2 * rx + 1 + i];
        sum[i + 1] = i + 2 < some ? sum[i + 1] + own : own;
      }
      const int rows = min(y + line + ry, a.height - 1) - max(y + line - ry, 0) + 1;
      if (!a.mean || (inside && rows == 2 * ry + 1)) {
#pragma unroll
        for (int i = 0; i < some; ++i) made[i] = static_cast<Out>(sum[i] * whole);
      } else {
#pragma unroll
        for (int i = 0; i < some; ++i) {
          const int wide = min(at + i + rx, a.width - 1) - max(at + i - rx, 0) + 1;
          made[i] = static_cast<Out>(sum[i] / (static_cast<double>(rows) * max(wide, 1)));
        }
      }
    }
    store_eight(a.out + (y + line) * a.out_pitch, at, min(a.width, x0 + width), mine && y + line < last, a.vectors_out,
                made);
  }
}

// False where it is not for these kernels.
template <class In, class Out, class Kernel>
bool launch_float_walks(device& d, const integral_room::problem& p, Kernel kernel, std::size_t bytes) {
  const std::uint64_t rx = integral_room::useful_radius(p.radius.x, p.size.x),
                      ry = integral_room::useful_radius(p.radius.y, p.size.y);
  constexpr std::uint64_t most = 1u << 30;
  if (p.channels != 1 || std::min(rx, ry) < float_walk::smallest || std::max(rx, ry) > largest_small_radius ||
      std::max(p.size.x, p.size.y) > most)
    return false;
  float_walk_arguments<In, Out> a{p.in.as<const In>(), p.out.as<Out>(), static_cast<std::int64_t>(p.pitch),
                                  static_cast<std::int64_t>(p.out_pitch)};
  a.width = static_cast<int>(p.size.x), a.height = static_cast<int>(p.size.y);
  a.radius_x = static_cast<int>(rx), a.radius_y = static_cast<int>(ry);
  a.mean = p.box == integral_room::box_result::mean;
  a.vectors_out = (reinterpret_cast<std::uintptr_t>(a.out) | p.out_pitch * sizeof(Out)) % 16 == 0;
  const int width = float_walk::width(a.radius_x);
  a.strips = (a.width + width - 1) / width;
  // One walk for each block that runs at once.
  const int blocks = d.once(kernel, [&] {
    d.allow_shared(kernel, bytes, "box filters");
    int a_multiprocessor = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel, float_walk::threads, bytes),
          "box filters on cuda");
    return std::max(1, a_multiprocessor) * d.multiprocessors();
  });
  const auto share_of = [&](int walks) {
    const int parts = std::max(1, walks / a.strips);
    return (a.height + parts - 1) / parts;
  };
  // So long ones leave many of them idle in the end.
  int share = share_of(blocks);
  if (share >= integral_room::cuda_long_float_walk_windows * (2 * a.radius_y + 1)) share = share_of(3 * blocks);
  a.rows = (std::max(share, integral_room::cuda_fewest_float_walk_rows) + float_walk::some - 1) / float_walk::some *
           float_walk::some;
  const std::int64_t parts = (std::int64_t{a.height} + a.rows - 1) / a.rows;
  kernel<<<static_cast<unsigned>(parts * a.strips), float_walk::threads, bytes, d.stream()>>>(a);
  return true;
}

inline bool walk_floats(device& d, const integral_room::problem& p) {
  return launch_float_walks<float, float>(d, p, filter_floats<float, float>, 0);
}

}  // namespace upsweep::cuda
