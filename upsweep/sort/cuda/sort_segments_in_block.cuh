// Consecutive segments sorted by one block in its shared memory.
//
// Every thread takes up to `items` neighbours of one segment and sorts them by a network in its registers. Then runs
// are merged in pairs, each thread writing `items` neighbours of the result, which it finds by bisection. So a
// segment's cost depends on its own length: short ones are done after the network, and long and short ones may be
// mixed.
#pragma once

#include <utility>

#include "upsweep/cuda/warp.cuh"
#include "upsweep/sort/cuda/sort_cuda_order.cuh"

namespace upsweep::cuda {

// Like compared_image, for all key widths.
struct sort_rule {
  std::uint64_t flip, mask;
  unsigned first_bit, bits;
  bool floating, reversible;  // reversible: the image tells the key

  template <class Key>
  __device__ Key image(Key key) const {
    if constexpr (sizeof(Key) > 1) {  // no float has one byte
      const Key of_float = order_bits_of<key_order::floating>(key);
      if (floating) key = of_float;
    }
    return static_cast<Key>(static_cast<Key>(static_cast<Key>(key ^ static_cast<Key>(flip)) >> first_bit) &
                            static_cast<Key>(mask));
  }
  template <class Key>
  __device__ Key key_of(Key image) const {
    return static_cast<Key>(image ^ static_cast<Key>(flip));
  }
};

// Elements that a block sorts: a key's image, followed by the key's index where the image alone does not determine
// the key. No two of those are equal, so any sorting method is stable. An element no wider than its key is the image
// alone.
struct wide_element {
  std::uint32_t low, high, place;  // 12 bytes: an odd number of banks

  __device__ std::uint64_t image() const { return std::uint64_t{high} << 32 | low; }
  __device__ friend bool operator<(const wide_element& a, const wide_element& b) {
    return a.image() < b.image() || (a.image() == b.image() && a.place < b.place);
  }
};

template <class Element, class Key>
inline constexpr bool has_place = sizeof(Element) > sizeof(Key);

template <class Element>
struct element_of_keys {
  static constexpr int place_bits = 4 * sizeof(Element);
  __device__ static Element largest() { return static_cast<Element>(~Element{0}); }
  template <class Key>
  __device__ static Element make(Key image, std::uint32_t place) {
    if constexpr (has_place<Element, Key>) return static_cast<Element>(Element{image} << place_bits | place);
    return static_cast<Element>(image);
  }
  template <class Key>
  __device__ static Key image(Element e) {
    if constexpr (has_place<Element, Key>) return static_cast<Key>(e >> place_bits);
    return static_cast<Key>(e);
  }
  __device__ static std::uint32_t place(Element e) {
    return static_cast<std::uint32_t>(e & ((Element{1} << place_bits) - 1));
  }
};
template <>
struct element_of_keys<wide_element> {
  __device__ static wide_element largest() { return {~0u, ~0u, ~0u}; }
  template <class Key>
  __device__ static wide_element make(Key image, std::uint32_t place) {
    return {static_cast<std::uint32_t>(image), static_cast<std::uint32_t>(std::uint64_t{image} >> 32), place};
  }
  template <class Key>
  __device__ static Key image(const wide_element& e) {
    return e.image();
  }
  __device__ static std::uint32_t place(const wide_element& e) { return e.place; }
};

// Calls f.operator()<Key>() for the keys that go into such elements.
template <class Element, class F>
__device__ void with_keys_of(std::uint32_t key_bytes, const F& f) {
  if constexpr (std::is_same_v<Element, wide_element>) {
    f.template operator()<std::uint64_t>();
  } else if constexpr (sizeof(Element) == 8) {
    if (key_bytes == 4) return f.template operator()<std::uint32_t>();
    f.template operator()<std::uint64_t>();
  } else {
    if (key_bytes == 1) return f.template operator()<std::uint8_t>();
    if (key_bytes == 2) return f.template operator()<std::uint16_t>();
    f.template operator()<std::uint32_t>();
  }
}

// Batcher's odd-even merge sort of Count elements, as the pairs that it compares.
template <int Count>
struct sorting_network {
  int pairs = 0, low[Count * Count]{}, high[Count * Count]{};
  constexpr sorting_network() {
    for (int p = 1; p < Count; p *= 2)
      for (int k = p; k >= 1; k /= 2)
        for (int j = k % p; j + k < Count; j += 2 * k)
          for (int i = 0; i < k && i + j + k < Count; ++i)
            if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) low[pairs] = i + j, high[pairs++] = i + j + k;
  }
};
template <int Count>
inline constexpr sorting_network<Count> network_of{};

