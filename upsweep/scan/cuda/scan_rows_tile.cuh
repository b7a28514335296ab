// The CUDA scan for sizes between those of one small tile per block and those that fill a ring.
#pragma once

#include "upsweep/scan/cuda/scan_aggregates.cuh"

namespace upsweep::cuda {

// one_tile_scan with larger tiles. The elements of a warp are loaded and stored in rows of 512 bytes, 16 bytes per
// lane, so that accesses with many items per thread are still whole lines of memory.
template <class T, class Op, class F, int Threads, int Rows, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    tile_of_rows_scan(const __grid_constant__ scan_arguments<T> a, const Op op, const F f) {
  constexpr int warps = Threads / warp_size, per = 16 / sizeof(T), row = warp_size * per,
                tile_size = Threads * Rows * per;
  using W = core::carrier<T, Op>;
  using V = plain<W>;
  constexpr bool checked = checks_range<W>;
  __shared__ shared_array<V, warps> warp_prefix;
  __shared__ shared_array<V, 1> tile_prefix;
  __shared__ shared_array<W, checked ? warps + 1 : 1> wide;  // the prefixes of the warps, then that of the tile
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const T nothing = identity_of<T>(op);
  const V no_fold(nothing);
  // The last block of the previous launch wrote it.
  const std::uint32_t epoch = warp == 0 ? a.control->this_epoch() : 0;
  const std::uint64_t tile = blockIdx.x, first = tile * tile_size + warp * (Rows * row) + lane * per;
  const bool full = (tile + 1) * tile_size <= a.n;
  // Prefetches the word that later tiles wait for, because it may have to come from memory.
  if (thread == 0) asm volatile("prefetch.global.L2 [%0];" ::"l"(a.aggregates.words + tile * words_of<V>::count));

  T x[Rows][per];
  const auto read_row = [&](int k, T(&y)[per]) {
#pragma unroll
    for (int c = 0; c < per; ++c) y[c] = first + k * row + c < a.n ? a.in[first + k * row + c] : nothing;
    transform_items(y, op, f);
#pragma unroll
    for (int c = 0; c < per; ++c)
      if (first + k * row + c >= a.n) y[c] = nothing;
  };
  const auto write_row = [&](int k, const T(&y)[per]) {
    T* const out = a.out + first + k * row;
    if (full && a.bulk_out) {
      write_items(out, y);
    } else {
#pragma unroll
      for (int c = 0; c < per; ++c)
        if (first + k * row + c < a.n) out[c] = y[c];
    }
  };
  if (full && a.bulk_in) {
#pragma unroll
    for (int k = 0; k < Rows; ++k) read_items(a.in + first + k * row, x[k]);
#pragma unroll
    for (int k = 0; k < Rows; ++k) transform_items(x[k], op, f);
  } else {
#pragma unroll
    for (int k = 0; k < Rows; ++k) read_row(k, x[k]);
  }
  V up_to_here[Rows];
#pragma unroll
  for (int k = 0; k < Rows; ++k) up_to_here[k] = warp_inclusive_scan(fold_items_in<V>(x[k], op), lane, op);
  V fold = up_to_here[0];
#pragma unroll
  for (int k = 1; k < Rows; ++k) fold = op(fold, up_to_here[k]);  // valid in the last lane
  if (lane == warp_size - 1) warp_prefix.data()[warp] = fold;
  if constexpr (checked) {
    if (is_out_of_range(fold, lane == warp_size - 1)) {
      W total = identity_of<W>(op);
#pragma unroll 1
      for (int k = 0; k < Rows; ++k) {
        T y[per];
        read_row(k, y);
        const W scanned = carried_warp_scan(fold_items_in<W>(y, op), lane, op);
        total = k == 0 ? scanned : op(total, scanned);
      }
      if (lane == warp_size - 1) {
        warp_prefix.data()[warp] = plain_form(total);
        wide.data()[warp] = total;
      }
    }
  }
  __syncthreads();  // every warp wrote its total
  if (warp == 0) {
    [[maybe_unused]] const carried_aggregates<W> carried{a.aggregates, a.tiles};
    const V scanned = warp_inclusive_scan(lane < warps ? warp_prefix.data()[lane] : no_fold, lane, op);
    bool in_plain_form = true;
    if constexpr (checked) in_plain_form = !any_out_of_range(scanned);
    if (in_plain_form) {
      const V before_warp = shuffle_up(scanned, 1);
      if (lane == warp_size - 1) a.aggregates.store(tile, epoch, scanned);
      if (lane < warps) warp_prefix.data()[lane] = lane == 0 ? no_fold : before_warp;
    } else if constexpr (checked) {
      publish_carried<warps>(warp_prefix.data(), wide.data(), warp_prefix.data(), wide.data(), carried, tile, epoch,
                             lane, op);
    }
    V carry(a.init());
    std::uint64_t batch = 0;
    const V prefix = prefix_of<(Rows * sizeof(T) <= 16 ? 8 : 4)>(a.aggregates, epoch, tile, carry, batch, op);
    if (lane == 0) *tile_prefix.data() = prefix;
    if constexpr (checked) {
      if (is_out_of_range(prefix, lane == 0)) {
        W carry_in_full(a.init());
        batch = 0;
        const W found = prefix_of<1>(carried, epoch, tile, carry_in_full, batch, op);
        if (lane == 0) {
          *tile_prefix.data() = plain_form(found);
          wide.data()[warps] = found;
        }
      }
    }
  }
  __syncthreads();  // the first warp wrote the prefixes
  V running = op(*tile_prefix.data(), warp_prefix.data()[warp]);
  [[maybe_unused]] bool all_in_range = true;
#pragma unroll
  for (int k = 0; k < Rows; ++k) {
    const V before = shuffle_up(up_to_here[k], 1), total = shuffle_from(up_to_here[k], warp_size - 1);
    scan_items(x[k], lane == 0 ? running : op(running, before), a.inclusive, op);
    running = op(running, total);
    if constexpr (checked) {
      all_in_range = all_in_range && stays_in_range(x[k][per - 1]);
    } else {
      write_row(k, x[k]);
    }
  }
  if constexpr (checked) {
    if (__all_sync(whole_warp, all_in_range)) {
#pragma unroll
      for (int k = 0; k < Rows; ++k) write_row(k, x[k]);
    } else {  // this warp has written no result yet, so its elements are still there even in place
      W before_row = op(in_carrier(*tile_prefix.data(), wide.data()[warps]),
                        in_carrier(warp_prefix.data()[warp], wide.data()[warp]));
#pragma unroll 1
      for (int k = 0; k < Rows; ++k) {
        T y[per];
        read_row(k, y);
        const W scanned = carried_warp_scan(fold_items_in<W>(y, op), lane, op);
        const W before = shuffle_up(scanned, 1), total = shuffle_from(scanned, warp_size - 1);
        scan_items(y, lane == 0 ? before_row : op(before_row, before), a.inclusive, op);
        before_row = op(before_row, total);
        write_row(k, y);
      }
    }
  }
  if (thread == 0) a.control->leave(gridDim.x, epoch, a.aggregates);
}

#if !defined(__CUDACC_RTC__)  // host code

// Returns false if the device cannot hold all tiles at once.
template <int Threads, int Rows, int Blocks, class T, class Op, class F>
bool tile_of_rows_a_block(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, const initial<T>& init,
                          Op op, F f) {
  return scan_all_tiles_at_once(d, tile_of_rows_scan<T, Op, F, Threads, Rows, Blocks>, Threads,
                                Threads * Rows * (16 / sizeof(T)), in, n, out, inclusive, init, op, f);
}

#endif

}  // namespace upsweep::cuda
