// The device memory that the kernels of one sort share: counts of digits, and the plan of passes derived from them.
#pragma once

#include "upsweep/cuda/bulk_copy.cuh"
#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/cuda/warp.cuh"
#include "upsweep/sort/cuda/sort_cuda_order.cuh"
#include "upsweep/sort/cuda/sort_cuda_tuning.hpp"

namespace upsweep::cuda {

inline constexpr int most_passes = 8;

enum class sort_buffer : std::uint8_t { in, out, spare };

struct pass_plan {
  bool skipped;  // one digit value has all keys, so the pass would move nothing
  bool last;     // of those that are not skipped
  sort_buffer from, to;
};

// Zeroed when allocated. Every sort leaves counts, arrived and tickets zero for the next one, and advances next_tag.
struct sort_control {
  unsigned long long counts[most_passes][digit_values];
  unsigned long long first_of[most_passes][digit_values];  // where the keys of a digit value begin
  unsigned long long ticket[most_passes];
  std::uint32_t tag[most_passes];  // of a pass's words
  pass_plan pass[most_passes];
  sort_buffer result;  // what holds the sorted keys after the last pass
  unsigned int arrived;
  std::uint32_t next_tag;
  std::uint64_t most_rows;  // of any sort since it was made
};

struct no_value {};
template <class Value>
inline constexpr bool has_value = !std::is_same_v<Value, no_value>;

// A key and a value of equal width travel as one record between the first pass, which joins them, and the last, which
// separates them: one store and one load instead of two, and runs of records twice as long.
template <class Key, class Value>
struct records_of {
  static constexpr bool joined = joins_pairs < sizeof(Key), has_value<Value> ? sizeof(Value) : 0 > ;
  struct alignas(joined ? 2 * sizeof(Key) : 16) pair {
    Key key;
    Value value;
  };
  using type = std::conditional_t<joined, pair, Key>;
};
template <class Key, class Value>
using record_of = typename records_of<Key, Value>::type;

// The places of records between passes. They also fit into the output: one half in the key output, the other half in
// the value output, and of an odd number the last one elsewhere.
template <class Record>
struct record_places {
  Record *spare, *low, *high, *last;
  std::uint64_t half;
  std::uint64_t to_high;  // the distance from a record's place after low to its place in high, in records

  __device__ Record& in_output(std::uint64_t i) const {
    if (i < half) return low[i];
    return i - half < half ? high[i - half] : *last;
  }
  // Whether `count` records from i on are adjacent in the output. from_low(i) is then added to i to address them from
  // low.
  __device__ bool side_by_side(std::uint64_t i, std::uint64_t count) const {
    return count == 0 || i + count <= half || (i >= half && i + count <= 2 * half);
  }
  __device__ std::uint64_t from_low(std::uint64_t i) const { return i < half ? 0 : to_high; }
};

// Keys and values, and their buffers during the sort. in may be out.
template <class Key, class Value>
struct sort_buffers {
  const Key* keys_in = nullptr;
  Key *keys_out = nullptr, *keys_spare = nullptr;
  const Value* values_in = nullptr;  // null: the values are the indices
  Value *values_out = nullptr, *values_spare = nullptr;
  record_places<record_of<Key, Value>> records{};

  __device__ const Key* keys_from(sort_buffer b) const {
    return b == sort_buffer::in ? keys_in : b == sort_buffer::out ? keys_out : keys_spare;
  }
  __device__ Key* keys_to(sort_buffer b) const { return b == sort_buffer::out ? keys_out : keys_spare; }
  __device__ const Value* values_from(sort_buffer b) const {
    return b == sort_buffer::in ? values_in : b == sort_buffer::out ? values_out : values_spare;
  }
  __device__ Value* values_to(sort_buffer b) const { return b == sort_buffer::out ? values_out : values_spare; }
};

__device__ inline void store_word(std::uint32_t* to, std::uint32_t word) {
  may_doze();
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}
__device__ inline std::uint64_t load_word(const std::uint64_t* from) {
  may_doze();
  std::uint64_t word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
}

// Relaxed accesses to the block's own shared memory, which other threads may access at the same time.
__device__ inline std::uint32_t load_strongly(const std::uint32_t* at) {
  std::uint32_t x;
  asm volatile("ld.relaxed.gpu.shared.u32 %0, [%1];" : "=r"(x) : "r"(shared_address(at)) : "memory");
  return x;
}
__device__ inline std::uint64_t load_strongly(const std::uint64_t* at) {
  std::uint64_t x;
  asm volatile("ld.relaxed.gpu.shared.u64 %0, [%1];" : "=l"(x) : "r"(shared_address(at)) : "memory");
  return x;
}
__device__ inline void store_strongly(std::uint32_t* at, std::uint32_t x) {
  asm volatile("st.relaxed.gpu.shared.u32 [%0], %1;" ::"r"(shared_address(at)), "r"(x) : "memory");
}
__device__ inline void store_strongly(std::uint64_t* at, std::uint64_t x) {
  asm volatile("st.relaxed.gpu.shared.u64 [%0], %1;" ::"r"(shared_address(at)), "l"(x) : "memory");
}

// Two neighbouring words at once, each valid by itself.
__device__ inline uint2 load_words(const std::uint32_t* from) {
  may_doze();
  uint2 words;
  asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(words.x), "=r"(words.y) : "l"(from) : "memory");
  return words;
}
__device__ inline void store_words(std::uint64_t* to, ulonglong2 words) {
  may_doze();
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(words.x), "l"(words.y) : "memory");
}

