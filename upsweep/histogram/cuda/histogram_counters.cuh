// Counts in any number of bins, of samples of any type and any number of channels.
//
// While all counters fit in a block's shared memory, each block counts on its own, in as many columns as fit (up to one
// for each lane, so that lanes never conflict in a bank), and adds its counters to the total at the end. Beyond that,
// samples are counted in global memory.
#pragma once

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/histogram/histogram_bins.hpp"

namespace upsweep::cuda {

using detail::histogram_impl::edge_bins;
using detail::histogram_impl::no_bin;

// The channel of each sample as a thread reads its vector.
struct channel_walk {
  std::uint32_t channels, now;
  __device__ channel_walk(std::uint32_t channels, std::uint64_t sample)
      : channels(channels), now(channels > 1 ? static_cast<std::uint32_t>(sample % channels) : 0) {}
  __device__ std::uint32_t step() {
    const std::uint32_t channel = now;
    now = now + 1 < channels ? now + 1 : 0;
    return channel;
  }
};

// Calls count(sample, channel, index) for the samples of this thread, one of `threads`: whole vectors, and single
// samples before and after them.
template <int InFlight, class T, class Count>
__device__ void for_each_sample(const T* in, std::uint64_t n, std::uint32_t channels, std::uint64_t thread,
                                std::uint64_t threads, Count count) {
  constexpr int items = 16 / sizeof(T);
  union vector {
    uint4 whole;
    T samples[items];
    __device__ vector() {}
  };
  const std::uint64_t off = reinterpret_cast<std::uintptr_t>(in) % 16 / sizeof(T);
  const bool whole_elements = reinterpret_cast<std::uintptr_t>(in) % sizeof(T) == 0;
  const std::uint64_t head = whole_elements ? (min)(n, (items - off) % items) : n;
  const std::uint64_t vectors = (n - head) / items, tail = head + vectors * items;
  const uint4* body = reinterpret_cast<const uint4*>(in + head);
  const auto count_vector = [&](const vector& x, std::uint64_t v) {
    const std::uint64_t first = head + v * items;
    channel_walk channel(channels, first);
#pragma unroll
    for (int i = 0; i < items; ++i) count(x.samples[i], channel.step(), first + i);
  };
  std::uint64_t v = thread;
  for (; v + (InFlight - 1) * threads < vectors; v += InFlight * threads) {
    vector x[InFlight];
#pragma unroll
    for (int k = 0; k < InFlight; ++k) x[k].whole = __ldcs(body + v + k * threads);
#pragma unroll
    for (int k = 0; k < InFlight; ++k) count_vector(x[k], v + k * threads);
  }
  for (; v < vectors; v += threads) {
    vector x;
    x.whole = __ldcs(body + v);
    count_vector(x, v);
  }
  const auto count_one = [&](std::uint64_t i) { count(in[i], channel_walk(channels, i).now, i); };
  for (std::uint64_t i = thread; i < head; i += threads) count_one(i);
  for (std::uint64_t i = tail + thread; i < n; i += threads) count_one(i);
}

// Copies the edges of custom bins to shared memory where they fit; even bins are returned unchanged.
template <class Bins>
__device__ Bins nearer(Bins bins, void* shared, bool fits) {
  if constexpr (requires { bins.edges; }) {
    if (!fits) return bins;
    auto* const edges = static_cast<std::remove_const_t<std::remove_pointer_t<decltype(bins.edges)>>*>(shared);
    for (std::uint32_t i = threadIdx.x; i <= bins.m; i += blockDim.x) edges[i] = bins.edges[i];
    bins.edges = edges;
  }
  return bins;
}

struct counter_layout {
  std::uint32_t m, channels;
  int column_bits;  // log2 of the columns
  bool edges_fit;
  bool whole_in_out;  // blocks add to `out`, which holds zeros; else to `sums`, and the last block writes the results
  std::uint64_t counters() const { return std::uint64_t{m} * channels; }
};

struct counter_control {
  unsigned int blocks_done;
};

template <int Threads, int InFlight, class T, class Bins>
__global__ void __launch_bounds__(Threads)
    count_in_shared(const T* in, std::uint64_t n, Bins bins, counter_layout cut, unsigned long long* sums,
                    counter_control* control, unsigned long long* out) {
  extern __shared__ __align__(16) std::uint32_t counters[];
  __shared__ bool last;
  const std::uint32_t total = cut.m * cut.channels, columns = 1u << cut.column_bits;
  for (std::uint32_t i = threadIdx.x; i < total << cut.column_bits; i += Threads) counters[i] = 0;
  const Bins near_bins = nearer(bins, counters + ((total << cut.column_bits) + 3) / 4 * 4, cut.edges_fit);
  __syncthreads();  // orders the clearing of counters and the copy of edges before samples are counted
  const std::uint32_t own = threadIdx.x & (columns - 1);
  for_each_sample<InFlight>(in, n, cut.channels, std::uint64_t{blockIdx.x} * Threads + threadIdx.x,
                            std::uint64_t{gridDim.x} * Threads, [&](T x, std::uint32_t channel, std::uint64_t) {
                              const std::uint32_t bin = near_bins(x);
                              if (bin != no_bin)
                                atomicAdd(&counters[(channel * cut.m + bin) << cut.column_bits | own], 1u);
                            });
  __syncthreads();  // orders the block's increments before counters are added up
  const bool alone = gridDim.x == 1;
  unsigned long long* const whole = cut.whole_in_out ? out : sums;
  for (std::uint32_t c = threadIdx.x; c < total; c += Threads) {
    unsigned long long sum = 0;
    for (std::uint32_t j = 0; j < columns; ++j) sum += counters[c << cut.column_bits | ((j + c) & (columns - 1))];
    if (alone) {
      out[c] = sum;
    } else if (sum) {
      atomicAdd(&whole[c], sum);
    }
  }
  if (alone || cut.whole_in_out) return;
  __threadfence();  // orders this thread's sums before the block's arrival
  __syncthreads();  // orders all threads' sums before the arrival
  if (threadIdx.x == 0) last = atomicAdd(&control->blocks_done, 1u) == gridDim.x - 1;
  __syncthreads();  // makes thread 0's `last` visible to the block
  if (!last) return;
  __threadfence();  // orders reads of other blocks' sums after their arrivals
  for (std::uint32_t c = threadIdx.x; c < total; c += Threads) out[c] = atomicExch(&sums[c], 0ull);
  if (threadIdx.x == 0) control->blocks_done = 0;
}

// `out` holds zeros.
template <int Threads, int InFlight, class T, class Bins>
__global__ void __launch_bounds__(Threads)
    count_in_global(const T* in, std::uint64_t n, Bins bins, counter_layout cut, unsigned long long* out) {
  for_each_sample<InFlight>(in, n, cut.channels, std::uint64_t{blockIdx.x} * Threads + threadIdx.x,
                            std::uint64_t{gridDim.x} * Threads, [&](T x, std::uint32_t channel, std::uint64_t) {
                              const std::uint32_t bin = bins(x);
                              const bool counted = bin != no_bin;
                              const std::uint64_t place = std::uint64_t{channel} * cut.m + bin;
                              // Lanes with the same counter add to it together: otherwise constant samples would be
                              // serialised at one counter.
                              const unsigned here = __activemask();
                              const std::uint64_t key = counted ? place : ~std::uint64_t{0};
                              const unsigned peers = __match_any_sync(here, key);
                              if (counted && static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(peers)) - 1)
                                atomicAdd(&out[place], static_cast<unsigned long long>(__popc(peers)));
                            });
}

}  // namespace upsweep::cuda
