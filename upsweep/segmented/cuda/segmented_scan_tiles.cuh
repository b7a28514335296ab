// Scan by segment in one launch, a tile a block, for any lengths.
//
// A block issues the loads of its elements. While they are in flight it finds its segments in the offsets and marks
// where they begin, a bit for each element of the tile. It publishes the fold of the elements from its last head on.
// It waits for the fold of the elements between the beginning of the segment that enters it and its first element;
// the offsets show which tiles have these. So a tile waits for the one before it, and for more only if a segment is
// that long. With few elements, reading these again is faster than waiting.
#pragma once

#if !defined(__CUDACC_RTC__)
#include "upsweep/cuda/cooperative_launch.cuh"
#endif
#include "upsweep/segmented/cuda/segmented_scan_segments.cuh"
#include "upsweep/segmented/cuda/segmented_tile_heads.cuh"

namespace upsweep::cuda {

template <class T>
struct scan_tiles_arguments {
  in_pieces<const T> in;
  in_pieces<T> out;
  std::uint64_t n, segments;
  const std::uint64_t* offsets;
  double segments_an_element;
  T init;
  bool inclusive, by_ticket;
  tagged_words words;
  launch_control* control;
};

// If Waits is false, each tile folds again the elements before it in the segment that enters it.
template <class T, class Op, class F, class Shape, bool Waits>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    scan_segments_by_tiles(const __grid_constant__ scan_tiles_arguments<T> a, const Op op, const F f) {
  constexpr int warps = Shape::warps, per = in_pieces<T>::per, rows = Shape::rows, row = warp_size * per;
  constexpr int tile_size = Shape::threads * per * rows;
  __shared__ tile_heads<Shape::threads, tile_size> heads;
  using W = core::carrier<T, Op>;
  __shared__ shared_array<W, warps> warp_fold, warp_before, warp_long_before;
  __shared__ bool warp_has_head[warps];
  __shared__ shared_array<W, 1> carried;
  __shared__ std::uint64_t drawn;
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const T nothing = identity_of<T>(op);
  heads.clear();
  std::uint64_t tile = blockIdx.x;
  if (Waits && a.by_ticket) {
    may_doze();
    if (thread == 0) drawn = atomicAdd(&a.control->ticket, 1ull);
    __syncthreads();  // the ticket is there
    tile = drawn;
  }
  // Written by the last block of the launch before.
  const std::uint32_t epoch = Waits && warp == 0 ? a.control->this_epoch() : 0;

  // Prefetches the word that the next tile waits for, which may have to come from memory first.
  if (Waits && thread == 0) asm volatile("prefetch.global.L2 [%0];" ::"l"(a.words.words + tile * words_of<W>::count));

  // Places of the tile that are elements: [low, high).
  const std::uint64_t base = tile * tile_size, places = a.n + a.in.skew;
  const int low = tile == 0 ? a.in.skew : 0;
  const int high = static_cast<int>((min)(places - base, static_cast<std::uint64_t>(tile_size)));
  const std::uint64_t first = base + low - a.in.skew, last = base + high - a.in.skew;
  const in_pieces<const T> in = a.in.from(base);
  const int mine = warp * rows * row + lane * per;  // the first place of the thread's first row
  T x[rows][per];
  const bool full = low == 0 && high == tile_size;
  if (full && (per == 1 || in.whole)) {
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      if constexpr (per > 1) {
        const uint4 piece = *reinterpret_cast<const uint4*>(in.at + mine + k * row);
        memcpy(x[k], &piece, sizeof x[k]);
      } else {
        x[k][0] = in.at[mine + k * row];
      }
    }
  } else {
#pragma unroll
    for (int k = 0; k < rows; ++k) {
#pragma unroll
      for (int c = 0; c < per; ++c) x[k][c] = nothing;
      in.read(mine + k * row, low, high, x[k]);
    }
  }
  T earlier[per];  // as many elements as a tile has, and before it
  if constexpr (!Waits) {
    static_assert(rows == 1);
#pragma unroll
    for (int c = 0; c < per; ++c) earlier[c] = nothing;
    if (tile > 0) a.in.from(base - tile_size).read(mine, tile == 1 ? a.in.skew : 0, tile_size, earlier);
  }
  const std::uint64_t within = a.offsets[0], behind = a.offsets[a.segments];
  heads.find(a.offsets, a.segments, first, last, low, a.segments_an_element);
  const bool enters = heads.opened != no_place && (heads.bits[0] & 1) == 0;
  bool enters_from_afar = false;
  if constexpr (!Waits) {
    if (enters) {
      const std::uint64_t opened = heads.opened + a.in.skew, known = base - tile_size;
      const int since = opened > known ? static_cast<int>(opened - known) : 0;
      transform_items(earlier, op, f);
      W sum(nothing);
#pragma unroll
      for (int c = 0; c < per; ++c) sum = op(sum, W(mine + c >= since ? earlier[c] : nothing));
      sum = warp_reduce(sum, op);
      if (lane == 0) warp_before.data()[warp] = sum;
      enters_from_afar = opened < known;
      if (enters_from_afar) {  // warps take runs of neighbours
        const std::uint64_t start = opened / per * per, each = (known - start + warps * row - 1) / (warps * row) * row;
        const std::uint64_t begin = (max)(opened, (min)(known, start + warp * each)),
                            end = (min)(known, start + (warp + 1) * each);
        sum = fold_of_warp(a.in, begin, end, lane, op, f);
        if (lane == 0) warp_long_before.data()[warp] = sum;
      }
    }
  }

