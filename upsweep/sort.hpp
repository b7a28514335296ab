// sort: keys in order, alone or with values that follow them; and what goes with it: segmented sorts, top_k,
// nth_element, merge, is_sorted.
//
//   upsweep::sort(gpu, keys.span());                                     // in place
//   upsweep::sort(cpu, prices, sorted, {.descending = true});
//   upsweep::sort_by_key(gpu, keys.span(), rows.span());                 // values of any trivially copyable type
//   upsweep::argsort(cpu, names, order, by_length{});                    // a comparator of your own
//   upsweep::sort(cpu, trades, upsweep::by(&trade::day, upsweep::descending(&trade::price)));
//   upsweep::segmented_sort(gpu, keys.span(), offsets.span());           // segment s is [offsets[s], offsets[s + 1])
//   upsweep::top_k(gpu, scores.span(), best.span(), where.span());       // the best.size() largest, and their indices
//   float median = upsweep::nth_element(cpu, x, x.size() / 2);
//
// Result       Keys of a built-in type ascend by value, or descend. Floats: -0 and +0 are equal; NaNs stand last
//              (descending: first) and are equal to each other; every key keeps its bits. Every sort is stable,
//              descending ones too: equal keys stay in the order of the input. first_bit and last_bit restrict the
//              order to bits [first_bit, last_bit) of the key's image (sort/order.hpp), an unsigned integer of the
//              key's width; for unsigned keys that is the key itself. Both 0: all bits.
//   argsort         indices[i] = where the i-th key in order stands; the keys stay as they are, or go in order to an
//                   output of their own. Indices of 4 or 8 bytes.
//   segmented_sort  each segment by itself; what lies in no segment is copied
//   top_k           the k first in order, in order, and of equal ones those that stand first; the largest unless the
//                   options say otherwise
//   nth_element     a key equal to the one of rank k, counted from 0; or all keys rearranged: the one of rank k at
//                   place k, those before it no later in order, those after it no earlier
//   merge           two sorted sequences become one; of equal keys those of the first stand first
//   is_sorted_until the first i with key i before key i - 1 in order, or the number of keys
// Comparators  compare(a, b) says whether a stands before b: a strict weak order. Anything else still ends and reads
//              and writes nothing outside, but leaves no order, on a GPU elements twice, mixed or lost. Checked calls
//              (.checked, UPSWEEP_CHECKED) report it. std::less and std::greater of a built-in type are the
//              orders above. Others: any type on the CPU; trivially copyable ones on CUDA where nvcc compiles the call,
//              there and on OpenCL where they and a type of your own carry their C text (opencl/custom.hpp says how).
//              by(&T::a, descending(&T::b)) is one that goes by several members (sort/by.hpp); it has no text.
// Inputs       device spans, buffers, contiguous ranges; in sort, argsort, top_k and merge, too, what inputs.hpp makes,
//              and other ranges with random access and a size, which are stored first: by sort where they go, by the
//              others in memory of as many elements.
// In place     `out` may be exactly `in` (sort, segmented_sort, nth_element), and so may the values; any other overlap
//              is an error.
// Work         built-in keys: radix sorts, O(n) for a width of keys. 4-byte keys move about 36n bytes on a GPU, 24n on
//              a CPU. Comparators: merge sorts, n log2 n comparisons. top_k: one or two readings of the keys and
//              a sort of k.
// Scratch      as much as keys and values once more, owned by the context; none allocated in the second call of the
//              same shape. Values of other sizes than 4 and 8 bytes go by indices: 4 or 8 bytes an element, and a copy
//              of the values where they are sorted in place. So do, on CUDA, more than 2^16 floats by some of their
//              bits. There, too, values as wide as their keys, 4 or 8 bytes, take it twice where an output does not lie
//              at a multiple of twice that width.
// Determinism  the result is fixed by the input alone, whatever the device.
// Asynchrony   device spans: enqueued; but nth_element, is_sorted and is_sorted_until without an output wait for the
//              answer. Host memory: done on return; what is larger than the device's memory is sorted in chunks and
//              merged on the host.
// Errors       upsweep::error: sizes that differ, overlap, a range of bits outside the key, k beyond the number of
//              keys, offsets that decrease or pass the end (of offsets on a device only checked calls tell,
//              and wait for them), a type or comparator that the device cannot take.
#pragma once

