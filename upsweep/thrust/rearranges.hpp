// reverse, reverse_copy, swap_ranges.
#pragma once

#include "upsweep/rearrange.hpp"
#include "upsweep/thrust/iterators.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

template <class It>
void reverse(const policy& p, It first, It last) {
  upsweep::reverse(p.where, thrust_calls::span(first, thrust_calls::length(first, last)));
  p.where.synchronize();
}
template <class It, class Out>
Out reverse_copy(const policy& p, It first, It last, Out out) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::reverse_copy(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n));
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}
template <class A, class B>
B swap_ranges(const policy& p, A first, A last, B second) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::swap_ranges(p.where, thrust_calls::span(first, n), thrust_calls::span(second, n));
  p.where.synchronize();
  return second + static_cast<std::ptrdiff_t>(n);
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
