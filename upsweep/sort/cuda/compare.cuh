// Sorting, merging and testing order on CUDA by a comparison of the user's own: a merge sort, stable, n log2 n
// comparisons.
//
// Tiles are sorted in shared memory; then four sorted runs at a time become one, which halves the passes over memory. A
// block's tile of the merged order is found by ranking elements of the four runs among each other (compared_runs.cuh).
// Values of 1, 2, 4 or 8 bytes move with their keys; others are fetched once at the end by the index that went with
// each key.
//
// Nothing here trusts the comparison. Whatever it answers, every search ends between its bounds, and a tile's ends are
// made to fit each other, so that nothing outside is read or written; only the order is then worth nothing.
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
#include "upsweep/sort/cuda/compared_runs.cuh"
#include "upsweep/sort/records.hpp"

namespace upsweep::cuda {

// Shapes by what moves: items of a thread, threads of a block as long as their tile fits. On an H200 against CUB 3.0.1,
// cold; the README has the figures.
template <class K, class V>
struct compared_tuning {
  static_assert(sizeof(K) <= 1272,
                "upsweep: an element to be compared on CUDA has at most 1272 bytes; sort indices of larger ones");
  static constexpr std::size_t bytes = sizeof(K);
  static constexpr bool one_word = bytes <= 4 && std::is_empty_v<V>;
  static constexpr int merge_items = one_word ? 33 : bytes <= 32 ? 17 : bytes <= 288 ? 5 : bytes <= 480 ? 3 : 1;
  static constexpr int merge_threads(std::uint64_t n) {
    return one_word || n <= 1 << 22 || (bytes > 8 && bytes <= 16) ? 256 : 128;
  }
  static constexpr int sort_items = bytes > 16 && bytes <= 32 ? 9 : merge_items;
  static constexpr int sort_threads = bytes <= 8 ? 512 : bytes <= 16 ? 256 : 128;
  // Up to 2^20 elements, and where one such tile holds all that two smaller ones would.
  static constexpr int some_items = bytes <= 32 ? 9 : merge_items, some_sort_threads = bytes <= 16 ? 512 : 256,
                       some_merge_threads = 256;
  static constexpr bool is_some(std::uint64_t n) {
    return n <= 1 << 20 && (n > few || (bytes <= 16 && n > 512 * few_items && n <= some_items * some_sort_threads));
  }
  // Where tiles are ranked among each other, so many at once.
  static constexpr int few_items = bytes <= 32 ? 5 : merge_items;
  static constexpr std::uint64_t few = bytes <= 8 ? 1 << 16 : 1 << 15;
  static constexpr std::uint32_t ranked_runs(std::uint64_t n) { return n <= 1 << 15 ? 16 : 8; }
  static constexpr int few_threads(std::uint64_t n) {
    if (bytes > 16) return n <= 1 << 14 ? 256 : 512;
    return n <= 256 * few_items ? 256 : n <= 512 * few_items ? 512 : n <= 1 << 13 || n > 1 << 15 ? 256 : 512;
  }
};

// Threads of a block whose tile fits into the shared memory that a block may have, no more than wanted.
template <class K, class V, int Items>
int compared_threads(const device& d, int wanted) {
  constexpr std::uint64_t beside = 256;  // the cuts
  while (wanted > 32 && compared_layout<K, V>::bytes(wanted, Items) + beside > d.shared_limit()) wanted /= 2;
  return wanted;
}

// `ready`: made ready while the launch before it ends, where the device can.
template <class... Parameters, class... Arguments>
void launch_compared(device& d, bool ready, void (*kernel)(Parameters...), std::uint64_t blocks, int threads,
                     std::uint64_t shared_bytes, const Arguments&... arguments) {
  const bool can = d.once(kernel, [&] {
    d.allow_shared(kernel, d.shared_limit() - 256, "sort on cuda");
    return d.has_clusters(kernel);
  });
  cudaLaunchAttribute early;
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = static_cast<unsigned>(blocks);
  launch.blockDim = static_cast<unsigned>(threads);
  launch.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  launch.stream = d.stream();
  launch.attrs = &early;
  launch.numAttrs = ready && can ? 1 : 0;
  check(cudaLaunchKernelEx(&launch, kernel, Parameters(arguments)...), "sort on cuda");
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

// The memory between which passes go to and fro, so that the last one ends in `out`.
template <class K, class V>
struct compared_buffers {
  keys_and_values<K, V> from, to;

  compared_buffers(device& d, keys_and_values<K, V> out, std::uint64_t n, int passes) : from(out) {
    if (passes == 0) return;
    const std::uint64_t key_bytes = (n * sizeof(K) + 255) / 256 * 256;
    constexpr bool with_values = compared_layout<K, V>::with_values;
    const memory spare = d.scratch("sort/cuda/merged", key_bytes + (with_values ? n * sizeof(V) : 0));
    to = {spare.as<K>(), with_values ? spare.plus_bytes(key_bytes).template as<V>() : nullptr};
    if (passes % 2 != 0) turn();
  }
  void turn() { std::swap(from, to); }
  keys_and_values<const K, const V> source() const { return {from.keys, from.values}; }
};

// Each of `groups` of runs, of at most `most` elements, becomes one run.
template <int Items, class K, class V, class Source, class Compare>
void merge_groups(device& d, const Source& source, std::uint64_t groups, std::uint64_t most, const V* values_in,
                  keys_and_values<K, V> out, int threads, bool ready, const Compare& compare) {
  run_cut cut{.tile = Items * (threads - 1)};
  cut.tiles = static_cast<std::uint32_t>((most + cut.tile - 1) / cut.tile);
  const std::uint64_t blocks = groups * cut.tiles, splits = blocks + groups;
  std::uint64_t* cuts = nullptr;
  if (blocks > std::uint64_t{5} * d.multiprocessors() || most >> 32 != 0) {
    cuts = d.scratch("sort/cuda/cuts", splits * most_runs * sizeof(std::uint64_t)).template as<std::uint64_t>();
    launch_compared(d, ready,
                    most >> 32 != 0 ? split_all_runs<std::uint64_t, Source, Compare>
                                    : split_all_runs<std::uint32_t, Source, Compare>,
                    (splits + 7) / 8, 256, 0, source, cut, splits, cuts, compare);
    ready = true;
  }
  launch_compared(d, ready, merge_runs<Items, K, V, Source, Compare>, blocks, threads,
                  compared_layout<K, V>::bytes(threads, Items), source, values_in, out, cut, cuts, compare);
}

// Tiles are sorted, and ranked among each other.
template <class K, class V, class Compare>
void sort_few(device& d, keys_and_values<const K, const V> in, keys_and_values<K, V> out, std::uint64_t n,
              const Compare& compare) {
  using tuning = compared_tuning<K, V>;
  constexpr int items = tuning::few_items;
  const std::uint32_t runs = tuning::ranked_runs(n);
  const int threads = compared_threads<K, V, items>(d, tuning::few_threads(n));
  const std::uint64_t tile = std::uint64_t{items} * threads;
  int passes = 0;
  for (std::uint64_t width = tile; width < n; width *= runs) ++passes;
  compared_buffers<K, V> x(d, out, n, passes);
  // To both, so that whatever the comparison says, only elements are found there.
  launch_compared(d, false, sort_tiles<items, K, V, Compare>, (n + tile - 1) / tile, threads,
                  compared_layout<K, V>::bytes(threads, items), in, x.from, x.to, n, compare);
  for (std::uint64_t width = tile; width < n; width *= runs, x.turn())
    launch_compared(d, true, rank_runs<8, K, V, Compare>, (n + 255) / 256, 256, 0, x.source(), x.to, n, width, runs,
                    compare);
}

// Tiles are sorted, and then four runs become one, again and again.
template <int SortItems, int MergeItems, class K, class V, class Compare>
void sort_and_merge(device& d, keys_and_values<const K, const V> in, keys_and_values<K, V> out, std::uint64_t n,
                    int sort_threads, int merge_threads, const Compare& compare) {
  sort_threads = compared_threads<K, V, SortItems>(d, sort_threads);
  merge_threads = compared_threads<K, V, MergeItems>(d, merge_threads);
  std::uint64_t width = std::uint64_t{SortItems} * sort_threads;
  int levels = 0;
  while (width << levels < n) ++levels;
  compared_buffers<K, V> x(d, out, n, (levels + 1) / 2);
  launch_compared(d, false, sort_tiles<SortItems, K, V, Compare>, (n + width - 1) / width, sort_threads,
                  compared_layout<K, V>::bytes(sort_threads, SortItems), in, x.from, keys_and_values<K, V>{}, n,
                  compare);
  for (bool odd = levels % 2 != 0; width < n; odd = false, x.turn()) {
    const grouped_runs<K> runs{x.from.keys, n, width, odd ? 2 : most_runs};
    width = runs.span();
    merge_groups<MergeItems, K, V>(d, runs, (n + width - 1) / width, std::min(n, width), x.from.values, x.to,
                                   merge_threads, true, compare);
  }
}

// From `in` to `out`, which may be `in`; without values to read, the values written are the numbers of the keys.
template <class K, class V, class Compare>
void merge_sort(device& d, keys_and_values<const K, const V> in, keys_and_values<K, V> out, std::uint64_t n,
                const Compare& compare) {
  using tuning = compared_tuning<K, V>;
  if (tuning::is_some(n))
    return sort_and_merge<tuning::some_items, tuning::some_items>(d, in, out, n, tuning::some_sort_threads,
                                                                  tuning::some_merge_threads, compare);
  if (n <= tuning::few) return sort_few(d, in, out, n, compare);
  sort_and_merge<tuning::sort_items, tuning::merge_items>(d, in, out, n, tuning::sort_threads, tuning::merge_threads(n),
                                                          compare);
}

// Values that move with their keys, as words.
template <class V>
inline constexpr bool moves_with_keys = sizeof(V) == alignof(V) && sizeof(V) <= 8 && !std::is_empty_v<V>;

template <class K, class Compare>
void require_sorted(device& d, const K* keys, std::uint64_t n, const Compare& compare, const char* call) {
  if (const std::uint64_t i = first_break(d, keys, n, true, compare); i != n)
    throw error(fault::bad_argument, call,
                "the comparison is no strict weak order: in the sorted sequence it puts element " + std::to_string(i) +
                    " before the one before it, or before itself",
                "compare so that no element stands before itself, and what stands before one that stands before a "
                "third stands before that third");
}

inline namespace UPSWEEP_COMPILED {
// From `in` to `keys`, and from `values_in` to `values`, which may be the same. Values of an empty type are none.
template <class K, class V, class Compare>
void stable_sort_by_key(upsweep::device& where, const K* in, K* keys, const V* values_in, V* values, std::uint64_t n,
                        const Compare& compare, const char* call = "stable_sort", bool checked = false) {
  require_device_comparison<K, Compare>();
  static_assert(std::is_trivially_copyable_v<V>,
                "upsweep: CUDA moves values as bytes; give it a trivially copyable type");
  device& d = of(where);
  d.make_current();
  if (n == 0) return;
  if constexpr (std::is_empty_v<V>) {
    merge_sort<K, no_values>(d, {in, nullptr}, {keys, nullptr}, n, compare);
  } else if constexpr (moves_with_keys<V>) {
    using moved = word_for<sizeof(V)>;
    merge_sort<K, moved>(d, {in, reinterpret_cast<const moved*>(values_in)}, {keys, reinterpret_cast<moved*>(values)},
                         n, compare);
  } else {
    const bool wide = n >> 32 != 0;
    const memory order = d.scratch("sort/cuda/order", n * (wide ? 8 : 4));
    if (wide) {
      merge_sort<K, std::uint64_t>(d, {in, nullptr}, {keys, order.as<std::uint64_t>()}, n, compare);
    } else {
      merge_sort<K, std::uint32_t>(d, {in, nullptr}, {keys, order.as<std::uint32_t>()}, n, compare);
    }
    const bool in_place = values_in == values;
    const memory moved = in_place ? d.scratch("sort/cuda/values", n * sizeof(V)) : memory{values, 0};
    sort_room::gather_records(d, {const_cast<V*>(values_in), 0}, sizeof(V), order, wide ? 8 : 4, n, moved);
    if (in_place) d.copy({values, 0}, moved, n * sizeof(V));
  }
  if (checking || checked) require_sorted(d, keys, n, compare, call);
}

// indices[i] = where key i of the sorted was; I is an integer of 4 or 8 bytes.
template <class K, class I, class Compare>
void stable_argsort(upsweep::device& where, const K* in, K* keys, I* indices, std::uint64_t n, const Compare& compare,
                    const char* call = "argsort", bool checked = false) {
  require_device_comparison<K, Compare>();
  device& d = of(where);
  d.make_current();
  if (n == 0) return;
  using number = word_for<sizeof(I)>;
  merge_sort<K, number>(d, {in, nullptr}, {keys, reinterpret_cast<number*>(indices)}, n, compare);
  if (checking || checked) require_sorted(d, keys, n, compare, call);
}
}  // namespace UPSWEEP_COMPILED

template <class K, class Compare>
void merge_by_comparing(upsweep::device& where, const K* a, std::uint64_t n, const K* b, std::uint64_t m, K* out,
                        const Compare& compare) {
  require_device_comparison<K, Compare>();
  device& d = of(where);
  d.make_current();
  if (n + m == 0) return;
  using tuning = compared_tuning<K, no_values>;
  constexpr int items = tuning::merge_items;
  merge_groups<items, K, no_values>(
      d, two_runs<K>{a, b, n, m}, 1, n + m, static_cast<const no_values*>(nullptr), {out, nullptr},
      compared_threads<K, no_values, items>(d, tuning::merge_threads(n + m)), false, compare);
}

}  // namespace upsweep::cuda
