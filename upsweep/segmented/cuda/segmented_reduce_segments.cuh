// Reduce by segment in one launch, without a bit for each element.
//
// Blocks take equal shares of segments and elements (segmented_work_shares.cuh). The number of lanes that read each of
// a block's segments follows from their mean length; a warp reads longer ones, and the block the longest. The block
// that arrives last joins the parts of a segment that is cut, so no block waits. Few values need no shares: if
// segments are short, a few lanes take one each; one block, which also loads the offsets, takes very few values in long
// segments.
#pragma once

#include "upsweep/segmented/cuda/segmented_cuda_tuning.hpp"
#include "upsweep/segmented/cuda/segmented_generic_operators.cuh"
#include "upsweep/segmented/cuda/segmented_work_shares.cuh"

namespace upsweep::cuda {

// One lane's part of the fold of [low, high) by 2^log lanes; the lanes' parts are then folded in their order. Pieces
// that the two ends cut are read whole.
template <int Per, class T, class Op, class F>
__device__ core::carrier<T, Op> fold_of_lane(const in_pieces<const T>& in, std::uint64_t low, std::uint64_t high,
                                             int rank, int log, const Op& op, const F& f) {
  // Loads single elements instead of pieces only if an address is not aligned to T.
  constexpr int loads = sizeof(T) > 16 || (Per == 1 && in_pieces<T>::per > 1) ? 1 : 4;
  using W = core::carrier<T, Op>;
  const T nothing = identity_of<T>(op);
  const std::uint64_t base = (low + in.skew) / Per * Per;
  const T* const at = in.at + base;
  const int begin = static_cast<int>(low + in.skew - base), length = static_cast<int>(high - low),
            pieces = (begin + length + Per - 1) / Per;
  // Strided if the order does not matter, otherwise a contiguous run for each lane.
  const int each = (pieces + (1 << log) - 1) >> log, step = may_reorder<Op> ? 1 << log : 1;
  const int first = may_reorder<Op> ? rank : rank * each, last = may_reorder<Op> ? pieces : (min)(pieces, first + each);
  W sum(nothing);
  for (int q = first; q < last; q += loads * step) {
    T x[loads][Per];
#pragma unroll
    for (int k = 0; k < loads; ++k)
      if (q + k * step < last) {
        if constexpr (Per > 1) {
          const uint4 piece = *reinterpret_cast<const uint4*>(at + (q + k * step) * Per);
          memcpy(x[k], &piece, sizeof x[k]);
        } else {
          x[k][0] = at[q + k * step];
        }
      }
#pragma unroll
    for (int k = 0; k < loads; ++k)
      if (q + k * step < last) {
        transform_items(x[k], op, f);
#pragma unroll
        for (int c = 0; c < Per; ++c) {
          const int place = (q + k * step) * Per + c - begin;
          const bool inside = Per == 1 || static_cast<unsigned>(place) < static_cast<unsigned>(length);
          sum = op(sum, W(inside ? x[k][c] : nothing));
        }
      }
  }
  return sum;
}

// One lane's part of a warp's fold, in any order, for long runs. It reads no element outside [low, high).
template <class T, class Op, class F>
__device__ core::carrier<T, Op> fold_of_lane_strided(const in_pieces<const T>& in, std::uint64_t low,
                                                     std::uint64_t high, int lane, const Op& op, const F& f) {
  constexpr int per = in_pieces<T>::per, loads = 8;
  using W = core::carrier<T, Op>;
  const T nothing = identity_of<T>(op);
  const std::uint64_t base = (low + in.skew) / per * per;
  const T* const at = in.at + base;
  const int begin = static_cast<int>(low + in.skew - base), end = static_cast<int>(high + in.skew - base);
  const int first = (begin + per - 1) / per, last = end / per;  // whole pieces
  const int head_end = (min)(end, first * per), tail = (max)(head_end, last * per), heads = head_end - begin;
  T edge[1] = {nothing};  // the elements of pieces that are cut: one for each of some lanes
  const bool has_edge = lane < heads + end - tail;
  if (has_edge) edge[0] = at[lane < heads ? begin + lane : tail + lane - heads];
  W column[per];
#pragma unroll
  for (int c = 0; c < per; ++c) column[c] = W(nothing);
  for (int q = first + lane; q < last; q += loads * warp_size) {
    T x[loads][per];
#pragma unroll
    for (int k = 0; k < loads; ++k)
      if (q + k * warp_size < last) {
        const uint4 piece = *reinterpret_cast<const uint4*>(at + (q + k * warp_size) * per);
        memcpy(x[k], &piece, sizeof x[k]);
      }
#pragma unroll
    for (int k = 0; k < loads; ++k)
      if (q + k * warp_size < last) {
        transform_items(x[k], op, f);
#pragma unroll
        for (int c = 0; c < per; ++c) column[c] = op(column[c], W(x[k][c]));
      }
  }
  const W sum = fold_items(column, op);
  if (!has_edge) return sum;
  transform_items(edge, op, f);
  return op(sum, W(edge[0]));
}

template <class T, class Op>
struct reduce_segments_arguments {
  in_pieces<const T> in;
  std::uint64_t whole_first, whole_last;  // elements within pieces that are whole in the array
  T* out;
  segment_shares shares;
  std::uint32_t segments_a_block;  // where shares are not looked for
  T init;
  // Parts of segments that are cut: two of a block, and how many of a segment's have come.
  core::carrier<T, Op>* parts;
  std::uint32_t* arrived;
};

// The assignment of segments: by shares; the same number to each block; or a few lanes to each.
enum class dealt : std::uint8_t { by_shares, by_number, by_lanes };

template <class T, class Op, class F, dealt Dealt>
class segments_reducer {
  static constexpr int threads = segment_shares::threads, warps = threads / warp_size, per = in_pieces<T>::per;
  using W = core::carrier<T, Op>;
  static constexpr unsigned most_long = Dealt == dealt::by_lanes ? 1 : 1024;  // by lanes nothing is listed

