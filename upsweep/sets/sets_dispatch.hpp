// The implementation of sets.hpp's overloads. Built-in keys in memory by a built-in order go to the library's
// variants, all others to the templates of the backend. Host memory is processed in place.
#pragma once

#include "upsweep/core/lazy_view.hpp"
#include "upsweep/sets/cpu/sets_cpu.hpp"
#include "upsweep/sets/cpu/sets_merge.hpp"
#include "upsweep/sets/cuda/sets_cuda_jit.hpp"
#include "upsweep/sets/opencl/sets_opencl_jit.hpp"
#include "upsweep/sort/sort_comparators.hpp"
#include "upsweep/sort/sort_implementation.hpp"
#if defined(__CUDACC__)
#include "upsweep/sets/sets_cuda.cuh"
#endif

namespace upsweep {

namespace detail::sets_impl {
// A placeholder for the values of keys that have none.
struct without_values {};
}  // namespace detail::sets_impl

template <>
inline constexpr memory_space core::memory_space_of<detail::sets_impl::without_values> = memory_space::any;

}  // namespace upsweep

namespace upsweep::detail::sets_impl {

using namespace core;
using detail::sort_impl::is_builtin_order;
using detail::sort_impl::no_value;

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
auto read_by_index(const upsweep::device& d, const char* call, const X& x) {
  if constexpr (is_absent<X>) {
    return x;
  } else if constexpr (in_memory<X>) {
    return static_cast<const value_of<X>*>(core::read_operand(x).data());
  } else {
    return as_array<core::reading_of<X>>{core::reading(d, call, x)};
  }
}

// Empty for an input that is not in memory.
template <class X>
operand<const value_of<X>> operand_of(const X& x) {
  if constexpr (in_memory<X>) {
    return core::read_operand(x);
  } else {
    return {};
  }
}

// Checks that keys of that type have the order; otherwise this does not compile, with a message.
template <class K, class Order>
constexpr bool require_order() {
  constexpr bool ordered = !is_builtin_order<Order, K> || detail::sort_impl::has_builtin_order<K>;
  static_assert(ordered,
                "upsweep: keys of this type have no built-in order; give a comparator, `bool operator()(const T& a, "
                "const T& b) const`");
  return ordered;
}

template <class K, class V, class A, class AV, class B, class BV>
constexpr bool require_types() {
  constexpr bool same = std::is_same_v<value_of<A>, K> && std::is_same_v<value_of<B>, K>;
  static_assert(same, "upsweep: both inputs and the output have keys of one type");
  static_assert(is_absent<AV> || std::is_same_v<value_of<AV>, V>, "upsweep: the values and their output have one type");
  static_assert(is_absent<BV> || std::is_same_v<value_of<BV>, V>, "upsweep: the values and their output have one type");
  static_assert(std::is_copy_assignable_v<K> && std::is_copy_assignable_v<V>,
                "upsweep: set operations copy the kept elements; give a copyable type");
  return same;
}

// Two sorted sequences with or without values, and the outputs for the kept elements.
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
  std::uint64_t capacity() const { return with_values ? (std::min)(out.size(), values_out.size()) : out.size(); }
};

template <class V, class A, class AV, class B, class BV, class K>
task<A, AV, B, BV, K, V> task_of(const A& a, const AV& a_values, const B& b, const BV& b_values, operand<K> out,
                                 operand<V> values_out, operand<std::uint64_t> count = {}) {
  return {a, a_values, b, b_values, out, values_out, count};
}

template <class A, class AV, class B, class BV, class K, class V>
void require_task(const char* call, const context& where, const task<A, AV, B, BV, K, V>& t) {
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
      return detail::sets_impl::operand_of(x);
    }
  };
  require_no_overlap(call, where,
                     {{"the first keys", detail::sets_impl::operand_of(t.a)},
                      {"the second keys", detail::sets_impl::operand_of(t.b)},
                      {"the first values", values(t.a_values)},
                      {"the second values", values(t.b_values)},
                      {"the output", t.out},
                      {"the values' output", t.values_out},
                      {"the count", t.count}});
}

