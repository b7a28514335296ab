// reduce: folds a sequence into one value with an associative operator, in order.
//
//   float sum = upsweep::reduce(gpu, x.span());                    // device memory
//   float top = upsweep::reduce(cpu, values, upsweep::maximum{});
//   double mean = upsweep::reduce(cpu, ints, 0.0) / n;            // summed in double
//   double ss = upsweep::transform_reduce(gpu, x.span(), 0.0, upsweep::plus{}, upsweep::square{});
//   double dot = upsweep::inner_product(cpu, prices, amounts, 0.0);
//
// Result       init ∘ f(x_0) ∘ … ∘ f(x_{n-1}). The operator need not commute. If n is 0 the result is init, whose
//              default is the identity of the operator. Without init and identity the fold begins with the first
//              element, and n = 0 is an error.
// Type         The type of the elements, or the type of init if that holds all their values (bytes with an init of 0u
//              are summed in u32). Otherwise init is converted to the type of the elements, as 0 is for floats; a value
//              that this type does not hold is an error. A float init for integers that it does not hold does not
//              compile. With an output span the type is that of its element. If device memory is folded in another type
//              than its own, and the device is not the CPU, and nvcc does not compile the call, the host folds a copy.
// Inputs       Device spans, buffers, ranges with random access and a size, and lazy views (views.hpp).
// Operators    Those of operators.hpp, std::plus<> and the like, and user-defined functions: monoid(f, identity), or
//              any function, with or without an init. An operator without an identity is called with elements and the
//              init only. On CUDA and OpenCL it folds a copy of the elements with a flag each, which takes several
//              times as long as a fold with an identity and 2·n elements of scratch.
// Requires     An associative operator, callable as const. On CUDA and OpenCL trivially copyable elements. Any
//              alignment.
// Work         n applications of the operator (and a few per tile). Span O(log n) on a GPU.
// Bytes        n·sizeof(T): every element is read once.
// Scratch      O(tiles), owned by the context; the second call of the same shape allocates nothing.
// Floating point  On one context f32 and f64 sums are grouped the same way every time, so they repeat bit for bit.
//              Across contexts they agree within rounding (docs/determinism.md). reproducible_sum agrees bit for bit
//              everywhere. Sums and products are computed in accumulators of larger range: the result is finite if the
//              prefixes of the sequential definition are.
// Asynchrony   Overloads that return a value wait for it. Overloads with an output span of one element are enqueued.
// Errors       upsweep::error: an output span that does not have one element, an operator or type that the device does
//              not support.
//
// Built-in types (i32 u32 i64 u64 f32 f64) with the operators and transforms of operators.hpp work from any .cpp file.
// All others work on the CPU from any file, on CUDA when nvcc compiles the call (a .cu file; include
// upsweep/reduce/reduce_cuda.cuh), and on CUDA and OpenCL if the operator has device source (jit/jit.hpp).
#pragma once

#include "upsweep/reduce/reduce_dispatch.hpp"
#include "upsweep/views.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// ---- The value is returned; the call waits for it. Host memory that does not fit on a device is streamed in chunks.

template <class X, class Init = core::value_of<X>, class Op = plus, class F = identity,
          class CompiledBy = this_compiler>
  requires(!is_device_span<Init>)
auto transform_reduce(const context& where, const X& in, Init init, Op op, F f) {
  core::require_input<X>();
  if constexpr (core::readable_input<X>) {
    using R = core::value_through<X, F>;
    core::require_no_narrowing<R, Init>();
    using A = core::accumulator<R, Init>;
    if constexpr (!std::same_as<A, core::narrows>)
      return detail::reduce_impl::fold_of<A, CompiledBy>(where, in, core::given_value<A>("reduce", "the init", init),
                                                         core::as_operator<A>(op), f);
  }
}
template <class X, class Op, class F, class CompiledBy = this_compiler>
  requires core::operator_on<Op, core::value_through<X, F>>
auto transform_reduce(const context& where, const X& in, Op op, F f) {
  core::require_input<X>();
  using A = core::value_through<X, F>;
  return detail::reduce_impl::fold_of<A, CompiledBy>(where, in, core::as_operator<A>(op), f);
}

template <class X, class Init = core::value_of<X>, class Op = plus>
  requires(!is_device_span<Init> && !core::operator_on<Init, core::value_of<X>>)
