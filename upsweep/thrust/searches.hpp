// count, find, any_of and kin, mismatch, equal, extremes, bounds of one value and of many, partitions.
#pragma once

#include <thrust/pair.h>

#include "upsweep/search.hpp"
#include "upsweep/thrust/iterators.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

template <class It>
auto inputs(It first, It last) {
  return thrust_calls::input(first, thrust_calls::length(first, last));
}

// --- tests ---

template <class V>
struct compares_equal {
  V value;
  template <class T>
  UPSWEEP_HD bool operator()(const T& x) const {
    if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<V>) {
      using both = std::common_type_t<T, V>;
      return static_cast<both>(x) == static_cast<both>(value);
    } else {
      return static_cast<bool>(x == value);
    }
  }
};
// In the elements' own type the library's test; Thrust compares all others as == does.
template <class It, class V>
auto equality(const V& value) {
  if constexpr (builtin_type<V> && std::same_as<V, value_of<It>>) {
    return upsweep::equal_to(value);
  } else {
    return compares_equal<V>{value};
  }
}

template <class It, class Test>
auto count_if(const policy& p, It first, It last, Test test) {
  return static_cast<typename std::iterator_traits<It>::difference_type>(
      upsweep::count_if(p.where, thrust_calls::inputs(first, last), test));
}
template <class It, class V>
auto count(const policy& p, It first, It last, const V& value) {
  return thrust_calls::count_if(p, first, last, thrust_calls::equality<It>(value));
}

template <class It, class Test>
It find_if(const policy& p, It first, It last, Test test) {
  return thrust_calls::behind(first, upsweep::find_if(p.where, thrust_calls::inputs(first, last), test));
}
template <class It, class Test>
It find_if_not(const policy& p, It first, It last, Test test) {
  return thrust_calls::behind(first, upsweep::find_if_not(p.where, thrust_calls::inputs(first, last), test));
}
template <class It, class V>
It find(const policy& p, It first, It last, const V& value) {
  return thrust_calls::find_if(p, first, last, thrust_calls::equality<It>(value));
}

template <class It, class Test>
bool any_of(const policy& p, It first, It last, Test test) {
  return upsweep::any_of(p.where, thrust_calls::inputs(first, last), test);
}
template <class It, class Test>
bool all_of(const policy& p, It first, It last, Test test) {
  return upsweep::all_of(p.where, thrust_calls::inputs(first, last), test);
}
template <class It, class Test>
bool none_of(const policy& p, It first, It last, Test test) {
  return upsweep::none_of(p.where, thrust_calls::inputs(first, last), test);
}

template <class It, class Test>
It partition_point(const policy& p, It first, It last, Test test) {
  return thrust_calls::behind(first, upsweep::partition_point(p.where, thrust_calls::inputs(first, last), test));
}
template <class It, class Test>
bool is_partitioned(const policy& p, It first, It last, Test test) {
  return upsweep::is_partitioned(p.where, thrust_calls::inputs(first, last), test);
}

// --- two sequences ---

template <class A, class B, class Equal = std::equal_to<>>
thrust::pair<A, B> mismatch(const policy& p, A first, A last, B second, Equal equal = {}) {
  const std::uint64_t n = thrust_calls::length(first, last);
  const std::uint64_t at = upsweep::mismatch(p.where, thrust_calls::input(first, n), thrust_calls::input(second, n),
                                             thrust_calls::function(equal));
  return {thrust_calls::behind(first, at), thrust_calls::behind(second, at)};
}
template <class A, class B, class Equal = std::equal_to<>>
bool equal(const policy& p, A first, A last, B second, Equal same = {}) {
  return thrust_calls::mismatch(p, first, last, second, same).first == last;
}

// --- extremes ---