 public:
  struct shared {
    found_share found;
    shared_array<W, warps> folds;
    std::uint32_t long_ones[most_long], longest_ones[segment_shares::most_long];
    std::uint32_t long_count, longest_count, last_of_parts;
  };

  __device__ segments_reducer(const reduce_segments_arguments<T, Op>& a, shared& s, const Op& op, const F& f)
      : a(a), s(s), op(op), f(f) {}

  __device__ void run() {
    if (thread == 0) s.long_count = s.longest_count = 0;
    const std::uint64_t block = blockIdx.x;
    if constexpr (Dealt == dealt::by_shares) {
      const segment_share here = a.shares.find(block, s.found, a.in.at + a.in.skew);
      work(here.first, here.last, here, block);
    } else {
      a.shares.ask_ahead(a.in.at + a.in.skew);
      __syncthreads();  // nothing is listed
      const std::uint64_t first = block * a.segments_a_block;
      work(first, (min)(a.shares.segments, first + a.segments_a_block), {}, block);
    }
  }

 private:
  __device__ T after_init(const W& fold) const { return static_cast<T>(op(W(a.init), fold)); }
  // In the first of the lanes.
  __device__ W fold_by(std::uint64_t low, std::uint64_t high, int rank, int log) const {
    W sum(identity_of<T>(op));
    if (per > 1 && a.in.whole) {
      // Pieces that an end of the array cuts are read element by element.
      const std::uint64_t from = (max)(low, a.whole_first), to = (min)(high, a.whole_last);
      if (low < from && rank == 0) sum = fold_plainly(low, (min)(high, from));
      if (from < to) sum = op(sum, fold_of_lane<per>(a.in, from, to, rank, log, op, f));
      if (to < high && rank == (1 << log) - 1) sum = op(sum, fold_plainly((max)(low, to), high));
    } else if (low < high) {
      sum = fold_of_lane<1>(a.in, low, high, rank, log, op, f);
    }
    for (int d = 1; d < 1 << log; d *= 2) sum = op(sum, shuffle_down(sum, d));
    return sum;
  }
  __device__ W fold_by_warp(std::uint64_t low, std::uint64_t high) const {
    if constexpr (may_reorder<Op> && !seldom_by_key<Op>)
      if (per > 1 && a.in.whole) return warp_reduce(fold_of_lane_strided(a.in, low, high, lane, op, f), op);
    return fold_by(low, high, lane, 5);
  }
  __device__ W fold_plainly(std::uint64_t low, std::uint64_t high) const {
    W sum(identity_of<T>(op));
#pragma unroll 1
    for (std::uint64_t i = low; i < high; ++i) {
      T x[1] = {a.in.at[i + a.in.skew]};
      transform_items(x, op, f);
      sum = op(sum, W(x[0]));
    }
    return sum;
  }

