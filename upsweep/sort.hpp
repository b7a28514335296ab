// sort: stable sorts of keys, alone or with values, and related calls: argsort, segmented sorts, top_k, nth_element,
// merge, is_sorted.
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
// Result       Keys of a built-in type ascend by value, or descend. Floats: -0 and +0 are equal; NaNs are last
//              (descending: first) and equal to each other; every key keeps its bits. Every sort is stable, descending
//              ones too: equal keys stay in the order of the input. first_bit and last_bit restrict the order to bits
//              [first_bit, last_bit) of the image of the key (sort/sort_order.hpp), an unsigned integer of the key's
//              width. The image of an unsigned key is the key itself. If both are 0, all bits are used.
//   argsort          indices[i] = the index of the i-th key in order. The keys do not change, or are written in order
//                    to an output of their own. Indices have 4 or 8 bytes.
//   segmented_sort   sorts each segment by itself; elements outside all segments are copied
//   top_k            the first k keys in order; of equal keys those that come first in the input. By default the
//                    largest keys
//   nth_element      a key equal to the one of rank k, counted from 0. Or all keys rearranged: the key of rank k at
//                    index k, none of the keys before it later in order, none of the keys after it earlier
//   merge            two sorted sequences become one; of equal keys those of the first sequence come first
//   is_sorted_until  the first i for which key i precedes key i - 1 in order, or the number of keys
// Comparators  compare(a, b) returns whether a precedes b: a strict weak order. With any other function the calls still
//              end and access no memory outside the operands, but the result has no order, and on a GPU elements may be
//              duplicated, mixed or lost. Checked calls (`checked` of with(), UPSWEEP_CHECKED) report this. std::less
//              and std::greater of a built-in type are the orders above. Other comparators work on the CPU with any
//              type, and on CUDA with trivially copyable types when nvcc compiles the call. If they, and a user-defined
//              type, have device source (jit/jit.hpp) they also work on CUDA and OpenCL from any file.
//              by(&T::a, descending(&T::b)) compares several members (sort/sort_by.hpp); it has no device source.
// Inputs       Device spans, buffers, contiguous ranges. sort, argsort, top_k and merge also take lazy views
//              (views.hpp) and other ranges with random access and a size. These are stored first: sort stores them in
//              the output, the others in memory of as many elements.
// In place     `out` may be exactly `in` (sort, segmented_sort, nth_element), and the output of values exactly the
//              values; any other overlap is an error.
// Work         Built-in keys: radix sorts, O(n) for a given key width. Comparators: merge sorts, n log2 n comparisons.
//              top_k: one or two passes over the keys, and a sort of k.
// Bytes        4-byte keys: about 36n on a GPU, 24n on a CPU.
// Scratch      As much as keys and values, owned by the context; the second call of the same shape allocates nothing.
//              Two cases take more. Values of other sizes than 4 and 8 bytes, and on CUDA sorts of more than 2^16
//              floats by some of their bits, sort indices: 4 or 8 bytes per element, and a copy of the values if they
//              are sorted in place. On CUDA, values as wide as their keys (4 or 8 bytes) take that twice if an output
//              is not aligned to twice that width.
//              top_k and nth_element by built-in orders take memory for the requested keys alone, also among ties:
//              top_k for k of them, nth_element on CUDA for the fewer of those before and after the rank. By a
//              comparator, devices other than the CPU sort a copy of all keys.
// Determinism  The input alone determines the result, whatever the device.
// Asynchrony   Calls on device spans are enqueued, except that nth_element, is_sorted and is_sorted_until without an
//              output wait for the result. Calls on host memory return after the work is done; input larger than the
//              device's memory is sorted in chunks and merged on the host.
// Errors       upsweep::error: different sizes, overlap, a range of bits outside the key, k beyond the number of keys,
//              offsets that decrease or exceed the end (of offsets in device memory only in checked calls, which wait
//              for them), a type or comparator that the device does not support.
#pragma once

