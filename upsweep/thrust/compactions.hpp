// remove_if, unique and similar calls in place; selections with a stencil; partitions; unique with an equality.
#pragma once

#include <thrust/pair.h>

#include "upsweep/compact.hpp"
#include "upsweep/search.hpp"
#include "upsweep/thrust/thrust_outputs.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

// A test of element i of another sequence, in place of a test of element i.
template <class S, class Test>
auto asked_beside(S beside, std::uint64_t n, const Test& test) {
  return upsweep::stencil(thrust_calls::input(beside, n), thrust_calls::shared<value_of<S>>(test));
}

// --- with a stencil, into an output ---

template <class It, class S, class Out, class Test>
Out copy_if(const policy& p, It first, It last, S beside, Out out, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  output<value_of<It>, Out> to(p, out, n, thrust_calls::reach_of(first, n), thrust_calls::reach_of(beside, n));
  return to.put(
      upsweep::copy_if(p.where, thrust_calls::input(first, n), to.span(), thrust_calls::asked_beside(beside, n, test)));
}
template <class It, class S, class Out, class Test>
Out remove_copy_if(const policy& p, It first, It last, S beside, Out out, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  output<value_of<It>, Out> to(p, out, n, thrust_calls::reach_of(first, n), thrust_calls::reach_of(beside, n));
  return to.put(upsweep::remove_copy_if(p.where, thrust_calls::input(first, n), to.span(),
                                        thrust_calls::asked_beside(beside, n, test)));
}
template <class It, class Out, class V>
Out remove_copy(const policy& p, It first, It last, Out out, const V& value) {
  const std::uint64_t n = thrust_calls::length(first, last);
  output<value_of<It>, Out> to(p, out, n, thrust_calls::reach_of(first, n));
  return to.put(
      upsweep::remove_copy_if(p.where, thrust_calls::input(first, n), to.span(), thrust_calls::equality<It>(value)));
}

// --- in place ---

template <class It, class Test>
It remove_if(const policy& p, It first, It last, Test test) {
  changed all(p, first, thrust_calls::length(first, last));
  return all.put(upsweep::remove_if(p.where, all.span(), thrust_calls::shared<value_of<It>>(test)));
}
template <class It, class S, class Test>
It remove_if(const policy& p, It first, It last, S beside, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  changed all(p, first, n);
  return all.put(upsweep::remove_if(p.where, all.span(), thrust_calls::asked_beside(beside, n, test)));
}
template <class It, class V>
It remove(const policy& p, It first, It last, const V& value) {
  return thrust_calls::remove_if(p, first, last, thrust_calls::equality<It>(value));
}

template <class It>
It unique(const policy& p, It first, It last) {
  changed all(p, first, thrust_calls::length(first, last));
  return all.put(upsweep::unique(p.where, all.span()));
}
template <class It, class Equal>
It unique(const policy& p, It first, It last, Equal equal) {
  using T = value_of<It>;
  changed all(p, first, thrust_calls::length(first, last));
  return all.put(upsweep::unique(p.where, all.span(), thrust_calls::shared<T, T>(equal)));
}
template <class K, class V>
thrust::pair<K, V> unique_by_key(const policy& p, K first, K last, V values) {
  const std::uint64_t n = thrust_calls::length(first, last);
  changed keys(p, first, n);
  changed beside(p, values, n);
  const std::uint64_t kept = upsweep::unique_by_key(p.where, keys.span(), beside.span());
  return {keys.put(kept), beside.put(kept)};
}
template <class K, class V, class Equal>
thrust::pair<K, V> unique_by_key(const policy& p, K first, K last, V values, Equal equal) {
  using T = value_of<K>;
  const std::uint64_t n = thrust_calls::length(first, last);
  changed keys(p, first, n);
  changed beside(p, values, n);
  const std::uint64_t kept =
      upsweep::unique_by_key(p.where, keys.span(), beside.span(), thrust_calls::shared<T, T>(equal));
  return {keys.put(kept), beside.put(kept)};
}

