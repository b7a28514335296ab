// By key and by segment: folds and scans that begin anew at each run of equal keys, or at each segment that offsets
// cut.
//
//   std::uint64_t runs = upsweep::reduce_by_key(gpu, keys.span(), x.span(), run_keys.span(), run_sums.span());
//   upsweep::reduce_by_key(gpu, keys.span(), x.span(), run_keys.span(), run_sums.span(), count.span());  // stays there
//   upsweep::inclusive_scan_by_key(cpu, days, prices, running, upsweep::maximum{});
//   upsweep::segmented_reduce(gpu, x.span(), offsets.span(), sums.span());  // segment s: [offsets[s], offsets[s + 1])
//   upsweep::segmented_exclusive_scan(gpu, x.span(), offsets.span(), y.span());
//
// Result       reduce_by_key: for each run of neighbours with equal keys the first key, and f(x) of the run folded in
//              order; how many runs there are is returned, or written to a device span of one u64. What lies in the
//              outputs beyond the runs is left as it was.
//              scan_by_key: out[i] = init ∘ f(x) of the run that i is in, up to i (inclusive) or up to the one before
//              it (exclusive).
//              segmented_reduce: out[s] = init ∘ f(x) of segment s; an empty segment yields init. segmented scans: as
//              by key; what lies in no segment is not written. The default init is the operator's identity.
// Requires     an associative operator with an identity; it need not commute. Keys and values of one size; outputs of
//              reduce_by_key that could hold a run for each element. Keys are equal as == says, so that a NaN is a run
//              of its own; or as `same`, the last argument, says of neighbours. Offsets are u64 or u32, one more than
//              there are segments; they never decrease and none passes x.size(). Scans may be in place (the same
//              memory exactly); all else overlaps nothing.
// Inputs       device spans, buffers, ranges with random access and what inputs.hpp makes, offsets too; outputs also
//              those of outputs.hpp (but of segmented scans), so that reduce_by_key can discard its keys. The fold is
//              kept in the output's elements. Where one of them is no memory, host memory is worked on by the CPU
//              whatever the context, each element where it is folded; CUDA lays out in scratch, where nvcc compiles the
//              call, what is made or changed. Discarded keys alone, and inputs whose functions carry their text: every
//              device, from any file.
// Work         O(n) applications, every key and value read once. Runs and segments of any lengths, empty ones and one
//              of everything, side by side cost the same: work is dealt out by elements, not by segments.
// Scratch      O(tiles), and one bit for each element where there are segments (CUDA: for scans alone), and eight bytes
//              for each offset of u32; owned by the context, none allocated in the second call of the same shape.
// Floating point  grouped the same way every time on one context, so bitwise repeatable there. A run's rounding depends
//                 on its own elements alone.
// Asynchrony   device spans: enqueued, except that the form that returns a count waits for it. Host memory: done on
//              return.
// Host memory  streamed through the device in chunks when it does not fit there; what is open at the end of a chunk is
//              carried into the next.
// Errors       upsweep::error: sizes that differ, an output that is too small, overlap, an operator or type that the
//              device cannot take; offsets that decrease or pass the end (on device memory other than the CPU's in
//              checked calls: .checked of with(), UPSWEEP_CHECKED).
//
// Values of built-in types that fold (i32 u32 i64 u64 f32 f64) with keys of any built-in type, and the operators and
// transforms of operators.hpp, work from any .cpp file. Anything else works on the CPU anywhere, on CUDA where nvcc
// compiles the call, and on OpenCL where types and functions of your own carry their C text (opencl/custom.hpp says
// how).
#pragma once

#include "upsweep/for_each/widened.hpp"
#include "upsweep/operators/monoid.hpp"
#include "upsweep/segmented/chunks.hpp"
#include "upsweep/segmented/enqueue.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// ---- By key.

template <class K, class X, class KOut, class Y, class Op = plus, class F = identity, class Equal = core::equals,
          class By = this_compiler>
  requires on_device<K, X, KOut, Y>
void reduce_by_key(const context& where, const K& keys, const X& in, KOut&& keys_out, Y&& out,
                   device_span<std::uint64_t> count, Op op = {}, F f = {}, Equal same = {}) {
  segmented_room::reduce_by_key<element_of<K>, element_of<X>, Op, F, By>(
      where, core::read_operand(keys), core::read_operand(in), core::written_operand(keys_out),
      core::written_operand(out), count, op, f, same);
}

// Returns how many runs there are.
template <class K, class X, class KOut, class Y, class Op = plus, class F = identity, class Equal = core::equals,
          class By = this_compiler>
  requires operands<K, X, KOut, Y> && (!is_device_span<Op>)
std::uint64_t reduce_by_key(const context& where, const K& keys, const X& in, KOut&& keys_out, Y&& out, Op op = {},
                            F f = {}, Equal same = {}) {
  return segmented_room::runs_reduced<element_of<K>, element_of<X>, Op, F, By>(
      where, core::read_operand(keys), core::read_operand(in), core::written_operand(keys_out),
      core::written_operand(out), op, f, same);
}

