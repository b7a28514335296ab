// Lazy views: inputs whose elements are computed when a call reads them, and never stored.
//
//   auto factorial = upsweep::reduce(cpu, upsweep::views::iota(std::uint64_t{1}, n), upsweep::multiplies{});
//   float squares =
//       upsweep::reduce(gpu, upsweep::views::transform(x.span(), [] UPSWEEP_HD(float v) { return v * v; }));
//   upsweep::inclusive_scan(cpu, upsweep::views::permute(values, order), running);
//   double dot = upsweep::transform_reduce(cpu, upsweep::views::zip(y, z), 0.0, upsweep::plus{}, product{});
//                                               // product{}(r) reads r.get<0>() and r.get<1>() of a zip_reference r
//
//   views::iota(first, n)          first, first + 1, …: n elements
//   views::repeat(value, n)        value, n times
//   views::transform(x, f)         f(x_i); f(x_i, y_i) where x is a zip of two inputs and f takes no zip_reference
//   views::permute(x, indices)     x at indices_i; each index is below the size of x
//   views::zip(x, y, …)            zip_reference<T, U, …>: one element of each input; the size is that of the shortest
//                                  input
//   views::reverse(x)              x from the last element to the first
//   views::stride(x, step)         every step-th element, beginning with the first
//   views::stride(x, rows, columns, pitch)   row by row; a row begins `pitch` elements after the row before it
//   views::stride(m)               row by row, of a two-dimensional std::mdspan of host memory, or of a type with the
//                                  same extent(r), stride(r) and data_handle()
//
// x is a device span, a buffer, a contiguous or random-access range that outlives the view, or another lazy view. All
// inputs of one view are in device memory, or all in host memory. Standard views (std::views::iota, transform, reverse,
// …) of host memory are accepted wherever these views are.
//
// Requires  f can be called from several threads at once, and returns the same result for the same element. On CUDA, a
//           view of device memory is read where nvcc compiles the call (in a .cu file, with f declared UPSWEEP_HD). On
//           CUDA and on OpenCL, a view of host memory is evaluated on the host and copied to the device in chunks.
//           Functions that carry their device source (docs/calls.md) work on OpenCL, and on CUDA from any file: the
//           elements are stored in scratch memory first, and read from there.
//           Outputs must not overlap memory that a view reads. This is not checked.
// Errors    upsweep::error: a view of memory that the context's device cannot read, as for a span; a view of device
//           memory on OpenCL, or on CUDA without nvcc, whose functions have no device source, or whose zip is not the
//           argument of one function of two elements; a step of 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "upsweep/core/element_reader.hpp"
#include "upsweep/core/user_call.hpp"

namespace upsweep {

// An element of views::zip, that is, one element of each of several inputs: r.get<0>(), or auto [a, b] = r. Where it is
// stored, its members are values.
template <class... T>
struct zip_reference {};
template <class T>
struct zip_reference<T> {
  T first;

  template <std::size_t I>
  UPSWEEP_HD constexpr const auto& get() const {
    static_assert(I == 0);
    return first;
  }
  // Converts a zip_reference of references to one of values.
  template <class U>
    requires(std::is_object_v<U> && !std::is_same_v<T, U> && std::is_convertible_v<const T&, U>)
  UPSWEEP_HD constexpr operator zip_reference<U>() const {
    return {first};
  }
  // Not defaulted: a defaulted operator== of a class with reference members is deleted.
  UPSWEEP_HD friend constexpr bool operator==(const zip_reference& a, const zip_reference& b) {
    return a.first == b.first;
  }
};
template <class T, class Next, class... Rest>
struct zip_reference<T, Next, Rest...> {
  T first;
  zip_reference<Next, Rest...> rest;

