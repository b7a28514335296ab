// remove_if, unique and kin in place; stencils; partitions; unique by an equality.
#pragma once

#include <thrust/pair.h>

#include "upsweep/compact.hpp"
#include "upsweep/thrust/iterators.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

template <class T>
struct is_equal_to {
  T value;
  UPSWEEP_HD bool operator()(const T& x) const { return x == value; }
};

// --- by a stencil, to another place ---

template <class It, class S, class Out, class Test>
Out copy_if(const policy& p, It first, It last, S beside, Out out, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return thrust_calls::behind(out, upsweep::copy_if(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n),
                                                    upsweep::stencil(thrust_calls::input(beside, n), test)));
}
template <class It, class S, class Out, class Test>
Out remove_copy_if(const policy& p, It first, It last, S beside, Out out, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return thrust_calls::behind(
      out, upsweep::remove_copy_if(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n),
                                   upsweep::stencil(thrust_calls::input(beside, n), test)));
}
template <class It, class Out, class T>
Out remove_copy(const policy& p, It first, It last, Out out, const T& value) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return thrust_calls::behind(
      out, upsweep::remove_copy_if(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n),
                                   is_equal_to<value_of<It>>{static_cast<value_of<It>>(value)}));
}

// --- in place ---

template <class It, class Test>
It remove_if(const policy& p, It first, It last, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return thrust_calls::behind(first, upsweep::remove_if(p.where, thrust_calls::span(first, n), test));
}
template <class It, class S, class Test>
It remove_if(const policy& p, It first, It last, S beside, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return thrust_calls::behind(first, upsweep::remove_if(p.where, thrust_calls::span(first, n),
                                                        upsweep::stencil(thrust_calls::input(beside, n), test)));
}
template <class It, class T>
It remove(const policy& p, It first, It last, const T& value) {
  return thrust_calls::remove_if(p, first, last, is_equal_to<value_of<It>>{static_cast<value_of<It>>(value)});
}

template <class It>
It unique(const policy& p, It first, It last) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return thrust_calls::behind(first, upsweep::unique(p.where, thrust_calls::span(first, n)));
}
template <class It, class Equal>
It unique(const policy& p, It first, It last, Equal equal) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return thrust_calls::behind(first, upsweep::unique(p.where, thrust_calls::span(first, n), equal));
}
template <class K, class V>
thrust::pair<K, V> unique_by_key(const policy& p, K first, K last, V values) {
  const std::uint64_t n = thrust_calls::length(first, last),
                      kept =
                          upsweep::unique_by_key(p.where, thrust_calls::span(first, n), thrust_calls::span(values, n));
  return {thrust_calls::behind(first, kept), thrust_calls::behind(values, kept)};
}
template <class K, class V, class Equal>
thrust::pair<K, V> unique_by_key(const policy& p, K first, K last, V values, Equal equal) {
  const std::uint64_t n = thrust_calls::length(first, last),
                      kept = upsweep::unique_by_key(p.where, thrust_calls::span(first, n),
                                                    thrust_calls::span(values, n), equal);
  return {thrust_calls::behind(first, kept), thrust_calls::behind(values, kept)};
}

template <class It, class Test>
It stable_partition(const policy& p, It first, It last, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return thrust_calls::behind(first, upsweep::partition(p.where, thrust_calls::span(first, n), test));
}
template <class It, class S, class Test>
It stable_partition(const policy& p, It first, It last, S beside, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return thrust_calls::behind(first, upsweep::partition(p.where, thrust_calls::span(first, n),
                                                        upsweep::stencil(thrust_calls::input(beside, n), test)));
}
template <class It, class... Test>
It partition(const policy& p, It first, It last, Test... test) {
  return thrust_calls::stable_partition(p, first, last, test...);
}

// --- partitions into two, runs by an equality ---

template <class It, class A, class B, class Test>
thrust::pair<A, B> stable_partition_copy(const policy& p, It first, It last, A passed, B others, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last),
                      kept =
                          upsweep::partition_copy(p.where, thrust_calls::input(first, n), thrust_calls::span(passed, n),
                                                  thrust_calls::span(others, n), test);
  return {thrust_calls::behind(passed, kept), thrust_calls::behind(others, n - kept)};
}
template <class It, class S, class A, class B, class Test>
thrust::pair<A, B> stable_partition_copy(const policy& p, It first, It last, S beside, A passed, B others, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return thrust_calls::stable_partition_copy(p, first, last, passed, others,
                                             upsweep::stencil(thrust_calls::input(beside, n), test));
}
template <class It, class... Rest>
auto partition_copy(const policy& p, It first, It last, Rest... rest) {
  return thrust_calls::stable_partition_copy(p, first, last, rest...);
}

template <class It, class Out, class Equal>
Out unique_copy(const policy& p, It first, It last, Out out, Equal equal) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return thrust_calls::behind(
      out, upsweep::unique(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n), equal));
}
template <class K, class V, class KOut, class VOut, class Equal>
thrust::pair<KOut, VOut> unique_by_key_copy(const policy& p, K first, K last, V values, KOut keys_out, VOut values_out,
                                            Equal equal) {
  const std::uint64_t n = thrust_calls::length(first, last);
  const std::uint64_t kept =
      upsweep::unique_by_key(p.where, thrust_calls::input(first, n), thrust_calls::input(values, n),
                             thrust_calls::span(keys_out, n), thrust_calls::span(values_out, n), equal);
  return {thrust_calls::behind(keys_out, kept), thrust_calls::behind(values_out, kept)};
}
template <class It, class... Equal>
auto unique_count(const policy& p, It first, It last, Equal... equal) {
  return static_cast<typename std::iterator_traits<It>::difference_type>(
      upsweep::unique_count(p.where, thrust_calls::input(first, thrust_calls::length(first, last)), equal...));
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