 public:
  // 2^Log lanes for each segment, of an array with 32-bit positions. If none is long, there is only one barrier. The
  // code is short, since it may have to be loaded from memory first.
  template <int Log>
  __device__ void by_lanes() {
    constexpr int groups = threads >> Log, loads = sizeof(T) > 16 ? 1 : 4, most = 4 * loads * per << Log;
    const std::uint64_t first = std::uint64_t{blockIdx.x} * groups, own = first + (thread >> Log);
    std::uint64_t begin = 0, end = 0;
    if (own < a.shares.segments) begin = a.shares.offsets[own], end = a.shares.offsets[own + 1];
    a.shares.ask_ahead(a.in.at + a.in.skew);
    if (thread == 0) s.longest_count = 0;
    const int skew = a.in.skew, places = static_cast<int>(a.shares.n) + skew, rank = lane & ((1 << Log) - 1);
    const int low = static_cast<int>(begin) + skew, length = end > begin ? static_cast<int>(end - begin) : 0;
    const bool is_long = length > most;
    const int base = low / per * per, lead = low - base, pieces = is_long ? 0 : (lead + length + per - 1) / per;
    // Strided if the order does not matter, otherwise a contiguous run for each lane.
    constexpr int step = may_reorder<Op> ? 1 << Log : 1;
    const int each = (pieces + (1 << Log) - 1) >> Log, from = may_reorder<Op> ? rank : rank * each,
              to = may_reorder<Op> ? pieces : (min)(pieces, from + each);
    const T nothing = identity_of<T>(op);
    W sum(nothing);
    for (int q = from; q < to; q += loads * step) {
      T x[loads][per];
#pragma unroll
      for (int k = 0; k < loads; ++k)
        if (q + k * step < to) a.in.read(base + (q + k * step) * per, skew, places, x[k]);
#pragma unroll
      for (int k = 0; k < loads; ++k)
        if (q + k * step < to) {
          transform_items(x[k], op, f);
#pragma unroll
          for (int c = 0; c < per; ++c) {
            const int place = (q + k * step) * per + c - lead;
            sum = op(sum, W(static_cast<unsigned>(place) < static_cast<unsigned>(length) ? x[k][c] : nothing));
          }
        }
    }
#pragma unroll
    for (int d = 1; d < 1 << Log; d *= 2) sum = op(sum, shuffle_down(sum, d));
    if (own < a.shares.segments && rank == 0 && !is_long) a.out[own] = length > 0 ? after_init(sum) : a.init;
    if (!__syncthreads_or(is_long)) return;  // and nothing is listed
    by_warps(first, static_cast<std::uint32_t>((min)(std::uint64_t{groups}, a.shares.segments - first)), true, most);
    __syncthreads();  // the longest are listed
    for (std::uint32_t k = 0; k < s.longest_count; ++k) by_block(first + s.longest_ones[k]);
  }

 private:
  // Folds the segments [first, last), and the parts of other segments that are in this share.
  __device__ void work(std::uint64_t first, std::uint64_t last, const segment_share& here, std::uint64_t block) {
    if (first < last) by_lanes_and_warps(first, last);
    __syncthreads();  // the longest are listed
    const std::uint32_t listed = s.longest_count, parts = Dealt == dealt::by_shares ? here.leaves + here.enters : 0;
    for (std::uint32_t k = 0; k < listed + parts; ++k) {
      if (Dealt == dealt::by_shares && k >= listed) {
        const bool leaves = here.leaves && k == listed;
        const part_of_segment p = leaves ? a.shares.leaving(here) : a.shares.entering(here);
        join(p, fold_of_block(p.begin, p.end), block, leaves);
      } else {
        by_block(first + s.longest_ones[k]);
      }
    }
  }
  __device__ void by_block(std::uint64_t segment) {
    const W fold = fold_of_block(a.shares.offsets[segment], a.shares.offsets[segment + 1]);
    if (thread == 0) a.out[segment] = after_init(fold);
    __syncthreads();  // the folds have been read
  }

