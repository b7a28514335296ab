// sets: what is made of two sorted sequences: merge_by_key; set_union, set_intersection, set_difference and
// set_symmetric_difference, of keys alone or with values that follow them. merge of keys alone is in sort.hpp.
//
//   upsweep::merge_by_key(gpu, a.span(), a_rows.span(), b.span(), b_rows.span(), merged.span(), rows.span());
//   std::uint64_t both = upsweep::set_intersection(cpu, yesterday, today, common);
//   std::uint64_t all = upsweep::set_union(cpu, names, more_names, out, by_length{});
//   upsweep::set_difference(gpu, x.span(), y.span(), rest.span(), count.span());         // the count stays there
//   upsweep::set_union_by_key(cpu, keys, values, keys2, values2, keys_out, values_out, {.descending = true});
//
// Result       The elements kept, in order, at the front of the output; how many is returned, or written to a device
//              span of one u64. What lies behind them is left as it was. As in std::set_…, of an element that is m
//              times in the first and k times in the second sequence
//                set_union                 max(m, k) are kept: all of the first, and of the second the last k - m
//                set_intersection          min(m, k): the first ones of the first sequence
//                set_difference            max(m - k, 0): the last ones of the first sequence
//                set_symmetric_difference  |m - k|: the last ones of the sequence that has more
//                merge_by_key              all m + k: those of the first before those of the second
//              Equal is what stands neither before nor after. Kept elements stay in the order of their sequences.
// By key       values follow their keys. set_intersection_by_key and set_difference_by_key keep elements of the first
//              sequence alone, and so take no values of the second.
// Orders       as in sort.hpp: built-in keys ascend by value or follow sort_options; NaNs stand last and are equal to
//              each other; -0 and +0 are equal. Or a comparator of your own, a strict weak order; by anything else the
//              calls still end and read and write nothing outside. Those run on the CPU with elements of any type that
//              can be copied, on CUDA with trivially copyable ones where nvcc compiles the call, and there and on
//              OpenCL, of inputs in memory, where comparator and type carry their C text (opencl/custom.hpp says how).
// Inputs       sorted in that order; device spans, buffers, ranges with random access (deques, standard views), or made
//              as they are read (inputs.hpp): those of device memory on CUDA where nvcc compiles the call, and there
//              and on OpenCL where every function in them carries its text.
// Outputs      host: contiguous ranges; what is kept has to fit, more there need not be. With the count on the device
//              they hold whatever might be kept: n + m, set_difference n, set_intersection the lesser of the two.
//              Nothing that is written lies where something else is read or written.
// Work         n + m steps; on the CPU each is taken once, on a device twice. Pieces of the work are equally long
//              whatever runs of equal keys there are.
// Scratch      CPU: two bytes a key; devices: 1.5.
// Determinism  the result is fixed by the inputs alone, whatever the device.
// Asynchrony   device spans: enqueued; the forms that return a count wait for it, but merge_by_key, whose count is
//              known. Host memory: done on return, and worked on by the CPU whatever the context: the way to a device
//              and back is longer than the work.
// Errors       upsweep::error: sizes that differ, an output too small for what is kept (as much of it as fits has been
//              written), overlap, a range of bits outside the key, a type, comparator or input that the device cannot
//              take.
#pragma once

#include "upsweep/sets/enqueue.hpp"

