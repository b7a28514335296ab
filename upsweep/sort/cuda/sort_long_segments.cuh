// Segments that are too long for the block that found them, in one launch however many there are.
//
// The longest are split by digits from the highest on, stably, until their parts fit into a block's shared memory,
// where they are sorted. Only the device knows the work, so every level of digits has three phases,
//
//   count     the digits of each chunk; the parts of the level before are sorted in the same phase
//   plan      from the chunks' counts to where their keys go, one block a range; lists parts and the
//             next level's ranges
//   scatter   each chunk's keys go to their places, tile by tile
//
// and the blocks draw the jobs of a phase by ticket. Forward progress: a block waits only for the end of a phase
// whose jobs have all been drawn, by blocks that run and wait for nothing before they are done with them. So the
// number of blocks that run at once does not matter.
#pragma once

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/sort/cuda/sort_cuda_rank.cuh"
#include "upsweep/sort/cuda/sort_cuda_tuning.hpp"
#include "upsweep/sort/cuda/sort_plan.cuh"
#include "upsweep/sort/cuda/sort_segments_in_block.cuh"

namespace upsweep::cuda {

inline constexpr int long_threads = segment_tuning<4>::long_shape::threads, long_warps = long_threads / warp_size;
inline constexpr int most_levels =
    most_passes + 1;  // after the last digit, what is not yet in the output is copied there

// Consecutive keys to be sorted by the digits from a level on.
struct key_range {
  std::uint64_t begin, end, first_chunk;
  sort_buffer at;
  bool done;  // all its keys have one digit value: nothing to scatter
};

// Consecutive segments, or digit values of one range, for one block to sort.
struct segment_piece {
  const std::uint64_t* bounds;
  std::uint32_t count;
  sort_buffer at;
};

// Zero before each sort; the last block of a sort resets it.
struct long_control {
  unsigned long long ranges[most_levels + 1];  // how many << 40 | chunks of them all
  unsigned long long pieces[most_levels + 1];
  unsigned long long ticket[3 * most_levels], finished[3 * most_levels];
  unsigned int left;
};

struct long_work {
  long_control* control = nullptr;
  key_range* ranges[2] = {};        // of the even and the odd levels
  segment_piece* pieces = nullptr;  // of the level before
  std::uint64_t* bounds = nullptr;  // 257 a range of the level: where its digit values begin
  std::uint64_t* counts = nullptr;  // 256 a chunk of the level: of its digits, then where they go
  std::uint64_t chunk = 0;          // keys

  static constexpr int chunk_bits = 40;

  __device__ void add_range(int level, std::uint64_t begin, std::uint64_t end, sort_buffer at) const {
    const std::uint64_t chunks = (end - begin + chunk - 1) / chunk;
    const std::uint64_t before = atomicAdd(&control->ranges[level], 1ull << chunk_bits | chunks);
    ranges[level % 2][before >> chunk_bits] = {begin, end, before & ((1ull << chunk_bits) - 1), at, false};
  }
  __device__ void add_piece(int level, const std::uint64_t* first, std::uint32_t count, sort_buffer at) const {
    pieces[atomicAdd(&control->pieces[level], 1ull)] = {first, count, at};
  }
};

struct segments_problem {
  sort_rule rule;
  const void *keys_in, *values_in;  // values null: the values are the places
  void *keys_out, *keys_spare, *values_out, *values_spare;
  std::uint32_t key_bytes, value_bytes;
  std::uint64_t n, segments;
  const std::uint64_t* offsets;
  int shared_capacity, long_shared_capacity;  // elements that a block of either kernel has shared memory for
  int copy_bytes, long_copy_bytes;
  std::uint64_t tile;  // segments and keys of a block of the first
  double segments_a_place;
  bool one_wave, finds_near, large_tiles;
  long_work longs;

