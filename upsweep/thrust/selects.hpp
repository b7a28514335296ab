// copy_if, remove_copy_if, unique_copy, unique_by_key_copy. Thrust implements gather and scatter with transform.
#pragma once

#include <thrust/pair.h>

#include "upsweep/core/user_call.hpp"
#include "upsweep/select.hpp"
#include "upsweep/thrust/thrust_outputs.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

template <class Test>
struct fails {
  Test test;
  template <class T>
  UPSWEEP_HD bool operator()(const T& x) const {
    return !core::call(test, x);
  }
};

template <class It, class Out, class Test>
Out copy_if(const policy& p, It first, It last, Out out, Test test) {
  using T = value_of<It>;
  const std::uint64_t n = thrust_calls::length(first, last);
  output<T, Out> to(p, out, n, thrust_calls::reach_of(first, n));
  return to.put(upsweep::copy_if(p.where, thrust_calls::input(first, n), to.span(), thrust_calls::shared<T>(test)));
}
template <class It, class Out, class Test>
Out remove_copy_if(const policy& p, It first, It last, Out out, Test test) {
  const auto kept = thrust_calls::shared<value_of<It>>(test);
  return thrust_calls::copy_if(p, first, last, out, fails<std::remove_const_t<decltype(kept)>>{kept});
}

template <class It, class Out>
Out unique_copy(const policy& p, It first, It last, Out out) {
  const std::uint64_t n = thrust_calls::length(first, last);
  output<value_of<It>, Out> to(p, out, n, thrust_calls::reach_of(first, n));
  return to.put(upsweep::unique(p.where, thrust_calls::input(first, n), to.span()));
}
template <class K, class V, class KOut, class VOut>
thrust::pair<KOut, VOut> unique_by_key_copy(const policy& p, K first, K last, V values, KOut keys_out,
                                            VOut values_out) {
  const std::uint64_t n = thrust_calls::length(first, last);
  using T = value_of<K>;
  using U = value_of<V>;
  const bool aside = thrust_calls::both_aside<T, U>(p, keys_out, values_out, n, thrust_calls::reach_of(first, n),
                                                    thrust_calls::reach_of(values, n));
  output<T, KOut> keys(p, keys_out, n, aside);
  output<U, VOut> beside(p, values_out, n, aside);
  const std::uint64_t kept = upsweep::unique_by_key(p.where, thrust_calls::input(first, n),
                                                    thrust_calls::input(values, n), keys.span(), beside.span());
  return {keys.put(kept), beside.put(kept)};
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
