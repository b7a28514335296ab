// transform, transform_if, copy, fill, sequence, generate, tabulate, adjacent_difference, replace and its forms.
#pragma once

#include "upsweep/thrust/iterators.hpp"
#include "upsweep/transform.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

// Thrust's function objects for operators that this library's folds have not.
template <class F>
auto map_function(const F& f) {
  if constexpr (is_any<::cuda::std::minus, F>) {
    return std::minus<>{};
  } else {
    return thrust_calls::function(f);
  }
}

// f's results in the output's type, as Thrust assigns them.
template <class T, class F>
struct converted {
  F f;
  template <class... X>
  UPSWEEP_HD T operator()(const X&... x) const {
    return static_cast<T>(f(x...));
  }
};
// Of elements of that one type, what this library knows stays what it is.
template <class T, class F, class... X>
auto into(const F& f) {
  if constexpr ((std::same_as<X, T> && ...) && !std::same_as<decltype(thrust_calls::map_function(f)), F>) {
    return thrust_calls::map_function(f);
  } else {
    return converted<T, F>{f};
  }
}

template <class It, class Out>
Out copy(const policy& p, It first, It last, Out out) {
  const std::uint64_t n = thrust_calls::length(first, last);
  if constexpr (std::same_as<value_of<It>, value_of<Out>>)
    upsweep::copy(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n));
  else
    upsweep::transform(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n),
                       converted<value_of<Out>, ::cuda::std::identity>{});
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}
template <class It, class Size, class Out>
Out copy_n(const policy& p, It first, Size n, Out out) {
  return thrust_calls::copy(p, first, first + n, out);
}

template <class It, class Out, class F>
Out transform(const policy& p, It first, It last, Out out, F f) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::transform(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n),
                     thrust_calls::into<value_of<Out>, F, value_of<It>>(f));
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}
template <class A, class B, class Out, class F>
Out transform(const policy& p, A first, A last, B second, Out out, F f) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::transform(p.where, thrust_calls::input(first, n), thrust_calls::input(second, n), thrust_calls::span(out, n),
                     thrust_calls::into<value_of<Out>, F, value_of<A>, value_of<B>>(f));
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}

template <class It, class S, class Out, class F, class Test>
Out transform_if(const policy& p, It first, It last, S stencil, Out out, F f, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::transform_if(p.where, thrust_calls::input(first, n), thrust_calls::input(stencil, n),
                        thrust_calls::span(out, n), thrust_calls::into<value_of<Out>, F, value_of<It>>(f), test);
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}
template <class It, class Out, class F, class Test>
Out transform_if(const policy& p, It first, It last, Out out, F f, Test test) {
  return thrust_calls::transform_if(p, first, last, first, out, f, test);
}
template <class A, class B, class S, class Out, class F, class Test>
Out transform_if(const policy& p, A first, A last, B second, S stencil, Out out, F f, Test test) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::transform_if(p.where, thrust_calls::input(first, n), thrust_calls::input(second, n),
                        thrust_calls::input(stencil, n), thrust_calls::span(out, n),
                        thrust_calls::into<value_of<Out>, F, value_of<A>, value_of<B>>(f), test);
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}

template <class It, class T>
void fill(const policy& p, It first, It last, const T& value) {
  upsweep::fill(p.where, thrust_calls::span(first, thrust_calls::length(first, last)),
                static_cast<value_of<It>>(value));
  p.where.synchronize();
}
template <class It, class Size, class T>
It fill_n(const policy& p, It first, Size n, const T& value) {
  thrust_calls::fill(p, first, first + n, value);
  return first + n;
}

template <class It, class T>
void sequence(const policy& p, It first, It last, T init, T step) {
  upsweep::iota(p.where, thrust_calls::span(first, thrust_calls::length(first, last)), static_cast<value_of<It>>(init),
                static_cast<value_of<It>>(step));
  p.where.synchronize();
}
template <class It, class T>
void sequence(const policy& p, It first, It last, T init) {
  thrust_calls::sequence(p, first, last, init, T(1));
}
template <class It>
void sequence(const policy& p, It first, It last) {
  thrust_calls::sequence(p, first, last, value_of<It>(0));
}

template <class It, class F>
void generate(const policy& p, It first, It last, F f) {
  upsweep::generate(p.where, thrust_calls::span(first, thrust_calls::length(first, last)),
                    converted<value_of<It>, F>{f});
  p.where.synchronize();
}
template <class It, class Size, class F>
It generate_n(const policy& p, It first, Size n, F f) {
  thrust_calls::generate(p, first, first + n, f);
  return first + n;
}
template <class It, class F>
void tabulate(const policy& p, It first, It last, F f) {
  upsweep::tabulate(p.where, thrust_calls::span(first, thrust_calls::length(first, last)),
                    converted<value_of<It>, F>{f});
  p.where.synchronize();
}

template <class It, class Out, class Op = ::cuda::std::minus<>>
Out adjacent_difference(const policy& p, It first, It last, Out out, Op op = {}) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::adjacent_difference(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n),
                               thrust_calls::into<value_of<Out>, Op, value_of<It>>(op));
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}

template <class It, class T>
void replace(const policy& p, It first, It last, const T& old, const T& value) {
  upsweep::replace(p.where, thrust_calls::span(first, thrust_calls::length(first, last)),
                   static_cast<value_of<It>>(old), static_cast<value_of<It>>(value));
  p.where.synchronize();
}
template <class It, class Test, class T>
void replace_if(const policy& p, It first, It last, Test test, const T& value) {
  upsweep::replace_if(p.where, thrust_calls::span(first, thrust_calls::length(first, last)), test,
                      static_cast<value_of<It>>(value));
  p.where.synchronize();
}
template <class It, class S, class Test, class T>
void replace_if(const policy& p, It first, It last, S stencil, Test test, const T& value) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::replace_if(p.where, thrust_calls::span(first, n), thrust_calls::input(stencil, n), test,
                      static_cast<value_of<It>>(value));
  p.where.synchronize();
}
template <class It, class Out, class T>
Out replace_copy(const policy& p, It first, It last, Out out, const T& old, const T& value) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::replace_copy(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n),
                        static_cast<value_of<It>>(old), static_cast<value_of<Out>>(value));
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}
template <class It, class Out, class Test, class T>
Out replace_copy_if(const policy& p, It first, It last, Out out, Test test, const T& value) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::replace_copy_if(p.where, thrust_calls::input(first, n), thrust_calls::span(out, n), test,
                           static_cast<value_of<Out>>(value));
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}
template <class It, class S, class Out, class Test, class T>
Out replace_copy_if(const policy& p, It first, It last, S stencil, Out out, Test test, const T& value) {
  const std::uint64_t n = thrust_calls::length(first, last);
  upsweep::replace_copy_if(p.where, thrust_calls::input(first, n), thrust_calls::input(stencil, n),
                           thrust_calls::span(out, n), test, static_cast<value_of<Out>>(value));
  p.where.synchronize();
  return out + static_cast<std::ptrdiff_t>(n);
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