  __device__ void by_lanes_and_warps(std::uint64_t first, std::uint64_t last) {
    const std::uint64_t* const offsets = a.shares.offsets;
    const auto count = static_cast<std::uint32_t>(last - first);
    const std::uint64_t elements = offsets[last] - offsets[first];
    int log = 0;  // of the lanes for a segment
    while (log < 5 && elements > (std::uint64_t{4 * per} << log) * count) ++log;
    if (log == 5 && count <= warps / 2) return by_warps_together(first, count);
    const std::uint64_t most = log == 5 ? 0 : std::uint64_t{16 * per} << log;
    if (log < 5) {
      const int rank = lane & ((1 << log) - 1), step = warps * (warp_size >> log);
      std::uint32_t own = (warp * warp_size + lane) >> log;
      std::uint64_t begin = 0, end = 0;
      if (own < count) begin = offsets[first + own], end = offsets[first + own + 1];
      for (std::uint32_t i = 0; i < count; i += step, own += step) {  // the whole warp together
        const std::uint64_t low = begin, high = own < count && end - begin > most ? begin : end;
        const bool is_long = high != end, is_empty = end <= begin;
        if (own + step < count) begin = offsets[first + own + step], end = offsets[first + own + step + 1];
        const W fold = fold_by(low, own < count ? high : low, rank, log);
        if (own < count && rank == 0) {
          if (is_long) {
            const std::uint32_t k = atomicAdd(&s.long_count, 1u);
            if (k < most_long) s.long_ones[k] = own;
          } else {
            a.out[first + own] = is_empty ? a.init : after_init(fold);
          }
        }
      }
      __syncthreads();  // the long ones are listed
    }
    by_warps(first, count, log == 5 || s.long_count > most_long, most);
  }

  // Segments longer than `most`: among all of them, or among those listed if the list holds them all.
  __device__ void by_warps(std::uint64_t first, std::uint32_t count, bool all, std::uint64_t most) {
    const std::uint64_t* const offsets = a.shares.offsets;
    const std::uint32_t those = all ? count : s.long_count;
    for (std::uint32_t k = warp; k < those; k += warps) {
      const std::uint64_t segment = first + (all ? k : s.long_ones[k]);
      const std::uint64_t begin = offsets[segment], end = offsets[segment + 1];
      if (most > 0 && (end <= begin || end - begin <= most)) continue;
      if (end > begin && end - begin > a.shares.longest_for_warp) {
        if (lane == 0) s.longest_ones[atomicAdd(&s.longest_count, 1u)] = static_cast<std::uint32_t>(segment - first);
      } else {
        const W fold = fold_by_warp(begin, end);
        if (lane == 0) a.out[segment] = end > begin ? after_init(fold) : a.init;
      }
    }
  }

  // A few segments, each by an equal number of warps: there are at most half as many segments as warps.
  __device__ void by_warps_together(std::uint64_t first, std::uint32_t count) {
    constexpr std::uint64_t row = warp_size * per;
    static_assert(warps == 8);
    const std::uint64_t* const offsets = a.shares.offsets + first;
    const int log = count == 1 ? 3 : count == 2 ? 2 : 1, part = warp & ((1 << log) - 1);
    const std::uint32_t own = warp >> log;
    std::uint64_t begin = 0, end = 0;
    if (own < count) begin = offsets[own], end = (max)(begin, offsets[own + 1]);
    const bool is_empty = begin == end, is_long = count > 1 && end - begin > a.shares.longest_for_warp;
    if (is_long) {  // for all warps
      if (part == 0 && lane == 0) s.longest_ones[atomicAdd(&s.longest_count, 1u)] = own;
      end = begin;
    }
    const std::uint64_t each = (end - begin + (row << log) - 1) / row >> log;
    const std::uint64_t from = (min)(end, begin + part * each * row), to = (min)(end, from + each * row);
    const W fold = fold_by_warp(from, to);
    if (lane == 0) s.folds.data()[warp] = fold;
    __syncthreads();  // every warp wrote its fold
    if (part == 0 && lane == 0 && own < count && !is_long) {
      W all = s.folds.data()[warp];
      for (int w = 1; w < 1 << log; ++w) all = op(all, s.folds.data()[warp + w]);
      a.out[first + own] = is_empty ? a.init : after_init(all);
    }
  }

