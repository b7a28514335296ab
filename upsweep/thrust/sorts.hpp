// sort, sort_by_key, merge, is_sorted. All sorts are stable.
#pragma once

#include "upsweep/sort.hpp"
#include "upsweep/thrust/thrust_outputs.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

template <class It, class Compare = ::cuda::std::less<>>
void stable_sort(const policy& p, It first, It last, Compare compare = {}) {
  using T = value_of<It>;
  changed all(p, first, thrust_calls::length(first, last));
  upsweep::sort(p.where, all.span(), thrust_calls::function<T, T>(compare));
  all.put();
}
template <class It, class Compare = ::cuda::std::less<>>
void sort(const policy& p, It first, It last, Compare compare = {}) {
  thrust_calls::stable_sort(p, first, last, compare);
}

template <class K, class V, class Compare = ::cuda::std::less<>>
void stable_sort_by_key(const policy& p, K first, K last, V values, Compare compare = {}) {
  using T = value_of<K>;
  const std::uint64_t n = thrust_calls::length(first, last);
  changed keys(p, first, n);
  changed beside(p, values, n);
  upsweep::sort_by_key(p.where, keys.span(), beside.span(), thrust_calls::function<T, T>(compare));
  keys.put();
  beside.put();
}
template <class K, class V, class Compare = ::cuda::std::less<>>
void sort_by_key(const policy& p, K first, K last, V values, Compare compare = {}) {
  thrust_calls::stable_sort_by_key(p, first, last, values, compare);
}

template <class A, class B, class Out, class Compare = ::cuda::std::less<>>
Out merge(const policy& p, A first, A last, B second, B end, Out out, Compare compare = {}) {
  using T = value_of<A>;
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  laid_out<T, A> a(p, first, n);
  laid_out<T, B> b(p, second, m);
  output<T, Out> to(p, out, n + m);
  upsweep::merge(p.where, a.span(), b.span(), to.span(), thrust_calls::function<T, T>(compare));
  return to.put();
}

template <class It, class Compare = ::cuda::std::less<>>
It is_sorted_until(const policy& p, It first, It last, Compare compare = {}) {
  using T = value_of<It>;
  laid_out<T, It> in(p, first, thrust_calls::length(first, last));
  return thrust_calls::behind(first,
                              upsweep::is_sorted_until(p.where, in.span(), thrust_calls::function<T, T>(compare)));
}
template <class It, class Compare = ::cuda::std::less<>>
bool is_sorted(const policy& p, It first, It last, Compare compare = {}) {
  return thrust_calls::is_sorted_until(p, first, last, compare) == last;
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
