// counted: how many elements a call works on is read on the device, when the call runs there.
//
//   upsweep::copy_if(gpu, x.span(), y.span(), kept.span(), upsweep::less_than(0.5f));  // how many, only the GPU knows
//   const auto some = upsweep::counted(y.span(), kept.span());
//   upsweep::sort(gpu, some);                                         // the first kept[0] of y
//   upsweep::inclusive_scan(gpu, some, sums.span());
//   upsweep::reduce(gpu, some, total.span());
//
// Result       that of the same call on the first min(count, size) elements, size being the span's. Elements of outputs
//              beyond what that call writes are left as they were. A count past the span's size acts as the size.
//              Counts that are written may be the memory of the count that is read. Sorts, scans and selections may be
//              in place: the output exactly the counted span.
// Calls        sort, sort_by_key, inclusive_scan, exclusive_scan, reduce, reduce_by_key, inclusive_scan_by_key,
//              exclusive_scan_by_key, copy_if, select_flagged, partition, unique, histogram (even bins, one channel).
//              Inputs and outputs beside the counted one are device spans or buffers that could hold all of the span.
// Requires     off the CPU: trivially copyable elements of at most 64 bytes; for sort a built-in order (no comparator),
//              for reduce_by_key and unique keys of built-in types; for reduce an operator with an identity; what the
//              call itself asks for besides. A fold of reduce is kept in the elements' type.
// Work         off the CPU that of the call on the whole span, and copying the span once or twice: a kernel's size is
//              chosen before the count is known. On the CPU that of the call on the elements there are.
// Scratch      off the CPU two or three times the span, owned by the context, none allocated in the second call of the
//              same shape.
// Determinism  as the call itself; sums of floats are grouped as those of the whole span are, and repeat bit for bit.
// Asynchrony   Enqueued: nothing waits for the host, and a CUDA graph may hold it once a call outside has allocated
//              the scratch; each replay reads the count again.
// Errors       upsweep::error: a count of other than one element, outputs of another size, as the call itself.
#pragma once

#include "upsweep/counted/enqueue.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// A device span of which the first `count` elements are meant.
template <class X, class C>
  requires on_device<X, C>
auto counted(X&& span, C&& count) {
  using T = std::remove_pointer_t<decltype(counted_room::span_of(span).data())>;
  return counted_span<T>(counted_room::span_of(span), core::read_operand(count));
}

// ---- sort

template <class T, class Y, class Order = sort_options>
  requires on_device<Y>
void sort(const context& where, const counted_span<T>& in, Y&& out, const Order& order = {}) {
  counted_room::sorted(where, in, core::written_operand(out), order);
}
template <class T, class Order = sort_options>
  requires(!on_device<Order>)
void sort(const context& where, const counted_span<T>& keys, const Order& order = {}) {
  upsweep::sort(where, keys, keys.span(), order);
}

template <class T, class V, class Order = sort_options>
  requires on_device<V> && (!on_device<Order>)
void sort_by_key(const context& where, const counted_span<T>& keys, V&& values, const Order& order = {}) {
  counted_room::sorted_by_key(where, keys, core::written_operand(values), order);
}

// ---- scan

template <class T, class Y, class Init, class Op = plus>
  requires operands<Y> && (!core::operator_on<Init, element_of<Y>>)
void exclusive_scan(const context& where, const counted_span<T>& in, Y&& out, Init init, Op op = {}) {
  counted_room::scanned(where, in, core::written_operand(out),
                        [&](auto x, auto y) { upsweep::exclusive_scan(where, x, y, init, op); });
}
template <class T, class Y, class Op = plus>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void exclusive_scan(const context& where, const counted_span<T>& in, Y&& out, Op op = {}) {
  counted_room::scanned(where, in, core::written_operand(out),
                        [&](auto x, auto y) { upsweep::exclusive_scan(where, x, y, op); });
}
template <class T, class Y, class Init, class Op = plus>
  requires operands<Y> && (!core::operator_on<Init, element_of<Y>>)
void inclusive_scan(const context& where, const counted_span<T>& in, Y&& out, Init init, Op op = {}) {
  counted_room::scanned(where, in, core::written_operand(out),
                        [&](auto x, auto y) { upsweep::inclusive_scan(where, x, y, init, op); });
}
template <class T, class Y, class Op = plus>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void inclusive_scan(const context& where, const counted_span<T>& in, Y&& out, Op op = {}) {
  counted_room::scanned(where, in, core::written_operand(out),
                        [&](auto x, auto y) { upsweep::inclusive_scan(where, x, y, op); });
}
template <class T, class Y, class Op>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void inclusive_scan(const context& where, const counted_span<T>& in, Y&& out, Op op,
                    std::type_identity_t<element_of<Y>> init) {
  upsweep::inclusive_scan(where, in, out, std::move(init), op);
}