template <int Low, int High, class Element>
__device__ void exchange(Element* x) {
  const Element a = x[Low], b = x[High];
  if constexpr (std::is_integral_v<Element>) {
    x[Low] = min(a, b);
    x[High] = max(a, b);
  } else {
    const bool turned = b < a;
    x[Low] = turned ? b : a;
    x[High] = turned ? a : b;
  }
}
template <int Count, class Element>
__device__ void sort_by_network(Element* x) {
  [x]<int... I>(std::integer_sequence<int, I...>) {
    (exchange<network_of<Count>.low[I], network_of<Count>.high[I]>(x), ...);
  }(std::make_integer_sequence<int, network_of<Count>.pairs>{});
}

// Returns x, but hides that from the compiler: values derived from the result are computed where they are used, and
// not kept in registers around a loop.
__device__ inline int worked_out_anew(int x) {
  asm volatile("" : "+r"(x));
  return x;
}

// Called by a whole warp. Returns the first i of [0, count) with f(i) >= x, or count; f increases. Searches around
// `guess` first, at growing distances, and then by bisection, in 33 parts at a time.
template <class F>
__device__ std::uint64_t first_not_below(std::uint64_t count, std::uint64_t x, std::uint64_t guess, const F& f) {
  const int lane = threadIdx.x % warp_size;
  const auto probe = [&](int i) {
    const auto middle = static_cast<std::int64_t>(guess);
    return i < 16 ? middle - (std::int64_t{1} << (15 - i)) : middle + (std::int64_t{1} << (i - 16)) - 1;
  };
  const std::int64_t near = probe(lane);
  const int before = __popc(__ballot_sync(
      whole_warp, near < 0 || (near < static_cast<std::int64_t>(count) && f(static_cast<std::uint64_t>(near)) < x)));
  std::uint64_t low = before == 0 ? 0 : static_cast<std::uint64_t>(max(std::int64_t{0}, probe(before - 1) + 1));
  std::uint64_t high = before == warp_size ? count : min(count, static_cast<std::uint64_t>(probe(before)));
  while (low < high) {
    const std::uint64_t step = (high - low + warp_size - 1) / warp_size, at = low + (lane + 1) * step - 1;
    const unsigned below = __ballot_sync(whole_warp, at < high && f(at) < x);
    low += __popc(below) * step;
    high = min(high, low + step - 1);
  }
  return low;
}

__device__ inline void bring_to_l2(const void* from) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from) : "memory");
}
// Called by the whole block. Prefetches `count` elements of that many bytes.
__device__ inline void bring_to_l2(const void* from, std::uint64_t first, std::uint64_t count, std::uint32_t bytes) {
  constexpr int line = 128;
  const char* const begin = static_cast<const char*>(from) + first * bytes;
  for (std::uint64_t at = threadIdx.x * line; at < count * bytes; at += blockDim.x * line) bring_to_l2(begin + at);
}

// The memory that a block reads and writes: keys, and values that follow them. If values is null, the values are the
// indices.
struct keyed_memory {
  const void *keys, *values;
  void *keys_out, *values_out;
  std::uint32_t key_bytes, value_bytes;
  std::uint64_t n;
};

// The number of items is odd, to avoid bank conflicts between neighbours.
template <class Element, int Threads, int Items>
struct block_sorter {
  static constexpr int items = Items;
  static constexpr int capacity = Threads * items, warps = Threads / warp_size;
  static_assert(capacity < 1 << 16, "places have 16 bits, and all ones is none");
  using element = element_of_keys<Element>;

  std::uint16_t first_thread[Threads + 1], begin[Threads + 1];  // of each segment
  std::uint32_t warp_threads[warps], warp_longest[warps];

  static constexpr int at_once = 5;  // loads of a thread that are on their way together

  // This thread's part of one segment.
  struct part {
    int base, length, first, count;  // the segment's place in shared memory and its length; this thread's of it
  };

  // Moves values to their positions through shared memory; all are read before one is written.
  template <class T>
  __device__ static void move(const T* from, T* to, const Element* elements, int count, void* space) {
    const int thread = worked_out_anew(threadIdx.x);
    T* const staged = static_cast<T*>(space);
    __syncthreads();  // what lay here before has been read
#pragma unroll 1
    for (int p = thread; p < count; p += at_once * Threads) {
      T x[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) x[k] = from[min(p + k * Threads, count - 1)];
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (p + k * Threads < count) staged[p + k * Threads] = x[k];
    }
    __syncthreads();  // all of them are here
#pragma unroll 4
    for (int p = thread; p < count; p += Threads) to[p] = staged[element::place(elements[p])];
  }

