// copy_if, remove_copy_if, unique_copy, gather, scatter.
#pragma once

#include <thrust/pair.h>

#include "upsweep/select.hpp"
#include "upsweep/thrust/iterators.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

template <class Test>
struct fails {
  Test test;
  template <class T>
  UPSWEEP_HD bool operator()(const T& x) const {
    return !test(x);
  }
};

template <class It, class Out, class Test>
Out copy_if(const policy& p, It first, It last, Out out, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return out + static_cast<std::ptrdiff_t>(
                   upsweep::copy_if(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n), test));
}
template <class It, class Out, class Test>
Out remove_copy_if(const policy& p, It first, It last, Out out, Test test) {
  return thrust_calls::copy_if(p, first, last, out, fails<Test>{test});
}

template <class It, class Out>
Out unique_copy(const policy& p, It first, It last, Out out) {
  const std::uint64_t n = thrust_calls::length(first, last);
  return out + static_cast<std::ptrdiff_t>(
                   upsweep::unique(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n)));
}
template <class K, class V, class KOut, class VOut>
thrust::pair<KOut, VOut> unique_by_key_copy(const policy& p, K first, K last, V values, KOut keys_out,
                                            VOut values_out) {
  const std::uint64_t n = thrust_calls::length(first, last);
  const std::uint64_t kept =
      upsweep::unique_by_key(p.where, thrust_calls::input(first, n), thrust_calls::input(values, n),
                             thrust_calls::span(keys_out, n), thrust_calls::span(values_out, n));
  return {keys_out + static_cast<std::ptrdiff_t>(kept), values_out + static_cast<std::ptrdiff_t>(kept)};
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
