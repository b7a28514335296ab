// segmented: reductions and scans by key and by segment. They restart at each run of equal keys, or at each segment
// that offsets delimit.
//
//   std::uint64_t runs = upsweep::reduce_by_key(gpu, keys.span(), x.span(), run_keys.span(), run_sums.span());
//   upsweep::reduce_by_key(gpu, keys.span(), x.span(), run_keys.span(), run_sums.span(), count.span());
//   upsweep::inclusive_scan_by_key(cpu, days, prices, running, upsweep::maximum{});
//   upsweep::segmented_reduce(gpu, x.span(), offsets.span(), sums.span());  // segment s: [offsets[s], offsets[s + 1])
//   upsweep::segmented_exclusive_scan(gpu, x.span(), offsets.span(), y.span());
//
// Result       The fold restarts at each run or segment:
//   reduce_by_key     for each run of consecutive equal keys, the first key, and the fold of f(x) over the run, in
//                     order. The number of runs is returned, or written to a device span of one u64. Output elements
//                     after the runs keep their value.
//   scans by key      out[i] = init ∘ f(x) over the run that contains i, up to i (inclusive) or up to the element
//                     before it (exclusive)
//   segmented_reduce  out[s] = init ∘ f(x) over segment s; init for an empty segment
//   segmented scans   as by key; elements outside all segments are not written
// Init         The default init is the identity of the operator.
// Requires     An associative operator; it need not commute. An operator without an identity is slower on a GPU
//              (reduce.hpp), and needs an init or an input in memory. Keys and values have the same size. The
//              outputs of reduce_by_key have capacity for one run per element. Keys are compared with ==, so a NaN is a
//              run of its own; or consecutive keys are compared by `same`, the last argument. Offsets are u64 or u32,
//              one more than there are segments; they never decrease, and none exceeds x.size(). Scans may be in place
//              (exactly the same memory); otherwise outputs overlap no other operand.
// Inputs       Device spans, buffers, ranges with random access and lazy views (views.hpp), also for offsets. Outputs
//              may be output adaptors (outputs.hpp), except in segmented scans: reduce_by_key can discard its keys. The
//              fold is computed in the type of the output's elements. If an operand is a lazy view or an output
//              adaptor, the CPU works on host memory, whatever the context, and evaluates each element when it folds
//              it. In device memory CUDA first stores lazy inputs and transformed outputs in scratch memory, when nvcc
//              compiles the call. Every device, from any file, supports discarded keys, and inputs whose functions have
//              device source.
// Work         O(n) applications of the operator. Work is partitioned by elements, not by segments: runs and segments
//              of any lengths, empty ones too, cost the same as one segment of everything.
// Bytes        Every key and value is read once.
// Scratch      O(tiles); one bit per element for segments (CUDA: for scans only); eight bytes per offset of u32. Owned
//              by the context; the second call of the same shape allocates nothing.
// Floating point  On one context the grouping is the same every time, so results repeat bit for bit. The rounding of a
//              run depends only on its own elements.
// Asynchrony   Calls on device spans are enqueued, except that the overload that returns a count waits for it. Calls on
//              host memory return after the work is done.
// Host memory  If it does not fit on the device it is streamed in chunks. A run or segment that is open at the end of a
//              chunk continues in the next.
// Errors       upsweep::error: different sizes, an output that is too small, overlap, an operator or type that the
//              device does not support, offsets that decrease or exceed the end (in device memory other than the CPU's
//              only in checked calls: `checked` of with(), UPSWEEP_CHECKED).
//
// From any .cpp file: values of built-in types that fold (i32 u32 i64 u64 f32 f64), keys of any built-in type, and the
// operators and transforms of operators.hpp. All others work on the CPU from any file, on CUDA when nvcc compiles the
// call, and on OpenCL if user-defined types and functions have device source (jit/jit.hpp).
#pragma once

#include "upsweep/for_each/for_each_wide_offsets.hpp"
#include "upsweep/operators/monoid.hpp"
#include "upsweep/segmented/segmented_chunks.hpp"
#include "upsweep/segmented/segmented_dispatch.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// ---- By key.

template <class K, class X, class KOut, class Y, class Op = plus, class F = identity, class Equal = core::equals,
          class By = this_compiler>
  requires on_device<K, X, KOut, Y>
void reduce_by_key(const context& where, const K& keys, const X& in, KOut&& keys_out, Y&& out,
                   device_span<std::uint64_t> count, Op op = {}, F f = {}, Equal same = {}) {
  if constexpr (core::require_equality<element_of<K>, Equal>()) {
    const auto o = core::as_operator<element_of<X>>(op);
    detail::segmented_impl::reduce_by_key<element_of<K>, element_of<X>, std::remove_const_t<decltype(o)>, F, By>(
        where, core::read_operand(keys), core::read_operand(in), core::written_operand(keys_out),
        core::written_operand(out), count, o, f, same);
  }
}

