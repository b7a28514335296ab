// transform: elementwise computation. Applies functions to one or more inputs, everywhere or where a test passes;
// fills, sequences, copies, tables, and differences of neighbours.
//
//   upsweep::transform(gpu, x.span(), y.span(), upsweep::square{});                      // y_i = x_i²
//   upsweep::transform(cpu, a, b, sums, std::plus<>{});                                  // of two inputs
//   upsweep::transform(cpu, a, b, c, out, [] UPSWEEP_HD(float x, float y, float z) { return x * y + z; });
//   upsweep::transform_if(gpu, x.span(), x.span(), upsweep::negate{}, upsweep::less_than(0.0f));
//   upsweep::replace(cpu, readings, -1, 0);
//   upsweep::fill(gpu, zeros.span(), 0);
//   upsweep::iota(cpu, indices);                                                         // 0, 1, 2, …
//   upsweep::iota(cpu, grid, -1.0, 0.125);                                               // from -1 in steps of 1/8
//   upsweep::tabulate(cpu, squares, [] UPSWEEP_HD(std::uint64_t i) { return i * i; });
//   upsweep::adjacent_difference(gpu, totals.span(), totals.span());                     // undoes an inclusive sum
//
//   transform            out[i] = f(x[i], y[i], …)
//   transform_if         out[i] = f(x[i], …) if x[i], or stencil[i], passes the test; otherwise out[i] keeps its value
//   replace              x[i] = value if x[i] is the old value; replace_if: if x[i], or stencil[i], passes the test
//   replace_copy         out[i] = value in these cases, otherwise x[i]; replace_copy_if
//   fill                 out[i] = value
//   iota                 out[i] = first + i·step
//   copy                 out[i] = x[i]
//   generate             out[i] = f(), one call per element, in any order
//   tabulate             out[i] = f(i)
//   adjacent_difference  out[0] = x[0], out[i] = op(x[i], x[i - 1]); op is the difference by default
//
// Inputs       Device spans, buffers, ranges with random access and a size, and lazy views (views.hpp). Inputs and
//              output are all in device memory or all in host memory.
// Outputs      Any type that holds the results: f may return u8 for an output of u64. Narrowing does not compile. A
//              number given as a value or a threshold is converted to the type of the elements (0 and 1.0 for floats);
//              a number that this type does not hold is an error. Integers wrap in iota and in differences.
// Requires     Every input has as many elements as the output; n may be 0. The output may be exactly an input (in
//              place), and overlaps none otherwise. Overlap with memory that a lazy view reads is not checked. f is
//              callable as const, from several threads at once.
// Work         n calls of f.
// Bytes        Every element is read once and written once. adjacent_difference in place on a GPU first copies the
//              input to scratch memory of the context.
// Determinism  Bit for bit the same on every device, if f is. iota of floats rounds the product and the sum separately,
//              or both at once.
// Asynchrony   Calls on device spans are enqueued. Calls on host memory return after the work is done; for a GPU it is
//              streamed in chunks (adjacent_difference: copied as a whole, which must fit).
// Errors       upsweep::error: different sizes, overlap, a function or type that the device does not support.
//
// User-defined functions and types work on the CPU from any file, and on CUDA when nvcc compiles the call (a .cu file,
// with f UPSWEEP_HD). On OpenCL, and on CUDA from any other file, a function needs device source: `static constexpr
// const char* source`, an expression in x (functions of one input, and tests), in a, b, c, … (of several inputs; a is
// the later neighbour), or in i (tabulate).
//
// The following work from any .cpp file on every device:
//
//   transform     built-in operators and transforms from one type (i32 u32 i64 u64 f32 f64) into the same type
//   transform_if  of one input, with less_than(x) and the similar tests
//   replace       by a value or such a test
//   iota          all built-in types except f16
//   fill          elements of 1 or 2 bytes, and of 4 or 8 bytes if aligned to their size
//   copy          elements of any type
#pragma once

#include "upsweep/transform/transform_checked.hpp"
#include "upsweep/transform/transform_selected.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

template <class X, class Y, class F, class By = this_compiler>
void transform(const context& where, const X& x, Y&& out, F f) {
  detail::transform_impl::check_and_map<By>(where, "transform", out, f, x);
}
template <class X, class X2, class Y, class F, class By = this_compiler>
void transform(const context& where, const X& x, const X2& x2, Y&& out, F f) {
  detail::transform_impl::check_and_map<By>(where, "transform", out, f, x, x2);
}
// Overload for three or more inputs: the inputs, the output, the function.
template <class... Arguments>
  requires(sizeof...(Arguments) >= 5)
void transform(const context& where, Arguments&&... arguments) {
  detail::transform_impl::map_many<this_compiler>(where, std::forward_as_tuple(arguments...),
                                                  std::make_index_sequence<sizeof...(Arguments) - 2>());
}

// Overloads with a test of x, with a test of a stencil, and with two inputs and a test of a stencil.
template <class X, class Y, class F, class Test, class By = this_compiler>
void transform_if(const context& where, const X& x, Y&& out, F f, Test test) {
  detail::transform_impl::check_and_map_some<By>(where, out, f, test, x, x);
}
template <class X, class S, class Y, class F, class Test, class By = this_compiler>
void transform_if(const context& where, const X& x, const S& stencil, Y&& out, F f, Test test) {
  detail::transform_impl::check_and_map_some<By>(where, out, f, test, stencil, x);
}
template <class X, class X2, class S, class Y, class F, class Test, class By = this_compiler>
void transform_if(const context& where, const X& x, const X2& x2, const S& stencil, Y&& out, F f, Test test) {
  detail::transform_impl::check_and_map_some<By>(where, out, f, test, stencil, x, x2);
}

