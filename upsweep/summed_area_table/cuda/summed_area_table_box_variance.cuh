// Variances of boxes of floats of one channel with radii of 4 to 31, in one pass over memory.
//
// The walk of summed_area_table_box_float.cuh, but it sums distances from a pivot, and their squares. The pivot is the
// mean of elements that all eight windows hold, or one of them. With k elements, m of which have the pivot as their
// mean, (mean - pivot)² is at most k / m times the variance: so Σd² - (Σd)² / k loses k roundings of f64 at most,
// whatever the elements are. Of eights, and of several of them, the mean and the squared distances from it are kept
// (Chan, Golub, LeVeque).
#pragma once

#include "upsweep/summed_area_table/cuda/summed_area_table_box_float.cuh"

namespace upsweep::cuda {

// Some elements: their mean, and the sum of their squared distances from it.
struct spread {
  double mean = 0, squares = 0;
};

// The spread of a followed by b; `share` is b's part of the number of both, `weight` is that times the number of a.
__device__ inline spread joined(const spread& a, const spread& b, double share, double weight) {
  const double apart = b.mean - a.mean;
  return {fma(apart, share, a.mean), fma(apart * apart, weight, a.squares + b.squares)};
}

// Σd and Σd² of some elements' distances from a pivot.
struct distances {
  double sum = 0, squares = 0;
  __device__ void add(double d) {
    sum += d;
    squares = fma(d, d, squares);
  }
  // Adds an item with the distance d whose own squared distances sum to `own`.
  __device__ void add(double d, double own) {
    sum += d;
    squares += fma(d, d, own);
  }
  __device__ void add(const distances& o) { sum += o.sum, squares += o.squares; }
  __device__ double from_mean(double inverse) const { return fma(-sum * inverse, sum, squares); }
};

// The number of the places first … first + count - 1 that are in 0 … n - 1.
__device__ inline int places_within(int first, int count, int n) {
  return max(0, min(first + count, n) - max(first, 0));
}

struct variance_walk {
  static constexpr int cells = float_walk::some * float_walk::threads;
  static constexpr std::size_t bytes(int radius) {
    return (2 * 64 + 2 * cells + 2 * float_walk::eights(radius) * float_walk::threads) * sizeof(double);
  }
};

template <int rest>
__global__ void __launch_bounds__(float_walk::threads, 2)
    filter_variances(const __grid_constant__ float_walk_arguments a) {
  constexpr int some = float_walk::some, threads = float_walk::threads, cells = variance_walk::cells;
  extern __shared__ __align__(16) unsigned char walk_bytes[];
  double *const inverse = reinterpret_cast<double*>(walk_bytes), *const number = inverse + 64,
                *const means = number + 64, *const squares = means + cells, *const held = squares + cells;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % warp_size, warp = thread / warp_size;
  const int rx = a.radius_x, ry = a.radius_y, eights = float_walk::eights(ry);
  const int width = float_walk::width(rx), skipped = float_walk::skipped(rx);
  const int x0 = static_cast<int>(blockIdx.x) % a.strips * width,
            first = static_cast<int>(blockIdx.x) / a.strips * a.rows, last = min(first + a.rows, a.height);
  const int column0 = x0 - float_walk::before(rx), x = column0 + thread;
  const bool there = x >= 0 && x < a.width;
  const float* const column = a.in + (there ? x : 0);
  const auto row_there = [&](int y) { return static_cast<unsigned>(y) < static_cast<unsigned>(a.height); };
  const auto element = [&](int y) { return there && row_there(y) ? __ldg(column + y * a.in_pitch) : 0.0f; };
  if (thread < 64) inverse[thread] = 1.0 / max(thread, 1), number[thread] = thread;
  __syncthreads();  // the inverses are written

  const auto join = [&](const spread& one, int ones, const spread& other, int others) {
    const double share = number[others] * inverse[ones + others];
    return joined(one, other, share, share * number[ones]);
  };
  // The spread of eight rows from y on.
  const auto spread_of = [&](int y, const auto& v) {
    const bool all_there = y >= 0 && y + some <= a.height;
    distances all;
    const double pivot = y < 0 ? v[some - 1] : v[0];
    if (all_there) {
#pragma unroll
      for (int i = 1; i < some; ++i) all.add(v[i] - pivot);
    } else {
#pragma unroll
      for (int i = 0; i < some; ++i)
        if (row_there(y + i)) all.add(v[i] - pivot);
    }
    const double share = all_there ? 1.0 / some : inverse[places_within(y, some, a.height)];
    return spread{fma(all.sum, share, pivot), all.from_mean(share)};
  };
  const auto held_at = [&](int g) -> double* { return held + 2 * g * threads + thread; };
  const auto read_held = [&](int g) { return spread{held_at(g)[0], held_at(g)[threads]}; };
  const auto hold = [&](int g, const spread& s) { held_at(g)[0] = s.mean, held_at(g)[threads] = s.squares; };
  // The eights before row y, each joined with those behind it.
  const auto join_backwards = [&](int y) {
    spread all = read_held(eights - 1);
#pragma unroll 1
    for (int g = eights - 2; g >= 0; --g) {
      const int from = y - some * (eights - g);
      all = join(read_held(g), places_within(from, some, a.height), all,
                 places_within(from + some, some * (eights - 1 - g), a.height));
      hold(g, all);
    }
  };
#pragma unroll 1
  for (int g = 0; g < eights; ++g) {
    const int y = first + ry + 1 - some * (eights - g);
    float v[some];
#pragma unroll
    for (int i = 0; i < some; ++i) v[i] = element(y + i);
    hold(g, spread_of(y, v));
  }
  if (eights > 0) join_backwards(first + ry + 1);
  spread younger;
  int turn = 0;

  float leaving[some - 1 + rest], enters[some];
  const auto read = [&](int y) {
    if (y - ry >= 0 && y + ry + some < a.height) {
      const float *enter = column + (y + ry + 1) * a.in_pitch, *leave = column + (y - ry) * a.in_pitch;
#pragma unroll
      for (int i = 0; i < some; ++i, enter += a.in_pitch) enters[i] = there ? __ldg(enter) : 0.0f;
#pragma unroll
      for (int i = 0; i < some - 1 + rest; ++i, leave += a.in_pitch) leaving[i] = there ? __ldg(leave) : 0.0f;
    } else {
#pragma unroll
      for (int i = 0; i < some; ++i) enters[i] = element(y + ry + 1 + i);
#pragma unroll
      for (int i = 0; i < some - 1 + rest; ++i) leaving[i] = element(y - ry + i);
    }
  };
  read(first);

  const auto pair_at = [](int eight, int pair) { return some * eight + 2 * (pair ^ (eight / 2 % 4)); };
  const int place = thread - skipped, of_eight = place % some;
  const int mine_to = pair_at(place / some, of_eight / 2) + of_eight % 2;

  const int at = x0 + some * lane, eights_along = float_walk::eights(rx), rest_along = float_walk::rest(rx);
  const bool block_inside = column0 >= 0 && column0 + threads <= a.width;
  const int line = warp * threads, behind = lane + 1 + eights_along;
  const int left = column0 + skipped + some * lane;  // of the lane's eight
  float* out = a.out + static_cast<std::int64_t>(first + warp) * a.out_pitch + x0;

#pragma unroll 1
  for (int y = first; y < last; y += some) {
    {
      const int from = y + ry + 1 - some * eights;  // the first row of the eights
      spread middle;
      if (eights > 0 && from < a.height)
        middle = join(read_held(turn), places_within(from, some * (eights - turn), a.height), younger,
                      places_within(from + some * (eights - turn), some * turn, a.height));
      else  // the picture's last row is in all windows, or these rows are
        middle.mean = rest > 0 && from - rest < a.height ? leaving[some - 1] : element(a.height - 1);
      const double pivot = middle.mean;
      distances sums[some], common, back;
      common.squares = middle.squares;
      const auto down = [&](auto in_picture) {
        const auto add = [&](distances& to, int row, float v) {
          if (decltype(in_picture)::value || row_there(row)) to.add(v - pivot);
        };
#pragma unroll
        for (int i = 0; i < rest; ++i) add(common, y - ry + some - 1 + i, leaving[some - 1 + i]);
#pragma unroll
        for (int i = some - 2; i >= 0; --i) {
          add(back, y - ry + i, leaving[i]);
          sums[i] = back;
        }
        sums[0].add(common);
#pragma unroll
        for (int i = 0; i + 1 < some; ++i) {
          add(common, y + ry + 1 + i, enters[i]);
          sums[i + 1].add(common);
        }
      };
      if (y - ry >= 0 && y + ry + some <= a.height)
        down(std::true_type());
      else
        down(std::false_type());
      if (eights > 0) {
        const spread eight = spread_of(y + ry + 1, enters);
        hold(turn, eight);
        younger = join(younger, places_within(from + some * eights - some * turn, some * turn, a.height), eight,
                       places_within(y + ry + 1, some, a.height));
        if (++turn == eights) {
          join_backwards(y + ry + 1 + some);
          turn = 0, younger = spread();
        }
      }
      if (place >= 0)
#pragma unroll
        for (int i = 0; i < some; ++i) {
          const double share = inverse[places_within(y + i - ry, 2 * ry + 1, a.height)];
          means[i * threads + mine_to] = fma(sums[i].sum, share, pivot);
          squares[i * threads + mine_to] = sums[i].from_mean(share) * share;
        }
    }
    __syncthreads();  // the columns' means are written
    if (y + some < last) read(y + some);

    // Along: each column with its mean and its variance.
    const auto along = [&](auto in_picture) {
      constexpr bool all_there = decltype(in_picture)::value;
      const auto column_there = [&](int i) { return all_there || (left + i >= 0 && left + i < a.width); };
      const auto columns_within = [&](int i, int count) {
        return all_there ? count : places_within(left + i, count, a.width);
      };
      double own[some], own_squares[some];
#pragma unroll
      for (int k = 0; k < some / 2; ++k) {
        const double2 m = *reinterpret_cast<const double2*>(means + line + pair_at(lane, k)),
                      q = *reinterpret_cast<const double2*>(squares + line + pair_at(lane, k));
        own[2 * k] = m.x, own[2 * k + 1] = m.y, own_squares[2 * k] = q.x, own_squares[2 * k + 1] = q.y;
      }
      spread middle;
      if (eights_along > 0) {
        distances all;
        const double pivot = all_there || left >= 0 ? own[0] : own[some - 1];
#pragma unroll
        for (int i = 0; i < some; ++i)
          if (column_there(i)) all.add(own[i] - pivot, own_squares[i]);
        const double share = inverse[columns_within(0, some)];
        spread run{fma(all.sum, share, pivot), all.from_mean(share)};
        if (columns_within(0, some) == 0) run = spread();
        int from = 1;
#pragma unroll
        for (int digit = 1; digit <= 4; digit *= 2) {
          if (eights_along & digit) {
            const spread next{__shfl_down_sync(whole_warp, run.mean, from),
                              __shfl_down_sync(whole_warp, run.squares, from)};
            middle = from == 1 ? next
                               : join(middle, columns_within(some, some * (from - 1)), next,
                                      columns_within(some * from, some * digit));
            from += digit;
          }
          if (eights_along >= 2 * digit) {
            const spread next{__shfl_down_sync(whole_warp, run.mean, digit),
                              __shfl_down_sync(whole_warp, run.squares, digit)};
            run = join(run, columns_within(0, some * digit), next, columns_within(some * digit, some * digit));
          }
        }
      }
      const auto pair = [&](const double* of, int k) {
        return *reinterpret_cast<const double2*>(of + line + pair_at((behind + k / 4) % warp_size, k % 4));
      };
      const int after = some * (1 + eights_along);  // counted from the lane's first column
      if (eights_along == 0) {
        const int last_column = max(0, min(after, a.width - 1 - left)) + some * lane;  // of these; in all windows
        middle.mean = means[line + pair_at(last_column / some % warp_size, last_column % some / 2) + last_column % 2];
      }
      const double pivot = middle.mean;
      distances all, ends, sums[some];
      all.squares = middle.squares;
      const auto add = [&](distances& to, int i, double mean, double own_square) {
        if (column_there(i)) to.add(mean - pivot, own_square);
      };
#pragma unroll
      for (int i = some - 1; i > 0; --i) {
        add(ends, i, own[i], own_squares[i]);
        sums[i - 1] = ends;
      }
      sums[some - 1] = distances();
#pragma unroll
      for (int k = 0; k < some / 2 - 1; ++k)
        if (2 * k < rest_along) {
          const double2 m = pair(means, k), q = pair(squares, k);
          add(all, after + 2 * k, m.x, q.x), add(all, after + 2 * k + 1, m.y, q.y);
        }
      float made[some];
#pragma unroll
      for (int i = 0; i < some; ++i) {
        const double share = inverse[all_there ? 2 * rx + 1 : max(1, places_within(at + i - rx, 2 * rx + 1, a.width))];
        sums[i].add(all);
        const float r = static_cast<float>(sums[i].from_mean(share) * share);
        made[i] = r < 0 ? 0 : r;
        if (i + 1 < some) {
          const int k = rest_along / 2 + i / 2;
          const double2 m = pair(means, k), q = pair(squares, k);
          add(all, after + rest_along + i, i % 2 ? m.y : m.x, i % 2 ? q.y : q.x);
        }
      }
      store_row(out, y + warp < last ? min(width, a.width - x0) : 0, a.vectors_out,
                reinterpret_cast<float*>(means + line), made);
    };
    if (block_inside)
      along(std::true_type());
    else
      along(std::false_type());
    out += some * a.out_pitch;
    __syncthreads();  // the columns' means have been read
  }
}

// False where it is not for this kernel.
inline bool walk_variances(device& d, const detail::summed_area_table_impl::problem& p) {
  if (!can_walk_floats(p)) return false;
  const auto ry = static_cast<int>(detail::summed_area_table_impl::useful_radius(p.radius.y, p.size.y));
  const int rest = float_walk::rest(ry);
  return launch_float_walks(d, p,
                            rest == 0   ? filter_variances<0>
                            : rest == 2 ? filter_variances<2>
                            : rest == 4 ? filter_variances<4>
                                        : filter_variances<6>,
                            variance_walk::bytes);
}

}  // namespace upsweep::cuda
