// Before a test of Thrust's: its calls of algorithms go to this library where their iterators or their policy are the
// device's; the host's stay Thrust's own, which is what many of its tests hold the device's to.
//
// run.py writes on_upsweep::sort where a test has thrust::sort. The device system is OpenMP's, or CUDA's where nvcc
// compiles: the iterators of a device_vector differ from those of a host_vector, and what is not routed has an answer.
#pragma once

#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/type_traits/is_execution_policy.h>
#include <thrust/uninitialized_copy.h>
#include <thrust/uninitialized_fill.h>
#include <thrust/unique.h>
#include <unittest/unittest.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "upsweep/thrust.hpp"

namespace on_upsweep {

inline int calls = 0;

// The GPU where nvcc compiles, where device_vector is CUDA's; the CPU elsewhere.
inline const upsweep::context& here() {
#if defined(__CUDACC__)
  static const upsweep::context where = upsweep::context::cuda();
#else
  static const upsweep::context where = upsweep::context::cpu();
#endif
  return where;
}

template <class T>
constexpr bool is_policy = thrust::is_execution_policy_v<std::remove_cvref_t<T>>;
template <class T>
constexpr bool is_device_policy = std::is_same_v<std::remove_cvref_t<T>, std::remove_cvref_t<decltype(thrust::device)>>;
template <class T>
concept iterator = requires { typename std::iterator_traits<std::remove_cvref_t<T>>::iterator_category; };
template <class T>
concept of_thrust = requires { typename thrust::iterator_system<std::remove_cvref_t<T>>::type; };

enum place { anywhere, device, elsewhere };
template <class T>
constexpr place place_of() {
  if constexpr (iterator<T> && of_thrust<T>) {
    using system = typename thrust::iterator_system<std::remove_cvref_t<T>>::type;
    if constexpr (std::is_same_v<system, thrust::device_system_tag>)
      return device;
    else if constexpr (!std::is_same_v<system, thrust::any_system_tag>)
      return elsewhere;
  }
  return anywhere;
}
template <class... T>
constexpr bool on_device = ((place_of<T>() == device) || ...) && ((place_of<T>() != elsewhere) && ...);
template <class First, class... Rest>
concept ours = is_device_policy<First> || (!is_policy<First> && on_device<First, Rest...>);

}  // namespace on_upsweep

// What is Thrust's may be called in a kernel, too.
#define ON_UPSWEEP(name)                                                          \
  namespace on_upsweep {                                                          \
  template <class First, class... Rest>                                           \
    requires ours<First, Rest...>                                                 \
  auto name(First&& first, Rest&&... rest) {                                      \
    ++calls;                                                                      \
    if constexpr (is_device_policy<First>)                                        \
      return thrust::name(upsweep::on(here()), rest...);                          \
    else                                                                          \
      return thrust::name(upsweep::on(here()), first, rest...);                   \
  }                                                                               \
  template <class First, class... Rest>                                           \
  UPSWEEP_HD auto name(First&& first, Rest&&... rest) {                           \
    return thrust::name(std::forward<First>(first), std::forward<Rest>(rest)...); \
  }                                                                               \
  }
ON_UPSWEEP(adjacent_difference)
ON_UPSWEEP(all_of)
ON_UPSWEEP(any_of)
ON_UPSWEEP(binary_search)
ON_UPSWEEP(copy)
ON_UPSWEEP(copy_if)
ON_UPSWEEP(copy_n)
ON_UPSWEEP(count)
ON_UPSWEEP(count_if)
ON_UPSWEEP(equal)
ON_UPSWEEP(equal_range)
ON_UPSWEEP(exclusive_scan)
ON_UPSWEEP(exclusive_scan_by_key)
ON_UPSWEEP(fill)
ON_UPSWEEP(fill_n)
ON_UPSWEEP(find)
ON_UPSWEEP(find_if)
ON_UPSWEEP(find_if_not)
ON_UPSWEEP(for_each)
ON_UPSWEEP(for_each_n)
ON_UPSWEEP(gather)
ON_UPSWEEP(gather_if)
ON_UPSWEEP(generate)
ON_UPSWEEP(generate_n)
ON_UPSWEEP(inclusive_scan)
ON_UPSWEEP(inclusive_scan_by_key)
ON_UPSWEEP(inner_product)
ON_UPSWEEP(is_partitioned)
ON_UPSWEEP(is_sorted)
ON_UPSWEEP(is_sorted_until)
ON_UPSWEEP(lower_bound)
ON_UPSWEEP(max_element)
ON_UPSWEEP(merge)
ON_UPSWEEP(merge_by_key)
ON_UPSWEEP(min_element)
ON_UPSWEEP(minmax_element)
ON_UPSWEEP(mismatch)
ON_UPSWEEP(none_of)
ON_UPSWEEP(partition)
ON_UPSWEEP(partition_copy)
ON_UPSWEEP(partition_point)
ON_UPSWEEP(reduce)
ON_UPSWEEP(reduce_by_key)
ON_UPSWEEP(reduce_into)
ON_UPSWEEP(remove)
ON_UPSWEEP(remove_copy)
ON_UPSWEEP(remove_copy_if)
ON_UPSWEEP(remove_if)
ON_UPSWEEP(replace)
ON_UPSWEEP(replace_copy)
ON_UPSWEEP(replace_copy_if)
ON_UPSWEEP(replace_if)
ON_UPSWEEP(reverse)
ON_UPSWEEP(reverse_copy)
ON_UPSWEEP(scatter)
ON_UPSWEEP(scatter_if)
ON_UPSWEEP(sequence)
ON_UPSWEEP(set_difference)
ON_UPSWEEP(set_difference_by_key)
ON_UPSWEEP(set_intersection)
ON_UPSWEEP(set_intersection_by_key)
ON_UPSWEEP(set_symmetric_difference)
ON_UPSWEEP(set_symmetric_difference_by_key)
ON_UPSWEEP(set_union)
ON_UPSWEEP(set_union_by_key)
ON_UPSWEEP(shuffle)
ON_UPSWEEP(shuffle_copy)
ON_UPSWEEP(sort)
ON_UPSWEEP(sort_by_key)
ON_UPSWEEP(stable_partition)
ON_UPSWEEP(stable_partition_copy)
ON_UPSWEEP(stable_sort)
ON_UPSWEEP(stable_sort_by_key)
ON_UPSWEEP(swap_ranges)
ON_UPSWEEP(tabulate)
ON_UPSWEEP(transform)
ON_UPSWEEP(transform_exclusive_scan)
ON_UPSWEEP(transform_if)
ON_UPSWEEP(transform_if_n)
ON_UPSWEEP(transform_inclusive_scan)
ON_UPSWEEP(transform_n)
ON_UPSWEEP(transform_reduce)
ON_UPSWEEP(uninitialized_copy)
ON_UPSWEEP(uninitialized_copy_n)
ON_UPSWEEP(uninitialized_fill)
ON_UPSWEEP(uninitialized_fill_n)
ON_UPSWEEP(unique)
ON_UPSWEEP(unique_by_key)
ON_UPSWEEP(unique_by_key_copy)
ON_UPSWEEP(unique_copy)
ON_UPSWEEP(unique_count)
ON_UPSWEEP(upper_bound)
#undef ON_UPSWEEP