// The words that tiles and scanner exchange within a pass: a row for each tile, with two words a digit value. Each
// word contains a tag for the pass next to its count, so each word is valid by itself and nothing is cleared between
// passes and sorts. Rows are not shared between tiles: a block may pause (a page of managed memory is being migrated)
// between publishing its counts and reading their prefix for any time. The use of a word does not depend on the
// number of tiles, since the memory is kept from sort to sort.
inline constexpr int scanner_window = 16;  // rows that the scanner reads at once
struct tile_rows {
  unsigned char* first;

  static constexpr std::uint32_t tags = 1u << 16;
  static constexpr std::uint64_t count_mask = (std::uint64_t{1} << 48) - 1;
  static constexpr std::uint64_t bytes = digit_values * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
  // The distance from a word to the same word of the next row.
  static constexpr int next_prefixes = bytes / sizeof(std::uint64_t), next_counts = bytes / sizeof(std::uint32_t);

  // The destination of the tile's keys: 16 bits of tag, 48 of count.
  __device__ std::uint64_t* prefixes(std::uint64_t tile) const {
    return reinterpret_cast<std::uint64_t*>(first + tile * bytes);
  }
  // The number of the tile's keys: 16 bits of tag, 16 of count.
  __device__ std::uint32_t* counts(std::uint64_t tile) const {
    return reinterpret_cast<std::uint32_t*>(first + tile * bytes + digit_values * sizeof(std::uint64_t));
  }
};

// One block of 256·k threads: makes the plan from the counts of each pass's digits. Clears the counts for the next
// sort.
template <int Threads>
__device__ void make_plan(sort_control& c, std::uint64_t n, int passes, bool in_place, tile_rows rows,
                          std::uint64_t tiles) {
  constexpr int warps = digit_values / warp_size, at_once = Threads / digit_values;
  __shared__ unsigned long long warp_total[most_passes][warps];
  __shared__ bool one_value[most_passes];
  const int thread = threadIdx.x, value = thread % digit_values, lane = thread % warp_size;
  const int warp = value / warp_size;
  if (thread < most_passes) one_value[thread] = false;
  __syncthreads();  // flags are down before any goes up
  unsigned long long count[(most_passes + at_once - 1) / at_once], before[(most_passes + at_once - 1) / at_once];
#pragma unroll
  for (int k = 0; k < (most_passes + at_once - 1) / at_once; ++k) {
    const int p = k * at_once + thread / digit_values;
    if (p >= passes) break;
    count[k] = __ldcg(&c.counts[p][value]);
    c.counts[p][value] = 0;
    if (count[k] == n) one_value[p] = true;
    unsigned long long sum = count[k];
#pragma unroll
    for (int d = 1; d < warp_size; d *= 2) {
      const unsigned long long left = __shfl_up_sync(whole_warp, sum, d);
      if (lane >= d) sum += left;
    }
    if (lane == warp_size - 1) warp_total[p][warp] = sum;
    before[k] = sum - count[k];
  }
  __syncthreads();  // every warp wrote its total
#pragma unroll
  for (int k = 0; k < (most_passes + at_once - 1) / at_once; ++k) {
    const int p = k * at_once + thread / digit_values;
    if (p >= passes) break;
    for (int w = 0; w < warp; ++w) before[k] += warp_total[p][w];
    c.first_of[p][value] = before[k];
  }
  const std::uint32_t next = c.next_tag;
  const std::uint64_t most_rows = c.most_rows > tiles ? c.most_rows : tiles;
  const bool wraps = next + passes >= tile_rows::tags;
  if (wraps) {  // once in eight thousand sorts or more the tags begin again, and no old word may look new
    auto* const words = reinterpret_cast<std::uint64_t*>(rows.first);
    for (std::uint64_t i = thread; i < most_rows * tile_rows::next_prefixes; i += Threads) words[i] = 0;
  }
  __syncthreads();  // every thread has read next_tag and most_rows
  if (thread == 0) {
    std::uint32_t tag = wraps || next == 0 ? 1 : next;
    int active = 0;
    for (int p = 0; p < passes; ++p) active += !one_value[p];
    // The last pass writes to out, unless the first would then write where it reads.
    const int phase = in_place ? 1 : active % 2;
    sort_buffer at = sort_buffer::in;
    for (int p = 0, k = 0; p < passes; ++p) {
      c.pass[p].skipped = one_value[p];
      c.ticket[p] = 0;
      c.tag[p] = tag++;
      if (one_value[p]) continue;
      c.pass[p].from = at;
      at = (k++ + phase) % 2 == 1 ? (in_place ? sort_buffer::spare : sort_buffer::out)
                                  : (in_place ? sort_buffer::out : sort_buffer::spare);
      c.pass[p].last = k == active;
      c.pass[p].to = at;
    }
    c.result = at;
    c.next_tag = tag;
    c.most_rows = most_rows;
    c.arrived = 0;
  }
}

}  // namespace upsweep::cuda
