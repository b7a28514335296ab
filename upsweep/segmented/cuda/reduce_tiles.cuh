// Reduce by segment in one launch, a tile a block, whatever the lengths are: as scans do (scan_tiles.cuh), but what is
// written is the scan's value at the end of each segment, by the block whose tile it ends in. Only the segment that
// enters a tile waits for the tiles before, and only where it ends in this one.
#pragma once

#include "upsweep/segmented/cuda/tile_heads.cuh"

namespace upsweep::cuda {

template <class T>
struct reduce_tiles_arguments {
  in_pieces<const T> in;
  std::uint64_t n, segments;
  const std::uint64_t* offsets;
  double segments_an_element;
  T* out;
  T init;
  bool by_ticket;
  tagged_words words;
  launch_control* control;
};

template <class T, class Op, class F, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    reduce_segments_by_tiles(const __grid_constant__ reduce_tiles_arguments<T> a, const Op op, const F f) {
  constexpr int warps = Shape::warps, per = in_pieces<T>::per, rows = Shape::rows, row = warp_size * per;
  constexpr int tile_size = Shape::threads * per * rows;
  __shared__ tile_heads<Shape::threads, tile_size> heads;
  __shared__ shared_array<T, warps> warp_fold;
  __shared__ shared_array<T, tile_size> at_ends;  // folds of segments, where their last elements stand
  __shared__ bool warp_has_head[warps];
  __shared__ std::uint64_t drawn;
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const T nothing = identity_of<T>(op), init = a.init;
  heads.clear();
  std::uint64_t tile = blockIdx.x;
  if (a.by_ticket) {
    if (thread == 0) drawn = atomicAdd(&a.control->ticket, 1ull);
    __syncthreads();  // the ticket is there
    tile = drawn;
  }
  const std::uint32_t epoch = warp == 0 ? a.control->epoch + 1 : 0;  // written by the last block of the launch before
  // What the next tile waits for is a word that may have to come from memory first.
  if (thread == 0) asm volatile("prefetch.global.L2 [%0];" ::"l"(a.words.words + tile * words_of<T>::count));

  // Places of the tile that are elements: [low, high).
  const std::uint64_t base = tile * tile_size, places = a.n + a.in.skew;
  const int low = tile == 0 ? a.in.skew : 0;
  const int high = static_cast<int>(min(places - base, static_cast<std::uint64_t>(tile_size)));
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
  heads.template find<true>(a.offsets, a.segments, first, last, low, a.segments_an_element);
  std::uint64_t segment = heads.segment + thread, begin = 0, end = no_place;
  if (segment < a.segments) begin = a.offsets[segment], end = a.offsets[segment + 1];

  // Each row by itself: folds since a head, or since the row's beginning.
  T up_to_here[rows];
  std::uint32_t head_bits[rows], lanes_with_heads[rows];
#pragma unroll
  for (int k = 0; k < rows; ++k) {
    const int place = mine + k * row;
    head_bits[k] = heads.bits[place / 32] >> place % 32 & ((1u << per) - 1);
    transform_items(x[k], op, f);
#pragma unroll
    for (int c = 0; c < per; ++c) {
      if (!full && (place + c < low || place + c >= high)) x[k][c] = nothing;
      if (head_bits[k] >> c & 1) {
        x[k][c] = op(init, x[k][c]);
      } else if (c > 0) {
        x[k][c] = op(x[k][c > 0 ? c - 1 : 0], x[k][c]);
      }
    }
    lanes_with_heads[k] = __ballot_sync(whole_warp, head_bits[k] != 0);
    up_to_here[k] = fold_since_head(x[k][per - 1], lanes_with_heads[k], lane, op);
  }
  T fold = up_to_here[0];  // in the last lane
  bool has_head = lanes_with_heads[0] != 0;
#pragma unroll
  for (int k = 1; k < rows; ++k) {
    fold = lanes_with_heads[k] != 0 ? up_to_here[k] : op(fold, up_to_here[k]);
    has_head = has_head || lanes_with_heads[k] != 0;
  }
  if (lane == warp_size - 1) warp_fold.data()[warp] = fold, warp_has_head[warp] = has_head;
  __syncthreads();  // every warp wrote its fold

  const unsigned warps_with_heads = __ballot_sync(whole_warp, lane < warps && warp_has_head[min(lane, warps - 1)]);
  const T up_to_warp = fold_since_head<(warps <= 4    ? 4
                                        : warps <= 8  ? 8
                                        : warps <= 16 ? 16
                                                      : 32)>(lane < warps ? warp_fold.data()[lane] : nothing,
                                                             warps_with_heads, lane, op);
  if (warp == 0 && lane == warps - 1) a.words.store(tile, epoch, up_to_warp);
  T running = shuffle_from(up_to_warp, warp == 0 ? 0 : warp - 1);
  if (warp == 0) running = nothing;
#pragma unroll
  for (int k = 0; k < rows; ++k) {
    const T before = shuffle_up(up_to_here[k], 1), total = shuffle_from(up_to_here[k], warp_size - 1);
    const int place = mine + k * row;
    const std::uint32_t ends =
        __funnelshift_r(heads.bits[(place + 1) / 32], heads.bits[(place + 1) / 32 + 1], (place + 1) % 32);
    if ((ends & ((1u << per) - 1)) != 0) {
      const bool head_before = (lanes_with_heads[k] & ((1u << lane) - 1)) != 0;
      T until = running;
      if (lane > 0) until = head_before ? before : op(running, before);
#pragma unroll
      for (int c = 0; c < per; ++c)
        if (ends >> c & 1)
          at_ends.data()[place + c] = (head_bits[k] & ((2u << c) - 1)) == 0 ? op(until, x[k][c]) : x[k][c];
    }
    running = lanes_with_heads[k] != 0 ? total : op(running, total);
  }
  __syncthreads();  // the folds of all that ends here are there

  // The segments that end in this tile, the empty ones too; those that end with the tile before are its own.
  const bool entered = heads.opened != no_place && (heads.bits[0] & 1) == 0;
  while (end <= last) {
    if (end > first || tile == 0) {
      if (begin >= end) {
        a.out[segment] = init;
      } else if (begin >= first) {
        a.out[segment] = at_ends.data()[end - first + low - 1];
      }
    }
    segment += Shape::threads;
    if (segment >= a.segments) break;
    begin = a.offsets[segment], end = a.offsets[segment + 1];
  }
  if (warp == 0) {
    const std::uint64_t which = heads.segment;
    if (entered && which < a.segments && a.offsets[which + 1] <= last) {
      const T carry = fold_of_tiles<T>(a.words, epoch, (heads.opened + a.in.skew) / tile_size, tile, lane, op);
      if (lane == 0) a.out[which] = op(carry, at_ends.data()[a.offsets[which + 1] - first + low - 1]);
    }
    if (lane == 0) a.control->leave(gridDim.x, epoch, a.words);
  }
}

#if !defined(__CUDACC_RTC__)  // the host's side

template <class Shape, class T, class Op, class F>
void run_reduce_tiles_of(device& d, const T* values, std::uint64_t n, const std::uint64_t* offsets,
                         std::uint64_t segments, T* out, T init, Op op, F f, const char* where) {
  const auto kernel = reduce_segments_by_tiles<T, Op, F, Shape>;
  constexpr int tile_size = Shape::threads * Shape::rows * in_pieces<T>::per;
  const auto in = in_pieces<const T>::of(values);
  const std::uint64_t tiles = (n + in.skew + tile_size - 1) / tile_size;
  const int resident = d.once(kernel, [&] { return blocks_at_once(d, kernel, Shape::threads, 0, where); });
  reduce_tiles_arguments<T> a{in,
                              n,
                              segments,
                              offsets,
                              static_cast<double>(segments) / static_cast<double>(n),
                              out,
                              init,
                              tiles > static_cast<std::uint64_t>(resident),
                              {},
                              nullptr};
  std::tie(a.control, a.words) = launch_state<T>(d, "segmented/cuda/tiles", tiles);
  cudaLaunchAttribute together;
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = static_cast<unsigned>(tiles);
  launch.blockDim = Shape::threads;
  launch.stream = d.stream();
  launch.attrs = &together;
  launch.numAttrs = a.by_ticket ? 0 : 1;
  check(cudaLaunchKernelEx(&launch, kernel, a, op, f), where);
}

template <class T, class Op, class F>
void run_reduce_tiles(device& d, const T* values, std::uint64_t n, const std::uint64_t* offsets, std::uint64_t segments,
                      T* out, T init, Op op, F f, const char* where) {
  using tuning = segment_tiles_tuning<sizeof(T)>;
  if (n * sizeof(T) <= tuning::small_bytes)
    return run_reduce_tiles_of<typename tuning::small>(d, values, n, offsets, segments, out, init, op, f, where);
  run_reduce_tiles_of<typename tuning::large>(d, values, n, offsets, segments, out, init, op, f, where);
}

#endif

}  // namespace upsweep::cuda
