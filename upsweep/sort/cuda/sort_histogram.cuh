// The first kernel of a large sort: counts the digits of all passes in one reading of the keys, and makes the plan.
#pragma once

#include "upsweep/sort/cuda/sort_cuda_tuning.hpp"
#include "upsweep/sort/cuda/sort_float_codes.cuh"
#include "upsweep/sort/cuda/sort_plan.cuh"

namespace upsweep::cuda {

inline constexpr int histogram_threads = 1024;

template <class Key, bool Floating, int Columns>
__global__ void __launch_bounds__(histogram_threads, 1)
    digit_histograms(const Key* in, std::uint64_t n, digit_plan<Key, Floating> digits, bool in_place,
                     sort_control* control, tile_rows rows, std::uint64_t tiles) {
  constexpr int columns = Columns, most = sizeof(Key), per_piece = 16 / sizeof(Key);
  extern __shared__ __align__(16) std::uint32_t counts[];  // [pass][value][column]
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const int passes = digits.passes();
  for (int i = thread; i < passes * digit_values * columns / 4; i += histogram_threads)
    reinterpret_cast<uint4*>(counts)[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();  // the counters are zero

  std::uint32_t* column = counts + lane % columns;
  const auto count_all = [&](auto& keys) {
#pragma unroll
    for (Key& k : keys) k = ordered_bits(digits, k);
#pragma unroll
    for (int p = 0; p < most; ++p) {
      if (p >= passes) break;
      const auto d = digits.digits(p);
#pragma unroll
      for (const Key k : keys)
        atomicAdd(&column[(p * digit_values + (static_cast<std::uint32_t>(k >> d.shift) & d.mask)) * columns], 1u);
    }
  };

  // Pieces of 16 bytes, and single keys before and after them.
  const std::uint64_t misplaced = reinterpret_cast<std::uintptr_t>(in) % 16 / sizeof(Key);
  std::uint64_t head = misplaced == 0 ? 0 : per_piece - misplaced;
  if (head > n) head = n;
  const std::uint64_t pieces = (n - head) / per_piece, tail = head + pieces * per_piece;
  const auto* body = reinterpret_cast<const uint4*>(in + head);
  const std::uint64_t stride = std::uint64_t{gridDim.x} * histogram_threads;
  std::uint64_t i = std::uint64_t{blockIdx.x} * histogram_threads + thread;
  constexpr int at_once = 4;
  for (; i + (at_once - 1) * stride < pieces; i += at_once * stride) {
    uint4 piece[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) piece[k] = body[i + k * stride];
    Key keys[at_once * per_piece];
    memcpy(keys, piece, sizeof keys);
    count_all(keys);
  }
  for (; i < pieces; i += stride) {
    const uint4 piece = body[i];
    Key keys[per_piece];
    memcpy(keys, &piece, sizeof keys);
    count_all(keys);
  }
  if (blockIdx.x == 0 && thread < 2 * per_piece) {
    const std::uint64_t at = thread < per_piece ? thread : tail + thread - per_piece;
    if (thread < per_piece ? at < head : at < n) {
      Key one[1]{in[at]};
      count_all(one);
    }
  }
  __syncthreads();  // all keys of the block are counted
  let_next_kernel_begin();

  for (int row = warp; row < passes * digit_values; row += histogram_threads / warp_size) {
    const std::uint32_t sum = warp_sum(lane < columns ? counts[row * columns + lane] : 0u);
    if (lane == 0 && sum != 0) atomicAdd(&control->counts[0][0] + row, static_cast<unsigned long long>(sum));
  }
  __threadfence();  // this block's counts come before its arrival
  __syncthreads();
  __shared__ bool last;
  if (thread == 0) last = atomicAdd(&control->arrived, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();  // the other blocks' counts come after their arrival
  make_plan<histogram_threads>(*control, n, passes, in_place, rows, tiles);
}

}  // namespace upsweep::cuda
