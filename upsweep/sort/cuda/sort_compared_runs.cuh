// The kernels of the merge sort: sort tiles, and then merge four sorted runs at a time. For few elements they merge
// all runs of a group by ranking each element in the others.
#pragma once

#include "upsweep/sort/cuda/sort_compared_tile.cuh"

namespace upsweep::cuda {

// Limits a block's threads, so that a thread's items stay in registers.
template <class K, int Items>
inline constexpr int most_compared_threads =
    Items * (compared_cells{sizeof(K), 0}.by_place(Items) ? 1 : (sizeof(K) + 3) / 4) > 20 ? 512 : 1024;

// Keys, with their values if there are any.
template <class K, class V>
struct keys_and_values {
  K* keys = nullptr;
  V* values = nullptr;

  __device__ keys_and_values operator+(std::uint64_t i) const {
    return {keys + i, std::is_empty_v<V> ? nullptr : values + i};
  }
};

// Allows the next launch to be prepared, and waits until the previous launch has completed: on Hopper and later, and
// if the launch requested it.
static __device__ __forceinline__ void after_the_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Starts copying a word into shared memory; on GPUs with asynchronous copies it arrives by wait_for_own_words.
template <class Word>
__device__ void copy_word(Word* to, const Word* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (sizeof(Word) >= 4) {
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
        "l"(from), "n"(sizeof(Word))
        : "memory");
    return;
  }
#endif
  *to = *from;
}

// Starts copying words, one or several of which form an element, into shared memory: all at once on GPUs with
// asynchronous copies, until wait_for_own_words, and eight at a time on others.
template <class Word>
__device__ void copy_words(Word* to, const Word* from, std::uint32_t words) {
  const std::uint32_t threads = blockDim.x;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (sizeof(Word) >= 4) {
    auto into = static_cast<std::uint32_t>(__cvta_generic_to_shared(to + threadIdx.x));
    from += threadIdx.x;
#pragma unroll 4
    for (std::uint32_t i = threadIdx.x; i < words; i += threads, into += threads * sizeof(Word), from += threads)
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(into), "l"(from), "n"(sizeof(Word)) : "memory");
    return;
  }
#endif
  constexpr int together = sizeof(Word) <= 8 ? 8 : 4;
  for (std::uint32_t i = threadIdx.x; i < words; i += together * threads) {
    Word some[together];
#pragma unroll
    for (int k = 0; k < together; ++k)
      if (i + k * threads < words) some[k] = from[i + k * threads];
#pragma unroll
    for (int k = 0; k < together; ++k)
      if (i + k * threads < words) to[i + k * threads] = some[k];
  }
}

// Elements that can be copied 16 bytes at a time from any element's address.
template <class T>
inline constexpr bool goes_wide = two_cells::wide(sizeof(T)) && alignof(T) == sizeof(T);
template <class T>
inline constexpr int of_16_bytes = goes_wide<T> ? static_cast<int>(16 / sizeof(T)) : 1;
// The number of elements between p and the multiple of 16 bytes before it.
template <class T>
__device__ int behind_16_bytes(const T* p) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) / sizeof(T) % of_16_bytes<T>);
}

// Copies into shared memory, where `to` has the same offset modulo 16 bytes as `from`. Called by the whole block; the
// copy is complete after wait_for_own_words and a barrier.
template <class T>
__device__ void copy_run(T* to, const T* from, int count) {
  if constexpr (goes_wide<T>) {
    constexpr int together = of_16_bytes<T>;
    const int ahead = (together - behind_16_bytes(from)) % together, head = ahead < count ? ahead : count,
              vectors = (count - head) / together, tail = head + vectors * together;
    copy_words(reinterpret_cast<uint4*>(to + head), reinterpret_cast<const uint4*>(from + head),
               static_cast<std::uint32_t>(vectors));
    if constexpr (together > 1) {
      const int t = static_cast<int>(threadIdx.x);
      if (t < head) copy_word(to + t, from + t);
      if (t < count - tail) copy_word(to + tail + t, from + tail + t);
    }
  } else {
    using word = word_for<alignof(T)>;
    copy_words(reinterpret_cast<word*>(to), reinterpret_cast<const word*>(from),
               static_cast<std::uint32_t>(count * (sizeof(T) / sizeof(word))));
  }
}

