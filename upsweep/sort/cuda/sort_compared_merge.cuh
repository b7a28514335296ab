// Merges two sorted sequences, anywhere in memory, by a comparison: one launch, preceded by one that partitions very
// long inputs. Each block writes a tile of the merged order.
//
// Two warps of the block find the tile's begin and end in both inputs, 32 elements at a time each, starting near the
// position that an even spread of both would give. The elements between are copied into shared memory 16 bytes at a
// time, at their offsets in global memory modulo 16. Threads find their own parts by bisection and merge them in
// registers, and the tile is written in the same way as it was read. Elements beyond eight bytes stay where they were
// loaded, and their cells' numbers move.
//
// This code does not trust the comparison: searches end between their bounds, and a tile takes no more of a run than
// it has.
#pragma once

#include "upsweep/sort/cuda/sort_compared_runs.cuh"

namespace upsweep::cuda {

// Values only where V is not empty.
template <class K, class V>
struct two_runs {
  const K *a = nullptr, *b = nullptr;
  std::uint64_t n = 0, m = 0;
  const V *a_values = nullptr, *b_values = nullptr;
};

// The composition of the first elements of the merged order: the number from a, and from b.
struct two_counts {
  std::uint64_t a, b;
};

// The beginnings in a of all stretches of the merged order, for inputs so long that a block's own search would be
// slow.
struct two_cuts {
  std::uint64_t stretch = 0;  // elements, a multiple of a tile; 0: there are none
  const std::uint64_t* of_a = nullptr;
};

// How many of the first `rank` come from a; all of `from` are among them and none beyond `to`. Called by a whole
// warp.
template <class K, class V, class Compare>
__device__ std::uint64_t cut_two_runs(const two_runs<K, V>& both, std::uint64_t rank, two_counts from, two_counts to,
                                      const Compare& compare) {
  constexpr unsigned all = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x % 32);
  std::uint64_t low = rank > to.b && rank - to.b > from.a ? rank - to.b : from.a;
  std::uint64_t high = rank - from.b < to.a ? rank - from.b : to.a;
  bool guessing = low < high && high - low > 2048;
  while (low < high) {
    const std::uint64_t left = high - low;
    std::uint64_t at;
    if (guessing) {
      // Most are near the straight line between both ends, so the search starts there.
      const std::uint64_t a = to.a - from.a, b = to.b - from.b;
      const float share = static_cast<float>(a) / static_cast<float>(a + b);
      std::uint64_t guess = from.a + static_cast<std::uint64_t>(static_cast<float>(rank - from.a - from.b) * share);
      guess = guess < low ? low : guess < high ? guess : high - 1;
      const std::uint64_t away = std::uint64_t{32} << (lane < 16 ? 15 - lane : lane - 16);
      at = lane < 16 ? (guess - low > away ? guess - away : low) : high - 1 - guess > away ? guess + away : high - 1;
      guessing = false;
    } else if (left <= 32) {
      at = low + (lane < static_cast<int>(left) ? lane : static_cast<int>(left) - 1);
    } else {
      at = low + left / 33 * (lane + 1) + left % 33 * (lane + 1) / 33;
    }
    const bool before = !compare(both.b[rank - at - 1], both.a[at]);
    const unsigned others = ~__ballot_sync(all, before);
    const int lanes = others == 0 ? 32 : __ffs(static_cast<int>(others)) - 1;  // before the first that is not
    if (lanes < 32) high = __shfl_sync(all, at, lanes);
    if (lanes > 0) low = __shfl_sync(all, at, lanes - 1) + 1;
  }
  // An inconsistent comparison: limits the result to the elements that exist.
  const std::uint64_t least = rank > both.m ? rank - both.m : 0, most = rank < both.n ? rank : both.n;
  return low < least ? least : low > most ? most : low;
}

