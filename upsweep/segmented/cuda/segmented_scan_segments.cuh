// Scan by segment in one launch, without a bit for each element: for few elements in short segments.
//
// Every block has the same number of segments. Short ones go through shared memory, where a few lanes scan each; a
// warp scans each longer one, and the block the longest. For very few elements a single block loads them together
// with their offsets.
#pragma once

#include "upsweep/segmented/cuda/segmented_generic_operators.cuh"
#include "upsweep/segmented/cuda/segmented_work_shares.cuh"

namespace upsweep::cuda {

// A warp's fold of the positions [low, high), which are few, in lane 0.
template <class T, class Op, class F>
__device__ core::carrier<T, Op> fold_of_warp(const in_pieces<const T>& all, std::uint64_t low, std::uint64_t high,
                                             int lane, const Op& op, const F& f) {
  constexpr int per = in_pieces<T>::per;
  const std::uint64_t base = low / per * per;
  const in_pieces<const T> in = all.from(base);
  const int begin = static_cast<int>(low - base), end = static_cast<int>(high - base);
  using W = core::carrier<T, Op>;
  const T nothing = identity_of<T>(op);
  W sum(nothing);
  if constexpr (may_reorder<Op>) {
    if (per > 1 && in.whole) {
      constexpr int loads = 8;
      const int first = (begin + per - 1) / per, last = end / per;  // whole pieces
      const int head_end = (min)(end, first * per), tail = (max)(head_end, last * per);
      // The elements of pieces that are cut: one for each of some lanes.
      const int heads = head_end - begin, tails = end - tail;
      T edge[1] = {nothing};
      const bool has_edge = lane < heads + tails;
      if (has_edge) edge[0] = in.at[lane < heads ? begin + lane : tail + (lane - heads)];
      W column[per];
#pragma unroll
      for (int c = 0; c < per; ++c) column[c] = W(nothing);
      for (int q = first + lane; q < last; q += loads * warp_size) {
        T x[loads][per];
#pragma unroll
        for (int k = 0; k < loads; ++k)
          if (q + k * warp_size < last) {
            const uint4 piece = *reinterpret_cast<const uint4*>(in.at + (q + k * warp_size) * per);
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
      sum = fold_items(column, op);
      if (has_edge) {
        transform_items(edge, op, f);
        sum = op(sum, W(edge[0]));
      }
    } else {
#pragma unroll 8
      for (int i = begin + lane; i < end; i += warp_size) {
        T x[1] = {in.at[i]};
        transform_items(x, op, f);
        sum = op(sum, W(x[0]));
      }
    }
    return warp_reduce(sum, op);
  } else {
    constexpr int rows = sizeof(T) <= 16 ? 4 : 1, row = warp_size * per;
    for (int i = 0; i < end; i += rows * row) {
      T x[rows][per];
#pragma unroll
      for (int k = 0; k < rows; ++k) {
#pragma unroll
        for (int c = 0; c < per; ++c) x[k][c] = nothing;
        in.read(i + k * row + lane * per, begin, end, x[k]);
      }
#pragma unroll
      for (int k = 0; k < rows; ++k) {
        transform_items(x[k], op, f);
#pragma unroll
        for (int c = 0; c < per; ++c) {
          const int place = i + k * row + lane * per + c;
          if (place < begin || place >= end) x[k][c] = nothing;
        }
        sum = op(sum, warp_reduce(fold_items_in<W>(x[k], op), op));  // lane 0's is the row's
      }
    }
    return sum;
  }
}

// A warp's scan of the places [low, high), which are not many, from `running`.
template <class T, class Op, class F>
__device__ void scan_of_warp(const in_pieces<const T>& all_in, const in_pieces<T>& all_out, std::uint64_t low,
                             std::uint64_t high, core::carrier<T, Op> running, bool inclusive, int lane, const Op& op,
                             const F& f) {
  constexpr int per = in_pieces<T>::per, rows = sizeof(T) <= 16 ? 4 : 1, row = warp_size * per;
  using W = core::carrier<T, Op>;
  const T nothing = identity_of<T>(op);
  const bool alike = all_in.whole && all_out.whole && all_in.skew == all_out.skew;
  const std::uint64_t base = low / per * per;
  const in_pieces<const T> in = all_in.from(base);
  const in_pieces<T> out = all_out.from(base);
  const int begin = static_cast<int>(low - base), end = static_cast<int>(high - base);
  for (int i = 0; i < end; i += rows * row) {
    T x[rows][per];
    W before[rows], total[rows];
#pragma unroll
    for (int k = 0; k < rows; ++k) {
#pragma unroll
      for (int c = 0; c < per; ++c) x[k][c] = nothing;
      in.read(i + k * row + lane * per, begin, end, x[k]);
    }
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      transform_items(x[k], op, f);
#pragma unroll
      for (int c = 0; c < per; ++c) {
        const int place = i + k * row + lane * per + c;
        if (place < begin || place >= end) x[k][c] = nothing;
      }
      const W up_to_here = warp_inclusive_scan(fold_items_in<W>(x[k], op), lane, op);
      before[k] = shuffle_up(up_to_here, 1);
      total[k] = shuffle_from(up_to_here, warp_size - 1);
    }
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      scan_items(x[k], lane == 0 ? running : op(running, before[k]), inclusive, op);
      running = op(running, total[k]);
      const int place = i + k * row + lane * per;
      if (alike) {
        out.write(place, begin, end, x[k]);
      } else {
#pragma unroll
        for (int c = 0; c < per; ++c)
          if (place + c >= begin && place + c < end) out.at[place + c - in.skew + out.skew] = x[k][c];
      }
    }
  }
}

template <class T>
struct scan_segments_arguments {
  in_pieces<const T> in;
  in_pieces<T> out;
  segment_shares shares;
  std::uint32_t segments_a_block;
  std::uint32_t staged_mean;      // up to this mean length the segments of a block come by way of shared memory
  std::uint32_t staged_capacity;  // elements there
  T init;
  bool inclusive;
};

template <class T>
struct scan_segments_tuning {
  static constexpr int staged = sizeof(T) <= 64 ? (36 << 10) / sizeof(T) : 0;  // elements in shared memory
  static constexpr int batch = 1024;                                           // segments at once there
};

template <class T, class Op, class F>
class segments_scanner {
  using tuning = scan_segments_tuning<T>;
  using W = core::carrier<T, Op>;
  static constexpr int threads = segment_shares::threads, warps = threads / warp_size, per = in_pieces<T>::per;

