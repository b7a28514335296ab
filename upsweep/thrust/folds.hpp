// reduce, inner_product and the scans.
#pragma once

#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/thrust/thrust_outputs.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

// The type in which values of type R are folded after an init: a type that holds all values of both. If neither does,
// the type of the init, as in Thrust.
template <class R, class Init>
inline constexpr bool neither_holds =
    std::is_arithmetic_v<R> && std::is_arithmetic_v<Init> && !core::holds_all<R, Init>() &&
    !core::holds_all<Init, R>() && !core::is_plain_number<Init, R>;
template <class R, class Init>
using kept_after = std::conditional_t<neither_holds<R, Init> || std::same_as<core::accumulator<R, Init>, core::narrows>,
                                      Init, core::accumulator<R, Init>>;

template <class R, class A>
inline constexpr bool goes_into = core::holds_all<R, A>() || (!std::is_arithmetic_v<R> && std::convertible_to<R, A>);

// Returns f, with its results converted to A where the library would reject the narrowing.
template <class A, class R, class F>
auto folded_as(const F& f) {
  if constexpr (goes_into<R, A>) {
    return f;
  } else {
    return converted<A, F>{f};
  }
}

// --- reduce ---

template <class X, class F, class T, class Op>
auto reduced(const policy& p, const X& in, const F& f, const T& init, const Op& op) {
  using R = core::value_through<X, F>;
  using A = kept_after<R, T>;
  const auto made = thrust_calls::folded_as<A, R>(f);
  return static_cast<A>(upsweep::transform_reduce(p.where, in, static_cast<A>(init), op, made));
}

template <class It, class F, class T, class Op>
auto transform_reduce(const policy& p, It first, It last, F f, T init, Op op) {
  const auto in = thrust_calls::input(first, thrust_calls::length(first, last));
  const auto g = thrust_calls::function<value_of<It>>(f);
  using A = kept_after<core::value_through<decltype(in), std::remove_const_t<decltype(g)>>, T>;
  return thrust_calls::reduced(p, in, g, init, thrust_calls::function<A, A>(op));
}
template <class It, class T, class Op>
auto reduce(const policy& p, It first, It last, T init, Op op) {
  return thrust_calls::transform_reduce(p, first, last, identity{}, init, op);
}
template <class It, class T>
auto reduce(const policy& p, It first, It last, T init) {
  return thrust_calls::reduce(p, first, last, init, ::cuda::std::plus<>{});
}
template <class It>
auto reduce(const policy& p, It first, It last) {
  return thrust_calls::reduce(p, first, last, value_of<It>{});
}

template <class A, class B, class T, class Op, class F>
auto inner_product(const policy& p, A first, A last, B second, T init, Op op, F f) {
  const std::uint64_t n = thrust_calls::length(first, last);
  const auto both = upsweep::views::zip(thrust_calls::input(first, n), thrust_calls::input(second, n));
  const auto g = thrust_calls::shared<value_of<A>, value_of<B>>(f);
  const core::call_with_both<std::remove_const_t<decltype(g)>> joined{g};
  using R = kept_after<core::value_through<decltype(both), std::remove_const_t<decltype(joined)>>, T>;
  return thrust_calls::reduced(p, both, joined, init, thrust_calls::function<R, R>(op));
}
template <class A, class B, class T>
auto inner_product(const policy& p, A first, A last, B second, T init) {
  const std::uint64_t n = thrust_calls::length(first, last);
  if constexpr (std::is_arithmetic_v<value_of<A>> && std::is_arithmetic_v<value_of<B>>) {
    using both = std::common_type_t<value_of<A>, value_of<B>>;
    if constexpr (!std::same_as<core::accumulator<both, T>, core::narrows>)
      return upsweep::inner_product(p.where, thrust_calls::input(first, n), thrust_calls::input(second, n), init);
    else
      return thrust_calls::inner_product(p, first, last, second, init, ::cuda::std::plus<>{},
                                         ::cuda::std::multiplies<>{});
  } else {
    return thrust_calls::inner_product(p, first, last, second, init, ::cuda::std::plus<>{},
                                       ::cuda::std::multiplies<>{});
  }
}