// of_a[i]: how many elements of a precede stretch i.
template <class K, class V, class Compare>
__global__ void __launch_bounds__(256) cut_stretches(two_runs<K, V> both, std::uint64_t stretch, std::uint64_t cuts,
                                                     std::uint64_t* of_a, Compare compare) {
  after_the_launch_before();
  const std::uint64_t which = std::uint64_t{blockIdx.x} * 8 + threadIdx.x / 32, all = both.n + both.m;
  if (which >= cuts) return;
  const std::uint64_t rank = which * stretch < all ? which * stretch : all;
  const std::uint64_t cut = cut_two_runs(both, rank, {0, 0}, {both.n, both.m}, compare);
  if (threadIdx.x % 32 == 0) of_a[which] = cut;
}

// Cells [a, a_end) and [b, b_end) of shared memory, each sorted.
template <class K>
struct two_runs_of_cells {
  static constexpr int size = sizeof(K);
  int a, a_end, b, b_end;  // in bytes, so that an address needs no multiplication

  __device__ two_runs_of_cells(int a_begin, int n, int b_begin, int m)
      : a(a_begin * size), a_end((a_begin + n) * size), b(b_begin * size), b_end((b_begin + m) * size) {}

  static __device__ const K& cell(int at) { return *reinterpret_cast<const K*>(compared_shared + at); }

  // How many of the first k of both, merged, come from a.
  template <class Compare>
  __device__ int among_first(int k, const Compare& compare) const {
    const int n = (a_end - a) / size, m = (b_end - b) / size;
    int low = k > m ? k - m : 0, high = k < n ? k : n;
    while (low < high) {
      const int i = (low + high) >> 1;
      if (compare(cell(b + (k - i - 1) * size), cell(a + i * size))) {
        high = i;
      } else {
        low = i + 1;
      }
    }
    return low;
  }

  // Outputs [first, first + Items), and the position each came from. If both runs have that many left for all of a
  // warp's threads, the loop does not check whether a run is exhausted; cells past the end are read, and not used.
  template <bool Moves, int Items, class Compare>
  __device__ void merge(int first, K (&out)[Items], int (&at)[Items], const Compare& compare) const {
    // Copies of the compared elements are kept in registers; the compiler keeps only the parts that the comparison
    // reads.
    constexpr bool keeps_copies = sizeof(K) <= 32;
    const int i = among_first(first, compare);
    int p = a + i * size, q = b + (first - i) * size;
    registers<K, keeps_copies ? 1 : 0> head, other;
    if constexpr (keeps_copies) head.x[0] = cell(p), other.x[0] = cell(q);
    const auto step = [&](int k, bool from_b) {
      const int from = from_b ? q : p;
      at[k] = from;
      if constexpr (Moves) out[k] = from_b ? other.x[0] : head.x[0];
      add_to_one(q, p, from_b, size);
      if constexpr (keeps_copies) {
        const K& after = cell(from + size);
        if (from_b) {
          other.x[0] = after;
        } else {
          head.x[0] = after;
        }
      }
    };
    const auto b_comes_first = [&] {
      if constexpr (keeps_copies) {
        return static_cast<bool>(compare(other.x[0], head.x[0]));
      } else {
        return static_cast<bool>(compare(cell(q), cell(p)));
      }
    };
    const bool both_last = p + Items * size <= a_end && q + Items * size <= b_end;
    if (__all_sync(__activemask(), both_last)) {
#pragma unroll
      for (int k = 0; k < Items; ++k) step(k, b_comes_first());
    } else {
#pragma unroll
      for (int k = 0; k < Items; ++k) step(k, q < b_end && (p >= a_end || b_comes_first()));
    }
  }
};