// Copies out of shared memory: `from` has the same offset modulo 16 bytes as `to`.
template <class T>
__device__ void copy_run_out(T* to, const T* from, int count) {
  constexpr int together = of_16_bytes<T>;
  const int t = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  if constexpr (together > 1) {
    const int ahead = (together - behind_16_bytes(to)) % together, head = ahead < count ? ahead : count,
              vectors = (count - head) / together, tail = head + vectors * together;
    const auto* const wide_from = reinterpret_cast<const uint4*>(from + head);
    auto* const wide_to = reinterpret_cast<uint4*>(to + head);
#pragma unroll 4
    for (int i = t; i < vectors; i += threads) wide_to[i] = wide_from[i];
    if (t < head) to[t] = from[t];
    if (t >= 16 && t - 16 < count - tail) to[tail + t - 16] = from[tail + t - 16];
  } else {
    for (int i = t; i < count; i += threads) to[i] = from[i];
  }
}

static __device__ __forceinline__ void wait_for_own_words() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Writes the sorted tile: keys, then values; `value(i)` returns that of position i of the tile as it was loaded.
template <class K, class V, int Items, class Value>
__device__ void put_out(const compared_tile<K, V, Items>& tile, int count, keys_and_values<K, V> out,
                        keys_and_values<K, V> also, const Value& value) {
  using layout = compared_layout<K, V, Items>;
  using word = word_for<alignof(K)>;
  constexpr int of_a_key = sizeof(K) / sizeof(word);
  const int threads = static_cast<int>(blockDim.x), t = static_cast<int>(threadIdx.x);
  const auto* const from = reinterpret_cast<const word*>(tile.keys);
  auto* const to = reinterpret_cast<word*>(out.keys);
  auto* const to_also = reinterpret_cast<word*>(also.keys);
  for (int i = t; i < count * of_a_key; i += threads) {
    word w;
    if constexpr (layout::by_place) {
      const int key = i / of_a_key;
      w = from[tile.places[key] * of_a_key + (i - key * of_a_key)];
    } else {
      w = from[i];
    }
    to[i] = w;
    if (to_also != nullptr) to_also[i] = w;
  }
  if constexpr (layout::with_values) {
    __syncthreads();  // the keys are written; their cells are reused for values
    V* const aside = reinterpret_cast<V*>(tile.keys);
    for (int i = t; i < count; i += threads) aside[i] = value(i);
    __syncthreads();  // all values are loaded; none is read again from a cell that will be written
    for (int i = t; i < count; i += threads) {
      const V v = aside[tile.places[i]];
      out.values[i] = v;
      if (also.values != nullptr) also.values[i] = v;
    }
  }
}

// Writes tiles of blockDim.x * Items elements, each sorted, to `out` and, if given, to `also`; either may be `in`.
// Without input values, indices are written.
template <int Items, class K, class V, class Compare>
__global__ void __launch_bounds__(most_compared_threads<K, Items>)
    sort_tiles(keys_and_values<const K, const V> in, keys_and_values<K, V> out, keys_and_values<K, V> also,
               std::uint64_t n, Compare compare) {
  using layout = compared_layout<K, V, Items>;
  using word = word_for<alignof(K)>;
  after_the_launch_before();
  const compared_tile<K, V, Items> tile(compared_shared);
  const int t = static_cast<int>(threadIdx.x), whole = static_cast<int>(blockDim.x) * Items;
  const std::uint64_t start = std::uint64_t{blockIdx.x} * whole;
  const int size = static_cast<int>(n - start < whole ? n - start : whole);
  copy_words(reinterpret_cast<word*>(tile.keys), reinterpret_cast<const word*>(in.keys + start),
             static_cast<std::uint32_t>(size * (sizeof(K) / sizeof(word))));
  wait_for_own_words();
  tile.number_places();
  __syncthreads();  // each thread now reads what others loaded

  const int mine = t * Items, count = size - mine < 0 ? 0 : size - mine < Items ? size - mine : Items;
  registers<K, Items> keys;
  int at[Items] = {};
  if (count > 0) tile.sort_items(mine, count, keys.x, at, compare);
  if (count > 0) tile.put(mine, keys.x, at);
  for (int width = 1; width * Items < size; width *= 2) {
    const bool alone = width < 32;           // both runs are this warp's own
    alone ? __syncwarp() : __syncthreads();  // the runs to be merged are whole
    const int pair = (t & ~(2 * width - 1)) * Items, run = width * Items;
    const int a = (min)(run, (max)(0, size - pair)), b = (min)(run, (max)(0, size - pair - a));
    if (count > 0) {
      if (alone) {
        tile.template merge<true>(pair, a, pair + a, b, mine - pair, keys.x, at, compare);
      } else {
        tile.template merge<false>(pair, a, pair + a, b, mine - pair, keys.x, at, compare);
      }
    }
    alone ? __syncwarp() : __syncthreads();  // all reads of the cells written next are done
    if (count > 0) tile.put(mine, keys.x, at);
  }
  __syncthreads();  // the tile is sorted
  put_out(tile, size, out + start, also.keys == nullptr ? also : also + start, [&](int i) {
    if constexpr (layout::with_values) {
      if constexpr (std::is_integral_v<V>)
        if (in.values == nullptr) return static_cast<V>(start + i);
      return in.values[start + i];
    } else {
      return V{};
    }
  });
}

