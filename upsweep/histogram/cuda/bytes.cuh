// Counts of the 256 values of a byte: one launch.
//
// A block keeps 32 columns of 256 counters in shared memory, one for each lane, so that a counter's bank is its lane's own: no two lanes of a
// warp ever meet in a bank, whatever the bytes are. What an element costs is a shift, a mask and one increment in shared memory.
// Blocks add their rows' sums to counters in global memory; the last block to do so hands them out and leaves zeros behind.
#pragma once

#include <cstdint>

#include "upsweep/cuda/device.hpp"

namespace upsweep::cuda {

inline constexpr int byte_values = 256;
inline constexpr int byte_columns = 32;
inline constexpr unsigned byte_counters_bytes = byte_values * byte_columns * sizeof(std::uint32_t);

// Zeroed once, then left so by every launch.
struct shared_counts {
  unsigned long long sums[byte_values];
  unsigned int blocks_done;
};

// One increment of a lane's own counter; `place` is the counter's offset in bytes.
__device__ inline void count_one(std::uint32_t* counters, std::uint32_t place) {
  atomicAdd(reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(counters) + place), 1u);
}

// Four bytes: each byte's row starts 128 bytes after the one before, hence << 7.
__device__ inline void count_word(std::uint32_t* counters, std::uint32_t own, std::uint32_t w) {
  constexpr std::uint32_t row = 255u << 7;
  count_one(counters, (w << 7 & row) | own);
  count_one(counters, (w >> 1 & row) | own);
  count_one(counters, (w >> 9 & row) | own);
  count_one(counters, (w >> 17 & row) | own);
}

__device__ inline void count_vector(std::uint32_t* counters, std::uint32_t own, const uint4& v) {
  count_word(counters, own, v.x);
  count_word(counters, own, v.y);
  count_word(counters, own, v.z);
  count_word(counters, own, v.w);
}

// All threads of a block: the sum of row `value` for each of the first 256 threads. Starting each row at another column keeps the banks apart.
__device__ inline std::uint32_t row_sum(const std::uint32_t* counters, std::uint32_t value) {
  std::uint32_t sum = 0;
#pragma unroll
  for (std::uint32_t j = 0; j < byte_columns; ++j) sum += counters[value * byte_columns + ((j + value) & (byte_columns - 1))];
  return sum;
}

template <int Threads, int InFlight>
__device__ void count_bytes(std::uint32_t* counters, const std::uint8_t* in, std::uint64_t n, std::uint64_t thread,
                            std::uint64_t threads) {
  const std::uint32_t own = threadIdx.x % 32 * sizeof(std::uint32_t);
  // Bytes up to the first whole vector, and after the last, are counted one by one.
  const std::uint64_t head = min(n, (16 - reinterpret_cast<std::uintptr_t>(in) % 16) % 16);
  const std::uint64_t vectors = (n - head) / 16, tail = head + vectors * 16;
  const uint4* body = reinterpret_cast<const uint4*>(in + head);
  std::uint64_t v = thread;
  for (; v + (InFlight - 1) * threads < vectors; v += InFlight * threads) {
    uint4 x[InFlight];
#pragma unroll
    for (int k = 0; k < InFlight; ++k) x[k] = __ldcs(body + v + k * threads);
#pragma unroll
    for (int k = 0; k < InFlight; ++k) count_vector(counters, own, x[k]);
  }
  for (; v < vectors; v += threads) count_vector(counters, own, __ldcs(body + v));
  if (thread < head) count_one(counters, std::uint32_t{in[thread]} << 7 | own);
  if (thread < n - tail) count_one(counters, std::uint32_t{in[tail + thread]} << 7 | own);
}

// When every byte has been counted, one block's threads call hand_out.prepare(), and then hand_out(value, count) once for each value.
template <int Threads, int InFlight, class HandOut>
__global__ void __launch_bounds__(Threads) histogram_of_bytes(const std::uint8_t* in, std::uint64_t n, shared_counts* all,
                                                              HandOut hand_out) {
  static_assert(Threads >= byte_values);
  extern __shared__ __align__(16) std::uint32_t counters[];
  __shared__ bool last;
  for (int i = threadIdx.x; i < byte_values * byte_columns; i += Threads) counters[i] = 0;
  __syncthreads();  // every counter is zero before any is raised
  count_bytes<Threads, InFlight>(counters, in, n, std::uint64_t{blockIdx.x} * Threads + threadIdx.x,
                                 std::uint64_t{gridDim.x} * Threads);
  __syncthreads();  // every byte of the block is counted before rows are added up
  const std::uint32_t value = threadIdx.x;
  const bool owns = value < byte_values;
  std::uint32_t sum = owns ? row_sum(counters, value) : 0;
  if (gridDim.x == 1) {
    hand_out.prepare();
    __syncthreads();  // what prepare() wrote is there
    if (owns) hand_out(value, sum);
    return;
  }
  if (owns && sum) atomicAdd(&all->sums[value], static_cast<unsigned long long>(sum));
  __threadfence();  // this thread's sums come before the block's sign that it is done
  __syncthreads();  // ... and so do all threads' of the block
  if (threadIdx.x == 0) last = atomicAdd(&all->blocks_done, 1u) == gridDim.x - 1;
  __syncthreads();  // thread 0 knows whether this block is the last
  if (!last) return;
  __threadfence();  // the others' sums are read after their signs
  hand_out.prepare();
  __syncthreads();  // what prepare() wrote is there
  if (owns) hand_out(value, atomicExch(&all->sums[value], 0ull));
  if (threadIdx.x == 0) all->blocks_done = 0;
}

}  // namespace upsweep::cuda