// Returns the number of runs.
template <class K, class X, class KOut, class Y, class Op = plus, class F = identity, class Equal = core::equals,
          class By = this_compiler>
  requires operands<K, X, KOut, Y> && (!is_device_span<Op>)
std::uint64_t reduce_by_key(const context& where, const K& keys, const X& in, KOut&& keys_out, Y&& out, Op op = {},
                            F f = {}, Equal same = {}) {
  if constexpr (core::require_equality<element_of<K>, Equal>()) {
    const auto o = core::as_operator<element_of<X>>(op);
    return detail::segmented_impl::runs_reduced<element_of<K>, element_of<X>, std::remove_const_t<decltype(o)>, F, By>(
        where, core::read_operand(keys), core::read_operand(in), core::written_operand(keys_out),
        core::written_operand(out), o, f, same);
  } else {
    return {};
  }
}

template <class K, class X, class Y, class Op, class F, class Equal = core::equals, class By = this_compiler>
  requires operands<K, X, Y>
void transform_inclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out, Op op, F f,
                                     core::init_for<element_of<X>> init, Equal same = {}) {
  if constexpr (core::require_equality<element_of<K>, Equal>()) {
    const auto o = core::as_operator<element_of<X>>(op);
    detail::segmented_impl::scanned_by_key<true, element_of<K>, element_of<X>, std::remove_const_t<decltype(o)>, F, By>(
        where, core::read_operand(keys), core::read_operand(in), core::written_operand(out), init, o, f, same);
  }
}
template <class K, class X, class Y, class Op, class F, class Equal = core::equals, class By = this_compiler>
  requires operands<K, X, Y>
void transform_exclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out,
                                     core::init_for<element_of<X>> init, Op op, F f, Equal same = {}) {
  if constexpr (core::require_equality<element_of<K>, Equal>()) {
    const auto o = core::as_operator<element_of<X>>(op);
    detail::segmented_impl::scanned_by_key<false, element_of<K>, element_of<X>, std::remove_const_t<decltype(o)>, F,
                                           By>(where, core::read_operand(keys), core::read_operand(in),
                                               core::written_operand(out), init, o, f, same);
  }
}

template <class K, class X, class Y, class Op = plus>
  requires operands<K, X, Y> && core::operator_on<Op, element_of<X>>
void inclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out, Op op = {}) {
  using T = element_of<X>;
  const auto o = core::as_operator<T>(op);
  if constexpr (core::can_begin_with_an_element<std::remove_const_t<decltype(o)>, T>)
    detail::segmented_impl::scanned_by_key<element_of<K>, T, std::remove_const_t<decltype(o)>, this_compiler>(
        where, core::read_operand(keys), core::read_operand(in), core::written_operand(out), o);
  else
    upsweep::transform_inclusive_scan_by_key(where, keys, in, out, o, identity{}, identity_of<T>(o));
}
template <class K, class X, class Y, class Op = plus, class Equal = core::equals>
  requires operands<K, X, Y>
void inclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out,
                           core::init_for<element_of<X>> init, Op op = {}, Equal same = {}) {
  upsweep::transform_inclusive_scan_by_key(where, keys, in, out, core::as_operator<element_of<X>>(op), identity{}, init,
                                           same);
}
// Overload with the argument order of the C++ standard library.
template <class K, class X, class Y, class Op>
  requires operands<K, X, Y> && core::operator_on<Op, element_of<X>>
void inclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out, Op op,
                           core::init_for<element_of<X>> init) {
  upsweep::inclusive_scan_by_key(where, keys, in, out, init, op);
}
template <class K, class X, class Y, class Op = plus, class Equal = core::equals>
  requires operands<K, X, Y>
void exclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out,
                           core::init_for<element_of<X>> init, Op op = {}, Equal same = {}) {
  upsweep::transform_exclusive_scan_by_key(where, keys, in, out, init, core::as_operator<element_of<X>>(op), identity{},
                                           same);
}
template <class K, class X, class Y, class Op = plus>
  requires operands<K, X, Y> && core::operator_on<Op, element_of<X>>
void exclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out, Op op = {}) {
  const auto o = core::as_operator<element_of<X>>(op);
  upsweep::transform_exclusive_scan_by_key(where, keys, in, out, identity_of<element_of<X>>(o), o, identity{});
}

// ---- By segment.

template <class X, class S, class Y, class Op, class F, class By = this_compiler>
  requires operands<X, S, Y>
