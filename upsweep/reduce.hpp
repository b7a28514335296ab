// reduce: folds a sequence into one value with an associative operator, in order.
//
//   float sum = upsweep::reduce(gpu, x.span());                    // device memory
//   float top = upsweep::reduce(cpu, values, 0.0f, upsweep::maximum{});
//   double ss = upsweep::transform_reduce(gpu, x.span(), 0.0, upsweep::plus{}, upsweep::square{});
//
// Result       init ∘ f(x_0) ∘ … ∘ f(x_{n-1}); the operator need not commute. n may be 0, and then it is init, whose
//              default is the operator's identity.
// Requires     an associative operator with an identity; elements trivially copyable off the CPU. Any alignment.
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
// upsweep/reduce/cuda.cuh); on OpenCL where the operator carries its C text (opencl.hpp says how).
#pragma once

#include "upsweep/reduce/enqueue.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// Enqueued: out[0] = init ∘ f(in[0]) ∘ … ; `out` must not lie inside `in`.
template <class T, class Op = plus, class F = identity, class CompiledBy = this_compiler>
void transform_reduce(const context& where, device_span<const T> in, device_span<T> out, std::type_identity_t<T> init,
                      Op op, F f) {
  core::require_fold<T, Op>();
  if (out.size() != 1)
    throw error(fault::bad_argument, "reduce", "the output span has " + std::to_string(out.size()) + " elements",
                "give it exactly one");
  reduce_room::fold_into<T, Op, F, CompiledBy>(where, in, out, init, op, f);
}

// Host memory: streamed through the device in chunks when it does not fit there.
template <class X, class Op = plus, class F = identity, class CompiledBy = this_compiler>
  requires operands<X>
element_of<X> transform_reduce(const context& where, const X& in, std::type_identity_t<element_of<X>> init, Op op,
                               F f) {
  return reduce_room::folded<element_of<X>, Op, F, CompiledBy>(where, core::read_operand(in), init, op, f);
}

// Throws what a call would throw because no variant here takes n such elements, or the one that is asked for does not;
// does nothing else. For programs that say so before they read the elements.
template <class T, class Op = plus, class F = identity>
  requires builtin_problem<T, Op, F>
void require_reduce(const context& where, std::uint64_t n, Op = {}, F f = {}) {
  core::require_fold<T, Op>();
  reduce_room::choose(where, core::fold_problem<reduce_room::problem, T, Op, F>({}, {}, n, T{}, f));
}

template <class X, class Op = plus>
  requires operands<X>
auto reduce(const context& where, const X& in, std::type_identity_t<element_of<X>> init, Op op = {}) {
  return upsweep::transform_reduce(where, in, init, op, identity{});
}

template <class X>
  requires operands<X>
auto reduce(const context& where, const X& in) {
  return upsweep::transform_reduce(where, in, identity_of<element_of<X>>(plus{}), plus{}, identity{});
}

template <class T, class Op = plus>
void reduce(const context& where, device_span<const T> in, device_span<std::type_identity_t<T>> out,
            std::type_identity_t<T> init = identity_of<T>(Op{}), Op op = {}) {
  upsweep::transform_reduce<T>(where, in, out, init, op, identity{});
}
template <class T, class Op = plus>
void reduce(const context& where, device_span<T> in, device_span<T> out,
            std::type_identity_t<T> init = identity_of<T>(Op{}), Op op = {}) {
  upsweep::transform_reduce<T>(where, in, out, init, op, identity{});
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
