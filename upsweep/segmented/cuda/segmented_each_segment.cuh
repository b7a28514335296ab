// Run-time compiled reduce by segment: one kernel for any lengths, without the shares of
// segmented_reduce_segments.cuh, which cut long segments. Long segments keep one block busy each.
#pragma once

#include "upsweep/segmented/cuda/segmented_by_key.cuh"

namespace upsweep::cuda {

inline constexpr int segment_threads = 256;

// A block takes `per_block` segments: threads take the short ones, warps the middle ones, and the whole block the
// long ones. The grouping of a segment's values depends only on its length, so results repeat.
template <class T, class Op, class F>
__global__ void __launch_bounds__(segment_threads)
    reduce_each_segment(const T* values, const std::uint64_t* offsets, std::uint64_t segments, std::uint32_t per_block,
                        T* out, T init, const Op op, const F f) {
  constexpr int warps = segment_threads / warp_size;
  constexpr std::uint64_t short_length = 16, middle_length = 4096;
  __shared__ shared_array<T, warps> warp_folds;
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * per_block, last = min(first + per_block, segments);
  // The part-th of `parts` equal runs of a segment, in order.
  const auto fold_part = [&](std::uint64_t begin, std::uint64_t end, int part, int parts) {
    const std::uint64_t each = (end - begin + parts - 1) / parts;
    std::uint64_t i = min(begin + part * each, end);
    const std::uint64_t until = min(i + each, end);
    if (i == until) return identity_of<T>(op);
    T sum = upsweep::to_accumulator(op, f(values[i]));
#pragma unroll 8
    for (++i; i < until; ++i) sum = op(sum, upsweep::to_accumulator(op, f(values[i])));
    return sum;
  };
  for (std::uint64_t s = first + thread; s < last; s += segment_threads) {
    const std::uint64_t begin = offsets[s], end = offsets[s + 1];
    if (end <= begin) {
      out[s] = init;
    } else if (end - begin <= short_length) {
      out[s] = op(init, fold_part(begin, end, 0, 1));
    }
  }
  for (std::uint64_t s = first + warp; s < last; s += warps) {
    const std::uint64_t begin = offsets[s], end = offsets[s + 1];
    if (end <= begin || end - begin <= short_length || end - begin > middle_length) continue;
    const T sum = warp_reduce(fold_part(begin, end, lane, warp_size), op);
    if (lane == 0) out[s] = op(init, sum);
  }
  for (std::uint64_t s = first; s < last; ++s) {
    const std::uint64_t begin = offsets[s], end = offsets[s + 1];
    if (end <= begin || end - begin <= middle_length) continue;
    const T sum = warp_reduce(fold_part(begin, end, thread, segment_threads), op);
    if (lane == 0) warp_folds.data()[warp] = sum;
    __syncthreads();  // every warp wrote its fold
    if (thread == 0) {
      T all = init;
      for (int w = 0; w < warps; ++w) all = op(all, warp_folds.data()[w]);
      out[s] = all;
    }
    __syncthreads();  // the folds have been read
  }
}

}  // namespace upsweep::cuda