  // Each row by itself.
  const T init = a.init;
  W before[rows], total[rows];
  std::uint32_t head_bits[rows], lanes_with_heads[rows];
#pragma unroll
  for (int k = 0; k < rows; ++k) {
    const int place = mine + k * row;
    head_bits[k] = heads.bits[place / 32] >> place % 32 & ((1u << per) - 1);
    transform_items(x[k], op, f);
#pragma unroll
    for (int c = 0; c < per; ++c) {
      if (!full && (place + c < low || place + c >= high)) x[k][c] = nothing;
      if (head_bits[k] >> c & 1) x[k][c] = op(init, x[k][c]);
    }
    W own(x[k][0]);  // since the thread's last head
#pragma unroll
    for (int c = 1; c < per; ++c) own = head_bits[k] >> c & 1 ? W(x[k][c]) : op(own, W(x[k][c]));
    lanes_with_heads[k] = __ballot_sync(whole_warp, head_bits[k] != 0);
    const W up_to_here = fold_since_head(own, lanes_with_heads[k], lane, op);
    before[k] = shuffle_up(up_to_here, 1);
    total[k] = shuffle_from(up_to_here, warp_size - 1);
  }
  W fold = total[0];
  bool has_head = lanes_with_heads[0] != 0;
#pragma unroll
  for (int k = 1; k < rows; ++k) {
    fold = lanes_with_heads[k] != 0 ? total[k] : op(fold, total[k]);
    has_head = has_head || lanes_with_heads[k] != 0;
  }
  if (lane == 0) warp_fold.data()[warp] = fold, warp_has_head[warp] = has_head;
  __syncthreads();  // every warp wrote its fold

  // A few warps: each adds up those before it.
  const unsigned warps_with_heads = __ballot_sync(whole_warp, lane < warps && warp_has_head[(min)(lane, warps - 1)]);
  const W up_to_warp = fold_since_head<(warps <= 4    ? 4
                                        : warps <= 8  ? 8
                                        : warps <= 16 ? 16
                                                      : 32)>(lane < warps ? warp_fold.data()[lane] : W(nothing),
                                                             warps_with_heads, lane, op);
  if (Waits && warp == 0 && lane == warps - 1) a.words.store(tile, epoch, up_to_warp);
  W running = shuffle_from(up_to_warp, warp == 0 ? 0 : warp - 1);
  if (warp == 0) running = W(nothing);
  if (!Waits && enters) {
    W carry(init);
    if (enters_from_afar) {
#pragma unroll
      for (int w = 0; w < warps; ++w) carry = op(carry, warp_long_before.data()[w]);
    }
#pragma unroll
    for (int w = 0; w < warps; ++w) carry = op(carry, warp_before.data()[w]);
    if ((warps_with_heads & ((1u << warp) - 1)) == 0) running = op(carry, running);
  }
  if (Waits && enters) {
    if (warp == 0) {
      const W carry = fold_of_tiles<W>(a.words, epoch, (heads.opened + a.in.skew) / tile_size, tile, lane, op);
      if (lane == 0) *carried.data() = carry;
    }
    __syncthreads();  // the carry is there
    if ((warps_with_heads & ((1u << warp) - 1)) == 0) running = op(*carried.data(), running);
  }

  const bool alike = a.in.whole && a.out.whole && a.in.skew == a.out.skew;
  const in_pieces<T> out = a.out.from(base);
  const int from =
      within > first ? static_cast<int>((min)(within - first, static_cast<std::uint64_t>(tile_size))) + low : low;
  const int to = behind < last ? (behind > first ? static_cast<int>(behind - first) + low : 0) : high;
#pragma unroll
  for (int k = 0; k < rows; ++k) {
    const bool head_before = (lanes_with_heads[k] & ((1u << lane) - 1)) != 0;
    W until = running;
    if (lane > 0) until = head_before ? before[k] : op(running, before[k]);
    running = lanes_with_heads[k] != 0 ? total[k] : op(running, total[k]);
    T y[per];
#pragma unroll
    for (int c = 0; c < per; ++c) {
      const bool head = head_bits[k] >> c & 1;
      const W up_to_here = head ? W(x[k][c]) : op(until, W(x[k][c]));
      y[c] = a.inclusive ? static_cast<T>(up_to_here) : head ? init : static_cast<T>(until);
      until = up_to_here;
    }
    const int place = mine + k * row;
    if (alike) {
      out.write(place, from, to, y);
    } else {
#pragma unroll
      for (int c = 0; c < per; ++c)
        if (place + c >= from && place + c < to) out.at[place + c - a.in.skew + a.out.skew] = y[c];
    }
  }
  if (Waits && thread == 0) a.control->leave(gridDim.x, epoch, a.words);
}