  __device__ const void* keys_at(sort_buffer b) const {
    return b == sort_buffer::in ? keys_in : b == sort_buffer::out ? keys_out : keys_spare;
  }
  __device__ const void* values_at(sort_buffer b) const {
    return b == sort_buffer::in ? values_in : b == sort_buffer::out ? values_out : values_spare;
  }
  __device__ keyed_memory from(sort_buffer b) const {
    return {keys_at(b), values_at(b), keys_out, values_out, key_bytes, value_bytes, n};
  }
  // The buffer that keys move to from `b`: never the input.
  __device__ static sort_buffer next(sort_buffer b) {
    return b == sort_buffer::spare ? sort_buffer::out : sort_buffer::spare;
  }
};

// Small arrays in few registers; indices are known at compile time.
template <int Count, int Bits>
struct packed_numbers {
  static constexpr int a_word = 32 / Bits;
  std::uint32_t words[(Count + a_word - 1) / a_word]{};
  __device__ void set(int k, std::uint32_t x) { words[k / a_word] |= x << k % a_word * Bits; }
  __device__ void add(int k, std::uint32_t x) { words[k / a_word] += x << k % a_word * Bits; }
  __device__ std::uint32_t operator[](int k) const {
    return words[k / a_word] >> k % a_word * Bits & ((1u << Bits) - 1);
  }
};

// The digits of a level, from the highest.
struct level_digits {
  int shift;
  std::uint32_t mask;
  __device__ level_digits(const sort_rule& rule, int level) {
    const int left = static_cast<int>(rule.bits) - level * digit_bits;
    shift = max(0, left - digit_bits);
    mask = left <= 0 ? 0 : (1u << min(left, digit_bits)) - 1;
  }
  template <class Key>
  __device__ std::uint32_t operator()(const sort_rule& rule, Key key) const {
    return static_cast<std::uint32_t>(rule.image(key) >> shift) & mask;
  }
};

// A programmatic launch waits here for the launch before it; on Hopper and later.
__device__ inline void wait_for_previous_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__device__ inline void let_next_launch_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

template <class Element, int SorterItems>
struct long_shared {
  block_sorter<Element, long_threads, SorterItems> sorter;
  std::uint64_t shift_of[digit_values];
  std::uint64_t warp_total[digit_values / warp_size];
  std::uint64_t ticket, found;
  bool one_value;
};

template <class Element, int SorterItems>
struct long_sort {
  const segments_problem& a;
  long_shared<Element, SorterItems>& shared;
  unsigned char* bytes;  // tiles, counters and pieces, in turn
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;

  static constexpr int piece_span = long_threads * segment_tuning<sizeof(Element)>::items / 2;

  // The range that a chunk belongs to, and the chunk's keys.
  struct chunk_of_range {
    const key_range* range;
    std::uint64_t begin, end;
  };
  __device__ chunk_of_range find_chunk(int level, std::uint64_t ranges, std::uint64_t chunk) {
    const key_range* const all = a.longs.ranges[level % 2];
    if (warp == 0) {
      const std::uint64_t found =
          first_not_below(ranges, chunk + 1, 0, [&](std::uint64_t i) { return all[i].first_chunk; }) - 1;
      if (lane == 0) shared.found = found;
    }
    __syncthreads();  // the range is found
    const key_range& r = all[shared.found];
    const std::uint64_t begin = r.begin + (chunk - r.first_chunk) * a.longs.chunk;
    return {&r, begin, min(r.end, begin + a.longs.chunk)};
  }

  __device__ void sort_piece(std::uint64_t which) {
    const segment_piece& p = a.longs.pieces[which];
    shared.sorter.sort(a.rule, a.from(p.at), p.bounds, p.count, a.long_shared_capacity, bytes, a.long_copy_bytes,
                       [](std::uint32_t) { return 1u; });
  }

