// A tile of elements that a block of threads sorts or merges in shared memory by a user-defined comparison.
//
// Small elements move. Larger ones stay where they were loaded, and their indices move, numbers of two bytes. If
// values follow, indices move with the keys and locate each value at the end. Each thread has Items consecutive
// outputs, an odd number, so that the threads of a warp have no bank conflict when they write them.
//
// This code does not trust the comparison: every search ends between its bounds, and an index is always within the
// tile.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/sort/cuda/sort_compared_tuning.hpp"

namespace upsweep::cuda {

struct no_values {};

// The widest word that divides elements of K at every alignment of theirs.
template <std::size_t Alignment>
using word_for = std::conditional_t<
    Alignment >= 16, uint4,
    std::conditional_t<Alignment == 8, std::uint64_t,
                       std::conditional_t<Alignment == 4, std::uint32_t,
                                          std::conditional_t<Alignment == 2, std::uint16_t, std::uint8_t>>>>;

// Elements in registers before the first assignment: no constructor runs.
template <class K, int Items>
union registers {
  K x[Items > 0 ? Items : 1];
  __device__ registers() {}
};

template <class K, class V>
UPSWEEP_HD constexpr compared_cells cells_of() {
  return {sizeof(K), std::is_empty_v<V> ? 0 : sizeof(V)};
}

template <class K, class V, int Items>
struct compared_layout {
  static constexpr bool with_values = !std::is_empty_v<V>;
  static constexpr bool by_place = cells_of<K, V>().by_place(Items), with_places = cells_of<K, V>().with_places(Items);
  // Copies of the compared elements are kept in registers; the compiler keeps only the parts that the comparison
  // reads.
  static constexpr bool keeps_copies = sizeof(K) <= 32;
};

extern __shared__ __align__(128) unsigned char compared_shared[];

// x += size if `first`, otherwise y += size: two instructions, of which a thread executes one.
static __device__ __forceinline__ void add_to_one(int& x, int& y, bool first, int size) {
  asm("{.reg .pred p; setp.ne.s32 p, %2, 0; @p add.s32 %0, %0, %3; @!p add.s32 %1, %1, %3;}"
      : "+r"(x), "+r"(y)
      : "r"(static_cast<int>(first)), "r"(size));
}

template <class K, class V, int Items>
struct compared_tile {
  using layout = compared_layout<K, V, Items>;
  K* keys;
  std::uint16_t* places;

  __device__ explicit compared_tile(unsigned char* shared)
      : keys(reinterpret_cast<K*>(shared)),
        places(reinterpret_cast<std::uint16_t*>(shared +
                                                cells_of<K, V>().places_at(static_cast<int>(blockDim.x), Items))) {}

  __device__ const K& operator[](int i) const {
    if constexpr (layout::by_place) {
      return keys[places[i]];
    } else {
      return keys[i];
    }
  }

  // Initialises every cell's index to one within the tile, whether the cell has an element or not.
  __device__ void number_places() const {
    if constexpr (layout::with_places) {
      const int threads = static_cast<int>(blockDim.x);
      const int cells = static_cast<int>(cells_of<K, V>().count(threads, Items));
      for (int i = static_cast<int>(threadIdx.x); i < cells; i += threads)
        places[i] = static_cast<std::uint16_t>(i < threads * Items ? i : 0);
    }
  }

  // How many of the first k of the merged cells [a, a + n) and [b, b + m) come from the former.
  template <class Compare>
  __device__ int on_merge_path(int a, int n, int b, int m, int k, const Compare& compare) const {
    int low = k > m ? k - m : 0, high = k < n ? k : n;
    while (low < high) {
      const int i = (low + high) >> 1;
      if (compare((*this)[b + k - i - 1], (*this)[a + i])) {
        high = i;
      } else {
        low = i + 1;
      }
    }
    return low;
  }