// ---- reduce

template <class T, class A, class Op = plus>
void reduce(const context& where, const counted_span<T>& in, device_span<A> out, std::type_identity_t<A> init,
            Op op = {}) {
  counted_room::reduced(where, in, out, init, core::as_operator<A>(op));
}
template <class T, class A, class Op = plus>
  requires core::operator_on<Op, A>
void reduce(const context& where, const counted_span<T>& in, device_span<A> out, Op op = {}) {
  const auto o = core::as_operator<A>(op);
  counted_room::reduced(where, in, out, identity_of<A>(o), o);
}

// The values are as many as the span of keys holds.
template <class K, class V, class KOut, class Y, class Op = plus>
  requires on_device<V, KOut, Y>
void reduce_by_key(const context& where, const counted_span<K>& keys, const V& values, KOut&& keys_out, Y&& out,
                   device_span<std::uint64_t> runs, Op op = {}) {
  counted_room::reduced_by_key(where, keys, core::read_operand(values), core::written_operand(keys_out),
                               core::written_operand(out), runs, core::as_operator<element_of<V>>(op));
}

template <class K, class V, class Y, class Op = plus>
  requires on_device<V, Y>
void inclusive_scan_by_key(const context& where, const counted_span<K>& keys, const V& values, Y&& out, Op op = {}) {
  counted_room::scanned_by_key(where, keys, core::read_operand(values), core::written_operand(out),
                               [&](auto k, auto x, auto y) { upsweep::inclusive_scan_by_key(where, k, x, y, op); });
}
template <class K, class V, class Y, class Op = plus>
  requires on_device<V, Y> && core::operator_on<Op, element_of<V>>
void exclusive_scan_by_key(const context& where, const counted_span<K>& keys, const V& values, Y&& out, Op op = {}) {
  counted_room::scanned_by_key(where, keys, core::read_operand(values), core::written_operand(out),
                               [&](auto k, auto x, auto y) { upsweep::exclusive_scan_by_key(where, k, x, y, op); });
}
template <class K, class V, class Y, class Op = plus>
  requires on_device<V, Y>
void exclusive_scan_by_key(const context& where, const counted_span<K>& keys, const V& values, Y&& out,
                           std::type_identity_t<element_of<V>> init, Op op = {}) {
  counted_room::scanned_by_key(
      where, keys, core::read_operand(values), core::written_operand(out),
      [&](auto k, auto x, auto y) { upsweep::exclusive_scan_by_key(where, k, x, y, init, op); });
}

// ---- select

template <class T, class Y, class Test, class By = this_compiler>
  requires on_device<Y>
void copy_if(const context& where, const counted_span<T>& in, Y&& out, device_span<std::uint64_t> kept, Test test) {
  counted_room::kept_if<By>(where, in, core::written_operand(out), kept, test);
}
template <class T, class F, class Y>
  requires on_device<F, Y>
void select_flagged(const context& where, const counted_span<T>& in, const F& flags, Y&& out,
                    device_span<std::uint64_t> kept) {
  counted_room::kept_by_flag(where, in, select_room::flags_in(flags), core::written_operand(out), kept);
}
template <class T, class Y, class Test, class By = this_compiler>
  requires on_device<Y>
void partition(const context& where, const counted_span<T>& in, Y&& out, device_span<std::uint64_t> kept, Test test) {
  counted_room::parted<By>(where, in, core::written_operand(out), kept, test);
}
template <class T, class Y>
  requires on_device<Y>
void unique(const context& where, const counted_span<T>& in, Y&& out, device_span<std::uint64_t> kept) {
  counted_room::first_of_runs(where, in, core::written_operand(out), kept);
}

// ---- histogram

template <class T, class C>
  requires on_device<C>
void histogram(const context& where, const counted_span<T>& samples, C&& counts,
               std::type_identity_t<bin_bound<std::remove_const_t<T>>> lower,
               std::type_identity_t<bin_bound<std::remove_const_t<T>>> upper) {
  counted_room::histogram_of(where, samples, core::written_operand(counts), lower, upper);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
