// reduce, inner_product, the scans, and both by key.
#pragma once

#include <thrust/pair.h>

#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/thrust/iterators.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

// --- reduce ---

template <class It, class F, class T, class Op>
auto transform_reduce(const policy& p, It first, It last, F f, T init, Op op) {
  return upsweep::transform_reduce(p.where, thrust_calls::input(first, thrust_calls::length(first, last)), init,
                                   thrust_calls::function(op), thrust_calls::function(f));
}
template <class It, class T, class Op>
auto reduce(const policy& p, It first, It last, T init, Op op) {
  return thrust_calls::transform_reduce(p, first, last, identity{}, init, op);
}
template <class It, class T>
auto reduce(const policy& p, It first, It last, T init) {
  return thrust_calls::reduce(p, first, last, init, plus{});
}
template <class It>
auto reduce(const policy& p, It first, It last) {
  return upsweep::reduce(p.where, thrust_calls::input(first, thrust_calls::length(first, last)));
}

template <class A, class B, class T>
auto inner_product(const policy& p, A first, A last, B second, T init) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return upsweep::inner_product(p.where, thrust_calls::input(first, n), thrust_calls::input(second, n), init);
}
template <class A, class B, class T, class Op, class F>
auto inner_product(const policy& p, A first, A last, B second, T init, Op op, F f) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return upsweep::transform_reduce(p.where, thrust_calls::input(first, n), thrust_calls::input(second, n), init,
                                   thrust_calls::function(op), f);
}

// --- scan ---

template <class It, class Out, class F, class Op>
Out transform_inclusive_scan(const policy& p, It first, It last, Out out, F f, Op op) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::transform_inclusive_scan(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n),
                                    thrust_calls::function(op), thrust_calls::function(f));
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}
template <class It, class Out, class F, class T, class Op>
Out transform_inclusive_scan(const policy& p, It first, It last, Out out, F f, T init, Op op) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::transform_inclusive_scan(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n), init,
                                    thrust_calls::function(op), thrust_calls::function(f));
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}
template <class It, class Out, class F, class T, class Op>
Out transform_exclusive_scan(const policy& p, It first, It last, Out out, F f, T init, Op op) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::transform_exclusive_scan(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n), init,
                                    thrust_calls::function(op), thrust_calls::function(f));
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}

template <class It, class Out>
Out inclusive_scan(const policy& p, It first, It last, Out out) {
  return thrust_calls::transform_inclusive_scan(p, first, last, out, identity{}, plus{});
}
template <class It, class Out, class Op>
Out inclusive_scan(const policy& p, It first, It last, Out out, Op op) {
  return thrust_calls::transform_inclusive_scan(p, first, last, out, identity{}, op);
}
template <class It, class Out, class T, class Op>
Out inclusive_scan(const policy& p, It first, It last, Out out, T init, Op op) {
  return thrust_calls::transform_inclusive_scan(p, first, last, out, identity{}, init, op);
}
template <class It, class Out>
Out exclusive_scan(const policy& p, It first, It last, Out out) {
  return thrust_calls::transform_exclusive_scan(p, first, last, out, identity{}, value_of<Out>{}, plus{});
}
template <class It, class Out, class T>
Out exclusive_scan(const policy& p, It first, It last, Out out, T init) {
  return thrust_calls::transform_exclusive_scan(p, first, last, out, identity{}, init, plus{});
}
template <class It, class Out, class T, class Op>
Out exclusive_scan(const policy& p, It first, It last, Out out, T init, Op op) {
  return thrust_calls::transform_exclusive_scan(p, first, last, out, identity{}, init, op);
}

// --- by key: runs of keys that are equal ---

template <class K, class V, class Out, class T, class Op = plus>
Out inclusive_scan_by_key(const policy& p, K first, K last, V values, Out out, ::cuda::std::equal_to<T> = {},
                          Op op = {}) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::inclusive_scan_by_key(p.where, thrust_calls::input(first, n), thrust_calls::input(values, n),
                                 thrust_calls::span(out, n), thrust_calls::function(op));
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}
template <class K, class V, class Out>
Out inclusive_scan_by_key(const policy& p, K first, K last, V values, Out out) {
  return thrust_calls::inclusive_scan_by_key(p, first, last, values, out, ::cuda::std::equal_to<>{});
}
template <class K, class V, class Out, class T, class E, class Op = plus>
Out exclusive_scan_by_key(const policy& p, K first, K last, V values, Out out, T init, ::cuda::std::equal_to<E>,
                          Op op = {}) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::exclusive_scan_by_key(p.where, thrust_calls::input(first, n), thrust_calls::input(values, n),
                                 thrust_calls::span(out, n), static_cast<value_of<V>>(init),
                                 thrust_calls::function(op));
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}
template <class K, class V, class Out, class T>
Out exclusive_scan_by_key(const policy& p, K first, K last, V values, Out out, T init) {
  return thrust_calls::exclusive_scan_by_key(p, first, last, values, out, init, ::cuda::std::equal_to<>{});
}
template <class K, class V, class Out>
Out exclusive_scan_by_key(const policy& p, K first, K last, V values, Out out) {
  return thrust_calls::exclusive_scan_by_key(p, first, last, values, out, value_of<V>{});
}

template <class K, class V, class KOut, class Out, class E, class Op = plus>
thrust::pair<KOut, Out> reduce_by_key(const policy& p, K first, K last, V values, KOut keys_out, Out out,
                                      ::cuda::std::equal_to<E>, Op op = {}) {
  const std::uint64_t n = thrust_calls::length(first, last);
  const std::uint64_t runs =
      upsweep::reduce_by_key(p.where, thrust_calls::input(first, n), thrust_calls::input(values, n),
                             thrust_calls::span(keys_out, n), thrust_calls::span(out, n), thrust_calls::function(op));
  return {keys_out + static_cast<std::ptrdiff_t>(runs), out + static_cast<std::ptrdiff_t>(runs)};
}
template <class K, class V, class KOut, class Out>
thrust::pair<KOut, Out> reduce_by_key(const policy& p, K first, K last, V values, KOut keys_out, Out out) {
  return thrust_calls::reduce_by_key(p, first, last, values, keys_out, out, ::cuda::std::equal_to<>{});
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