  // One round merges pairs of runs. A round reads one copy of the elements and writes the other.
  __device__ static void merge_runs(const Element* from, Element* to, const part& mine, int run) {
    const int pair = mine.first & ~(2 * run - 1);  // in steps of `items`, as run is
    const int a_begin = pair * items, a_end = min((pair + run) * items, mine.length);
    const int b_end = min((pair + 2 * run) * items, mine.length);
    to += mine.base + mine.first * items;
    if (mine.count <= 0) return;
    if (a_end >= b_end) {
      from += mine.base + mine.first * items;
#pragma unroll
      for (int k = 0; k < items; ++k)
        if (k < mine.count) to[k] = from[k];
      return;
    }
    const Element *a = from + mine.base, *const b = a + a_end;
    const int diagonal = mine.first * items - a_begin;
    a += a_begin;
    const int as = a_end - a_begin, bs = b_end - a_end;
    int low = max(0, diagonal - bs), high = min(diagonal, as);
    while (low < high) {
      const int middle = (low + high) / 2;
      if (b[diagonal - 1 - middle] < a[middle]) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    int at_a = low, at_b = as + diagonal - low;  // both from a on
    const int b_stop = as + bs;
    Element from_a = at_a < as ? a[at_a] : element::largest(), from_b = at_b < b_stop ? a[at_b] : element::largest();
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const bool b_first = from_b < from_a;
      if (k < mine.count) to[k] = b_first ? from_b : from_a;
      const int next = (b_first ? at_b : at_a) + 1, stop = b_first ? b_stop : as;
      Element follows = element::largest();
      if (next < stop) follows = a[next];
      at_a = b_first ? at_a : next;
      at_b = b_first ? next : at_b;
      from_a = b_first ? from_a : follows;
      from_b = b_first ? follows : from_b;
    }
  }

