// Sorting, merging and testing order on CUDA by a comparison of the user's own: a merge sort, stable, n log2 n
// comparisons.
//
// A block sorts a tile in shared memory: each thread its own few elements, then pairs of runs are merged, every thread
// finding its share of the output on the merge path. After that runs in global memory are merged two by two in the same
// way, a tile of output a block. Keys move; values do not, but are fetched once at the end by the index that went with
// each key.
//
// Nothing here trusts the comparison. Whatever it answers, every search ends between its bounds, and a tile's two ends
// are made to fit each other, so that nothing outside is read or written; only the order is then worth nothing.
// UPSWEEP_CHECKED builds and checked contexts throw.
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/sort/cuda/compare.cuh is CUDA; include upsweep/sort.hpp from a .cu file compiled by nvcc"
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "upsweep/core/compiled.hpp"
#include "upsweep/cuda/device.hpp"
#include "upsweep/sort/records.hpp"

namespace upsweep::cuda {

struct no_index {};

// Elements of a tile: what fits into the shared memory that every GPU gives a block.
template <class K, class I>
constexpr int compared_tile() {
  constexpr std::size_t each = sizeof(K) + (std::is_empty_v<I> ? 0 : sizeof(I));
  static_assert(each <= 1280,
                "upsweep: an element to be compared on CUDA has at most 1272 bytes; sort indices of larger ones");
  int tile = 1024;
  while (tile * each > 40960) tile /= 2;
  return tile;
}

template <class K, class I>
struct compared_shape {
  static constexpr int tile = compared_tile<K, I>();
  static constexpr int threads = tile < 128 ? tile : 128;
  static constexpr int items = tile / threads;
};

// Keys, and the indices that travel with them where there are any.
template <class K, class I>
struct indexed_keys {
  K* keys = nullptr;
  I* indices = nullptr;
  static constexpr bool with_indices = !std::is_empty_v<I>;