#include "upsweep/core/no_overload.hpp"
#include "upsweep/for_each/for_each_wide_offsets.hpp"
#include "upsweep/sort/sort_by.hpp"
#include "upsweep/sort/sort_dispatch.hpp"
#include "upsweep/sort/sort_lazy.hpp"
#include "upsweep/sort/sort_no_overload.hpp"

namespace upsweep {

template <class C, class T>
concept sort_comparator = !operands<C> && std::is_invocable_r_v<bool, const C&, const T&, const T&>;

inline namespace UPSWEEP_COMPILED {

// --- sort ---

template <class X, class Y>
  requires operands<X, Y>
void sort(const context& where, const X& in, Y&& out, const sort_options& options = {}) {
  detail::sort_impl::sorted("sort", where, core::read_operand(in), core::written_operand(out), options);
}
template <class X, class Y, class Compare>
  requires operands<X, Y> && sort_comparator<Compare, element_of<X>>
void sort(const context& where, const X& in, Y&& out, const Compare& compare) {
  detail::sort_impl::sorted("sort", where, core::read_operand(in), core::written_operand(out), compare);
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

// Keys of a lazy view.
template <class X, class Y, class CompiledBy = this_compiler>
  requires detail::sort_impl::made_keys<X> && operands<Y>
void sort(const context& where, const X& in, Y&& out, const sort_options& options = {}) {
  detail::sort_impl::store<CompiledBy>(where, "sort", in, core::written_operand(out));
  detail::sort_impl::sorted("sort", where, core::read_operand(out), core::written_operand(out), options);
}
template <class X, class Y, class Compare, class CompiledBy = this_compiler>
  requires detail::sort_impl::made_keys<X> && operands<Y> && sort_comparator<Compare, core::value_of<X>>
void sort(const context& where, const X& in, Y&& out, const Compare& compare) {
  detail::sort_impl::store<CompiledBy>(where, "sort", in, core::written_operand(out));
  detail::sort_impl::sorted("sort", where, core::read_operand(out), core::written_operand(out), compare);
}

// sort is stable too. Use this name to state that the caller relies on stability.
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
  detail::sort_impl::sorted("sort_by_key", where, core::read_operand(keys), core::written_operand(keys_out),
                            core::read_operand(values), core::written_operand(values_out), options);
}
template <class X, class V, class Y, class W, class Compare>
  requires operands<X, V, Y, W> && sort_comparator<Compare, element_of<X>>
void sort_by_key(const context& where, const X& keys, const V& values, Y&& keys_out, W&& values_out,
                 const Compare& compare) {
  detail::sort_impl::sorted("sort_by_key", where, core::read_operand(keys), core::written_operand(keys_out),
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
  detail::sort_impl::argsorted(where, core::read_operand(keys), core::written_operand(indices), options);
}
template <class X, class I, class Compare>
  requires operands<X, I> && sort_comparator<Compare, element_of<X>>
void argsort(const context& where, const X& keys, I&& indices, const Compare& compare) {
  detail::sort_impl::argsorted(where, core::read_operand(keys), core::written_operand(indices), compare);
}

// Also writes the keys in order; `keys_out` may be exactly `keys`.
template <class X, class Y, class I>
  requires operands<X, Y, I>
void argsort(const context& where, const X& keys, Y&& keys_out, I&& indices, const sort_options& options = {}) {
  detail::sort_impl::argsorted(where, core::read_operand(keys), core::written_operand(keys_out),
                               core::written_operand(indices), options);
}

template <class X, class I, class CompiledBy = this_compiler>
  requires detail::sort_impl::made_keys<X> && operands<I>
void argsort(const context& where, const X& keys, I&& indices, const sort_options& options = {}) {
  const auto to = core::written_operand(indices);
  const detail::sort_impl::in_memory_for_now<CompiledBy, X> there(where, "argsort", "sort/made", keys, to.on_host());
  detail::sort_impl::argsorted(where, there.keys(), to, options);
}
template <class X, class I, class Compare, class CompiledBy = this_compiler>
  requires detail::sort_impl::made_keys<X> && operands<I> && sort_comparator<Compare, core::value_of<X>>
void argsort(const context& where, const X& keys, I&& indices, const Compare& compare) {
  const auto to = core::written_operand(indices);
  const detail::sort_impl::in_memory_for_now<CompiledBy, X> there(where, "argsort", "sort/made", keys, to.on_host());
  detail::sort_impl::argsorted(where, there.keys(), to, compare);
}
template <class X, class Y, class I, class CompiledBy = this_compiler>
  requires detail::sort_impl::made_keys<X> && operands<Y, I>
void argsort(const context& where, const X& keys, Y&& keys_out, I&& indices, const sort_options& options = {}) {
  detail::sort_impl::store<CompiledBy>(where, "argsort", keys, core::written_operand(keys_out));
  detail::sort_impl::argsorted(where, core::read_operand(keys_out), core::written_operand(keys_out),
                               core::written_operand(indices), options);
}

// --- segments; offsets are u64 or u32 ---

template <class X, class Y, class Offsets>
  requires operands<X, Y, Offsets>
void segmented_sort(const context& where, const X& in, Y&& out, const Offsets& offsets,
                    const sort_options& options = {}) {
  using detail::sort_impl::no_value;
  detail::sort_impl::segments_sorted("segmented_sort", where, core::read_operand(in), core::written_operand(out),
                                     core::operand<const no_value>(), core::operand<no_value>(),
                                     detail::for_each_impl::offsets_in(where, offsets), options);
}
template <class X, class Offsets>
  requires operands<X, Offsets>
void segmented_sort(const context& where, X&& keys, const Offsets& offsets, const sort_options& options = {}) {
  upsweep::segmented_sort(where, keys, keys, offsets, options);
}

template <class X, class Y, class Offsets, class Compare>
  requires operands<X, Y, Offsets> && sort_comparator<Compare, element_of<X>>
void segmented_sort(const context& where, const X& in, Y&& out, const Offsets& offsets, const Compare& compare) {
  using detail::sort_impl::no_value;
  detail::sort_impl::segments_compared("segmented_sort", where, core::read_operand(in), core::written_operand(out),
                                       core::operand<const no_value>(), core::operand<no_value>(),
                                       detail::for_each_impl::offsets_in(where, offsets), compare);
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
  detail::sort_impl::segments_sorted("segmented_sort_by_key", where, core::read_operand(keys),
                                     core::written_operand(keys_out), core::read_operand(values),
                                     core::written_operand(values_out),
                                     detail::for_each_impl::offsets_in(where, offsets), options);
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
  detail::sort_impl::segments_compared("segmented_sort_by_key", where, core::read_operand(keys),
                                       core::written_operand(keys_out), core::read_operand(values),
                                       core::written_operand(values_out),
                                       detail::for_each_impl::offsets_in(where, offsets), compare);
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
  detail::sort_impl::top(where, core::read_operand(in), core::written_operand(out), core::written_operand(indices),
                         options);
}
template <class X, class Y>
  requires operands<X, Y>
void top_k(const context& where, const X& in, Y&& out, const sort_options& options = {.descending = true}) {
  detail::sort_impl::top(where, core::read_operand(in), core::written_operand(out), options);
}

// Returns the first k keys in the order of `compare`; equal keys in the order of the input.
template <class X, class Y, class I, class Compare>
  requires operands<X, Y, I> && sort_comparator<Compare, element_of<X>>
void top_k(const context& where, const X& in, Y&& out, I&& indices, const Compare& compare) {
  detail::sort_impl::top_compared(where, core::read_operand(in), core::written_operand(out),
                                  core::written_operand(indices), compare);
}
template <class X, class Y, class Compare>
  requires operands<X, Y> && sort_comparator<Compare, element_of<X>>
void top_k(const context& where, const X& in, Y&& out, const Compare& compare) {
  detail::sort_impl::top_compared(where, core::read_operand(in), core::written_operand(out), compare);
}

template <class X, class Y, class I, class CompiledBy = this_compiler>
  requires detail::sort_impl::made_keys<X> && operands<Y, I>
void top_k(const context& where, const X& in, Y&& out, I&& indices,
           const sort_options& options = {.descending = true}) {
  const auto to = core::written_operand(out);
  const detail::sort_impl::in_memory_for_now<CompiledBy, X> there(where, "top_k", "sort/made", in, to.on_host());
  detail::sort_impl::top(where, there.keys(), to, core::written_operand(indices), options);
}
template <class X, class Y, class CompiledBy = this_compiler>
  requires detail::sort_impl::made_keys<X> && operands<Y>
void top_k(const context& where, const X& in, Y&& out, const sort_options& options = {.descending = true}) {
  const auto to = core::written_operand(out);
  const detail::sort_impl::in_memory_for_now<CompiledBy, X> there(where, "top_k", "sort/made", in, to.on_host());
  detail::sort_impl::top(where, there.keys(), to, options);
}
template <class X, class Y, class I, class Compare, class CompiledBy = this_compiler>
  requires detail::sort_impl::made_keys<X> && operands<Y, I> && sort_comparator<Compare, core::value_of<X>>
void top_k(const context& where, const X& in, Y&& out, I&& indices, const Compare& compare) {
  const auto to = core::written_operand(out);
  const detail::sort_impl::in_memory_for_now<CompiledBy, X> there(where, "top_k", "sort/made", in, to.on_host());
  detail::sort_impl::top_compared(where, there.keys(), to, core::written_operand(indices), compare);
}
template <class X, class Y, class Compare, class CompiledBy = this_compiler>
  requires detail::sort_impl::made_keys<X> && operands<Y> && sort_comparator<Compare, core::value_of<X>>
void top_k(const context& where, const X& in, Y&& out, const Compare& compare) {
  const auto to = core::written_operand(out);
  const detail::sort_impl::in_memory_for_now<CompiledBy, X> there(where, "top_k", "sort/made", in, to.on_host());
  detail::sort_impl::top_compared(where, there.keys(), to, compare);
}

template <class X, class Compare>
  requires operands<X> && sort_comparator<Compare, element_of<X>>
element_of<X> nth_element(const context& where, const X& in, std::uint64_t k, const Compare& compare) {
  return detail::sort_impl::nth_compared(where, core::read_operand(in), k, compare);
}
template <class X>
  requires operands<X>
element_of<X> nth_element(const context& where, const X& in, std::uint64_t k, const sort_options& options = {}) {
  return detail::sort_impl::nth(where, core::read_operand(in), k, options);
}
template <class X, class Y>
  requires operands<X, Y>
void nth_element(const context& where, const X& in, Y&& out, std::uint64_t k, const sort_options& options = {}) {
  detail::sort_impl::around_nth(where, core::read_operand(in), core::written_operand(out), k, options);
}
template <class X, class Y, class Compare>
  requires operands<X, Y> && sort_comparator<Compare, element_of<X>>
void nth_element(const context& where, const X& in, Y&& out, std::uint64_t k, const Compare& compare) {
  detail::sort_impl::around_nth_compared(where, core::read_operand(in), core::written_operand(out), k, compare);
}

// --- merge ---

template <class A, class B, class Y>
  requires operands<A, B, Y>
void merge(const context& where, const A& a, const B& b, Y&& out, const sort_options& options = {}) {
  detail::sort_impl::merged(where, core::read_operand(a), core::read_operand(b), core::written_operand(out), options);
}
template <class A, class B, class Y, class Compare, class CompiledBy = this_compiler>
  requires operands<A, B, Y> && sort_comparator<Compare, element_of<A>>
void merge(const context& where, const A& a, const B& b, Y&& out, const Compare& compare) {
  detail::sort_impl::merged(where, core::read_operand(a), core::read_operand(b), core::written_operand(out), compare);
}

template <class A, class B, class Y, class CompiledBy = this_compiler>
  requires detail::sort_impl::some_made_keys<A, B> && operands<Y>
void merge(const context& where, const A& a, const B& b, Y&& out, const sort_options& options = {}) {
  const auto to = core::written_operand(out);
  const detail::sort_impl::in_memory_for_now<CompiledBy, A> first(where, "merge", "sort/made", a, to.on_host());
  const detail::sort_impl::in_memory_for_now<CompiledBy, B> second(where, "merge", "sort/made second", b, to.on_host());
  detail::sort_impl::merged(where, first.keys(), second.keys(), to, options);
}
template <class A, class B, class Y, class Compare, class CompiledBy = this_compiler>
  requires detail::sort_impl::some_made_keys<A, B> && operands<Y> && sort_comparator<Compare, core::value_of<A>>
void merge(const context& where, const A& a, const B& b, Y&& out, const Compare& compare) {
  const auto to = core::written_operand(out);
  const detail::sort_impl::in_memory_for_now<CompiledBy, A> first(where, "merge", "sort/made", a, to.on_host());
  const detail::sort_impl::in_memory_for_now<CompiledBy, B> second(where, "merge", "sort/made second", b, to.on_host());
  detail::sort_impl::merged(where, first.keys(), second.keys(), to, compare);
}

// --- is_sorted ---

// Enqueued; `count` is one element.
template <class T>
void is_sorted_until(const context& where, device_span<const T> in, device_span<std::uint64_t> count,
                     const sort_options& options = {}) {
  detail::sort_impl::find_break(where, core::read_operand(in), core::written_operand(count), options);
}

template <class X>
  requires operands<X>
std::uint64_t is_sorted_until(const context& where, const X& in, const sort_options& options = {}) {
  return detail::sort_impl::sorted_until(where, core::read_operand(in), options);
}
template <class X, class Compare, class CompiledBy = this_compiler>
  requires operands<X> && sort_comparator<Compare, element_of<X>>
std::uint64_t is_sorted_until(const context& where, const X& in, const Compare& compare) {
  return detail::sort_impl::sorted_until(where, core::read_operand(in), compare);
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

UPSWEEP_REFUSED(sort,
                "sort takes keys in memory, or keys and an output, and options or a comparator of two keys, "
                "`bool operator()(const T& a, const T& b) const`")
UPSWEEP_REFUSED(sort_by_key,
                "sort_by_key takes keys and values in memory, outputs for both or none, and options or a "
                "comparator of two keys, `bool operator()(const T& a, const T& b) const`")
UPSWEEP_REFUSED(argsort,
                "argsort takes keys, an output in memory for the indices, and options or a comparator of two keys, "
                "`bool operator()(const T& a, const T& b) const`")
UPSWEEP_REFUSED(segmented_sort,
                "segmented_sort takes keys in memory, or those and an output, offsets, and options or a "
                "comparator of two keys; store a lazy view with copy first")
UPSWEEP_REFUSED(segmented_sort_by_key,
                "segmented_sort_by_key takes keys and values in memory, outputs for both or none, "
                "offsets, and options or a comparator of two keys")
UPSWEEP_REFUSED(top_k,
                "top_k takes keys, an output in memory, another one for the indices or none, and options or a "
                "comparator of two keys")
UPSWEEP_REFUSED(nth_element,
                "nth_element takes keys in memory, a rank, and options or a comparator of two keys; store a "
                "lazy view with copy first")
UPSWEEP_REFUSED(merge,
                "merge takes two sorted inputs of one type, an output in memory, and options or a comparator of two "
                "keys")
UPSWEEP_REFUSED(is_sorted,
                "is_sorted takes keys in memory, and options or a comparator of two keys; store a lazy "
                "view with copy first")
UPSWEEP_REFUSED(is_sorted_until,
                "is_sorted_until takes keys in memory, and options or a comparator of two keys; store a "
                "lazy view with copy first")

}  // namespace upsweep