 public:
  struct shared {
    shared_array<W, warps> folds;
    std::uint64_t long_ones[segment_shares::most_long];
    std::uint32_t long_count, counts[warps];
    std::uint32_t ends[tuning::staged ? tuning::batch + 1 : 1];
  };

  __device__ segments_scanner(const scan_segments_arguments<T>& a, shared& s, T* tile, const Op& op, const F& f)
      : a(a), s(s), tile(tile), op(op), f(f) {}

  __device__ void run() {
    if (thread == 0) s.long_count = 0;
    a.shares.ask_ahead(a.in.at + a.in.skew);
    __syncthreads();  // nothing is listed
    const std::uint64_t first = std::uint64_t{blockIdx.x} * a.segments_a_block;
    whole_segments(first, (min)(a.shares.segments, first + a.segments_a_block));
  }

 private:
  __device__ void whole_segments(std::uint64_t first, std::uint64_t last) {
    const std::uint64_t* const offsets = a.shares.offsets;
    if constexpr (tuning::staged > 0)
      if (offsets[last] - offsets[first] <= (last - first) * a.staged_mean) return by_way_of_shared(first, last);
    for (std::uint64_t g = first; g < last; g += threads) {
      // A warp's segments are every eighth; its lanes hold where they begin and end.
      const std::uint64_t own = g + warp + lane * warps;
      std::uint64_t from = 0, to = 0;
      if (own < last) from = offsets[own], to = offsets[own + 1];
      for (int k = 0; k < warp_size && g + warp + k * warps < last; ++k) {
        const std::uint64_t begin = __shfl_sync(whole_warp, from, k), end = __shfl_sync(whole_warp, to, k);
        if (end > begin && end - begin > a.shares.longest_for_warp) {
          if (lane == 0) s.long_ones[atomicAdd(&s.long_count, 1u)] = g + warp + k * warps;
        } else {
          scan_of_warp(a.in, a.out, begin + a.in.skew, end + a.in.skew, W(a.init), a.inclusive, lane, op, f);
        }
      }
    }
    __syncthreads();  // the long ones are listed
    const int count = s.long_count;
    for (int k = 0; k < count; ++k) scan_by_block(offsets[s.long_ones[k]], offsets[s.long_ones[k] + 1], W(a.init));
  }