template <class K, class X, class Y, class Op, class F, class Equal = core::equals, class By = this_compiler>
  requires operands<K, X, Y>
void transform_inclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out, Op op, F f,
                                     std::type_identity_t<element_of<X>> init, Equal same = {}) {
  segmented_room::scanned_by_key<true, element_of<K>, element_of<X>, Op, F, By>(
      where, core::read_operand(keys), core::read_operand(in), core::written_operand(out), init, op, f, same);
}
template <class K, class X, class Y, class Op, class F, class Equal = core::equals, class By = this_compiler>
  requires operands<K, X, Y>
void transform_exclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out,
                                     std::type_identity_t<element_of<X>> init, Op op, F f, Equal same = {}) {
  segmented_room::scanned_by_key<false, element_of<K>, element_of<X>, Op, F, By>(
      where, core::read_operand(keys), core::read_operand(in), core::written_operand(out), init, op, f, same);
}

template <class K, class X, class Y, class Op = plus>
  requires operands<K, X, Y> && core::operator_on<Op, element_of<X>>
void inclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out, Op op = {}) {
  const auto o = core::as_operator<element_of<X>>(op);
  upsweep::transform_inclusive_scan_by_key(where, keys, in, out, o, identity{}, identity_of<element_of<X>>(o));
}
template <class K, class X, class Y, class Op = plus, class Equal = core::equals>
  requires operands<K, X, Y>
void inclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out,
                           std::type_identity_t<element_of<X>> init, Op op = {}, Equal same = {}) {
  upsweep::transform_inclusive_scan_by_key(where, keys, in, out, core::as_operator<element_of<X>>(op), identity{}, init,
                                           same);
}
// The standard's order of arguments.
template <class K, class X, class Y, class Op>
  requires operands<K, X, Y> && core::operator_on<Op, element_of<X>>
void inclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out, Op op,
                           std::type_identity_t<element_of<X>> init) {
  upsweep::inclusive_scan_by_key(where, keys, in, out, init, op);
}
template <class K, class X, class Y, class Op = plus, class Equal = core::equals>
  requires operands<K, X, Y>
void exclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out,
                           std::type_identity_t<element_of<X>> init, Op op = {}, Equal same = {}) {
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
                                std::type_identity_t<element_of<X>> init, Op op, F f) {
  segmented_room::segments_reduced<element_of<X>, Op, F, By>(where, core::read_operand(in),
                                                             for_each_room::offsets_in(where, offsets),
                                                             core::written_operand(out), init, op, f);
}
template <class X, class S, class Y, class Op = plus>
  requires operands<X, S, Y>
void segmented_reduce(const context& where, const X& in, const S& offsets, Y&& out,
                      std::type_identity_t<element_of<X>> init, Op op = {}) {
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
                                        std::type_identity_t<element_of<X>> init) {
  segmented_room::segments_scanned<true, element_of<X>, Op, F, By>(where, core::read_operand(in),
                                                                   for_each_room::offsets_in(where, offsets),
                                                                   core::written_operand(out), init, op, f);
}
template <class X, class S, class Y, class Op, class F, class By = this_compiler>
  requires operands<X, S, Y>
void segmented_transform_exclusive_scan(const context& where, const X& in, const S& offsets, Y&& out,
                                        std::type_identity_t<element_of<X>> init, Op op, F f) {
  segmented_room::segments_scanned<false, element_of<X>, Op, F, By>(where, core::read_operand(in),
                                                                    for_each_room::offsets_in(where, offsets),
                                                                    core::written_operand(out), init, op, f);
}

template <class X, class S, class Y, class Op = plus>
  requires operands<X, S, Y> && core::operator_on<Op, element_of<X>>
void segmented_inclusive_scan(const context& where, const X& in, const S& offsets, Y&& out, Op op = {}) {
  const auto o = core::as_operator<element_of<X>>(op);
  upsweep::segmented_transform_inclusive_scan(where, in, offsets, out, o, identity{}, identity_of<element_of<X>>(o));
}
template <class X, class S, class Y, class Op = plus>
  requires operands<X, S, Y>
void segmented_inclusive_scan(const context& where, const X& in, const S& offsets, Y&& out,
                              std::type_identity_t<element_of<X>> init, Op op = {}) {
  upsweep::segmented_transform_inclusive_scan(where, in, offsets, out, core::as_operator<element_of<X>>(op), identity{},
                                              init);
}
// The standard's order of arguments.
template <class X, class S, class Y, class Op>
  requires operands<X, S, Y> && core::operator_on<Op, element_of<X>>
void segmented_inclusive_scan(const context& where, const X& in, const S& offsets, Y&& out, Op op,
                              std::type_identity_t<element_of<X>> init) {
  upsweep::segmented_inclusive_scan(where, in, offsets, out, init, op);
}
template <class X, class S, class Y, class Op = plus>
  requires operands<X, S, Y>
void segmented_exclusive_scan(const context& where, const X& in, const S& offsets, Y&& out,
                              std::type_identity_t<element_of<X>> init, Op op = {}) {
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

#include "upsweep/segmented/made.hpp"  // last: inputs and outputs that are no memory
