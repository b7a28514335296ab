// sets: union, intersection, difference, symmetric difference and merge_by_key of two sorted sequences, of keys alone
// or of keys with values. merge of keys alone is in sort.hpp.
//
//   upsweep::merge_by_key(gpu, a.span(), a_rows.span(), b.span(), b_rows.span(), merged.span(), rows.span());
//   std::uint64_t both = upsweep::set_intersection(cpu, yesterday, today, common);
//   std::uint64_t all = upsweep::set_union(cpu, names, more_names, out, by_length{});
//   upsweep::set_difference(gpu, x.span(), y.span(), rest.span(), count.span());         // the count in device memory
//   upsweep::set_union_by_key(cpu, keys, values, keys2, values2, keys_out, values_out, {.descending = true});
//
// Result       The kept elements, in order, at the front of the output. Their number is returned, or written to a
//              device span of one u64. Output elements after them keep their value. Kept elements stay in the order of
//              their sequence. Two elements are equal if neither precedes the other. If an element occurs m times in
//              the first and k times in the second sequence, as in std::set_…:
//   set_union                 keeps max(m, k): all of the first sequence, and the last k - m of the second
//   set_intersection          keeps min(m, k): the first ones of the first sequence
//   set_difference            keeps max(m - k, 0): the last ones of the first sequence
//   set_symmetric_difference  keeps |m - k|: the last ones of the sequence that has more
//   merge_by_key              keeps all m + k: those of the first sequence before those of the second
// By key       Values follow their keys. set_intersection_by_key and set_difference_by_key keep only elements of the
//              first sequence, so they take no values of the second.
// Orders       As in sort.hpp: built-in keys ascend by value, or follow sort_options; NaNs sort last and are equal to
//              each other; -0 and +0 are equal. Or a user-defined comparator, a strict weak order. With a comparator
//              that is not one, the calls still end and access no memory outside the operands. User-defined comparators
//              work on the CPU with elements of any copyable type, and on CUDA with trivially copyable types when nvcc
//              compiles the call. For inputs in memory they work on CUDA and OpenCL if comparator and type have device
//              source (jit/jit.hpp).
// Inputs       Sorted in that order. Device spans, buffers, ranges with random access (deques, standard views), or lazy
//              views (views.hpp). Lazy views of device memory work on CUDA when nvcc compiles the call, and on CUDA and
//              OpenCL if all of their functions have device source.
// Outputs      In host memory: contiguous ranges that hold the kept elements. With the count on the device they hold
//              the largest possible number: n + m; set_difference n; set_intersection the smaller of both. No output
//              overlaps any other operand.
// Work         n + m steps; the CPU takes each step once, a device twice. Parts of the work have equal lengths,
//              whatever the runs of equal keys.
// Scratch      CPU: two bytes per key. Devices: 1.5.
// Determinism  The inputs alone determine the result, whatever the device.
// Asynchrony   Calls on device spans are enqueued. Overloads that return a count wait for it, except merge_by_key,
//              whose count is known. Calls on host memory return after the work is done, and the CPU does the work,
//              whatever the context: the copies to a device and back would take longer than the work.
// Errors       upsweep::error: different sizes, an output too small for the kept elements (as many as fit have been
//              written), overlap, a range of bits outside the key, a type, comparator or input that the device does not
//              support.
#pragma once

#include "upsweep/core/no_overload.hpp"
#include "upsweep/sets/sets_dispatch.hpp"

