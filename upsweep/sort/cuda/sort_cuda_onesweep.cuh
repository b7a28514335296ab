// One pass of a large sort: every key is read once and written once, to its place by one digit.
//
// Persistent blocks draw tiles by ticket. A block counts its tile's digits, publishes the counts and ranks the keys
// meanwhile. It gets the output positions where its keys of each digit value begin from one block that does nothing
// else:
//
//   the scanner   adds up the tiles' counts in order, a thread for each digit value, and publishes each tile's prefix.
//
// So a tile waits for one round trip to the scanner, however many tiles are in flight, and no tile looks back. Tiles
// and scanner exchange tagged words (sort_plan.cuh): no fences, nothing to clear.
//
// Forward progress: the scanner is the block that drew the first ticket, so it runs; tiles are drawn by blocks that
// run, and the lowest unfinished tile waits for the scanner alone.
#pragma once

#include "upsweep/cuda/bulk_copy.cuh"
#include "upsweep/sort/cuda/sort_cuda_rank.cuh"
#include "upsweep/sort/cuda/sort_cuda_tuning.hpp"
#include "upsweep/sort/cuda/sort_float_codes.cuh"
#include "upsweep/sort/cuda/sort_plan.cuh"

namespace upsweep::cuda {

template <class Key, class Value, bool Floating>
struct pass_arguments {
  sort_buffers<Key, Value> buffers;
  std::uint64_t n, tiles;
  digit_plan<Key, Floating> digits;
  sort_control* control;
  tile_rows rows;
};

// The cell of a sorted tile's position in shared memory: a free cell after every 32, because keys that arrive sorted
// go to positions a multiple of 32 apart, which would be in one bank.
__device__ constexpr int spread(int place) { return place + place / warp_size; }

template <class Key, class Value, class Shape>
struct pass_shared {
  static constexpr bool joined = records_of<Key, Value>::joined;
  static constexpr int cells = Shape::tile + Shape::tile / warp_size;
  // Counts of a warp's digits, later the position of its next key of each value. First member, so that a warp's array
  // is aligned to its size.
  alignas(16) std::uint32_t next[Shape::threads / warp_size][digit_values];
  alignas(16) record_of<Key, Value> keys[cells];  // or records
  alignas(16) Value values[has_value<Value> && !joined ? cells : 1];
  alignas(16) std::uint64_t shift_of[digit_values];  // from a place in the sorted tile to one in the output
  std::uint32_t warp_total[digit_values / warp_size];
  std::uint64_t ticket;
};

// The scanner. Its warps form groups of four, a thread for two digit values; groups take windows of tiles in turn, so
// that many rows are in flight at once. The running sums pass from group to group through shared memory, in words
// that contain the window's number. A fence instead would wait for the prefixes that are still being stored, which
// costs ten times as much as the addition.
template <int Threads>
struct scanner {
  static constexpr int members = digit_values / 2, groups = Threads / members, window = scanner_window;
  std::uint64_t running[digit_values];

