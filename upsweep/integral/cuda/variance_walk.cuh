// Variances of boxes of floats of one channel with radii of 4 to 31, in one pass over memory.
//
// The walk of float_walk.cuh, but what is summed are distances from an element that all eight windows hold, and their
// squares. With k elements, one of which is the pivot p, (mean - p)² is at most k times the variance: so Σd² - (Σd)²/k
// loses k roundings of f64 at most, whatever the elements are. Of eights, and of columns, their own means are kept, and
// the squared distances from these; towards another pivot only what is not negative is added to them.
#pragma once

#include "upsweep/integral/cuda/float_walk.cuh"

namespace upsweep::cuda {

struct variance_walk_shared {
  static constexpr int cells = float_walk::some * float_walk::pitch + float_walk::some;
  double inverse[64];  // of the numbers of rows, and of columns
  double means[cells], squares[cells];
  double group_means[float_walk::some][float_walk::group_pitch],
      group_squares[float_walk::some][float_walk::group_pitch];
  double held_means[float_walk::most_held][float_walk::threads],
      held_squares[float_walk::most_held][float_walk::threads];
};

// Σd and Σd² of some elements' distances from a pivot.
struct distances {
  double sum = 0, squares = 0;
  __device__ void add(double d) {
    sum += d;
    squares = fma(d, d, squares);
  }
  // Those of k elements with that mean's distance, and those squared distances from their mean.
  __device__ void add(double k, double d, double from_mean) {
    sum = fma(k, d, sum);
    squares = fma(k * d, d, squares + from_mean);
  }
  __device__ void add(const distances& o) { sum += o.sum, squares += o.squares; }
  // The squared distances from the mean.
  __device__ double from_mean(double inverse) const {
    const double s = fma(-sum * inverse, sum, squares);
    return s < 0 ? 0 : s;
  }
};

// Of first … first + count - 1, those that lie in 0 … n - 1.
__device__ inline int places_within(int first, int count, int n) {
  return max(0, min(first + count, n) - max(first, 0));
}

template <class In, class Out>
__global__ void __launch_bounds__(float_walk::threads, 2)
    filter_variances(const __grid_constant__ float_walk_arguments<In, Out> a) {
  constexpr int some = float_walk::some, pitch = float_walk::pitch;
  extern __shared__ __align__(16) unsigned char variance_bytes[];
  auto& shared = *reinterpret_cast<variance_walk_shared*>(variance_bytes);
  const int thread = static_cast<int>(threadIdx.x), rx = a.radius_x, ry = a.radius_y;
  const int before = float_walk::before(rx), width = float_walk::width(rx);
  const int x0 = static_cast<int>(blockIdx.x) % a.strips * width,
            first = static_cast<int>(blockIdx.x) / a.strips * a.rows, last = min(first + a.rows, a.height);
  const int x = x0 - before + thread;
  const bool there = x >= 0 && x < a.width;
  const In* const column = a.in + (there ? x : 0);
  const auto row_there = [&](int y) { return static_cast<unsigned>(y) < static_cast<unsigned>(a.height); };
  const auto element = [&](int y) { return there && row_there(y) ? __ldg(column + y * a.in_pitch) : In(0); };
  if (thread < 64) shared.inverse[thread] = 1.0 / max(thread, 1);
  __syncthreads();  // the inverses are there

  // The mean of eight rows from y on, given where it is about; and the squared distances from it.
  const auto hold = [&](int g, int y, const In(&v)[some]) {
    const int rows = places_within(y, some, a.height);
    const double pivot = y < 0 ? In(0) : v[0];
    distances all;
#pragma unroll
    for (int i = 0; i < some; ++i)
      if (row_there(y + i)) all.add(v[i] - pivot);
    const double mean = all.sum * shared.inverse[rows] + pivot;
    double squares = 0;
#pragma unroll
    for (int i = 0; i < some; ++i) {
      const double d = row_there(y + i) ? v[i] - mean : 0;
      squares = fma(d, d, squares);
    }
    shared.held_means[g][thread] = mean, shared.held_squares[g][thread] = squares;
  };
  const int held_down = (2 * ry - 6) / some, rest_down = (2 * ry - 6) % some;
  for (int g = 0; g < held_down; ++g) {
    const int y = first + ry + 1 - some * (held_down - g);
    In v[some];
#pragma unroll
    for (int i = 0; i < some; ++i) v[i] = element(y + i);
    hold(g, y, v);
  }
  int oldest = 0;
  In leaving[some - 1], entering[some], pivot_row;
  const auto read = [&](int y) {
    pivot_row = element(min(y + 3, a.height - 1));
#pragma unroll
    for (int i = 0; i < some; ++i) entering[i] = element(y + ry + 1 + i);
#pragma unroll
    for (int i = 0; i < some - 1; ++i) leaving[i] = element(y - ry + i);
  };
  read(first);

  const int line = thread % some, eight = thread / some, at = x0 + some * eight;
  const int here = line * pitch + some * eight + before - rx, left = at - rx;  // of the eight's first column
  const double *const means = shared.means + here, *const squares = shared.squares + here;
  const int groups_along = (2 * rx - 7) / some, rest_along = (2 * rx - 7) % some;
  const bool mine = some * eight < width && at < a.width;

#pragma unroll 1
  for (int y = first; y < last; y += some) {
    const double pivot = pivot_row;
    distances sums[some], common, behind;
#pragma unroll
    for (int e = 0; e < some - 2; ++e)
      if (e < rest_down && row_there(y - ry + some - 1 + e)) common.add(element(y - ry + some - 1 + e) - pivot);
#pragma unroll
    for (int g = 0; g < float_walk::most_held; ++g)
      if (g < held_down) {
        const int age = g < oldest ? g - oldest + held_down : g - oldest;
        const int rows = places_within(y - ry + some - 1 + rest_down + some * age, some, a.height);
        common.add(rows, shared.held_means[g][thread] - pivot, shared.held_squares[g][thread]);
      }
#pragma unroll
    for (int i = some - 2; i >= 0; --i) {
      if (row_there(y - ry + i)) behind.add(leaving[i] - pivot);
      sums[i] = behind;
    }
    sums[0].add(common);
#pragma unroll
    for (int i = 0; i + 1 < some; ++i) {
      if (row_there(y + ry + 1 + i)) common.add(entering[i] - pivot);
      sums[i + 1].add(common);
    }
    if (held_down > 0) {
      hold(oldest, y + ry + 1, entering);
      if (++oldest == held_down) oldest = 0;
    }
    __syncthreads();  // the columns' sums of the rows before have been read
#pragma unroll
    for (int i = 0; i < some; ++i) {
      const double inverse = shared.inverse[places_within(y + i - ry, 2 * ry + 1, a.height)];
      shared.means[i * pitch + thread] = fma(sums[i].sum, inverse, pivot);
      shared.squares[i * pitch + thread] = sums[i].from_mean(inverse);
    }
    if (y + some < last) read(y + some);
    __syncthreads();  // the columns' means are there

    const int high = places_within(y + line - ry, 2 * ry + 1, a.height);
    const auto column_there = [&](int i) { return left + i >= 0 && left + i < a.width; };
    if (groups_along > 0) {
      const int wide = places_within(left, some, a.width);
      double mean = 0, from_means = 0, apart = 0;
#pragma unroll
      for (int i = 0; i < some; ++i)
        if (column_there(i)) mean += means[i], from_means += squares[i];
      mean *= shared.inverse[wide];
#pragma unroll
      for (int i = 0; i < some; ++i) {
        const double d = column_there(i) ? means[i] - mean : 0;
        apart = fma(d, d, apart);
      }
      shared.group_means[line][eight] = mean;
      shared.group_squares[line][eight] = fma(static_cast<double>(high), apart, from_means);
      __syncthreads();  // the eights' means are there
    }
    Out made[some];
    if (mine) {
      const double middle = means[rx + min(3, a.width - 1 - at)], rows = high;
      const auto add = [&](distances& to, int i) {
        if (column_there(i)) to.add(rows, means[i] - middle, squares[i]);
      };
      // Sums of as many distances as there are rows: of the columns' means.
      distances all, ends;
      add(all, some - 1);
#pragma unroll
      for (int i = some - 2; i >= 0; --i) {
        add(ends, i);
        sums[i] = ends;
      }
      sums[some - 1] = distances();
      for (int g = 1; g <= groups_along; ++g)
        all.add(rows * places_within(left + some * g, some, a.width), shared.group_means[line][eight + g] - middle,
                shared.group_squares[line][eight + g]);
      for (int e = 0; e < rest_along; ++e) add(all, some * (groups_along + 1) + e);
#pragma unroll
      for (int i = 0; i < some; ++i) {
        if (i > 0) add(all, 2 * rx + i);
        sums[i].add(all);
        const double inverse =
            shared.inverse[high] * shared.inverse[max(1, places_within(at + i - rx, 2 * rx + 1, a.width))];
        made[i] = static_cast<Out>(sums[i].from_mean(inverse) * inverse);
      }
    }
    store_eight(a.out + (y + line) * a.out_pitch, at, min(a.width, x0 + width), mine && y + line < last, a.vectors_out,
                made);
  }
}

// False where it is not for this kernel.
inline bool walk_variances(device& d, const integral_room::problem& p) {
  constexpr std::size_t bytes = sizeof(variance_walk_shared);
  if (bytes > d.shared_limit()) return false;
  return launch_float_walks<float, float>(d, p, filter_variances<float, float>, bytes);
}

}  // namespace upsweep::cuda
