// transform, transform_if, copy, fill, sequence, generate, tabulate, for_each, adjacent_difference, replace and its
// variants. If an output is not memory, each element is assigned to it as soon as it is computed.
#pragma once

#include "upsweep/core/user_call.hpp"
#include "upsweep/thrust/thrust_outputs.hpp"
#include "upsweep/transform.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

// Also replaces the function objects of Thrust that have no counterpart among this library's operators.
template <class... X, class F>
auto map_function(const F& f) {
  if constexpr (is_any<::cuda::std::minus, F> && !(cuts<F, X> || ...)) {
    return std::minus<>{};
  } else {
    return thrust_calls::function<X...>(f);
  }
}

// Whether a replaced function object can be used as it is: all elements have type T, and T holds its results. It cannot
// for differences of short integers, which are ints.
template <class Known, class T, class... X>
concept stays = (std::same_as<X, T> && ...) && std::is_invocable_v<const Known&, const X&...> &&
                core::holds_all<std::invoke_result_t<const Known&, const X&...>, T>();
template <class T, class... X, class F>
auto into(const F& f) {
  using known = decltype(thrust_calls::map_function<X...>(f));
  if constexpr (!std::same_as<known, F> && stays<known, T, X...>) {
    return thrust_calls::map_function<X...>(f);
  } else {
    const auto shared = thrust_calls::shared<X...>(f);
    return converted<T, std::remove_const_t<decltype(shared)>>{shared};
  }
}

// Calls f with element i of each input.
template <class F, class... X>
struct mapped {};
template <class F, class A>
struct mapped<F, A> {
  F f;
  element_at<A> a;
  UPSWEEP_HD auto operator()(std::uint64_t i) const { return core::call(f, a(i)); }
};
template <class F, class A, class B>
struct mapped<F, A, B> {
  F f;
  element_at<A> a;
  element_at<B> b;
  UPSWEEP_HD auto operator()(std::uint64_t i) const { return core::call(f, a(i), b(i)); }
};

template <class Out, class F, class... X>
Out map(const policy& p, std::uint64_t n, Out out, const F& f, X... x) {
  if constexpr (contiguous<Out>) {
    upsweep::transform(p.where, thrust_calls::input(x, n)..., thrust_calls::span(out, n),
                       thrust_calls::into<value_of<Out>, value_of<X>...>(f));
  } else {
    const auto shared = thrust_calls::shared<value_of<X>...>(f);
    thrust_calls::assign(p.where, n, out, mapped<std::remove_const_t<decltype(shared)>, X...>{shared, {x}...});
  }
  p.where.synchronize();
  return thrust_calls::behind(out, n);
}

template <class It, class Out, class F>
Out transform(const policy& p, It first, It last, Out out, F f) {
  return thrust_calls::map(p, thrust_calls::length(first, last), out, f, first);
}
template <class A, class B, class Out, class F>
Out transform(const policy& p, A first, A last, B second, Out out, F f) {
  return thrust_calls::map(p, thrust_calls::length(first, last), out, f, first, second);
}

template <class It, class Out>
Out copy(const policy& p, It first, It last, Out out) {
  const std::uint64_t n = thrust_calls::length(first, last);
  if constexpr (is_memory_of<Out, value_of<It>>) {
    upsweep::copy(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n));
    p.where.synchronize();
    return thrust_calls::behind(out, n);
  } else {
    return thrust_calls::map(p, n, out, ::cuda::std::identity{}, first);
  }
}
template <class It, class Size, class Out>
Out copy_n(const policy& p, It first, Size n, Out out) {
  return thrust_calls::copy(p, first, first + n, out);
}

template <class Out, class Test, class S, class F, class... X>
struct assigning_some {
  Test test;
  element_at<S> stencil;
  assigning<Out, mapped<F, X...>> all;
  UPSWEEP_HD void operator()(std::uint64_t i) const {
    if (core::call(test, stencil(i))) all(i);
  }
};
template <class Out, class F, class Test, class S, class... X>
Out map_some(const policy& p, std::uint64_t n, Out out, const F& f, const Test& test, S stencil, X... x) {
  const auto asked = thrust_calls::shared<value_of<S>>(test);
  if constexpr (contiguous<Out>) {
    upsweep::transform_if(p.where, thrust_calls::input(x, n)..., thrust_calls::input(stencil, n),
                          thrust_calls::span(out, n), thrust_calls::into<value_of<Out>, value_of<X>...>(f), asked);
  } else {
    const auto shared = thrust_calls::shared<value_of<X>...>(f);
    using some =
        assigning_some<Out, std::remove_const_t<decltype(asked)>, S, std::remove_const_t<decltype(shared)>, X...>;
    upsweep::for_each_index(p.where, n, some{asked, {stencil}, {out, {shared, {x}...}}});
  }
  p.where.synchronize();
  return thrust_calls::behind(out, n);
}