  // Not inlined: its registers would displace the keys of the pass.
  __device__ __noinline__ void run(const sort_control& c, int pass, std::uint64_t tiles, tile_rows rows) {
    const int member = threadIdx.x % members, group = threadIdx.x / members, value = 2 * member;
    const std::uint64_t tag = c.tag[pass];
    if (threadIdx.x < digit_values) running[threadIdx.x] = c.first_of[pass][threadIdx.x];
    __syncthreads();  // the sums are where they begin
    if (group >= groups) return;
    for (std::uint64_t mine = group; mine * window < tiles; mine += groups) {
      const std::uint64_t first = mine * window;
      const int count = tiles - first < window ? static_cast<int>(tiles - first) : window;
      const std::uint32_t* from = rows.counts(first) + value;
      std::uint64_t* to = rows.prefixes(first) + value;
      uint2 x[window];  // with the tag subtracted, words are the counts if the tag is right, and far greater otherwise
      bool all_here;
      const auto look = [&] {
        std::uint32_t all = 0;
#pragma unroll
        for (int k = 0; k < window; ++k) x[k] = load_words(from + k * tile_rows::next_counts);
#pragma unroll
        for (int k = 0; k < window; ++k) {
          x[k].x -= static_cast<std::uint32_t>(tag << 16);
          x[k].y -= static_cast<std::uint32_t>(tag << 16);
          all |= x[k].x | x[k].y;
        }
        all_here = __all_sync(whole_warp, all < 1u << 16);
      };
      look();
      ulonglong2 sum;
      while (true) {
        sum = make_ulonglong2(load_strongly(running + value), load_strongly(running + value + 1));
        const bool my_turn = sum.x >> 48 == (mine & 0xffff) && sum.y >> 48 == (mine & 0xffff);
        if (__all_sync(whole_warp, my_turn)) break;
        if (!all_here) look();
      }
      sum.x = (sum.x & tile_rows::count_mask) | tag << 48;
      sum.y = (sum.y & tile_rows::count_mask) | tag << 48;
      const auto pass_on = [&](std::uint64_t x, std::uint64_t y) {
        const std::uint64_t turn = (mine + 1) << 48;
        store_strongly(running + value, (x & tile_rows::count_mask) | turn);
        store_strongly(running + value + 1, (y & tile_rows::count_mask) | turn);
      };
      const auto publish = [&](int k) {
        store_words(to + k * tile_rows::next_prefixes, sum);
        sum.x += x[k].x;
        sum.y += x[k].y;
      };
      if (all_here) {
        std::uint32_t all_x = 0, all_y = 0;
#pragma unroll
        for (int k = 0; k < window; ++k) all_x += x[k].x, all_y += x[k].y;
        pass_on(sum.x + all_x, sum.y + all_y);
#pragma unroll
        for (int k = 0; k < window; ++k) publish(k);
      } else {
        for (int done = 0;;) {
#pragma unroll
          for (int k = 0; k < window; ++k)
            if (k == done && k < count && __all_sync(whole_warp, (x[k].x | x[k].y) < 1u << 16)) {
              publish(k);
              ++done;
            }
          if (done == count) break;
          look();
        }
        pass_on(sum.x, sum.y);
      }
    }
  }
};

// Copies the sorted keys from the buffer of the last pass to the requested output.
template <class Key, class Value>
__device__ void copy_sorted(const sort_buffers<Key, Value>& b, sort_buffer from, std::uint64_t n) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x,
                      first = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (b.keys_from(from) != b.keys_out)
    for (std::uint64_t i = first; i < n; i += stride) b.keys_out[i] = b.keys_from(from)[i];
  if constexpr (has_value<Value>) {
    const Value* values = b.values_from(from);
    if (values != b.values_out)
      for (std::uint64_t i = first; i < n; i += stride) b.values_out[i] = values ? values[i] : static_cast<Value>(i);
  }
}

// A copy as a launch of its own, which serves keys and values of every type.
struct sorted_column {
  const void *in, *spare;  // in null: the indices
  void* out;
  int bytes;  // of each, 0 where there are none
};
template <class T>
__device__ void copy_column(const void* from, void* to, std::uint64_t n) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    static_cast<T*>(to)[i] = from ? static_cast<const T*>(from)[i] : static_cast<T>(i);
}

// After a sort in place whose last pass could not write to out, or (without a control) a sort by zero bits.
static __global__ void finish_sort(sorted_column keys, sorted_column values, const sort_control* c, std::uint64_t n) {
  const sort_buffer result = c ? c->result : sort_buffer::in;
  if (result == sort_buffer::out) return;
#pragma unroll 1
  for (int k = 0; k < 2; ++k) {
    const sorted_column column = k == 0 ? keys : values;
    const void* const from = result == sort_buffer::in ? column.in : column.spare;
    if (column.bytes == 0 || from == column.out) continue;
    switch (column.bytes) {
      case 1: copy_column<std::uint8_t>(from, column.out, n); break;
      case 2: copy_column<std::uint16_t>(from, column.out, n); break;
      case 4: copy_column<std::uint32_t>(from, column.out, n); break;
      default: copy_column<std::uint64_t>(from, column.out, n); break;
    }
  }
}

template <class Key, class Value>
void run_finish_sort(device& d, const sort_buffers<Key, Value>& b, const sort_control* c, std::uint64_t n,
                     unsigned grid) {
  const sorted_column keys{b.keys_in, b.keys_spare, b.keys_out, sizeof(Key)},
      values{b.values_in, b.values_spare, b.values_out, has_value<Value> ? static_cast<int>(sizeof(Value)) : 0};
  finish_sort<<<grid, 256, 0, d.stream()>>>(keys, values, c, n);
  check(cudaGetLastError(), "sort on cuda");
}