#include "upsweep/for_each/widened.hpp"
#include "upsweep/sort/by.hpp"
#include "upsweep/sort/enqueue.hpp"
#include "upsweep/sort/made.hpp"
#include "upsweep/sort/refused.hpp"

namespace upsweep {

template <class C, class T>
concept sort_comparator = !operands<C> && std::is_invocable_r_v<bool, const C&, const T&, const T&>;

inline namespace UPSWEEP_COMPILED {

// --- sort ---

template <class X, class Y>
  requires operands<X, Y>
void sort(const context& where, const X& in, Y&& out, const sort_options& options = {}) {
  sort_room::sorted("sort", where, core::read_operand(in), core::written_operand(out), options);
}
template <class X, class Y, class Compare>
  requires operands<X, Y> && sort_comparator<Compare, element_of<X>>
void sort(const context& where, const X& in, Y&& out, const Compare& compare) {
  sort_room::sorted("sort", where, core::read_operand(in), core::written_operand(out), compare);
}

template <class X>
  requires operands<X>
void sort(const context& where, X&& keys, const sort_options& options = {}) {
  upsweep::sort(where, keys, keys, options);
}
template <class X, class Compare>
  requires operands<X> && sort_comparator<Compare, element_of<X>>
void sort(const context& where, X&& keys, const Compare& compare) {
  upsweep::sort(where, keys, keys, compare);
}

// Keys that are made as they are read.
template <class X, class Y, class CompiledBy = this_compiler>
  requires sort_room::made_keys<X> && operands<Y>
void sort(const context& where, const X& in, Y&& out, const sort_options& options = {}) {
  sort_room::store<CompiledBy>(where, "sort", in, core::written_operand(out));
  sort_room::sorted("sort", where, core::read_operand(out), core::written_operand(out), options);
}
template <class X, class Y, class Compare, class CompiledBy = this_compiler>
  requires sort_room::made_keys<X> && operands<Y> && sort_comparator<Compare, core::value_of<X>>
void sort(const context& where, const X& in, Y&& out, const Compare& compare) {
  sort_room::store<CompiledBy>(where, "sort", in, core::written_operand(out));
  sort_room::sorted("sort", where, core::read_operand(out), core::written_operand(out), compare);
}

// Every sort is stable; this name says that the caller relies on it.
template <class... Arguments>
  requires requires(const context& where, Arguments&&... a) { upsweep::sort(where, std::forward<Arguments>(a)...); }
void stable_sort(const context& where, Arguments&&... arguments) {
  upsweep::sort(where, std::forward<Arguments>(arguments)...);
}
template <class X>
  requires operands<X>
void stable_sort(const context& where, X&& keys, const sort_options& options) {
  upsweep::sort(where, keys, keys, options);
}
template <class X, class Y>
  requires operands<X, Y>
void stable_sort(const context& where, const X& in, Y&& out, const sort_options& options) {
  upsweep::sort(where, in, out, options);
}

// --- sort_by_key ---

template <class X, class V, class Y, class W>
  requires operands<X, V, Y, W>
void sort_by_key(const context& where, const X& keys, const V& values, Y&& keys_out, W&& values_out,
                 const sort_options& options = {}) {
  sort_room::sorted("sort_by_key", where, core::read_operand(keys), core::written_operand(keys_out),
                    core::read_operand(values), core::written_operand(values_out), options);
}
template <class X, class V, class Y, class W, class Compare>
  requires operands<X, V, Y, W> && sort_comparator<Compare, element_of<X>>
void sort_by_key(const context& where, const X& keys, const V& values, Y&& keys_out, W&& values_out,
                 const Compare& compare) {
  sort_room::sorted("sort_by_key", where, core::read_operand(keys), core::written_operand(keys_out),
                    core::read_operand(values), core::written_operand(values_out), compare);
}

template <class X, class V>
  requires operands<X, V>
void sort_by_key(const context& where, X&& keys, V&& values, const sort_options& options = {}) {
  upsweep::sort_by_key(where, keys, values, keys, values, options);
}
template <class X, class V, class Compare>
  requires operands<X, V> && sort_comparator<Compare, element_of<X>>
void sort_by_key(const context& where, X&& keys, V&& values, const Compare& compare) {
  upsweep::sort_by_key(where, keys, values, keys, values, compare);
}

// --- argsort ---

template <class X, class I>
  requires operands<X, I>
void argsort(const context& where, const X& keys, I&& indices, const sort_options& options = {}) {
  sort_room::argsorted(where, core::read_operand(keys), core::written_operand(indices), options);
}
template <class X, class I, class Compare>
  requires operands<X, I> && sort_comparator<Compare, element_of<X>>
void argsort(const context& where, const X& keys, I&& indices, const Compare& compare) {
  sort_room::argsorted(where, core::read_operand(keys), core::written_operand(indices), compare);
}

// The keys in order as well; `keys_out` may be exactly `keys`.
template <class X, class Y, class I>
  requires operands<X, Y, I>
void argsort(const context& where, const X& keys, Y&& keys_out, I&& indices, const sort_options& options = {}) {
  sort_room::argsorted(where, core::read_operand(keys), core::written_operand(keys_out), core::written_operand(indices),
                       options);
}

template <class X, class I, class CompiledBy = this_compiler>
  requires sort_room::made_keys<X> && operands<I>
void argsort(const context& where, const X& keys, I&& indices, const sort_options& options = {}) {
  const auto to = core::written_operand(indices);
  const sort_room::in_memory_for_now<CompiledBy, X> there(where, "argsort", "sort/made", keys, to.on_host());
  sort_room::argsorted(where, there.keys(), to, options);
}
template <class X, class I, class Compare, class CompiledBy = this_compiler>
  requires sort_room::made_keys<X> && operands<I> && sort_comparator<Compare, core::value_of<X>>
void argsort(const context& where, const X& keys, I&& indices, const Compare& compare) {
  const auto to = core::written_operand(indices);
  const sort_room::in_memory_for_now<CompiledBy, X> there(where, "argsort", "sort/made", keys, to.on_host());
  sort_room::argsorted(where, there.keys(), to, compare);
}
template <class X, class Y, class I, class CompiledBy = this_compiler>
  requires sort_room::made_keys<X> && operands<Y, I>
void argsort(const context& where, const X& keys, Y&& keys_out, I&& indices, const sort_options& options = {}) {
  sort_room::store<CompiledBy>(where, "argsort", keys, core::written_operand(keys_out));
  sort_room::argsorted(where, core::read_operand(keys_out), core::written_operand(keys_out),
                       core::written_operand(indices), options);
}

// --- segments; offsets are u64 or u32 ---

template <class X, class Y, class Offsets>
  requires operands<X, Y, Offsets>
void segmented_sort(const context& where, const X& in, Y&& out, const Offsets& offsets,
                    const sort_options& options = {}) {
  using sort_room::no_value;
  sort_room::segments_sorted("segmented_sort", where, core::read_operand(in), core::written_operand(out),
                             core::operand<const no_value>(), core::operand<no_value>(),
                             for_each_room::offsets_in(where, offsets), options);
}
template <class X, class Offsets>
  requires operands<X, Offsets>
void segmented_sort(const context& where, X&& keys, const Offsets& offsets, const sort_options& options = {}) {
  upsweep::segmented_sort(where, keys, keys, offsets, options);
}

template <class X, class Y, class Offsets, class Compare>
  requires operands<X, Y, Offsets> && sort_comparator<Compare, element_of<X>>
void segmented_sort(const context& where, const X& in, Y&& out, const Offsets& offsets, const Compare& compare) {
  using sort_room::no_value;
  sort_room::segments_compared("segmented_sort", where, core::read_operand(in), core::written_operand(out),
                               core::operand<const no_value>(), core::operand<no_value>(),
                               for_each_room::offsets_in(where, offsets), compare);
}
template <class X, class Offsets, class Compare>
  requires operands<X, Offsets> && sort_comparator<Compare, element_of<X>>
void segmented_sort(const context& where, X&& keys, const Offsets& offsets, const Compare& compare) {
  upsweep::segmented_sort(where, keys, keys, offsets, compare);
}

template <class X, class V, class Y, class W, class Offsets>
  requires operands<X, V, Y, W, Offsets>
void segmented_sort_by_key(const context& where, const X& keys, const V& values, Y&& keys_out, W&& values_out,
                           const Offsets& offsets, const sort_options& options = {}) {
  sort_room::segments_sorted("segmented_sort_by_key", where, core::read_operand(keys), core::written_operand(keys_out),
                             core::read_operand(values), core::written_operand(values_out),
                             for_each_room::offsets_in(where, offsets), options);
}
template <class X, class V, class Offsets>
  requires operands<X, V, Offsets>
void segmented_sort_by_key(const context& where, X&& keys, V&& values, const Offsets& offsets,
                           const sort_options& options = {}) {
  upsweep::segmented_sort_by_key(where, keys, values, keys, values, offsets, options);
}

template <class X, class V, class Y, class W, class Offsets, class Compare>
  requires operands<X, V, Y, W, Offsets> && sort_comparator<Compare, element_of<X>>
void segmented_sort_by_key(const context& where, const X& keys, const V& values, Y&& keys_out, W&& values_out,
                           const Offsets& offsets, const Compare& compare) {
  sort_room::segments_compared("segmented_sort_by_key", where, core::read_operand(keys),
                               core::written_operand(keys_out), core::read_operand(values),
                               core::written_operand(values_out), for_each_room::offsets_in(where, offsets), compare);
}
template <class X, class V, class Offsets, class Compare>
  requires operands<X, V, Offsets> && sort_comparator<Compare, element_of<X>>
void segmented_sort_by_key(const context& where, X&& keys, V&& values, const Offsets& offsets, const Compare& compare) {
  upsweep::segmented_sort_by_key(where, keys, values, keys, values, offsets, compare);
}

// --- top_k and nth_element ---

template <class X, class Y, class I>
  requires operands<X, Y, I>
void top_k(const context& where, const X& in, Y&& out, I&& indices,
           const sort_options& options = {.descending = true}) {
  sort_room::top(where, core::read_operand(in), core::written_operand(out), core::written_operand(indices), options);
}
template <class X, class Y>
  requires operands<X, Y>
void top_k(const context& where, const X& in, Y&& out, const sort_options& options = {.descending = true}) {
  sort_room::top(where, core::read_operand(in), core::written_operand(out), options);
}

// The first ones as `compare` orders them, equal ones as they stand.
template <class X, class Y, class I, class Compare>
  requires operands<X, Y, I> && sort_comparator<Compare, element_of<X>>
void top_k(const context& where, const X& in, Y&& out, I&& indices, const Compare& compare) {
  sort_room::top_compared(where, core::read_operand(in), core::written_operand(out), core::written_operand(indices),
                          compare);
}
template <class X, class Y, class Compare>
  requires operands<X, Y> && sort_comparator<Compare, element_of<X>>
void top_k(const context& where, const X& in, Y&& out, const Compare& compare) {
  sort_room::top_compared(where, core::read_operand(in), core::written_operand(out), compare);
}

template <class X, class Y, class I, class CompiledBy = this_compiler>
  requires sort_room::made_keys<X> && operands<Y, I>
void top_k(const context& where, const X& in, Y&& out, I&& indices,
           const sort_options& options = {.descending = true}) {
  const auto to = core::written_operand(out);
  const sort_room::in_memory_for_now<CompiledBy, X> there(where, "top_k", "sort/made", in, to.on_host());
  sort_room::top(where, there.keys(), to, core::written_operand(indices), options);
}
template <class X, class Y, class CompiledBy = this_compiler>
  requires sort_room::made_keys<X> && operands<Y>
void top_k(const context& where, const X& in, Y&& out, const sort_options& options = {.descending = true}) {
  const auto to = core::written_operand(out);
  const sort_room::in_memory_for_now<CompiledBy, X> there(where, "top_k", "sort/made", in, to.on_host());
  sort_room::top(where, there.keys(), to, options);
}
template <class X, class Y, class I, class Compare, class CompiledBy = this_compiler>
  requires sort_room::made_keys<X> && operands<Y, I> && sort_comparator<Compare, core::value_of<X>>
void top_k(const context& where, const X& in, Y&& out, I&& indices, const Compare& compare) {
  const auto to = core::written_operand(out);
  const sort_room::in_memory_for_now<CompiledBy, X> there(where, "top_k", "sort/made", in, to.on_host());
  sort_room::top_compared(where, there.keys(), to, core::written_operand(indices), compare);
}
template <class X, class Y, class Compare, class CompiledBy = this_compiler>
  requires sort_room::made_keys<X> && operands<Y> && sort_comparator<Compare, core::value_of<X>>
void top_k(const context& where, const X& in, Y&& out, const Compare& compare) {
  const auto to = core::written_operand(out);
  const sort_room::in_memory_for_now<CompiledBy, X> there(where, "top_k", "sort/made", in, to.on_host());
  sort_room::top_compared(where, there.keys(), to, compare);
}

template <class X, class Compare>
  requires operands<X> && sort_comparator<Compare, element_of<X>>
element_of<X> nth_element(const context& where, const X& in, std::uint64_t k, const Compare& compare) {
  return sort_room::nth_compared(where, core::read_operand(in), k, compare);
}
template <class X>
  requires operands<X>
element_of<X> nth_element(const context& where, const X& in, std::uint64_t k, const sort_options& options = {}) {
  return sort_room::nth(where, core::read_operand(in), k, options);
}
template <class X, class Y>
  requires operands<X, Y>
void nth_element(const context& where, const X& in, Y&& out, std::uint64_t k, const sort_options& options = {}) {
  sort_room::around_nth(where, core::read_operand(in), core::written_operand(out), k, options);
}
template <class X, class Y, class Compare>
  requires operands<X, Y> && sort_comparator<Compare, element_of<X>>
void nth_element(const context& where, const X& in, Y&& out, std::uint64_t k, const Compare& compare) {
  sort_room::around_nth_compared(where, core::read_operand(in), core::written_operand(out), k, compare);
}

// --- merge ---

template <class A, class B, class Y>
  requires operands<A, B, Y>
void merge(const context& where, const A& a, const B& b, Y&& out, const sort_options& options = {}) {
  sort_room::merged(where, core::read_operand(a), core::read_operand(b), core::written_operand(out), options);
}
template <class A, class B, class Y, class Compare, class CompiledBy = this_compiler>
  requires operands<A, B, Y> && sort_comparator<Compare, element_of<A>>
void merge(const context& where, const A& a, const B& b, Y&& out, const Compare& compare) {
  sort_room::merged(where, core::read_operand(a), core::read_operand(b), core::written_operand(out), compare);
}

template <class A, class B, class Y, class CompiledBy = this_compiler>
  requires sort_room::some_made_keys<A, B> && operands<Y>
void merge(const context& where, const A& a, const B& b, Y&& out, const sort_options& options = {}) {
  const auto to = core::written_operand(out);
  const sort_room::in_memory_for_now<CompiledBy, A> first(where, "merge", "sort/made", a, to.on_host());
  const sort_room::in_memory_for_now<CompiledBy, B> second(where, "merge", "sort/made second", b, to.on_host());
  sort_room::merged(where, first.keys(), second.keys(), to, options);
}
template <class A, class B, class Y, class Compare, class CompiledBy = this_compiler>
  requires sort_room::some_made_keys<A, B> && operands<Y> && sort_comparator<Compare, core::value_of<A>>
void merge(const context& where, const A& a, const B& b, Y&& out, const Compare& compare) {
  const auto to = core::written_operand(out);
  const sort_room::in_memory_for_now<CompiledBy, A> first(where, "merge", "sort/made", a, to.on_host());
  const sort_room::in_memory_for_now<CompiledBy, B> second(where, "merge", "sort/made second", b, to.on_host());
  sort_room::merged(where, first.keys(), second.keys(), to, compare);
}

// --- is_sorted ---

// Enqueued; `count` is one element.
template <class T>
void is_sorted_until(const context& where, device_span<const T> in, device_span<std::uint64_t> count,
                     const sort_options& options = {}) {
  sort_room::find_break(where, core::read_operand(in), core::written_operand(count), options);
}

template <class X>
  requires operands<X>
std::uint64_t is_sorted_until(const context& where, const X& in, const sort_options& options = {}) {
  return sort_room::sorted_until(where, core::read_operand(in), options);
}
template <class X, class Compare, class CompiledBy = this_compiler>
  requires operands<X> && sort_comparator<Compare, element_of<X>>
std::uint64_t is_sorted_until(const context& where, const X& in, const Compare& compare) {
  return sort_room::sorted_until(where, core::read_operand(in), compare);
}

template <class X, class... Order>
  requires operands<X> && requires(const context& where, const X& in, const Order&... order) {
    upsweep::is_sorted_until(where, in, order...);
  }
bool is_sorted(const context& where, const X& in, const Order&... order) {
  return upsweep::is_sorted_until(where, in, order...) == core::read_operand(in).size();
}
template <class X>
  requires operands<X>
bool is_sorted(const context& where, const X& in, const sort_options& options) {
  return upsweep::is_sorted_until(where, in, options) == core::read_operand(in).size();
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
