// scan: every prefix of a fold, inclusive or exclusive; also called prefix sum.
//
//   upsweep::exclusive_scan(gpu, counts.span(), offsets.span());
//   upsweep::inclusive_scan(cpu, values, running, upsweep::maximum{});
//   upsweep::transform_inclusive_scan(gpu, x.span(), y.span(), upsweep::plus{}, upsweep::square{});
//
// Result       exclusive: out[i] = init ∘ f(x_0) ∘ … ∘ f(x_{i-1}), so out[0] is init;
//              inclusive: out[i] = init ∘ f(x_0) ∘ … ∘ f(x_i). The default init is the operator's identity; the
//              operator need not commute.
// Requires     `out` as large as `in`. In place is allowed (the same memory exactly); any other overlap is an error.
//              Any size, any alignment.
// Work         about 2n applications, every element read once and written once: 2n·sizeof(T) bytes. Span O(log n) on a
//              GPU within a tile, plus one application per wave of tiles.
// Scratch      O(tiles), owned by the context, none allocated in the second call of the same shape.
// Floating point  grouped the same way every time on one context, so bitwise repeatable there (docs/determinism.md).
// Asynchrony   device spans: enqueued. Host memory: done on return.
// Errors       upsweep::error: sizes that differ, overlap, an operator or type that the device cannot take.
//
// What runs where is as in reduce.hpp: built-in types, operators and transforms from any .cpp file; others on the CPU
// anywhere, on CUDA where nvcc compiles the call, on OpenCL with C text.
#pragma once

#include "upsweep/scan/enqueue.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

template <class X, class Y, class Op, class F>
  requires operands<X, Y>
void transform_exclusive_scan(const context& where, const X& in, Y&& out, std::type_identity_t<element_of<X>> init,
                              Op op, F f) {
  scan_room::scan_into<false, element_of<X>, Op, F>(where, core::read_operand(in), core::written_operand(out), init, op,
                                                    f);
}

template <class X, class Y, class Op, class F>
  requires operands<X, Y>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, Op op, F f,
                              std::type_identity_t<element_of<X>> init) {
  scan_room::scan_into<true, element_of<X>, Op, F>(where, core::read_operand(in), core::written_operand(out), init, op,
                                                   f);
}
template <class X, class Y, class Op, class F>
  requires operands<X, Y>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, Op op, F f) {
  upsweep::transform_inclusive_scan(where, in, out, op, f, identity_of<element_of<X>>(op));
}

template <class X, class Y, class Op = plus>
  requires operands<X, Y>
void exclusive_scan(const context& where, const X& in, Y&& out, std::type_identity_t<element_of<X>> init, Op op = {}) {
  upsweep::transform_exclusive_scan(where, in, out, init, op, identity{});
}
template <class X, class Y>
  requires operands<X, Y>
void exclusive_scan(const context& where, const X& in, Y&& out) {
  upsweep::transform_exclusive_scan(where, in, out, identity_of<element_of<X>>(plus{}), plus{}, identity{});
}

template <class X, class Y, class Op = plus>
  requires operands<X, Y>
void inclusive_scan(const context& where, const X& in, Y&& out, Op op = {}) {
  upsweep::transform_inclusive_scan(where, in, out, op, identity{}, identity_of<element_of<X>>(op));
}
template <class X, class Y, class Op>
  requires operands<X, Y>
void inclusive_scan(const context& where, const X& in, Y&& out, Op op, std::type_identity_t<element_of<X>> init) {
  upsweep::transform_inclusive_scan(where, in, out, op, identity{}, init);
}

// Throws what a call would throw because no variant here takes n such elements, or the one that is asked for does not;
// does nothing else. For programs that say so before they read the elements.
template <bool Inclusive, class T, class Op = plus, class F = identity>
  requires builtin_problem<T, Op, F>
void require_scan(const context& where, std::uint64_t n, Op = {}, F f = {}) {
  core::require_fold<T, Op>();
  auto p = core::fold_problem<scan_room::problem, T, Op, F>({}, {}, n, T{}, f);
  p.inclusive = Inclusive;
  scan_room::choose(where, p);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
