// Sorting, merging and testing order on CUDA by a user-defined comparison: a stable merge sort with n log2 n
// comparisons.
//
// Tiles are sorted in shared memory. Then four sorted runs at a time are merged, which halves the passes over memory.
// A block's tile of the merged order is found by ranking elements of the four runs among each other
// (sort_compared_runs.cuh). Two inputs that are already sorted have kernels of their own (sort_compared_merge.cuh).
// Values of 1, 2, 4 or 8 bytes move with their keys; others are fetched once at the end by the index that moved with
// each key.
//
// This code does not trust the comparison. Whatever it returns, every search ends between its bounds, and a tile's
// ends are made consistent, so that no access is out of bounds; only the order is then unspecified. UPSWEEP_CHECKED
// builds and checked contexts throw.
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/sort/cuda/sort_compare.cuh is CUDA; include upsweep/sort.hpp from a .cu file compiled by nvcc"
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "upsweep/core/config.hpp"
#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/sort/cuda/sort_compared_merge.cuh"
#include "upsweep/sort/cuda/sort_compared_plan.hpp"
#include "upsweep/sort/cuda/sort_compared_runs.cuh"
#include "upsweep/sort/sort_records.hpp"

namespace upsweep::cuda {

// `ready`: a programmatic launch, prepared while the launch before it ends, where the device can.
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

// The kernels of one type and one comparison, in the form that sort_compared_plan.hpp launches.
template <class K, class V, class Compare>
struct compared_kernels {
  static_assert(sizeof(K) <= largest_compared,
                "upsweep: an element to be compared on CUDA has at most 1272 bytes; sort indices of larger ones");
  static constexpr compared_tuning shapes{cells_of<K, V>()};
  static constexpr two_tuning shape_of_two{{shapes.cells.key_bytes, shapes.cells.value_bytes}};
  device& d;
  const Compare& compare;
  compared_tuning tuning = shapes;
  two_tuning two = shape_of_two;

  static keys_and_values<const K, const V> to_read(compared_memory m) {
    return {static_cast<const K*>(m.keys), static_cast<const V*>(m.values)};
  }
  static keys_and_values<K, V> to_write(compared_memory m) {
    return {static_cast<K*>(const_cast<void*>(m.keys)), static_cast<V*>(const_cast<void*>(m.values))};
  }
  static grouped_runs<K> typed(const groups_of_runs& r) {
    return {static_cast<const K*>(r.keys), r.n, r.width, r.of_a_group};
  }
  static two_runs<K, V> typed(const two_sorted& s) {
    return {static_cast<const K*>(s.a),        static_cast<const K*>(s.b),       s.n, s.m,
            static_cast<const V*>(s.a_values), static_cast<const V*>(s.b_values)};
  }

  // Calls launch(integral_constant) for the amount.
  template <class Launch>
  static void with_amount(compared_amount a, const Launch& launch) {
    using enum compared_amount;
    if (a == few) return launch(std::integral_constant<compared_amount, few>{});
    if (a == some) return launch(std::integral_constant<compared_amount, some>{});
    launch(std::integral_constant<compared_amount, many>{});
  }