  template <std::size_t I>
  UPSWEEP_HD constexpr const auto& get() const {
    if constexpr (I == 0) {
      return first;
    } else {
      return rest.template get<I - 1>();
    }
  }
  template <class U, class... V>
    requires(std::is_object_v<U> && !std::is_same_v<zip_reference, zip_reference<U, V...>> &&
             std::is_convertible_v<const T&, U> &&
             std::is_convertible_v<const zip_reference<Next, Rest...>&, zip_reference<V...>>)
  UPSWEEP_HD constexpr operator zip_reference<U, V...>() const {
    return {first, rest};
  }
  UPSWEEP_HD friend constexpr bool operator==(const zip_reference& a, const zip_reference& b) {
    return a.first == b.first && a.rest == b.rest;
  }
};

namespace core {

template <class... T>
struct value_type_of<zip_reference<T...>> {
  using type = zip_reference<std::remove_cvref_t<T>...>;
};

template <class T>
struct iota_function {
  T first;
  UPSWEEP_HD constexpr T operator()(std::uint64_t i) const { return static_cast<T>(first + static_cast<T>(i)); }
};

template <class T>
struct repeat_function {
  T value;
  UPSWEEP_HD constexpr T operator()(std::uint64_t) const { return value; }
};

template <class At, class F>
struct transform_function {
  At at;
  F f;
  UPSWEEP_HD constexpr auto operator()(std::uint64_t i) const { return core::call(f, at(i)); }
};

template <class At, class Index>
struct permute_function {
  At at;
  Index index;
  UPSWEEP_HD constexpr auto operator()(std::uint64_t i) const {
    return at(static_cast<std::uint64_t>(core::call(index, i)));
  }
};

template <class At>
struct stride_function {
  At at;
  std::uint64_t first, step;  // modulo 2^64: a reversed view has step -1
  UPSWEEP_HD constexpr auto operator()(std::uint64_t i) const { return at(first + i * step); }
};

template <class At>
struct stride_rows_function {
  At at;
  std::uint64_t columns, row_step, column_step;
  UPSWEEP_HD constexpr auto operator()(std::uint64_t i) const {
    return at(i / columns * row_step + i % columns * column_step);
  }
};

// Clang before version 17 needs these deduction guides for aggregates.
template <class At, class F>
transform_function(At, F) -> transform_function<At, F>;
template <class At, class Index>
permute_function(At, Index) -> permute_function<At, Index>;
template <class At>
stride_function(At, std::uint64_t, std::uint64_t) -> stride_function<At>;

template <class M>
concept two_dimensional = requires(const M& m) {
  { m.extent(1) } -> std::convertible_to<std::uint64_t>;
  { m.stride(1) } -> std::convertible_to<std::uint64_t>;
  *m.data_handle();
} && std::is_pointer_v<decltype(std::declval<const M&>().data_handle())>;

// No member uses [[no_unique_address]]: for a kernel parameter with such a member, nvcc 13.0 computes two different
// sizes, and the kernel reads the parameters after it from the wrong offset.
template <class At, class... Rest>
struct zip_function {
  At at;
  zip_function<Rest...> rest;
  UPSWEEP_HD constexpr zip_reference<decltype(at(0)), decltype(std::declval<const Rest&>()(0))...> operator()(
      std::uint64_t i) const {
    return {at(i), rest(i)};
  }
};
template <class At>
struct zip_function<At> {
  At at;
  UPSWEEP_HD constexpr zip_reference<decltype(at(0))> operator()(std::uint64_t i) const { return {at(i)}; }
};

template <class At>
constexpr zip_function<At> make_zip_function(At at) {
  return {std::move(at)};
}
template <class At, class... Rest>
constexpr zip_function<At, Rest...> make_zip_function(At at, Rest... rest) {
  return {std::move(at), core::make_zip_function(std::move(rest)...)};
}

// Calls f with the two elements of a zip_reference as its arguments.
template <class F>
struct call_with_both {
  F f;
  template <class A, class B>
  UPSWEEP_HD constexpr auto operator()(const zip_reference<A, B>& r) const -> decltype(f(r.first, r.rest.first)) {
    return core::call(f, r.first, r.rest.first);
  }
};

// Whether F can be called with the two elements of a zip_reference, and not with the zip_reference itself.
template <class F, class T>
inline constexpr bool takes_two_elements = false;
template <class F, class A, class B>
inline constexpr bool takes_two_elements<F, zip_reference<A, B>> =
    !std::is_invocable_v<const F&, const zip_reference<A, B>&> && std::is_invocable_v<const F&, const A&, const B&>;

template <class... T>
inline constexpr bool is_zip_reference<zip_reference<T...>> = true;
template <class Test, class A, class B>
  requires takes_two_elements<Test, zip_reference<A, B>>
struct asked_form<Test, zip_reference<A, B>> {
  using type = call_with_both<Test>;
};

// The product of two elements, computed in the accumulator's type, with that type's OpenCL C name. Integers wrap.
template <class A>
struct product_source {};
template <folding_type A>
struct product_source<A> {
  static constexpr const char* source = std::same_as<A, double>  ? "(double)a * (double)b"
                                        : std::same_as<A, float> ? "(float)a * (float)b"
                                        : sizeof(A) == 8         ? "(ulong)a * (ulong)b"
                                                                 : "(uint)a * (uint)b";
};
template <class A>
struct product_in : product_source<A> {
  template <class T, class U>
  UPSWEEP_HD constexpr A operator()(const T& x, const U& y) const {
    return multiplies{}(static_cast<A>(x), static_cast<A>(y));
  }
};

}  // namespace core

namespace views {

template <class T>
auto iota(T first, std::uint64_t n) {
  return core::make_lazy_view<memory_space::any>(core::iota_function<T>{first}, n);
}

template <class T>
auto repeat(T value, std::uint64_t n) {
  return core::make_lazy_view<memory_space::any>(core::repeat_function<T>{std::move(value)}, n);
}

template <class X, class F>
  requires core::readable_input<X>
auto transform(X&& x, F f) {
  core::require_lasting<X>();
  if constexpr (core::takes_two_elements<F, core::value_of<X>>)
    return core::make_lazy_view<core::memory_space_of<X>>(
        core::transform_function{core::held(x), core::call_with_both<F>{std::move(f)}}, core::elements_in(x));
  else
    return core::make_lazy_view<core::memory_space_of<X>>(core::transform_function{core::held(x), std::move(f)},
                                                          core::elements_in(x));
}

template <class X, class I>
  requires core::readable_input<X> && core::readable_input<I>
auto permute(X&& x, I&& indices) {
  core::require_lasting<X>();
  core::require_lasting<I>();
  static_assert(std::is_integral_v<core::value_of<I>>, "upsweep: indices are integers");
  return core::make_lazy_view<core::common_memory_space<X, I>>(
      core::permute_function{core::held(x), core::held(indices)}, core::elements_in(indices));
}

template <class... X>
  requires(core::readable_input<X> && ...) && (sizeof...(X) > 0)
auto zip(X&&... x) {
  (core::require_lasting<X>(), ...);
  return core::make_lazy_view<core::common_memory_space<X...>>(core::make_zip_function(core::held(x)...),
                                                               (std::min)({core::elements_in(x)...}));
}

template <class X>
  requires core::readable_input<X>
auto reverse(X&& x) {
  core::require_lasting<X>();
  const std::uint64_t n = core::elements_in(x);
  return core::make_lazy_view<core::memory_space_of<X>>(core::stride_function{core::held(x), n - 1, ~std::uint64_t{0}},
                                                        n);
}

template <class X>
  requires core::readable_input<X>
auto stride(X&& x, std::uint64_t step) {
  core::require_lasting<X>();
  if (step == 0)
    core::throw_error(error(fault::bad_argument, "views::stride", "the step is 0", "give a step of 1 or more"));
  const std::uint64_t n = core::elements_in(x);
  return core::make_lazy_view<core::memory_space_of<X>>(core::stride_function{core::held(x), 0, step},
                                                        n / step + (n % step != 0));
}

template <class X>
  requires core::readable_input<X>
auto stride(X&& x, std::uint64_t rows, std::uint64_t columns, std::uint64_t pitch) {
  core::require_lasting<X>();
  const std::uint64_t n = core::elements_in(x);
  if (rows != 0 && columns != 0 && (columns > n || (rows > 1 && (n - columns) / (rows - 1) < pitch)))
    core::throw_error(error(fault::bad_argument, "views::stride",
                            std::to_string(rows) + " rows of " + std::to_string(columns) + " elements, " +
                                std::to_string(pitch) + " apart, exceed the input of " + std::to_string(n) +
                                " elements",
                            "give rows inside the input"));
  using at = std::remove_cvref_t<decltype(core::held(x))>;
  return core::make_lazy_view<core::memory_space_of<X>>(
      core::stride_rows_function<at>{core::held(x), columns, pitch, 1}, rows * columns);
}

template <core::two_dimensional M>
auto stride(const M& m) {
  using T = std::remove_cvref_t<decltype(*m.data_handle())>;
  const auto rows = static_cast<std::uint64_t>(m.extent(0)), columns = static_cast<std::uint64_t>(m.extent(1));
  return core::make_lazy_view<memory_space::host>(
      core::stride_rows_function<core::from_memory<T>>{core::from_memory<T>{m.data_handle()}, columns,
                                                       static_cast<std::uint64_t>(m.stride(0)),
                                                       static_cast<std::uint64_t>(m.stride(1))},
      rows * columns);
}

}  // namespace views

}  // namespace upsweep

template <class... T>
struct std::tuple_size<upsweep::zip_reference<T...>> : std::integral_constant<std::size_t, sizeof...(T)> {};
template <std::size_t I, class... T>
struct std::tuple_element<I, upsweep::zip_reference<T...>> : std::tuple_element<I, const std::tuple<T...>> {};

#include "upsweep/for_each/jit/for_each_lazy.hpp"  // last: evaluates views from device source on OpenCL and CUDA
