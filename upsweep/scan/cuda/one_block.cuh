// The CUDA scan of a short input.
#pragma once

#include "upsweep/cuda/initial.cuh"
#include "upsweep/cuda/items.cuh"
#include "upsweep/scan/cuda/tuning.hpp"
#if !defined(__CUDACC_RTC__)
#include "upsweep/cuda/device.hpp"
#endif

namespace upsweep::cuda {

// One block walks over all of a short input: a single launch, and no memory but the operands.
template <class T, class Op, class F, int Threads, int Items>
__global__ void __launch_bounds__(Threads) one_block_scan(const T* in, T* out, std::uint32_t n, const initial<T> init,
                                                          bool inclusive, const Op op, const F f) {
  constexpr int warps = Threads / warp_size;
  __shared__ shared_array<T, 2 * warps> warp_totals;
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const T nothing = identity_of<T>(op);
  T carry = init();
  int now = 0;  // two sets of totals, so that one barrier a step is enough
  for (std::uint32_t step = 0; step < n; step += Threads * Items, now = 1 - now) {
    const std::uint32_t first = step + thread * Items;
    T x[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) x[i] = first + i < n ? in[first + i] : nothing;
    transform_items(x, op, f);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (first + i >= n) x[i] = nothing;
    const T scanned = warp_inclusive_scan(fold_items(x, op), lane, op);
    T* warp_total = warp_totals.data() + now * warps;
    if (lane == warp_size - 1) warp_total[warp] = scanned;
    __syncthreads();  // every warp wrote its total
    const T warps_scanned = warp_inclusive_scan(lane < warps ? warp_total[lane] : nothing, lane, op);
    const T before_warp = shuffle_from(warps_scanned, warp == 0 ? 0 : warp - 1), before_thread = shuffle_up(scanned, 1);
    T running = warp == 0 ? carry : op(carry, before_warp);
    if (lane > 0) running = op(running, before_thread);
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const T until = op(running, x[i]);
      if (first + i < n) out[first + i] = inclusive ? until : running;
      running = until;
    }
    carry = op(carry, shuffle_from(warps_scanned, warp_size - 1));
  }
}

#if !defined(__CUDACC_RTC__)  // the host's side

template <class T, class Op, class F>
void one_block(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, const initial<T>& init, Op op, F f) {
  using tuning = scan_tuning<sizeof(T)>;
  one_block_scan<T, Op, F, tuning::one_block_threads, tuning::one_block_items>
      <<<1, tuning::one_block_threads, 0, d.stream()>>>(in, out, static_cast<std::uint32_t>(n), init, inclusive, op, f);
  check(cudaGetLastError(), "scan on cuda");
}

#endif

}  // namespace upsweep::cuda
