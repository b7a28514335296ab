// What sets.hpp's forms end in. Built-in keys in memory by a built-in order go to the room's variants, all else to the
// templates of the backend. Host memory is worked on where it is.
#pragma once

#include "upsweep/core/making.hpp"
#include "upsweep/sets/cpu/merge.hpp"
#include "upsweep/sets/cpu/sets.hpp"
#include "upsweep/sets/cuda/text.hpp"
#include "upsweep/sets/opencl/custom.hpp"
#include "upsweep/sort/comparing.hpp"
#include "upsweep/sort/run.hpp"
#if defined(__CUDACC__)
#include "upsweep/sets/cuda.cuh"
#endif

namespace upsweep {

namespace sets_room {
// The values of keys that have none.
struct without_values {};
}  // namespace sets_room

template <>
inline constexpr home core::home_of<sets_room::without_values> = home::anywhere;

}  // namespace upsweep

namespace upsweep::sets_room {

using namespace core;
using sort_room::is_builtin_order;
using sort_room::no_value;

constexpr const char* call_of(primitive p, bool with_values) {
  constexpr const char* names[][2]{{"merge_by_key", "merge_by_key"},
                                   {"set_union", "set_union_by_key"},
                                   {"set_intersection", "set_intersection_by_key"},
                                   {"set_difference", "set_difference_by_key"},
                                   {"set_symmetric_difference", "set_symmetric_difference_by_key"}};
  return names[static_cast<int>(p)][with_values];
}

template <class X>
inline constexpr bool is_absent = std::is_same_v<std::remove_cvref_t<X>, without_values>;

template <class X>
auto read_by_index(const X& x) {
  if constexpr (is_absent<X>) {
    return x;
  } else if constexpr (in_memory<X>) {
    return static_cast<const value_of<X>*>(core::read_operand(x).data());
  } else {
    return as_array<std::remove_cvref_t<decltype(core::reading(x))>>{core::reading(x)};
  }
}

// Of what lies in no memory: nothing.
template <class X>
operand<const value_of<X>> operand_of(const X& x) {
  if constexpr (in_memory<X>) {
    return core::read_operand(x);
  } else {
    return {};
  }
}

template <class K, class V, class A, class AV, class B, class BV>
constexpr void require_types() {
  static_assert(std::is_same_v<value_of<A>, K> && std::is_same_v<value_of<B>, K>,
                "upsweep: both inputs and the output have keys of one type");
  static_assert(is_absent<AV> || std::is_same_v<value_of<AV>, V>, "upsweep: the values and their output have one type");
  static_assert(is_absent<BV> || std::is_same_v<value_of<BV>, V>, "upsweep: the values and their output have one type");
  static_assert(std::is_copy_assignable_v<K> && std::is_copy_assignable_v<V>,
                "upsweep: what is kept of sorted sequences is copied; give elements that can be");
}

// Two sorted sequences with their values, or without; where what is kept goes.
template <class A, class AV, class B, class BV, class K, class V>
struct task {
  const A& a;
  const AV& a_values;
  const B& b;
  const BV& b_values;
  operand<K> out;
  operand<V> values_out;
  operand<std::uint64_t> count;
  std::uint64_t n = core::elements_in(a), m = core::elements_in(b);

