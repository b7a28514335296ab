// Counts of the 256 values of bytes, of one to four interleaved channels, in one launch.
//
// A block keeps 32 columns of 256 counters for each channel in shared memory, one column for each lane, so that a
// counter's bank belongs to its lane: no two lanes of a warp ever conflict, whatever the bytes are. An element costs a
// shift, a mask and one increment in shared memory. The blocks of a cluster add their rows up through distributed
// shared memory. With more blocks than one cluster holds, they add their rows' sums to counters in global memory; the
// last block to do so writes the results and resets the counters to zero.
#pragma once

#include <cstdint>

#include "upsweep/cuda/cluster.cuh"
#include "upsweep/cuda/cuda_device.hpp"

namespace upsweep::cuda {

inline constexpr int byte_values = 256;
inline constexpr int byte_columns = 32;
inline constexpr int most_byte_channels = 4;
constexpr unsigned byte_counters_bytes(int channels) {
  return channels * byte_values * byte_columns * sizeof(std::uint32_t);
}
// Including the kernel's sums.
constexpr unsigned all_byte_counters_bytes(int channels) {
  return byte_counters_bytes(channels) + channels * byte_values * sizeof(std::uint32_t) + 64;
}

// Zeroed once; every launch leaves it zero.
struct shared_counts {
  unsigned long long sums[most_byte_channels * byte_values];
  unsigned int blocks_done;
};

// For each channel, in the order of a vector's bytes, the offset in bytes of the lane's counter for the value 0: values
// are 128 bytes apart, channels 256 values. The first is the channel of the first byte of a vector.
template <int Channels>
struct turns {
  std::uint32_t own[Channels];
  __device__ explicit turns(std::uint64_t first_byte) {
#pragma unroll
    for (int c = 0; c < Channels; ++c)
      own[c] = threadIdx.x % 32 * sizeof(std::uint32_t) | static_cast<std::uint32_t>((first_byte + c) % Channels) << 15;
  }
};

// Increments a lane's own counter; `place` is the counter's offset in bytes.
__device__ inline void count_one(std::uint32_t* counters, std::uint32_t place) {
  atomicAdd(reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(counters) + place), 1u);
}

template <int Channels, int First>
__device__ void count_word(std::uint32_t* counters, const turns<Channels>& t, std::uint32_t w) {
  constexpr std::uint32_t row = 255u << 7;
  count_one(counters, (w << 7 & row) | t.own[First % Channels]);
  count_one(counters, (w >> 1 & row) | t.own[(First + 1) % Channels]);
  count_one(counters, (w >> 9 & row) | t.own[(First + 2) % Channels]);
  count_one(counters, (w >> 17 & row) | t.own[(First + 3) % Channels]);
}

template <int Channels>
__device__ void count_vector(std::uint32_t* counters, const turns<Channels>& t, const uint4& v) {
  count_word<Channels, 0>(counters, t, v.x);
  count_word<Channels, 4>(counters, t, v.y);
  count_word<Channels, 8>(counters, t, v.z);
  count_word<Channels, 12>(counters, t, v.w);
}

template <int Channels, int InFlight>
__device__ void count_bytes(std::uint32_t* counters, const std::uint8_t* in, std::uint64_t n, std::uint64_t thread,
                            std::uint64_t threads) {
  // Bytes up to the first whole vector, and after the last, are counted one by one.
  const std::uint64_t head = min(n, (16 - reinterpret_cast<std::uintptr_t>(in) % 16) % 16);
  const std::uint64_t vectors = (n - head) / 16, tail = head + vectors * 16;
  const uint4* body = reinterpret_cast<const uint4*>(in + head);
  const auto count = [&](std::uint64_t v, const uint4& x, const turns<Channels>& same) {
    // Sixteen bytes are whole rounds of one, two and four channels: with those every vector begins with the same
    // channel.
    if constexpr (Channels == 3) {
      count_vector(counters, turns<Channels>(head + 16 * v), x);
    } else {
      count_vector(counters, same, x);
    }
  };
  const turns<Channels> same(head);
  std::uint64_t v = thread;
  for (; v + (InFlight - 1) * threads < vectors; v += InFlight * threads) {
    uint4 x[InFlight];
#pragma unroll
    for (int k = 0; k < InFlight; ++k) x[k] = __ldcs(body + v + k * threads);
#pragma unroll
    for (int k = 0; k < InFlight; ++k) count(v + k * threads, x[k], same);
  }
  for (; v < vectors; v += threads) count(v, __ldcs(body + v), same);
  const auto count_byte = [&](std::uint64_t i) {
    count_one(counters, std::uint32_t{in[i]} << 7 | turns<Channels>(i).own[0]);
  };
  if (thread < head) count_byte(thread);
  if (thread < n - tail) count_byte(tail + thread);
}