// A tile of blockDim.x * Items elements of the merged order.
template <int Items, class K, class V, class Compare>
__global__ void __launch_bounds__(most_compared_threads<K, Items>)
    merge_two_runs(two_runs<K, V> both, keys_and_values<K, V> out, two_cuts cuts, Compare compare) {
  constexpr bool with_values = !std::is_empty_v<V>;
  constexpr two_cells layout{sizeof(K), with_values ? sizeof(V) : 0};
  __shared__ std::uint64_t ends[2];
  after_the_launch_before();
  const int t = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x), tile = threads * Items;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * tile, all = both.n + both.m;
  const int count = static_cast<int>(all - first < tile ? all - first : tile);
  for (int end = t / 32; end < 2; end += threads / 32) {
    two_counts from{0, 0}, to{both.n, both.m};
    if (cuts.stretch != 0) {
      const std::uint64_t which = first / cuts.stretch, begins = which * cuts.stretch;
      from.a = cuts.of_a[which], from.b = begins - from.a;
      if (all - begins > cuts.stretch) to.a = cuts.of_a[which + 1], to.b = begins + cuts.stretch - to.a;
    }
    const std::uint64_t cut = cut_two_runs(both, first + (end == 0 ? 0 : count), from, to, compare);
    if (t % 32 == 0) ends[end] = cut;
  }
  __syncthreads();  // both ends are known to all
  const std::uint64_t a_first = ends[0], b_first = first - a_first, a_left = both.n - a_first;
  int n = 0;
  if (ends[1] >= a_first && ends[1] - a_first <= static_cast<std::uint64_t>(count) &&
      count - (ends[1] - a_first) <= both.m - b_first) {
    n = static_cast<int>(ends[1] - a_first);
  } else {
    // An inconsistent comparison: takes the requested count from the elements that remain.
    n = a_left < static_cast<std::uint64_t>(count) ? static_cast<int>(a_left) : count;
  }
  const int m = count - n;

  // Cells of keys, cells of values, numbers of cells.
  unsigned char* const shared = compared_shared;
  K* const keys = reinterpret_cast<K*>(shared);
  const int a = behind_16_bytes(both.a + a_first);
  const auto behind = [](int end, int further, int together) {
    return (end + together - 1) / together * together + further;
  };
  const int b = behind(a + n, behind_16_bytes(both.b + b_first), of_16_bytes<K>);
  copy_run(keys + a, both.a + a_first, n);
  copy_run(keys + b, both.b + b_first, m);
  V* const values = reinterpret_cast<V*>(shared + layout.values_at(threads, Items));
  auto* const places = reinterpret_cast<std::uint16_t*>(shared + layout.places_at(threads, Items));
  int a_values = 0, b_values = 0;
  if constexpr (with_values) {
    a_values = behind_16_bytes(both.a_values + a_first);
    b_values = behind(a_values + n, behind_16_bytes(both.b_values + b_first), of_16_bytes<V>);
    copy_run(values + a_values, both.a_values + a_first, n);
    copy_run(values + b_values, both.b_values + b_first, m);
  }
  wait_for_own_words();
  __syncthreads();  // the tile's input is there

  registers<K, Items> merged;
  int at[Items];
  const int mine = t * Items;
  const two_runs_of_cells<K> runs(a, n, b, m);
  if (mine < count) runs.template merge<!layout.by_place()>(mine, merged.x, at, compare);
  if constexpr (layout.with_places()) {
    if (mine < count) {
#pragma unroll
      for (int k = 0; k < Items; ++k) {
        const int cell = at[k] / static_cast<int>(sizeof(K));
        places[mine + k] = static_cast<std::uint16_t>(layout.by_place() ? cell
                                                      : cell < b        ? cell - a + a_values
                                                                        : cell - b + b_values);
      }
    }
  }
  __syncthreads();  // all reads of the cells written next are done, and the positions are written
  if constexpr (!layout.by_place()) {
    K* const sorted = keys + behind_16_bytes(out.keys + first);
    if (mine < count) {
#pragma unroll
      for (int k = 0; k < Items; ++k) sorted[mine + k] = merged.x[k];
    }
    __syncthreads();  // the tile is sorted
    copy_run_out(out.keys + first, sorted, count);
  } else {
    using word = word_for<alignof(K)>;
    constexpr int of_a_key = sizeof(K) / sizeof(word);
    const auto* const from = reinterpret_cast<const word*>(keys);
    auto* const to = reinterpret_cast<word*>(out.keys + first);
#pragma unroll 4
    for (int i = t; i < count * of_a_key; i += threads) {
      const int key = i / of_a_key;
      to[i] = from[places[key] * of_a_key + (i - key * of_a_key)];
    }
  }
  if constexpr (with_values) {
#pragma unroll 4
    for (int i = t; i < count; i += threads) {
      int place = places[i];
      if constexpr (layout.by_place()) place = place < b ? place - a + a_values : place - b + b_values;
      out.values[first + i] = values[place];
    }
  }
}

}  // namespace upsweep::cuda
