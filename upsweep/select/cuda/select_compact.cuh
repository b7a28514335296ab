// Select, partition and unique as a pass over tiles: each element belongs to a group, and each group's elements move
// together, in order.
//
// A tile is compacted in shared memory as soon as it is loaded, before the destinations of its elements are known. It
// publishes only its number of elements in the first groups, 16 bits each.
#pragma once

#include "upsweep/select/cuda/select_copy_out.cuh"
#include "upsweep/select/cuda/select_tiles.cuh"

namespace upsweep::cuda {

// A placeholder for an array that a pass does not have.
struct no_array {};

// A placeholder for an array of each element's own index, which need not be read.
struct own_index {
  std::uint64_t value;
};

template <class T>
inline constexpr bool has_array = !std::is_same_v<T, no_array>;
template <class T>
inline constexpr bool is_read = has_array<T> && !std::is_same_v<T, own_index>;
template <class T>
inline constexpr int bytes_of = has_array<T> ? static_cast<int>(sizeof(T)) : 0;

struct equal_elements {
  template <class T>
  __device__ bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};

// Counts of elements in the first two groups.
struct group_counts {
  std::uint64_t of[2];
};

// The group of an element: group 0 comes first.
template <class Keep>
struct group_by_predicate {
  static constexpr int groups = 2;
  static constexpr bool reads_flags = false, reads_previous = false;
  Keep keep;
  template <class T>
  __device__ int operator()(const T& x, const T&, bool, std::uint8_t) const {
    return keep(x) ? 0 : 1;
  }
};
template <class First, class Second>
struct group_by_two {
  static constexpr int groups = 3;
  static constexpr bool reads_flags = false, reads_previous = false;
  First first;
  Second second;
  template <class T>
  __device__ int operator()(const T& x, const T&, bool, std::uint8_t) const {
    return first(x) ? 0 : second(x) ? 1 : 2;
  }
};
struct group_by_flag {
  static constexpr int groups = 2;
  static constexpr bool reads_flags = true, reads_previous = false;
  template <class T>
  __device__ int operator()(const T&, const T&, bool, std::uint8_t flag) const {
    return flag != 0 ? 0 : 1;
  }
};
template <class Equal>
struct group_firsts {
  static constexpr int groups = 2;
  static constexpr bool reads_flags = false, reads_previous = true;
  Equal equal;
  template <class T>
  __device__ int operator()(const T& x, const T& previous, bool has_previous, std::uint8_t) const {
    return has_previous && equal(previous, x) ? 1 : 0;
  }
};

// T: the elements; V: values that move with them; Drops: the last group is not written.
template <class T, class V, class Group, bool Drops>
struct compact_pass {
  static constexpr int groups = Group::groups;
  static constexpr bool stores_in_bulk = false;
  static constexpr int look_depth = 5;
  static constexpr int bytes = sizeof(T) + bytes_of<V> + Group::reads_flags;
  static constexpr int largest = std::max<int>(sizeof(T), bytes_of<V>);
  // Values of other sizes than 4 and 8 bytes, and flags of pairs: all tiles are folded like the last one.
  static constexpr bool seldom = has_array<V> && (!is_read<V> || Group::reads_flags);

  const T* in;
  const V* values;
  const std::uint8_t* flags;
  std::uint64_t n;
  T* out[groups];
  V* values_out[groups];
  std::uint64_t* counts;            // groups - 1 of them, where there is any use for them
  const std::uint64_t* all_counts;  // of the whole input, where one group's place depends on another's size
  bool one_output;                  // the groups follow on each other in out[0]
  bool aligned;                     // all addresses are multiples of 16 bytes
  Group group;

  using word = std::uint32_t;
  using before = group_counts;
  using all_tiles = group_counts;
  struct cursor {
    std::uint64_t tile;
    group_counts counts;
  };

  static constexpr int lead_bytes =
      Group::reads_previous ? (sizeof(T) + 15) / 16 * 16 : 0;  // the elements before the tile

  template <class Shape>
  struct alignas(128) stage {
    alignas(16) unsigned char item_bytes[lead_bytes + Shape::tile * sizeof(T)];
    alignas(16) unsigned char value_bytes[has_array<V> ? Shape::tile * sizeof(V) : 16];
    alignas(16) unsigned char flags[Group::reads_flags ? Shape::tile : 16];
    std::uint32_t counts;
    __device__ T* items() { return reinterpret_cast<T*>(item_bytes + lead_bytes); }
    __device__ V* values() { return reinterpret_cast<V*>(value_bytes); }
  };
  template <class Shape>
  struct block_totals {
    std::uint32_t warp[Shape::threads / warp_size];
  };

