// A block's scan of a tile with several elements a thread, as scan-then-propagate, reduce-then-scan and
// decoupled-lookback all use it: elements come in coalesced, each thread folds its own few neighbours in registers,
// and only the threads' totals are scanned together.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::textbook::scan_variants {

// Global to shared memory, consecutive threads on consecutive elements; past n the identity. Then thread t's own
// elements are the cells t·items … t·items + items - 1: an odd number of items puts a warp's cells into 32 different
// banks.
template <unsigned block, unsigned items, class Cells, class T, class Op>
__device__ void load_tile(Cells& cells, global<const T> in, std::uint64_t first, std::uint64_t n, Op op) {
#pragma unroll
  for (unsigned j = threadIdx.x; j < block * items; j += block)
    cells[j] = first + j < n ? in[first + j] : identity_of<T>(op);
}

template <unsigned block, unsigned items, class Cells, class T>
__device__ void store_tile(Cells& cells, global<T> out, std::uint64_t first, std::uint64_t n) {
#pragma unroll
  for (unsigned j = threadIdx.x; j < block * items; j += block)
    if (first + j < n) out[first + j] = cells[j];
}

// The thread's own elements into its registers.
template <unsigned items, class Cells, class T>
__device__ void take_own(Cells& cells, T (&own)[items]) {
#pragma unroll
  for (unsigned k = 0; k < items; ++k) own[k] = cells[threadIdx.x * items + k];
}

// Their sum: items - 1 applications.
template <unsigned items, class T, class Op>
__device__ T sum_of_own(const T (&own)[items], Op op) {
  T sum = own[0];
#pragma unroll
  for (unsigned k = 1; k < items; ++k) sum = op(sum, own[k]);
  return sum;
}

// Scans them, from the sum of all before them, back into their cells: items applications.
template <unsigned items, class Cells, class T, class Op>
__device__ void scan_own(Cells& cells, const T (&own)[items], T before, bool inclusive, Op op) {
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    const T with = op(before, own[k]);
    cells[threadIdx.x * items + k] = inclusive ? with : before;
    before = with;
  }
}

// Scans one value a thread over the block: returns the sum of those before. Kogge–Stone by shuffles in each warp and
// over the warps' totals, then one application a thread. The last of `warp_totals`, of which there is one a warp, is
// the block's sum then. A caller that calls again meets at a barrier first, so that every thread has read the totals.
template <unsigned block, class Totals, class T, class Op>
__device__ T scan_threads(Totals& warp_totals, T x, Op op) {
  constexpr unsigned warps = block / 32;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (unsigned window = 1; window < 32; window *= 2) {
    const T left = __shfl_up_sync(whole_warp, x, window);
    if (lane >= window) x = op(left, x);
  }
  if (lane == 31) warp_totals[warp] = x;
  __syncthreads();  // the last lane of each warp has written its total
  if (warp == 0) {
    T sum = lane < warps ? warp_totals[lane] : identity_of<T>(op);
#pragma unroll
    for (unsigned window = 1; window < warps; window *= 2) {
      const T left = __shfl_up_sync(whole_warp, sum, window);
      if (lane >= window) sum = op(left, sum);
    }
    if (lane < warps) warp_totals[lane] = sum;
  }
  __syncthreads();  // the first warp has written the scanned totals
  const T before_warp = warp > 0 ? warp_totals[warp - 1] : identity_of<T>(op);
  T before_lane = __shfl_up_sync(whole_warp, x, 1);
  if (lane == 0) before_lane = identity_of<T>(op);
  return op(before_warp, before_lane);
}

// The longest chains: to the tile's sum; to what comes before the last thread (the sum of the warps before its own,
// and one more).
template <unsigned block, unsigned items>
inline constexpr unsigned chain_to_sum = items - 1 + 5 + log2_of(block / 32);
template <unsigned block, unsigned items>
inline constexpr unsigned chain_to_thread = items - 1 + 5 + (block > 64 ? log2_of(block / 32 - 2) + 1 : 0) + 1;

// Applications of all threads in scan_threads.
template <unsigned block>
inline constexpr unsigned scan_threads_work = [] {
  constexpr unsigned warps = block / 32;
  return warps * (5 * 32 - 31) + (log2_of(warps) * 32 - (warps - 1)) + block;
}();

}  // namespace upsweep::textbook::scan_variants
