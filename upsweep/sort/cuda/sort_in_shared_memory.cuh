// Short sorts in one launch: the keys stay in the shared memory of one block, or of a cluster of blocks that write
// into each other's.
//
// Each pass counts digits by warp, finds the destinations of every warp's keys of each digit value, ranks the keys
// and writes them to their places, possibly in another block of the cluster. Keys are in global memory only before
// the first pass and after the last.
#pragma once

#include "upsweep/cuda/bulk_copy.cuh"
#include "upsweep/sort/cuda/sort_cuda_rank.cuh"
#include "upsweep/sort/cuda/sort_plan.cuh"

namespace upsweep::cuda {

inline constexpr int most_resident_threads = 1024;
inline constexpr int digit_warps = digit_values / warp_size;  // with a thread for each digit value

// Keys that a lane ranks at once. ptxas 13.0 finds no predicate registers for four in a kernel without clusters.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr int ranked_at_once = 2;
#else
inline constexpr int ranked_at_once = 4;
#endif

// Blocks of a cluster. Before Hopper a block is alone.
__device__ inline unsigned cluster_rank() {
#if __CUDA_ARCH__ >= 900
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
#else
  return 0;
#endif
}
__device__ inline unsigned cluster_blocks() {
#if __CUDA_ARCH__ >= 900
  unsigned blocks;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(blocks));
  return blocks;
#else
  return 1;
#endif
}
// A barrier for all threads of all blocks; their earlier writes to each other's shared memory are visible after it.
__device__ inline void sync_cluster(unsigned blocks) {
  if (blocks == 1) return __syncthreads();
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// The place in another block's shared memory that corresponds to `mine`.
__device__ inline std::uint32_t shared_of_block(const void* mine, unsigned block) {
  std::uint32_t address = shared_address(mine);
#if __CUDA_ARCH__ >= 900
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(address), "r"(block));
#endif
  return address;
}
__device__ inline std::uint32_t load_from_block(std::uint32_t address) {
  std::uint32_t x = 0;
#if __CUDA_ARCH__ >= 900
  asm volatile("ld.relaxed.cluster.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(address) : "memory");
#endif
  return x;
}
__device__ inline std::uint64_t load_long_from_block(std::uint32_t address) {
  std::uint64_t x = 0;
#if __CUDA_ARCH__ >= 900
  asm volatile("ld.relaxed.cluster.shared::cluster.u64 %0, [%1];" : "=l"(x) : "r"(address) : "memory");
#endif
  return x;
}
template <class T>
__device__ void store_to_block(std::uint32_t address, T x) {
#if __CUDA_ARCH__ >= 900
  if constexpr (sizeof(T) == 8) {
    asm volatile("st.relaxed.cluster.shared::cluster.u64 [%0], %1;" ::"r"(address), "l"(x) : "memory");
  } else if constexpr (sizeof(T) == 4) {
    asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(x) : "memory");
  } else if constexpr (sizeof(T) == 2) {
    asm volatile("st.relaxed.cluster.shared::cluster.u16 [%0], %1;" ::"r"(address), "h"(x) : "memory");
  } else {
    asm volatile("st.relaxed.cluster.shared::cluster.u8 [%0], %1;" ::"r"(address), "r"(static_cast<std::uint32_t>(x))
                 : "memory");
  }
#endif
}

template <class Key, class Value, bool Floating>
struct resident_arguments {
  const Key* keys_in;
  Key* keys_out;
  const Value* values_in;  // null: the values are the indices
  Value* values_out;
  std::uint32_t n;
  int tile_bits;  // a block has 2^tile_bits keys, a power of two times its threads
  int leading;    // digits that are to tell nearly all keys apart, 0: all digits are gone through
  digit_plan<Key, Floating> digits;
};

// Shared memory before the keys: counters of each warp, the block's totals, twice, and where digit values begin.
inline constexpr int resident_head_words = 4 * digit_values;
template <class Key, class Value>
constexpr int resident_shared_bytes(int threads, int tile) {
  constexpr int pair = sizeof(Key) + (has_value<Value> ? sizeof(Value) : 0);
  return (resident_head_words + threads / warp_size * digit_values) * 4 + 2 * tile * pair;
}

// Keys that are first sorted by their leading digits alone: those with many digits in total.
template <class Key, bool Floating>
inline constexpr bool leads = sizeof(Key) == 8 || (sizeof(Key) == 4 && !Floating);