void segmented_transform_reduce(const context& where, const X& in, const S& offsets, Y&& out,
                                core::init_for<element_of<X>> init, Op op, F f) {
  const auto o = core::as_operator<element_of<X>>(op);
  detail::segmented_impl::segments_reduced<element_of<X>, std::remove_const_t<decltype(o)>, F, By>(
      where, core::read_operand(in), detail::for_each_impl::offsets_in(where, offsets), core::written_operand(out),
      init, o, f);
}
template <class X, class S, class Y, class Op = plus>
  requires operands<X, S, Y>
void segmented_reduce(const context& where, const X& in, const S& offsets, Y&& out, core::init_for<element_of<X>> init,
                      Op op = {}) {
  upsweep::segmented_transform_reduce(where, in, offsets, out, init, core::as_operator<element_of<X>>(op), identity{});
}
template <class X, class S, class Y, class Op = plus>
  requires operands<X, S, Y> && core::operator_on<Op, element_of<X>>
void segmented_reduce(const context& where, const X& in, const S& offsets, Y&& out, Op op = {}) {
  const auto o = core::as_operator<element_of<X>>(op);
  upsweep::segmented_transform_reduce(where, in, offsets, out, identity_of<element_of<X>>(o), o, identity{});
}

template <class X, class S, class Y, class Op, class F, class By = this_compiler>
  requires operands<X, S, Y>
void segmented_transform_inclusive_scan(const context& where, const X& in, const S& offsets, Y&& out, Op op, F f,
                                        core::init_for<element_of<X>> init) {
  const auto o = core::as_operator<element_of<X>>(op);
  detail::segmented_impl::segments_scanned<true, element_of<X>, std::remove_const_t<decltype(o)>, F, By>(
      where, core::read_operand(in), detail::for_each_impl::offsets_in(where, offsets), core::written_operand(out),
      init, o, f);
}
template <class X, class S, class Y, class Op, class F, class By = this_compiler>
  requires operands<X, S, Y>
void segmented_transform_exclusive_scan(const context& where, const X& in, const S& offsets, Y&& out,
                                        core::init_for<element_of<X>> init, Op op, F f) {
  const auto o = core::as_operator<element_of<X>>(op);
  detail::segmented_impl::segments_scanned<false, element_of<X>, std::remove_const_t<decltype(o)>, F, By>(
      where, core::read_operand(in), detail::for_each_impl::offsets_in(where, offsets), core::written_operand(out),
      init, o, f);
}

template <class X, class S, class Y, class Op = plus>
  requires operands<X, S, Y> && core::operator_on<Op, element_of<X>>
void segmented_inclusive_scan(const context& where, const X& in, const S& offsets, Y&& out, Op op = {}) {
  using T = element_of<X>;
  const auto o = core::as_operator<T>(op);
  if constexpr (core::can_begin_with_an_element<std::remove_const_t<decltype(o)>, T>)
    detail::segmented_impl::segments_scanned<T, std::remove_const_t<decltype(o)>, this_compiler>(
        where, core::read_operand(in), detail::for_each_impl::offsets_in(where, offsets), core::written_operand(out),
        o);
  else
    upsweep::segmented_transform_inclusive_scan(where, in, offsets, out, o, identity{}, identity_of<T>(o));
}
template <class X, class S, class Y, class Op = plus>
  requires operands<X, S, Y>
void segmented_inclusive_scan(const context& where, const X& in, const S& offsets, Y&& out,
                              core::init_for<element_of<X>> init, Op op = {}) {
  upsweep::segmented_transform_inclusive_scan(where, in, offsets, out, core::as_operator<element_of<X>>(op), identity{},
                                              init);
}
// Overload with the argument order of the C++ standard library.
template <class X, class S, class Y, class Op>
  requires operands<X, S, Y> && core::operator_on<Op, element_of<X>>
void segmented_inclusive_scan(const context& where, const X& in, const S& offsets, Y&& out, Op op,
                              core::init_for<element_of<X>> init) {
  upsweep::segmented_inclusive_scan(where, in, offsets, out, init, op);
}
template <class X, class S, class Y, class Op = plus>
  requires operands<X, S, Y>
void segmented_exclusive_scan(const context& where, const X& in, const S& offsets, Y&& out,
                              core::init_for<element_of<X>> init, Op op = {}) {
  upsweep::segmented_transform_exclusive_scan(where, in, offsets, out, init, core::as_operator<element_of<X>>(op),
                                              identity{});
}
template <class X, class S, class Y, class Op = plus>
  requires operands<X, S, Y> && core::operator_on<Op, element_of<X>>
void segmented_exclusive_scan(const context& where, const X& in, const S& offsets, Y&& out, Op op = {}) {
  const auto o = core::as_operator<element_of<X>>(op);
  upsweep::segmented_transform_exclusive_scan(where, in, offsets, out, identity_of<element_of<X>>(o), o, identity{});
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep

#include "upsweep/segmented/segmented_lazy.hpp"  // last: overloads for lazy views and output adaptors