namespace upsweep {

template <class X, class Y>
concept set_input = core::readable_input<X> && (core::memory_space_of<X> == memory_space::any ||
                                                (core::memory_space_of<X> == memory_space::device) == on_device<Y>);
template <class Order, class Y>
concept set_order =
    detail::sort_impl::is_builtin_order<Order, element_of<Y>> ||
    (!operands<Order> && std::is_invocable_r_v<bool, const Order&, const element_of<Y>&, const element_of<Y>&>);

inline namespace UPSWEEP_COMPILED {

// --- set_union ---

template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires operands<Y> && set_input<A, Y> && set_input<B, Y> && set_order<Order, Y>
std::uint64_t set_union(const context& where, const A& a, const B& b, Y&& out, const Order& order = {}) {
  constexpr detail::sets_impl::without_values none;
  return detail::sets_impl::run_set_operation<By>(
      where, detail::sets_impl::primitive::set_union,
      detail::sets_impl::task_of<detail::sets_impl::no_value>(a, none, b, none, core::written_operand(out), {}), order);
}
template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires on_device<Y> && set_input<A, Y> && set_input<B, Y> && set_order<Order, Y>
void set_union(const context& where, const A& a, const B& b, Y&& out, device_span<std::uint64_t> count,
               const Order& order = {}) {
  constexpr detail::sets_impl::without_values none;
  detail::sets_impl::enqueue_set_operation<By>(
      where, detail::sets_impl::primitive::set_union,
      detail::sets_impl::task_of<detail::sets_impl::no_value>(a, none, b, none, core::written_operand(out), {}, count),
      order);
}

template <class A, class V, class B, class W, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires operands<Y, Z> && set_input<A, Y> && set_input<V, Z> && set_input<B, Y> && set_input<W, Z> &&
           set_order<Order, Y>
std::uint64_t set_union_by_key(const context& where, const A& a, const V& a_values, const B& b, const W& b_values,
                               Y&& keys_out, Z&& values_out, const Order& order = {}) {
  return detail::sets_impl::run_set_operation<By>(
      where, detail::sets_impl::primitive::set_union,
      detail::sets_impl::task_of<element_of<Z>>(a, a_values, b, b_values, core::written_operand(keys_out),
                                                core::written_operand(values_out)),
      order);
}
template <class A, class V, class B, class W, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires on_device<Y, Z> && set_input<A, Y> && set_input<V, Z> && set_input<B, Y> && set_input<W, Z> &&
           set_order<Order, Y>
void set_union_by_key(const context& where, const A& a, const V& a_values, const B& b, const W& b_values, Y&& keys_out,
                      Z&& values_out, device_span<std::uint64_t> count, const Order& order = {}) {
  detail::sets_impl::enqueue_set_operation<By>(
      where, detail::sets_impl::primitive::set_union,
      detail::sets_impl::task_of<element_of<Z>>(a, a_values, b, b_values, core::written_operand(keys_out),
                                                core::written_operand(values_out), count),
      order);
}

// --- set_intersection ---

template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires operands<Y> && set_input<A, Y> && set_input<B, Y> && set_order<Order, Y>
std::uint64_t set_intersection(const context& where, const A& a, const B& b, Y&& out, const Order& order = {}) {
  constexpr detail::sets_impl::without_values none;
  return detail::sets_impl::run_set_operation<By>(
      where, detail::sets_impl::primitive::set_intersection,
      detail::sets_impl::task_of<detail::sets_impl::no_value>(a, none, b, none, core::written_operand(out), {}), order);
}
template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires on_device<Y> && set_input<A, Y> && set_input<B, Y> && set_order<Order, Y>
void set_intersection(const context& where, const A& a, const B& b, Y&& out, device_span<std::uint64_t> count,
                      const Order& order = {}) {
  constexpr detail::sets_impl::without_values none;
  detail::sets_impl::enqueue_set_operation<By>(
      where, detail::sets_impl::primitive::set_intersection,
      detail::sets_impl::task_of<detail::sets_impl::no_value>(a, none, b, none, core::written_operand(out), {}, count),
      order);
}

template <class A, class V, class B, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires operands<Y, Z> && set_input<A, Y> && set_input<V, Z> && set_input<B, Y> && set_order<Order, Y>
std::uint64_t set_intersection_by_key(const context& where, const A& a, const V& a_values, const B& b, Y&& keys_out,
                                      Z&& values_out, const Order& order = {}) {
  return detail::sets_impl::run_set_operation<By>(
      where, detail::sets_impl::primitive::set_intersection,
      detail::sets_impl::task_of<element_of<Z>>(a, a_values, b, detail::sets_impl::without_values(),
                                                core::written_operand(keys_out), core::written_operand(values_out)),
      order);
}
template <class A, class V, class B, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires on_device<Y, Z> && set_input<A, Y> && set_input<V, Z> && set_input<B, Y> && set_order<Order, Y>
void set_intersection_by_key(const context& where, const A& a, const V& a_values, const B& b, Y&& keys_out,
                             Z&& values_out, device_span<std::uint64_t> count, const Order& order = {}) {
  detail::sets_impl::enqueue_set_operation<By>(
      where, detail::sets_impl::primitive::set_intersection,
      detail::sets_impl::task_of<element_of<Z>>(a, a_values, b, detail::sets_impl::without_values(),
                                                core::written_operand(keys_out), core::written_operand(values_out),
                                                count),
      order);
}

// --- set_difference ---

template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires operands<Y> && set_input<A, Y> && set_input<B, Y> && set_order<Order, Y>
std::uint64_t set_difference(const context& where, const A& a, const B& b, Y&& out, const Order& order = {}) {
  constexpr detail::sets_impl::without_values none;
  return detail::sets_impl::run_set_operation<By>(
      where, detail::sets_impl::primitive::set_difference,
      detail::sets_impl::task_of<detail::sets_impl::no_value>(a, none, b, none, core::written_operand(out), {}), order);
}
template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires on_device<Y> && set_input<A, Y> && set_input<B, Y> && set_order<Order, Y>
void set_difference(const context& where, const A& a, const B& b, Y&& out, device_span<std::uint64_t> count,
                    const Order& order = {}) {
  constexpr detail::sets_impl::without_values none;
  detail::sets_impl::enqueue_set_operation<By>(
      where, detail::sets_impl::primitive::set_difference,
      detail::sets_impl::task_of<detail::sets_impl::no_value>(a, none, b, none, core::written_operand(out), {}, count),
      order);
}

template <class A, class V, class B, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires operands<Y, Z> && set_input<A, Y> && set_input<V, Z> && set_input<B, Y> && set_order<Order, Y>
std::uint64_t set_difference_by_key(const context& where, const A& a, const V& a_values, const B& b, Y&& keys_out,
                                    Z&& values_out, const Order& order = {}) {
  return detail::sets_impl::run_set_operation<By>(
      where, detail::sets_impl::primitive::set_difference,
      detail::sets_impl::task_of<element_of<Z>>(a, a_values, b, detail::sets_impl::without_values(),
                                                core::written_operand(keys_out), core::written_operand(values_out)),
      order);
}
template <class A, class V, class B, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires on_device<Y, Z> && set_input<A, Y> && set_input<V, Z> && set_input<B, Y> && set_order<Order, Y>
void set_difference_by_key(const context& where, const A& a, const V& a_values, const B& b, Y&& keys_out,
                           Z&& values_out, device_span<std::uint64_t> count, const Order& order = {}) {
  detail::sets_impl::enqueue_set_operation<By>(
      where, detail::sets_impl::primitive::set_difference,
      detail::sets_impl::task_of<element_of<Z>>(a, a_values, b, detail::sets_impl::without_values(),
                                                core::written_operand(keys_out), core::written_operand(values_out),
                                                count),
      order);
}

// --- set_symmetric_difference ---

template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires operands<Y> && set_input<A, Y> && set_input<B, Y> && set_order<Order, Y>
std::uint64_t set_symmetric_difference(const context& where, const A& a, const B& b, Y&& out, const Order& order = {}) {
  constexpr detail::sets_impl::without_values none;
  return detail::sets_impl::run_set_operation<By>(
      where, detail::sets_impl::primitive::set_symmetric_difference,
      detail::sets_impl::task_of<detail::sets_impl::no_value>(a, none, b, none, core::written_operand(out), {}), order);
}
template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires on_device<Y> && set_input<A, Y> && set_input<B, Y> && set_order<Order, Y>
void set_symmetric_difference(const context& where, const A& a, const B& b, Y&& out, device_span<std::uint64_t> count,
                              const Order& order = {}) {
  constexpr detail::sets_impl::without_values none;
  detail::sets_impl::enqueue_set_operation<By>(
      where, detail::sets_impl::primitive::set_symmetric_difference,
      detail::sets_impl::task_of<detail::sets_impl::no_value>(a, none, b, none, core::written_operand(out), {}, count),
      order);
}

template <class A, class V, class B, class W, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires operands<Y, Z> && set_input<A, Y> && set_input<V, Z> && set_input<B, Y> && set_input<W, Z> &&
           set_order<Order, Y>
std::uint64_t set_symmetric_difference_by_key(const context& where, const A& a, const V& a_values, const B& b,
                                              const W& b_values, Y&& keys_out, Z&& values_out,
                                              const Order& order = {}) {
  return detail::sets_impl::run_set_operation<By>(
      where, detail::sets_impl::primitive::set_symmetric_difference,
      detail::sets_impl::task_of<element_of<Z>>(a, a_values, b, b_values, core::written_operand(keys_out),
                                                core::written_operand(values_out)),
      order);
}
template <class A, class V, class B, class W, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires on_device<Y, Z> && set_input<A, Y> && set_input<V, Z> && set_input<B, Y> && set_input<W, Z> &&
           set_order<Order, Y>
void set_symmetric_difference_by_key(const context& where, const A& a, const V& a_values, const B& b, const W& b_values,
                                     Y&& keys_out, Z&& values_out, device_span<std::uint64_t> count,
                                     const Order& order = {}) {
  detail::sets_impl::enqueue_set_operation<By>(
      where, detail::sets_impl::primitive::set_symmetric_difference,
      detail::sets_impl::task_of<element_of<Z>>(a, a_values, b, b_values, core::written_operand(keys_out),
                                                core::written_operand(values_out), count),
      order);
}

// --- merge_by_key: returns the number of elements ---

template <class A, class V, class B, class W, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires operands<Y, Z> && set_input<A, Y> && set_input<V, Z> && set_input<B, Y> && set_input<W, Z> &&
           set_order<Order, Y>
std::uint64_t merge_by_key(const context& where, const A& a, const V& a_values, const B& b, const W& b_values,
                           Y&& keys_out, Z&& values_out, const Order& order = {}) {
  return detail::sets_impl::merged<By>(
      where,
      detail::sets_impl::task_of<element_of<Z>>(a, a_values, b, b_values, core::written_operand(keys_out),
                                                core::written_operand(values_out)),
      order);
}

}  // namespace UPSWEEP_COMPILED

UPSWEEP_REFUSED(
    set_union,
    "set_union takes two sorted inputs, an output in memory of their type, and options or a comparator of two keys")
UPSWEEP_REFUSED(set_intersection,
                "set_intersection takes two sorted inputs, an output in memory of their type, and options or a "
                "comparator of two keys")
UPSWEEP_REFUSED(set_difference,
                "set_difference takes two sorted inputs, an output in memory of their type, and options or a "
                "comparator of two keys")
UPSWEEP_REFUSED(set_symmetric_difference,
                "set_symmetric_difference takes two sorted inputs, an output in memory of their type, and options or a "
                "comparator of two keys")
UPSWEEP_REFUSED(set_union_by_key,
                "set_union_by_key takes two sorted inputs with their values, outputs in memory for both, and options "
                "or a comparator of two keys")
UPSWEEP_REFUSED(set_symmetric_difference_by_key,
                "set_symmetric_difference_by_key takes two sorted inputs with their values, outputs in memory for "
                "both, and options or a comparator of two keys")
UPSWEEP_REFUSED(merge_by_key,
                "merge_by_key takes two sorted inputs with their values, outputs in memory for both, and options or a "
                "comparator of two keys")
UPSWEEP_REFUSED(set_intersection_by_key,
                "set_intersection_by_key takes two sorted inputs, the first with its values, outputs in memory for "
                "both, and options or a comparator of two keys")
UPSWEEP_REFUSED(set_difference_by_key,
                "set_difference_by_key takes two sorted inputs, the first with its values, outputs in memory for both, "
                "and options or a comparator of two keys")

}  // namespace upsweep
