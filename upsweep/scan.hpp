// scan: every prefix of a fold, inclusive or exclusive; also called prefix sum.
//
//   upsweep::exclusive_scan(gpu, counts.span(), offsets.span());
//   upsweep::inclusive_scan(cpu, values, running, upsweep::maximum{});
//   upsweep::transform_inclusive_scan(gpu, x.span(), y.span(), upsweep::plus{}, upsweep::square{});
//
// Result       exclusive: out[i] = init ∘ f(x_0) ∘ … ∘ f(x_{i-1}), so out[0] is init;
//              inclusive: out[i] = init ∘ f(x_0) ∘ … ∘ f(x_i). The default init is the operator's identity; the
//              operator need not commute. An inclusive scan may go without init and identity; it begins with the
//              first element. Between operands in device memory init may be a span of one element there, apart from
//              the output: it is read when the work runs, or, on OpenCL, waited for.
// Type         folded in the output's elements, which hold every value of init and of the input's (u32 into u64); what
//              would narrow does not compile. Inputs and operators are as in reduce.hpp.
// Outputs      device spans, buffers, contiguous ranges, and those of outputs.hpp; through such a one the fold is kept
//              in the input's type, or init's where it holds all of that.
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
// anywhere, on CUDA where nvcc compiles the call or with C text, on OpenCL with C text.
#pragma once

#include "upsweep/inputs.hpp"
#include "upsweep/scan/enqueue.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

template <class X, class Y, class Init, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && is_device_span<Init> && core::operator_on<Op, element_of<Y>>
void transform_exclusive_scan(const context& where, const X& in, Y&& out, const Init& init, Op op, F f) {
  using A = element_of<Y>;
  static_assert(on_device<Y>, "upsweep: an init in device memory wants the output there, too; give the init's value");
  static_assert(std::same_as<A, element_of<Init>>, "upsweep: an init in device memory has the output's type");
  if constexpr (on_device<Y> && std::same_as<A, element_of<Init>> && core::scans_into<A, X, F>())
    scan_room::scan_after<false, A, CompiledBy>(where, in, core::written_operand(out), core::read_operand(init),
                                                core::as_operator<A>(op), f);
}
template <class X, class Y, class Init, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && (!is_device_span<Init>) && core::operator_on<Op, element_of<Y>>
void transform_exclusive_scan(const context& where, const X& in, Y&& out, Init init, Op op, F f) {
  using A = element_of<Y>;
  if constexpr (core::scans_into<A, X, F, Init>())
    scan_room::scan_of<false, A, CompiledBy>(where, in, core::written_operand(out), static_cast<A>(init),
                                             core::as_operator<A>(op), f);
}
template <class X, class Y, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void transform_exclusive_scan(const context& where, const X& in, Y&& out, Op op, F f) {
  using A = element_of<Y>;
  if constexpr (core::scans_into<A, X, F>())
    scan_room::scan_of<false, A, CompiledBy>(where, in, core::written_operand(out), core::as_operator<A>(op), f);
}

template <class X, class Y, class Init, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && is_device_span<Init> && core::operator_on<Op, element_of<Y>>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, const Init& init, Op op, F f) {
  using A = element_of<Y>;
  static_assert(on_device<Y>, "upsweep: an init in device memory wants the output there, too; give the init's value");
  static_assert(std::same_as<A, element_of<Init>>, "upsweep: an init in device memory has the output's type");
  if constexpr (on_device<Y> && std::same_as<A, element_of<Init>> && core::scans_into<A, X, F>())
    scan_room::scan_after<true, A, CompiledBy>(where, in, core::written_operand(out), core::read_operand(init),
                                               core::as_operator<A>(op), f);
}
template <class X, class Y, class Init, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && (!is_device_span<Init>) && core::operator_on<Op, element_of<Y>>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, Init init, Op op, F f) {
  using A = element_of<Y>;
  if constexpr (core::scans_into<A, X, F, Init>())
    scan_room::scan_of<true, A, CompiledBy>(where, in, core::written_operand(out), static_cast<A>(init),
                                            core::as_operator<A>(op), f);
}
template <class X, class Y, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, Op op, F f) {
  using A = element_of<Y>;
  if constexpr (core::scans_into<A, X, F>())
    scan_room::scan_of<true, A, CompiledBy>(where, in, core::written_operand(out), core::as_operator<A>(op), f);
}
// The standard's order of arguments.
template <class X, class Y, class Op, class F>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, Op op, F f,
                              std::type_identity_t<element_of<Y>> init) {
  upsweep::transform_inclusive_scan(where, in, out, std::move(init), op, f);
}

template <class X, class Y, class Init, class Op = plus>
  requires operands<Y> && is_device_span<Init>
void exclusive_scan(const context& where, const X& in, Y&& out, const Init& init, Op op = {}) {
  upsweep::transform_exclusive_scan(where, in, out, init, op, identity{});
}
template <class X, class Y, class Init = element_of<Y>, class Op = plus>
  requires operands<Y> && (!is_device_span<Init>) && (!core::operator_on<Init, element_of<Y>>)
void exclusive_scan(const context& where, const X& in, Y&& out, Init init, Op op = {}) {
  upsweep::transform_exclusive_scan(where, in, out, std::move(init), op, identity{});
}
template <class X, class Y, class Op = plus>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void exclusive_scan(const context& where, const X& in, Y&& out, Op op = {}) {
  upsweep::transform_exclusive_scan(where, in, out, op, identity{});
}

template <class X, class Y, class Init, class Op = plus>
  requires operands<Y> && is_device_span<Init>
void inclusive_scan(const context& where, const X& in, Y&& out, const Init& init, Op op = {}) {
  upsweep::transform_inclusive_scan(where, in, out, init, op, identity{});
}
template <class X, class Y, class Init = element_of<Y>, class Op = plus>
  requires operands<Y> && (!is_device_span<Init>) && (!core::operator_on<Init, element_of<Y>>)
void inclusive_scan(const context& where, const X& in, Y&& out, Init init, Op op = {}) {
  upsweep::transform_inclusive_scan(where, in, out, std::move(init), op, identity{});
}
template <class X, class Y, class Op = plus>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void inclusive_scan(const context& where, const X& in, Y&& out, Op op = {}) {
  upsweep::transform_inclusive_scan(where, in, out, op, identity{});
}
// The standard's order of arguments.
template <class X, class Y, class Op>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void inclusive_scan(const context& where, const X& in, Y&& out, Op op, std::type_identity_t<element_of<Y>> init) {
  upsweep::transform_inclusive_scan(where, in, out, std::move(init), op, identity{});
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

#include "upsweep/scan/sunk.hpp"  // last: outputs that are no memory