  // ---- A segment by the block, or a part of one.

  // A warp's run of the places [begin, end).
  __device__ void run_of_warp(std::uint64_t begin, std::uint64_t end, std::uint64_t& from, std::uint64_t& to) const {
    constexpr int row = warp_size * per;
    const std::uint64_t start = begin / per * per, each = (end - start + warps * row - 1) / (warps * row) * row;
    from = (max)(begin, (min)(end, start + warp * each));
    to = (min)(end, start + (warp + 1) * each);
  }
  // In every thread.
  __device__ W fold_of_block(std::uint64_t begin, std::uint64_t end) {
    std::uint64_t from, to;
    run_of_warp(begin + a.in.skew, end + a.in.skew, from, to);
    const W fold = fold_of_warp(a.in, from, to, lane, op, f);
    if (lane == 0) s.folds.data()[warp] = fold;
    __syncthreads();  // every warp wrote its fold
    W all = s.folds.data()[0];
#pragma unroll
    for (int w = 1; w < warps; ++w) all = op(all, s.folds.data()[w]);
    return all;
  }
  __device__ void scan_by_block(std::uint64_t begin, std::uint64_t end, W running) {
    fold_of_block(begin, end);
    for (int w = 0; w < warp; ++w) running = op(running, s.folds.data()[w]);
    std::uint64_t from, to;
    run_of_warp(begin + a.in.skew, end + a.in.skew, from, to);
    scan_of_warp(a.in, a.out, from, to, running, a.inclusive, lane, op, f);
    __syncthreads();  // the folds have been read
  }

  // ---- Short segments by way of shared memory.

  __device__ void by_way_of_shared(std::uint64_t first, std::uint64_t last) {
    while (first < last) {
      const std::uint64_t from = a.shares.offsets[first];
      const int most = static_cast<int>((min)(last - first, std::uint64_t{tuning::batch}));
      int fit = 0;
#pragma unroll
      for (int k = 0; k < tuning::batch / threads; ++k) {
        const int i = thread + k * threads;
        if (i < most) {
          const std::uint64_t end = a.shares.offsets[first + i + 1] - from;
          if (end <= a.staged_capacity) s.ends[i + 1] = static_cast<std::uint32_t>(end), ++fit;
        }
      }
      if (thread == 0) s.ends[0] = 0;
      fit = static_cast<int>(warp_sum(fit));
      if (lane == 0) s.counts[warp] = fit;
      __syncthreads();  // the ends are there, and how many fit
      int count = 0;
#pragma unroll
      for (int w = 0; w < warps; ++w) count += static_cast<int>(s.counts[w]);
      if (count == 0) {  // the segment does not fit
        scan_by_block(from, a.shares.offsets[first + 1], W(a.init));
        ++first;
        continue;
      }
      const int total = static_cast<int>(s.ends[count]);
      const std::uint64_t base = (from + a.in.skew) / per * per;
      const int lead = static_cast<int>(from + a.in.skew - base), pieces = (lead + total + per - 1) / per;
      const in_pieces<const T> in = a.in.from(base);
#pragma unroll 4
      for (int q = thread; q < pieces; q += threads) {
        T x[per];
        in.read(q * per, lead, lead + total, x);
        write_items(tile + q * per, x);
      }
      __syncthreads();  // the elements are there
      scan_staged(count, lead, total);
      __syncthreads();  // the tile is scanned, and the ends have been read
      {
        const bool alike = a.in.whole && a.out.whole && a.in.skew == a.out.skew;
        if (alike) {
          const in_pieces<T> to = a.out.from(base);
#pragma unroll 4
          for (int q = thread; q < pieces; q += threads) {
            T x[per];
            read_items(tile + q * per, x);
            to.write(q * per, lead, lead + total, x);
          }
        } else {
#pragma unroll 4
          for (int i = thread; i < total; i += threads) a.out.at[from + i + a.out.skew] = tile[lead + i];
        }
        __syncthreads();  // the tile has been read
      }
      first += count;
    }
  }