template <class It, class S, class Out, class F, class Test>
Out transform_if(const policy& p, It first, It last, S stencil, Out out, F f, Test test) {
  return thrust_calls::map_some(p, thrust_calls::length(first, last), out, f, test, stencil, first);
}
template <class It, class Out, class F, class Test>
Out transform_if(const policy& p, It first, It last, Out out, F f, Test test) {
  return thrust_calls::transform_if(p, first, last, first, out, f, test);
}
template <class A, class B, class S, class Out, class F, class Test>
Out transform_if(const policy& p, A first, A last, B second, S stencil, Out out, F f, Test test) {
  return thrust_calls::map_some(p, thrust_calls::length(first, last), out, f, test, stencil, first, second);
}

template <class It, class F>
struct calling {
  It first;
  F f;
  UPSWEEP_HD void operator()(std::uint64_t i) const {
    F own = f;
    core::call(
        own, thrust::raw_reference_cast(*(first + static_cast<typename std::iterator_traits<It>::difference_type>(i))));
  }
};
template <class It, class Size, class F>
It for_each_n(const policy& p, It first, Size n, F f) {
  core::require_both_sides<F>();
  upsweep::for_each_index(p.where, static_cast<std::uint64_t>(n), calling<It, F>{first, f});
  p.where.synchronize();
  return thrust_calls::behind(first, static_cast<std::uint64_t>(n));
}
template <class It, class F>
It for_each(const policy& p, It first, It last, F f) {
  return thrust_calls::for_each_n(p, first, last - first, f);
}

template <class It, class T>
void fill(const policy& p, It first, It last, const T& value) {
  const std::uint64_t n = thrust_calls::length(first, last);
  if constexpr (contiguous<It>)
    upsweep::fill(p.where, thrust_calls::span(first, n), static_cast<value_of<It>>(value));
  else
    thrust_calls::assign(p.where, n, first, core::repeat_function<T>{value});
  p.where.synchronize();
}
template <class It, class Size, class T>
It fill_n(const policy& p, It first, Size n, const T& value) {
  thrust_calls::fill(p, first, first + n, value);
  return first + n;
}

template <class T>
struct steps_from {
  T first, step;
  UPSWEEP_HD T operator()(std::uint64_t i) const {
    if constexpr (std::is_arithmetic_v<T>) {
      return static_cast<T>(first + step * static_cast<T>(i));
    } else {
      return static_cast<T>(first + step * static_cast<std::size_t>(i));
    }
  }
};
template <class It, class T>
void sequence(const policy& p, It first, It last, T init, T step) {
  const std::uint64_t n = thrust_calls::length(first, last);
  if constexpr (contiguous<It>) {
    using V = value_of<It>;
    if constexpr (std::is_arithmetic_v<V> && builtin_type<V>)
      upsweep::iota(p.where, thrust_calls::span(first, n), static_cast<V>(init), static_cast<V>(step));
    else
      upsweep::tabulate(p.where, thrust_calls::span(first, n), converted<V, steps_from<T>>{{init, step}});
  } else {
    thrust_calls::assign(p.where, n, first, steps_from<T>{init, step});
  }
  p.where.synchronize();
}
template <class It, class T>
void sequence(const policy& p, It first, It last, T init) {
  thrust_calls::sequence(p, first, last, init, T(1));
}
template <class It>
void sequence(const policy& p, It first, It last) {
  using T = std::conditional_t<contiguous<It>, value_of<It>, typename std::iterator_traits<It>::difference_type>;
  thrust_calls::sequence(p, first, last, T(0));
}

