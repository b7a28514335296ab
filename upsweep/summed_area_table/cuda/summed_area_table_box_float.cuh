// Box filters of floats of one channel with radii of 4 to 31, in one pass over memory and without a subtraction.
//
// A block walks down a strip, eight rows of results at a time. A thread has one column of elements, of the strip or of
// the margin that the boxes reach. Eight consecutive windows consist of a common part and, each, of some of the seven
// elements before that part and some of the seven after it. The elements before are summed backwards, those after it
// forwards. The sum of the common part is made of sums of eights, each computed once.
//
//   rows     stay in shared memory, in groups of eight, from when they are fetched until they leave the last window:
//            none is fetched twice
//   down     the sums of the eights between are a queue of two stacks: the older ones are summed backwards once per
//            length of the queue, the sum of the younger ones grows
//   along    a warp has one of the eight rows, a lane eight columns' sums of it; the sums of the lanes' eights are
//            exchanged by shuffle
//   out      neighbouring lanes swap halves of their eights, so that they write 32 adjacent bytes
#pragma once

#include "upsweep/cuda/small_copy.cuh"
#include "upsweep/cuda/warp.cuh"
#include "upsweep/summed_area_table/cuda/summed_area_table_small_box.cuh"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::cuda {

struct float_walk_arguments {
  const float* in;
  float* out;
  std::int64_t in_pitch, out_pitch;
  int width, height, radius_x, radius_y;
  int strips, rows;  // side by side; of a walk
  bool mean, vectors_in, vectors_out;
};

struct float_walk {
  static constexpr int some = 8, warps = some, threads = warps * warp_size, smallest = 4;
  static constexpr int group = some * threads;  // elements of a group of rows
  // Columns left of the results that are read: whole vectors. The windows of the first results begin at column 1 or
  // behind it: `skipped` columns are of no use.
  UPSWEEP_HD static constexpr int before(int radius) { return (radius + 4) / 4 * 4; }
  UPSWEEP_HD static constexpr int skipped(int radius) { return before(radius) - radius - 1; }
  UPSWEEP_HD static constexpr int width(int radius) {
    return (threads - some - 1 - skipped(radius) - 2 * radius) / some * some + some;
  }
  // The common part of all eight windows: this number of eights, and this number of further elements.
  UPSWEEP_HD static constexpr int eights(int radius) { return (2 * radius - 6) / some; }
  UPSWEEP_HD static constexpr int rest(int radius) { return (2 * radius - 6) % some; }
  // Groups from the one that leaves to the one that enters, and one more that is under way.
  UPSWEEP_HD static constexpr int entering(int radius) { return eights(radius) + (rest(radius) > 0 ? 2 : 1); }
  UPSWEEP_HD static constexpr int groups(int radius) { return entering(radius) + 2; }
  static constexpr std::size_t bytes(int radius, bool ring) {
    return (64 + some * threads + eights(radius) * threads) * sizeof(double) +
           (ring ? groups(radius) * group * sizeof(float) : 0);
  }
};

__device__ inline void store_eight(float* row, int x, int end, bool there, bool vectors, const float (&r)[8]) {
  const bool odd = threadIdx.x % 2 != 0, whole = there && vectors && x + 8 <= end;
  const bool both = __shfl_xor_sync(whole_warp, whole, 1) && whole;
  float4 kept, got;
  kept.x = odd ? r[4] : r[0], kept.y = odd ? r[5] : r[1], kept.z = odd ? r[6] : r[2], kept.w = odd ? r[7] : r[3];
  got.x = __shfl_xor_sync(whole_warp, odd ? r[0] : r[4], 1), got.y = __shfl_xor_sync(whole_warp, odd ? r[1] : r[5], 1);
  got.z = __shfl_xor_sync(whole_warp, odd ? r[2] : r[6], 1), got.w = __shfl_xor_sync(whole_warp, odd ? r[3] : r[7], 1);
  if (both) {
    float4* const to = reinterpret_cast<float4*>(row + x - (odd ? 8 : 0)) + (odd ? 1 : 0);
    __stcs(to, odd ? got : kept), __stcs(to + 2, odd ? kept : got);
  } else if (whole) {
    float4* const to = reinterpret_cast<float4*>(row + x);
    to[0] = make_float4(r[0], r[1], r[2], r[3]), to[1] = make_float4(r[4], r[5], r[6], r[7]);
  } else if (there) {
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if (x + i < end) row[x + i] = r[i];
  }
}