// --- scan ---

// The type of a scan: that of an output in memory if it holds all values; otherwise as in reduce.
template <class R, class Init, class Out>
constexpr auto scanned_in() {
  if constexpr (contiguous<Out>) {
    using V = value_of<Out>;
    constexpr bool first = core::holds_all<Init, V>() || core::is_plain_number<Init, V> ||
                           (!std::is_arithmetic_v<V> && std::convertible_to<Init, V>);
    if constexpr (goes_into<R, V> && first)
      return std::type_identity<V>{};
    else
      return std::type_identity<kept_after<R, Init>>{};
  } else {
    return std::type_identity<kept_after<R, Init>>{};
  }
}

// Without an init an inclusive scan begins with the first element.
template <bool Inclusive, class X, class Y, class F, class Op, class... Init>
void scan_to(const policy& p, const X& in, Y out, const F& f, const Op& op, const Init&... init) {
  using A = element_of<Y>;
  const auto made = thrust_calls::folded_as<A, core::value_through<X, F>>(f);
  if constexpr (Inclusive)
    upsweep::transform_inclusive_scan(p.where, in, out, static_cast<A>(init)..., op, made);
  else
    upsweep::transform_exclusive_scan(p.where, in, out, static_cast<A>(init)..., op, made);
}

template <bool Inclusive, class It, class Out, class F, class Op, class... Init>
Out scanned(const policy& p, It first, It last, Out out, const F& f, const Op& op, const Init&... init) {
  const std::uint64_t n = thrust_calls::length(first, last);
  const auto in = thrust_calls::input(first, n);
  const auto g = thrust_calls::function<value_of<It>>(f);
  using R = core::value_through<decltype(in), std::remove_const_t<decltype(g)>>;
  using First = std::tuple_element_t<sizeof...(Init), std::tuple<R, Init...>>;
  using A = typename decltype(thrust_calls::scanned_in<R, First, Out>())::type;
  const auto o = thrust_calls::function<A, A>(op);
  output<A, Out> to(p, out, n, false);
  thrust_calls::scan_to<Inclusive>(p, in, to.span(), g, o, init...);
  return to.put();
}

template <class It, class Out, class F, class Op>
Out transform_inclusive_scan(const policy& p, It first, It last, Out out, F f, Op op) {
  return thrust_calls::scanned<true>(p, first, last, out, f, op);
}
template <class It, class Out, class F, class T, class Op>
Out transform_inclusive_scan(const policy& p, It first, It last, Out out, F f, T init, Op op) {
  return thrust_calls::scanned<true>(p, first, last, out, f, op, init);
}
template <class It, class Out, class F, class T, class Op>
Out transform_exclusive_scan(const policy& p, It first, It last, Out out, F f, T init, Op op) {
  return thrust_calls::scanned<false>(p, first, last, out, f, op, init);
}

template <class It, class Out>
Out inclusive_scan(const policy& p, It first, It last, Out out) {
  return thrust_calls::scanned<true>(p, first, last, out, identity{}, ::cuda::std::plus<>{});
}
template <class It, class Out, class Op>
Out inclusive_scan(const policy& p, It first, It last, Out out, Op op) {
  return thrust_calls::scanned<true>(p, first, last, out, identity{}, op);
}
template <class It, class Out, class T, class Op>
Out inclusive_scan(const policy& p, It first, It last, Out out, T init, Op op) {
  return thrust_calls::scanned<true>(p, first, last, out, identity{}, op, init);
}
template <class It, class Out>
Out exclusive_scan(const policy& p, It first, It last, Out out) {
  return thrust_calls::scanned<false>(p, first, last, out, identity{}, ::cuda::std::plus<>{}, value_of<It>{});
}
template <class It, class Out, class T>
Out exclusive_scan(const policy& p, It first, It last, Out out, T init) {
  return thrust_calls::scanned<false>(p, first, last, out, identity{}, ::cuda::std::plus<>{}, init);
}
template <class It, class Out, class T, class Op>
Out exclusive_scan(const policy& p, It first, It last, Out out, T init, Op op) {
  return thrust_calls::scanned<false>(p, first, last, out, identity{}, op, init);
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