inline namespace UPSWEEP_COMPILED {

// Calls f with the comparison that an order represents.
template <class T, class Order, class F>
void with_comparison(const char* call, const Order& order, const F& f) {
  if constexpr (is_builtin_order<Order, T>) {
    const sort_options o = detail::sort_impl::options_of<T>(order);
    detail::sort_impl::check_bits(call, o.first_bit, o.last_bit, 8 * sizeof(T));
    f(in_order<T>{order_window<order_image<typename in_order<T>::number>>(o.first_bit, o.last_bit, o.descending)});
  } else {
    f(order);
  }
}

template <class A, class AV, class B, class BV, class K, class V, class Compare>
void keep_on_cpu(device& d, primitive what, const task<A, AV, B, BV, K, V>& t, const Compare& less) {
  const char* const call = call_of(what, !is_absent<AV>);
  const auto a = detail::sets_impl::read_by_index(d, call, t.a);
  const auto b = detail::sets_impl::read_by_index(d, call, t.b);
  const auto a_values = detail::sets_impl::read_by_index(d, call, t.a_values);
  const auto b_values = detail::sets_impl::read_by_index(d, call, t.b_values);
  K* const out = t.out.data();
  V* const values_out = t.values_out.data();
  if constexpr (std::is_same_v<decltype(a), const K* const> && std::is_same_v<decltype(b), const K* const> &&
                std::is_same_v<decltype(a_values), const V* const> &&
                std::is_same_v<decltype(b_values), const V* const>) {
    if (what == primitive::merge_by_key && t.capacity() >= t.n + t.m) {
      cpu::merge_rows<K, V>(d, {a, a_values, t.n, b, b_values, t.m}, out, values_out, less);
      *t.count.data() = t.n + t.m;
      return;
    }
  }
  *t.count.data() = cpu::keep_of_two(
      d, what, a, t.n, b, t.m, t.capacity(), less,
      [&](const cpu::kept_codes* codes, std::uint64_t count, place from, std::uint64_t to) {
        cpu::move_kept(a, b, codes, count, from, out + to);
        if constexpr (!is_absent<AV> && is_absent<BV>) {
          cpu::move_kept(a_values, a_values, codes, count, from, values_out + to);  // of the first alone
        } else if constexpr (!is_absent<AV>) {
          cpu::move_kept(a_values, b_values, codes, count, from, values_out + to);
        }
      });
}

// The operands in memory, without the order.
template <class A, class AV, class B, class BV, class K, class V>
problem problem_of(primitive what, const task<A, AV, B, BV, K, V>& t) {
  problem p;
  p.what = what, p.n = t.n, p.m = t.m, p.capacity = t.capacity();
  p.in = detail::sets_impl::operand_of(t.a).where(), p.in2 = detail::sets_impl::operand_of(t.b).where(),
  p.out = t.out.where(), p.count = t.count.where();
  if constexpr (!is_absent<AV>)
    p.value_bytes = sizeof(V), p.in3 = detail::sets_impl::operand_of(t.a_values).where(), p.out2 = t.values_out.where();
  if constexpr (!is_absent<BV>) p.in4 = detail::sets_impl::operand_of(t.b_values).where();
  return p;
}

// Enqueued: writes nothing past the outputs, and *count becomes the number of kept elements.
template <class X>
inline constexpr bool absent_or_readable_jit = is_absent<X> || core::is_readable_jit<X>;
// The input in the device's memory: in place, or materialized by its device source.
template <class X>
auto laid(const context& where, const char* call, const char* scratch, const X& x) {
  if constexpr (is_absent<X>)
    return x;
  else
    return core::materialize_jit(where, call, scratch, x);
}

template <class CompiledBy, class A, class AV, class B, class BV, class K, class V, class Order>
void dispatch_set_operation(const context& where, primitive what, const task<A, AV, B, BV, K, V>& t,
                            const Order& order) {
  const char* const call = call_of(what, !is_absent<AV>);
  if constexpr ((is_lazy_view<A> || is_lazy_view<AV> || is_lazy_view<B> || is_lazy_view<BV>) &&
                absent_or_readable_jit<A> && absent_or_readable_jit<AV> && absent_or_readable_jit<B> &&
                absent_or_readable_jit<BV>) {
    if (core::must_materialize_jit<A, AV, B, BV>(where)) {
      const auto a = detail::sets_impl::laid(where, call, "sets/made", t.a),
                 b = detail::sets_impl::laid(where, call, "sets/made second", t.b);
      const auto av = detail::sets_impl::laid(where, call, "sets/made values", t.a_values);
      const auto bv = detail::sets_impl::laid(where, call, "sets/made second values", t.b_values);
      return detail::sets_impl::dispatch_set_operation<CompiledBy>(
          where, what, detail::sets_impl::task_of<V>(a, av, b, bv, t.out, t.values_out, t.count), order);
    }
  }
  constexpr bool memory_alone =
      in_memory<A> && in_memory<B> && (is_absent<AV> || in_memory<AV>) && (is_absent<BV> || in_memory<BV>);
  if constexpr (memory_alone && is_builtin_order<Order, K> && std::is_trivially_copyable_v<V>) {
    problem p = detail::sets_impl::problem_of(what, t);
    p.type = detail::sort_impl::type_of_keys<K>();
    const sort_options o = detail::sort_impl::options_of<K>(order);
    detail::sort_impl::check_bits(call, o.first_bit, o.last_bit, 8 * sizeof(K));
    p.descending = o.descending, p.first_bit = static_cast<std::uint8_t>(o.first_bit),
    p.last_bit = static_cast<std::uint8_t>(o.last_bit);
    detail::sets_impl::run(where, p);
  } else if (where.kind() == backend::cpu) {
    detail::sets_impl::with_comparison<K>(
        call, order, [&](const auto& less) { detail::sets_impl::keep_on_cpu(where.device(), what, t, less); });
  } else if constexpr (!std::is_trivially_copyable_v<K> || !std::is_trivially_copyable_v<V>) {
    core::throw_error(needs_trivial_copies(call, where.kind()));
  } else if (where.kind() == backend::opencl) {
    if constexpr (is_builtin_order<Order, K>)
      core::throw_error(made_elsewhere(call, where.kind()));
    else if constexpr (!cuda::has_order_source<K, Order>)
      core::throw_error(detail::sort_impl::comparator_needs_source(call));
    else if constexpr (!memory_alone)
      core::throw_error(made_elsewhere(call, where.kind()));
    else
      opencl::keep_jit(where.device(), opencl::order_of<K>(call, order), detail::sets_impl::problem_of(what, t));
  } else if constexpr (memory_alone && !detail::sort_impl::compared_by_nvcc<Order> &&
                       cuda::has_order_source<K, Order>) {
    cuda::sets_operands o;
    o.a = detail::sets_impl::operand_of(t.a).where(), o.n = t.n, o.b = detail::sets_impl::operand_of(t.b).where(),
    o.m = t.m;
    if constexpr (!is_absent<AV>)
      o.a_values = detail::sets_impl::operand_of(t.a_values).where(), o.values_out = t.values_out.where();
    if constexpr (!is_absent<BV>) o.b_values = detail::sets_impl::operand_of(t.b_values).where();
    o.out = t.out.where(), o.count = t.count.where(), o.capacity = t.capacity();
    using moved = std::conditional_t<is_absent<AV>, without_values, V>;
    cuda::keep_jit(where.device(), cuda::sets_jit<K, moved, !is_absent<BV>>(call, order), what, o);
  } else {
#if defined(__CUDACC__)
    if constexpr (detail::sort_impl::compared_by_nvcc<Order> && !core::is_only_source_view<A> &&
                  !core::is_only_source_view<AV> && !core::is_only_source_view<B> && !core::is_only_source_view<BV>)
      return detail::sets_impl::with_comparison<K>(call, order, [&](const auto& less) {
        const auto a = detail::sets_impl::read_by_index(where.device(), call, t.a);
        const auto b = detail::sets_impl::read_by_index(where.device(), call, t.b);
        const auto a_values = detail::sets_impl::read_by_index(where.device(), call, t.a_values);
        const auto b_values = detail::sets_impl::read_by_index(where.device(), call, t.b_values);
        using moves =
            cuda::moves_pairs<std::remove_const_t<decltype(a)>, std::remove_const_t<decltype(b)>,
                              std::remove_const_t<decltype(a_values)>, std::remove_const_t<decltype(b_values)>, K, V>;
        cuda::keep_of_two(where.device(), what, a, t.n, b, t.m, t.capacity(), less, t.count.data(),
                          moves{a, b, a_values, b_values, t.out.data(), t.values_out.data()});
      });
#endif
    if constexpr (!is_builtin_order<Order, K>) core::throw_error(detail::sort_impl::comparator_needs_nvcc(call));
    core::throw_error(made_elsewhere(call, where.kind()));
  }
}

// --- the calls ---

// Enqueued: outputs must have capacity for the largest possible result.
template <class CompiledBy, class A, class AV, class B, class BV, class K, class V, class Order>
void enqueue_set_operation(const context& where, primitive what, const task<A, AV, B, BV, K, V>& t,
                           const Order& order) {
  if constexpr (detail::sets_impl::require_order<K, Order>() &&
                detail::sets_impl::require_types<K, V, A, AV, B, BV>()) {
    const char* const call = call_of(what, !is_absent<AV>);
    detail::sets_impl::require_task(call, where, t);
    require_capacity(call, "the count", t.count.size(), 1);
    require_capacity(call, "the output", t.out.size(), most_kept(what, t.n, t.m));
    detail::sets_impl::dispatch_set_operation<CompiledBy>(where, what, t, order);
  }
}

inline void require_set_capacity(const char* call, std::uint64_t count, std::uint64_t capacity) {
  require_capacity(
      call, capacity, count,
      [&] { return std::to_string(count) + " elements are kept, and the output has " + std::to_string(capacity); },
      "give that many");
}

// Returns the number of kept elements; outputs hold those, and possibly not the largest possible result.
template <class CompiledBy, class A, class AV, class B, class BV, class K, class V, class Order>
std::uint64_t run_set_operation(const context& asked, primitive what, task<A, AV, B, BV, K, V> t, const Order& order) {
  if constexpr (detail::sets_impl::require_order<K, Order>() &&
                detail::sets_impl::require_types<K, V, A, AV, B, BV>()) {
    const char* const call = call_of(what, !is_absent<AV>);
    detail::sets_impl::require_task(call, asked, t);
    if (!t.out.accessible_from(asked)) {
      const context host = context::cpu();
      return detail::sets_impl::run_set_operation<CompiledBy>(host, what, t, order);
    }
    if (asked.kind() == backend::cpu) {
      std::uint64_t count = 0;
      t.count = std::span(&count, 1);
      detail::sets_impl::dispatch_set_operation<CompiledBy>(asked, what, t, order);
      detail::sets_impl::require_set_capacity(call, count, t.out.size());
      return count;
    }
    t.count = counts_in_scratch(asked);
    detail::sets_impl::dispatch_set_operation<CompiledBy>(asked, what, t, order);
    const std::uint64_t count = fetch_count(asked, t.count);
    detail::sets_impl::require_set_capacity(call, count, t.out.size());
    return count;
  } else {
    return {};
  }
}

// All elements are kept, so the call does not wait.
template <class CompiledBy, class A, class AV, class B, class BV, class K, class V, class Order>
std::uint64_t merged(const context& where, task<A, AV, B, BV, K, V> t, const Order& order) {
  if constexpr (detail::sets_impl::require_order<K, Order>() &&
                detail::sets_impl::require_types<K, V, A, AV, B, BV>()) {
    require_same_size("merge_by_key", "there are # keys in both and # output elements", t.n + t.m, t.out.size());
    if (!t.out.accessible_from(where) || where.kind() == backend::cpu)
      return detail::sets_impl::run_set_operation<CompiledBy>(where, primitive::merge_by_key, t, order);
    t.count = counts_not_fetched(where);
    detail::sets_impl::enqueue_set_operation<CompiledBy>(where, primitive::merge_by_key, t, order);
    return t.n + t.m;
  } else {
    return {};
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::detail::sets_impl