// The elements of all blocks, by their overall positions. A thread may sort some while others read them: the property
// that the others test is equal for each order of those.
template <class T>
struct cluster_elements {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  T* mine;
  unsigned block;
  int tile_bits;

  __device__ T get(std::uint32_t place) const {
    T* const at = mine + (place & ((1u << tile_bits) - 1));
    const unsigned of = place >> tile_bits;
    if (of == block) return load_strongly(at);
    if constexpr (sizeof(T) == 8) {
      return load_long_from_block(shared_of_block(at, of));
    } else {
      return load_from_block(shared_of_block(at, of));
    }
  }
  __device__ void put(std::uint32_t place, T x) const {
    T* const at = mine + (place & ((1u << tile_bits) - 1));
    const unsigned of = place >> tile_bits;
    if (of == block) {
      store_strongly(at, x);
    } else {
      store_to_block(shared_of_block(at, of), x);
    }
  }
};

// For keys sorted by the bits of their images from `low` on: sorts runs of keys that are equal in these bits, if the
// runs are short. The thread at the first key of such a run sorts it; all threads look for runs that are too long.
// Returns false if there is one.
inline constexpr std::uint32_t most_alike = 24;
template <class Key, class Value, bool Floating>
__device__ bool settle_neighbours(const digit_plan<Key, Floating>& plan, int low, const cluster_elements<Key>& keys,
                                  Value* values, std::uint32_t first, int count, std::uint32_t n) {
  const auto image = [&](std::uint32_t place) { return plan.image(keys.get(place)); };
  bool settled = true;
#pragma unroll 1
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    const std::uint32_t place = first + i;
    if (place + 1 >= n) continue;
    const Key mine = image(place), next = image(place + 1), leading = mine >> low;
    if (next >> low != leading) continue;
    if (place != 0 && image(place - 1) >> low == leading) {
      if (mine > next && place + 1 >= most_alike && image(place + 1 - most_alike) >> low == leading) settled = false;
      continue;
    }
    std::uint32_t alike = 1;
    bool in_order = true, ends = false;
    Key last = mine;
#pragma unroll 1
    for (; alike <= most_alike; ++alike) {
      ends = place + alike == n;
      if (ends) break;
      const Key x = image(place + alike);
      ends = x >> low != leading;
      if (ends) break;
      if (alike < most_alike) in_order &= last <= x;
      last = x;
    }
    if (in_order) continue;
    if (!ends) {
      settled = false;
      continue;
    }
#pragma unroll 1
    for (std::uint32_t k = 1; k < alike; ++k) {
      const Key key = keys.get(place + k), its_image = plan.image(key);
      std::uint32_t to = place + k;
      if constexpr (has_value<Value>) {
        const cluster_elements<Value> all{values, keys.block, keys.tile_bits};
        const Value value = all.get(to);
#pragma unroll 1
        for (; to > place && image(to - 1) > its_image; --to) {
          keys.put(to, keys.get(to - 1));
          all.put(to, all.get(to - 1));
        }
        all.put(to, value);
      } else {
#pragma unroll 1
        for (; to > place && image(to - 1) > its_image; --to) keys.put(to, keys.get(to - 1));
      }
      keys.put(to, key);
    }
  }
  return settled;
}

template <class T>
__device__ T warp_or(T x) {
#pragma unroll
  for (int d = 1; d < warp_size; d *= 2) x |= __shfl_xor_sync(whole_warp, x, d);
  return x;
}