// A warp's row of results, eight of each lane, the first `count` of them: by way of `memory`, which the warp has read.
__device__ inline void store_row(float* row, int count, bool vectors, float* memory, const float (&r)[8]) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const auto place = [](int quad) { return quad ^ (quad / 8 % 2); };  // eight lanes' quads are in different banks
  auto* const quads = reinterpret_cast<float4*>(memory);
  __syncwarp();  // all lanes have read the old contents
  quads[place(2 * lane)] = make_float4(r[0], r[1], r[2], r[3]);
  quads[place(2 * lane + 1)] = make_float4(r[4], r[5], r[6], r[7]);
  __syncwarp();  // the results are written
  if (vectors) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int quad = warp_size * i + lane, x = 4 * quad;
      const float4 v = quads[place(quad)];
      if (x + 4 <= count) {
        __stcs(reinterpret_cast<float4*>(row + x), v);
      } else {
        if (x < count) row[x] = v.x;
        if (x + 1 < count) row[x + 1] = v.y;
        if (x + 2 < count) row[x + 2] = v.z;
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int x = warp_size * i + lane;
      if (x < count) row[x] = memory[4 * place(x / 4) + x % 4];
    }
  }
}

// `rest`: of the windows down the columns.
template <int rest, bool ring, int blocks>
__global__ void __launch_bounds__(float_walk::threads, blocks)
    filter_floats(const __grid_constant__ float_walk_arguments a) {
  constexpr int some = float_walk::some, threads = float_walk::threads, group = float_walk::group;
  extern __shared__ __align__(16) unsigned char walk_bytes[];
  double *const inverse = reinterpret_cast<double*>(walk_bytes), *const columns = inverse + 64,
                *const held = columns + some * threads;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % warp_size, warp = thread / warp_size;
  const int rx = a.radius_x, ry = a.radius_y, eights = float_walk::eights(ry);
  float* const elements = reinterpret_cast<float*>(held + eights * threads);
  const int width = float_walk::width(rx), skipped = float_walk::skipped(rx);
  const int x0 = static_cast<int>(blockIdx.x) % a.strips * width,
            first = static_cast<int>(blockIdx.x) / a.strips * a.rows, last = min(first + a.rows, a.height);
  constexpr int extra = rest > 0 ? 2 : 1;  // groups besides the eights of the windows
  const int entering = eights + extra, groups = entering + 2;
  const int row0 = first + ry + 1 - some * entering, column0 = x0 - float_walk::before(rx);

  const int x = column0 + thread;
  const bool there = x >= 0 && x < a.width;
  const float* const column = a.in + (there ? x : 0);
  // For a group of rows each thread fetches two vectors, of rows four apart; or, if rows are not aligned for that, the
  // elements of its column.
  const int chunk = column0 + thread % 64 * 4, chunk_row = thread / 64;
  const int chunk_bytes = chunk < 0 ? 0 : 4 * max(0, min(4, a.width - chunk));
  const float* next_row = a.in + static_cast<std::int64_t>(row0 + chunk_row) * a.in_pitch + chunk;
  int next_y = row0 + chunk_row;
  float* const chunk_to = elements + chunk_row * threads + thread % 64 * 4;
  const auto load = [&](int slot) {
    if (a.vectors_in) {
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const bool row_there = static_cast<unsigned>(next_y + 4 * k) < static_cast<unsigned>(a.height);
        const int bytes = row_there ? chunk_bytes : 0;
        start_vector_copy(reinterpret_cast<float4*>(chunk_to + slot * group + 4 * k * threads),
                          reinterpret_cast<const float4*>(bytes > 0 ? next_row + 4 * k * a.in_pitch : a.in), bytes);
      }
    } else {
#pragma unroll 2
      for (int i = 0; i < some; ++i) {
        const int y = next_y - chunk_row + i;
        const bool here = there && static_cast<unsigned>(y) < static_cast<unsigned>(a.height);
        start_element_copy(elements + slot * group + i * threads + thread, here ? column + y * a.in_pitch : a.in, here);
      }
    }
    next_row += some * a.in_pitch, next_y += some;
  };
  // Otherwise elements are read from memory when they are needed.
  const auto element = [&](int y) {
    return there && static_cast<unsigned>(y) < static_cast<unsigned>(a.height) ? __ldg(column + y * a.in_pitch) : 0.0f;
  };

  if (thread < 64) inverse[thread] = 1.0 / max(thread, 1);
  if constexpr (ring) {
#pragma unroll 1
    for (int g = 0; g < groups; ++g) load(g);
    wait_small_copies();
  }
  __syncthreads();  // the inverses and the first groups are written

  double younger = 0;  // the sum of the eights that came since the others were joined backwards
  int turn = 0;
  const auto join_backwards = [&] {
#pragma unroll 1
    for (int g = eights - 2; g >= 0; --g) held[g * threads + thread] += held[(g + 1) * threads + thread];
  };