// Runs to merge: of `width` elements each, one after the other; the last may be short or absent.
template <class K>
struct runs_in_a_row {
  static constexpr int ways = most_runs;
  const K* keys = nullptr;
  std::uint64_t width = 0, total = 0;

  __device__ std::uint64_t elements() const { return total; }
  __device__ const K* begin(int run) const { return keys + width * run; }
  // The run's part of values that have the same layout as the keys.
  template <class V>
  __device__ const V* values(const V* all, int run) const {
    return all + width * run;
  }
  __device__ std::uint64_t length(int run) const {
    const std::uint64_t before = width * run;
    return total <= before ? 0 : total - before < width ? total - before : width;
  }
};

// All runs of a pass, in groups of `of_a_group` that are merged into one.
template <class K>
struct grouped_runs {
  const K* keys = nullptr;
  std::uint64_t n = 0, width = 0;
  int of_a_group = most_runs;

  __host__ __device__ std::uint64_t span() const { return of_a_group * width; }
  __host__ __device__ std::uint64_t start(std::uint64_t group) const { return group * span(); }
  __device__ runs_in_a_row<K> group(std::uint64_t group) const {
    const std::uint64_t left = n - start(group);
    return {keys + start(group), width, left < span() ? left : span()};
  }
};

// How many of run lane / 8 are among the first `rank` of the merged order. Called by a whole warp. Each step ranks
// seven evenly spaced elements of each run among the others' seven. This proves of some elements that they are among
// the first, and of some that they are not, in any case of the first or the last ones; it repeats until none is
// undecided. Index is wide enough for all.
template <class Index, class Runs, class Compare>
__device__ Index split_runs(const Runs& runs, Index rank, const Compare& compare) {
  constexpr unsigned all = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x % 32), run = lane / 8, s = lane % 8;
  const Index length = static_cast<Index>(runs.length(run)), others = static_cast<Index>(runs.elements()) - length;
  Index low = rank > others ? rank - others : 0, high = length < rank ? length : rank;
  // Element number `piece` of seven.
  const auto at_piece = [](Index left, int piece) { return left / 8 * piece + left % 8 * piece / 8; };
  for (;;) {
    const Index left = high - low;
    if (__ballot_sync(all, left != 0) == 0) break;
    const Index at = low + at_piece(left, s + 1);
    const bool looks = left != 0 && s < 7;
    const auto* const key = runs.begin(run) + (looks ? at : 0);
    Index least = at, most = at;  // elements before this one
#pragma unroll
    for (int d = 1; d < most_runs; ++d) {
      const int other = (run + d) % most_runs;
      const Index its_low = __shfl_sync(all, low, other * 8), its_left = __shfl_sync(all, high, other * 8) - its_low;
      const auto* const keys = runs.begin(other) + its_low;
      int before = 0;
      if (looks && its_left != 0) {
#pragma unroll
        for (int step = 4; step != 0; step /= 2) {
          const auto* const its = keys + at_piece(its_left, before + step);
          if (other < run ? !compare(*key, *its) : compare(*its, *key)) before += step;
        }
      }
      least += its_low + (before > 0 ? at_piece(its_left, before) + 1 : 0);
      most += its_low + (before < 7 ? at_piece(its_left, before + 1) : its_left);
    }
    Index new_low = looks && most < rank ? at + 1 : low, new_high = looks && least >= rank ? at : high;
#pragma unroll
    for (int step = 4; step != 0; step /= 2) {
      const Index a = __shfl_xor_sync(all, new_low, step), b = __shfl_xor_sync(all, new_high, step);
      new_low = a > new_low ? a : new_low, new_high = b < new_high ? b : new_high;
    }
    if (new_high < new_low) new_high = new_low;  // only by a comparison that contradicts itself
    const bool moved = new_low != low || new_high != high;
    low = new_low, high = new_high;
    if (__ballot_sync(all, moved) == 0) break;
  }
  // Even for an inconsistent comparison: the requested count in total, and no more of a run than it has.
  Index sum = 0, before = 0;
