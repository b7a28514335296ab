// device_counted: a device span whose number of valid elements is stored in device memory and read when the call runs
// there. The count never travels to the host.
//
//   upsweep::copy_if(gpu, x.span(), y.span(), count.span(), upsweep::less_than(0.5f));  // the count stays on the GPU
//   const auto some = upsweep::device_counted(y.span(), count.span());
//   upsweep::sort(gpu, some);                                         // the first count[0] of y
//   upsweep::inclusive_scan(gpu, some, sums.span());
//   upsweep::reduce(gpu, some, total.span());
//
// Result       The result of the same call on the first min(count, size) elements, where size is that of the span; a
//              larger count acts as the size. Output elements that the call on these elements does not write keep their
//              values. Counts that are written may be stored in the memory of the count that is read. Sorts, scans and
//              selections may be in place: the output is then exactly the counted span.
// Calls        sort, sort_by_key, inclusive_scan, exclusive_scan, reduce, reduce_by_key, inclusive_scan_by_key,
//              exclusive_scan_by_key, copy_if, select_flagged, partition, unique, histogram (even bins, one channel).
//              All other inputs and outputs are device spans or buffers large enough for the whole span.
// Requires     The requirements of the call itself. Off the CPU also trivially copyable elements of at most 64 bytes;
//              for sort a built-in order (no comparator), for reduce_by_key and unique keys of built-in types, for
//              reduce an operator with an identity, for copy_if and partition a built-in test or one with device source
//              (on CUDA also one that nvcc compiles). reduce accumulates in the elements' type.
// Work         Off the CPU: the work of the call on the whole span, and one or two copies of the span, because a
//              kernel's size is chosen before the count is known. On the CPU: the work of the call on the valid
//              elements.
// Scratch      Off the CPU: two or three times the span. The context owns the scratch; the second call of the same
//              shape allocates none.
// Determinism  As the call itself. Sums of floats are grouped like those of the whole span and repeat bit for bit.
// Asynchrony   Enqueued: the call does not wait for the host. A CUDA graph may capture it; each replay reads the count
//              again.
// Errors       upsweep::error: a count of other than one element, outputs of another size, a comparator or a test that
//              the device does not support, errors of the call itself.
#pragma once

#include "upsweep/device_counted/device_counted_dispatch.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// The first count[0] elements of a device span.
template <class X, class C>
  requires on_device<X, C>
auto device_counted(X&& span, C&& count) {
  using T = std::remove_pointer_t<decltype(detail::device_counted_impl::span_of(span).data())>;
  return device_counted_span<T>(detail::device_counted_impl::span_of(span), core::read_operand(count));
}

// ---- sort

template <class T, class Y, class Order = sort_options>
  requires on_device<Y>
void sort(const context& where, const device_counted_span<T>& in, Y&& out, const Order& order = {}) {
  detail::device_counted_impl::sorted(where, in, core::written_operand(out), order);
}
template <class T, class Order = sort_options>
  requires(!on_device<Order>)
void sort(const context& where, const device_counted_span<T>& keys, const Order& order = {}) {
  upsweep::sort(where, keys, keys.span(), order);
}

template <class T, class V, class Order = sort_options>
  requires on_device<V> && (!on_device<Order>)
void sort_by_key(const context& where, const device_counted_span<T>& keys, V&& values, const Order& order = {}) {
  detail::device_counted_impl::sorted_by_key(where, keys, core::written_operand(values), order);
}

// ---- scan

template <class T, class Y, class Init, class Op = plus>
  requires operands<Y> && (!core::operator_on<Init, element_of<Y>>)
void exclusive_scan(const context& where, const device_counted_span<T>& in, Y&& out, Init init, Op op = {}) {
  detail::device_counted_impl::scanned(where, in, core::written_operand(out),
                                       [&](auto x, auto y) { upsweep::exclusive_scan(where, x, y, init, op); });
}
template <class T, class Y, class Op = plus>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void exclusive_scan(const context& where, const device_counted_span<T>& in, Y&& out, Op op = {}) {
  detail::device_counted_impl::scanned(where, in, core::written_operand(out),
                                       [&](auto x, auto y) { upsweep::exclusive_scan(where, x, y, op); });
}
template <class T, class Y, class Init, class Op = plus>
  requires operands<Y> && (!core::operator_on<Init, element_of<Y>>)
void inclusive_scan(const context& where, const device_counted_span<T>& in, Y&& out, Init init, Op op = {}) {
  detail::device_counted_impl::scanned(where, in, core::written_operand(out),
                                       [&](auto x, auto y) { upsweep::inclusive_scan(where, x, y, init, op); });
}
template <class T, class Y, class Op = plus>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void inclusive_scan(const context& where, const device_counted_span<T>& in, Y&& out, Op op = {}) {
  detail::device_counted_impl::scanned(where, in, core::written_operand(out),
                                       [&](auto x, auto y) { upsweep::inclusive_scan(where, x, y, op); });
}
template <class T, class Y, class Op>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void inclusive_scan(const context& where, const device_counted_span<T>& in, Y&& out, Op op,
                    core::init_for<element_of<Y>> init) {
  upsweep::inclusive_scan(where, in, out, static_cast<element_of<Y>>(init), op);
}