  __device__ void scan_staged(int count, int lead, int total) {
    const int mean = total / count;
    int log = 0;  // of the lanes for a segment
    while (log < 5 && (12 << log) < mean) ++log;
    const int lanes = 1 << log, longest = 64 << log;
    const int step = warps * (warp_size >> log);
    for (int i = warp * (warp_size >> log); i < count; i += step) {
      const int own = i + (lane >> log);
      int begin = 0, end = 0;
      if (own < count) begin = static_cast<int>(s.ends[own]), end = static_cast<int>(s.ends[own + 1]);
      const bool is_long = end - begin > longest;
      scan_lanes(lead + begin, lead + (is_long ? begin : end), log);
      unsigned long_ones = __ballot_sync(whole_warp, is_long && (lane & (lanes - 1)) == 0);
      for (; long_ones != 0; long_ones &= long_ones - 1) {
        const int from = __ffs(long_ones) - 1;
        scan_lanes(lead + __shfl_sync(whole_warp, begin, from), lead + __shfl_sync(whole_warp, end, from), 5);
      }
    }
  }
  // 2^log lanes for each segment, [begin, end) of the tile. A lane's run is an odd number of elements: lanes side by
  // side read different banks.
  __device__ void scan_lanes(int begin, int end, int log) {
    const int lanes = 1 << log, lane_of = lane & (lanes - 1);
    const int each = log == 0 ? end - begin : (end - begin + lanes - 1) >> log | 1;
    const int from = (min)(end, begin + lane_of * each), to = (min)(end, from + each);
    W running(a.init);
    if (log > 0) {
      W sum(identity_of<T>(op));
#pragma unroll 4
      for (int i = from; i < to; ++i) sum = op(sum, W(value_at(i)));
      for (int d = 1; d < lanes; d *= 2) {
        const W left = shuffle_up(sum, d);
        if (lane_of >= d) sum = op(left, sum);
      }
      const W before = shuffle_up(sum, 1);
      if (lane_of > 0) running = op(running, before);
    }
#pragma unroll 2
    for (int i = from; i < to; ++i) {
      const W next = op(running, W(value_at(i)));
      tile[i] = static_cast<T>(a.inclusive ? next : running);
      running = next;
    }
  }
  __device__ T value_at(int i) const {
    T x[1] = {tile[i]};
    transform_items(x, op, f);
    return x[0];
  }