#pragma unroll 1
  for (int g = 0; g < eights; ++g) {
    const int at = entering - eights + g;
    double sum = 0;
    float v[some];
#pragma unroll
    for (int i = 0; i < some; ++i)
      v[i] = ring ? elements[at * group + i * threads + thread] : element(row0 + some * at + i);
#pragma unroll
    for (int i = 0; i < some; ++i) sum += v[i];
    held[g * threads + thread] = sum;
  }
  join_backwards();

  // The column's elements: those of the window before that leave, and those that enter.
  constexpr int leaves_at = (some + 1 - rest) % some;
  float leaving[some - 1 + rest], enters[some];
  int slot = 0, enter_slot = entering;
  const auto read = [&](int y) {
    if constexpr (ring) {
      const float* const oldest = elements + slot * group + thread;
      const float* const second = elements + (slot + 1 == groups ? 0 : slot + 1) * group + thread;
      const float* const newest = elements + enter_slot * group + thread;
#pragma unroll
      for (int i = 0; i < some - 1 + rest; ++i)
        leaving[i] =
            leaves_at + i < some ? oldest[(leaves_at + i) * threads] : second[(leaves_at + i - some) * threads];
#pragma unroll
      for (int i = 0; i < some; ++i) enters[i] = newest[i * threads];
    } else if (y - ry >= 0 && y + ry + some < a.height) {
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
  if constexpr (!ring) read(first);

  // The sums of columns are stored in pairs, four pairs for an eighth of a row. The order of the pairs depends on the
  // eight, so that neither the pairs of eight lanes nor the sums of 16 threads share a bank.
  const auto pair_at = [](int eight, int pair) { return some * eight + 2 * (pair ^ (eight / 2 % 4)); };
  const int place = thread - skipped, of_eight = place % some;
  double* const mine_to = columns + pair_at(place / some, of_eight / 2) + of_eight % 2;

  // Along: this lane's eight results of the warp's row.
  const int at = x0 + some * lane, eights_along = float_walk::eights(rx), rest_along = float_walk::rest(rx);
  const bool mine = some * lane < width && at < a.width, inside = at >= rx && at + some + rx <= a.width;
  const double* const line = columns + warp * threads;
  const int behind = lane + 1 + eights_along;  // the eight in which the windows end; this one or the next
  float* out = a.out + static_cast<std::int64_t>(first + warp) * a.out_pitch;

#pragma unroll 1
  for (int y = first; y < last; y += some) {
    if constexpr (ring) read(y);
    double sum[some], common = younger, back = 0;
    if (eights > 0) common += held[turn * threads + thread];
#pragma unroll
    for (int i = 0; i < rest; ++i) common += leaving[some - 1 + i];
#pragma unroll
    for (int i = some - 2; i >= 0; --i) sum[i] = back += leaving[i];
    sum[0] += common;
    double eight_rows = 0;
#pragma unroll
    for (int i = 0; i < some; ++i) {
      const double v = enters[i];
      eight_rows += v;
      if (i + 1 == some) break;
      common += v;
      sum[i + 1] = i + 2 < some ? sum[i + 1] + common : common;
    }
    if (eights > 0) {
      held[turn * threads + thread] = eight_rows;
      younger += eight_rows;
      if (++turn == eights) {
        join_backwards();
        turn = 0, younger = 0;
      }
    }
    if (place >= 0)
#pragma unroll
      for (int i = 0; i < some; ++i) mine_to[i * threads] = sum[i];
    if constexpr (ring) wait_small_copies();
    __syncthreads();  // the columns' sums and the next group are written; the oldest has been read
    if constexpr (ring) {
      if (y + 2 * some < last) load(slot);
      slot = slot + 1 == groups ? 0 : slot + 1, enter_slot = enter_slot + 1 == groups ? 0 : enter_slot + 1;
    } else {
      if (y + some < last) read(y + some);
    }

    double own[some];
#pragma unroll
    for (int k = 0; k < some / 2; ++k) {
      const double2 two = *reinterpret_cast<const double2*>(line + pair_at(lane, k));
      own[2 * k] = two.x, own[2 * k + 1] = two.y;
    }
#pragma unroll
    for (int i = some - 2; i >= 0; --i) own[i] += own[i + 1];
    // The sum of the next lanes' eights: the binary digits of their number select the partial sums.
    double all = 0, run = own[0];
    int from = 1;
#pragma unroll
    for (int digit = 1; digit <= 4; digit *= 2) {
      if (eights_along & digit) {
        all += __shfl_down_sync(whole_warp, run, from);
        from += digit;
      }
      if (eights_along >= 2 * digit) run += __shfl_down_sync(whole_warp, run, digit);
    }
    const auto pair = [&](int k) {
      return *reinterpret_cast<const double2*>(line + pair_at((behind + k / 4) % warp_size, k % 4));
    };
#pragma unroll
    for (int k = 0; k < some / 2 - 1; ++k)
      if (2 * k < rest_along) {
        const double2 two = pair(k);
        all += two.x + two.y;
      }
    double box[some];
#pragma unroll
    for (int k = 0; k < some / 2; ++k) {
      const double2 two = pair(rest_along / 2 + k);
      box[2 * k] = own[2 * k + 1] + all;
      all += two.x;
      if (2 * k + 2 < some) {
        box[2 * k + 1] = own[2 * k + 2] + all;
        all += two.y;
      } else {
        box[2 * k + 1] = all;
      }
    }
    const int high = min(y + warp + ry, a.height - 1) - max(y + warp - ry, 0) + 1;
    const double down = a.mean ? inverse[max(high, 1)] : 1;
    float made[some];
    if (inside || !a.mean) {
      const double share = a.mean ? down * inverse[2 * rx + 1] : 1;
#pragma unroll
      for (int i = 0; i < some; ++i) made[i] = static_cast<float>(box[i] * share);
    } else {
#pragma unroll
      for (int i = 0; i < some; ++i) {
        const int wide = min(at + i + rx, a.width - 1) - max(at + i - rx, 0) + 1;
        made[i] = static_cast<float>(box[i] * (down * inverse[max(wide, 1)]));
      }
    }
    if (a.vectors_out)
      store_eight(out, at, min(a.width, x0 + width), mine && y + warp < last, true, made);
    else
      store_row(out + x0, y + warp < last ? min(width, a.width - x0) : 0, false,
                reinterpret_cast<float*>(columns + warp * threads), made);
    out += some * a.out_pitch;
    __syncthreads();  // the columns' sums have been read
  }
}

// False where it is not for these kernels. `bytes` of a radius down the columns: of shared memory.
template <class Kernel, class Bytes>
bool launch_float_walks(device& d, const detail::summed_area_table_impl::problem& p, Kernel kernel,
                        const Bytes& bytes) {
  const int width = static_cast<int>(p.size.x), height = static_cast<int>(p.size.y);
  float_walk_arguments a{p.in.as<const float>(),
                         p.out.as<float>(),
                         static_cast<std::int64_t>(p.pitch),
                         static_cast<std::int64_t>(p.out_pitch),
                         width,
                         height};
  a.radius_x = static_cast<int>(detail::summed_area_table_impl::useful_radius(p.radius.x, p.size.x));
  a.radius_y = static_cast<int>(detail::summed_area_table_impl::useful_radius(p.radius.y, p.size.y));
  a.mean = p.box == detail::summed_area_table_impl::box_result::mean;
  const auto whole_vectors = [](const void* base, std::uint64_t pitch) {
    return (reinterpret_cast<std::uintptr_t>(base) | pitch * sizeof(float)) % 16 == 0;
  };
  a.vectors_in = whole_vectors(a.in, p.pitch), a.vectors_out = whole_vectors(a.out, p.out_pitch);
  a.strips = (width + float_walk::width(a.radius_x) - 1) / float_walk::width(a.radius_x);
  const std::size_t needed = bytes(a.radius_y);
  if (needed > d.shared_limit()) return false;
  // One walk for each block that runs at once.
  const int blocks = d.once(
      kernel,
      [&] {
        const std::uint64_t most = bytes(static_cast<int>(largest_small_radius));
        d.allow_shared(kernel, std::min(most, d.shared_limit()), "box filters");
        int a_multiprocessor = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel, float_walk::threads, needed),
              "box filters on cuda");
        return std::max(1, a_multiprocessor) * d.multiprocessors();
      },
      a.radius_y);
  const auto share_of = [&](int walks) {
    const int parts = std::max(1, walks / a.strips);
    return (height + parts - 1) / parts;
  };
  // So long ones leave many of them idle in the end.
  int share = share_of(blocks);
  if (share >= detail::summed_area_table_impl::cuda_long_float_walk_windows * (2 * a.radius_y + 1))
    share = share_of(3 * blocks);
  a.rows = (std::max(share, detail::summed_area_table_impl::cuda_fewest_float_walk_rows) + float_walk::some - 1) /
           float_walk::some * float_walk::some;
  const std::int64_t parts = (std::int64_t{height} + a.rows - 1) / a.rows;
  kernel<<<static_cast<unsigned>(parts * a.strips), float_walk::threads, needed, d.stream()>>>(a);
  return true;
}

