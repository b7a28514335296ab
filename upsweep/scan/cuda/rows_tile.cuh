// The CUDA scan between the sizes that one small tile a block takes and those that fill a ring.
#pragma once

#include "upsweep/scan/cuda/aggregates.cuh"

namespace upsweep::cuda {

// As one_tile_scan, of larger tiles: a warp's elements come and go in rows of 512 bytes, a piece of 16 a lane, so that
// many items a thread still are whole lines of memory.
template <class T, class Op, class F, int Threads, int Rows, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    tile_of_rows_scan(const __grid_constant__ scan_arguments<T> a, const Op op, const F f) {
  constexpr int warps = Threads / warp_size, per = 16 / sizeof(T), row = warp_size * per,
                tile_size = Threads * Rows * per;
  __shared__ shared_array<T, warps> warp_prefix;
  __shared__ shared_array<T, 1> tile_prefix;
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const T nothing = identity_of<T>(op);
  // Written by the last block of the launch before.
  const std::uint32_t epoch = warp == 0 ? a.control->this_epoch() : 0;
  const std::uint64_t tile = blockIdx.x, first = tile * tile_size + warp * (Rows * row) + lane * per;
  const bool full = (tile + 1) * tile_size <= a.n;
  // What later tiles wait for is a word that may have to come from memory first.
  if (thread == 0) asm volatile("prefetch.global.L2 [%0];" ::"l"(a.aggregates.words + tile * words_of<T>::count));

  T x[Rows][per], up_to_here[Rows];
  if (full && a.bulk_in) {
#pragma unroll
    for (int k = 0; k < Rows; ++k) read_items(a.in + first + k * row, x[k]);
#pragma unroll
    for (int k = 0; k < Rows; ++k) transform_items(x[k], op, f);
  } else {
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
#pragma unroll
      for (int c = 0; c < per; ++c) x[k][c] = first + k * row + c < a.n ? a.in[first + k * row + c] : nothing;
      transform_items(x[k], op, f);
#pragma unroll
      for (int c = 0; c < per; ++c)
        if (first + k * row + c >= a.n) x[k][c] = nothing;
    }
  }
#pragma unroll
  for (int k = 0; k < Rows; ++k) up_to_here[k] = warp_inclusive_scan(fold_items(x[k], op), lane, op);
  T fold = up_to_here[0];
#pragma unroll
  for (int k = 1; k < Rows; ++k) fold = op(fold, up_to_here[k]);  // right in the last lane
  if (lane == warp_size - 1) warp_prefix.data()[warp] = fold;
  __syncthreads();  // every warp wrote its total
  if (warp == 0) {
    const T scanned = warp_inclusive_scan(lane < warps ? warp_prefix.data()[lane] : nothing, lane, op);
    const T before_warp = shuffle_up(scanned, 1);
    if (lane == warp_size - 1) a.aggregates.store(tile, epoch, scanned);
    if (lane < warps) warp_prefix.data()[lane] = lane == 0 ? nothing : before_warp;
    T carry = a.init();
    std::uint64_t batch = 0;
    const T prefix = prefix_of<(Rows * sizeof(T) <= 16 ? 8 : 4)>(a.aggregates, epoch, tile, carry, batch, op);
    if (lane == 0) *tile_prefix.data() = prefix;
  }
  __syncthreads();  // the first warp wrote the prefixes
  T running = op(*tile_prefix.data(), warp_prefix.data()[warp]);
#pragma unroll
  for (int k = 0; k < Rows; ++k) {
    const T before = shuffle_up(up_to_here[k], 1), total = shuffle_from(up_to_here[k], warp_size - 1);
    scan_items(x[k], lane == 0 ? running : op(running, before), a.inclusive, op);
    running = op(running, total);
    T* const out = a.out + first + k * row;
    if (full && a.bulk_out) {
      write_items(out, x[k]);
    } else {
#pragma unroll
      for (int c = 0; c < per; ++c)
        if (first + k * row + c < a.n) out[c] = x[k][c];
    }
  }
  if (thread == 0) a.control->leave(gridDim.x, epoch, a.aggregates);
}

#if !defined(__CUDACC_RTC__)  // the host's side

// False where the tiles are more than the device can hold at once.
template <int Threads, int Rows, int Blocks, class T, class Op, class F>
bool tile_of_rows_a_block(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, const initial<T>& init,
                          Op op, F f) {
  return scan_all_tiles_at_once(d, tile_of_rows_scan<T, Op, F, Threads, Rows, Blocks>, Threads,
                                Threads * Rows * (16 / sizeof(T)), in, n, out, inclusive, init, op, f);
}

#endif

}  // namespace upsweep::cuda