  __device__ void count_digits(int level, std::uint64_t ranges, std::uint64_t chunk) {
    const chunk_of_range c = find_chunk(level, ranges, chunk);
    auto* const counts = reinterpret_cast<std::uint32_t*>(bytes);  // [warp][value]
    for (int i = thread; i < long_warps * digit_values; i += long_threads) counts[i] = 0;
    __syncthreads();  // the counters are zero
    const level_digits digit(a.rule, level);
    with_keys_of<Element>(a.key_bytes, [&]<class Key>() {
      const Key* const keys = static_cast<const Key*>(a.keys_at(c.range->at)) + c.begin;
      const auto count = static_cast<std::uint32_t>(c.end - c.begin);
      std::uint32_t* const mine = counts + warp * digit_values;
      constexpr std::uint32_t at_once = 8;
#pragma unroll 1
      for (std::uint32_t i = thread; i < count; i += at_once * long_threads) {
        Key key[at_once];
#pragma unroll
        for (std::uint32_t k = 0; k < at_once; ++k) key[k] = keys[min(i + k * long_threads, count - 1)];
#pragma unroll
        for (std::uint32_t k = 0; k < at_once; ++k)
          if (i + k * long_threads < count) atomicAdd(&mine[digit(a.rule, key[k])], 1u);
      }
    });
    __syncthreads();  // every warp has counted
    if (thread >= digit_values) return;
    std::uint32_t sum = 0;
#pragma unroll
    for (int w = 0; w < long_warps; ++w) sum += counts[w * digit_values + thread];
    a.longs.counts[chunk * digit_values + thread] = sum;
  }

  // For the threads of the digit values: the sum of all counts before each. All threads take part in the barrier.
  __device__ std::uint64_t sum_before(std::uint64_t x) {
    std::uint64_t sum = x;
    if (thread < digit_values) {
#pragma unroll
      for (int d = 1; d < warp_size; d *= 2) {
        const std::uint64_t left = __shfl_up_sync(whole_warp, sum, d);
        if (lane >= d) sum += left;
      }
      if (lane == warp_size - 1) shared.warp_total[warp] = sum;
    }
    __syncthreads();  // the first eight warps wrote their totals
    sum -= x;
    if (thread < digit_values)
      for (int w = 0; w < warp; ++w) sum += shared.warp_total[w];
    return sum;
  }

  __device__ void plan(int level, int levels, std::uint64_t ranges, std::uint64_t which) {
    key_range& r = a.longs.ranges[level % 2][which];
    if (level == levels) return;  // is only copied
    const std::uint64_t chunks = (r.end - r.begin + a.longs.chunk - 1) / a.longs.chunk;
    // Each quarter of the block adds up one quarter of the chunks, a thread for each digit value.
    constexpr int parts = long_threads / digit_values;
    auto* const part_sum = reinterpret_cast<std::uint64_t*>(bytes);  // [part][value]
    auto* const span_of = reinterpret_cast<std::uint32_t*>(bytes + parts * digit_values * sizeof(std::uint64_t));
    const int value = thread % digit_values, part = thread / digit_values;
    const std::uint64_t first = chunks * part / parts, last = chunks * (part + 1) / parts;
    std::uint64_t* const row = a.longs.counts + r.first_chunk * digit_values + value;
    std::uint64_t sum = 0;
#pragma unroll 8
    for (std::uint64_t c = first; c < last; ++c) sum += row[c * digit_values];
    part_sum[part * digit_values + value] = sum;
    if (thread == 0) shared.one_value = false;
    __syncthreads();  // all parts are added up
    std::uint64_t total = 0, before_part = 0;
#pragma unroll
    for (int q = 0; q < parts; ++q) {
      if (q < part) before_part += part_sum[q * digit_values + value];
      total += part_sum[q * digit_values + value];
    }
    if (part == 0 && total == r.end - r.begin) shared.one_value = true;
    const std::uint64_t before = sum_before(total);
    const bool one_value = shared.one_value;
    const sort_buffer to = a.next(r.at);
    if (one_value) {
      if (thread == 0) {
        r.done = true;
        if (level + 1 < levels || r.at != sort_buffer::out) a.longs.add_range(level + 1, r.begin, r.end, r.at);
      }
      return;
    }
    if (thread < digit_values) shared.shift_of[value] = r.begin + before;
    __syncthreads();  // where values begin is known
    const std::uint64_t begin = shared.shift_of[value];
    std::uint64_t at = begin + before_part;
    for (std::uint64_t c = first; c < last; c += 8) {
      std::uint64_t x[8];
#pragma unroll
      for (int k = 0; k < 8; ++k)
        if (c + k < last) x[k] = row[(c + k) * digit_values];
#pragma unroll
      for (int k = 0; k < 8; ++k)
        if (c + k < last) row[(c + k) * digit_values] = at, at += x[k];
    }
    if (level + 1 == levels && to == sort_buffer::out) return;  // sorted with the scatter
    // A range's digit values become ranges, if they are long, and pieces of some neighbours.
    std::uint64_t* const bounds = a.longs.bounds + which * (digit_values + 1);
    if (thread < digit_values) {
      bounds[value] = begin;
      span_of[value] = static_cast<std::uint32_t>((begin - r.begin) / piece_span);
      if (value == 0) bounds[digit_values] = r.end;
      if (total > a.long_shared_capacity) a.longs.add_range(level + 1, begin, begin + total, to);
    }
    __syncthreads();  // every value's span is known
    if (thread < digit_values && (value == 0 || span_of[value] != span_of[value - 1])) {
      int end = value + 1;
      while (end < digit_values && span_of[end] == span_of[value]) ++end;
      a.longs.add_piece(level + 1, bounds + value, static_cast<std::uint32_t>(end - value), to);
    }
  }

