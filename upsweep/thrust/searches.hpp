// count, find, any_of and similar calls; mismatch, equal; extremes; bounds of one and of many values; partition_point.
#pragma once

#include <thrust/pair.h>

#include <algorithm>

#include "upsweep/search.hpp"
#include "upsweep/thrust/thrust_outputs.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

template <class It>
auto inputs(It first, It last) {
  return thrust_calls::input(first, thrust_calls::length(first, last));
}

// --- tests ---

template <class It, class Test>
auto count_if(const policy& p, It first, It last, Test test) {
  return static_cast<typename std::iterator_traits<It>::difference_type>(
      upsweep::count_if(p.where, thrust_calls::inputs(first, last), thrust_calls::shared<value_of<It>>(test)));
}
template <class It, class V>
auto count(const policy& p, It first, It last, const V& value) {
  return thrust_calls::count_if(p, first, last, thrust_calls::equality<It>(value));
}

template <class It, class Test>
It find_if(const policy& p, It first, It last, Test test) {
  return thrust_calls::behind(
      first, upsweep::find_if(p.where, thrust_calls::inputs(first, last), thrust_calls::shared<value_of<It>>(test)));
}
template <class It, class Test>
It find_if_not(const policy& p, It first, It last, Test test) {
  return thrust_calls::behind(first, upsweep::find_if_not(p.where, thrust_calls::inputs(first, last),
                                                          thrust_calls::shared<value_of<It>>(test)));
}
template <class It, class V>
It find(const policy& p, It first, It last, const V& value) {
  return thrust_calls::find_if(p, first, last, thrust_calls::equality<It>(value));
}

template <class It, class Test>
bool any_of(const policy& p, It first, It last, Test test) {
  return upsweep::any_of(p.where, thrust_calls::inputs(first, last), thrust_calls::shared<value_of<It>>(test));
}
template <class It, class Test>
bool all_of(const policy& p, It first, It last, Test test) {
  return upsweep::all_of(p.where, thrust_calls::inputs(first, last), thrust_calls::shared<value_of<It>>(test));
}
template <class It, class Test>
bool none_of(const policy& p, It first, It last, Test test) {
  return upsweep::none_of(p.where, thrust_calls::inputs(first, last), thrust_calls::shared<value_of<It>>(test));
}

template <class It, class Test>
It partition_point(const policy& p, It first, It last, Test test) {
  return thrust_calls::behind(first, upsweep::partition_point(p.where, thrust_calls::inputs(first, last),
                                                              thrust_calls::shared<value_of<It>>(test)));
}
template <class It, class Test>
bool is_partitioned(const policy& p, It first, It last, Test test) {
  return upsweep::is_partitioned(p.where, thrust_calls::inputs(first, last), thrust_calls::shared<value_of<It>>(test));
}

// --- two sequences ---

template <class A, class B, class Equal = ::cuda::std::equal_to<>>
thrust::pair<A, B> mismatch(const policy& p, A first, A last, B second, Equal equal = {}) {
  const std::uint64_t n = thrust_calls::length(first, last);
  const std::uint64_t at = upsweep::mismatch(p.where, thrust_calls::input(first, n), thrust_calls::input(second, n),
                                             thrust_calls::function<value_of<A>, value_of<B>>(equal));
  return {thrust_calls::behind(first, at), thrust_calls::behind(second, at)};
}
// Compares up to the size of the shorter sequence.
template <class A, class B, class Equal>
thrust::pair<A, B> mismatch(const policy& p, A first, A last, B second, B end, Equal equal) {
  const std::uint64_t n = (std::min)(thrust_calls::length(first, last), thrust_calls::length(second, end));
  return thrust_calls::mismatch(p, first, thrust_calls::behind(first, n), second, equal);
}
template <class A, class B>
thrust::pair<A, B> mismatch(const policy& p, A first, A last, B second, B end) {
  return thrust_calls::mismatch(p, first, last, second, end, ::cuda::std::equal_to<>{});
}
template <class A, class B, class Equal = ::cuda::std::equal_to<>>
bool equal(const policy& p, A first, A last, B second, Equal same = {}) {
  return thrust_calls::mismatch(p, first, last, second, same).first == last;
}

// --- extremes ---

template <class It, class Less = ::cuda::std::less<>>
It min_element(const policy& p, It first, It last, Less less = {}) {
  return thrust_calls::behind(first, upsweep::argmin(p.where, thrust_calls::inputs(first, last),
                                                     thrust_calls::function<value_of<It>, value_of<It>>(less)));
}
template <class It, class Less = ::cuda::std::less<>>
It max_element(const policy& p, It first, It last, Less less = {}) {
  return thrust_calls::behind(first, upsweep::argmax(p.where, thrust_calls::inputs(first, last),
                                                     thrust_calls::function<value_of<It>, value_of<It>>(less)));
}
template <class It, class Less = ::cuda::std::less<>>
thrust::pair<It, It> minmax_element(const policy& p, It first, It last, Less less = {}) {
  return {thrust_calls::min_element(p, first, last, less), thrust_calls::max_element(p, first, last, less)};
}

