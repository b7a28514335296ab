// sort, sort_by_key, merge, is_sorted: all stable.
#pragma once

#include "upsweep/sort.hpp"
#include "upsweep/thrust/iterators.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

template <class It, class Compare = std::less<>>
void stable_sort(const policy& p, It first, It last, Compare compare = {}) {
  upsweep::sort(p.where, thrust_calls::span(first, thrust_calls::length(first, last)), thrust_calls::function(compare));
  p.where.synchronize();
}
template <class It, class Compare = std::less<>>
void sort(const policy& p, It first, It last, Compare compare = {}) {
  thrust_calls::stable_sort(p, first, last, compare);
}

template <class K, class V, class Compare = std::less<>>
void stable_sort_by_key(const policy& p, K first, K last, V values, Compare compare = {}) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::sort_by_key(p.where, thrust_calls::span(first, n), thrust_calls::span(values, n),
                       thrust_calls::function(compare));
  p.where.synchronize();
}
template <class K, class V, class Compare = std::less<>>
void sort_by_key(const policy& p, K first, K last, V values, Compare compare = {}) {
  thrust_calls::stable_sort_by_key(p, first, last, values, compare);
}

template <class A, class B, class Out, class Compare = std::less<>>
Out merge(const policy& p, A first, A last, B second, B end, Out out, Compare compare = {}) {
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  upsweep::merge(p.where, thrust_calls::input(first, n), thrust_calls::input(second, m), thrust_calls::span(out, n + m),
                 thrust_calls::function(compare));
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n + m);
}

template <class It, class Compare = std::less<>>
It is_sorted_until(const policy& p, It first, It last, Compare compare = {}) {
  const auto in = thrust_calls::input(first, thrust_calls::length(first, last));
  return first + static_cast<std::ptrdiff_t>(upsweep::is_sorted_until(p.where, in, thrust_calls::function(compare)));
}
template <class It, class Compare = std::less<>>
bool is_sorted(const policy& p, It first, It last, Compare compare = {}) {
  return thrust_calls::is_sorted_until(p, first, last, compare) == last;
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