template <class Key, class Value, bool Floating>
__global__ void __launch_bounds__(most_resident_threads, 1)
    resident_sort(const __grid_constant__ resident_arguments<Key, Value, Floating> a) {
  extern __shared__ __align__(16) std::uint32_t resident_memory[];
  const int threads = blockDim.x, warps = threads / warp_size, tile = 1 << a.tile_bits, items = tile / threads;
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const unsigned blocks = cluster_blocks(), block = cluster_rank();
  std::uint32_t* totals =
      resident_memory;  // of this pass and of the one before, in turn: other blocks may still read those
  std::uint32_t* begin = resident_memory + 2 * digit_values;
  std::uint32_t* scratch = begin + digit_values;
  std::uint32_t* counts = scratch + digit_values;
  std::uint32_t* next = counts + warp * digit_values;
  // 8-byte elements first, so that all are aligned.
  unsigned char* memory = reinterpret_cast<unsigned char*>(counts + warps * digit_values);
  constexpr bool values_first = has_value<Value> && sizeof(Value) > sizeof(Key);
  constexpr int value_bytes = has_value<Value> ? sizeof(Value) : 0;
  unsigned char* key_memory = memory + (values_first ? 2 * tile * value_bytes : 0);
  unsigned char* value_memory = memory + (values_first ? 0 : 2 * tile * static_cast<int>(sizeof(Key)));
  Key *keys = reinterpret_cast<Key*>(key_memory), *sorted = keys + tile;
  Value *values = reinterpret_cast<Value*>(value_memory), *sorted_values = values + (has_value<Value> ? tile : 0);

  const std::uint32_t first = block << a.tile_bits;
  const int count = first >= a.n ? 0 : a.n - first < tile ? static_cast<int>(a.n - first) : tile;
  for (int i = thread; i < count; i += threads) {
    keys[i] = a.keys_in[first + i];
    if constexpr (has_value<Value>) values[i] = a.values_in ? a.values_in[first + i] : static_cast<Value>(first + i);
  }
  __syncthreads();  // keys that one warp loaded are another's

  const std::uint32_t below = lanes_below();
  const int run = warp * warp_size * items, run_end = min(run + warp_size * items, count);
  const int bits = static_cast<int>(a.digits.last_bit - a.digits.first_bit);
  int low = 0, high = bits;  // the bits of the image that passes go through
  bool reads_linger = false;

  // The leading digits begin at the highest bit in which two keys differ.
  constexpr bool may_lead = leads<Key, Floating>;
  if constexpr (may_lead) {
    if (a.leading != 0) {
      const Key one = a.digits.image(a.keys_in[0]);
      Key differ = 0;
      for (int i = thread; i < count; i += threads) differ |= a.digits.image(keys[i]) ^ one;
      differ = warp_or(differ);
      Key* const of_warps = reinterpret_cast<Key*>(counts);
      Key* const of_block = reinterpret_cast<Key*>(scratch);
      if (lane == 0) of_warps[warp] = differ;
      __syncthreads();  // every warp's are there
      if (warp == 0) {
        differ = warp_or(lane < warps ? of_warps[lane] : Key{0});
        if (lane == 0) *of_block = differ;
      }
      sync_cluster(blocks);  // every block's are there
      differ = warp_or(lane < static_cast<int>(blocks) ? cluster_elements<Key>{of_block, block, 0}.get(lane) : Key{0});
      high = 8 * sizeof(Key) - (sizeof(Key) == 8 ? __clzll(differ) : __clz(differ));
      const int leading_bits = a.leading * digit_bits;
      if (high > leading_bits + digit_bits) low = high - leading_bits;
      reads_linger = true;
    }
  }

  int turn = 0;
  const auto one_pass = [&](int bit) {
    const auto digit_of = a.digits.digits_of_bits(bit, min(digit_bits, high - bit));
    for (int v = lane; v < digit_values / 4; v += warp_size) reinterpret_cast<uint4*>(next)[v] = make_uint4(0, 0, 0, 0);
    __syncwarp();  // the warp's counters are zero
#pragma unroll 4
    for (int i = run + lane; i < run_end; i += warp_size) atomicAdd(&next[digit_of(keys[i])], 1u);
    __syncthreads();  // every warp has counted

    if (thread < digit_values) {
      std::uint32_t sum = 0;
      for (int first_warp = 0; first_warp < warps; first_warp += digit_warps) {  // a multiple of eight
        std::uint32_t counted[digit_warps];
#pragma unroll
        for (int w = 0; w < digit_warps; ++w) counted[w] = counts[(first_warp + w) * digit_values + thread];
#pragma unroll
        for (int w = 0; w < digit_warps; ++w) {
          counts[(first_warp + w) * digit_values + thread] = sum;
          sum += counted[w];
        }
      }
      totals[thread] = sum;
    }
    if (blocks > 1) sync_cluster(blocks);  // every block's totals are there

    bool one_value = false;
    std::uint32_t all = 0, before = 0, scanned = 0;
    if (thread < digit_values) {
      if (blocks == 1) {
        all = totals[thread];
      } else {
        constexpr int at_once = 8;  // clusters have 8 or 16 blocks
        for (unsigned first_block = 0; first_block < blocks; first_block += at_once) {
          std::uint32_t x[at_once];
#pragma unroll
          for (int b = 0; b < at_once; ++b) x[b] = load_from_block(shared_of_block(totals + thread, first_block + b));
#pragma unroll
          for (int b = 0; b < at_once; ++b) {
            all += x[b];
            before += first_block + b < block ? x[b] : 0;
          }
        }
      }
      one_value = all == a.n;
      scanned = all;
#pragma unroll
      for (int d = 1; d < warp_size; d *= 2) {
        const std::uint32_t left = __shfl_up_sync(whole_warp, scanned, d);
        if (lane >= d) scanned += left;
      }
      if (lane == warp_size - 1) scratch[warp] = scanned;
    }
    const bool skip = __syncthreads_or(one_value);  // also: the first eight warps wrote their totals
    totals = resident_memory + ++turn % 2 * digit_values;
    reads_linger = skip;
    if (skip) return;  // in every block of the cluster
    if (thread < digit_values) {
      std::uint32_t at = scanned - all + before;
#pragma unroll
      for (int w = 0; w < digit_warps - 1; ++w) at += w < warp ? scratch[w] : 0;
      begin[thread] = at;
    }
    __syncthreads();  // where digit values begin is known

    // Several keys at a time: only the taking of places waits from one to the next.
    for (int i = run + lane; i - lane < run_end; i += ranked_at_once * warp_size) {
      Key key[ranked_at_once];
      std::uint32_t value[ranked_at_once], same[ranked_at_once];
#pragma unroll
      for (int k = 0; k < ranked_at_once; ++k) {
        const int from = i + k * warp_size;
        key[k] = from < run_end ? keys[from] : Key{0};
        value[k] = from < run_end ? digit_of(key[k]) : digit_values;
      }
#pragma unroll
      for (int k = 0; k < ranked_at_once; ++k) same[k] = lanes_alike<digit_bits + 1>(value[k]);
#pragma unroll
      for (int k = 0; k < ranked_at_once; ++k) {
        const int from = i + k * warp_size;
        const bool mine = value[k] < digit_values;
        std::uint32_t rank = 0;
        if (mine) rank = next[value[k]] + __popc(same[k] & below);
        __syncwarp();  // every lane has read before the last of each value writes
        if (mine && (same[k] & ~below) == below + 1) next[value[k]] = rank + 1;
        __syncwarp();  // written before the warp's next keys are placed
        if (!mine) continue;
        const std::uint32_t place = begin[value[k]] + rank;
        if (blocks == 1) {
          sorted[place] = key[k];
          if constexpr (has_value<Value>) sorted_values[place] = values[from];
        } else {
          const unsigned to = place >> a.tile_bits;
          const std::uint32_t slot = place & (tile - 1);
          store_to_block(shared_of_block(sorted + slot, to), key[k]);
          if constexpr (has_value<Value>) store_to_block(shared_of_block(sorted_values + slot, to), values[from]);
        }
      }
    }
    sync_cluster(blocks);  // all keys are in their places
    Key* const k = keys;
    keys = sorted, sorted = k;
    Value* const v = values;
    values = sorted_values, sorted_values = v;
  };

  while (true) {
#pragma unroll 1
    for (int bit = low; bit < high; bit += digit_bits) one_pass(bit);
    if (low == 0) break;
    if constexpr (may_lead) {
      const bool settled =
          settle_neighbours(a.digits, low, cluster_elements<Key>{keys, block, a.tile_bits}, values, first, count, a.n);
      bool all = __syncthreads_and(settled);
      if (blocks > 1) {
        std::uint32_t* const of_block = scratch + digit_warps;  // which no pass uses
        if (thread == 0) *of_block = all;
        sync_cluster(blocks);  // every block's answer is there, and what went from one block to another
        all = __all_sync(whole_warp, lane >= static_cast<int>(blocks) ||
                                         cluster_elements<std::uint32_t>{of_block, block, 0}.get(lane));
        reads_linger = true;
      }
      if (all) break;
    }
    low = 0;
  }
  if (reads_linger) sync_cluster(blocks);  // no block leaves while its totals are read
  for (int i = thread; i < count; i += threads) {
    a.keys_out[first + i] = keys[i];
    if constexpr (has_value<Value>) a.values_out[first + i] = values[i];
  }
}

}  // namespace upsweep::cuda