// --- bounds of many values ---

// The type that a bound is written as. Positions are written directly to integers of 4 or 8 bytes, signed or not, and
// results of binary_search directly to bytes. Other outputs are converted from temporary memory.
enum class answer : std::uint8_t { place, found };
template <answer What, class It>
constexpr auto written_as() {
  if constexpr (contiguous<It>) {
    using T = value_of<It>;
    constexpr bool whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;
    if constexpr (What == answer::found && (std::is_same_v<T, bool> || (whole && sizeof(T) == 1))) {
      return std::type_identity<T>{};
    } else if constexpr (What == answer::place && whole && sizeof(T) >= 4) {
      return std::type_identity<T>{};
    } else {
      return std::type_identity<std::conditional_t<What == answer::found, bool, std::uint64_t>>{};
    }
  } else {
    return std::type_identity<std::conditional_t<What == answer::found, bool, std::uint64_t>>{};
  }
}
template <answer What, class It>
using answers = output<typename decltype(thrust_calls::written_as<What, It>())::type, It>;

template <class T>
auto unsigned_places(device_span<T> all) {
  if constexpr (std::is_same_v<T, bool>) {
    return all;
  } else {
    using U = std::make_unsigned_t<T>;
    return device_span<U>(reinterpret_cast<U*>(all.data()), all.size());
  }
}

template <class It, class Q, class Out, class Less = ::cuda::std::less<>>
Out lower_bound(const policy& p, It first, It last, Q queries, Q queries_last, Out out, Less less = {}) {
  const std::uint64_t n = thrust_calls::length(queries, queries_last);
  answers<answer::place, Out> to(p, out, n);
  upsweep::lower_bound(p.where, thrust_calls::inputs(first, last), thrust_calls::input(queries, n),
                       thrust_calls::unsigned_places(to.span()),
                       thrust_calls::function<value_of<It>, value_of<Q>>(less));
  return to.put();
}
template <class It, class Q, class Out, class Less = ::cuda::std::less<>>
Out upper_bound(const policy& p, It first, It last, Q queries, Q queries_last, Out out, Less less = {}) {
  const std::uint64_t n = thrust_calls::length(queries, queries_last);
  answers<answer::place, Out> to(p, out, n);
  upsweep::upper_bound(p.where, thrust_calls::inputs(first, last), thrust_calls::input(queries, n),
                       thrust_calls::unsigned_places(to.span()),
                       thrust_calls::function<value_of<Q>, value_of<It>>(less));
  return to.put();
}
template <class It, class Q, class Out, class Less = ::cuda::std::less<>>
Out binary_search(const policy& p, It first, It last, Q queries, Q queries_last, Out out, Less less = {}) {
  const std::uint64_t n = thrust_calls::length(queries, queries_last);
  answers<answer::found, Out> to(p, out, n);
  upsweep::binary_search(p.where, thrust_calls::inputs(first, last), thrust_calls::input(queries, n),
                         thrust_calls::unsigned_places(to.span()),
                         thrust_calls::function<value_of<It>, value_of<Q>>(less));
  return to.put();
}

// --- bounds of one value: the query is on the host, and so is the result ---

template <class It, class V, class Less = ::cuda::std::less<>>
It lower_bound(const policy& p, It first, It last, const V& value, Less less = {}) {
  std::uint64_t at = 0;
  upsweep::lower_bound(p.where, thrust_calls::inputs(first, last), upsweep::views::repeat(value, 1), std::span(&at, 1),
                       thrust_calls::function<value_of<It>, V>(less));
  return thrust_calls::behind(first, at);
}
template <class It, class V, class Less = ::cuda::std::less<>>
It upper_bound(const policy& p, It first, It last, const V& value, Less less = {}) {
  std::uint64_t at = 0;
  upsweep::upper_bound(p.where, thrust_calls::inputs(first, last), upsweep::views::repeat(value, 1), std::span(&at, 1),
                       thrust_calls::function<value_of<It>, V>(less));
  return thrust_calls::behind(first, at);
}
template <class It, class V, class Less = ::cuda::std::less<>>
thrust::pair<It, It> equal_range(const policy& p, It first, It last, const V& value, Less less = {}) {
  return {thrust_calls::lower_bound(p, first, last, value, less),
          thrust_calls::upper_bound(p, first, last, value, less)};
}
template <class It, class V, class Less = ::cuda::std::less<>>
bool binary_search(const policy& p, It first, It last, const V& value, Less less = {}) {
  bool found = false;
  upsweep::binary_search(p.where, thrust_calls::inputs(first, last), upsweep::views::repeat(value, 1),
                         std::span(&found, 1), thrust_calls::function<value_of<It>, V>(less));
  return found;
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