  __device__ indexed_keys operator+(std::uint64_t i) const { return {keys + i, with_indices ? indices + i : nullptr}; }
};

// Memory for a tile without making its elements.
template <class K, class I>
struct tile_memory {
  static constexpr int tile = compared_shape<K, I>::tile;
  alignas(alignof(K) < 8 ? 8 : alignof(K)) unsigned char keys[tile * sizeof(K)];
  alignas(8) unsigned char indices[std::is_empty_v<I> ? 8 : tile * sizeof(I)];
  __device__ indexed_keys<K, I> view() { return {reinterpret_cast<K*>(keys), reinterpret_cast<I*>(indices)}; }
};

// How many of the first k merged come from a, of which there are n; b has m.
template <class K, class Compare>
__device__ std::uint64_t on_merge_path(const K* a, std::uint64_t n, const K* b, std::uint64_t m, std::uint64_t k,
                                       const Compare& compare) {
  std::uint64_t low = k > m ? k - m : 0, high = k < n ? k : n;
  while (low < high) {
    const std::uint64_t i = low + (high - low) / 2;
    if (compare(b[k - i - 1], a[i])) {
      high = i;
    } else {
      low = i + 1;
    }
  }
  return low;
}

// Outputs [first, first + count) of the merged order, count <= Items, into this thread's registers.
template <int Items, class K, class I, class Compare>
__device__ void merge_items(indexed_keys<K, I> a, int n, indexed_keys<K, I> b, int m, int first, int count,
                            K (&keys)[Items], I (&indices)[Items], const Compare& compare) {
  int i = static_cast<int>(on_merge_path(a.keys, n, b.keys, m, first, compare)), j = first - i;
#pragma unroll
  for (int k = 0; k < Items; ++k)
    if (k < count) {
      const bool from_a = j >= m || (i < n && !compare(b.keys[j], a.keys[i]));
      keys[k] = from_a ? a.keys[i] : b.keys[j];
      if constexpr (indexed_keys<K, I>::with_indices) indices[k] = from_a ? a.indices[i] : b.indices[j];
      from_a ? ++i : ++j;
    }
}

// Elements as they lie in registers before the first assignment: no constructor runs.
template <class K, int Items>
union registers {
  K x[Items];
  __device__ registers() {}
};

template <class K, class I, class Compare>
__global__ void sort_tiles(indexed_keys<const K, const I> in, indexed_keys<K, I> out, std::uint64_t n, bool number,
                           Compare compare) {
  using shape = compared_shape<K, I>;
  constexpr int items = shape::items;
  __shared__ tile_memory<K, I> memory;
  const indexed_keys<K, I> tile = memory.view();
  const std::uint64_t start = std::uint64_t{blockIdx.x} * shape::tile;
  const int size = static_cast<int>(n - start < shape::tile ? n - start : shape::tile), t = threadIdx.x;
  for (int i = t; i < size; i += shape::threads) {
    tile.keys[i] = in.keys[start + i];
    if constexpr (!std::is_empty_v<I>) tile.indices[i] = number ? static_cast<I>(start + i) : in.indices[start + i];
  }
  __syncthreads();  // each thread now reads what others loaded

  const int mine = t * items, count = size - mine < 0 ? 0 : size - mine < items ? size - mine : items;
  for (int i = 1; i < count; ++i)
    for (int j = mine + i; j > mine && compare(tile.keys[j], tile.keys[j - 1]); --j) {
      const K key = tile.keys[j];
      tile.keys[j] = tile.keys[j - 1];
      tile.keys[j - 1] = key;
      if constexpr (!std::is_empty_v<I>) {
        const I index = tile.indices[j];
        tile.indices[j] = tile.indices[j - 1];
        tile.indices[j - 1] = index;
      }
    }

  registers<K, items> keys;
  I indices[items];
  for (int width = items; width < size; width *= 2) {
    __syncthreads();  // the runs to be merged are whole
    const int pair = mine / (2 * width) * (2 * width);
    const int a = min(width, max(0, size - pair)), b = min(width, max(0, size - pair - a));
    if (count > 0) merge_items<items>(tile + pair, a, tile + pair + a, b, mine - pair, count, keys.x, indices, compare);
    __syncthreads();  // nobody reads any more what is written now
    for (int i = 0; i < items; ++i)
      if (i < count) {
        tile.keys[mine + i] = keys.x[i];
        if constexpr (!std::is_empty_v<I>) tile.indices[mine + i] = indices[i];
      }
  }
  __syncthreads();  // the tile is sorted
  for (int i = t; i < size; i += shape::threads) {
    out.keys[start + i] = tile.keys[i];
    if constexpr (!std::is_empty_v<I>) out.indices[start + i] = tile.indices[i];
  }
}

// Outputs [first, first + count) of a and b merged, by one block, to out[first …).
template <class K, class I, class Compare>
__device__ void merge_tile(indexed_keys<const K, const I> a, std::uint64_t n, indexed_keys<const K, const I> b,
                           std::uint64_t m, std::uint64_t first, int count, indexed_keys<K, I> out,
                           const Compare& compare) {
  using shape = compared_shape<K, I>;
  constexpr int items = shape::items;
  __shared__ tile_memory<K, I> memory;
  __shared__ std::uint64_t ends[2];
  const indexed_keys<K, I> tile = memory.view();
  const int t = threadIdx.x;
  for (int e = t; e < 2; e += shape::threads)
    ends[e] = on_merge_path(a.keys, n, b.keys, m, first + (e == 0 ? 0 : count), compare);
  __syncthreads();  // both ends are known to all
  const std::uint64_t from_a = ends[0], last = first + count;
  // With a strict weak order the second end needs no mending.
  std::uint64_t to_a = ends[1];
  const std::uint64_t low = last > m && last - m > from_a ? last - m : from_a,
                      high = from_a + count < n ? from_a + count : n;
  to_a = to_a < low ? low : to_a > high ? high : to_a;
  const int of_a = static_cast<int>(to_a - from_a), of_b = count - of_a;
  const std::uint64_t from_b = first - from_a;
  for (int i = t; i < count; i += shape::threads) {
    tile.keys[i] = i < of_a ? a.keys[from_a + i] : b.keys[from_b + (i - of_a)];
    if constexpr (!std::is_empty_v<I>)
      tile.indices[i] = i < of_a ? a.indices[from_a + i] : b.indices[from_b + (i - of_a)];
  }
  __syncthreads();  // the tile's input is there
  registers<K, items> keys;
  I indices[items];
  const int mine = t * items, share = count - mine < 0 ? 0 : count - mine < items ? count - mine : items;
  if (share > 0) merge_items<items>(tile, of_a, tile + of_a, of_b, mine, share, keys.x, indices, compare);
  __syncthreads();  // nobody reads any more what is written now
  for (int i = 0; i < items; ++i)
    if (i < share) {
      tile.keys[mine + i] = keys.x[i];
      if constexpr (!std::is_empty_v<I>) tile.indices[mine + i] = indices[i];
    }
  __syncthreads();  // so that the tile goes out side by side
  for (int i = t; i < count; i += shape::threads) {
    out.keys[first + i] = tile.keys[i];
    if constexpr (!std::is_empty_v<I>) out.indices[first + i] = tile.indices[i];
  }
}

// Sorted runs of `width`, a multiple of the tile, become runs of twice that.
template <class K, class I, class Compare>
__global__ void merge_runs_of(std::uint64_t width, indexed_keys<const K, const I> in, indexed_keys<K, I> out,
                              std::uint64_t n, Compare compare) {
  constexpr int tile = compared_shape<K, I>::tile;
  const std::uint64_t at = std::uint64_t{blockIdx.x} * tile, pair = at / (2 * width) * (2 * width);
  const std::uint64_t a = n - pair < width ? n - pair : width, b = n - pair - a < width ? n - pair - a : width;
  const int count = static_cast<int>(n - at < tile ? n - at : tile);
  merge_tile<K, I>(in + pair, a, in + pair + a, b, at - pair, count, out + pair, compare);
}

template <class K, class Compare>
__global__ void merge_two_of(const K* a, std::uint64_t n, const K* b, std::uint64_t m, K* out, Compare compare) {
  constexpr int tile = compared_shape<K, no_index>::tile;
  const std::uint64_t at = std::uint64_t{blockIdx.x} * tile;
  const int count = static_cast<int>(n + m - at < tile ? n + m - at : tile);
  merge_tile<K, no_index>({a, nullptr}, n, {b, nullptr}, m, at, count, {out, nullptr}, compare);
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

template <class K, class Compare>
constexpr void require_device_comparison() {
  static_assert(std::is_trivially_copyable_v<K>,
                "upsweep: CUDA moves elements as bytes; give it a trivially copyable type");
  static_assert(std::is_trivially_copyable_v<Compare>,
                "upsweep: CUDA copies a comparator to the GPU as bytes; give it a trivially copyable type");
}

template <class K, class Compare>
std::uint64_t first_break(upsweep::device& where, const K* x, std::uint64_t n, bool itself, const Compare& compare) {
  require_device_comparison<K, Compare>();
  device& d = of(where);
  d.make_current();
  if (n == 0) return 0;
  const memory answer = d.scratch("sort/cuda/break", 16);
  std::uint64_t found = n;
  d.upload(answer, &found, sizeof found);
  const auto blocks =
      static_cast<unsigned>(std::min<std::uint64_t>((n + 255) / 256, std::uint64_t{16} * d.multiprocessors()));
  find_break<<<blocks, 256, 0, d.stream()>>>(x, n, itself, answer.as<unsigned long long>(), compare);
  check(cudaGetLastError(), "is_sorted on cuda");
  d.download(&found, answer, sizeof found);
  return found;
}

template <class K, class Compare>
std::uint64_t is_sorted_until(upsweep::device& where, const K* x, std::uint64_t n, const Compare& compare) {
  return first_break(where, x, n, false, compare);
}

template <class K, class I, class Compare>
void merge_sort(device& d, K* keys, I* indices, std::uint64_t n, const Compare& compare) {
  constexpr int tile = compared_shape<K, I>::tile, threads = compared_shape<K, I>::threads;
  const auto blocks = static_cast<unsigned>((n + tile - 1) / tile);
  const indexed_keys<K, I> here{keys, indices};
  const std::uint64_t key_bytes = (n * sizeof(K) + 255) / 256 * 256;
  const memory spare = d.scratch("sort/cuda/merged", key_bytes + (std::is_empty_v<I> ? 0 : n * sizeof(I)));
  const indexed_keys<K, I> there{spare.as<K>(), std::is_empty_v<I> ? nullptr : spare.plus_bytes(key_bytes).as<I>()};
  const auto readable = [](indexed_keys<K, I> x) { return indexed_keys<const K, const I>{x.keys, x.indices}; };
  int rounds = 0;
  for (std::uint64_t width = tile; width < n; width *= 2) ++rounds;
  // Begun where an even number of ways between the two ends in place.
  indexed_keys<K, I> from = rounds % 2 == 0 ? here : there, to = rounds % 2 == 0 ? there : here;
  sort_tiles<K, I><<<blocks, threads, 0, d.stream()>>>(readable(here), from, n, true, compare);
  check(cudaGetLastError(), "sort on cuda");
  for (std::uint64_t width = tile; width < n; width *= 2, std::swap(from, to)) {
    merge_runs_of<K, I><<<blocks, threads, 0, d.stream()>>>(width, readable(from), to, n, compare);
    check(cudaGetLastError(), "sort on cuda");
  }
}

inline namespace UPSWEEP_COMPILED {
// values may be null.
template <class K, class V, class Compare>
void stable_sort_by_key(upsweep::device& where, K* keys, V* values, std::uint64_t n, const Compare& compare,
                        const char* call = "stable_sort", bool checked = false) {
  require_device_comparison<K, Compare>();
  static_assert(std::is_trivially_copyable_v<V>,
                "upsweep: CUDA moves values as bytes; give it a trivially copyable type");
  device& d = of(where);
  d.make_current();
  if (n > 1) {
    if (!values) {
      merge_sort(d, keys, static_cast<no_index*>(nullptr), n, compare);
    } else {
      const bool wide = n >> 32 != 0;
      const memory order = d.scratch("sort/cuda/order", n * (wide ? 8 : 4)),
                   moved = d.scratch("sort/cuda/values", n * sizeof(V));
      if (wide) {
        merge_sort(d, keys, order.as<std::uint64_t>(), n, compare);
      } else {
        merge_sort(d, keys, order.as<std::uint32_t>(), n, compare);
      }
      sort_room::gather_records(d, {values, 0}, sizeof(V), order, wide ? 8 : 4, n, moved);
      d.copy({values, 0}, moved, n * sizeof(V));
    }
  }
  if (!checking && !checked) return;
  if (const std::uint64_t i = first_break(d, keys, n, true, compare); i != n)
    throw error(fault::bad_argument, call,
                "the comparison is no strict weak order: in the sorted sequence it puts element " + std::to_string(i) +
                    " before the one before it, or before itself",
                "compare so that no element stands before itself, and what stands before one that stands before a "
                "third stands before that third");
}
}  // namespace UPSWEEP_COMPILED

template <class K, class Compare>
void merge_by_comparing(upsweep::device& where, const K* a, std::uint64_t n, const K* b, std::uint64_t m, K* out,
                        const Compare& compare) {
  require_device_comparison<K, Compare>();
  device& d = of(where);
  d.make_current();
  constexpr int tile = compared_shape<K, no_index>::tile, threads = compared_shape<K, no_index>::threads;
  if (n + m == 0) return;
  merge_two_of<<<static_cast<unsigned>((n + m + tile - 1) / tile), threads, 0, d.stream()>>>(a, n, b, m, out, compare);
  check(cudaGetLastError(), "merge on cuda");
}

}  // namespace upsweep::cuda
