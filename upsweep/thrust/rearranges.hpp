// reverse, reverse_copy, swap_ranges.
#pragma once

#include "upsweep/inputs.hpp"
#include "upsweep/rearrange.hpp"
#include "upsweep/thrust/outputs.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

template <class It>
void reverse(const policy& p, It first, It last) {
  changed all(p, first, thrust_calls::length(first, last));
  upsweep::reverse(p.where, all.span());
  all.put();
}
template <class It, class Out>
Out reverse_copy(const policy& p, It first, It last, Out out) {
  const std::uint64_t n = thrust_calls::length(first, last);
  output<value_of<It>, Out> to(p, out, n);
  if constexpr (contiguous<It>)
    upsweep::reverse_copy(p.where, thrust_calls::input(first, n), to.span());
  else
    upsweep::copy(p.where, upsweep::reversed(thrust_calls::input(first, n)), to.span());
  return to.put();
}
template <class A, class B>
B swap_ranges(const policy& p, A first, A last, B second) {
  const std::uint64_t n = thrust_calls::length(first, last);
  if constexpr (std::same_as<value_of<A>, value_of<B>>) {
    changed a(p, first, n);
    changed b(p, second, n);
    upsweep::swap_ranges(p.where, a.span(), b.span());
    a.put();
    return b.put();
  } else {
    using T = value_of<A>;
    laid_out<T, A> a(p, first, n);
    set_aside<T> kept(p.where, n);
    thrust_calls::assign(p.where, n, kept.data(), core::from_memory<T>{a.span().data()});
    thrust_calls::assign(p.where, n, first, element_at<B>{second});
    thrust_calls::assign(p.where, n, second, core::from_memory<T>{kept.data()});
    p.where.synchronize();
    return thrust_calls::behind(second, n);
  }
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