// ---- reduce

template <class T, class A, class Op = plus>
void reduce(const context& where, const device_counted_span<T>& in, device_span<A> out, core::init_for<A> init,
            Op op = {}) {
  detail::device_counted_impl::reduced(where, in, out, static_cast<A>(init), core::as_operator<A>(op));
}
template <class T, class A, class Op = plus>
  requires core::operator_on<Op, A>
void reduce(const context& where, const device_counted_span<T>& in, device_span<A> out, Op op = {}) {
  const auto o = core::as_operator<A>(op);
  detail::device_counted_impl::reduced(where, in, out, identity_of<A>(o), o);
}

// `values` has as many elements as the whole span of keys.
template <class K, class V, class KOut, class Y, class Op = plus>
  requires on_device<V, KOut, Y>
void reduce_by_key(const context& where, const device_counted_span<K>& keys, const V& values, KOut&& keys_out, Y&& out,
                   device_span<std::uint64_t> runs, Op op = {}) {
  detail::device_counted_impl::reduced_by_key(where, keys, core::read_operand(values), core::written_operand(keys_out),
                                              core::written_operand(out), runs, core::as_operator<element_of<V>>(op));
}

template <class K, class V, class Y, class Op = plus>
  requires on_device<V, Y>
void inclusive_scan_by_key(const context& where, const device_counted_span<K>& keys, const V& values, Y&& out,
                           Op op = {}) {
  detail::device_counted_impl::scanned_by_key(
      where, keys, core::read_operand(values), core::written_operand(out),
      [&](auto k, auto x, auto y) { upsweep::inclusive_scan_by_key(where, k, x, y, op); });
}
template <class K, class V, class Y, class Op = plus>
  requires on_device<V, Y> && core::operator_on<Op, element_of<V>>
void exclusive_scan_by_key(const context& where, const device_counted_span<K>& keys, const V& values, Y&& out,
                           Op op = {}) {
  detail::device_counted_impl::scanned_by_key(
      where, keys, core::read_operand(values), core::written_operand(out),
      [&](auto k, auto x, auto y) { upsweep::exclusive_scan_by_key(where, k, x, y, op); });
}
template <class K, class V, class Y, class Op = plus>
  requires on_device<V, Y>
void exclusive_scan_by_key(const context& where, const device_counted_span<K>& keys, const V& values, Y&& out,
                           core::init_for<element_of<V>> init, Op op = {}) {
  detail::device_counted_impl::scanned_by_key(
      where, keys, core::read_operand(values), core::written_operand(out),
      [&](auto k, auto x, auto y) { upsweep::exclusive_scan_by_key(where, k, x, y, init, op); });
}

// ---- select

template <class T, class Y, class Test, class By = this_compiler>
  requires on_device<Y>
void copy_if(const context& where, const device_counted_span<T>& in, Y&& out, device_span<std::uint64_t> count,
             Test test) {
  detail::device_counted_impl::select_if<By>(where, in, core::written_operand(out), count,
                                             core::asked_of<std::remove_const_t<T>>("copy_if", test));
}
template <class T, class F, class Y>
  requires on_device<F, Y>
void select_flagged(const context& where, const device_counted_span<T>& in, const F& flags, Y&& out,
                    device_span<std::uint64_t> count) {
  detail::device_counted_impl::select_by_flag(where, in, detail::select_impl::flags_in(flags),
                                              core::written_operand(out), count);
}
template <class T, class Y, class Test, class By = this_compiler>
  requires on_device<Y>
void partition(const context& where, const device_counted_span<T>& in, Y&& out, device_span<std::uint64_t> count,
               Test test) {
  detail::device_counted_impl::parted<By>(where, in, core::written_operand(out), count,
                                          core::asked_of<std::remove_const_t<T>>("partition", test));
}
template <class T, class Y>
  requires on_device<Y>
void unique(const context& where, const device_counted_span<T>& in, Y&& out, device_span<std::uint64_t> count) {
  detail::device_counted_impl::first_of_runs(where, in, core::written_operand(out), count);
}

// ---- histogram

template <class T, class C, class L, class U>
  requires on_device<C> && bin_bound_for<L, std::remove_const_t<T>> && bin_bound_for<U, std::remove_const_t<T>>
void histogram(const context& where, const device_counted_span<T>& samples, C&& counts, const L& lower,
               const U& upper) {
  using sample = std::remove_const_t<T>;
  detail::device_counted_impl::histogram_of(where, samples, core::written_operand(counts),
                                            detail::histogram_impl::bound_from<sample>("histogram", lower),
                                            detail::histogram_impl::bound_from<sample>("histogram", upper));
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
