// The implementation of sort.hpp's overloads. Built-in orders go to sort's variants, comparators to the templates of
// the backend.
#pragma once

#include "upsweep/core/user_call.hpp"
#include "upsweep/sort/sort_comparators.hpp"
#include "upsweep/sort/sort_implementation.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::sort_impl {
inline namespace UPSWEEP_COMPILED {

// --- checks of the operands ---

// Keys, with values or without, and the offsets of segments or none.
template <class K, class L, class V, class W>
void require_sort(const char* call, const context& where, operand<const K> in, operand<L> out, operand<const V> values,
                  operand<W> values_out, operand<const std::uint64_t> offsets = {}) {
  static_assert(std::is_same_v<K, L>, "upsweep: sort writes keys of the type that it reads");
  static_assert(std::is_same_v<V, W>, "upsweep: sort_by_key writes the types that it reads");
  constexpr bool alone = std::is_same_v<V, no_value>;
  if (!alone) require_same_size(call, "there are # keys and # values", in.size(), values.size());
  require_same_size(call, "there are # keys and # output elements", in.size(), out.size());
  require_same_size(call, "there are # values and # output elements", values.size(), values_out.size());
  require_no_overlap(call, where,
                     {{alone ? "the input" : "the keys", in},
                      {alone ? "the output" : "the keys' output", out},
                      {"the values", values},
                      {"the values' output", values_out},
                      {"the offsets", offsets}},
                     2);
}

template <class K, class L, class I>
void require_argsort(const context& where, operand<const K> keys, operand<L> keys_out, operand<I> indices) {
  static_assert(std::is_same_v<K, L>, "upsweep: argsort writes keys of the type that it reads");
  static_assert(std::is_integral_v<I> && (sizeof(I) == 4 || sizeof(I) == 8),
                "upsweep: indices are integers of 4 or 8 bytes");
  require_same_size("argsort", "there are # keys and # elements for indices", keys.size(), indices.size());
  if (sizeof(I) == 4 && keys.size() > std::uint64_t{1} << 32)
    core::throw_error(error(fault::bad_argument, "argsort",
                            std::to_string(keys.size()) + " keys have indices beyond 4 bytes",
                            "give indices of 8 bytes"));
  require_no_overlap("argsort", where, {{"the keys", keys}, {"the keys' output", keys_out}, {"the indices", indices}},
                     1);
}

template <class A, class B, class Y>
void require_merge(const context& where, operand<const A> a, operand<const B> b, operand<Y> out) {
  static_assert(std::is_same_v<A, Y> && std::is_same_v<B, Y>, "upsweep: merge has keys of one type");
  require_same_size("merge", "there are # keys in both and # output elements", a.size() + b.size(), out.size());
  require_no_overlap("merge", where, {{"the first keys", a}, {"the second keys", b}, {"the output", out}});
}

// --- built-in orders ---

template <class T>
problem problem_of(primitive what, const char* call, operand<const T> in, const sort_options& o) {
  static_assert(has_builtin_order<T>,
                "upsweep: keys of this type have no built-in order; give a comparator, `bool operator()(const T& a, "
                "const T& b) const`");
  check_bits(call, o.first_bit, o.last_bit, 8 * sizeof(T));
  problem p;
  p.what = what, p.type = type_of_keys<T>(), p.in = in.where(), p.n = in.size();
  p.descending = o.descending, p.first_bit = static_cast<std::uint8_t>(o.first_bit),
  p.last_bit = static_cast<std::uint8_t>(o.last_bit);
  return p;
}

inline void execute(const context& where, const problem& p, bool on_host) {
  if (on_host) return run_from_host(where, p);
  if (p.what == primitive::sort || p.what == primitive::segmented_sort) return run_with_values(where, p);
  run(where, p);
}

// Values with copy operations of their own are moved to the positions of their keys.
template <class K, class V>
void sort_and_move(const context& where, problem p, operand<const V> values, operand<V> values_out) {
  if (where.kind() != backend::cpu) core::throw_error(needs_trivial_copies("sort_by_key", where.kind()));
  host_array<std::uint64_t> order(p.n);
  p.out2 = {order.data(), 0}, p.indices = true, p.value_bytes = sizeof(std::uint64_t);
  execute(where, p, false);
  detail::sort_impl::bring(where, values, values_out);
  cpu::move_into_order(values_out.data(), order.data(), p.n);
}

template <class V>
void add_values(problem& p, operand<const V> values, operand<V> values_out) {
  static_assert(std::is_trivially_copyable_v<V>,
                "upsweep: values of a sort by built-in keys move as bytes; give them a trivially copyable type");
  if constexpr (!std::is_same_v<V, no_value>)
    p.in2 = values.where(), p.out2 = values_out.where(), p.value_bytes = sizeof(V);
}

// Memory for sorted keys that the caller did not request.
template <class T>
operand<T> unwanted(const context& where, std::uint64_t n, bool on_host, host_array<T>& host) {
  if (on_host) {
    host = host_array<T>(n);
    return host.all();
  }
  return {where.device().scratch("sort/unwanted", std::max<std::uint64_t>(n * sizeof(T), 16)), n, false};
}

// --- the calls ---

template <class K, class L, class V, class W, class Order>
void sorted(const char* call, const context& where, operand<const K> in, operand<L> out, operand<const V> values,
            operand<W> values_out, const Order& order) {
  detail::sort_impl::require_sort(call, where, in, out, values, values_out);
  if constexpr (is_builtin_order<Order, K>) {
    auto p = detail::sort_impl::problem_of(primitive::sort, call, in, options_of<K>(order));
    p.out = out.where();
    if constexpr (std::is_trivially_copyable_v<V>) {
      detail::sort_impl::add_values(p, values, values_out);
      execute(where, p, in.on_host());
    } else {
      detail::sort_impl::sort_and_move<K>(where, p, values, values_out);
    }
  } else {
    detail::sort_impl::sort_by_comparing<K, V, Order>(where, call, in, out, values, values_out, order);
  }
}
template <class K, class L, class Order>
void sorted(const char* call, const context& where, operand<const K> in, operand<L> out, const Order& order) {
  detail::sort_impl::sorted(call, where, in, out, operand<const no_value>(), operand<no_value>(), order);
}

template <class K, class L, class V, class W>
void segments_sorted(const char* call, const context& where, operand<const K> in, operand<L> out,
                     operand<const V> values, operand<W> values_out, operand<const std::uint64_t> offsets,
                     const sort_options& options) {
  detail::sort_impl::require_sort(call, where, in, out, values, values_out, offsets);
  auto p = detail::sort_impl::problem_of(primitive::segmented_sort, call, in, options);
  p.out = out.where();
  detail::sort_impl::add_values(p, values, values_out);
  p.in3 = offsets.where(), p.m = segments_of(call, offsets.size());
  require_offsets(call, where, offsets, p.n, core::checks_places(where));
  execute(where, p, in.on_host());
}

template <class K, class L, class I>
void argsorted(const context& where, operand<const K> keys, operand<L> keys_out, operand<I> indices,
               const sort_options& options) {
  require_same_size("argsort", "there are # keys and # output elements", keys.size(), keys_out.size());
  detail::sort_impl::require_argsort(where, keys, keys_out, indices);
  auto p = detail::sort_impl::problem_of(primitive::sort, "argsort", keys, options);
  p.out = keys_out.where(), p.out2 = indices.where(), p.indices = true, p.value_bytes = sizeof(I);
  execute(where, p, keys.on_host());
}
// Sorts by a comparison, on a device, keys in its memory: the sorted keys to keys_out, together with their indices.
template <class K, class I, class Order>
void compare_with_places(const context& where, const char* call, operand<const K> keys, operand<K> keys_out,
                         operand<I> places, const Order& order) {
  [[maybe_unused]] opencl::merge_problem p;
  p.n = keys.size(), p.in = keys.where(), p.out = keys_out.where(), p.value_bytes = sizeof(I);
  p.values_out = places.where(), p.places = true, p.checked = core::is_checked(where);
  if (where.kind() == backend::opencl) return opencl::merge_sort(where.device(), opencl::order_of<K>(call, order), p);
#if defined(__CUDACC__)
  if constexpr (compared_by_nvcc<Order>)
    return cuda::stable_argsort(where.device(), keys.data(), keys_out.data(), places.data(), keys.size(),
                                core::callable_on_a_gpu(order), call, where.checked());
#endif
  if constexpr (!compared_by_nvcc<Order> && cuda::has_order_source<K, Order>)
    return cuda::sort_jit(where.device(), cuda::order_jit<K>(call, order), p);
  core::throw_error(comparator_needs_nvcc(call));
}

template <class K, class I, class Order>
void argsorted(const context& where, operand<const K> keys, operand<I> indices, const Order& order) {
  detail::sort_impl::require_argsort(where, keys, operand<K>(), indices);
  host_array<K> host;
  if constexpr (is_builtin_order<Order, K>) {
    // On the CPU in scratch, whether the keys are in host or device memory.
    const operand<K> keys_out = detail::sort_impl::unwanted(where, keys.size(), !keys.accessible_from(where), host);
    detail::sort_impl::argsorted(where, keys, keys_out, indices, options_of<K>(order));
  } else if (where.kind() == backend::cpu) {
    cpu::argsort(where.device(), keys.data(), keys.size(), indices.data(), order);
  } else if constexpr (!std::is_trivially_copyable_v<K>) {
    core::throw_error(needs_trivial_copies("argsort", where.kind()));
  } else {
    const operand<K> keys_out = detail::sort_impl::unwanted(where, keys.size(), keys.on_host(), host);
    if (keys.accessible_from(where))
      return detail::sort_impl::compare_with_places(where, "argsort", keys, keys_out, indices, order);
    std::iota(indices.data(), indices.data() + indices.size(), I{0});
    detail::sort_impl::sorted("argsort", where, keys, keys_out, operand<const I>(indices), indices, order);
  }
}

template <class K, class L, class I>
void top(const context& where, operand<const K> in, operand<L> out, operand<I> indices, const sort_options& options) {
  static_assert(std::is_same_v<K, L>, "upsweep: top_k writes keys of the type that it reads");
  static_assert(std::is_integral_v<I> && sizeof(I) == 8, "upsweep: the indices of top_k are 64-bit integers");
  require_same_size("top_k", "there are # elements for keys and # elements for indices", out.size(), indices.size());
  require_capacity(
      "top_k", in.size(), out.size(),
      [&] { return std::to_string(out.size()) + " keys are requested from " + std::to_string(in.size()); },
      "request at most that number");
  require_no_overlap("top_k", where, {{"the keys", in}, {"the keys' output", out}, {"the indices", indices}});
  auto p = detail::sort_impl::problem_of(primitive::top_k, "top_k", in, options);
  p.m = out.size(), p.out = out.where(), p.out2 = indices.where();
  execute(where, p, in.on_host());
}
template <class K, class L>
void top(const context& where, operand<const K> in, operand<L> out, const sort_options& options) {
  host_array<std::uint64_t> host;
  detail::sort_impl::top(where, in, out, detail::sort_impl::unwanted(where, out.size(), in.on_host(), host), options);
}

template <class K>
K nth(const context& where, operand<const K> in, std::uint64_t k, const sort_options& options) {
  check_rank("nth_element", k, in.size());
  require_reach("nth_element", where, {{"the input", in}});
  K key;
  find_nth(where, detail::sort_impl::problem_of(primitive::sort, "nth_element", in, options), k, &key, in.on_host());
  return key;
}
template <class K, class L>
void around_nth(const context& where, operand<const K> in, operand<L> out, std::uint64_t k,
                const sort_options& options) {
  detail::sort_impl::require_sort("nth_element", where, in, out, operand<const no_value>(), operand<no_value>());
  check_rank("nth_element", k, in.size());
  auto p = detail::sort_impl::problem_of(primitive::sort, "nth_element", in, options);
  p.out = out.where();
  rearrange_around_nth(where, p, k, in.on_host());
}

// --- by user-defined comparisons, where the CPU can read the keys; a CUDA device sorts them all ---

template <class K, class L, class V, class W, class Order>
void segments_compared(const char* call, const context& where, operand<const K> in, operand<L> out,
                       operand<const V> values, operand<W> values_out, operand<const std::uint64_t> offsets,
                       const Order& order) {
  if constexpr (is_builtin_order<Order, K> && std::is_trivially_copyable_v<V>) {
    detail::sort_impl::segments_sorted(call, where, in, out, values, values_out, offsets, options_of<K>(order));
  } else {
    constexpr bool alone = std::is_same_v<V, no_value>;
    detail::sort_impl::require_sort(call, where, in, out, values, values_out, offsets);
    const std::uint64_t segments = segments_of(call, offsets.size());
    require_offsets(call, where, offsets, in.size(), core::checks_places(where));
    detail::sort_impl::bring(where, in, out);
    if constexpr (!alone) detail::sort_impl::bring(where, values, values_out);
    if (where.kind() == backend::cpu) {
      cpu::segmented_sort(where.device(), out.data(), values_out.data(), offsets.data(), segments, order);
      if (where.checked() && !checking)
        for (std::uint64_t s = 0; s < segments; ++s)
          cpu::require_order(out.data() + offsets[s], offsets[s + 1] - offsets[s], order, call);
    } else {
      const readable<std::uint64_t> cuts(where, offsets);
      for (std::uint64_t s = 0; s < segments; ++s) {
        const std::uint64_t first = cuts[s], size = cuts[s + 1] - first;
        const auto keys = out.part(first, size);
        if (size < 2) continue;
        if constexpr (alone) {
          detail::sort_impl::sorted(call, where, operand<const L>(keys), keys, order);
        } else {
          const auto beside = values_out.part(first, size);
          detail::sort_impl::sorted(call, where, operand<const L>(keys), keys, operand<const W>(beside), beside, order);
        }
      }
    }
  }
}

template <class K, class L, class I, class Order>
void top_compared(const context& where, operand<const K> in, operand<L> out, operand<I> indices, const Order& order) {
  static_assert(std::is_same_v<K, L>, "upsweep: top_k writes keys of the type that it reads");
  if constexpr (is_builtin_order<Order, K>) {
    detail::sort_impl::top(where, in, out, indices, options_of<K>(order));
  } else {
    static_assert(std::is_integral_v<I> && sizeof(I) == 8, "upsweep: the indices of top_k are 64-bit integers");
    require_same_size("top_k", "there are # elements for keys and # elements for indices", out.size(), indices.size());
    require_capacity(
        "top_k", in.size(), out.size(),
        [&] { return std::to_string(out.size()) + " keys are requested from " + std::to_string(in.size()); },
        "request at most that number");
    require_no_overlap("top_k", where, {{"the keys", in}, {"the keys' output", out}, {"the indices", indices}});
    const std::uint64_t k = out.size();
    if (where.kind() == backend::cpu || in.on_host()) {
      const context host = where.kind() == backend::cpu ? where : context::cpu();
      cpu::top_k_indices(host.device(), in.data(), in.size(), k, reinterpret_cast<std::uint64_t*>(indices.data()),
                         order);
      for (std::uint64_t i = 0; i < k; ++i) out[i] = in[static_cast<std::uint64_t>(indices[i])];
    } else if constexpr (!std::is_trivially_copyable_v<K>) {
      core::throw_error(needs_trivial_copies("top_k", where.kind()));
    } else {
      if (k == 0) return;
      buffer<I> places(where, in.size());
      buffer<K> all(where, in.size());
      detail::sort_impl::compare_with_places(where, "top_k", in, operand<K>(all), operand<I>(places), order);
      where.device().copy(indices.where(), operand<I>(places).where(), indices.bytes());
      where.device().copy(out.where(), operand<K>(all).where(), out.bytes());
      if (where.device().capture() == 0) where.synchronize();  // before the buffers go, which a graph keeps
    }
  }
}
template <class K, class L, class Order>
void top_compared(const context& where, operand<const K> in, operand<L> out, const Order& order) {
  host_array<std::uint64_t> host;
  detail::sort_impl::top_compared(where, in, out, detail::sort_impl::unwanted(where, out.size(), in.on_host(), host),
                                  order);
}

template <class K, class Order>
K nth_compared(const context& where, operand<const K> in, std::uint64_t k, const Order& order) {
  check_rank("nth_element", k, in.size());
  require_reach("nth_element", where, {{"the input", in}});
  if constexpr (is_builtin_order<Order, K>) {
    return detail::sort_impl::nth(where, in, k, options_of<K>(order));
  } else if constexpr (!std::is_copy_constructible_v<K>) {
    core::throw_error(error(fault::bad_argument, "nth_element", "elements that cannot be copied have no copy to return",
                            "sort them, or their places"));
  } else if (where.kind() == backend::cpu || in.on_host()) {
    const context host = where.kind() == backend::cpu ? where : context::cpu();
    if constexpr (std::is_trivially_copyable_v<K>) {
      const host_array<K> all(in.data(), in.size());
      cpu::nth_element(host.device(), all.data(), all.size(), k, order);
      return all[k];
    } else {
      std::vector<K> all(in.data(), in.data() + in.size());
      cpu::nth_element(host.device(), all.data(), all.size(), k, order);
      return all[k];
    }
  } else if constexpr (!std::is_trivially_copyable_v<K>) {
    core::throw_error(needs_trivial_copies("nth_element", where.kind()));
  } else {
    where.device().require_no_capture("nth_element");
    buffer<K> all(where, in.size());
    detail::sort_impl::sorted("nth_element", where, in, operand<K>(all), order);
    host_array<K> one(1);
    where.device().download(one.data(), operand<K>(all).part(k, 1).where(), sizeof(K));
    return one[0];
  }
}

// A CUDA device sorts all keys, which also puts the key of rank k at its position.
template <class K, class L, class Order>
void around_nth_compared(const context& where, operand<const K> in, operand<L> out, std::uint64_t k,
                         const Order& order) {
  const char* const call = "nth_element";
  if constexpr (is_builtin_order<Order, K>) {
    detail::sort_impl::around_nth(where, in, out, k, options_of<K>(order));
  } else {
    detail::sort_impl::require_sort(call, where, in, out, operand<const no_value>(), operand<no_value>());
    check_rank(call, k, in.size());
    if (where.kind() == backend::cpu || in.on_host()) {
      const context host = where.kind() == backend::cpu ? where : context::cpu();
      detail::sort_impl::bring(host, in, out);
      cpu::nth_element(host.device(), out.data(), out.size(), k, order);
    } else {
      detail::sort_impl::sorted(call, where, in, out, order);
    }
  }
}

template <class A, class B, class T, class Order>
void merged(const context& where, operand<const A> a, operand<const B> b, operand<T> out, const Order& order) {
  detail::sort_impl::require_merge(where, a, b, out);
  if constexpr (is_builtin_order<Order, T>) {
    auto p = detail::sort_impl::problem_of(primitive::merge, "merge", a, options_of<T>(order));
    p.in2 = b.where(), p.m = b.size(), p.out = out.where();
    execute(where, p, a.on_host());
  } else if (a.on_host() || where.kind() == backend::cpu) {
    // Copying to a device and back would take longer than the work.
    const context host = where.kind() == backend::cpu ? where : context::cpu();
    cpu::merge(host.device(), a.data(), a.size(), b.data(), b.size(), out.data(), core::callable_on_a_gpu(order));
  } else if (where.kind() == backend::opencl) {
    opencl::merge_two(where.device(), opencl::order_of<T>("merge", order), a.where(), a.size(), b.where(), b.size(),
                      out.where());
  } else {
#if defined(__CUDACC__)
    if constexpr (compared_by_nvcc<Order> && std::is_trivially_copyable_v<T>)
      return cuda::merge_by_comparing(where.device(), a.data(), a.size(), b.data(), b.size(), out.data(),
                                      core::callable_on_a_gpu(order));
#endif
    if constexpr (!compared_by_nvcc<Order> && cuda::has_order_source<T, Order>)
      return cuda::merge_jit(where.device(), cuda::order_jit<T>("merge", order), a.where(), a.size(), b.where(),
                             b.size(), out.where());
    core::require_trivial_copies<T>(where, "merge");
    core::throw_error(comparator_needs_nvcc("merge"));
  }
}

// Enqueued for device memory.
template <class T>
void find_break(const context& where, operand<const T> in, operand<std::uint64_t> count, const sort_options& options) {
  require_same_size("is_sorted_until", "there are # elements for the result and # result", count.size(), 1);
  require_reach("is_sorted_until", where, {{"the input", in}, {"the answer", count}});
  auto p = detail::sort_impl::problem_of(primitive::is_sorted, "is_sorted_until", in, options);
  p.count = count.where();
  execute(where, p, in.on_host());
}

template <class T, class Order>
std::uint64_t sorted_until(const context& where, operand<const T> in, const Order& order) {
  require_reach("is_sorted_until", where, {{"the input", in}});
  if constexpr (is_builtin_order<Order, T>) {
    std::uint64_t on_host = 0;
    const operand<std::uint64_t> count =
        in.on_host() ? operand<std::uint64_t>(std::span(&on_host, 1)) : counts_in_scratch(where);
    detail::sort_impl::find_break(where, in, count, options_of<T>(order));
    return in.on_host() ? on_host : fetch_count(where, count);
  } else if (where.kind() == backend::cpu) {
    return cpu::is_sorted_until(where.device(), in.data(), in.size(), order);
  } else if (in.on_host()) {
    return static_cast<std::uint64_t>(std::is_sorted_until(in.data(), in.data() + in.size(), order) - in.data());
  } else if (where.kind() == backend::opencl) {
    return opencl::first_break(where.device(), opencl::order_of<T>("is_sorted_until", order), in.where(), in.size());
  } else {
#if defined(__CUDACC__)
    if constexpr (compared_by_nvcc<Order>)
      return cuda::is_sorted_until(where.device(), in.data(), in.size(), core::callable_on_a_gpu(order));
#endif
    if constexpr (!compared_by_nvcc<Order> && cuda::has_order_source<T, Order>)
      return cuda::first_break_jit(where.device(), cuda::order_jit<T>("is_sorted_until", order), in.where(), in.size());
    core::throw_error(comparator_needs_nvcc("is_sorted_until"));
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::detail::sort_impl