  static constexpr bool with_values = !is_absent<AV>;
  std::uint64_t room() const { return with_values ? std::min(out.size(), values_out.size()) : out.size(); }
};

template <class V, class A, class AV, class B, class BV, class K>
task<A, AV, B, BV, K, V> task_of(const A& a, const AV& a_values, const B& b, const BV& b_values, operand<K> out,
                                 operand<V> values_out, operand<std::uint64_t> count = {}) {
  return {a, a_values, b, b_values, out, values_out, count};
}

template <class A, class AV, class B, class BV, class K, class V>
void require_task(const char* call, const context& where, const task<A, AV, B, BV, K, V>& t) {
  sets_room::require_types<K, V, A, AV, B, BV>();
  if constexpr (!is_absent<AV>)
    require_same_size(call, "there are # keys and # values", t.n, core::elements_in(t.a_values));
  if constexpr (!is_absent<BV>)
    require_same_size(call, "there are # keys and # values", t.m, core::elements_in(t.b_values));
  if constexpr (!is_absent<AV>)
    require_same_size(call, "the keys' output has # elements and the values' output #", t.out.size(),
                      t.values_out.size());
  const auto values = [](const auto& x) {
    if constexpr (is_absent<decltype(x)>) {
      return operand<const V>();
    } else {
      return sets_room::operand_of(x);
    }
  };
  require_apart(call, where,
                {{"the first keys", sets_room::operand_of(t.a)},
                 {"the second keys", sets_room::operand_of(t.b)},
                 {"the first values", values(t.a_values)},
                 {"the second values", values(t.b_values)},
                 {"the output", t.out},
                 {"the values' output", t.values_out},
                 {"the count", t.count}});
}

inline namespace UPSWEEP_COMPILED {

// Calls f with the comparison that an order stands for.
template <class T, class Order, class F>
void with_comparison(const char* call, const Order& order, const F& f) {
  if constexpr (is_builtin_order<Order, T>) {
    const sort_options o = sort_room::options_of<T>(order);
    sort_room::check_bits(call, o.first_bit, o.last_bit, 8 * sizeof(T));
    f(in_order<T>{order_window<order_image<typename in_order<T>::number>>(o.first_bit, o.last_bit, o.descending)});
  } else {
    f(order);
  }
}

template <class A, class AV, class B, class BV, class K, class V, class Compare>
void keep_on_cpu(device& d, primitive what, const task<A, AV, B, BV, K, V>& t, const Compare& less) {
  const auto a = sets_room::read_by_index(t.a);
  const auto b = sets_room::read_by_index(t.b);
  const auto a_values = sets_room::read_by_index(t.a_values);
  const auto b_values = sets_room::read_by_index(t.b_values);
  K* const out = t.out.data();
  V* const values_out = t.values_out.data();
  if constexpr (std::is_same_v<decltype(a), const K* const> && std::is_same_v<decltype(b), const K* const> &&
                std::is_same_v<decltype(a_values), const V* const> &&
                std::is_same_v<decltype(b_values), const V* const>) {
    if (what == primitive::merge_by_key && t.room() >= t.n + t.m) {
      cpu::merge_rows<K, V>(d, {a, a_values, t.n, b, b_values, t.m}, out, values_out, less);
      *t.count.data() = t.n + t.m;
      return;
    }
  }
  *t.count.data() = cpu::keep_of_two(
      d, what, a, t.n, b, t.m, t.room(), less,
      [&](const cpu::kept_codes* codes, std::uint64_t count, place from, std::uint64_t to) {
        cpu::move_kept(a, b, codes, count, from, out + to);
        if constexpr (!is_absent<AV> && is_absent<BV>) {
          cpu::move_kept(a_values, a_values, codes, count, from, values_out + to);  // of the first alone
        } else if constexpr (!is_absent<AV>) {
          cpu::move_kept(a_values, b_values, codes, count, from, values_out + to);
        }
      });
}

// What lies in memory, without the order.
template <class A, class AV, class B, class BV, class K, class V>
problem problem_of(primitive what, const task<A, AV, B, BV, K, V>& t) {
  problem p;
  p.what = what, p.n = t.n, p.m = t.m, p.room = t.room();
  p.in = sets_room::operand_of(t.a).where(), p.in2 = sets_room::operand_of(t.b).where(), p.out = t.out.where(),
  p.count = t.count.where();
  if constexpr (!is_absent<AV>)
    p.value_bytes = sizeof(V), p.in3 = sets_room::operand_of(t.a_values).where(), p.out2 = t.values_out.where();
  if constexpr (!is_absent<BV>) p.in4 = sets_room::operand_of(t.b_values).where();
  return p;
}

// Enqueued: nothing is written past the outputs, and *count becomes how many are kept.
template <class X>
inline constexpr bool absent_or_by_text = is_absent<X> || core::lies_by_text<X>;
// ... in the device's memory: where it is, or where its text has stored it.
template <class X>
auto laid(const context& where, const char* call, const char* scratch, const X& x) {
  if constexpr (is_absent<X>)
    return x;
  else
    return core::laid_by_text(where, call, scratch, x);
}

template <class CompiledBy, class A, class AV, class B, class BV, class K, class V, class Order>
void keep_into(const context& where, primitive what, const task<A, AV, B, BV, K, V>& t, const Order& order) {
  const char* const call = call_of(what, !is_absent<AV>);
  if constexpr ((is_made<A> || is_made<AV> || is_made<B> || is_made<BV>) && absent_or_by_text<A> &&
                absent_or_by_text<AV> && absent_or_by_text<B> && absent_or_by_text<BV>) {
    if (core::made_by_text<A, AV, B, BV>(where)) {
      const auto a = sets_room::laid(where, call, "sets/made", t.a),
                 b = sets_room::laid(where, call, "sets/made second", t.b);
      const auto av = sets_room::laid(where, call, "sets/made values", t.a_values);
      const auto bv = sets_room::laid(where, call, "sets/made second values", t.b_values);
      return sets_room::keep_into<CompiledBy>(where, what,
                                              sets_room::task_of<V>(a, av, b, bv, t.out, t.values_out, t.count), order);
    }
  }
  constexpr bool memory_alone =
      in_memory<A> && in_memory<B> && (is_absent<AV> || in_memory<AV>) && (is_absent<BV> || in_memory<BV>);
  if constexpr (memory_alone && is_builtin_order<Order, K> && std::is_trivially_copyable_v<V>) {
    problem p = sets_room::problem_of(what, t);
    p.type = sort_room::type_of_keys<K>();
    const sort_options o = sort_room::options_of<K>(order);
    sort_room::check_bits(call, o.first_bit, o.last_bit, 8 * sizeof(K));
    p.descending = o.descending, p.first_bit = static_cast<std::uint8_t>(o.first_bit),
    p.last_bit = static_cast<std::uint8_t>(o.last_bit);
    sets_room::run(where, p);
  } else if (where.kind() == backend::cpu) {
    sets_room::with_comparison<K>(call, order,
                                  [&](const auto& less) { sets_room::keep_on_cpu(where.dev(), what, t, less); });
  } else if constexpr (!std::is_trivially_copyable_v<K> || !std::is_trivially_copyable_v<V>) {
    throw needs_trivial_copies(call, where.kind());
  } else if (where.kind() == backend::opencl) {
    if constexpr (is_builtin_order<Order, K>)
      throw made_elsewhere(call, where.kind());
    else if constexpr (!cuda::has_order_text<K, Order>)
      throw sort_room::comparator_needs_text(call);
    else if constexpr (!memory_alone)
      throw made_elsewhere(call, where.kind());
    else
      opencl::keep_by_text(where.dev(), opencl::order_of<K>(call, order), sets_room::problem_of(what, t));
  } else if constexpr (memory_alone && !sort_room::compared_by_nvcc<Order> && cuda::has_order_text<K, Order>) {
    cuda::sets_operands o;
    o.a = sets_room::operand_of(t.a).where(), o.n = t.n, o.b = sets_room::operand_of(t.b).where(), o.m = t.m;
    if constexpr (!is_absent<AV>)
      o.a_values = sets_room::operand_of(t.a_values).where(), o.values_out = t.values_out.where();
    if constexpr (!is_absent<BV>) o.b_values = sets_room::operand_of(t.b_values).where();
    o.out = t.out.where(), o.count = t.count.where(), o.room = t.room();
    using moved = std::conditional_t<is_absent<AV>, without_values, V>;
    cuda::keep_by_text(where.dev(), cuda::sets_by_text<K, moved, !is_absent<BV>>(call, order), what, o);
  } else {
#if defined(__CUDACC__)
    sets_room::with_comparison<K>(call, order, [&](const auto& less) {
      const auto a = sets_room::read_by_index(t.a);
      const auto b = sets_room::read_by_index(t.b);
      const auto a_values = sets_room::read_by_index(t.a_values);
      const auto b_values = sets_room::read_by_index(t.b_values);
      using moves =
          cuda::moves_pairs<std::remove_const_t<decltype(a)>, std::remove_const_t<decltype(b)>,
                            std::remove_const_t<decltype(a_values)>, std::remove_const_t<decltype(b_values)>, K, V>;
      cuda::keep_of_two(where.dev(), what, a, t.n, b, t.m, t.room(), less, t.count.data(),
                        moves{a, b, a_values, b_values, t.out.data(), t.values_out.data()});
    });
#else
    if constexpr (!is_builtin_order<Order, K>) throw sort_room::comparator_needs_nvcc(call);
    throw made_elsewhere(call, where.kind());
#endif
  }
}

// --- the calls ---

// Enqueued: outputs hold whatever may be kept.
template <class CompiledBy, class A, class AV, class B, class BV, class K, class V, class Order>
void keep(const context& where, primitive what, const task<A, AV, B, BV, K, V>& t, const Order& order) {
  const char* const call = call_of(what, !is_absent<AV>);
  sets_room::require_task(call, where, t);
  require_room(call, "the count", t.count.size(), 1);
  require_room(call, "the output", t.out.size(), most_kept(what, t.n, t.m));
  sets_room::keep_into<CompiledBy>(where, what, t, order);
}

inline void require_kept(const char* call, std::uint64_t kept, std::uint64_t room) {
  require_room(
      call, room, kept,
      [&] { return std::to_string(kept) + " elements are kept, and the output has " + std::to_string(room); },
      "give it that many");
}

// Returns how many are kept; outputs hold them, and perhaps not all that might have been.
template <class CompiledBy, class A, class AV, class B, class BV, class K, class V, class Order>
std::uint64_t kept(const context& asked, primitive what, task<A, AV, B, BV, K, V> t, const Order& order) {
  const char* const call = call_of(what, !is_absent<AV>);
  sets_room::require_task(call, asked, t);
  if (!t.out.in_reach_of(asked)) {
    const context host = context::cpu();
    return sets_room::kept<CompiledBy>(host, what, t, order);
  }
  if (asked.kind() == backend::cpu) {
    std::uint64_t count = 0;
    t.count = std::span(&count, 1);
    sets_room::keep_into<CompiledBy>(asked, what, t, order);
    sets_room::require_kept(call, count, t.out.size());
    return count;
  }
  t.count = counts_in_scratch(asked);
  sets_room::keep_into<CompiledBy>(asked, what, t, order);
  const std::uint64_t count = fetch_count(asked, t.count);
  sets_room::require_kept(call, count, t.out.size());
  return count;
}

// All are kept: nothing is waited for.
template <class CompiledBy, class A, class AV, class B, class BV, class K, class V, class Order>
std::uint64_t merged(const context& where, task<A, AV, B, BV, K, V> t, const Order& order) {
  require_same_size("merge_by_key", "there are # keys in both and # places for them", t.n + t.m, t.out.size());
  if (!t.out.in_reach_of(where) || where.kind() == backend::cpu)
    return sets_room::kept<CompiledBy>(where, primitive::merge_by_key, t, order);
  t.count = counts_in_scratch(where);
  sets_room::keep<CompiledBy>(where, primitive::merge_by_key, t, order);
  return t.n + t.m;
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::sets_room