// The sum of a row by four neighbouring threads, each with eight columns; all four get it. Rows begin at different
// columns, so that the warp's eight rows use different banks.
__device__ inline std::uint32_t row_sum(const std::uint32_t* counters, std::uint32_t row, std::uint32_t quarter) {
  std::uint32_t sum = 0;
#pragma unroll
  for (std::uint32_t j = 0; j < byte_columns / 4; ++j)
    sum += counters[row * byte_columns + ((quarter * (byte_columns / 4) + j + row) & (byte_columns - 1))];
  sum += __shfl_xor_sync(0xffffffffu, sum, 1);
  return sum + __shfl_xor_sync(0xffffffffu, sum, 2);
}

// After every byte has been counted, the threads of one block call hand_out.prepare(), and then hand_out(channel and
// value, count) once for each.
template <int Threads, int Channels, int InFlight, class HandOut>
__global__ void __launch_bounds__(Threads)
    histogram_of_bytes(const std::uint8_t* in, std::uint64_t n, shared_counts* all, HandOut hand_out) {
  constexpr int rows = Channels * byte_values;
  static_assert(Threads % 4 == 0 && rows % (Threads / 4) == 0);
  extern __shared__ __align__(16) std::uint32_t counters[];
  __shared__ std::uint32_t sums[rows];
  __shared__ bool last;
  const unsigned blocks = gridDim.x, together = cluster_blocks();
  for (int i = threadIdx.x; i < rows * byte_columns / 4; i += Threads) reinterpret_cast<uint4*>(counters)[i] = uint4{};
  __syncthreads();  // orders the clearing of counters before any increment
  count_bytes<Channels, InFlight>(counters, in, n, std::uint64_t{blockIdx.x} * Threads + threadIdx.x,
                                  std::uint64_t{blocks} * Threads);
  __syncthreads();  // orders the block's increments before rows are added up
  for (std::uint32_t row = threadIdx.x / 4; row < rows; row += Threads / 4) {
    const std::uint32_t sum = row_sum(counters, row, threadIdx.x % 4);
    if (threadIdx.x % 4 == 0) sums[row] = sum;
  }
  if (together > 1) {
    cluster_sync();  // orders the sums of all blocks of the cluster before their reads
  } else {
    __syncthreads();  // orders the sums of this block before their reads
  }
  if (together == blocks) {
    if (blockIdx.x == 0) {
      hand_out.prepare();
      __syncthreads();  // orders the writes of prepare() before hand_out
      for (int row = threadIdx.x; row < rows; row += Threads) {
        unsigned long long sum = 0;
        for (unsigned b = 0; b < together; ++b) sum += *in_block_of_cluster(&sums[row], b);
        hand_out(row, sum);
      }
    }
    if (together > 1) cluster_sync();  // keeps blocks in the cluster until the first has read their shared memory
    return;
  }
  for (int row = threadIdx.x; row < rows; row += Threads)
    if (sums[row]) atomicAdd(&all->sums[row], static_cast<unsigned long long>(sums[row]));
  __threadfence();  // orders this thread's sums before the block's arrival
  __syncthreads();  // orders all threads' sums before the arrival
  if (threadIdx.x == 0) last = atomicAdd(&all->blocks_done, 1u) == blocks - 1;
  __syncthreads();  // makes thread 0's `last` visible to the block
  if (!last) return;
  __threadfence();  // orders reads of other blocks' sums after their arrivals
  hand_out.prepare();
  __syncthreads();  // orders the writes of prepare() before hand_out
  for (int row = threadIdx.x; row < rows; row += Threads) hand_out(row, atomicExch(&all->sums[row], 0ull));
  if (threadIdx.x == 0) all->blocks_done = 0;
}

}  // namespace upsweep::cuda
