// Inputs that are made as they are read, and never stored.
//
//   auto factorial = upsweep::reduce(cpu, upsweep::counting(std::uint64_t{1}, n), upsweep::multiplies{});
//   float squares = upsweep::reduce(gpu, upsweep::transformed(x.span(), [] UPSWEEP_HD(float v) { return v * v; }));
//   upsweep::inclusive_scan(cpu, upsweep::permuted(values, order), running);
//   double dot = upsweep::transform_reduce(cpu, upsweep::zipped(y, z), 0.0, upsweep::plus{}, product{});
//                                                                    // of r.get<0>() and r.get<1>() of a row r
//
//   counting(first, n)       first, first + 1, …: n of them
//   constant(value, n)       value, n times
//   transformed(x, f)        f(x_i); of two that are zipped f(x_i, y_i), where f takes no row
//   permuted(x, indices)     x at indices_i, each of which is below x's size
//   zipped(x, y, …)          rows of one element of each, kept as row<T, U, …>; as many as the shortest has
//   reversed(x)              the last first
//   strided(x, step)         every step-th, the first one first
//   strided(x, rows, columns, pitch)   row by row, each `pitch` elements behind the one before it
//   strided(m)               the same of a two-dimensional std::mdspan of host memory, or of what has its extent(r),
//                            stride(r) and data_handle()
//
// x is a device span, a buffer, a contiguous or random-access range that outlives the input, or one of these. All that
// are joined lie on one side: in device memory, or in the host's. Standard views (std::views::iota, transform, reverse,
// …) may stand where these stand, for host memory.
//
// Requires  f callable from several threads at once, with one answer for one element. On CUDA, an input over device
//           memory is read where nvcc compiles the call (a .cu file, f being UPSWEEP_HD); over host memory it is made
//           on the host and brought there in chunks, on OpenCL, too. What a call writes lies elsewhere than what such
//           an input reads; nobody looks.
//           Functions that carry their text (docs/calls.md) make it on OpenCL, and on CUDA from any file: it is
//           stored in scratch memory first, and read there.
// Errors    upsweep::error: an input over device memory on OpenCL, or on CUDA without nvcc, whose functions have no
//           text, or that is zipped otherwise than for one function of two; a step of 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "upsweep/core/call.hpp"
#include "upsweep/core/reading.hpp"

namespace upsweep {

// One element of each of several inputs: r.get<0>(), or auto [a, b] = r.
template <class... T>
struct row {};
template <class T>
struct row<T> {
  T first;

  template <std::size_t I>
  UPSWEEP_HD constexpr const auto& get() const {
    static_assert(I == 0);
    return first;
  }
  // What a row refers to, kept.
  template <class U>
    requires(std::is_object_v<U> && !std::is_same_v<T, U> && std::is_convertible_v<const T&, U>)
  UPSWEEP_HD constexpr operator row<U>() const {
    return {first};
  }
  // Not by default: that is none where a row refers to what it is made of.
  UPSWEEP_HD friend constexpr bool operator==(const row& a, const row& b) { return a.first == b.first; }
};
template <class T, class Next, class... Rest>
struct row<T, Next, Rest...> {
  T first;
  row<Next, Rest...> rest;