  template <class Shape>
  __device__ bool in_bulk(std::uint64_t tile) const {
    constexpr bool sixteens = Shape::tile * sizeof(T) % 16 == 0 && Shape::tile * bytes_of<V> % 16 == 0 &&
                              (!Group::reads_flags || Shape::tile % 16 == 0);
    return has_async_load() && sixteens && aligned && (tile + 1) * Shape::tile <= n;
  }

  template <class Shape>
  __device__ void load(stage<Shape>& to, std::uint64_t tile, copy_barrier* loaded) const {
    const std::uint64_t first = tile * Shape::tile;
    const int lead = tile > 0 ? lead_bytes : 0;
    expect_bulk_loads(Shape::tile * (sizeof(T) + (is_read<V> ? bytes_of<V> : 0) + Group::reads_flags) + lead, loaded);
    expected_bulk_load(to.item_bytes + lead_bytes - lead, reinterpret_cast<const unsigned char*>(in + first) - lead,
                       Shape::tile * sizeof(T) + lead, loaded);
    if constexpr (is_read<V>) expected_bulk_load(to.value_bytes, values + first, Shape::tile * sizeof(V), loaded);
    if constexpr (Group::reads_flags) expected_bulk_load(to.flags, flags + first, Shape::tile, loaded);
  }

  template <class Shape>
  __device__ void fill(stage<Shape>& to, std::uint64_t tile, int thread) const {
    const std::uint64_t first = tile * Shape::tile;
    const int count = elements_of_tile<Shape>(n, tile);
    for (int i = thread; i < count; i += Shape::threads) {
      to.items()[i] = in[first + i];
      if constexpr (is_read<V>) to.values()[i] = values[first + i];
      if constexpr (Group::reads_flags) to.flags[i] = flags[first + i];
    }
    if constexpr (Group::reads_previous)
      if (thread == 0 && tile > 0) to.items()[-1] = in[first - 1];
  }

  template <class Shape, class Publish>
  __device__ void fold(stage<Shape>& at, block_totals<Shape>& totals, std::uint64_t tile, int thread,
                       Publish publish) const {
    if constexpr (seldom) {
      fold_part<false>(at, totals, tile, thread, publish);
    } else if ((tile + 1) * Shape::tile <= n) {
      fold_part<true>(at, totals, tile, thread, publish);
    } else {
      fold_part<false>(at, totals, tile, thread, publish);
    }
  }

  template <bool Whole, class Shape, class Publish>
  __device__ void fold_part(stage<Shape>& at, block_totals<Shape>& totals, std::uint64_t tile, int thread,
                            Publish publish) const {
    constexpr int items = Shape::items, warps = Shape::threads / warp_size;
    const int lane = thread % warp_size, warp = thread / warp_size;
    const int mine = Whole ? items : elements_of_tile<Shape>(n, tile) - thread * items;
    T x[items];
    read_run(at.items() + thread * items, x);
    V y[items];
    if constexpr (is_read<V>) read_run(at.values() + thread * items, y);
    if constexpr (has_array<V> && !is_read<V>)
#pragma unroll
      for (int i = 0; i < items; ++i) y[i].value = tile * Shape::tile + thread * items + i;
    std::uint8_t flag[items] = {};
    if constexpr (Group::reads_flags) read_run(at.flags + thread * items, flag);
    T first_previous = x[0];
    bool has_previous = true;
    if constexpr (Group::reads_previous) {
      has_previous = thread > 0 || tile > 0;
      if (has_previous) first_previous = at.items()[thread * items - 1];
    }
    const auto group_of = [&](int i) {
      return group(x[i], i == 0 ? first_previous : x[i - 1], i > 0 || has_previous, flag[i]);
    };

    // With two groups a bit of each element gives its group: the test is evaluated once, and counting is a population
    // count.
    constexpr bool two = groups == 2;
    std::uint32_t firsts_bits[(items + 31) / 32] = {};
    std::uint32_t own = 0;
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (Whole || i < mine) {
        const int g = group_of(i);
        if constexpr (two) {
          if (g == 0) firsts_bits[i / 32] |= 1u << i % 32;
        } else {
          if (g == 0) own += 1;
          if (g == 1) own += 1 << 16;
        }
      }
    if constexpr (two) {
#pragma unroll
      for (const std::uint32_t bits : firsts_bits) own += __popc(bits);
    }
    const std::uint32_t inclusive = warp_inclusive_scan(own, lane, plus{});
    if (lane == warp_size - 1) totals.warp[warp] = inclusive;
    sync_first_threads<Shape::threads>();  // every warp wrote its total, and read its elements
    const std::uint32_t of_warp = lane < warps ? totals.warp[lane] : 0;
    const std::uint32_t total = warp_sum(of_warp), before_warp = warp_sum(lane < warp ? of_warp : 0);
    if (thread == 0) {
      publish(total);
      at.counts = total;
    }
    const std::uint32_t place = before_warp + inclusive - own;
    int first = place & 0xffff, second = place >> 16;
    const int firsts = total & 0xffff, seconds = total >> 16;
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (Whole || i < mine) {
        const int g = two ? (firsts_bits[i / 32] >> i % 32 & 1 ? 0 : 1) : group_of(i);
        int to = first;
        if (g != 0) {
          to = firsts + thread * items + i - first;
          if constexpr (groups == 3) to = g == 1 ? firsts + second : to + seconds - second;
        }
        if (!Drops || g != groups - 1) {
          at.items()[to] = x[i];
          if constexpr (has_array<V>) at.values()[to] = y[i];
        }
        if (g == 0) ++first;
        if constexpr (groups == 3)
          if (g == 1) ++second;
      }
  }