inline bool can_walk_floats(const detail::summed_area_table_impl::problem& p) {
  const std::uint64_t rx = detail::summed_area_table_impl::useful_radius(p.radius.x, p.size.x),
                      ry = detail::summed_area_table_impl::useful_radius(p.radius.y, p.size.y);
  constexpr std::uint64_t most = 1u << 30;
  return p.channels == 1 && std::min(rx, ry) >= float_walk::smallest && std::max(rx, ry) <= largest_small_radius &&
         std::max(p.size.x, p.size.y) <= most;
}

template <bool ring>
bool walk_floats_by(device& d, const detail::summed_area_table_impl::problem& p) {
  constexpr int blocks = detail::summed_area_table_impl::cuda_float_walk_blocks;
  const auto ry = static_cast<int>(detail::summed_area_table_impl::useful_radius(p.radius.y, p.size.y));
  const int rest = float_walk::rest(ry);
  return launch_float_walks(d, p,
                            rest == 0   ? filter_floats<0, ring, blocks>
                            : rest == 2 ? filter_floats<2, ring, blocks>
                            : rest == 4 ? filter_floats<4, ring, blocks>
                                        : filter_floats<6, ring, blocks>,
                            [](int radius) { return float_walk::bytes(radius, ring); });
}

// False where it is not for these kernels. Where a block may not have the shared memory that its rows take, they are
// read twice.
inline bool walk_floats(device& d, const detail::summed_area_table_impl::problem& p) {
  return can_walk_floats(p) && (walk_floats_by<true>(d, p) || walk_floats_by<false>(d, p));
}

}  // namespace upsweep::cuda