#pragma unroll
  for (int q = 0; q < most_runs; ++q) {
    sum += __shfl_sync(all, low, q * 8);
    before += q < run ? static_cast<Index>(runs.length(q)) : 0;
  }
  if (sum != rank) low = rank < before ? 0 : rank - before < length ? rank - before : length;
  return low;
}

// cuts[4 * (group * (tiles + 1) + i) + q]: how many elements of run q precede tile i.
template <class Index, class Source, class Compare>
__global__ void __launch_bounds__(256)
    split_all_runs(Source source, run_cut cut, std::uint64_t splits, std::uint64_t* cuts, Compare compare) {
  after_the_launch_before();
  const std::uint64_t which = std::uint64_t{blockIdx.x} * 8 + threadIdx.x / 32;
  if (which >= splits) return;
  const std::uint64_t group = which / (cut.tiles + 1), first = which % (cut.tiles + 1) * cut.tile;
  const auto runs = source.group(group);
  const std::uint64_t rank = first < runs.elements() ? first : runs.elements();
  const Index mine = split_runs(runs, static_cast<Index>(rank), compare);
  if (threadIdx.x % 8 == 0) cuts[4 * which + threadIdx.x % 32 / 8] = mine;
}

// A tile of the merged order of a group. Two levels in shared memory: the first and the second run are merged, and so
// are the third and the fourth. The second pair begins with a thread of its own, which is why a tile has one thread's
// items less than would fit. Without `cuts` the block finds its own two; a group then has less than 2^32 elements.
template <int Items, class K, class V, class Source, class Compare>
__global__ void __launch_bounds__(most_compared_threads<K, Items>)
    merge_runs(Source source, const V* values_in, keys_and_values<K, V> out, run_cut cut, const std::uint64_t* cuts,
               Compare compare) {
  using layout = compared_layout<K, V, Items>;
  using word = word_for<alignof(K)>;
  constexpr int of_a_key = sizeof(K) / sizeof(word);
  __shared__ std::uint64_t from[most_runs], to[most_runs];
  after_the_launch_before();
  const int t = static_cast<int>(threadIdx.x);
  const std::uint64_t group = blockIdx.x / cut.tiles, start = source.start(group);
  const std::uint32_t number = blockIdx.x % cut.tiles;
  const std::uint64_t first = std::uint64_t{number} * cut.tile;
  const auto runs = source.group(group);
  if (first >= runs.elements()) return;
  const int count = static_cast<int>(runs.elements() - first < cut.tile ? runs.elements() - first : cut.tile);
  if (cuts != nullptr) {
    if (t < 2 * most_runs)
      (t < most_runs ? from[t] : to[t - most_runs]) = cuts[most_runs * (group * (cut.tiles + 1) + number) + t];
  } else {
    for (int end = t / 32; end < 2; end += static_cast<int>(blockDim.x) / 32) {
      const auto mine = split_runs(runs, static_cast<std::uint32_t>(first + (end == 0 ? 0 : count)), compare);
      if (t % 8 == 0) (end == 0 ? from : to)[t % 32 / 8] = mine;
    }
  }
  const compared_tile<K, V, Items> tile(compared_shared);
  tile.number_places();
  __syncthreads();  // both ends are known to all
  // Cell begin[q] is the first of run q.
  int begin[most_runs + 1] = {0};
  bool fits = true;
#pragma unroll
  for (int q = 0; q < most_runs; ++q) {
    fits = fits && to[q] >= from[q] && to[q] - from[q] <= static_cast<std::uint64_t>(count);
    begin[q + 1] = begin[q] + static_cast<int>(to[q] - from[q]);
  }
  if (!fits || begin[most_runs] != count) {
    // An inconsistent comparison: takes the requested count from the elements that remain.
    int left = count;
#pragma unroll
    for (int q = 0; q < most_runs; ++q) {
      const std::uint64_t there = runs.length(q) - from[q];
      const int taken = there < static_cast<std::uint64_t>(left) ? static_cast<int>(there) : left;
      begin[q + 1] = begin[q] + taken, left -= taken;
    }
  }
#pragma unroll
  for (int q = 0; q < most_runs; ++q)
    copy_words(reinterpret_cast<word*>(tile.keys + begin[q]), reinterpret_cast<const word*>(runs.begin(q) + from[q]),
               static_cast<std::uint32_t>((begin[q + 1] - begin[q]) * of_a_key));
  wait_for_own_words();
  __syncthreads();  // the tile's input is there

  registers<K, Items> keys;
  int at[Items];
  const int mine = t * Items;
  // Two levels, or one if there are only two runs. Outputs from cell `aligned` on are those of the second pair.
  const bool four = begin[2] < count;
  const int half = begin[2], aligned = (half + Items - 1) / Items * Items;
#pragma unroll 1
  for (int level = four ? 0 : 1; level < 2; ++level) {
    const bool later = level == 0 && mine >= aligned;
    int a = 0, b = begin[1], b_begin = begin[1], end = count, output = mine, outputs = count;
    if (later) {
      a = half, b = b_begin = begin[3], output = mine - aligned, outputs = aligned + count - half;
    } else if (level == 0) {
      end = half, outputs = half;
    } else if (four) {
      b = half, b_begin = aligned, end = aligned + count - half;
    }
    const bool has = mine < outputs;
    if (has) tile.template merge<false>(a, b - a, b_begin, end - b_begin, output, keys.x, at, compare);
    __syncthreads();  // all reads of the cells written next are done
    if (has) tile.put(mine, keys.x, at);
    __syncthreads();  // two runs are left, or the tile goes out side by side
  }
  put_out(tile, count, out + (start + first), {}, [&](int i) {
    if constexpr (layout::with_values) {
      const int q = i < begin[2] ? i < begin[1] ? 0 : 1 : i < begin[3] ? 2 : 3;
      const int its_begin = i < begin[2] ? i < begin[1] ? 0 : begin[1] : i < begin[3] ? begin[2] : begin[3];
      return runs.values(values_in + start, q)[from[q] + (i - its_begin)];
    } else {
      return V{};
    }
  });
}