  // Called by the whole block. Sorts `segments` segments, [bounds[s], bounds[s + 1]), as many at a time as threads
  // and memory allow. `bytes` is shared memory of two times copy_bytes, each for up to `shared_capacity` elements, keys
  // or values. All threads call too_long(s) for a segment that has more; it returns the number of segments it has
  // processed, that one and following ones.
  template <class TooLong>
  __device__ void sort(const sort_rule& rule, const keyed_memory& memory, const std::uint64_t* bounds,
                       std::uint32_t segments, int shared_capacity, unsigned char* bytes, int copy_bytes,
                       const TooLong& too_long) {
    const int limit = min(shared_capacity, capacity);
    if (segments == 0) return;
    std::uint32_t first = 0;
    std::uint64_t base = bounds[0], here = bounds[min(threadIdx.x, segments)],
                  end = bounds[min(threadIdx.x + 1, segments)];
    while (true) {
      const int thread = worked_out_anew(threadIdx.x), lane = thread % warp_size, warp = thread / warp_size;
      Element *elements = reinterpret_cast<Element*>(bytes), *other = reinterpret_cast<Element*>(bytes + copy_bytes);
      const std::uint64_t length = end > here ? end - here : 0;
      const std::uint32_t needed =
          length > limit ? Threads + 1 : (static_cast<std::uint32_t>(length) + items - 1) / items;
      std::uint32_t up_to = warp_inclusive_scan(needed, lane, [](std::uint32_t a, std::uint32_t b) { return a + b; });
      if (lane == warp_size - 1) warp_threads[warp] = up_to;
      __syncthreads();  // every warp's sum is there
      for (int w = 0; w < warp; ++w) up_to += warp_threads[w];
      const bool fits = first + thread < segments && up_to <= Threads && end - base <= shared_capacity;
      const int taken = __syncthreads_count(fits);  // the first of them, since sums and ends only grow
      if (taken == 0) {
        first += too_long(first);
        if (first >= segments) return;
        base = bounds[first];
        here = bounds[min(first + thread, segments)];
        end = bounds[min(first + thread + 1, segments)];
        continue;
      }
      if (fits) {
        first_thread[thread] = static_cast<std::uint16_t>(up_to - needed);
        begin[thread] = static_cast<std::uint16_t>(here - base);
      }
      if (thread == taken - 1) {
        first_thread[taken] = static_cast<std::uint16_t>(up_to);
        begin[taken] = static_cast<std::uint16_t>(end - base);
      }
      const std::uint32_t longest_here = warp_max(fits ? static_cast<std::uint32_t>(length) : 0u);
      if (lane == 0) warp_longest[warp] = longest_here;
      first += taken;
      const int count = static_cast<int>(bounds[first] - base);
      // Loads the next segments' bounds and keys while these are sorted.
      here = bounds[min(first + thread, segments)];
      end = bounds[min(first + thread + 1, segments)];
      with_keys_of<Element>(memory.key_bytes, [&]<class Key>() {
        const Key* keys = static_cast<const Key*>(memory.keys) + base;
#pragma unroll 1
        for (int p = thread; p < count; p += at_once * Threads) {
          Key key[at_once];
#pragma unroll
          for (int k = 0; k < at_once; ++k) key[k] = keys[min(p + k * Threads, count - 1)];  // no branch: all at once
#pragma unroll
          for (int k = 0; k < at_once; ++k)
            if (p + k * Threads < count)
              elements[p + k * Threads] =
                  element::make(rule.image(key[k]), static_cast<std::uint32_t>(p + k * Threads));
        }
      });
      if (first < segments) {
        const std::uint64_t next = base + count, more = min(static_cast<std::uint64_t>(count), memory.n - next);
        bring_to_l2(memory.keys, next, more, memory.key_bytes);
        if (memory.value_bytes != 0 && memory.values) bring_to_l2(memory.values, next, more, memory.value_bytes);
      }
      __syncthreads();  // elements and segments are there

      std::uint32_t longest = 0;
#pragma unroll 8
      for (int w = 0; w < warps; ++w) longest = max(longest, warp_longest[w]);
      part mine{0, 0, 0, 0};
      if (thread < first_thread[taken]) {
        int low = 0, high = taken;  // the last segment that begins at this thread or before it; it is not empty
        if (longest <= items && first_thread[taken] == taken) low = thread, high = low + 1;  // a thread each
        while (high - low > 1) {
          const int middle = (low + high) / 2;
          if (first_thread[middle] <= thread) {
            low = middle;
          } else {
            high = middle;
          }
        }
        mine.base = begin[low];
        mine.length = begin[low + 1] - mine.base;
        mine.first = thread - first_thread[low];
        mine.count = min(items, mine.length - mine.first * items);
      }
      const auto most = warp_max(static_cast<std::uint32_t>(mine.count));
      if (most > 1) {
        Element x[items];
        Element* own = elements + mine.base + mine.first * items;
#pragma unroll
        for (int k = 0; k < items; ++k) x[k] = k < mine.count ? own[k] : element::largest();
        if (most <= 4) {
          sort_by_network<4>(x);
        } else if (most <= 8) {
          sort_by_network<(items > 8 ? 8 : items)>(x);
        } else if (items > 12 && most <= 12) {
          sort_by_network<(items > 12 ? 12 : items)>(x);
        } else if (items > 21 && most <= 17) {
          sort_by_network<(items > 21 ? 17 : items)>(x);
        } else {
          sort_by_network<items>(x);
        }
#pragma unroll
        for (int k = 0; k < items; ++k)
          if (k < mine.count) own[k] = x[k];
      }
      __syncthreads();  // the runs are sorted
      for (int run = 1; run * items < longest; run *= 2) {
        merge_runs(elements, other, mine, run);
        Element* const merged = other;
        other = elements;
        elements = merged;
        __syncthreads();  // the runs are merged
      }

      with_keys_of<Element>(memory.key_bytes, [&]<class Key>() {
        Key* const out = static_cast<Key*>(memory.keys_out) + base;
        if (!has_place<Element, Key> || rule.reversible) {
#pragma unroll 4
          for (int p = thread; p < count; p += Threads) out[p] = rule.key_of(element::template image<Key>(elements[p]));
        } else if constexpr (has_place<Element, Key>) {
          move(static_cast<const Key*>(memory.keys) + base, out, elements, count, other);
        }
      });
      const auto move_values = [&]<class T>(T) {
        T* const to = static_cast<T*>(memory.values_out) + base;
        if (memory.values) return move(static_cast<const T*>(memory.values) + base, to, elements, count, other);
#pragma unroll 4
        for (int p = thread; p < count; p += Threads) to[p] = static_cast<T>(base + element::place(elements[p]));
      };
      if (memory.value_bytes == 4) move_values(std::uint32_t{});
      if (memory.value_bytes == 8) move_values(std::uint64_t{});
      if (first == segments) return;
      base += count;
      __syncthreads();  // shared memory is free for the next
    }
  }
};

}  // namespace upsweep::cuda
