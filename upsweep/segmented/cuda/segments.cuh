// Segments as bits: what turns offsets into heads for the pass by key; and the reduction of few values without that
// detour.
#pragma once

#include "upsweep/segmented/cuda/by_key.cuh"

namespace upsweep::cuda {

// Sets a bit where each segment that is not empty begins, and one after the last. Writes init for the empty ones where
// `out` is given.
template <class T>
__global__ void __launch_bounds__(256) mark_segments(const std::uint64_t* offsets, std::uint64_t segments,
                                                     std::uint64_t n, std::uint32_t* bits, T* out, T init) {
  const std::uint64_t s = std::uint64_t{blockIdx.x} * 256 + threadIdx.x;
  if (s > segments) return;
  const std::uint64_t begin = offsets[s];
  const bool empty = s < segments && offsets[s + 1] <= begin;
  if (empty) {
    if (out != nullptr) out[s] = init;
  } else if (begin < n) {
    atomicOr(&bits[begin / 32], 1u << begin % 32);
  }
}

inline constexpr int segment_threads = 256;

// Few values: a block takes `per_block` segments; the short ones go to threads, the middle ones to warps, the long ones
// to the whole block. How long a segment is decides how its values are grouped, so results repeat.
template <class T, class Op, class F>
__global__ void __launch_bounds__(segment_threads)
    reduce_segments(const T* values, const std::uint64_t* offsets, std::uint64_t segments, std::uint32_t per_block,
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
    T sum = upsweep::lifted(op, f(values[i]));
#pragma unroll 8
    for (++i; i < until; ++i) sum = op(sum, upsweep::lifted(op, f(values[i])));
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

#if !defined(__CUDACC_RTC__)  // the host's side

template <class T, class Op, class F>
void run_reduce_segments(device& d, const T* values, const std::uint64_t* offsets, std::uint64_t segments, T* out,
                         T init, Op op, F f, const char* where) {
  const std::uint64_t full = std::uint64_t{8} * d.multiprocessors();
  const auto per_block =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>((segments + full - 1) / full, 1, segment_threads));
  reduce_segments<<<static_cast<unsigned>((segments + per_block - 1) / per_block), segment_threads, 0, d.stream()>>>(
      values, offsets, segments, per_block, out, init, op, f);
  check(cudaGetLastError(), where);
}

#endif

}  // namespace upsweep::cuda