template <class X, class Test, class V, class By = this_compiler>
void replace_if(const context& where, X&& x, Test test, const V& value) {
  detail::transform_impl::check_and_replace<By>(where, "replace_if", x, x, x, test, value);
}
template <class X, class S, class Test, class V, class By = this_compiler>
void replace_if(const context& where, X&& x, const S& stencil, Test test, const V& value) {
  detail::transform_impl::check_and_replace<By>(where, "replace_if", x, x, stencil, test, value);
}
template <class X, class Y, class Test, class V, class By = this_compiler>
void replace_copy_if(const context& where, const X& x, Y&& out, Test test, const V& value) {
  detail::transform_impl::check_and_replace<By>(where, "replace_copy_if", out, x, x, test, value);
}
template <class X, class S, class Y, class Test, class V, class By = this_compiler>
void replace_copy_if(const context& where, const X& x, const S& stencil, Y&& out, Test test, const V& value) {
  detail::transform_impl::check_and_replace<By>(where, "replace_copy_if", out, x, stencil, test, value);
}
template <class X, class Old, class V, class By = this_compiler>
void replace(const context& where, X&& x, const Old& old, const V& value) {
  const auto test = detail::transform_impl::test_for(detail::transform_impl::value_for<element_of<X>>("replace", old));
  detail::transform_impl::check_and_replace<By>(where, "replace", x, x, x, test, value);
}
template <class X, class Y, class Old, class V, class By = this_compiler>
void replace_copy(const context& where, const X& x, Y&& out, const Old& old, const V& value) {
  const auto test =
      detail::transform_impl::test_for(detail::transform_impl::value_for<core::value_of<X>>("replace_copy", old));
  detail::transform_impl::check_and_replace<By>(where, "replace_copy", out, x, x, test, value);
}

template <class Y, class V, class By = this_compiler>
void fill(const context& where, Y&& out, const V& value) {
  detail::transform_impl::require_output<Y>();
  using T = element_of<Y>;
  const auto to = core::written_operand(out);
  const T x = detail::transform_impl::value_for<T>("fill", value);
  core::require_reach("fill", where, {{"the output", to}});
  if (where.kind() == backend::cpu) {
    cpu::store(where.device(), to.data(), to.size(), core::repeat_function<T>{x});
  } else if constexpr (on_device<Y>) {
    detail::transform_impl::fill_on_device<By>(where, to, x);
  } else {
    detail::transform_impl::for_each_output_chunk(
        where, "fill", to, sizeof(T),
        [&](core::operand<T> part, std::uint64_t) { detail::transform_impl::fill_on_device<By>(where, part, x); });
  }
}

template <class Y, class First = int, class Step = int>
void iota(const context& where, Y&& out, const First& first = {}, const Step& step = 1) {
  detail::transform_impl::require_output<Y>();
  using T = element_of<Y>;
  static_assert(std::is_arithmetic_v<T> && builtin_type<T>, "upsweep: iota writes numbers: i8 to u64, f32 or f64");
  if constexpr (std::is_arithmetic_v<T> && builtin_type<T>) {
    const auto to = core::written_operand(out);
    core::require_reach("iota", where, {{"the output", to}});
    const T a = detail::transform_impl::value_for<T>("iota", first);
    const T s = [&] {
      if constexpr (std::integral<T> && std::same_as<Step, int>)
        return static_cast<T>(step);  // -1 counts down, also in unsigned types
      else
        return detail::transform_impl::value_for<T>("iota", step);
    }();
    if (where.kind() == backend::cpu) {
      cpu::store_steps(where.device(), to.data(), to.size(), a, s);
    } else if constexpr (on_device<Y>) {
      detail::transform_impl::iota_on_device(where, to, a, s);
    } else {
      detail::transform_impl::for_each_output_chunk(where, "iota", to, sizeof(T),
                                                    [&](core::operand<T> part, std::uint64_t from) {
                                                      detail::transform_impl::iota_on_device(where, part, a, s, from);
                                                    });
    }
  }
}

template <class X, class Y, class By = this_compiler>
void copy(const context& where, const X& x, Y&& out) {
  detail::transform_impl::check_and_copy<By>(where, out, x);
}

template <class Y, class F, class By = this_compiler>
void generate(const context& where, Y&& out, F f) {
  detail::transform_impl::require_output<Y>();
  if constexpr (detail::transform_impl::require_function<F>())
    if constexpr (detail::transform_impl::require_place_for<std::invoke_result_t<const F&>, element_of<Y>>())
      detail::transform_impl::tabulate<By, Y>(where, "generate", core::written_operand(out),
                                              detail::transform_impl::without_index<F>{std::move(f)});
}

template <class Y, class F, class By = this_compiler>
void tabulate(const context& where, Y&& out, F f) {
  detail::transform_impl::require_output<Y>();
  core::require_both_sides<F>();
  constexpr bool called = std::is_invocable_v<const F&, std::uint64_t>;
  static_assert(called,
                "upsweep: tabulate calls f(std::uint64_t) as const, from several threads at once; give it a function "
                "that takes an index, and no mutable lambda");
  if constexpr (called)
    if constexpr (detail::transform_impl::require_place_for<std::invoke_result_t<const F&, std::uint64_t>,
                                                            element_of<Y>>())
      detail::transform_impl::tabulate<By, Y>(where, "tabulate", core::written_operand(out), f);
}

template <class X, class Y, class Op = detail::transform_impl::difference, class By = this_compiler>
void adjacent_difference(const context& where, const X& x, Y&& out, Op op = {}) {
  detail::transform_impl::check_and_combine<By>(where, out, x, op);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
