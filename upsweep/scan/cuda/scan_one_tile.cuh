// The CUDA scan of middle sizes.
#pragma once

#include "upsweep/scan/cuda/scan_aggregates.cuh"

namespace upsweep::cuda {

// For middle sizes, where latency dominates. Each block takes one tile, from memory to registers and back. The launch
// is cooperative, so all blocks are resident and each may wait for the blocks before it.
template <class T, class Op, class F, int Threads, int Items>
__global__ void __launch_bounds__(Threads)
    one_tile_scan(const __grid_constant__ scan_arguments<T> a, const Op op, const F f) {
  constexpr int warps = Threads / warp_size, tile_size = Threads * Items;
  using W = core::carrier<T, Op>;
  __shared__ shared_array<W, warps> warp_prefix;
  __shared__ shared_array<W, 1> tile_prefix;
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const T nothing = identity_of<T>(op);
  const W no_fold(nothing);
  // The last block of the previous launch wrote it.
  const std::uint32_t epoch = warp == 0 ? a.control->this_epoch() : 0;
  const std::uint64_t tile = blockIdx.x, first = tile * tile_size + thread * Items;
  const bool full = (tile + 1) * tile_size <= a.n;
  // Prefetches the word that later tiles wait for, because it may have to come from memory.
  if (thread == 0) asm volatile("prefetch.global.L2 [%0];" ::"l"(a.aggregates.words + tile * words_of<W>::count));

  T x[Items];
  if (full && a.bulk_in) {
    read_items(a.in + first, x);
    transform_items(x, op, f);
  } else {
#pragma unroll
    for (int i = 0; i < Items; ++i) x[i] = first + i < a.n ? a.in[first + i] : nothing;
    transform_items(x, op, f);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (first + i >= a.n) x[i] = nothing;
  }
  const W inclusive = warp_inclusive_scan(fold_items_in<W>(x, op), lane, op);
  const W before_thread = shuffle_up(inclusive, 1);
  if (lane == warp_size - 1) warp_prefix.data()[warp] = inclusive;
  __syncthreads();  // every warp wrote its total
  if (warp == 0) {
    const W scanned = warp_inclusive_scan(lane < warps ? warp_prefix.data()[lane] : no_fold, lane, op);
    const W before_warp = shuffle_up(scanned, 1);
    if (lane == warp_size - 1) a.aggregates.store(tile, epoch, scanned);
    if (lane < warps) warp_prefix.data()[lane] = lane == 0 ? no_fold : before_warp;
    W carry(a.init());
    std::uint64_t batch = 0;
    const W prefix = prefix_of<(sizeof(W) <= 8   ? 8
                                : sizeof(T) <= 8 ? 4
                                                 : 2)>(a.aggregates, epoch, tile, carry, batch, op);
    if (lane == 0) *tile_prefix.data() = prefix;
  }
  __syncthreads();  // the first warp wrote the prefixes
  W running = op(*tile_prefix.data(), warp_prefix.data()[warp]);
  if (lane > 0) running = op(running, before_thread);
  scan_items(x, running, a.inclusive, op);
  if (full && a.bulk_out) {
    write_items(a.out + first, x);
  } else {
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (first + i < a.n) a.out[first + i] = x[i];
  }
  if (thread == 0) a.control->leave(gridDim.x, epoch, a.aggregates);
}

#if !defined(__CUDACC_RTC__)  // host code

// Returns false if the device cannot hold all tiles at once.
template <int Threads, int Items, class T, class Op, class F>
bool one_tile_a_block(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, const initial<T>& init, Op op,
                      F f) {
  return scan_all_tiles_at_once(d, one_tile_scan<T, Op, F, Threads, Items>, Threads, Threads * Items, in, n, out,
                                inclusive, init, op, f);
}

#endif

}  // namespace upsweep::cuda