// Makes the compiler recompute values that depend on x, rather than keep them in registers.
template <class T>
__device__ void forget(T& x) {
  if constexpr (sizeof(T) == 8) {
    asm volatile("" : "+l"(x));
  } else {
    std::uint32_t word = x;
    asm volatile("" : "+r"(word));
    x = static_cast<T>(word);
  }
}

// How a pass writes: in the moved form; in that form to a divided place of the output; or as keys and values as they
// were given.
struct to_next {};
struct to_divided {};
struct to_result {};

template <class Key, class Value, bool Floating, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    onesweep_pass(const __grid_constant__ pass_arguments<Key, Value, Floating> a, const int pass) {
  constexpr int threads = Shape::threads, items = Shape::items, tile_size = Shape::tile, warps = threads / warp_size;
  constexpr std::uint64_t none = ~std::uint64_t{0};
  constexpr bool joined = records_of<Key, Value>::joined, codes = moves_codes<Key, Floating>;
  constexpr bool no_last_key = Floating && !codes;
  extern __shared__ __align__(1024) unsigned char pass_bytes[];
  auto& shared = *reinterpret_cast<pass_shared<Key, Value, Shape>*>(pass_bytes);
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;

  wait_for_kernel_before();
  const pass_plan plan = a.control->pass[pass];
  if (plan.skipped) {
    if (pass == a.digits.passes() - 1 && a.control->result == sort_buffer::in)
      copy_sorted(a.buffers, sort_buffer::in, a.n);
    return;
  }
  const bool first_pass = plan.from == sort_buffer::in, last_pass = plan.last;
  const Key* keys_in = a.buffers.keys_from(plan.from);
  Key* keys_out = a.buffers.keys_to(plan.to);
  const Value* values_in = a.buffers.values_from(plan.from);
  Value* values_out = a.buffers.values_to(plan.to);
  const auto digits = digits_of_pass(a.digits, pass);
  const std::uint32_t tag = a.control->tag[pass];
  const std::uint32_t below = lanes_below();
  std::uint32_t* next = shared.next[warp];
  const std::uint32_t counters = shared_address(next);

  // One thread: the next tile.
  const auto draw = [&] {
    const std::uint64_t ticket = atomicAdd(&a.control->ticket[pass], 1ull);  // relaxed: only the number matters
    shared.ticket = ticket <= a.tiles ? ticket : none;
  };
  if (thread == 0) draw();
  __syncthreads();  // the first ticket is there
  std::uint64_t ticket = shared.ticket;
  if (ticket == 0) return reinterpret_cast<scanner<threads>*>(pass_bytes)->run(*a.control, pass, a.tiles, a.rows);
  if (ticket == none) return;

  // A warp's keys are consecutive; item k of its lanes comes before item k + 1.
  const int first_item = warp * warp_size * items + lane;
  Key key[items];
  Value value[has_value<Value> ? items : 1];
  const auto keys_of = [&](std::uint64_t tile) {
    const std::uint64_t left = a.n - tile * tile_size;
    return left < tile_size ? static_cast<int>(left) : tile_size;
  };
  // Keys, as codes; together with their values if they are records.
  const auto load = [&](std::uint64_t tile) {
    const std::uint64_t first = tile * tile_size + first_item;
    const int count = keys_of(tile);
    if (joined && !first_pass) {
      if constexpr (joined) {
        const auto take = [&](int k, const auto& record) { key[k] = record.key, value[k] = record.value; };
        const auto& places = a.buffers.records;
        const std::uint64_t tile_begin = tile * tile_size;
        const bool in_spare = plan.from == sort_buffer::spare;
        if (count == tile_size && (in_spare || places.side_by_side(tile_begin, tile_size))) {
          const auto* from = in_spare ? places.spare + first : places.low + (first + places.from_low(tile_begin));
#pragma unroll
          for (int k = 0; k < items; ++k) take(k, from[k * warp_size]);
        } else {
#pragma unroll
          for (int k = 0; k < items; ++k) {
            const std::uint64_t i = first + k * warp_size;
            key[k] = digits.last_key();
            if (first_item + k * warp_size < count) take(k, in_spare ? places.spare[i] : places.in_output(i));
          }
        }
      }
      return;
    }
    const Key* from = keys_in + first;
    if (count == tile_size) {
#pragma unroll
      for (int k = 0; k < items; ++k) key[k] = from[k * warp_size];
    } else {
      const Key past_end = key_of_code<Key, Floating>(digits.last_key());
#pragma unroll
      for (int k = 0; k < items; ++k)
        key[k] = first_item + k * warp_size < count ? from[k * warp_size] : first_pass ? past_end : digits.last_key();
    }
    if (codes && first_pass) {
#pragma unroll
      for (Key& k : key) k = code_of<Key, Floating>(k);
    }
  };
  const auto load_values = [&](std::uint64_t tile) {
    if constexpr (has_value<Value>) {
      if (joined && !first_pass) return;
      const std::uint64_t first = tile * tile_size + first_item;
      const int count = keys_of(tile);
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (!values_in)
          value[k] = static_cast<Value>(first + k * warp_size);
        else if (first_item + k * warp_size < count)
          value[k] = values_in[first + k * warp_size];
      }
    }
  };
  // Keys of up to 4 bytes have their digit at the bit position where it is the byte offset of its counter. A
  // counter's address then takes one more instruction, and its bits also give the digit. Keys past the end have the
  // highest digit value, come last in their tile, and are not written. (Integers alone do not use this: the compiler
  // then schedules a whole pass 1 to 3 % better.)
  constexpr bool alone = sizeof(Key) <= 4 && !Floating && !has_value<Value>;
  constexpr int digit_at = sizeof(Key) == 8 || alone ? 0 : 2;
  const auto digit = [&](int k, int count) {
    if constexpr (no_last_key)
      if (first_item + k * warp_size >= count) return (digits.mask ^ digits.flip) << digit_at;
    return digits.template bits<digit_at>(key[k]);
  };
  [[maybe_unused]] const auto counter_of = [&](std::uint32_t digit) {
    if constexpr (digit_at == 2) return counters | digit;
    return counters + digit * 4;
  };

  // Computes each warp's positions in the tile from the tile's keys. Returns where in the tile the keys of the digit
  // value at position `thread` begin, and, for records, in the upper half their number.
  const int value_of_thread = thread ^ static_cast<int>(digits.flip);
  const auto count_and_publish = [&](std::uint64_t tile) {
    const int count = keys_of(tile);
#pragma unroll
    for (int v = 0; v < digit_values / warp_size / 4; ++v)
      reinterpret_cast<uint4*>(next)[v * warp_size + lane] = make_uint4(0, 0, 0, 0);
    __syncwarp();  // the warp's counters are zero
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if constexpr (alone) {
        atomicAdd(&next[digit(k, count)], 1u);
      } else {
        count_at(counter_of(digit(k, count)));
      }
    }