  template <std::size_t I>
  UPSWEEP_HD constexpr const auto& get() const {
    if constexpr (I == 0) {
      return first;
    } else {
      return rest.template get<I - 1>();
    }
  }
  template <class U, class... V>
    requires(std::is_object_v<U> && !std::is_same_v<row, row<U, V...>> && std::is_convertible_v<const T&, U> &&
             std::is_convertible_v<const row<Next, Rest...>&, row<V...>>)
  UPSWEEP_HD constexpr operator row<U, V...>() const {
    return {first, rest};
  }
  UPSWEEP_HD friend constexpr bool operator==(const row& a, const row& b) {
    return a.first == b.first && a.rest == b.rest;
  }
};

namespace core {

template <class... T>
struct kept_as<row<T...>> {
  using type = row<std::remove_cvref_t<T>...>;
};

template <class T>
struct counted_from {
  T first;
  UPSWEEP_HD constexpr T operator()(std::uint64_t i) const { return static_cast<T>(first + static_cast<T>(i)); }
};

template <class T>
struct always {
  T value;
  UPSWEEP_HD constexpr T operator()(std::uint64_t) const { return value; }
};

template <class At, class F>
struct through {
  At at;
  F f;
  UPSWEEP_HD constexpr auto operator()(std::uint64_t i) const { return core::call(f, at(i)); }
};

template <class At, class Index>
struct picked {
  At at;
  Index index;
  UPSWEEP_HD constexpr auto operator()(std::uint64_t i) const {
    return at(static_cast<std::uint64_t>(core::call(index, i)));
  }
};

template <class At>
struct stepping {
  At at;
  std::uint64_t first, step;  // modulo 2^64: the last of a reversed input lies below the first
  UPSWEEP_HD constexpr auto operator()(std::uint64_t i) const { return at(first + i * step); }
};

template <class At>
struct in_rows {
  At at;
  std::uint64_t columns, row_step, column_step;
  UPSWEEP_HD constexpr auto operator()(std::uint64_t i) const {
    return at(i / columns * row_step + i % columns * column_step);
  }
};

template <class M>
concept two_dimensional = requires(const M& m) {
  { m.extent(1) } -> std::convertible_to<std::uint64_t>;
  { m.stride(1) } -> std::convertible_to<std::uint64_t>;
  *m.data_handle();
} && std::is_pointer_v<decltype(std::declval<const M&>().data_handle())>;

// No member of these is [[no_unique_address]]: nvcc 13.0 gives such a kernel parameter two sizes, and what follows it
// is read from the wrong place.
template <class At, class... Rest>
struct side_by_side {
  At at;
  side_by_side<Rest...> rest;
  UPSWEEP_HD constexpr row<decltype(at(0)), decltype(std::declval<const Rest&>()(0))...> operator()(
      std::uint64_t i) const {
    return {at(i), rest(i)};
  }
};
template <class At>
struct side_by_side<At> {
  At at;
  UPSWEEP_HD constexpr row<decltype(at(0))> operator()(std::uint64_t i) const { return {at(i)}; }
};

template <class At>
constexpr side_by_side<At> abreast(At at) {
  return {std::move(at)};
}
template <class At, class... Rest>
constexpr side_by_side<At, Rest...> abreast(At at, Rest... rest) {
  return {std::move(at), core::abreast(std::move(rest)...)};
}

// f of a row's two elements.
template <class F>
struct of_both {
  F f;
  template <class A, class B>
  UPSWEEP_HD constexpr auto operator()(const row<A, B>& r) const -> decltype(f(r.first, r.rest.first)) {
    return core::call(f, r.first, r.rest.first);
  }
};

// Of a row's two elements, and not of a row.
template <class F, class T>
inline constexpr bool takes_two = false;
template <class F, class A, class B>
inline constexpr bool takes_two<F, row<A, B>> =
    !std::is_invocable_v<const F&, const row<A, B>&> && std::is_invocable_v<const F&, const A&, const B&>;

// In the type that is folded in, by its name in OpenCL C; integers wrap.
template <class A>
struct product_text {};
template <folding_type A>
struct product_text<A> {
  static constexpr const char* opencl = std::same_as<A, double>  ? "(double)a * (double)b"
                                        : std::same_as<A, float> ? "(float)a * (float)b"
                                        : sizeof(A) == 8         ? "(ulong)a * (ulong)b"
                                                                 : "(uint)a * (uint)b";
};
template <class A>
struct product_in : product_text<A> {
  template <class T, class U>
  UPSWEEP_HD constexpr A operator()(const T& x, const U& y) const {
    return multiplies{}(static_cast<A>(x), static_cast<A>(y));
  }
};

}  // namespace core

template <class T>
auto counting(T first, std::uint64_t n) {
  return core::made<home::anywhere>(core::counted_from<T>{first}, n);
}

template <class T>
auto constant(T value, std::uint64_t n) {
  return core::made<home::anywhere>(core::always<T>{std::move(value)}, n);
}

template <class X, class F>
  requires core::readable_input<X>
auto transformed(X&& x, F f) {
  core::require_lasting<X>();
  if constexpr (core::takes_two<F, core::value_of<X>>)
    return core::made<core::home_of<X>>(core::through{core::held(x), core::of_both<F>{std::move(f)}},
                                        core::elements_in(x));
  else
    return core::made<core::home_of<X>>(core::through{core::held(x), std::move(f)}, core::elements_in(x));
}

template <class X, class I>
  requires core::readable_input<X> && core::readable_input<I>
auto permuted(X&& x, I&& indices) {
  core::require_lasting<X>();
  core::require_lasting<I>();
  static_assert(std::is_integral_v<core::value_of<I>>, "upsweep: indices are integers");
  return core::made<core::joined_home<X, I>>(core::picked{core::held(x), core::held(indices)},
                                             core::elements_in(indices));
}

template <class... X>
  requires(core::readable_input<X> && ...) && (sizeof...(X) > 0)
auto zipped(X&&... x) {
  (core::require_lasting<X>(), ...);
  return core::made<core::joined_home<X...>>(core::abreast(core::held(x)...), std::min({core::elements_in(x)...}));
}

template <class X>
  requires core::readable_input<X>
auto reversed(X&& x) {
  core::require_lasting<X>();
  const std::uint64_t n = core::elements_in(x);
  return core::made<core::home_of<X>>(core::stepping{core::held(x), n - 1, ~std::uint64_t{0}}, n);
}

template <class X>
  requires core::readable_input<X>
auto strided(X&& x, std::uint64_t step) {
  core::require_lasting<X>();
  if (step == 0) throw error(fault::bad_argument, "strided", "the step is 0", "give a step of 1 or more");
  const std::uint64_t n = core::elements_in(x);
  return core::made<core::home_of<X>>(core::stepping{core::held(x), 0, step}, n / step + (n % step != 0));
}

template <class X>
  requires core::readable_input<X>
auto strided(X&& x, std::uint64_t rows, std::uint64_t columns, std::uint64_t pitch) {
  core::require_lasting<X>();
  const std::uint64_t n = core::elements_in(x);
  if (rows != 0 && columns != 0 && (columns > n || (rows > 1 && (n - columns) / (rows - 1) < pitch)))
    throw error(fault::bad_argument, "strided",
                std::to_string(rows) + " rows of " + std::to_string(columns) + " elements, " + std::to_string(pitch) +
                    " apart, pass the end of " + std::to_string(n),
                "give rows that lie inside");
  using at = std::remove_cvref_t<decltype(core::held(x))>;
  return core::made<core::home_of<X>>(core::in_rows<at>{core::held(x), columns, pitch, 1}, rows * columns);
}

template <core::two_dimensional M>
auto strided(const M& m) {
  using T = std::remove_cvref_t<decltype(*m.data_handle())>;
  const auto rows = static_cast<std::uint64_t>(m.extent(0)), columns = static_cast<std::uint64_t>(m.extent(1));
  return core::made<home::host>(core::in_rows<core::from_memory<T>>{core::from_memory<T>{m.data_handle()}, columns,
                                                                    static_cast<std::uint64_t>(m.stride(0)),
                                                                    static_cast<std::uint64_t>(m.stride(1))},
                                rows * columns);
}

}  // namespace upsweep

template <class... T>
struct std::tuple_size<upsweep::row<T...>> : std::integral_constant<std::size_t, sizeof...(T)> {};
template <std::size_t I, class... T>
struct std::tuple_element<I, upsweep::row<T...>> : std::tuple_element<I, const std::tuple<T...>> {};

#include "upsweep/for_each/opencl/made.hpp"  // last: how texts make them on OpenCL and CUDA