template <class It, class Less = std::less<>>
It min_element(const policy& p, It first, It last, Less less = {}) {
  return thrust_calls::behind(
      first, upsweep::argmin(p.where, thrust_calls::inputs(first, last), thrust_calls::function(less)));
}
template <class It, class Less = std::less<>>
It max_element(const policy& p, It first, It last, Less less = {}) {
  return thrust_calls::behind(
      first, upsweep::argmax(p.where, thrust_calls::inputs(first, last), thrust_calls::function(less)));
}
template <class It, class Less = std::less<>>
thrust::pair<It, It> minmax_element(const policy& p, It first, It last, Less less = {}) {
  return {thrust_calls::min_element(p, first, last, less), thrust_calls::max_element(p, first, last, less)};
}

// --- bounds of many values ---

// Places go to integers of any sign that hold them, and whether a value is there to bytes.
template <class Out>
auto answers(Out out, std::uint64_t n) {
  const auto all = thrust_calls::span(out, n);
  using T = typename decltype(all)::value_type;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return device_span<std::make_unsigned_t<T>>(reinterpret_cast<std::make_unsigned_t<T>*>(all.data()), n);
  } else {
    return all;
  }
}

template <class It, class Q, class Out, class Less = std::less<>>
Out lower_bound(const policy& p, It first, It last, Q queries, Q queries_last, Out out, Less less = {}) {
  const std::uint64_t n = thrust_calls::length(queries, queries_last);
  upsweep::lower_bound(p.where, thrust_calls::inputs(first, last), thrust_calls::input(queries, n),
                       thrust_calls::answers(out, n), thrust_calls::function(less));
  p.where.synchronize();
  return thrust_calls::behind(out, n);
}
template <class It, class Q, class Out, class Less = std::less<>>
Out upper_bound(const policy& p, It first, It last, Q queries, Q queries_last, Out out, Less less = {}) {
  const std::uint64_t n = thrust_calls::length(queries, queries_last);
  upsweep::upper_bound(p.where, thrust_calls::inputs(first, last), thrust_calls::input(queries, n),
                       thrust_calls::answers(out, n), thrust_calls::function(less));
  p.where.synchronize();
  return thrust_calls::behind(out, n);
}
template <class It, class Q, class Out, class Less = std::less<>>
Out binary_search(const policy& p, It first, It last, Q queries, Q queries_last, Out out, Less less = {}) {
  const std::uint64_t n = thrust_calls::length(queries, queries_last);
  upsweep::binary_search(p.where, thrust_calls::inputs(first, last), thrust_calls::input(queries, n),
                         thrust_calls::answers(out, n), thrust_calls::function(less));
  p.where.synchronize();
  return thrust_calls::behind(out, n);
}

// --- bounds of one value: a query that the host brings, and an answer that it takes ---

template <class It, class V, class Less = std::less<>>
It lower_bound(const policy& p, It first, It last, const V& value, Less less = {}) {
  std::uint64_t at = 0;
  upsweep::lower_bound(p.where, thrust_calls::inputs(first, last), upsweep::constant(value, 1), std::span(&at, 1),
                       thrust_calls::function(less));
  return thrust_calls::behind(first, at);
}
template <class It, class V, class Less = std::less<>>
It upper_bound(const policy& p, It first, It last, const V& value, Less less = {}) {
  std::uint64_t at = 0;
  upsweep::upper_bound(p.where, thrust_calls::inputs(first, last), upsweep::constant(value, 1), std::span(&at, 1),
                       thrust_calls::function(less));
  return thrust_calls::behind(first, at);
}
template <class It, class V, class Less = std::less<>>
thrust::pair<It, It> equal_range(const policy& p, It first, It last, const V& value, Less less = {}) {
  return {thrust_calls::lower_bound(p, first, last, value, less),
          thrust_calls::upper_bound(p, first, last, value, less)};
}
template <class It, class V, class Less = std::less<>>
bool binary_search(const policy& p, It first, It last, const V& value, Less less = {}) {
  bool found = false;
  upsweep::binary_search(p.where, thrust_calls::inputs(first, last), upsweep::constant(value, 1), std::span(&found, 1),
                         thrust_calls::function(less));
  return found;
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
