// transform: what stands at each place of an output, place by place: functions of one, two or more inputs, everywhere
// or where a test says so, values, sequences, copies, tables, differences of neighbours.
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
//   transform_if         out[i] = f(x[i], …) where x[i], or stencil[i], passes the test; else out[i] stays
//   replace              x[i] = value where x[i] is the old one; replace_if: where x[i], or stencil[i], passes the test
//   replace_copy         out[i] = value there, x[i] elsewhere; replace_copy_if
//   fill                 out[i] = value
//   iota                 out[i] = first + i·step
//   copy                 out[i] = x[i]
//   generate             out[i] = f(), each call once, in any order
//   tabulate             out[i] = f(i)
//   adjacent_difference  out[0] = x[0], out[i] = op(x[i], x[i - 1]); op is the difference where none is given
//
// Inputs       device spans, buffers, ranges with random access and a size, and what inputs.hpp makes as it is read;
//              all in device memory or all in host memory, as the output.
// Outputs      of any type that holds the results: f may return u8 where u64 is written; what would narrow does not
//              compile. A plain int given as a value stands for one of the elements' type; where there is none, this
//              is an error. Integers wrap in iota and in differences.
// Requires     as many elements in every input as in the output; n may be 0. The output may be exactly an input (in
//              place), and overlaps none otherwise; nobody looks where made inputs read. f is callable as const, from
//              several threads at once.
// Work         n calls; every element is read once and written once. adjacent_difference in place on a GPU sets a copy
//              of the input aside first, in scratch that the context owns.
// Determinism  the same in every bit on every device, as far as f is. iota of floats rounds the product and the sum, or
//              both at once.
// Asynchrony   device spans: enqueued. Host memory: done on return; for a GPU it is streamed in chunks
//              (adjacent_difference: as a whole, which must fit).
// Errors       upsweep::error: sizes that differ, overlap, a function or type that the device cannot take.
//
// Functions of your own and types of your own work on the CPU anywhere, and on CUDA where nvcc compiles the call (a .cu
// file, f being UPSWEEP_HD). On OpenCL, and on CUDA from any other file, a function carries its text: `static constexpr
// const char* opencl`, an expression in x (of one input, and of tests), in a, b, c, … (of several; a is the later
// neighbour), in i (tabulate). From any .cpp file, on every device: built-in operators and transforms of one type (i32
// u32 i64 u64 f32 f64) into the same type, transform_if of one input by less_than(x) and its kin, replace by a value or
// such a test and iota of the built-in types but f16, fill of what has 1, 2, or, aligned so, 4 or 8 bytes, copy of any.
#pragma once

#include "upsweep/transform/checked.hpp"
#include "upsweep/transform/some.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

template <class X, class Y, class F, class By = this_compiler>
void transform(const context& where, const X& x, Y&& out, F f) {
  transform_room::check_and_map<By>(where, "transform", out, f, x);
}
template <class X, class X2, class Y, class F, class By = this_compiler>
void transform(const context& where, const X& x, const X2& x2, Y&& out, F f) {
  transform_room::check_and_map<By>(where, "transform", out, f, x, x2);
}
// Of three inputs and more: the inputs, the output, the function.
template <class... Arguments>
  requires(sizeof...(Arguments) >= 5)
void transform(const context& where, Arguments&&... arguments) {
  transform_room::map_many<this_compiler>(where, std::forward_as_tuple(arguments...),
                                          std::make_index_sequence<sizeof...(Arguments) - 2>());
}

// Where a test says so: of x, of a stencil beside it, of two inputs by a stencil.
template <class X, class Y, class F, class Test, class By = this_compiler>
void transform_if(const context& where, const X& x, Y&& out, F f, Test test) {
  transform_room::check_and_map_some<By>(where, out, f, test, x, x);
}
template <class X, class S, class Y, class F, class Test, class By = this_compiler>
void transform_if(const context& where, const X& x, const S& stencil, Y&& out, F f, Test test) {
  transform_room::check_and_map_some<By>(where, out, f, test, stencil, x);
}
template <class X, class X2, class S, class Y, class F, class Test, class By = this_compiler>
void transform_if(const context& where, const X& x, const X2& x2, const S& stencil, Y&& out, F f, Test test) {
  transform_room::check_and_map_some<By>(where, out, f, test, stencil, x, x2);
}