  template <class T>
  __device__ void copy_chunk(const void* from, void* to, std::uint64_t begin, std::uint64_t end) const {
    for (std::uint64_t i = begin + thread; i < end; i += long_threads)
      static_cast<T*>(to)[i] = from ? static_cast<const T*>(from)[i] : static_cast<T>(i);
  }

  __device__ void scatter(int level, int levels, std::uint64_t ranges, std::uint64_t chunk) {
    const chunk_of_range c = find_chunk(level, ranges, chunk);
    const sort_buffer at = c.range->at, to = a.next(at);
    if (c.range->done) return;
    if (level == levels) {
      with_keys_of<Element>(a.key_bytes,
                            [&]<class Key>() { copy_chunk<Key>(a.keys_at(at), a.keys_out, c.begin, c.end); });
      if (a.value_bytes == 4) copy_chunk<std::uint32_t>(a.values_at(at), a.values_out, c.begin, c.end);
      if (a.value_bytes == 8) copy_chunk<std::uint64_t>(a.values_at(at), a.values_out, c.begin, c.end);
      return;
    }
    void* const keys_to = to == sort_buffer::out ? a.keys_out : a.keys_spare;
    void* const values_to = to == sort_buffer::out ? a.values_out : a.values_spare;
    const level_digits digit(a.rule, level);
    const std::uint64_t* const places = a.longs.counts + chunk * digit_values;
    with_keys_of<Element>(a.key_bytes, [&]<class Key>() {
      const Key* const keys = static_cast<const Key*>(a.keys_at(at));
      const auto run = [&]<int Items>() {
        std::uint64_t next_place = thread < digit_values ? places[thread] : 0;
        for (std::uint64_t tile = c.begin; tile < c.end; tile += Items * long_threads) {
          const int count = static_cast<int>(min(c.end - tile, std::uint64_t{Items * long_threads}));
          scatter_tile<Items>(digit, keys + tile, static_cast<Key*>(keys_to), a.values_at(at), values_to, tile, count,
                              next_place);
        }
      };
      if (!a.large_tiles) return run.template operator()<4>();
      if (sizeof(Key) == 8 || a.value_bytes != 0) return run.template operator()<8>();
      if constexpr (sizeof(Key) < 8) run.template operator()<16>();
    });
  }

