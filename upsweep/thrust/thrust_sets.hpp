// merge_by_key and the set operations, of keys alone and by key. The calls assume that outputs have capacity for the
// largest possible number of elements.
#pragma once

#include <thrust/pair.h>

#include "upsweep/sets.hpp"
#include "upsweep/thrust/thrust_outputs.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

template <class A, class V, class B, class W, class K, class Z, class Compare = ::cuda::std::less<>>
thrust::pair<K, Z> merge_by_key(const policy& p, A first, A last, B second, B end, V values, W more_values, K keys_out,
                                Z values_out, Compare compare = {}) {
  using T = value_of<A>;
  using U = value_of<V>;
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  output<T, K> keys(p, keys_out, n + m);
  output<U, Z> beside(p, values_out, n + m);
  upsweep::merge_by_key(p.where, thrust_calls::input(first, n), thrust_calls::input(values, n),
                        thrust_calls::input_of<T>(second, m), thrust_calls::input_of<U>(more_values, m), keys.span(),
                        beside.span(), thrust_calls::function<T, T>(compare));
  return {keys.put(), beside.put()};
}

// --- of keys alone ---

template <class A, class B, class Out, class Compare = ::cuda::std::less<>>
Out set_union(const policy& p, A first, A last, B second, B end, Out out, Compare compare = {}) {
  using T = value_of<A>;
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  output<T, Out> to(p, out, n + m, thrust_calls::reach_of(first, n), thrust_calls::reach_of(second, m));
  return to.put(upsweep::set_union(p.where, thrust_calls::input(first, n), thrust_calls::input_of<T>(second, m),
                                   to.span(), thrust_calls::function<T, T>(compare)));
}
template <class A, class B, class Out, class Compare = ::cuda::std::less<>>
Out set_intersection(const policy& p, A first, A last, B second, B end, Out out, Compare compare = {}) {
  using T = value_of<A>;
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  output<T, Out> to(p, out, (std::min)(n, m), thrust_calls::reach_of(first, n), thrust_calls::reach_of(second, m));
  return to.put(upsweep::set_intersection(p.where, thrust_calls::input(first, n), thrust_calls::input_of<T>(second, m),
                                          to.span(), thrust_calls::function<T, T>(compare)));
}
template <class A, class B, class Out, class Compare = ::cuda::std::less<>>
Out set_difference(const policy& p, A first, A last, B second, B end, Out out, Compare compare = {}) {
  using T = value_of<A>;
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  output<T, Out> to(p, out, n, thrust_calls::reach_of(first, n), thrust_calls::reach_of(second, m));
  return to.put(upsweep::set_difference(p.where, thrust_calls::input(first, n), thrust_calls::input_of<T>(second, m),
                                        to.span(), thrust_calls::function<T, T>(compare)));
}
template <class A, class B, class Out, class Compare = ::cuda::std::less<>>
Out set_symmetric_difference(const policy& p, A first, A last, B second, B end, Out out, Compare compare = {}) {
  using T = value_of<A>;
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  output<T, Out> to(p, out, n + m, thrust_calls::reach_of(first, n), thrust_calls::reach_of(second, m));
  return to.put(upsweep::set_symmetric_difference(p.where, thrust_calls::input(first, n),
                                                  thrust_calls::input_of<T>(second, m), to.span(),
                                                  thrust_calls::function<T, T>(compare)));
}

// --- by key ---