// Stores a word where other threads may store theirs: memory then holds one of them.
template <class Word>
__device__ void store_one_of(Word* to, const Word& word) {
  if constexpr (sizeof(Word) == 16) {
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(word.x), "r"(word.y),
                 "r"(word.z), "r"(word.w)
                 : "memory");
  } else if constexpr (sizeof(Word) == 8) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
  } else if constexpr (sizeof(Word) == 4) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
  } else if constexpr (sizeof(Word) == 2) {
    asm volatile("st.relaxed.gpu.global.u16 [%0], %1;" ::"l"(to), "h"(word) : "memory");
  } else {
    asm volatile("st.relaxed.gpu.global.u8 [%0], %1;" ::"l"(to), "r"(static_cast<std::uint32_t>(word)) : "memory");
  }
}

// Merges groups of runs of `width` where there are few elements. Each thread finds its element's position in
// `Together` other runs of its group at once; with `staged` the whole group is first copied to shared memory. A group
// is a multiple of a block. With an inconsistent comparison several elements may go to one position and none to
// another, which then keeps its previous contents.
template <int Together, class K, class V, class Compare>
__global__ void __launch_bounds__(256)
    rank_runs(keys_and_values<const K, const V> in, keys_and_values<K, V> out, std::uint32_t n, std::uint32_t width,
              std::uint32_t of_a_group, bool staged, Compare compare) {
  using word = word_for<alignof(K)>;
  // The type that is compared: a copy of small elements, so that all loads are in flight at once.
  using seen = std::conditional_t<sizeof(K) <= 16, const K, const K&>;
  after_the_launch_before();
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint32_t span = width * of_a_group, start = i / span * span, run = (i - start) / width;
  const std::uint32_t total = n - start < span ? n - start : span, runs = (total + width - 1) / width;
  // The whole group, at its offset in global memory modulo 16 bytes.
  unsigned char* const shared = compared_shared;
  const int behind = behind_16_bytes(in.keys + start) * static_cast<int>(sizeof(K));
  if (staged) {
    copy_run(reinterpret_cast<K*>(shared + behind), in.keys + start, static_cast<int>(total));
    wait_for_own_words();
    __syncthreads();  // all of the group are there
  }
  if (i >= n) return;
  seen key = in.keys[i];
  std::uint32_t most = 1;
  while (most <= width / 2) most *= 2;
  // `element` returns an element of the group; a separate call for each memory, so that each has loads of its own.
  const auto place_by = [&](const auto& element) {
    std::uint32_t place = i - start - run * width;  // plus the elements of other runs that precede it
    for (std::uint32_t first = 0; first < runs; first += Together) {
      std::uint32_t before[Together] = {}, length[Together];
#pragma unroll
      for (int k = 0; k < Together; ++k) {
        const std::uint32_t q = first + k;
        length[k] = q >= runs || q == run ? 0 : total - q * width < width ? total - q * width : width;
      }
      const auto look = [&](int k, std::uint32_t step, const K& its) {
        const bool comes_before = first + k < run ? !compare(key, its) : compare(its, key);
        if (before[k] + step <= length[k] && comes_before) before[k] += step;
      };
      // Computes an address first, then loads once; without an element to compare, it loads the thread's own.
      const auto at = [&](int k, std::uint32_t step) -> const K& {
        return element(before[k] + step <= length[k] ? (first + k) * width + before[k] + step - 1 : i - start);
      };
      for (std::uint32_t step = most; step != 0; step /= 2) {
        if constexpr (sizeof(K) <= 16) {
          registers<K, Together> its;
#pragma unroll
          for (int k = 0; k < Together; ++k) its.x[k] = at(k, step);
#pragma unroll
          for (int k = 0; k < Together; ++k) look(k, step, its.x[k]);
        } else {
#pragma unroll
          for (int k = 0; k < Together; ++k) look(k, step, at(k, step));
        }
      }
#pragma unroll
      for (int k = 0; k < Together; ++k) place += before[k];
    }
    return place;
  };
  std::uint32_t place;
  if (staged) {
    place = place_by(
        [&](std::uint32_t j) -> const K& { return *reinterpret_cast<const K*>(shared + behind + j * sizeof(K)); });
  } else {
    const K* const keys = in.keys + start;
    place = place_by([&](std::uint32_t j) -> const K& { return keys[j]; });
  }
  const auto* const from = reinterpret_cast<const word*>(in.keys + i);
  auto* const to = reinterpret_cast<word*>(out.keys + (start + place));
#pragma unroll 4
  for (int k = 0; k < static_cast<int>(sizeof(K) / sizeof(word)); ++k) store_one_of(to + k, from[k]);
  if constexpr (!std::is_empty_v<V>) store_one_of(out.values + (start + place), in.values[i]);
}

// *answer, n before, becomes the first i with x[i] before x[i - 1] or, with `itself`, before itself.
template <class K, class Compare>
__global__ void find_break(const K* x, std::uint64_t n, bool itself, unsigned long long* answer, Compare compare) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    if ((i > 0 && compare(x[i], x[i - 1])) || (itself && compare(x[i], x[i]))) {
      atomicMin(answer, static_cast<unsigned long long>(i));
      return;
    }
}

}  // namespace upsweep::cuda
