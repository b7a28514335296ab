// Dispatch of compact.hpp's unique, unique_count and group_by, user-defined equalities included.
#pragma once

#include "upsweep/compact/compact_dispatch.hpp"

namespace upsweep::detail::compact_impl {

template <class X, class Equal>
constexpr bool require_equality() {
  core::require_input<X>();
  if constexpr (readable_input<X>)
    return core::require_equality<value_of<X>, Equal>();
  else
    return false;
}

template <class X, class Equal>
auto run_question_of(const upsweep::device& d, const char* call, const X& x, const Equal& equal) {
  const auto in = detail::compact_impl::read_by_index(d, call, x);
  return begins_run<std::remove_const_t<decltype(in)>, Equal>{in, equal};
}

// For operands that no variant of this algorithm takes: calls `move` for the first element of each run.
template <class By, class X, class Equal, class Move>
void each_run(const context& where, const char* call, const X& in, const Equal& equal, std::uint64_t capacity,
              operand<std::uint64_t> count, const Move& move) {
  const std::uint64_t n = core::elements_in(in);
  if (where.kind() == backend::cpu) {
    const cpu::answers asked(where.device(), n, detail::compact_impl::run_question_of(where.device(), call, in, equal));
    *count.data() = asked.kept();
    if (asked.kept() <= capacity) asked.move_kept(move);
  } else if constexpr (!std::is_trivially_copyable_v<value_of<X>>) {
    core::throw_error(needs_trivial_copies(call, where.kind()));
  } else {
    if (where.kind() == backend::opencl)
      core::throw_error(core::made_elsewhere(call, backend::opencl));  // source-only operands were handled before
#if defined(__CUDACC__)
    if constexpr (!core::is_only_source<Equal> && !core::is_only_source_view<X>)
      return cuda::part_by(where.device(), n, detail::compact_impl::run_question_of(where.device(), call, in, equal),
                           count.data(), move);
#endif
    core::throw_error(needs_nvcc("compact", call, true));
  }
}

// On a device, for elements in memory and an equality with device source; returns whether it ran. `moved` lists the
// arrays to move: the elements, then the values next to them; or, without an input, only indices; or nothing. The
// first template argument is the type of these values.
template <class Beside, class X, class Equal>
bool selected_jit(const context& where, const char* call, const X& in, const Equal& equal, operand<std::uint64_t> count,
                  std::initializer_list<opencl::moved_elements> moved) {
  if (!in_memory<X>) return false;
#if defined(__CUDACC__)
  constexpr bool by_nvcc = !opencl::is_only_source<Equal>;
#else
  constexpr bool by_nvcc = false;
#endif
  if (where.kind() == backend::cuda) {
    if constexpr (!by_nvcc && in_memory<X>)
      if constexpr (opencl::has_type_source<value_of<X>> && opencl::has_source<Equal>) {
        cuda::kept_question& question = cuda::neighbours_jit<value_of<X>, Beside>(call, equal);
        cuda::beside_selected beside;
        memory out;
        for (const opencl::moved_elements& m : moved)
          if (&m == moved.begin() && m.in.base != nullptr) {
            out = m.out;
          } else {
            beside.moved = m;
            if constexpr (!std::is_void_v<Beside>) beside.align = alignof(Beside);
          }
        cuda::select_by(where.device(),
                        {call, question.asked, detail::compact_impl::operand_of(in).where(), core::elements_in(in),
                         detail::select_impl::selection::unique, count.where()},
                        out, {}, &question.made, beside);
        return true;
      }
    return false;
  }
  if (where.kind() != backend::opencl) return false;
  opencl::select_by(
      where.device(),
      {call, opencl::ask_neighbours<value_of<X>>(call, equal), detail::compact_impl::operand_of(in).where(),
       core::elements_in(in), detail::select_impl::selection::unique, count.where()},
      moved);
  return true;
}

// --- unique ---

template <class By, class X, class T, class Equal>
void unique(const context& where, const X& in, operand<T> out, operand<std::uint64_t> count, const Equal& equal) {
  const char* const call = "unique";
  if constexpr (detail::compact_impl::require_equality<X, Equal>()) {
    if constexpr (core::can_materialize_jit<X>) {
      if (core::must_materialize_jit<X>(where))
        return detail::compact_impl::unique<By>(where, core::materialize_jit(where, call, "compact/made", in), out,
                                                count, equal);
    }
    require_capacity(call, "the count", count.size(), 1);
    require_no_overlap(
        call, where, {{"the input", detail::compact_impl::operand_of(in)}, {"the output", out}, {"the count", count}});
    if (where.kind() != backend::cpu) require_capacity(call, "the output", out.size(), core::elements_in(in));
    if (detail::compact_impl::selected_jit<void>(
            where, call, in, equal, count, {{detail::compact_impl::operand_of(in).where(), out.where(), sizeof(T)}}))
      return;
    const auto from = detail::compact_impl::read_by_index(where.device(), call, in);
    detail::compact_impl::each_run<By>(where, call, in, equal, out.size(), count,
                                       copies<std::remove_const_t<decltype(from)>, T>{from, out.data()});
    if (where.kind() == backend::cpu) detail::compact_impl::require_kept(call, "the output", *count.data(), out.size());
  }
}

template <class By, class K, class V, class T, class W, class Equal>
void unique_by_key(const context& where, const K& keys, const V& values, operand<T> keys_out, operand<W> values_out,
                   operand<std::uint64_t> count, const Equal& equal) {
  const char* const call = "unique_by_key";
  if constexpr (detail::compact_impl::require_equality<K, Equal>()) {
    if constexpr (core::can_materialize_jit<K, V>) {
      if (core::must_materialize_jit<K, V>(where))
        return detail::compact_impl::unique_by_key<By>(
            where, core::materialize_jit(where, call, "compact/made", keys),
            core::materialize_jit(where, call, "compact/made values", values), keys_out, values_out, count, equal);
    }
    core::require_input<V>();
    static_assert(std::is_same_v<value_of<K>, T> && std::is_same_v<value_of<V>, W>,
                  "upsweep: the outputs must have the types of the keys and of the values");
    require_same_size(call, "the keys have # elements and the values #", core::elements_in(keys),
                      core::elements_in(values));
    require_capacity(call, "the count", count.size(), 1);
    require_no_overlap(call, where,
                       {{"the keys", detail::compact_impl::operand_of(keys)},
                        {"the values", detail::compact_impl::operand_of(values)},
                        {"the keys' output", keys_out},
                        {"the values' output", values_out},
                        {"the count", count}});
    if (where.kind() != backend::cpu) {
      require_trivial_copies<W>(where, call);
      require_capacity(call, "the keys' output", keys_out.size(), core::elements_in(keys));
      require_capacity(call, "the values' output", values_out.size(), core::elements_in(keys));
    }
    if constexpr (in_memory<V>)
      if (detail::compact_impl::selected_jit<W>(
              where, call, keys, equal, count,
              {{detail::compact_impl::operand_of(keys).where(), keys_out.where(), sizeof(T)},
               {core::read_operand(values).where(), values_out.where(), sizeof(W)}}))
        return;
    const std::uint64_t capacity = (std::min)(keys_out.size(), values_out.size());
    const auto from = detail::compact_impl::read_by_index(where.device(), call, keys);
    const auto beside = detail::compact_impl::read_by_index(where.device(), call, values);
    detail::compact_impl::each_run<By>(
        where, call, keys, equal, capacity, count,
        copies_pair<std::remove_const_t<decltype(from)>, std::remove_const_t<decltype(beside)>, T, W>{
            from, beside, keys_out.data(), values_out.data()});
    if (where.kind() == backend::cpu) detail::compact_impl::require_kept(call, "the outputs", *count.data(), capacity);
  }
}

// --- where runs begin ---

struct place_of_each {};  // the values next to the elements

// offsets[runs] = n
struct ends_offsets {
  std::uint64_t* offsets;
  const std::uint64_t* count;
  std::uint64_t n;
  UPSWEEP_HD void operator()(std::uint64_t) const { offsets[*count] = n; }
};

template <class By, class X, class Equal>
void offsets_of_runs(const context& where, const X& in, operand<std::uint64_t> offsets, operand<std::uint64_t> count,
                     const Equal& equal) {
  const char* const call = "group_by";
  if constexpr (detail::compact_impl::require_equality<X, Equal>()) {
    if constexpr (core::can_materialize_jit<X>) {
      if (core::must_materialize_jit<X>(where))
        return detail::compact_impl::offsets_of_runs<By>(where, core::materialize_jit(where, call, "compact/made", in),
                                                         offsets, count, equal);
    }
    const std::uint64_t n = core::elements_in(in);
    require_capacity(call, "the count", count.size(), 1);
    require_capacity(call, "the offsets", offsets.size(), where.kind() == backend::cpu ? 1 : n + 1);
    require_no_overlap(
        call, where,
        {{"the input", detail::compact_impl::operand_of(in)}, {"the offsets", offsets}, {"the count", count}});
    if constexpr (in_memory<X> && builtin_type<value_of<X>> && std::is_same_v<Equal, equals>) {
      problem p;
      p.what = primitive::run_offsets, p.type = dtype_of<value_of<X>>, p.n = n, p.capacity = offsets.size();
      p.in = core::read_operand(in).where(), p.out = offsets.where(), p.count = count.where();
      detail::compact_impl::run(where, p);
    } else if (detail::compact_impl::selected_jit<place_of_each>(where, call, in, equal, count,
                                                                 {{{}, offsets.where(), sizeof(std::uint64_t)}})) {
      where.kind() == backend::cuda ? cuda::end_offsets(where.device(), offsets.where(), count.where(), n)
                                    : opencl::end_offsets(where.device(), offsets.where(), count.where(), n);
    } else {
      detail::compact_impl::each_run<By>(where, call, in, equal, offsets.size() - 1, count,
                                         notes_place{offsets.data()});
      const ends_offsets end{offsets.data(), count.data(), n};
      if (where.kind() == backend::cpu) {
        if (*count.data() < offsets.size()) end(0);
      } else {
#if defined(__CUDACC__)
        cuda::for_each_index(where.device(), 1, end);
#endif
      }
    }
    if (where.kind() == backend::cpu)
      detail::compact_impl::require_kept(call, "the offsets, and one more", *count.data(), offsets.size() - 1);
  }
}

template <class By, class X, class Equal>
std::uint64_t runs_in(const context& asked, const X& in, const Equal& equal) {
  if constexpr (detail::compact_impl::require_equality<X, Equal>()) {
    const context where =
        memory_space_of<X> == memory_space::device || asked.kind() == backend::cpu ? asked : context::cpu();
    if constexpr (core::can_materialize_jit<X> && memory_space_of<X> == memory_space::device) {
      if (core::must_materialize_jit<X>(where))
        return detail::compact_impl::runs_in<By>(
            where, core::materialize_jit(where, "unique_count", "compact/made", in), equal);
    }
    return detail::compact_impl::returned_count(where, [&](operand<std::uint64_t> count) {
      if constexpr (in_memory<X> && builtin_type<value_of<X>> && std::is_same_v<Equal, equals>) {
        if (where.kind() != backend::cpu) {
          const std::uint64_t n = core::elements_in(in), bytes = std::max<std::uint64_t>(n * sizeof(value_of<X>), 16);
          const operand<value_of<X>> firsts(where.device().scratch("compact/firsts", bytes), n, false);
          return detail::select_impl::unique<value_of<X>, By>(where, core::read_operand(in), firsts, count);
        }
      }
      if (detail::compact_impl::selected_jit<void>(where, "unique_count", in, equal, count, {})) return;
      detail::compact_impl::each_run<By>(where, "unique_count", in, equal, ~std::uint64_t{0}, count, nothing{});
    });
  } else {
    return {};
  }
}

}  // namespace upsweep::detail::compact_impl