template <class A, class V, class B, class W, class K, class Z, class Compare = ::cuda::std::less<>>
thrust::pair<K, Z> set_union_by_key(const policy& p, A first, A last, B second, B end, V values, W more_values,
                                    K keys_out, Z values_out, Compare compare = {}) {
  using T = value_of<A>;
  using U = value_of<V>;
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  const reach a{thrust_calls::reach_of(first, n)}, b{thrust_calls::reach_of(second, m)},
      v{thrust_calls::reach_of(values, n)}, w{thrust_calls::reach_of(more_values, m)};
  const bool aside = thrust_calls::both_aside<T, U>(p, keys_out, values_out, n + m, a, b, v, w);
  output<T, K> keys(p, keys_out, n + m, aside);
  output<U, Z> beside(p, values_out, n + m, aside);
  const std::uint64_t kept = upsweep::set_union_by_key(
      p.where, thrust_calls::input(first, n), thrust_calls::input(values, n), thrust_calls::input_of<T>(second, m),
      thrust_calls::input_of<U>(more_values, m), keys.span(), beside.span(), thrust_calls::function<T, T>(compare));
  return {keys.put(kept), beside.put(kept)};
}
template <class A, class V, class B, class K, class Z, class Compare = ::cuda::std::less<>>
thrust::pair<K, Z> set_intersection_by_key(const policy& p, A first, A last, B second, B end, V values, K keys_out,
                                           Z values_out, Compare compare = {}) {
  using T = value_of<A>;
  using U = value_of<V>;
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  const reach a{thrust_calls::reach_of(first, n)}, b{thrust_calls::reach_of(second, m)},
      v{thrust_calls::reach_of(values, n)};
  const bool aside = thrust_calls::both_aside<T, U>(p, keys_out, values_out, (std::min)(n, m), a, b, v);
  output<T, K> keys(p, keys_out, (std::min)(n, m), aside);
  output<U, Z> beside(p, values_out, (std::min)(n, m), aside);
  const std::uint64_t kept = upsweep::set_intersection_by_key(
      p.where, thrust_calls::input(first, n), thrust_calls::input(values, n), thrust_calls::input_of<T>(second, m),
      keys.span(), beside.span(), thrust_calls::function<T, T>(compare));
  return {keys.put(kept), beside.put(kept)};
}
// Thrust passes values of the second keys; the call does not read them.
template <class A, class V, class B, class W, class K, class Z, class Compare = ::cuda::std::less<>>
thrust::pair<K, Z> set_difference_by_key(const policy& p, A first, A last, B second, B end, V values, W, K keys_out,
                                         Z values_out, Compare compare = {}) {
  using T = value_of<A>;
  using U = value_of<V>;
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  const reach a{thrust_calls::reach_of(first, n)}, b{thrust_calls::reach_of(second, m)},
      v{thrust_calls::reach_of(values, n)};
  const bool aside = thrust_calls::both_aside<T, U>(p, keys_out, values_out, n, a, b, v);
  output<T, K> keys(p, keys_out, n, aside);
  output<U, Z> beside(p, values_out, n, aside);
  const std::uint64_t kept = upsweep::set_difference_by_key(
      p.where, thrust_calls::input(first, n), thrust_calls::input(values, n), thrust_calls::input_of<T>(second, m),
      keys.span(), beside.span(), thrust_calls::function<T, T>(compare));
  return {keys.put(kept), beside.put(kept)};
}
template <class A, class V, class B, class W, class K, class Z, class Compare = ::cuda::std::less<>>
thrust::pair<K, Z> set_symmetric_difference_by_key(const policy& p, A first, A last, B second, B end, V values,
                                                   W more_values, K keys_out, Z values_out, Compare compare = {}) {
  using T = value_of<A>;
  using U = value_of<V>;
  const std::uint64_t n = thrust_calls::length(first, last), m = thrust_calls::length(second, end);
  const reach a{thrust_calls::reach_of(first, n)}, b{thrust_calls::reach_of(second, m)},
      v{thrust_calls::reach_of(values, n)}, w{thrust_calls::reach_of(more_values, m)};
  const bool aside = thrust_calls::both_aside<T, U>(p, keys_out, values_out, n + m, a, b, v, w);
  output<T, K> keys(p, keys_out, n + m, aside);
  output<U, Z> beside(p, values_out, n + m, aside);
  const std::uint64_t kept = upsweep::set_symmetric_difference_by_key(
      p.where, thrust_calls::input(first, n), thrust_calls::input(values, n), thrust_calls::input_of<T>(second, m),
      thrust_calls::input_of<U>(more_values, m), keys.span(), beside.span(), thrust_calls::function<T, T>(compare));
  return {keys.put(kept), beside.put(kept)};
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