  // Outputs [first, first + Items) of the merged order of two runs, into registers. If keys move, and both runs have
  // that many left for all of a warp's threads, as everywhere but at the ends of wide runs, the loop does not check
  // whether a run is exhausted. `Within`: other warps may be writing behind the second run's end, so that memory is
  // not read at all.
  template <bool Within, class Compare>
  __device__ void merge(int a, int n, int b, int m, int first, K (&out)[Items], int (&at)[Items],
                        const Compare& compare) const {
    int i = on_merge_path(a, n, b, m, first, compare), j = b + first - i;
    i += a;
    const int i_end = a + n, j_end = b + m;
    if constexpr (!layout::by_place) {
      // Byte offsets, so that an address needs no multiplication.
      constexpr int size = sizeof(K);
      const auto cell = [](int place) -> const K& { return *reinterpret_cast<const K*>(compared_shared + place); };
      int p = i * size, q = j * size;
      const int p_end = i_end * size, q_end = j_end * size;
      K head = cell(p), other = cell(Within && q == q_end ? q - size : q);
      const auto step = [&](int k, bool from_b) {
        out[k] = from_b ? other : head;
        const int from = from_b ? q : p;
        if constexpr (layout::with_places) at[k] = from;
        const K after = cell(Within ? (min)(from + size, q_end - size) : from + size);
        add_to_one(q, p, from_b, size);
        if (from_b) {
          other = after;
        } else {
          head = after;
        }
      };
      const bool guarded = Within || !__all_sync(__activemask(), i + Items <= i_end && j + Items <= j_end);
      if (guarded) {
#pragma unroll
        for (int k = 0; k < Items; ++k) step(k, q < q_end && (p >= p_end || compare(other, head)));
      } else {
#pragma unroll
        for (int k = 0; k < Items; ++k) step(k, compare(other, head));
      }
      if constexpr (layout::with_places) {
#pragma unroll
        for (int k = 0; k < Items; ++k) at[k] = places[at[k] / size];
      }
    } else {
      int place = places[i], other_place = places[Within && j == j_end ? j - 1 : j];
      registers<K, layout::keeps_copies ? 1 : 0> head, other;
      if constexpr (layout::keeps_copies) head.x[0] = keys[place], other.x[0] = keys[other_place];
      const auto step = [&](int k, bool from_b) {
        at[k] = from_b ? other_place : place;
        const int from = from_b ? j : i;
        const int after = places[Within ? (min)(from + 1, j_end - 1) : from + 1];
        add_to_one(j, i, from_b, 1);
        if (from_b) {
          other_place = after;
          if constexpr (layout::keeps_copies) other.x[0] = keys[after];
        } else {
          place = after;
          if constexpr (layout::keeps_copies) head.x[0] = keys[after];
        }
      };
      const auto comes_first = [&] {
        if constexpr (layout::keeps_copies) {
          return static_cast<bool>(compare(other.x[0], head.x[0]));
        } else {
          return static_cast<bool>(compare(keys[other_place], keys[place]));
        }
      };
#pragma unroll
      for (int k = 0; k < Items; ++k) step(k, j < j_end && (i >= i_end || comes_first()));
    }
  }

  // Writes this thread's outputs into cells [to, to + Items).
  __device__ void put(int to, const K (&out)[Items], const int (&at)[Items]) const {
#pragma unroll
    for (int k = 0; k < Items; ++k) {
      if constexpr (!layout::by_place) keys[to + k] = out[k];
      if constexpr (layout::with_places) places[to + k] = static_cast<std::uint16_t>(at[k]);
    }
  }

  // Sorts this thread's first `count` > 0 items by exchanges of neighbours, which is stable.
  template <class Compare>
  __device__ void sort_items(int mine, int count, K (&out)[Items], int (&at)[Items], const Compare& compare) const {
#pragma unroll
    for (int k = 0; k < Items; ++k) at[k] = mine + k;
    if constexpr (!layout::by_place || layout::keeps_copies) {
#pragma unroll
      for (int k = 0; k < Items; ++k) out[k] = keys[mine + (k < count ? k : 0)];
      if (count < Items) {
        // The cells after the last key are filled with copies of the largest, which stay there.
        int largest = 0;
        K most = out[0];
#pragma unroll
        for (int k = 1; k < Items; ++k) {
          if (k < count) {
            if (!compare(out[k], most)) most = out[k], largest = k;
          } else {
            out[k] = most, at[k] = mine + largest;
          }
        }
      }
      for (int round = 0; round < Items; round += 2) {
#pragma unroll
        for (int odd = 0; odd < 2; ++odd)
#pragma unroll
          for (int k = odd; k + 1 < Items; k += 2)
            if (compare(out[k + 1], out[k])) {
              const K key = out[k];
              out[k] = out[k + 1], out[k + 1] = key;
              const int place = at[k];
              at[k] = at[k + 1], at[k + 1] = place;
            }
      }
    } else {
      for (int round = 0; round < Items; round += 2) {
#pragma unroll
        for (int odd = 0; odd < 2; ++odd)
#pragma unroll
          for (int k = odd; k + 1 < Items; k += 2)
            if (k + 1 < count && compare(keys[at[k + 1]], keys[at[k]])) {
              const int place = at[k];
              at[k] = at[k + 1], at[k + 1] = place;
            }
      }
    }
  }
};

}  // namespace upsweep::cuda
