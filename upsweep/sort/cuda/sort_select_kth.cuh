// The first k keys in order, without sorting the others.
//
// The image of the key of rank k - 1 is found digit by digit from the top: each reading counts one digit among the
// keys that agree with the digits found so far. Then the keys before it are collected, together with the missing
// number of keys equal to it, in input order. Only these keys are sorted.
#pragma once

#include "upsweep/sort/cuda/sort_cuda.hpp"
#include "upsweep/sort/cuda/sort_plan.cuh"

namespace upsweep::cuda {

// Zeroed when allocated; each search leaves counts and arrived zero.
struct kth_search {
  unsigned long long counts[digit_values];
  unsigned long long image;  // the digits found so far
  unsigned long long
      rank;  // among the keys that agree in them; finally, of those equal to the key sought the number that precede it
  unsigned int arrived;
};

inline constexpr int kth_threads = 512;

template <class Key>
__global__ void __launch_bounds__(kth_threads)
    count_next_digit(const Key* in, std::uint64_t n, std::uint64_t k, compared_image<Key> order, int digits_left,
                     bool first_digit, kth_search* search) {
  __shared__ std::uint32_t counts[digit_values * warp_size];  // a column a lane: no two lanes meet in a bank
  __shared__ bool last;
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const Key found = first_digit ? Key{0} : static_cast<Key>(search->image);
  const int shift = (digits_left - 1) * digit_bits;
  for (int i = thread; i < digit_values * warp_size; i += kth_threads) counts[i] = 0;
  __syncthreads();  // the counters are zero
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kth_threads;
#pragma unroll 8
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kth_threads + thread; i < n; i += stride) {
    const Key image = order(in[i]);
    const auto rest = static_cast<std::uint64_t>(image) >> shift;
    if (first_digit || rest >> digit_bits == found)
      atomicAdd(&counts[(rest & (digit_values - 1)) * warp_size + lane], 1u);
  }
  __syncthreads();  // all keys of the block are counted
  for (int value = warp; value < digit_values; value += kth_threads / warp_size) {
    std::uint32_t sum = counts[value * warp_size + lane];
#pragma unroll
    for (int d = 1; d < warp_size; d *= 2) sum += __shfl_xor_sync(whole_warp, sum, d);
    if (lane == 0 && sum != 0) atomicAdd(&search->counts[value], static_cast<unsigned long long>(sum));
  }
  __threadfence();  // this block's counts come before its arrival
  __syncthreads();
  if (thread == 0) last = atomicAdd(&search->arrived, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();  // the other blocks' counts come after their arrival

  // The digit value that contains the rank.
  __shared__ unsigned long long warp_total[digit_values / warp_size];
  const std::uint64_t rank = first_digit ? k - 1 : search->rank;
  unsigned long long own = 0, sum = 0;
  if (thread < digit_values) {
    sum = own = __ldcg(&search->counts[thread]);
    search->counts[thread] = 0;
#pragma unroll
    for (int d = 1; d < warp_size; d *= 2) {
      const unsigned long long left = __shfl_up_sync(whole_warp, sum, d);
      if (lane >= d) sum += left;
    }
    if (lane == warp_size - 1) warp_total[warp] = sum;
  }
  __syncthreads();  // every warp wrote its total, and every thread has read the rank
  if (thread >= digit_values) return;
  for (int w = 0; w < warp; ++w) sum += warp_total[w];
  if (thread == 0) search->arrived = 0;
  if (rank < sum - own || rank >= sum) return;
  search->rank = rank - (sum - own);
  search->image = static_cast<std::uint64_t>(found) << digit_bits | thread;
}

inline constexpr int collect_threads = 256, collect_rounds = 16, collect_tile = collect_threads * collect_rounds;

// A warp's keys are consecutive. Calls f(i, is_less, is_equal) for each of its keys, the whole warp together.
template <class Key, class F>
__device__ void for_keys_of_warp(const Key* in, std::uint64_t n, const compared_image<Key>& order, Key kth, F f) {
  const std::uint64_t first = std::uint64_t{blockIdx.x} * collect_tile +
                              threadIdx.x / warp_size * (warp_size * collect_rounds) + threadIdx.x % warp_size;
#pragma unroll 4
  for (int r = 0; r < collect_rounds; ++r) {
    const std::uint64_t i = first + r * warp_size;
    const Key image = i < n ? order(in[i]) : static_cast<Key>(~Key{0});
    f(i, i < n && image < kth, i < n && image == kth);
  }
}

// tile_counts[2 t], [2 t + 1]: the number of keys of tile t before the one sought, and equal to it.
template <class Key>
__global__ void count_first(const Key* in, std::uint64_t n, compared_image<Key> order, const kth_search* search,
                            unsigned long long* tile_counts) {
  __shared__ unsigned less, equal;
  if (threadIdx.x == 0) less = equal = 0;
  __syncthreads();  // the counters are zero
  unsigned l = 0, e = 0;
  for_keys_of_warp(in, n, order, static_cast<Key>(search->image), [&](std::uint64_t, bool is_less, bool is_equal) {
    l += __popc(__ballot_sync(whole_warp, is_less));
    e += __popc(__ballot_sync(whole_warp, is_equal));
  });
  if (threadIdx.x % warp_size == 0) {
    atomicAdd(&less, l);
    atomicAdd(&equal, e);
  }
  __syncthreads();  // every warp has added
  if (threadIdx.x == 0) {
    tile_counts[2 * blockIdx.x] = less;
    tile_counts[2 * blockIdx.x + 1] = equal;
  }
}

// One block: replaces the counts by the sums of those before.
static __global__ void scan_tile_counts(unsigned long long* counts, std::uint64_t tiles) {
  __shared__ unsigned long long warp_total[2][warp_size];
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  unsigned long long carry[2]{};
  for (std::uint64_t first = 0; first < tiles; first += blockDim.x) {
    const std::uint64_t tile = first + thread;
    unsigned long long own[2], sum[2];
    for (int c = 0; c < 2; ++c) {
      sum[c] = own[c] = tile < tiles ? counts[2 * tile + c] : 0;
      for (int d = 1; d < warp_size; d *= 2) {
        const unsigned long long left = __shfl_up_sync(whole_warp, sum[c], d);
        if (lane >= d) sum[c] += left;
      }
      if (lane == warp_size - 1) warp_total[c][warp] = sum[c];
    }
    __syncthreads();  // every warp wrote its totals
    for (int c = 0; c < 2; ++c) {
      unsigned long long before = carry[c];
      for (int w = 0; w < static_cast<int>(blockDim.x) / warp_size; ++w) {
        if (w == warp && tile < tiles) counts[2 * tile + c] = before + sum[c] - own[c];
        before += warp_total[c][w];
      }
      carry[c] = before;
    }
    __syncthreads();  // the totals are read before the next ones are written
  }
}

// Collects the keys before the one sought, and after them the first of those equal to it, in input order.
template <class Key>
__global__ void collect_first(const Key* in, std::uint64_t n, std::uint64_t k, compared_image<Key> order,
                              const kth_search* search, const unsigned long long* tile_counts, Key* keys,
                              std::uint64_t* indices) {
  constexpr int warps = collect_threads / warp_size;
  __shared__ unsigned less_of[warps], equal_of[warps];
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const Key kth = static_cast<Key>(search->image);
  const std::uint64_t all_less = k - 1 - search->rank;
  unsigned l = 0, e = 0;
  for_keys_of_warp(in, n, order, kth, [&](std::uint64_t, bool is_less, bool is_equal) {
    l += __popc(__ballot_sync(whole_warp, is_less));
    e += __popc(__ballot_sync(whole_warp, is_equal));
  });
  if (lane == 0) less_of[warp] = l, equal_of[warp] = e;
  __syncthreads();  // every warp wrote its counts
  std::uint64_t less = tile_counts[2 * blockIdx.x], equal = tile_counts[2 * blockIdx.x + 1];
  for (int w = 0; w < warp; ++w) less += less_of[w], equal += equal_of[w];
  const std::uint32_t below = (1u << lane) - 1;
  for_keys_of_warp(in, n, order, kth, [&](std::uint64_t i, bool is_less, bool is_equal) {
    const std::uint32_t l_lanes = __ballot_sync(whole_warp, is_less), e_lanes = __ballot_sync(whole_warp, is_equal);
    std::uint64_t place = ~std::uint64_t{0};
    if (is_less) place = less + __popc(l_lanes & below);
    if (is_equal) place = all_less + equal + __popc(e_lanes & below);
    if (place < k) {
      keys[place] = in[i];
      indices[place] = i;
    }
    less += __popc(l_lanes);
    equal += __popc(e_lanes);
  });
}

// keys_out and indices_out: the first k keys and their indices. 1 <= k <= n.
template <class Key>
void top_k(device& d, const Key* in, std::uint64_t n, std::uint64_t k, const compared_image<Key>& order,
           const radix_request& how, Key* keys_out, std::uint64_t* indices_out) {
  d.make_current();
  const std::uint64_t tiles = (n + collect_tile - 1) / collect_tile;
  kth_search* search = d.scratch("sort/cuda kth", sizeof(kth_search)).as<kth_search>();
  const auto blocks =
      static_cast<unsigned>(std::min<std::uint64_t>(4 * d.multiprocessors(), (n + kth_threads - 1) / kth_threads));
  const int digits = std::max(order.passes(), 1);
  for (int left = digits; left > 0; --left) {
    count_next_digit<<<blocks, kth_threads, 0, d.stream()>>>(in, n, k, order, left, left == digits, search);
    check(cudaGetLastError(), "top_k on cuda");
  }
  auto* counts = d.scratch("sort/cuda kth tiles", tiles * 16).as<unsigned long long>();
  const auto grid = static_cast<unsigned>(tiles);
  count_first<<<grid, collect_threads, 0, d.stream()>>>(in, n, order, search, counts);
  scan_tile_counts<<<1, 1024, 0, d.stream()>>>(counts, tiles);
  collect_first<<<grid, collect_threads, 0, d.stream()>>>(in, n, k, order, search, counts, keys_out, indices_out);
  check(cudaGetLastError(), "top_k on cuda");
  radix_request r = how;
  r.n = k, r.key_bytes = sizeof(Key), r.value_bytes = 8;
  r.keys = r.keys_out = keys_out;
  r.values = r.values_out = indices_out;
  radix_sort(d, r);
}

}  // namespace upsweep::cuda