  template <int Items, class Key>
  __device__ void scatter_tile(const level_digits& digit, const Key* keys, Key* keys_to, const void* values,
                               void* values_to, std::uint64_t tile, int count, std::uint64_t& next_place) {
    constexpr int tile_size = Items * long_threads;
    const int thread = worked_out_anew(threadIdx.x), lane = thread % warp_size, warp = thread / warp_size;
    const std::uint32_t below = lanes_below();
    auto& next = *reinterpret_cast<std::uint16_t(*)[long_warps][digit_values]>(bytes);
    std::uint16_t* const mine = next[warp];  // counts of the warp's digits, then where its next key of each goes
#pragma unroll
    for (int v = 0; v < digit_values / 2 / warp_size; ++v)
      reinterpret_cast<std::uint32_t*>(mine)[v * warp_size + lane] = 0;
    __syncwarp();  // the warp's counters are zero
    // A warp's keys are consecutive. Keys past the end have the highest digit value and come last.
    const int first = warp * warp_size * Items + lane, left = count - first;
    Key key[Items];
    packed_numbers<Items, 16> place;
#pragma unroll
    for (int k = 0; k < Items; ++k) key[k] = keys[min(first + k * warp_size, count - 1)];  // no branch: all at once
    const auto digit_at = [&](int k) { return k * warp_size < left ? digit(a.rule, key[k]) : digit.mask; };
#pragma unroll
    for (int k = 0; k < Items; ++k) {
      const std::uint32_t value = digit_at(k), same = lanes_with<digit_bits>(value);
      const std::uint32_t rank = mine[value] + __popc(same & below);
      __syncwarp();  // every lane has read before the last of each value writes
      if ((same & ~below) == below + 1) mine[value] = static_cast<std::uint16_t>(rank + 1);
      __syncwarp();  // written before the warp's next keys are ranked
      place.set(k, rank);
    }
    __syncthreads();  // every warp has counted
    std::uint32_t total = 0;
    if (thread < digit_values) {
#pragma unroll
      for (int w = 0; w < long_warps; ++w) total += next[w][thread];
    }
    const auto begin = static_cast<std::uint32_t>(sum_before(total));
    if (thread < digit_values) {
      std::uint32_t at = begin;
#pragma unroll
      for (int w = 0; w < long_warps; ++w) {
        const std::uint32_t counted = next[w][thread];
        next[w][thread] = static_cast<std::uint16_t>(at);
        at += counted;
      }
      shared.shift_of[thread] = next_place - begin;
      next_place += total - (thread == digit.mask ? tile_size - count : 0);
    }
    __syncthreads();  // every warp's places are there
    Key* const staged = reinterpret_cast<Key*>(bytes);
#pragma unroll
    for (int k = 0; k < Items; ++k) place.add(k, mine[digit_at(k)]);
    __syncthreads();  // the counters have been read, and the tile takes their place
#pragma unroll
    for (int k = 0; k < Items; ++k) staged[place[k]] = key[k];
    __syncthreads();  // the tile is sorted
    packed_numbers<Items, 8> value_of;
#pragma unroll
    for (int k = 0; k < Items; ++k) {
      if (k * long_threads >= count - thread) continue;
      const int i = thread + k * long_threads;
      const Key x = staged[i];
      const std::uint32_t value = digit(a.rule, x);
      value_of.set(k, value);
      keys_to[shared.shift_of[value] + i] = x;
    }
    const auto bring_values = [&]<class T>(T) {
      __syncthreads();  // the keys have left
      T* const sorted = reinterpret_cast<T*>(bytes);
      const T* const from = static_cast<const T*>(values) + tile;
      constexpr int at_once = 4;
#pragma unroll
      for (int done = 0; done < Items; done += at_once) {
        T value[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          const int i = min(first + (done + k) * warp_size, count - 1);
          value[k] = values ? from[i] : static_cast<T>(tile + i);
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k) sorted[place[done + k]] = value[k];
      }
      __syncthreads();  // the values are sorted
#pragma unroll
      for (int k = 0; k < Items; ++k) {
        if (k * long_threads >= count - thread) continue;
        const int i = thread + k * long_threads;
        static_cast<T*>(values_to)[shared.shift_of[value_of[k]] + i] = sorted[i];
      }
    };
    if constexpr (Items <= 8) {
      if (a.value_bytes == 4) bring_values(std::uint32_t{});
      if (a.value_bytes == 8) bring_values(std::uint64_t{});
    }
    __syncthreads();  // shared memory is free for the next tile
  }

