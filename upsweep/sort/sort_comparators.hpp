// Orders: the built-in ones, and user-defined comparators, which run where the backend's templates are compiled.
#pragma once

#include <functional>

#include "upsweep/core/operands.hpp"
#include "upsweep/core/user_call.hpp"
#include "upsweep/sort/cpu/sort_cpu.hpp"
#include "upsweep/sort/cpu/sort_ranks_by.hpp"
#include "upsweep/sort/jit/sort_jit.hpp"
#include "upsweep/sort/sort_chunks.hpp"
#if defined(__CUDACC__)
#include "upsweep/sort/cuda/sort_compare.cuh"
#endif

namespace upsweep {

struct sort_options {
  bool descending = false;
  unsigned first_bit = 0, last_bit = 0;
};

namespace detail::sort_impl {

using namespace core;

// Keys that are sorted by their digits: the built-in types, and bool as a number.
template <class T>
inline constexpr bool has_builtin_order = builtin_type<T> || std::is_same_v<T, bool>;
template <class T>
constexpr dtype type_of_keys() {
  if constexpr (std::is_same_v<T, bool>) {
    return dtype::u8;
  } else {
    return dtype_of<T>;
  }
}

// std::less and std::greater of them.
template <class C, class T>
inline constexpr bool is_less =
    has_builtin_order<T> &&
    (std::is_same_v<C, std::less<>> || std::is_same_v<C, std::less<T>> || std::is_same_v<C, std::ranges::less>);
template <class C, class T>
inline constexpr bool is_greater =
    has_builtin_order<T> && (std::is_same_v<C, std::greater<>> || std::is_same_v<C, std::greater<T>> ||
                             std::is_same_v<C, std::ranges::greater>);

// An order is given by options, or by a comparator.
template <class Order, class T>
inline constexpr bool is_builtin_order =
    std::is_same_v<Order, sort_options> || is_less<Order, T> || is_greater<Order, T>;

template <class T, class Order>
sort_options options_of(const Order& order) {
  if constexpr (std::is_same_v<Order, sort_options>) {
    return order;
  } else {
    return {.descending = is_greater<Order, T>};
  }
}

inline error comparator_needs_nvcc(const char* call) {
  return {fault::unsupported, call,
          "a comparator of your own runs on CUDA by its device source, or only where nvcc compiles the call",
          "give it and its element type their device source (upsweep/jit/jit.hpp), or move the call into a "
          ".cu file"};
}

inline error comparator_needs_source(const char* call) {
  return {fault::unsupported, call, "a comparator of your own runs on OpenCL by its device source",
          "give it and its element type their device source (upsweep/jit/jit.hpp), or use a CPU context"};
}

struct no_value {};

inline namespace UPSWEEP_COMPILED {

// Whether nvcc compiles the comparison here; it cannot call a comparison that is only device source.
#if defined(__CUDACC__)
template <class Compare>
inline constexpr bool compared_by_nvcc = !opencl::is_only_source<Compare>;
#else
template <class>
inline constexpr bool compared_by_nvcc = false;
#endif

template <class T>
void bring(const context& where, operand<const T> from, operand<T> to) {
  if (from.where().base == to.where().base && from.where().offset == to.where().offset) return;
  if constexpr (!std::is_copy_assignable_v<T>) {
    core::throw_error(error(fault::bad_argument, "sort", "elements that cannot be copied are sorted in place",
                            "give no output of its own"));
  } else if (from.on_host() || !std::is_trivially_copyable_v<T>) {
    std::copy_n(from.data(), from.size(), to.data());
  } else if (from.size() != 0) {
    where.device().copy(to.where(), from.where(), from.bytes());
  }
}

// On the device's memory, with or without values. The input may be exactly the output.
template <class K, class V, class Compare, class CompiledBy>
void sort_on_device(const context& where, const char* call, operand<const K> in, operand<K> keys,
                    operand<const V> values_in, operand<V> values, const Compare& compare) {
  const std::uint64_t n = keys.size();
  if (where.kind() != backend::cuda) {
    detail::sort_impl::bring(where, in, keys);
    if constexpr (!std::is_same_v<V, no_value>) detail::sort_impl::bring(where, values_in, values);
  }
  switch (where.kind()) {
    case backend::cpu: {
      if (values.data()) {
        cpu::stable_sort_by_key(where.device(), keys.data(), values.data(), n, compare);
      } else {
        cpu::stable_sort(where.device(), keys.data(), n, compare);
      }
      if (where.checked() && !checking) cpu::require_order(keys.data(), n, compare, call);
      return;
    }
    case backend::opencl: {
      opencl::merge_problem p;
      p.n = n, p.in = p.out = keys.where(), p.checked = core::is_checked(where);
      if constexpr (!std::is_same_v<V, no_value>)
        p.value_bytes = sizeof(V), p.values_in = p.values_out = values.where();
      return opencl::merge_sort(where.device(), opencl::order_of<K>(call, compare), p);
    }
    case backend::cuda: break;
  }
#if defined(__CUDACC__)
  if constexpr (compared_by_nvcc<Compare> && std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>)
    return cuda::stable_sort_by_key(where.device(), in.data(), keys.data(), values_in.data(), values.data(), n,
                                    core::callable_on_a_gpu(compare), call, where.checked());
#endif
  if constexpr (!compared_by_nvcc<Compare> && cuda::has_order_source<K, Compare>) {
    opencl::merge_problem p;
    p.n = n, p.in = in.where(), p.out = keys.where(), p.checked = core::is_checked(where);
    if constexpr (!std::is_same_v<V, no_value>)
      p.value_bytes = sizeof(V), p.values_in = values_in.where(), p.values_out = values.where();
    return cuda::sort_jit(where.device(), cuda::order_jit<K>(call, compare), p);
  }
  core::require_trivial_copies<K, V>(where, call);
  core::throw_error(comparator_needs_nvcc(call));
}

// For host memory that the device cannot read: sorts in chunks and merges them on the host.
template <class K, class V, class Compare, class CompiledBy>
void sort_in_chunks(const context& where, const char* call, operand<K> keys, operand<V> values, const Compare& compare,
                    std::uint64_t chunk = 0) {
  require_trivial_copies<K, V>(where, call);
  if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>) {
    const bool with_values = values.data() != nullptr;
    const std::uint64_t n = keys.size();
    if (chunk == 0) chunk = chunk_elements(where.device(), n, sizeof(K) + (with_values ? sizeof(V) : 0));
    std::vector<std::uint64_t> bounds{0};
    buffer<K> buffer_of_keys(where, (std::min)(chunk, n));
    buffer<V> buffer_of_values(where, with_values ? (std::min)(chunk, n) : 0);
    const operand<K> keys_there = buffer_of_keys.span();
    const operand<V> values_there = buffer_of_values.span();
    core::for_each_chunk_of(chunk, n, [&](std::uint64_t first, std::uint64_t count) {
      core::upload(where, keys_there, operand<const K>(keys.part(first, count)));
      if (with_values) core::upload(where, values_there, operand<const V>(values.part(first, count)));
      const operand<K> these = keys_there.part(0, count);
      const operand<V> with_these = with_values ? values_there.part(0, count) : values_there;
      detail::sort_impl::sort_on_device<K, V, Compare, CompiledBy>(where, call, operand<const K>(these), these,
                                                                   operand<const V>(with_these), with_these, compare);
      core::download(where, keys.part(first, count), keys_there);
      if (with_values) core::download(where, values.part(first, count), values_there);
      bounds.push_back(first + count);
    });
    merge_runs(keys.data(), values.data(), bounds, compare);
  }
}

template <class K, class V, class Compare, class CompiledBy = this_compiler>
void sort_by_comparing(const context& where, const char* call, operand<const K> in, operand<K> out,
                       operand<const V> values, operand<V> values_out, const Compare& compare) {
  if (where.kind() == backend::opencl) {
    require_trivial_copies<K, V>(where, call);
    opencl::order_of<K>(call, compare);  // rejects a comparator without device source before anything is written
  }
  if (in.accessible_from(where)) {
    detail::sort_impl::sort_on_device<K, V, Compare, CompiledBy>(where, call, in, out, values, values_out, compare);
  } else {
    detail::sort_impl::bring(where, in, out);
    if constexpr (!std::is_same_v<V, no_value>) detail::sort_impl::bring(where, values, values_out);
    detail::sort_impl::sort_in_chunks<K, V, Compare, CompiledBy>(where, call, out, values_out, compare);
  }
}

}  // namespace UPSWEEP_COMPILED

}  // namespace detail::sort_impl

}  // namespace upsweep