auto reduce(const context& where, const X& in, Init init, Op op = {}) {
  return upsweep::transform_reduce(where, in, std::move(init), op, identity{});
}
template <class X, class Op>
  requires core::operator_on<Op, core::value_of<X>>
auto reduce(const context& where, const X& in, Op op) {
  return upsweep::transform_reduce(where, in, op, identity{});
}
template <class X>
auto reduce(const context& where, const X& in) {
  core::require_input<X>();
  if constexpr (core::readable_input<X>) return upsweep::transform_reduce(where, in, plus{}, identity{});
}

// Two inputs of the same size: init ∘ f(x_0, y_0) ∘ …
template <class X, class Y, class Init, class Op, class F>
  requires std::is_invocable_v<const F&, const core::value_of<X>&, const core::value_of<Y>&>
auto transform_reduce(const context& where, const X& x, const Y& y, Init init, Op op, F f) {
  core::require_same_size("transform_reduce", "there are # elements and #", core::elements_in(x), core::elements_in(y));
  return upsweep::transform_reduce(where, views::zip(x, y), std::move(init), op, core::call_with_both<F>{std::move(f)});
}
// init + x_0·y_0 + …. The products are computed in the type of the sum.
template <class X, class Y, class Init = std::common_type_t<core::value_of<X>, core::value_of<Y>>>
auto inner_product(const context& where, const X& x, const Y& y, Init init = {}) {
  using T = std::common_type_t<core::value_of<X>, core::value_of<Y>>;
  core::require_no_narrowing<T, Init>();
  return upsweep::transform_reduce(where, x, y, std::move(init), plus{},
                                   core::product_in<core::accumulator<T, Init>>{});
}

// ---- Enqueued: the value is written to device memory, to one element of the type of the fold.

template <class X, class A, class Op = plus, class F = identity, class CompiledBy = this_compiler>
  requires std::is_invocable_v<const F&, const core::value_of<X>&>
void transform_reduce(const context& where, const X& in, device_span<A> out, core::init_for<A> init, Op op, F f) {
  core::require_input<X>();
  if constexpr (core::readable_input<X>) {
    core::require_place<core::value_through<X, F>, A>();
    detail::reduce_impl::fold_of_into<A, CompiledBy>(where, in, core::operand<A>(out), init, core::as_operator<A>(op),
                                                     f);
  }
}
template <class X, class A, class Op = plus>
void reduce(const context& where, const X& in, device_span<A> out, core::init_for<A> init, Op op = {}) {
  upsweep::transform_reduce(where, in, out, init, op, identity{});
}
template <class X, class A, class Op = plus>
  requires core::operator_on<Op, A>
void reduce(const context& where, const X& in, device_span<A> out, Op op = {}) {
  const auto o = core::as_operator<A>(op);
  if constexpr (core::can_begin_with_an_element<std::remove_const_t<decltype(o)>, A>)
    detail::reduce_impl::fold_of_into<A, this_compiler>(where, in, core::operand<A>(out), o);
  else
    upsweep::transform_reduce(where, in, out, identity_of<A>(o), op, identity{});
}

// Overloads that take a buffer instead of a span.
template <class X, class A, class Op, class F>
  requires std::is_invocable_v<const F&, const core::value_of<X>&>
void transform_reduce(const context& where, const X& in, buffer<A>& out, core::init_for<A> init, Op op, F f) {
  upsweep::transform_reduce(where, in, out.span(), std::move(init), std::move(op), std::move(f));
}
template <class X, class A, class... InitAndOperator>
void reduce(const context& where, const X& in, buffer<A>& out, InitAndOperator... rest) {
  upsweep::reduce(where, in, out.span(), std::move(rest)...);
}

// Throws if no variant on this context, or not the requested variant, supports n such elements. Does nothing else. For
// programs that report this before they read the elements.
template <class T, class Op = plus, class F = identity>
  requires builtin_problem<T, Op, F>
void require_reduce(const context& where, std::uint64_t n, Op = {}, F f = {}) {
  core::require_fold<T, Op>();
  detail::reduce_impl::choose(where, core::fold_problem<detail::reduce_impl::problem, T, Op, F>({}, {}, n, T{}, f));
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