template <class It, class Test>
It stable_partition(const policy& p, It first, It last, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  changed all(p, first, n);
  const std::uint64_t kept = upsweep::partition(p.where, all.span(), thrust_calls::shared<value_of<It>>(test));
  all.put();
  return thrust_calls::behind(first, kept);
}
template <class It, class S, class Test>
It stable_partition(const policy& p, It first, It last, S beside, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  changed all(p, first, n);
  const std::uint64_t kept = upsweep::partition(p.where, all.span(), thrust_calls::asked_beside(beside, n, test));
  all.put();
  return thrust_calls::behind(first, kept);
}
template <class It, class... Test>
It partition(const policy& p, It first, It last, Test... test) {
  return thrust_calls::stable_partition(p, first, last, test...);
}

// --- partitions into two outputs, runs by an equality ---

// The outputs may hold only the elements that go there. The CPU counts first; on a device both outputs are temporary
// memory.
template <class It, class A, class B, class Test, class Count>
thrust::pair<A, B> parted(const policy& p, It first, std::uint64_t n, A passed, B others, const Test& test,
                          Count count) {
  using T = value_of<It>;
  const bool counts = p.where.kind() == backend::cpu;
  const std::uint64_t passing = counts ? count() : n;
  output<T, A> to(p, passed, passing, !counts);
  output<T, B> rest(p, others, counts ? n - passing : n, !counts);
  const std::uint64_t kept =
      upsweep::partition_copy(p.where, thrust_calls::input(first, n), to.span(), rest.span(), test);
  return {to.put(kept), rest.put(n - kept)};
}
template <class It, class A, class B, class Test>
thrust::pair<A, B> stable_partition_copy(const policy& p, It first, It last, A passed, B others, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  const auto asked = thrust_calls::shared<value_of<It>>(test);
  return thrust_calls::parted(p, first, n, passed, others, asked,
                              [&] { return upsweep::count_if(p.where, thrust_calls::input(first, n), asked); });
}
template <class It, class S, class A, class B, class Test>
thrust::pair<A, B> stable_partition_copy(const policy& p, It first, It last, S beside, A passed, B others, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return thrust_calls::parted(p, first, n, passed, others, thrust_calls::asked_beside(beside, n, test), [&] {
    return upsweep::count_if(p.where, thrust_calls::input(beside, n), thrust_calls::shared<value_of<S>>(test));
  });
}
template <class It, class... Rest>
auto partition_copy(const policy& p, It first, It last, Rest... rest) {
  return thrust_calls::stable_partition_copy(p, first, last, rest...);
}

template <class It, class Out, class Equal>
Out unique_copy(const policy& p, It first, It last, Out out, Equal equal) {
  using T = value_of<It>;
  const std::uint64_t n = thrust_calls::length(first, last);
  output<T, Out> to(p, out, n, thrust_calls::reach_of(first, n));
  return to.put(upsweep::unique(p.where, thrust_calls::input(first, n), to.span(), thrust_calls::shared<T, T>(equal)));
}
template <class K, class V, class KOut, class VOut, class Equal>
thrust::pair<KOut, VOut> unique_by_key_copy(const policy& p, K first, K last, V values, KOut keys_out, VOut values_out,
                                            Equal equal) {
  using T = value_of<K>;
  const std::uint64_t n = thrust_calls::length(first, last);
  using U = value_of<V>;
  const bool aside = thrust_calls::both_aside<T, U>(p, keys_out, values_out, n, thrust_calls::reach_of(first, n),
                                                    thrust_calls::reach_of(values, n));
  output<T, KOut> keys(p, keys_out, n, aside);
  output<U, VOut> beside(p, values_out, n, aside);
  const std::uint64_t kept =
      upsweep::unique_by_key(p.where, thrust_calls::input(first, n), thrust_calls::input(values, n), keys.span(),
                             beside.span(), thrust_calls::shared<T, T>(equal));
  return {keys.put(kept), beside.put(kept)};
}
template <class It, class... Equal>
auto unique_count(const policy& p, It first, It last, Equal... equal) {
  using T = value_of<It>;
  return static_cast<typename std::iterator_traits<It>::difference_type>(upsweep::unique_count(
      p.where, thrust_calls::input(first, thrust_calls::length(first, last)), thrust_calls::shared<T, T>(equal)...));
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
