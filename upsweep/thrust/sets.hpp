// merge_by_key and the sets, of keys alone and by key. Outputs are taken to hold whatever might be kept.
#pragma once

#include <thrust/pair.h>

#include "upsweep/sets.hpp"
#include "upsweep/thrust/iterators.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

template <class A, class V, class B, class W, class K, class Z, class Compare = std::less<>>
thrust::pair<K, Z> merge_by_key(const policy& p, A first, A last, B second, B end, V values, W more_values, K keys_out,
                                Z values_out, Compare compare = {}) {
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  upsweep::merge_by_key(p.where, thrust_calls::input(first, n), thrust_calls::input(values, n),
                        thrust_calls::input(second, m), thrust_calls::input(more_values, m),
                        thrust_calls::span(keys_out, n + m), thrust_calls::span(values_out, n + m),
                        thrust_calls::function(compare));
  p.where.synchronize();
  return {thrust_calls::behind(keys_out, n + m), thrust_calls::behind(values_out, n + m)};
}

// --- of keys alone ---

template <class A, class B, class Out, class Compare = std::less<>>
Out set_union(const policy& p, A first, A last, B second, B end, Out out, Compare compare = {}) {
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  return thrust_calls::behind(out,
                              upsweep::set_union(p.where, thrust_calls::input(first, n), thrust_calls::input(second, m),
                                                 thrust_calls::span(out, n + m), thrust_calls::function(compare)));
}
template <class A, class B, class Out, class Compare = std::less<>>
Out set_intersection(const policy& p, A first, A last, B second, B end, Out out, Compare compare = {}) {
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  return thrust_calls::behind(
      out, upsweep::set_intersection(p.where, thrust_calls::input(first, n), thrust_calls::input(second, m),
                                     thrust_calls::span(out, std::min(n, m)), thrust_calls::function(compare)));
}
template <class A, class B, class Out, class Compare = std::less<>>
Out set_difference(const policy& p, A first, A last, B second, B end, Out out, Compare compare = {}) {
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  return thrust_calls::behind(
      out, upsweep::set_difference(p.where, thrust_calls::input(first, n), thrust_calls::input(second, m),
                                   thrust_calls::span(out, n), thrust_calls::function(compare)));
}
template <class A, class B, class Out, class Compare = std::less<>>
Out set_symmetric_difference(const policy& p, A first, A last, B second, B end, Out out, Compare compare = {}) {
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  return thrust_calls::behind(
      out, upsweep::set_symmetric_difference(p.where, thrust_calls::input(first, n), thrust_calls::input(second, m),
                                             thrust_calls::span(out, n + m), thrust_calls::function(compare)));
}

// --- by key ---

template <class A, class V, class B, class W, class K, class Z, class Compare = std::less<>>
thrust::pair<K, Z> set_union_by_key(const policy& p, A first, A last, B second, B end, V values, W more_values,
                                    K keys_out, Z values_out, Compare compare = {}) {
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  const std::uint64_t kept = upsweep::set_union_by_key(
      p.where, thrust_calls::input(first, n), thrust_calls::input(values, n), thrust_calls::input(second, m),
      thrust_calls::input(more_values, m), thrust_calls::span(keys_out, n + m), thrust_calls::span(values_out, n + m),
      thrust_calls::function(compare));
  return {thrust_calls::behind(keys_out, kept), thrust_calls::behind(values_out, kept)};
}
template <class A, class V, class B, class K, class Z, class Compare = std::less<>>
thrust::pair<K, Z> set_intersection_by_key(const policy& p, A first, A last, B second, B end, V values, K keys_out,
                                           Z values_out, Compare compare = {}) {
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  const std::uint64_t kept =
      upsweep::set_intersection_by_key(p.where, thrust_calls::input(first, n), thrust_calls::input(values, n),
                                       thrust_calls::input(second, m), thrust_calls::span(keys_out, std::min(n, m)),
                                       thrust_calls::span(values_out, std::min(n, m)), thrust_calls::function(compare));
  return {thrust_calls::behind(keys_out, kept), thrust_calls::behind(values_out, kept)};
}
// Thrust takes values of the second keys, and reads none.
template <class A, class V, class B, class W, class K, class Z, class Compare = std::less<>>
thrust::pair<K, Z> set_difference_by_key(const policy& p, A first, A last, B second, B end, V values, W, K keys_out,
                                         Z values_out, Compare compare = {}) {
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  const std::uint64_t kept = upsweep::set_difference_by_key(
      p.where, thrust_calls::input(first, n), thrust_calls::input(values, n), thrust_calls::input(second, m),
      thrust_calls::span(keys_out, n), thrust_calls::span(values_out, n), thrust_calls::function(compare));
  return {thrust_calls::behind(keys_out, kept), thrust_calls::behind(values_out, kept)};
}
template <class A, class V, class B, class W, class K, class Z, class Compare = std::less<>>
thrust::pair<K, Z> set_symmetric_difference_by_key(const policy& p, A first, A last, B second, B end, V values,
                                                   W more_values, K keys_out, Z values_out, Compare compare = {}) {
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  const std::uint64_t kept = upsweep::set_symmetric_difference_by_key(
      p.where, thrust_calls::input(first, n), thrust_calls::input(values, n), thrust_calls::input(second, m),
      thrust_calls::input(more_values, m), thrust_calls::span(keys_out, n + m), thrust_calls::span(values_out, n + m),
      thrust_calls::function(compare));
  return {thrust_calls::behind(keys_out, kept), thrust_calls::behind(values_out, kept)};
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
