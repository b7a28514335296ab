// scan: every prefix of a fold, inclusive or exclusive; also called prefix sum.
//
//   upsweep::exclusive_scan(gpu, counts.span(), offsets.span());
//   upsweep::inclusive_scan(cpu, values, running, upsweep::maximum{});
//   upsweep::transform_inclusive_scan(gpu, x.span(), y.span(), upsweep::plus{}, upsweep::square{});
//
// Result       exclusive: out[i] = init ∘ f(x_0) ∘ … ∘ f(x_{i-1}), so out[0] is init. inclusive: out[i] = init ∘ f(x_0)
//              ∘ … ∘ f(x_i). The default init is the identity of the operator. The operator need not commute. An
//              inclusive scan without init and identity begins with the first element. If the operands are in device
//              memory, init may be a span of one element there that does not overlap the output. It is read when the
//              work runs; on OpenCL the call waits for it.
// Type         The type of the output's elements, which must hold every value of init and of the input (u32 into u64);
//              narrowing does not compile. Inputs and operators are those of reduce.hpp.
// Outputs      Device spans, buffers, contiguous ranges, and output adaptors (outputs.hpp). With an output adaptor the
//              fold is computed in the type of the input, or in the type of init if that holds all values of the input.
// Requires     `out` is as large as `in`. In place is allowed (exactly the same memory); any other overlap is an error.
//              Any size, any alignment.
// Work         About 2n applications of the operator. Span O(log n) within a tile on a GPU, plus one application per
//              wave of tiles.
// Bytes        2n·sizeof(T): every element is read once and written once.
// Scratch      O(tiles), owned by the context; the second call of the same shape allocates nothing. On a GPU an
//              operator without an identity takes more, and more time (reduce.hpp).
// Floating point  On one context the grouping is the same every time, so results repeat bit for bit. Sums and products
//              of f32 and f64 are computed in accumulators of larger range: a prefix is finite if the prefixes of the
//              sequential definition are, and running f32 sums of nonnegative elements never decrease
//              (docs/determinism.md lists exceptions).
// Asynchrony   Calls on device spans are enqueued. Calls on host memory return after the work is done.
// Errors       upsweep::error: different sizes, overlap, an operator or type that the device does not support.
//
// Types, operators and transforms are supported as in reduce.hpp: built-in ones from any .cpp file; others on the CPU
// from any file, on CUDA when nvcc compiles the call or with device source, on OpenCL with device source.
#pragma once

#include "upsweep/scan/scan_dispatch.hpp"
#include "upsweep/views.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

template <class X, class Y, class Init, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && is_device_span<Init> && core::operator_on<Op, element_of<Y>>
void transform_exclusive_scan(const context& where, const X& in, Y&& out, const Init& init, Op op, F f) {
  using A = element_of<Y>;
  static_assert(on_device<Y>,
                "upsweep: an init in device memory requires an output in device memory; pass the value of the init");
  static_assert(std::same_as<A, element_of<Init>>,
                "upsweep: an init in device memory must have the type of the output");
  if constexpr (on_device<Y> && std::same_as<A, element_of<Init>> && core::scans_into<A, X, F>())
    detail::scan_impl::scan_after<false, A, CompiledBy>(where, in, core::written_operand(out), core::read_operand(init),
                                                        core::as_operator<A>(op), f);
}
template <class X, class Y, class Init, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && (!is_device_span<Init>) && core::operator_on<Op, element_of<Y>>
void transform_exclusive_scan(const context& where, const X& in, Y&& out, Init init, Op op, F f) {
  using A = element_of<Y>;
  if constexpr (core::scans_into<A, X, F, Init>())
    detail::scan_impl::scan_of<false, A, CompiledBy>(where, in, core::written_operand(out),
                                                     core::given_value<A>("scan", "the init", init),
                                                     core::as_operator<A>(op), f);
}
template <class X, class Y, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void transform_exclusive_scan(const context& where, const X& in, Y&& out, Op op, F f) {
  using A = element_of<Y>;
  if constexpr (core::scans_into<A, X, F>())
    detail::scan_impl::scan_of<false, A, CompiledBy>(where, in, core::written_operand(out), core::as_operator<A>(op),
                                                     f);
}

template <class X, class Y, class Init, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && is_device_span<Init> && core::operator_on<Op, element_of<Y>>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, const Init& init, Op op, F f) {
  using A = element_of<Y>;
  static_assert(on_device<Y>,
                "upsweep: an init in device memory requires an output in device memory; pass the value of the init");
  static_assert(std::same_as<A, element_of<Init>>,
                "upsweep: an init in device memory must have the type of the output");
  if constexpr (on_device<Y> && std::same_as<A, element_of<Init>> && core::scans_into<A, X, F>())
    detail::scan_impl::scan_after<true, A, CompiledBy>(where, in, core::written_operand(out), core::read_operand(init),
                                                       core::as_operator<A>(op), f);
}
template <class X, class Y, class Init, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && (!is_device_span<Init>) && core::operator_on<Op, element_of<Y>>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, Init init, Op op, F f) {
  using A = element_of<Y>;
  if constexpr (core::scans_into<A, X, F, Init>())
    detail::scan_impl::scan_of<true, A, CompiledBy>(where, in, core::written_operand(out),
                                                    core::given_value<A>("scan", "the init", init),
                                                    core::as_operator<A>(op), f);
}
template <class X, class Y, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, Op op, F f) {
  using A = element_of<Y>;
  if constexpr (core::scans_into<A, X, F>())
    detail::scan_impl::scan_of<true, A, CompiledBy>(where, in, core::written_operand(out), core::as_operator<A>(op), f);
}
// Overload with the argument order of the C++ standard library.
template <class X, class Y, class Op, class F>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, Op op, F f,
                              core::init_for<element_of<Y>> init) {
  upsweep::transform_inclusive_scan(where, in, out, static_cast<element_of<Y>>(init), op, f);
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
// Overload with the argument order of the C++ standard library.
template <class X, class Y, class Op>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void inclusive_scan(const context& where, const X& in, Y&& out, Op op, core::init_for<element_of<Y>> init) {
  upsweep::transform_inclusive_scan(where, in, out, static_cast<element_of<Y>>(init), op, identity{});
}

// Throws if no variant on this context, or not the requested variant, supports n such elements. Does nothing else. For
// programs that report this before they read the elements.
template <bool Inclusive, class T, class Op = plus, class F = identity>
  requires builtin_problem<T, Op, F>
void require_scan(const context& where, std::uint64_t n, Op = {}, F f = {}) {
  core::require_fold<T, Op>();
  auto p = core::fold_problem<detail::scan_impl::problem, T, Op, F>({}, {}, n, T{}, f);
  p.inclusive = Inclusive;
  detail::scan_impl::choose(where, p);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep

#include "upsweep/scan/scan_outputs.hpp"  // last: overloads for output adaptors