  __device__ cursor start() const { return {}; }

  // Called by a whole warp: continues from the tile of its last call.
  template <int Depth, class Shape>
  __device__ void look(tagged_words words, std::uint32_t epoch, std::uint64_t tile, cursor& c, before& to) const {
    const int lane = threadIdx.x % warp_size;
    while (c.tile < tile) {
      word value[Depth];
      bool here[Depth], all_here;
#pragma unroll
      for (int k = 0; k < Depth; ++k) {
        value[k] = 0;
        here[k] = c.tile + k * warp_size + lane >= tile;
      }
      do {
        all_here = true;
#pragma unroll
        for (int k = 0; k < Depth; ++k) {
          if (!here[k]) here[k] = words.try_load(c.tile + k * warp_size + lane, epoch, value[k]);
          all_here = all_here && here[k];
        }
      } while (!__all_sync(whole_warp, all_here));
      std::uint32_t firsts = 0, seconds = 0;
#pragma unroll
      for (int k = 0; k < Depth; ++k) {
        firsts += value[k] & 0xffff;
        seconds += value[k] >> 16;
      }
      c.counts.of[0] += warp_sum(firsts);
      if constexpr (groups == 3) c.counts.of[1] += warp_sum(seconds);
      c.tile += Depth * warp_size;
    }
    c.tile = tile;
    if (lane == 0) to = c.counts;
  }

  template <class Shape>
  __device__ void look_at_all(tagged_words words, std::uint32_t epoch, std::uint64_t tiles, all_tiles& to) const {
    if constexpr (!Drops) {
      cursor c{};
      look<look_depth + 1, Shape>(words, epoch, one_output ? tiles : 0, c, to);
    }
  }
  // The totals of all tiles, from memory, written by the launch before.
  __device__ all_tiles of_all_tiles() const {
    all_tiles all{};
    if constexpr (!Drops) {
      if (one_output) {
        all.of[0] = all_counts[0];
        if constexpr (groups == 3) all.of[1] = all_counts[1];
      }
    }
    return all;
  }

  template <class Shape>
  __device__ void emit(stage<Shape>& at, std::uint64_t tile, const before& b, const all_tiles& all, int thread) const {
    const int firsts = at.counts & 0xffff, seconds = at.counts >> 16;
    write_group<Shape>(at, 0, 0, firsts, b.of[0], thread);
    if constexpr (groups == 3) write_group<Shape>(at, 1, firsts, seconds, all.of[0] + b.of[1], thread);
    if constexpr (!Drops) {
      const std::uint64_t rest = tile * Shape::tile - b.of[0] - (groups == 3 ? b.of[1] : 0);
      write_group<Shape>(at, groups - 1, firsts + seconds, elements_of_tile<Shape>(n, tile) - firsts - seconds,
                         all.of[0] + (groups == 3 ? all.of[1] : 0) + rest, thread);
    }
    if (thread == 0 && (tile + 1) * Shape::tile >= n) {  // the last tile
      counts[0] = b.of[0] + firsts;
      if constexpr (groups == 3) counts[1] = b.of[1] + seconds;
    }
  }

  template <class Shape>
  __device__ void write_group(stage<Shape>& at, int g, int first, int count, std::uint64_t place, int thread) const {
    copy_out<Shape::threads>(at.items() + first, count, out[g] + place, thread);
    if constexpr (has_array<V>) copy_out<Shape::threads>(at.values() + first, count, values_out[g] + place, thread);
  }
};

}  // namespace upsweep::cuda
