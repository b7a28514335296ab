// reverse, reverse_copy, swap_ranges, shuffle, shuffle_copy.
#pragma once

#include "upsweep/rearrange.hpp"
#include "upsweep/thrust/thrust_outputs.hpp"
#include "upsweep/views.hpp"

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
    upsweep::copy(p.where, upsweep::views::reverse(thrust_calls::input(first, n)), to.span());
  return to.put();
}

// A seed of 64 bits from two numbers of the engine.
template <class Engine>
std::uint64_t seed_from(Engine& engine) {
  const auto high = static_cast<std::uint64_t>(engine());
  return high << 32 ^ static_cast<std::uint64_t>(engine());
}
template <class It, class Engine>
void shuffle(const policy& p, It first, It last, Engine&& engine) {
  changed all(p, first, thrust_calls::length(first, last));
  upsweep::shuffle(p.where, all.span(), thrust_calls::seed_from(engine));
  all.put();
}
template <class It, class Out, class Engine>
void shuffle_copy(const policy& p, It first, It last, Out out, Engine&& engine) {
  using T = value_of<It>;
  const std::uint64_t n = thrust_calls::length(first, last);
  laid_out<T, It> in(p, first, n);
  output<T, Out> to(p, out, n);
  upsweep::shuffle_copy(p.where, in.span(), to.span(), thrust_calls::seed_from(engine));
  to.put();
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
