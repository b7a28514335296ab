// The CUDA scan of a short input.
#pragma once

#include "upsweep/cuda/init_value.cuh"
#include "upsweep/cuda/thread_items.cuh"
#include "upsweep/scan/cuda/scan_cuda_tuning.hpp"
#include "upsweep/scan/cuda/scan_f64.cuh"
#if !defined(__CUDACC_RTC__)
#include "upsweep/cuda/cuda_device.hpp"
#endif

namespace upsweep::cuda {

// One block processes all of a short input: a single launch, and no memory except the operands.
template <class T, class Op, class F, int Threads, int Items>
__global__ void __launch_bounds__(Threads) one_block_scan(const T* in, T* out, std::uint32_t n, const initial<T> init,
                                                          bool inclusive, const Op op, const F f) {
  constexpr int warps = Threads / warp_size;
  using W = core::carrier<T, Op>;
  using V = plain<W>;
  constexpr bool checked = checks_range<W>;
  __shared__ shared_array<V, 2 * warps> warp_totals;
  __shared__ shared_array<W, checked ? 2 * warps : 1> wide;
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const T nothing = identity_of<T>(op);
  V carry(init());
  [[maybe_unused]] W carry_in_full(carry);  // used if carry is not in range
  int now = 0;                              // two sets of totals, so that one barrier per step is enough
  for (std::uint32_t step = 0; step < n; step += Threads * Items, now = 1 - now) {
    const std::uint32_t first = step + thread * Items;
    T x[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) x[i] = first + i < n ? in[first + i] : nothing;
    transform_items(x, op, f);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (first + i >= n) x[i] = nothing;
    const V scanned = warp_inclusive_scan(fold_items_in<V>(x, op), lane, op);
    V* const warp_total = warp_totals.data() + now * warps;
    if (lane == warp_size - 1) warp_total[warp] = scanned;
    [[maybe_unused]] W* const wide_total = wide.data() + (checked ? now * warps : 0);
    if constexpr (checked) {
      if (is_out_of_range(scanned, lane == warp_size - 1)) {
        const W total = warp_inclusive_scan(fold_items_in<W>(x, op), lane, op);
        if (lane == warp_size - 1) {
          warp_total[warp] = plain_form(total);
          wide_total[warp] = total;
        }
      }
    }
    __syncthreads();  // every warp wrote its total
    // Replaces x by the results of the thread. `total` is the total of warp number `lane`. Returns the carry of the
    // next step.
    const auto finish = [&]<class A>(const A& before_step, const A& total, const A& up_to_here) {
      const A warps_scanned = warp_inclusive_scan(total, lane, op);
      const A before_warp = shuffle_from(warps_scanned, warp == 0 ? 0 : warp - 1),
              before_thread = shuffle_up(up_to_here, 1);
      A running = warp == 0 ? before_step : op(before_step, before_warp);
      if (lane > 0) running = op(running, before_thread);
      scan_items(x, running, inclusive, op);
      return op(before_step, shuffle_from(warps_scanned, warp_size - 1));
    };
    T elements[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) elements[i] = x[i];
    const V next = finish(carry, lane < warps ? warp_total[lane] : V(nothing), scanned);
    [[maybe_unused]] const V last_carry = carry;
    carry = next;
    if constexpr (checked) {
      // All warps compute the same carry.
      if (any_out_of_range(x[Items - 1]) || !stays_in_range(next)) {
#pragma unroll
        for (int i = 0; i < Items; ++i) x[i] = elements[i];
        const W total = lane < warps ? in_carrier(warp_total[lane], wide_total[lane]) : W(nothing);
        carry_in_full = finish(in_carrier(last_carry, carry_in_full), total,
                               warp_inclusive_scan(fold_items_in<W>(x, op), lane, op));
        carry = plain_form(carry_in_full);
      }
    }
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (first + i < n) out[first + i] = x[i];
  }
}

#if !defined(__CUDACC_RTC__)  // host code

template <class T, class Op, class F>
void one_block(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, const initial<T>& init, Op op, F f) {
  using tuning = scan_tuning<sizeof(T)>;
  one_block_scan<T, Op, F, tuning::one_block_threads, tuning::one_block_items>
      <<<1, tuning::one_block_threads, 0, d.stream()>>>(in, out, static_cast<std::uint32_t>(n), init, inclusive, op, f);
  check(cudaGetLastError(), "scan on cuda");
}

#endif

}  // namespace upsweep::cuda