  void sort_tiles(compared_amount amount, std::uint64_t blocks, int threads, std::uint64_t shared_bytes,
                  compared_memory in, compared_memory out, compared_memory also, std::uint64_t n) const {
    with_amount(amount, [&]<compared_amount A>(std::integral_constant<compared_amount, A>) {
      launch_compared(d, false, cuda::sort_tiles<shapes.sort_items(A), K, V, Compare>, blocks, threads, shared_bytes,
                      to_read(in), to_write(out), to_write(also), n, compare);
    });
  }
  void rank_runs(std::uint64_t blocks, int threads, std::uint64_t shared_bytes, compared_memory in, compared_memory out,
                 std::uint32_t n, std::uint32_t width, std::uint32_t of_a_group) const {
    launch_compared(d, true, cuda::rank_runs<8, K, V, Compare>, blocks, threads, shared_bytes, to_read(in),
                    to_write(out), n, width, of_a_group, shared_bytes != 0, compare);
  }
  void split(bool wide, bool ready, std::uint64_t blocks, int threads, const groups_of_runs& source, const run_cut& cut,
             std::uint64_t splits, std::uint64_t* cuts) const {
    using runs = grouped_runs<K>;
    launch_compared(d, ready,
                    wide ? split_all_runs<std::uint64_t, runs, Compare> : split_all_runs<std::uint32_t, runs, Compare>,
                    blocks, threads, 0, typed(source), cut, splits, cuts, compare);
  }
  void merge_runs(compared_amount amount, bool ready, std::uint64_t blocks, int threads, std::uint64_t shared_bytes,
                  const groups_of_runs& source, const void* values_in, compared_memory out, const run_cut& cut,
                  const std::uint64_t* cuts) const {
    const auto launch = [&]<compared_amount A>(std::integral_constant<compared_amount, A>) {
      launch_compared(d, ready, cuda::merge_runs<shapes.merge_items(A), K, V, grouped_runs<K>, Compare>, blocks,
                      threads, shared_bytes, typed(source), static_cast<const V*>(values_in), to_write(out), cut, cuts,
                      compare);
    };
    using enum compared_amount;
    if (amount == some) return launch(std::integral_constant<compared_amount, some>{});
    launch(std::integral_constant<compared_amount, many>{});
  }
  void cut_stretches(std::uint64_t blocks, int threads, const two_sorted& both, std::uint64_t stretch,
                     std::uint64_t cuts, std::uint64_t* of_a) const {
    launch_compared(d, false, cuda::cut_stretches<K, V, Compare>, blocks, threads, 0, typed(both), stretch, cuts, of_a,
                    compare);
  }
  void merge_two_runs(bool ready, std::uint64_t blocks, int threads, std::uint64_t shared_bytes, const two_sorted& both,
                      compared_memory out, const two_sorted_cuts& cuts) const {
    launch_compared(d, ready, cuda::merge_two_runs<shape_of_two.items(), K, V, Compare>, blocks, threads, shared_bytes,
                    typed(both), to_write(out), two_cuts{cuts.stretch, cuts.of_a}, compare);
  }
};

template <class V, class K, class Compare>
void merge_sort(device& d, const K* in, const V* values_in, K* keys, V* values, std::uint64_t n,
                const Compare& compare) {
  merge_sort(compared_kernels<K, V, Compare>{d, compare}, {in, values_in}, {keys, values}, n);
}

// Values that move with their keys, as words.
template <class V>
inline constexpr bool moves_with_keys = sizeof(V) == alignof(V) && sizeof(V) <= 8 && !std::is_empty_v<V>;

template <class K, class Compare>
void require_sorted(device& d, const K* keys, std::uint64_t n, const Compare& compare, const char* call) {
  if (const std::uint64_t i = first_break(d, keys, n, true, compare); i != n) core::throw_error(no_weak_order(call, i));
}

inline namespace UPSWEEP_COMPILED {
// From `in` to `keys`, and from `values_in` to `values`, which may be the same. An empty type means no values.
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
    merge_sort<no_values>(d, in, nullptr, keys, nullptr, n, compare);
  } else if constexpr (moves_with_keys<V>) {
    using moved = word_for<sizeof(V)>;
    merge_sort<moved>(d, in, reinterpret_cast<const moved*>(values_in), keys, reinterpret_cast<moved*>(values), n,
                      compare);
  } else {
    const bool wide = n >> 32 != 0;
    const memory order = d.scratch("sort/cuda/order", n * (wide ? 8 : 4));
    if (wide) {
      merge_sort<std::uint64_t>(d, in, nullptr, keys, order.as<std::uint64_t>(), n, compare);
    } else {
      merge_sort<std::uint32_t>(d, in, nullptr, keys, order.as<std::uint32_t>(), n, compare);
    }
    const bool in_place = values_in == values;
    const memory moved = in_place ? d.scratch("sort/cuda/values", n * sizeof(V)) : memory{values, 0};
    detail::sort_impl::gather_records(d, {const_cast<V*>(values_in), 0}, sizeof(V), order, wide ? 8 : 4, n, moved);
    if (in_place) d.copy({values, 0}, moved, n * sizeof(V));
  }
  if (checking || checked) require_sorted(d, keys, n, compare, call);
}

// indices[i] = the original index of sorted key i; I is an integer of 4 or 8 bytes.
template <class K, class I, class Compare>
void stable_argsort(upsweep::device& where, const K* in, K* keys, I* indices, std::uint64_t n, const Compare& compare,
                    const char* call = "argsort", bool checked = false) {
  require_device_comparison<K, Compare>();
  device& d = of(where);
  d.make_current();
  if (n == 0) return;
  using number = word_for<sizeof(I)>;
  merge_sort<number>(d, in, nullptr, keys, reinterpret_cast<number*>(indices), n, compare);
  if (checking || checked) require_sorted(d, keys, n, compare, call);
}
}  // namespace UPSWEEP_COMPILED

// The values go with their keys; of an empty type they are none.
template <class K, class V, class Compare>
void merge_by_comparing(upsweep::device& where, const two_sorted& both, K* out, V* values_out, const Compare& compare) {
  require_device_comparison<K, Compare>();
  device& d = of(where);
  d.make_current();
  if (both.n + both.m == 0) return;
  merge_two(compared_kernels<K, V, Compare>{d, compare}, both, {out, values_out});
}
template <class K, class Compare>
void merge_by_comparing(upsweep::device& where, const K* a, std::uint64_t n, const K* b, std::uint64_t m, K* out,
                        const Compare& compare) {
  merge_by_comparing(where, two_sorted{a, b, n, m}, out, static_cast<no_values*>(nullptr), compare);
}

}  // namespace upsweep::cuda