  const scan_segments_arguments<T>& a;
  shared& s;
  T* const tile;
  const Op& op;
  const F& f;
  const int thread = threadIdx.x, lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
};

template <class T, class Op, class F>
__global__ void __launch_bounds__(segment_shares::threads, sizeof(T) > 8 ? 1 : 3)
    scan_segments(const __grid_constant__ scan_segments_arguments<T> a, const Op op, const F f) {
  extern __shared__ __align__(16) unsigned char tile[];
  __shared__ typename segments_scanner<T, Op, F>::shared shared;
  segments_scanner<T, Op, F>(a, shared, reinterpret_cast<T*>(tile), op, f).run();
}

// One block, and 2^log lanes for a segment; `out` may be where `in` is.
template <class T, class Op, class F>
__global__ void __launch_bounds__(few_segments<T>::threads)
    scan_few_segments(const in_pieces<const T> in, int n, const std::uint64_t* offsets, int segments, int log, T* out,
                      bool inclusive, const T init, const Op op, const F f) {
  constexpr int threads = few_segments<T>::threads, per = in_pieces<T>::per;
  __shared__ shared_array<T, few_segments<T>::values + 2 * per> all;
  using W = core::carrier<T, Op>;
  T* const tile = all.data();
  const int lane = threadIdx.x % warp_size, rank = lane & ((1 << log) - 1);
  const int segment = threadIdx.x >> log;
  std::uint64_t begin = 0, end = 0;
  if (segment < segments) begin = offsets[segment], end = offsets[segment + 1];
  const int first = static_cast<int>(offsets[0]), last = static_cast<int>(offsets[segments]);
  few_segments<T>::bring(in, n, tile);
  __syncthreads();  // the values are there
  const auto value_at = [&](int i) {
    T x[1] = {tile[i]};
    transform_items(x, op, f);
    return x[0];
  };
  const auto scan = [&](int low, int high, int rank, int log) {
    const int each = (high - low + (1 << log) - 1) >> log | 1;  // an odd number: lanes read different banks
    const int from = (min)(high, low + rank * each), to = (min)(high, from + each);
    W sum(identity_of<T>(op));
#pragma unroll 4
    for (int i = from; i < to; ++i) sum = op(sum, W(value_at(i)));
    for (int d = 1; d < 1 << log; d *= 2) {
      const W left = shuffle_up(sum, d);
      if (rank >= d) sum = op(left, sum);
    }
    const W before = shuffle_up(sum, 1);
    W running = rank > 0 ? op(W(init), before) : W(init);
#pragma unroll 2
    for (int i = from; i < to; ++i) {
      const W next = op(running, W(value_at(i)));
      tile[i] = static_cast<T>(inclusive ? next : running);
      running = next;
    }
  };
  const int low = in.skew + static_cast<int>(begin), high = in.skew + static_cast<int>(end);
  const bool is_long = high - low > 32 << log;
  scan(low, is_long ? low : high, rank, log);
  unsigned long_ones = __ballot_sync(whole_warp, is_long && rank == 0);
  for (; long_ones != 0; long_ones &= long_ones - 1) {
    const int from = __ffs(long_ones) - 1;
    scan(__shfl_sync(whole_warp, low, from), __shfl_sync(whole_warp, high, from), lane, 5);
  }
  __syncthreads();  // the segments are scanned
  for (int i = first + static_cast<int>(threadIdx.x); i < last; i += threads) out[i] = tile[in.skew + i];
}

// `out` may be where `values` is.
template <class T, class Op, class F>
void run_scan_segments(device& d, const T* values, std::uint64_t n, const std::uint64_t* offsets,
                       std::uint64_t segments, T* out, bool inclusive, T init, Op op, F f, const char* where,
                       segment_tuning how = {}) {
  using tuning = scan_segments_tuning<T>;
  if constexpr (few_segments<T>::values > 0)
    if (few_segments<T>::are(n, segments)) {
      scan_few_segments<<<1, few_segments<T>::threads, 0, d.stream()>>>(
          in_pieces<const T>::of(values), static_cast<int>(n), offsets, static_cast<int>(segments),
          few_segments<T>::lanes(segments), out, inclusive, init, op, f);
      return check(cudaGetLastError(), where);
    }
  scan_segments_arguments<T> a{in_pieces<const T>::of(values),
                               in_pieces<T>::of(out),
                               segment_shares::of<T>(d, n, offsets, segments, how),
                               0,
                               how.staged_mean,
                               0,
                               init,
                               inclusive};
  a.segments_a_block = a.shares.give_by_number();
  const std::uint64_t alike = n / segments * a.segments_a_block;
  a.staged_capacity = static_cast<std::uint32_t>(std::min<std::uint64_t>(tuning::staged, alike + alike / 4 + 512));
  const std::size_t shared_bytes = tuning::staged ? (a.staged_capacity + 2 * in_pieces<T>::per) * sizeof(T) : 0;
  scan_segments<T, Op, F>
      <<<static_cast<unsigned>(a.shares.blocks), segment_shares::threads, shared_bytes, d.stream()>>>(a, op, f);
  check(cudaGetLastError(), where);
}

}  // namespace upsweep::cuda