#pragma unroll
    for (Key& k : key) forget(k);
    __syncthreads();  // every warp has counted
    if (thread >= digit_values) return 0u;
    std::uint32_t total = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) total += shared.next[w][value_of_thread];
    const std::uint32_t past_end = thread == digits.mask ? tile_size - count : 0;
    store_word(a.rows.counts(tile) + thread, tag << 16 | (total - past_end));
    std::uint32_t sum = total;
#pragma unroll
    for (int d = 1; d < warp_size; d *= 2) {
      const std::uint32_t left = __shfl_up_sync(whole_warp, sum, d);
      if (lane >= d) sum += left;
    }
    if (lane == warp_size - 1) shared.warp_total[warp] = sum;
    sync_first_threads<digit_values>();  // the first eight warps wrote their totals
    std::uint32_t begin = sum - total;
#pragma unroll
    for (int w = 0; w < digit_values / warp_size - 1; ++w)
      if (w < warp) begin += shared.warp_total[w];
    std::uint32_t at = begin;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      const std::uint32_t counted = shared.next[w][value_of_thread];  // read again: registers are full of keys
      shared.next[w][value_of_thread] = at;
      at += counted;
    }
    return joined ? begin | (total - past_end) << 16 : begin;
  };

  const auto begin_of = [](std::uint32_t counted) { return joined ? counted & 0xffff : counted; };

  load(ticket - 1);
  std::uint32_t begin = count_and_publish(ticket - 1);
  load_values(ticket - 1);
  __syncthreads();  // every warp's places are there

  while (true) {
    const std::uint64_t tile = ticket - 1;
    const int count = keys_of(tile);
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (k == items / 2 && thread == threads - 1) draw();
      std::uint32_t place;
      if constexpr (alone) {
        place = take_place(next, digit(k, count), below);
      } else {
        const std::uint32_t bits = digit(k, count), counter = counter_of(bits);
        place = take_place_at(counter, lanes_with<digit_bits, digit_at>(digit_at == 2 ? counter : bits), below);
      }
      const std::uint32_t at = place + place / warp_size;  // spread(place)
      if constexpr (joined) {
        shared.keys[at] = {key[k], value[k]};
      } else {
        shared.keys[at] = key[k];
        if constexpr (has_value<Value>) shared.values[at] = value[k];
      }
    }
    __syncthreads();  // the tile is sorted, and the next ticket is there
    const std::uint64_t next_ticket = shared.ticket;
    // Loaded now, needed after the next tile is counted.
    const std::uint64_t* const prefix_word = a.rows.prefixes(tile) + thread % digit_values;
    std::uint64_t prefix = thread < digit_values ? load_word(prefix_word) : 0;

    // The next tile is counted and published before this one is written, so that its prefix has arrived when it is
    // needed.
    std::uint32_t next_begin = 0;
    if (next_ticket != none) {
      load(next_ticket - 1);
      next_begin = count_and_publish(next_ticket - 1);
      load_values(next_ticket - 1);
    }
    if (thread < digit_values) {
      while (prefix >> 48 != tag) prefix = load_word(prefix_word);
      shared.shift_of[value_of_thread] = (prefix & tile_rows::count_mask) - begin_of(begin);
    }
    // In the output all records of a digit value are adjacent, except those of one value in one or two tiles.
    bool divided = false;
    if (joined && plan.to == sort_buffer::out && !last_pass) {
      if constexpr (joined) {
        const std::uint64_t first = prefix & tile_rows::count_mask;
        if (thread < digit_values) {
          divided = !a.buffers.records.side_by_side(first, begin >> 16);
          shared.shift_of[value_of_thread] += a.buffers.records.from_low(first);
        }
        divided = __syncthreads_or(divided);  // also what the other barrier orders
        if (divided) {
          if (thread < digit_values) shared.shift_of[value_of_thread] = first - begin_of(begin);
          __syncthreads();  // places in the output as they are counted
        }
      }
    } else {
      __syncthreads();  // where the tile's parts go is known, and every warp's places in the next
    }
    if (next_ticket == none) let_next_kernel_begin();

    const auto shift_of = [&](Key k) {
      constexpr int log_bytes = 3;
      const std::uint32_t bytes = digits.template bits<log_bytes>(k);
      return *reinterpret_cast<const std::uint64_t*>(reinterpret_cast<const unsigned char*>(shared.shift_of) + bytes);
    };
    // Except in the last pass, records and codes are written unchanged.
    Key* const key_to = keys_out + thread;
    Value* const value_to = has_value<Value> ? values_out + thread : nullptr;
    auto* const record_to = (plan.to == sort_buffer::spare ? a.buffers.records.spare : a.buffers.records.low) + thread;
    const auto write = [&]<class To>(int i, To) {
      const int from = spread(thread) + spread(i);  // of thread + i, since i is a multiple of 32
      const auto moved = shared.keys[from];
      if constexpr (joined) {
        const std::uint64_t at = shift_of(moved.key) + i;
        if constexpr (std::is_same_v<To, to_result>) {
          key_to[at] = key_of_code<Key, Floating>(moved.key);
          value_to[at] = moved.value;
        } else if constexpr (std::is_same_v<To, to_divided>) {
          a.buffers.records.in_output(at + thread) = moved;
        } else {
          record_to[at] = moved;
        }
      } else {
        const std::uint64_t at = shift_of(moved) + i;
        if constexpr (std::is_same_v<To, to_result>) {
          key_to[at] = key_of_code<Key, Floating>(moved);
        } else {
          key_to[at] = moved;
        }
        if constexpr (has_value<Value>) value_to[at] = shared.values[from];
      }
    };
    const auto write_all = [&](auto to) {
      if (count == tile_size) {
#pragma unroll
        for (int i = 0; i < tile_size; i += threads) write(i, to);
      } else {
#pragma unroll 1
        for (int i = 0; i < tile_size; i += threads)
          if (thread + i < count) write(i, to);
      }
    };
    if ((joined || codes) && last_pass) {
      if constexpr (joined || codes) write_all(to_result{});
    } else if (joined && divided) {
      if constexpr (joined) {
#pragma unroll 1
        for (int i = 0; i < tile_size; i += threads)
          if (thread + i < count) write(i, to_divided{});
      }
    } else {
      write_all(to_next{});
    }
    if (next_ticket == none) return;
    ticket = next_ticket;
    begin = next_begin;
    __syncthreads();  // the tile is written, and its place is free for the next
  }
}

}  // namespace upsweep::cuda