template <class X, class Test, class V, class By = this_compiler>
void replace_if(const context& where, X&& x, Test test, const V& value) {
  transform_room::check_and_replace<By>(where, "replace_if", x, x, x, test, value);
}
template <class X, class S, class Test, class V, class By = this_compiler>
void replace_if(const context& where, X&& x, const S& stencil, Test test, const V& value) {
  transform_room::check_and_replace<By>(where, "replace_if", x, x, stencil, test, value);
}
template <class X, class Y, class Test, class V, class By = this_compiler>
void replace_copy_if(const context& where, const X& x, Y&& out, Test test, const V& value) {
  transform_room::check_and_replace<By>(where, "replace_copy_if", out, x, x, test, value);
}
template <class X, class S, class Y, class Test, class V, class By = this_compiler>
void replace_copy_if(const context& where, const X& x, const S& stencil, Y&& out, Test test, const V& value) {
  transform_room::check_and_replace<By>(where, "replace_copy_if", out, x, stencil, test, value);
}
template <class X, class Old, class V, class By = this_compiler>
void replace(const context& where, X&& x, const Old& old, const V& value) {
  const auto test = transform_room::test_for(transform_room::value_for<element_of<X>>("replace", old));
  transform_room::check_and_replace<By>(where, "replace", x, x, x, test, value);
}
template <class X, class Y, class Old, class V, class By = this_compiler>
void replace_copy(const context& where, const X& x, Y&& out, const Old& old, const V& value) {
  const auto test = transform_room::test_for(transform_room::value_for<core::value_of<X>>("replace_copy", old));
  transform_room::check_and_replace<By>(where, "replace_copy", out, x, x, test, value);
}

template <class Y, class V, class By = this_compiler>
void fill(const context& where, Y&& out, const V& value) {
  transform_room::require_output<Y>();
  using T = element_of<Y>;
  const auto to = core::written_operand(out);
  const T x = transform_room::value_for<T>("fill", value);
  if (where.kind() == backend::cpu) {
    cpu::store(where.dev(), to.data(), to.size(), core::always<T>{x});
  } else if constexpr (on_device<Y>) {
    transform_room::fill_on_device<By>(where, to, x);
  } else {
    transform_room::for_each_output_chunk(where, "fill", to, sizeof(T), [&](core::operand<T> part, std::uint64_t) {
      transform_room::fill_on_device<By>(where, part, x);
    });
  }
}

template <class Y, class First = int, class Step = int>
void iota(const context& where, Y&& out, const First& first = {}, const Step& step = 1) {
  transform_room::require_output<Y>();
  using T = element_of<Y>;
  static_assert(std::is_arithmetic_v<T> && builtin_type<T>, "upsweep: iota writes numbers: i8 to u64, f32 or f64");
  if constexpr (std::is_arithmetic_v<T> && builtin_type<T>) {
    const auto to = core::written_operand(out);
    const T a = transform_room::value_for<T>("iota", first);
    const T s = [&] {
      if constexpr (std::integral<T> && std::same_as<Step, int>)
        return static_cast<T>(step);  // -1 counts down, always
      else
        return transform_room::value_for<T>("iota", step);
    }();
    if (where.kind() == backend::cpu) {
      cpu::store_steps(where.dev(), to.data(), to.size(), a, s);
    } else if constexpr (on_device<Y>) {
      transform_room::iota_on_device(where, to, a, s);
    } else {
      transform_room::for_each_output_chunk(
          where, "iota", to, sizeof(T),
          [&](core::operand<T> part, std::uint64_t from) { transform_room::iota_on_device(where, part, a, s, from); });
    }
  }
}

template <class X, class Y, class By = this_compiler>
void copy(const context& where, const X& x, Y&& out) {
  transform_room::check_and_copy<By>(where, out, x);
}

template <class Y, class F, class By = this_compiler>
void generate(const context& where, Y&& out, F f) {
  transform_room::require_output<Y>();
  if constexpr (transform_room::require_function<F>())
    if constexpr (transform_room::require_place_for<std::invoke_result_t<const F&>, element_of<Y>>())
      transform_room::tabulate<By, Y>(where, "generate", core::written_operand(out),
                                      transform_room::without_index<F>{std::move(f)});
}

template <class Y, class F, class By = this_compiler>
void tabulate(const context& where, Y&& out, F f) {
  transform_room::require_output<Y>();
  core::require_both_sides<F>();
  constexpr bool called = std::is_invocable_v<const F&, std::uint64_t>;
  static_assert(called,
                "upsweep: tabulate calls f(std::uint64_t) as const, from several threads at once; give it a function "
                "that takes an index, and no mutable lambda");
  if constexpr (called)
    if constexpr (transform_room::require_place_for<std::invoke_result_t<const F&, std::uint64_t>, element_of<Y>>())
      transform_room::tabulate<By, Y>(where, "tabulate", core::written_operand(out), f);
}

template <class X, class Y, class Op = transform_room::difference, class By = this_compiler>
void adjacent_difference(const context& where, const X& x, Y&& out, Op op = {}) {
  transform_room::check_and_combine<By>(where, out, x, op);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