  // Draws jobs of a phase until there are none.
  template <class Job>
  __device__ void work_through(int phase, std::uint64_t jobs, const Job& job) {
    long_control& control = *a.longs.control;
    while (true) {
      may_doze();
      if (thread == 0) shared.ticket = atomicAdd(&control.ticket[phase], 1ull);
      __syncthreads();  // the ticket is there
      const std::uint64_t ticket = shared.ticket;
      if (ticket >= jobs) return;
      job(ticket);
      __syncthreads();  // the whole block is done with it, and has read its ticket
      if (thread == 0) {
        may_doze();
        __threadfence();  // orders the block's writes before the count of finished jobs
        atomicAdd(&control.finished[phase], 1ull);
      }
    }
  }
  __device__ void wait_for(int phase, std::uint64_t jobs) {
    if (thread == 0) {
      while (load_word(reinterpret_cast<const std::uint64_t*>(&a.longs.control->finished[phase])) < jobs)
        __nanosleep(100);
      __threadfence();  // what others wrote comes after their end
    }
    __syncthreads();  // the phase is over
  }

  __device__ void run() {
    long_control& control = *a.longs.control;
    const int levels = static_cast<int>((a.rule.bits + digit_bits - 1) / digit_bits);
    for (int level = 0; level <= levels; ++level) {
      const std::uint64_t packed = __ldcg(&control.ranges[level]), pieces = __ldcg(&control.pieces[level]);
      const std::uint64_t ranges = packed >> long_work::chunk_bits,
                          chunks = packed & ((1ull << long_work::chunk_bits) - 1);
      if (pieces + chunks == 0) break;
      work_through(3 * level, pieces + chunks, [&](std::uint64_t job) {
        if (job < pieces) return sort_piece(job);
        if (level < levels) count_digits(level, ranges, job - pieces);
      });
      if (chunks == 0) break;
      wait_for(3 * level, pieces + chunks);
      work_through(3 * level + 1, ranges, [&](std::uint64_t job) { plan(level, levels, ranges, job); });
      wait_for(3 * level + 1, ranges);
      work_through(3 * level + 2, chunks, [&](std::uint64_t job) { scatter(level, levels, ranges, job); });
      wait_for(3 * level + 2, chunks);
    }
  }
};

template <class Element, int SorterItems>
__global__ void __launch_bounds__(long_threads, 1) sort_long_segments(const __grid_constant__ segments_problem a) {
  extern __shared__ __align__(16) unsigned char long_bytes[];
  __shared__ long_shared<Element, SorterItems> shared;
  wait_for_previous_launch();
  long_control& control = *a.longs.control;
  if ((__ldcg(&control.ranges[0]) | __ldcg(&control.pieces[0])) == 0) return;
  long_sort<Element, SorterItems>{a, shared, long_bytes}.run();
  // The last block to leave resets everything for the next sort.
  __syncthreads();  // the whole block has done its reads
  if (threadIdx.x == 0) {
    __threadfence();  // this block's use of it comes before it leaves
    shared.one_value = atomicAdd(&control.left, 1u) == gridDim.x - 1;
  }
  __syncthreads();  // known
  if (!shared.one_value) return;
  __threadfence();  // the others' use of it is over
  auto* const words = reinterpret_cast<std::uint32_t*>(&control);
  for (unsigned i = threadIdx.x; i < sizeof(long_control) / 4; i += long_threads) words[i] = 0;
}

}  // namespace upsweep::cuda