template <class F>
struct without_index {
  F f;
  UPSWEEP_HD auto operator()(std::uint64_t) const { return core::call(f); }
};
template <class It, class F>
void generate(const policy& p, It first, It last, F f) {
  const std::uint64_t n = thrust_calls::length(first, last);
  const auto shared = thrust_calls::shared<>(f);
  using made = std::remove_const_t<decltype(shared)>;
  if constexpr (contiguous<It>)
    upsweep::generate(p.where, thrust_calls::span(first, n), converted<value_of<It>, made>{shared});
  else
    thrust_calls::assign(p.where, n, first, without_index<made>{shared});
  p.where.synchronize();
}
template <class It, class Size, class F>
It generate_n(const policy& p, It first, Size n, F f) {
  thrust_calls::generate(p, first, first + n, f);
  return first + n;
}
template <class It, class F>
void tabulate(const policy& p, It first, It last, F f) {
  using index = typename std::iterator_traits<It>::difference_type;
  const std::uint64_t n = thrust_calls::length(first, last);
  const auto shared = thrust_calls::map_function<index>(f);
  using made = mapped<std::remove_const_t<decltype(shared)>, thrust::counting_iterator<index>>;
  const made at{shared, {thrust::counting_iterator<index>(0)}};
  if constexpr (contiguous<It>)
    upsweep::tabulate(p.where, thrust_calls::span(first, n), converted<value_of<It>, made>{at});
  else
    thrust_calls::assign(p.where, n, first, at);
  p.where.synchronize();
}

template <class It, class Out, class Op = ::cuda::std::minus<>>
Out adjacent_difference(const policy& p, It first, It last, Out out, Op op = {}) {
  using T = value_of<It>;
  const std::uint64_t n = thrust_calls::length(first, last);
  output_or<T, Out> to(p, out, n);
  upsweep::adjacent_difference(p.where, thrust_calls::input(first, n), to.span(),
                               thrust_calls::into<element_of<decltype(to.span())>, T, T>(op));
  return to.put();
}

template <class It, class T>
void replace(const policy& p, It first, It last, const T& old, const T& value) {
  changed all(p, first, thrust_calls::length(first, last));
  upsweep::replace(p.where, all.span(), static_cast<value_of<It>>(old), static_cast<value_of<It>>(value));
  all.put();
}
template <class It, class Test, class T>
void replace_if(const policy& p, It first, It last, Test test, const T& value) {
  changed all(p, first, thrust_calls::length(first, last));
  upsweep::replace_if(p.where, all.span(), thrust_calls::shared<value_of<It>>(test), static_cast<value_of<It>>(value));
  all.put();
}
template <class It, class S, class Test, class T>
void replace_if(const policy& p, It first, It last, S stencil, Test test, const T& value) {
  const std::uint64_t n = thrust_calls::length(first, last);
  changed all(p, first, n);
  upsweep::replace_if(p.where, all.span(), thrust_calls::input(stencil, n), thrust_calls::shared<value_of<S>>(test),
                      static_cast<value_of<It>>(value));
  all.put();
}
template <class It, class Out, class T>
Out replace_copy(const policy& p, It first, It last, Out out, const T& old, const T& value) {
  const std::uint64_t n = thrust_calls::length(first, last);
  output_or<value_of<It>, Out> to(p, out, n);
  upsweep::replace_copy(p.where, thrust_calls::input(first, n), to.span(), static_cast<value_of<It>>(old),
                        static_cast<element_of<decltype(to.span())>>(value));
  return to.put();
}
template <class It, class Out, class Test, class T>
Out replace_copy_if(const policy& p, It first, It last, Out out, Test test, const T& value) {
  const std::uint64_t n = thrust_calls::length(first, last);
  output_or<value_of<It>, Out> to(p, out, n);
  upsweep::replace_copy_if(p.where, thrust_calls::input(first, n), to.span(), thrust_calls::shared<value_of<It>>(test),
                           static_cast<element_of<decltype(to.span())>>(value));
  return to.put();
}
template <class It, class S, class Out, class Test, class T>
Out replace_copy_if(const policy& p, It first, It last, S stencil, Out out, Test test, const T& value) {
  const std::uint64_t n = thrust_calls::length(first, last);
  output_or<value_of<It>, Out> to(p, out, n);
  upsweep::replace_copy_if(p.where, thrust_calls::input(first, n), thrust_calls::input(stencil, n), to.span(),
                           thrust_calls::shared<value_of<S>>(test),
                           static_cast<element_of<decltype(to.span())>>(value));
  return to.put();
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
