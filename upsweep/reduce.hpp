// reduce: folds a sequence into one value with an associative operator, in order.
//
//   float sum = upsweep::reduce(gpu, x.span());                    // device memory
//   float top = upsweep::reduce(cpu, values, upsweep::maximum{});
//   double mean = upsweep::reduce(cpu, ints, 0.0) / n;            // kept in double
//   double ss = upsweep::transform_reduce(gpu, x.span(), 0.0, upsweep::plus{}, upsweep::square{});
//   double dot = upsweep::inner_product(cpu, prices, amounts, 0.0);
//
// Result       init ∘ f(x_0) ∘ … ∘ f(x_{n-1}); the operator need not commute. n may be 0, and then it is init, whose
//              default is the operator's identity. Without init and identity the fold begins with the first element,
//              and n = 0 is an error.
// Type         the elements', or init's where it holds all of theirs (bytes from 0u are summed in u32); what neither
//              holds does not compile. An output span's elements are the type folded in. Off the CPU and without nvcc,
//              device memory that is folded in another type goes by way of the host.
// Inputs       device spans, buffers, ranges with random access and a size, and what inputs.hpp makes as it is read.
// Operators    those of operators.hpp, std::plus<> and its kin, functions of your own: monoid(f, identity), or any with
//              an init. Off the CPU they need an identity.
// Requires     an associative operator, callable as const; elements trivially copyable off the CPU. Any alignment.
// Work         n applications (within a few per tile), every element read once: n·sizeof(T) bytes. Span O(log n) on a
//              GPU.
// Scratch      O(tiles), owned by the context, none allocated in the second call of the same shape.
// Floating point  f32 and f64 sums are grouped the same way every time on one context, so they repeat bit for bit;
//              across contexts they agree within rounding (docs/determinism.md). reproducible_sum agrees in every bit
//              everywhere.
// Asynchrony   The forms that return a value wait for it. The forms with an output span of one element are enqueued.
// Errors       upsweep::error: an output span that is not one element, an operator or type that the device cannot take.
//
// Built-in types (i32 u32 i64 u64 f32 f64) with the operators and transforms of operators.hpp work from any .cpp file.
// Anything else works on the CPU anywhere; on CUDA where nvcc compiles the call (a .cu file; include
// upsweep/reduce/cuda.cuh), and there and on OpenCL where the operator carries its text (opencl/custom.hpp says how).
#pragma once

#include "upsweep/inputs.hpp"
#include "upsweep/reduce/enqueue.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// ---- The value is returned, and waited for. Host memory is streamed through a device in chunks when it does not fit.

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
      return reduce_room::fold_of<A, CompiledBy>(where, in, static_cast<A>(init), core::as_operator<A>(op), f);
  }
}
template <class X, class Op, class F, class CompiledBy = this_compiler>
  requires core::operator_on<Op, core::value_through<X, F>>
auto transform_reduce(const context& where, const X& in, Op op, F f) {
  core::require_input<X>();
  using A = core::value_through<X, F>;
  return reduce_room::fold_of<A, CompiledBy>(where, in, core::as_operator<A>(op), f);
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

// Of two inputs side by side, as many of one as of the other: init ∘ f(x_0, y_0) ∘ …
template <class X, class Y, class Init, class Op, class F>
  requires std::is_invocable_v<const F&, const core::value_of<X>&, const core::value_of<Y>&>
auto transform_reduce(const context& where, const X& x, const Y& y, Init init, Op op, F f) {
  core::require_same_size("transform_reduce", "there are # elements and #", core::elements_in(x), core::elements_in(y));
  return upsweep::transform_reduce(where, zipped(x, y), std::move(init), op, core::of_both<F>{std::move(f)});
}
// init + x_0·y_0 + …, the products taken in the type that is summed in.
template <class X, class Y, class Init = std::common_type_t<core::value_of<X>, core::value_of<Y>>>
auto inner_product(const context& where, const X& x, const Y& y, Init init = {}) {
  using T = std::common_type_t<core::value_of<X>, core::value_of<Y>>;
  core::require_no_narrowing<T, Init>();
  return upsweep::transform_reduce(where, x, y, std::move(init), plus{},
                                   core::product_in<core::accumulator<T, Init>>{});
}

// ---- Enqueued: the value goes to device memory, one element of the type that is folded in.

template <class X, class A, class Op = plus, class F = identity, class CompiledBy = this_compiler>
  requires std::is_invocable_v<const F&, const core::value_of<X>&>
void transform_reduce(const context& where, const X& in, device_span<A> out, std::type_identity_t<A> init, Op op, F f) {
  core::require_input<X>();
  if constexpr (core::readable_input<X>) {
    core::require_place<core::value_through<X, F>, A>();
    reduce_room::fold_of_into<A, CompiledBy>(where, in, core::operand<A>(out), init, core::as_operator<A>(op), f);
  }
}
template <class X, class A, class Op = plus>
void reduce(const context& where, const X& in, device_span<A> out, std::type_identity_t<A> init, Op op = {}) {
  upsweep::transform_reduce(where, in, out, init, op, identity{});
}
template <class X, class A, class Op = plus>
  requires core::operator_on<Op, A>
void reduce(const context& where, const X& in, device_span<A> out, Op op = {}) {
  upsweep::transform_reduce(where, in, out, identity_of<A>(core::as_operator<A>(op)), op, identity{});
}

// A buffer where a span may stand.
template <class X, class A, class Op, class F>
  requires std::is_invocable_v<const F&, const core::value_of<X>&>
void transform_reduce(const context& where, const X& in, buffer<A>& out, std::type_identity_t<A> init, Op op, F f) {
  upsweep::transform_reduce(where, in, out.span(), std::move(init), std::move(op), std::move(f));
}
template <class X, class A, class... InitAndOperator>
void reduce(const context& where, const X& in, buffer<A>& out, InitAndOperator... rest) {
  upsweep::reduce(where, in, out.span(), std::move(rest)...);
}

// Throws what a call would throw because no variant here takes n such elements, or the one that is asked for does not;
// does nothing else. For programs that say so before they read the elements.
template <class T, class Op = plus, class F = identity>
  requires builtin_problem<T, Op, F>
void require_reduce(const context& where, std::uint64_t n, Op = {}, F f = {}) {
  core::require_fold<T, Op>();
  reduce_room::choose(where, core::fold_problem<reduce_room::problem, T, Op, F>({}, {}, n, T{}, f));
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