  // The result is valid in every thread: warps take runs of neighbours.
  __device__ W fold_of_block(std::uint64_t low, std::uint64_t high) {
    constexpr std::uint64_t row = warp_size * per;
    const std::uint64_t each = (high - low + warps * row - 1) / (warps * row) * row;
    const std::uint64_t from = (min)(high, low + warp * each), to = (min)(high, from + each);
    const W fold = fold_by_warp(from, to);
    if (lane == 0) s.folds.data()[warp] = fold;
    __syncthreads();  // every warp wrote its fold
    W all = s.folds.data()[0];
#pragma unroll
    for (int w = 1; w < warps; ++w) all = op(all, s.folds.data()[w]);
    return all;
  }

  // The block that arrives last folds this part with the other parts of the segment.
  __device__ void join(const part_of_segment& p, const W& fold, std::uint64_t block, bool leaves) {
    if (thread == 0) {
      a.parts[2 * block + leaves] = fold;
      __threadfence();  // the part is there before it is counted
      const bool is_last = atomicAdd(&a.arrived[p.first_block], 1u) == p.last_block - p.first_block;
      if (is_last) __threadfence();  // it was counted before the others' parts are read
      s.last_of_parts = is_last;
    }
    __syncthreads();  // the folds have been read, and whether this is the last
    if (!s.last_of_parts) return;
    // The result does not depend on the block that joins them: a thread takes a run of neighbours.
    const std::uint64_t count = p.last_block - p.first_block + 1, each = (count + threads - 1) / threads;
    const std::uint64_t low = (min)(count, thread * each), high = (min)(count, low + each);
    W sum(identity_of<T>(op));
#pragma unroll 4
    for (std::uint64_t i = low; i < high; ++i) sum = op(sum, a.parts[2 * (p.first_block + i) + (i == 0)]);
    sum = warp_reduce(sum, op);
    if (lane == 0) s.folds.data()[warp] = sum;
    __syncthreads();  // every warp wrote its fold
    if (thread == 0) {
      W all(a.init);
      for (int w = 0; w < warps; ++w) all = op(all, s.folds.data()[w]);
      a.out[p.segment] = static_cast<T>(all);
      a.arrived[p.first_block] = 0;
    }
    __syncthreads();  // the folds have been read
  }