namespace upsweep {

template <class X, class Y>
concept beside_output = core::readable_input<X> &&
                        (core::home_of<X> == home::anywhere || (core::home_of<X> == home::device) == on_device<Y>);
template <class Order, class Y>
concept set_order =
    sort_room::is_builtin_order<Order, element_of<Y>> ||
    (!operands<Order> && std::is_invocable_r_v<bool, const Order&, const element_of<Y>&, const element_of<Y>&>);

inline namespace UPSWEEP_COMPILED {

// --- set_union ---

template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires operands<Y> && beside_output<A, Y> && beside_output<B, Y> && set_order<Order, Y>
std::uint64_t set_union(const context& where, const A& a, const B& b, Y&& out, const Order& order = {}) {
  constexpr sets_room::without_values none;
  return sets_room::kept<By>(where, sets_room::primitive::set_union,
                             sets_room::task_of<sets_room::no_value>(a, none, b, none, core::written_operand(out), {}),
                             order);
}
template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires on_device<Y> && beside_output<A, Y> && beside_output<B, Y> && set_order<Order, Y>
void set_union(const context& where, const A& a, const B& b, Y&& out, device_span<std::uint64_t> count,
               const Order& order = {}) {
  constexpr sets_room::without_values none;
  sets_room::keep<By>(where, sets_room::primitive::set_union,
                      sets_room::task_of<sets_room::no_value>(a, none, b, none, core::written_operand(out), {}, count),
                      order);
}

template <class A, class V, class B, class W, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires operands<Y, Z> && beside_output<A, Y> && beside_output<V, Z> && beside_output<B, Y> && beside_output<W, Z> &&
           set_order<Order, Y>
std::uint64_t set_union_by_key(const context& where, const A& a, const V& a_values, const B& b, const W& b_values,
                               Y&& keys_out, Z&& values_out, const Order& order = {}) {
  return sets_room::kept<By>(
      where, sets_room::primitive::set_union,
      sets_room::task_of<element_of<Z>>(a, a_values, b, b_values, core::written_operand(keys_out),
                                        core::written_operand(values_out)),
      order);
}
template <class A, class V, class B, class W, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires on_device<Y, Z> && beside_output<A, Y> && beside_output<V, Z> && beside_output<B, Y> &&
           beside_output<W, Z> && set_order<Order, Y>
void set_union_by_key(const context& where, const A& a, const V& a_values, const B& b, const W& b_values, Y&& keys_out,
                      Z&& values_out, device_span<std::uint64_t> count, const Order& order = {}) {
  sets_room::keep<By>(where, sets_room::primitive::set_union,
                      sets_room::task_of<element_of<Z>>(a, a_values, b, b_values, core::written_operand(keys_out),
                                                        core::written_operand(values_out), count),
                      order);
}

// --- set_intersection ---

template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires operands<Y> && beside_output<A, Y> && beside_output<B, Y> && set_order<Order, Y>
std::uint64_t set_intersection(const context& where, const A& a, const B& b, Y&& out, const Order& order = {}) {
  constexpr sets_room::without_values none;
  return sets_room::kept<By>(where, sets_room::primitive::set_intersection,
                             sets_room::task_of<sets_room::no_value>(a, none, b, none, core::written_operand(out), {}),
                             order);
}
template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires on_device<Y> && beside_output<A, Y> && beside_output<B, Y> && set_order<Order, Y>
void set_intersection(const context& where, const A& a, const B& b, Y&& out, device_span<std::uint64_t> count,
                      const Order& order = {}) {
  constexpr sets_room::without_values none;
  sets_room::keep<By>(where, sets_room::primitive::set_intersection,
                      sets_room::task_of<sets_room::no_value>(a, none, b, none, core::written_operand(out), {}, count),
                      order);
}

template <class A, class V, class B, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires operands<Y, Z> && beside_output<A, Y> && beside_output<V, Z> && beside_output<B, Y> && set_order<Order, Y>
std::uint64_t set_intersection_by_key(const context& where, const A& a, const V& a_values, const B& b, Y&& keys_out,
                                      Z&& values_out, const Order& order = {}) {
  return sets_room::kept<By>(
      where, sets_room::primitive::set_intersection,
      sets_room::task_of<element_of<Z>>(a, a_values, b, sets_room::without_values(), core::written_operand(keys_out),
                                        core::written_operand(values_out)),
      order);
}
template <class A, class V, class B, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires on_device<Y, Z> && beside_output<A, Y> && beside_output<V, Z> && beside_output<B, Y> && set_order<Order, Y>
void set_intersection_by_key(const context& where, const A& a, const V& a_values, const B& b, Y&& keys_out,
                             Z&& values_out, device_span<std::uint64_t> count, const Order& order = {}) {
  sets_room::keep<By>(
      where, sets_room::primitive::set_intersection,
      sets_room::task_of<element_of<Z>>(a, a_values, b, sets_room::without_values(), core::written_operand(keys_out),
                                        core::written_operand(values_out), count),
      order);
}

// --- set_difference ---

template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires operands<Y> && beside_output<A, Y> && beside_output<B, Y> && set_order<Order, Y>
std::uint64_t set_difference(const context& where, const A& a, const B& b, Y&& out, const Order& order = {}) {
  constexpr sets_room::without_values none;
  return sets_room::kept<By>(where, sets_room::primitive::set_difference,
                             sets_room::task_of<sets_room::no_value>(a, none, b, none, core::written_operand(out), {}),
                             order);
}
template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires on_device<Y> && beside_output<A, Y> && beside_output<B, Y> && set_order<Order, Y>
void set_difference(const context& where, const A& a, const B& b, Y&& out, device_span<std::uint64_t> count,
                    const Order& order = {}) {
  constexpr sets_room::without_values none;
  sets_room::keep<By>(where, sets_room::primitive::set_difference,
                      sets_room::task_of<sets_room::no_value>(a, none, b, none, core::written_operand(out), {}, count),
                      order);
}

template <class A, class V, class B, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires operands<Y, Z> && beside_output<A, Y> && beside_output<V, Z> && beside_output<B, Y> && set_order<Order, Y>
std::uint64_t set_difference_by_key(const context& where, const A& a, const V& a_values, const B& b, Y&& keys_out,
                                    Z&& values_out, const Order& order = {}) {
  return sets_room::kept<By>(
      where, sets_room::primitive::set_difference,
      sets_room::task_of<element_of<Z>>(a, a_values, b, sets_room::without_values(), core::written_operand(keys_out),
                                        core::written_operand(values_out)),
      order);
}
template <class A, class V, class B, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires on_device<Y, Z> && beside_output<A, Y> && beside_output<V, Z> && beside_output<B, Y> && set_order<Order, Y>
void set_difference_by_key(const context& where, const A& a, const V& a_values, const B& b, Y&& keys_out,
                           Z&& values_out, device_span<std::uint64_t> count, const Order& order = {}) {
  sets_room::keep<By>(
      where, sets_room::primitive::set_difference,
      sets_room::task_of<element_of<Z>>(a, a_values, b, sets_room::without_values(), core::written_operand(keys_out),
                                        core::written_operand(values_out), count),
      order);
}

// --- set_symmetric_difference ---

template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires operands<Y> && beside_output<A, Y> && beside_output<B, Y> && set_order<Order, Y>
std::uint64_t set_symmetric_difference(const context& where, const A& a, const B& b, Y&& out, const Order& order = {}) {
  constexpr sets_room::without_values none;
  return sets_room::kept<By>(where, sets_room::primitive::set_symmetric_difference,
                             sets_room::task_of<sets_room::no_value>(a, none, b, none, core::written_operand(out), {}),
                             order);
}
template <class A, class B, class Y, class Order = sort_options, class By = this_compiler>
  requires on_device<Y> && beside_output<A, Y> && beside_output<B, Y> && set_order<Order, Y>
void set_symmetric_difference(const context& where, const A& a, const B& b, Y&& out, device_span<std::uint64_t> count,
                              const Order& order = {}) {
  constexpr sets_room::without_values none;
  sets_room::keep<By>(where, sets_room::primitive::set_symmetric_difference,
                      sets_room::task_of<sets_room::no_value>(a, none, b, none, core::written_operand(out), {}, count),
                      order);
}

template <class A, class V, class B, class W, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires operands<Y, Z> && beside_output<A, Y> && beside_output<V, Z> && beside_output<B, Y> && beside_output<W, Z> &&
           set_order<Order, Y>
std::uint64_t set_symmetric_difference_by_key(const context& where, const A& a, const V& a_values, const B& b,
                                              const W& b_values, Y&& keys_out, Z&& values_out,
                                              const Order& order = {}) {
  return sets_room::kept<By>(
      where, sets_room::primitive::set_symmetric_difference,
      sets_room::task_of<element_of<Z>>(a, a_values, b, b_values, core::written_operand(keys_out),
                                        core::written_operand(values_out)),
      order);
}
template <class A, class V, class B, class W, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires on_device<Y, Z> && beside_output<A, Y> && beside_output<V, Z> && beside_output<B, Y> &&
           beside_output<W, Z> && set_order<Order, Y>
void set_symmetric_difference_by_key(const context& where, const A& a, const V& a_values, const B& b, const W& b_values,
                                     Y&& keys_out, Z&& values_out, device_span<std::uint64_t> count,
                                     const Order& order = {}) {
  sets_room::keep<By>(where, sets_room::primitive::set_symmetric_difference,
                      sets_room::task_of<element_of<Z>>(a, a_values, b, b_values, core::written_operand(keys_out),
                                                        core::written_operand(values_out), count),
                      order);
}

// --- merge_by_key: returns how many there are ---

template <class A, class V, class B, class W, class Y, class Z, class Order = sort_options, class By = this_compiler>
  requires operands<Y, Z> && beside_output<A, Y> && beside_output<V, Z> && beside_output<B, Y> && beside_output<W, Z> &&
           set_order<Order, Y>
std::uint64_t merge_by_key(const context& where, const A& a, const V& a_values, const B& b, const W& b_values,
                           Y&& keys_out, Z&& values_out, const Order& order = {}) {
  return sets_room::merged<By>(
      where,
      sets_room::task_of<element_of<Z>>(a, a_values, b, b_values, core::written_operand(keys_out),
                                        core::written_operand(values_out)),
      order);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
