// Dispatch of axis.hpp's orders. Built-in orders go to this algorithm's variants. Comparators go to the backend's
// templates or, run-time compiled from device source, to a sort of all elements whose ranks are then sorted. On a
// device, host memory is copied as a whole.
#pragma once

#include "upsweep/axis_order/axis_order_by_ranks.hpp"
#include "upsweep/axis_order/axis_order_problem.hpp"
#include "upsweep/axis_order/cpu/axis_order_comparison.hpp"
#include "upsweep/sort/sort_dispatch.hpp"
#include "upsweep/sort/sort_implementation.hpp"
#if defined(__CUDACC__)
#include "upsweep/axis_order/axis_order_cuda.cuh"
#endif

namespace upsweep::detail::axis_order_impl {

using namespace core;
using detail::axis_impl::lines;
using detail::sort_impl::is_builtin_order;

inline namespace UPSWEEP_COMPILED {

template <class T>
problem problem_of(primitive what, const char* call, operand<const T> in, const lines& l, const sort_options& o) {
  static_assert(detail::sort_impl::has_builtin_order<T>,
                "upsweep: keys of this type have no built-in order; give a comparator, `bool operator()(const T& a, "
                "const T& b) const`");
  detail::sort_impl::check_bits(call, o.first_bit, o.last_bit, 8 * sizeof(T));
  problem p;
  p.what = what, p.type = detail::sort_impl::type_of_keys<T>(), p.in = in.where(), p.n = in.size(), p.along = l;
  p.descending = o.descending, p.first_bit = static_cast<std::uint8_t>(o.first_bit),
  p.last_bit = static_cast<std::uint8_t>(o.last_bit);
  return p;
}

inline void execute(const context& where, const problem& p, bool on_host) {
  on_host ? run_from_host(where, p) : detail::axis_order_impl::run(where, p);
}

template <class I>
constexpr void require_indices() {
  static_assert(std::is_integral_v<I> && (sizeof(I) == 4 || sizeof(I) == 8),
                "upsweep: indices are integers of 4 or 8 bytes");
}
template <class I>
void require_countable(const char* call, const lines& l) {
  if (sizeof(I) == 4 && l.length > std::uint64_t{1} << 32)
    core::throw_error(error(fault::bad_argument, call, std::to_string(l.length) + " keys have indices beyond 4 bytes",
                            "give indices of 8 bytes"));
}
template <class A, class B>
void require_one_side(const char* call, operand<A> a, operand<B> b) {
  if (a.on_host() != b.on_host())
    core::throw_error(error(fault::bad_argument, call,
                            "keys and output are in different memories, the device's and the host's",
                            "give both in the same memory"));
}

// The k first of each line by a user-defined comparison, and their indices in the line; either output may be absent. On
// CUDA `out` may be exactly `in`.
template <class T, class I, class Compare, class CompiledBy = this_compiler>
void order_by_comparing(const char* call, const context& where, operand<const T> in, const lines& l, std::uint64_t k,
                        operand<T> out, operand<I> indices, const Compare& compare) {
  if (where.kind() == backend::cpu) {
    const lines kept{l.outer, k, l.inner};
    cpu::for_each_order(where.device(), in.data(), l, compare, [&](std::uint64_t line, const auto* order) {
      for (std::uint64_t j = 0; j < k; ++j) {
        const std::uint64_t to = kept.place(line, j);
        if constexpr (std::is_copy_assignable_v<T>)
          if (out.size()) out[to] = in[l.place(line, order[j])];
        if (indices.size()) indices[to] = static_cast<I>(order[j]);
      }
    });
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    core::throw_error(needs_trivial_copies(call, where.kind()));
  } else if (in.on_host()) {
    const buffer<T> from(where, in.host());
    buffer<T> to(where, out.size());
    buffer<I> stood(where, indices.size());
    detail::axis_order_impl::order_by_comparing<T, I, Compare, CompiledBy>(call, where, from, l, k, to, stood, compare);
    if (out.size()) to.download(out.host());
    if (indices.size()) stood.download(indices.host());
  } else {
#if defined(__CUDACC__)
    if constexpr (detail::sort_impl::compared_by_nvcc<Compare>)
      if (where.kind() == backend::cuda)
        return cuda::order_lines(where.device(), in.data(), l, k, out.size() ? out.data() : nullptr,
                                 indices.size() ? indices.data() : nullptr, compare);
#endif
    if (in.size() == 0 || k == 0) return;
    if constexpr (!cuda::has_order_source<T, Compare>) {
      core::throw_error(where.kind() == backend::opencl ? detail::sort_impl::comparator_needs_source(call)
                                                        : detail::sort_impl::comparator_needs_nvcc(call));
    } else {
      const keys_in_order all = space_for_order(where.device(), in.size(), sizeof(T));
      detail::sort_impl::compare_with_places(where, call, in, operand<T>(all.keys, in.size(), false),
                                             operand<std::uint64_t>(all.places, in.size(), false), compare);
      order_by_ranks(where.device(), all, l, k, out.size() ? out.where() : memory{},
                     indices.size() ? indices.where() : memory{}, sizeof(I));
    }
  }
}

template <class T, class U, class Order>
void sorted(const context& where, operand<const T> in, const lines_along& which, operand<U> out, const Order& order) {
  const char* const call = "sort_along";
  static_assert(std::is_same_v<T, U>, "upsweep: sort_along writes keys of the type that it reads");
  const lines l = which.of(call, in.size());
  require_same_size(call, "there are # keys and # output elements", in.size(), out.size());
  require_no_overlap(call, where, {{"the input", in}, {"the output", out}}, 1);
  detail::axis_order_impl::require_one_side(call, in, out);
  if constexpr (is_builtin_order<Order, T>) {
    auto p =
        detail::axis_order_impl::problem_of(primitive::axis_sort, call, in, l, detail::sort_impl::options_of<T>(order));
    p.out = out.where();
    execute(where, p, in.on_host());
  } else if (where.kind() == backend::cpu) {
    detail::sort_impl::bring(where, in, out);
    cpu::sort_lines(where.device(), out.data(), l, order);
  } else {
    detail::axis_order_impl::order_by_comparing(call, where, in, l, l.length, out, operand<std::uint64_t>(), order);
  }
}

template <class T, class I, class Order>
void argsorted(const context& where, operand<const T> in, const lines_along& which, operand<I> indices,
               const Order& order) {
  const char* const call = "argsort_along";
  detail::axis_order_impl::require_indices<I>();
  const lines l = which.of(call, in.size());
  require_same_size(call, "there are # keys and # elements for indices", in.size(), indices.size());
  detail::axis_order_impl::require_countable<I>(call, l);
  require_no_overlap(call, where, {{"the keys", in}, {"the indices", indices}});
  detail::axis_order_impl::require_one_side(call, in, indices);
  if constexpr (is_builtin_order<Order, T>) {
    auto p = detail::axis_order_impl::problem_of(primitive::axis_argsort, call, in, l,
                                                 detail::sort_impl::options_of<T>(order));
    p.out2 = indices.where(), p.index_bytes = sizeof(I);
    execute(where, p, in.on_host());
  } else {
    detail::axis_order_impl::order_by_comparing(call, where, in, l, l.length, operand<T>(), indices, order);
  }
}

template <class T, class U, class I, class Order>
void top(const context& where, operand<const T> in, const lines_along& which, std::uint64_t k, operand<U> out,
         operand<I> indices, bool with_indices, const Order& order) {
  const char* const call = "top_k_along";
  static_assert(std::is_same_v<T, U>, "upsweep: top_k_along writes keys of the type that it reads");
  detail::axis_order_impl::require_indices<I>();
  const lines l = which.of(call, in.size());
  require_capacity(
      call, l.length, k,
      [&] { return std::to_string(k) + " keys are requested from lines of " + std::to_string(l.length); },
      "request at most that number");
  require_same_size(call, "there are # keys to write and # output elements", l.count() * k, out.size(),
                    "give k output elements for each line");
  if (with_indices)
    require_same_size(call, "there are # indices to write and # output elements", l.count() * k, indices.size(),
                      "give k output elements for each line");
  detail::axis_order_impl::require_countable<I>(call, l);
  require_no_overlap(call, where, {{"the keys", in}, {"the keys' output", out}, {"the indices", indices}});
  detail::axis_order_impl::require_one_side(call, in, out);
  if (with_indices) detail::axis_order_impl::require_one_side(call, in, indices);
  if constexpr (is_builtin_order<Order, T>) {
    auto p = detail::axis_order_impl::problem_of(primitive::axis_top_k, call, in, l,
                                                 detail::sort_impl::options_of<T>(order));
    p.k = k, p.out = out.where(), p.index_bytes = sizeof(I);
    if (with_indices) p.out2 = indices.where();
    execute(where, p, in.on_host());
  } else {
    detail::axis_order_impl::order_by_comparing(call, where, in, l, k, out, indices, order);
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::detail::axis_order_impl