  const reduce_segments_arguments<T, Op>& a;
  shared& s;
  const Op& op;
  const F& f;
  const int thread = threadIdx.x, lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
};

template <dealt Dealt, class T, class Op, class F>
__global__ void __launch_bounds__(segment_shares::threads, sizeof(T) > 8 ? 1 : 4)
    reduce_segments(const __grid_constant__ reduce_segments_arguments<T, Op> a, const Op op, const F f) {
  __shared__ typename segments_reducer<T, Op, F, Dealt>::shared shared;
  segments_reducer<T, Op, F, Dealt>(a, shared, op, f).run();
}

template <int Log, class T, class Op, class F>
__global__ void __launch_bounds__(segment_shares::threads)
    reduce_segments_by_lanes(const __grid_constant__ reduce_segments_arguments<T, Op> a, const Op op, const F f) {
  __shared__ typename segments_reducer<T, Op, F, dealt::by_lanes>::shared shared;
  segments_reducer<T, Op, F, dealt::by_lanes>(a, shared, op, f).template by_lanes<Log>();
}

// One block, and 2^log lanes for a segment.
template <class T, class Op, class F>
__global__ void __launch_bounds__(few_segments<T>::threads)
    reduce_few_segments(const in_pieces<const T> in, int n, const std::uint64_t* offsets, int segments, int log, T* out,
                        const T init, const Op op, const F f) {
  constexpr int per = in_pieces<T>::per;
  __shared__ shared_array<T, few_segments<T>::values + 2 * per> all;
  using W = core::carrier<T, Op>;
  T* const tile = all.data();
  const int lane = threadIdx.x % warp_size, rank = lane & ((1 << log) - 1);
  const int segment = threadIdx.x >> log;
  std::uint64_t begin = 0, end = 0;
  if (segment < segments) begin = offsets[segment], end = offsets[segment + 1];
  few_segments<T>::bring(in, n, tile);
  __syncthreads();  // the values are there
  const auto fold = [&](int low, int high, int rank, int log) {
    const int each = (high - low + (1 << log) - 1) >> log | 1;  // an odd number: lanes read different banks
    const int from = (min)(high, low + rank * each), to = (min)(high, from + each);
    W sum(identity_of<T>(op));
#pragma unroll 4
    for (int i = from; i < to; ++i) {
      T x[1] = {tile[i]};
      transform_items(x, op, f);
      sum = op(sum, W(x[0]));
    }
    for (int d = 1; d < 1 << log; d *= 2) sum = op(sum, shuffle_down(sum, d));
    return sum;
  };
  const int low = in.skew + static_cast<int>(begin), high = in.skew + static_cast<int>(end);
  const bool is_long = high - low > 32 << log;
  const W own = fold(low, is_long ? low : high, rank, log);
  if (segment < segments && !is_long && rank == 0) out[segment] = high > low ? static_cast<T>(op(W(init), own)) : init;
  unsigned long_ones = __ballot_sync(whole_warp, is_long && rank == 0);
  for (; long_ones != 0; long_ones &= long_ones - 1) {
    const int from = __ffs(long_ones) - 1;
    const W sum = fold(__shfl_sync(whole_warp, low, from), __shfl_sync(whole_warp, high, from), lane, 5);
    const W whole = shuffle_from(sum, 0);
    if (lane == from) out[segment] = static_cast<T>(op(W(init), whole));
  }
}

template <class T, class Op, class F>
void run_reduce_segments(device& d, const T* values, std::uint64_t n, const std::uint64_t* offsets,
                         std::uint64_t segments, T* out, T init, Op op, F f, const char* where,
                         segment_tuning how = {}) {
  static_assert(std::is_trivially_copyable_v<T>,
                "upsweep: CUDA moves elements as bytes; give it a trivially copyable type");
  constexpr int per = in_pieces<T>::per;
  const auto in = in_pieces<const T>::of(values);
  const bool by_lanes =
      !seldom_by_key<Op> && n > how.most_of_few && n <= how.by_number && n / how.lanes_mean <= segments;
  if constexpr (few_segments<T>::values > 0 && !seldom_by_key<Op>)
    if (!by_lanes && few_segments<T>::are(n, segments)) {
      reduce_few_segments<<<1, few_segments<T>::threads, 0, d.stream()>>>(
          in, static_cast<int>(n), offsets, static_cast<int>(segments), few_segments<T>::lanes(segments), out, init, op,
          f);
      return check(cudaGetLastError(), where);
    }
  reduce_segments_arguments<T, Op> a{in,
                                     in.skew > 0 ? std::uint64_t(per - in.skew) : 0,
                                     0,
                                     out,
                                     segment_shares::of<T>(d, n, offsets, segments, how),
                                     0,
                                     init,
                                     nullptr,
                                     nullptr};
  const std::uint64_t whole = (n + in.skew) / per * per;
  a.whole_last = (std::max)(a.whole_first, std::max<std::uint64_t>(whole, in.skew) - in.skew);
  const auto launch = [&](auto kernel) {
    kernel<<<static_cast<unsigned>(a.shares.blocks), segment_shares::threads, 0, d.stream()>>>(a, op, f);
    check(cudaGetLastError(), where);
  };
  if constexpr (!seldom_by_key<Op>)
    if (by_lanes) {
      const auto lanes = [&]<int Log>(std::integral_constant<int, Log>) {
        a.shares.give(segment_shares::threads >> Log);
        launch(reduce_segments_by_lanes<Log, T, Op, F>);
      };
      constexpr std::uint64_t for_few_lanes = 8 * per;
      return n <= for_few_lanes * segments ? lanes(std::integral_constant<int, 2>{})
                                           : lanes(std::integral_constant<int, 5>{});
    }
  if constexpr (!seldom_by_key<Op>)
    if (n <= how.by_number && n / 16384 < segments) {
      a.segments_a_block = a.shares.give_by_number();
      return launch(reduce_segments<dealt::by_number, T, Op, F>);
    }
  a.arrived = d.scratch("segmented/cuda/arrived", a.shares.blocks * sizeof(std::uint32_t)).template as<std::uint32_t>();
  a.parts = d.scratch("segmented/cuda/parts", 2 * a.shares.blocks * sizeof(core::carrier<T, Op>))
                .template as<core::carrier<T, Op>>();
  launch(reduce_segments<dealt::by_shares, T, Op, F>);
}

}  // namespace upsweep::cuda