#if !defined(__CUDACC_RTC__)  // the host's side

template <class T>
scan_tiles_arguments<T> arguments_of_tiles(const T* values, std::uint64_t n, const std::uint64_t* offsets,
                                           std::uint64_t segments, T* out, bool inclusive, T init) {
  return {in_pieces<const T>::of(values),
          in_pieces<T>::of(out),
          n,
          segments,
          offsets,
          static_cast<double>(segments) / static_cast<double>(n),
          init,
          inclusive,
          false,
          {},
          nullptr};
}

// Launches tiles of that shape: all at once if the device can hold them, otherwise by ticket, so that a tile only
// waits for tiles that run. `out` may be exactly `values`.
template <class Shape, class T, class Op, class F>
void run_scan_tiles_of(device& d, const T* values, std::uint64_t n, const std::uint64_t* offsets,
                       std::uint64_t segments, T* out, bool inclusive, T init, Op op, F f, const char* where) {
  const auto kernel = scan_segments_by_tiles<T, Op, F, Shape, true>;
  constexpr int tile_size = Shape::threads * Shape::rows * in_pieces<T>::per;
  scan_tiles_arguments<T> a = arguments_of_tiles(values, n, offsets, segments, out, inclusive, init);
  const std::uint64_t tiles = (n + a.in.skew + tile_size - 1) / tile_size;
  const int resident = d.once(kernel, [&] { return blocks_at_once(d, kernel, Shape::threads, 0, where); });
  a.by_ticket = tiles > static_cast<std::uint64_t>(resident);
  std::tie(a.control, a.words) = launch_state<core::carrier<T, Op>>(d, "segmented/cuda/tiles", tiles);
  launch_together(d, kernel, tiles, Shape::threads, 0, !a.by_ticket, where, a, op, f);
}

template <class T, class Op, class F>
void run_scan_tiles(device& d, const T* values, std::uint64_t n, const std::uint64_t* offsets, std::uint64_t segments,
                    T* out, bool inclusive, T init, Op op, F f, const char* where) {
  using tuning = segment_tiles_tuning<sizeof(T)>;
  if constexpr (std::is_same_v<Op, plus>)
    if (n * sizeof(T) <= tuning::small_bytes)
      return run_scan_tiles_of<typename tuning::small>(d, values, n, offsets, segments, out, inclusive, init, op, f,
                                                       where);
  run_scan_tiles_of<typename tuning::large>(d, values, n, offsets, segments, out, inclusive, init, op, f, where);
}

template <class Shape, class T, class Op, class F>
void run_scan_tiles_alone_of(device& d, const T* values, std::uint64_t n, const std::uint64_t* offsets,
                             std::uint64_t segments, T* out, bool inclusive, T init, Op op, F f, const char* where) {
  constexpr int tile_size = Shape::threads * Shape::rows * in_pieces<T>::per;
  const scan_tiles_arguments<T> a = arguments_of_tiles(values, n, offsets, segments, out, inclusive, init);
  const std::uint64_t tiles = (n + a.in.skew + tile_size - 1) / tile_size;
  scan_segments_by_tiles<T, Op, F, Shape, false>
      <<<static_cast<unsigned>(tiles), Shape::threads, 0, d.stream()>>>(a, op, f);
  check(cudaGetLastError(), where);
}

// Tiles that wait for no other. `out` must not be `values`: a tile reads elements that others may have overwritten by
// then.
template <class T, class Op, class F>
void run_scan_tiles_alone(device& d, const T* values, std::uint64_t n, const std::uint64_t* offsets,
                          std::uint64_t segments, T* out, bool inclusive, T init, Op op, F f, const char* where) {
  using tuning = segment_tiles_tuning<sizeof(T)>;
  if (fit_for_short_tiles(n, segments, sizeof(T)))
    return run_scan_tiles_alone_of<typename tuning::short_alone>(d, values, n, offsets, segments, out, inclusive, init,
                                                                 op, f, where);
  run_scan_tiles_alone_of<typename tuning::alone>(d, values, n, offsets, segments, out, inclusive, init, op, f, where);
}

#endif

}  // namespace upsweep::cuda
