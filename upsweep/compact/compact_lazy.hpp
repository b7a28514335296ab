// Selection overloads for lazy inputs and outputs. A selected element is evaluated twice: for the predicate and for the
// copy.
#pragma once

#include <array>

#include "upsweep/compact.hpp"
#include "upsweep/core/no_overload.hpp"
#include "upsweep/core/user_call.hpp"
#include "upsweep/outputs.hpp"
#include "upsweep/sort/sort_lazy.hpp"

namespace upsweep {

namespace detail::compact_impl {

template <class From, class To>
struct puts {
  From from;
  To to;
  UPSWEEP_HD void operator()(std::uint64_t i, std::uint64_t place) const { to[place] = from[i]; }
};
// Output position after the preceding classes, whose sizes are known when this runs.
template <class From, class To>
struct puts_behind {
  From from;
  To to;
  const std::uint64_t* before;
  unsigned classes;
  UPSWEEP_HD void operator()(std::uint64_t i, std::uint64_t place) const {
    for (unsigned c = 0; c < classes; ++c) place += before[c];
    to[place] = from[i];
  }
};
template <class First, class Second>
struct puts_both {
  First first;
  Second second;
  UPSWEEP_HD void operator()(std::uint64_t i, std::uint64_t place) const {
    first(i, place);
    second(i, place);
  }
};
template <class From, class To>
puts(From, To) -> puts<From, To>;

struct is_set {
  static constexpr const char* source = "x != 0";
  template <class T>
  UPSWEEP_HD bool operator()(const T& x) const {
    return static_cast<bool>(x);
  }
};

// Whether x[i] is of the second class: it fails the first test and passes the other. Third class: it fails both.
template <class X, class First, class Second>
struct in_class {
  X x;
  First first;
  Second second;
  bool passes_second;
  UPSWEEP_HD bool operator()(std::uint64_t i) const {
    return !static_cast<bool>(core::call(first, x[i])) && static_cast<bool>(core::call(second, x[i])) == passes_second;
  }
};

// Calls kept(i, place) where keep(i), and others(i, place) otherwise; nothing where the capacity is too small.
template <class By, class Keep, class Kept, class Others = nothing>
void part_made(const context& where, const char* call, std::uint64_t n, const Keep& keep, std::uint64_t* count,
               std::uint64_t capacity, const Kept& kept, std::uint64_t other_capacity = ~std::uint64_t{0},
               const Others& others = {}) {
  if (where.kind() == backend::cpu) {
    const cpu::answers asked(where.device(), n, keep);
    *count = asked.kept();
    detail::compact_impl::require_kept(call, "the output", asked.kept(), capacity);
    detail::compact_impl::require_kept(call, "the others' output", n - asked.kept(), other_capacity);
    asked.move_kept(kept);
    if constexpr (!std::same_as<Others, nothing>) asked.move_others(others);
    return;
  }
  require_capacity(call, "the output", capacity, n);
  require_capacity(call, "the others' output", other_capacity, n);
#if defined(__CUDACC__)
  if constexpr (!core::is_only_source<Keep> && !core::is_only_source<Kept> && !core::is_only_source<Others>)
    if (where.kind() == backend::cuda) return cuda::part_by(where.device(), n, keep, count, kept, others);
#endif
  core::throw_error(made_elsewhere(call, where.kind()));
}

// Whether the forms for memory apply: outputs in memory, of their inputs' types, and inputs that are run-time compiled.
template <class Y, class X>
constexpr bool keeps_own() {
  if constexpr (operands<Y>)
    return std::same_as<element_of<Y>, value_of<X>>;
  else
    return false;
}
inline device_span<std::uint64_t> span_of(operand<std::uint64_t> count) { return {count.where(), count.size()}; }

template <class X, class Test, class By, class Y>
void copy_made_if(const context& where, const char* call, const X& in, Y& out, operand<std::uint64_t> count,
                  const Test& test) {
  if constexpr (detail::compact_impl::require_question<X, Test>()) {
    if constexpr (core::takes<value_of<X>, Y>()) {
      require_capacity(call, "the count", count.size(), 1);
      auto to = core::memory_of(out), none = to;
      none = {};
      detail::compact_impl::require_places(call, where, in, test, to, none, count);
      if constexpr (detail::compact_impl::keeps_own<Y, X>() &&
                    detail::compact_impl::can_materialize_inputs_jit<X, Test>()) {
        if (detail::compact_impl::must_materialize_inputs_jit<X, Test>(where)) {
          require_capacity(call, "the output", core::capacity_of(out), core::elements_in(in));
          return detail::compact_impl::part<By>(where, call, into::kept_alone, in, core::written_operand(out), {},
                                                count, test, false);
        }
      }
      detail::compact_impl::part_made<By>(
          where, call, core::elements_in(in), detail::compact_impl::question_of(where.device(), call, in, test, false),
          count.data(), core::capacity_of(out),
          puts{detail::compact_impl::read_by_index(where.device(), call, in), core::places_of(out)});
    }
  }
}

// Elements that pass go to `out`, all others after them.
template <class By, class X, class T, class Test>
void partition_made(const context& where, const X& in, operand<T> out, operand<std::uint64_t> count, const Test& test) {
  detail::compact_impl::parted<By>(where, "partition", into::one_output, in, out, {}, count, test, false);
}

template <class By, class X, class T, class First, class Second>
void partition3_made(const context& where, const X& in, operand<T> out, operand<std::uint64_t> counts,
                     const First& first, const Second& second) {
  const char* const call = "three_way_partition";
  if constexpr (detail::compact_impl::require_question<X, First>() &&
                detail::compact_impl::require_question<X, Second>() && core::require_own_type<value_of<X>, T>()) {
    const std::uint64_t n = core::elements_in(in);
    require_same_size(call, "the elements of the input have # elements and the output #", n, out.size());
    require_capacity(call, "the counts' span", counts.size(), 2);
    require_no_overlap(call, where,
                       {{"the input", core::memory_read(in)}, {"the output", out}, {"the counts", counts}});
    if constexpr (core::can_materialize_jit<X>) {
      if (core::must_materialize_jit<X>(where))
        return upsweep::three_way_partition(where, core::materialize_jit(where, call, "compact/made", in),
                                            device_span<T>(out.where(), out.size()),
                                            detail::compact_impl::span_of(counts), first, second);
    }
    const auto from = detail::compact_impl::read_by_index(where.device(), call, in);
    using at = std::remove_const_t<decltype(from)>;
    using behind = puts_behind<at, T*>;
    using classes = in_class<at, First, Second>;
    std::uint64_t last = 0;
    std::uint64_t* const rest =
        where.kind() == backend::cpu ? &last : where.device().scratch("compact/rest", 16).template as<std::uint64_t>();
    detail::compact_impl::part_made<By>(where, call, n, passes<at, First>{from, first, false}, counts.data(), n,
                                        puts<at, T*>{from, out.data()});
    detail::compact_impl::part_made<By>(where, call, n, classes{from, first, second, true}, counts.data() + 1, n,
                                        behind{from, out.data(), counts.data(), 1});
    detail::compact_impl::part_made<By>(where, call, n, classes{from, first, second, false}, rest, n,
                                        behind{from, out.data(), counts.data(), 2});
  }
}

template <class By, class X, class Y, class Equal>
void unique_made(const context& where, const X& in, Y& out, operand<std::uint64_t> count, const Equal& equal) {
  const char* const call = "unique";
  if constexpr (detail::compact_impl::require_equality<X, Equal>()) {
    if constexpr (core::takes<value_of<X>, Y>()) {
      require_capacity(call, "the count", count.size(), 1);
      require_no_overlap(
          call, where,
          {{"the input", core::memory_read(in)}, {"the output", core::memory_of(out)}, {"the count", count}});
      if constexpr (detail::compact_impl::keeps_own<Y, X>() && core::can_materialize_jit<X>) {
        if (core::must_materialize_jit<X>(where))
          return upsweep::unique(where, core::materialize_jit(where, call, "compact/made", in), out,
                                 detail::compact_impl::span_of(count));
      }
      detail::compact_impl::part_made<By>(
          where, call, core::elements_in(in), detail::compact_impl::run_question_of(where.device(), call, in, equal),
          count.data(), core::capacity_of(out),
          puts{detail::compact_impl::read_by_index(where.device(), call, in), core::places_of(out)});
    }
  }
}

template <class By, class K, class V, class KOut, class VOut, class Equal>
void unique_made_by_key(const context& where, const K& keys, const V& values, KOut& keys_out, VOut& values_out,
                        operand<std::uint64_t> count, const Equal& equal) {
  const char* const call = "unique_by_key";
  if constexpr (detail::compact_impl::require_equality<K, Equal>()) {
    if constexpr (core::takes<value_of<K>, KOut>() && core::takes<value_of<V>, VOut>()) {
      require_same_size(call, "the keys have # elements and the values #", core::elements_in(keys),
                        core::elements_in(values));
      require_capacity(call, "the count", count.size(), 1);
      require_no_overlap(call, where,
                         {{"the keys", core::memory_read(keys)},
                          {"the values", core::memory_read(values)},
                          {"the keys' output", core::memory_of(keys_out)},
                          {"the values' output", core::memory_of(values_out)},
                          {"the count", count}});
      if constexpr (detail::compact_impl::keeps_own<KOut, K>() && detail::compact_impl::keeps_own<VOut, V>() &&
                    core::can_materialize_jit<K, V>) {
        if (core::must_materialize_jit<K, V>(where))
          return upsweep::unique_by_key(where, core::materialize_jit(where, call, "compact/made", keys),
                                        core::materialize_jit(where, call, "compact/made values", values), keys_out,
                                        values_out, detail::compact_impl::span_of(count));
      }
      const puts first{detail::compact_impl::read_by_index(where.device(), call, keys), core::places_of(keys_out)};
      const puts second{detail::compact_impl::read_by_index(where.device(), call, values), core::places_of(values_out)};
      detail::compact_impl::part_made<By>(
          where, call, core::elements_in(keys),
          detail::compact_impl::run_question_of(where.device(), call, keys, equal), count.data(),
          (std::min)(core::capacity_of(keys_out), core::capacity_of(values_out)),
          puts_both<std::remove_const_t<decltype(first)>, std::remove_const_t<decltype(second)>>{first, second});
    }
  }
}

template <class By, class X, class Y, class Z, class Test>
void part_made_in_two(const context& where, const X& in, Y& passed, Z& others, operand<std::uint64_t> count,
                      const Test& test) {
  const char* const call = "partition_copy";
  if constexpr (detail::compact_impl::require_question<X, Test>()) {
    if constexpr (core::takes<value_of<X>, Y>() && core::takes<value_of<X>, Z>()) {
      const std::uint64_t n = core::elements_in(in);
      require_same_size(call, "there are # elements and the stencil has #", n, detail::compact_impl::asked_in(test, n));
      require_capacity(call, "the count", count.size(), 1);
      require_no_overlap(call, where,
                         {{"the input", core::memory_read(in)},
                          {"the output", core::memory_of(passed)},
                          {"the others' output", core::memory_of(others)},
                          {"the count", count}});
      const auto from = detail::compact_impl::read_by_index(where.device(), call, in);
      const puts first{from, core::places_of(passed)};
      const puts second{from, core::places_of(others)};
      detail::compact_impl::part_made<By>(
          where, call, n, detail::compact_impl::question_of(where.device(), call, in, test, false), count.data(),
          core::capacity_of(passed), first, core::capacity_of(others), second);
    }
  }
}

// lengths[r] = the distance from starts[r] to the start of the next run, or to the end.
template <class L>
struct length_of_run {
  const std::uint64_t *starts, *count;
  std::uint64_t n;
  L lengths;
  UPSWEEP_HD void operator()(std::uint64_t r) const {
    if (r < *count) lengths[r] = (r + 1 < *count ? starts[r + 1] : n) - starts[r];
  }
};

template <class By, class X, class Y, class L>
void encode_made(const context& where, const X& in, Y& out, L& lengths, operand<std::uint64_t> count) {
  const char* const call = "run_length_encode";
  if constexpr (detail::compact_impl::require_equality<X, equals>()) {
    if constexpr (core::takes<value_of<X>, Y>() && core::takes<std::uint64_t, L>()) {
      const std::uint64_t n = core::elements_in(in);
      require_capacity(call, "the count", count.size(), 1);
      require_no_overlap(call, where,
                         {{"the input", core::memory_read(in)},
                          {"the output", core::memory_of(out)},
                          {"the lengths", core::memory_of(lengths)},
                          {"the count", count}});
      if constexpr (detail::compact_impl::keeps_own<Y, X>() && operands<L> && core::can_materialize_jit<X>) {
        if (core::must_materialize_jit<X>(where))
          return upsweep::run_length_encode(where, core::materialize_jit(where, call, "compact/made", in), out, lengths,
                                            detail::compact_impl::span_of(count));
      }
      const std::uint64_t capacity = (std::min)(core::capacity_of(out), core::capacity_of(lengths));
      const auto question = detail::compact_impl::run_question_of(where.device(), call, in, equals{});
      const puts first{detail::compact_impl::read_by_index(where.device(), call, in), core::places_of(out)};
      using both = puts_both<std::remove_const_t<decltype(first)>, notes_place>;
      using length = length_of_run<decltype(core::places_of(lengths))>;
      const auto starts_of = [&](std::uint64_t runs) {
        const std::uint64_t bytes = std::max<std::uint64_t>(runs * sizeof(std::uint64_t), 16);
        return where.device().scratch("compact/starts", bytes).template as<std::uint64_t>();
      };
      if (where.kind() == backend::cpu) {
        const cpu::answers asked(where.device(), n, question);
        const std::uint64_t runs = *count.data() = asked.kept();
        detail::compact_impl::require_kept(call, "the outputs", runs, capacity);
        auto* const starts = starts_of(runs);
        asked.move_kept(both{first, {starts}});
        const length last{starts, count.data(), n, core::places_of(lengths)};
        cpu::for_each_paced_piece(runs, 1 << 15, [&](std::uint64_t begin, std::uint64_t end) {
          for (std::uint64_t r = begin; r < end; ++r) last(r);
        });
      } else {
        auto* const starts = where.kind() == backend::cuda ? starts_of(n) : nullptr;
        detail::compact_impl::part_made<By>(where, call, n, question, count.data(), capacity, both{first, {starts}});
#if defined(__CUDACC__)
        cuda::for_each_index(where.device(), n, length{starts, count.data(), n, core::places_of(lengths)});
#endif
      }
    }
  }
}

}  // namespace detail::compact_impl

inline namespace UPSWEEP_COMPILED {

template <class X, class Y, class Test, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, X> && core::test_of<Test, X>
std::uint64_t copy_if(const context& asked, const X& in, Y&& out, Test test) {
  const context where = core::worked_on_by<X, Y>(asked);
  return detail::compact_impl::returned_count(where, [&](auto count) {
    using T = core::value_of<X>;
    detail::compact_impl::copy_made_if<X, core::asked_as<Test, T>, By>(where, "copy_if", in, out, count,
                                                                       core::asked_of<T>("copy_if", test));
  });
}
template <class X, class Y, class Test, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, X>
void copy_if(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count, Test test) {
  using T = core::value_of<X>;
  detail::compact_impl::copy_made_if<X, core::asked_as<Test, T>, By>(
      where, "copy_if", in, out, core::operand<std::uint64_t>(count), core::asked_of<T>("copy_if", test));
}

template <class X, class F, class Y, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, X, F>
std::uint64_t select_flagged(const context& asked, const X& in, const F& flags, Y&& out) {
  const auto test = upsweep::stencil(flags, detail::compact_impl::is_set{});
  using Test = std::remove_const_t<decltype(test)>;
  const context where = core::worked_on_by<X, F, Y>(asked);
  return detail::compact_impl::returned_count(where, [&](auto count) {
    detail::compact_impl::copy_made_if<X, Test, By>(where, "select_flagged", in, out, count, test);
  });
}
template <class X, class F, class Y, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, X, F>
void select_flagged(const context& where, const X& in, const F& flags, Y&& out, device_span<std::uint64_t> count) {
  const auto test = upsweep::stencil(flags, detail::compact_impl::is_set{});
  using Test = std::remove_const_t<decltype(test)>;
  detail::compact_impl::copy_made_if<X, Test, By>(where, "select_flagged", in, out, core::operand<std::uint64_t>(count),
                                                  test);
}

template <class X, class Y, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, X>
std::uint64_t unique(const context& asked, const X& in, Y&& out) {
  const context where = core::worked_on_by<X, Y>(asked);
  return detail::compact_impl::returned_count(
      where, [&](auto count) { detail::compact_impl::unique_made<By>(where, in, out, count, core::equals{}); });
}
template <class X, class Y, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, X>
void unique(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count) {
  detail::compact_impl::unique_made<By>(where, in, out, core::operand<std::uint64_t>(count), core::equals{});
}

template <class K, class V, class KOut, class VOut, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<KOut, VOut>, K, V>
std::uint64_t unique_by_key(const context& asked, const K& keys, const V& values, KOut&& keys_out, VOut&& values_out) {
  const context where = core::worked_on_by<K, V, KOut, VOut>(asked);
  return detail::compact_impl::returned_count(where, [&](auto count) {
    detail::compact_impl::unique_made_by_key<By>(where, keys, values, keys_out, values_out, count, core::equals{});
  });
}
template <class K, class V, class KOut, class VOut, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<KOut, VOut>, K, V>
void unique_by_key(const context& where, const K& keys, const V& values, KOut&& keys_out, VOut&& values_out,
                   device_span<std::uint64_t> count) {
  detail::compact_impl::unique_made_by_key<By>(where, keys, values, keys_out, values_out,
                                               core::operand<std::uint64_t>(count), core::equals{});
}

template <class X, class Y, class Test, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X> && core::test_of<Test, X>
std::uint64_t partition(const context& asked, const X& in, Y&& out, Test test) {
  const context where = core::worked_on_by<X, Y>(asked);
  return detail::compact_impl::returned_count(where, [&](auto count) {
    detail::compact_impl::partition_made<By>(where, in, core::written_operand(out), count,
                                             core::asked_of<core::value_of<X>>("partition", test));
  });
}
template <class X, class Y, class Test, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X>
void partition(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count, Test test) {
  detail::compact_impl::partition_made<By>(where, in, core::written_operand(out), core::operand<std::uint64_t>(count),
                                           core::asked_of<core::value_of<X>>("partition", test));
}

template <class X, class Y, class Z, class Test, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y, Z>, X> && (!operands<Y, Z>) && core::test_of<Test, X>
std::uint64_t partition_copy(const context& asked, const X& in, Y&& passed, Z&& others, Test test) {
  const context where = core::worked_on_by<X, Y, Z>(asked);
  return detail::compact_impl::returned_count(where, [&](auto count) {
    detail::compact_impl::part_made_in_two<By>(where, in, passed, others, count,
                                               core::asked_of<core::value_of<X>>("partition_copy", test));
  });
}

template <class X, class Y, class First, class Second, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X> && core::test_of<First, X>
std::array<std::uint64_t, 2> three_way_partition(const context& asked, const X& in, Y&& out, First first,
                                                 Second second) {
  const context where = core::worked_on_by<X, Y>(asked);
  std::array<std::uint64_t, 2> sizes{};
  if (where.kind() == backend::cpu) {
    detail::compact_impl::partition3_made<By>(where, in, core::written_operand(out),
                                              core::operand<std::uint64_t>(std::span<std::uint64_t>(sizes)),
                                              core::asked_of<core::value_of<X>>("three_way_partition", first),
                                              core::asked_of<core::value_of<X>>("three_way_partition", second));
  } else {
    const auto counts = core::counts_in_scratch(where, 2);
    detail::compact_impl::partition3_made<By>(where, in, core::written_operand(out), counts,
                                              core::asked_of<core::value_of<X>>("three_way_partition", first),
                                              core::asked_of<core::value_of<X>>("three_way_partition", second));
    where.device().download(sizes.data(), counts.where(), counts.bytes());
  }
  return sizes;
}
template <class X, class Y, class First, class Second, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X>
void three_way_partition(const context& where, const X& in, Y&& out, device_span<std::uint64_t> counts, First first,
                         Second second) {
  detail::compact_impl::partition3_made<By>(where, in, core::written_operand(out), core::operand<std::uint64_t>(counts),
                                            first, second);
}

template <class X, class Y, class L, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y, L>, X>
std::uint64_t run_length_encode(const context& asked, const X& in, Y&& out, L&& lengths) {
  const context where = core::worked_on_by<X, Y, L>(asked);
  return detail::compact_impl::returned_count(
      where, [&](auto count) { detail::compact_impl::encode_made<By>(where, in, out, lengths, count); });
}
template <class X, class Y, class L, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y, L>, X>
void run_length_encode(const context& where, const X& in, Y&& out, L&& lengths, device_span<std::uint64_t> count) {
  detail::compact_impl::encode_made<By>(where, in, out, lengths, core::operand<std::uint64_t>(count));
}

// ---- Lazy elements, indices, flags and lengths are materialized first.

template <class X, class L, class Y, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X, L>
void run_length_decode(const context& asked, const X& in, const L& lengths, Y&& out) {
  if constexpr (core::require_own_type<core::value_of<X>, element_of<Y>>()) {
    const context where = core::worked_on_by<X, L, Y>(asked);
    const auto to = core::written_operand(out);
    const char* const call = "run_length_decode";
    const detail::sort_impl::in_memory_for_now<By, X> from(where, call, "compact/made", in, to.on_host());
    const detail::sort_impl::in_memory_for_now<By, L> long_as(where, call, "compact/made lengths", lengths,
                                                              to.on_host());
    detail::select_impl::decoded<core::value_of<X>, By>(where, from.keys(),
                                                        detail::for_each_impl::as_offsets(where, long_as.keys()), to);
  }
}

template <class X, class I, class Y, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X, I>
void gather(const context& asked, const X& in, const I& indices, Y&& out) {
  if constexpr (core::require_own_type<core::value_of<X>, element_of<Y>>()) {
    const context where = core::worked_on_by<X, I, Y>(asked);
    const auto to = core::written_operand(out);
    const detail::sort_impl::in_memory_for_now<By, X> from(where, "gather", "compact/made", in, to.on_host());
    const detail::sort_impl::in_memory_for_now<By, I> at(where, "gather", "compact/made indices", indices,
                                                         to.on_host());
    detail::select_impl::gathered<core::value_of<X>, By>("gather", where, from.keys(),
                                                         detail::select_impl::as_indices(at.keys()), {}, false, to);
  }
}
template <class X, class I, class F, class Y, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X, I, F>
void gather_if(const context& asked, const X& in, const I& indices, const F& flags, Y&& out) {
  if constexpr (core::require_own_type<core::value_of<X>, element_of<Y>>()) {
    const context where = core::worked_on_by<X, I, F, Y>(asked);
    const auto to = core::written_operand(out);
    const char* const call = "gather_if";
    const detail::sort_impl::in_memory_for_now<By, X> from(where, call, "compact/made", in, to.on_host());
    const detail::sort_impl::in_memory_for_now<By, I> at(where, call, "compact/made indices", indices, to.on_host());
    const detail::sort_impl::in_memory_for_now<By, F> marks(where, call, "compact/made flags", flags, to.on_host());
    detail::select_impl::gathered<core::value_of<X>, By>(call, where, from.keys(),
                                                         detail::select_impl::as_indices(at.keys()),
                                                         detail::select_impl::as_flags(marks.keys()), true, to);
  }
}

template <class X, class I, class Y, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X, I>
void scatter(const context& asked, const X& in, const I& indices, Y&& out) {
  if constexpr (core::require_own_type<core::value_of<X>, element_of<Y>>()) {
    const context where = core::worked_on_by<X, I, Y>(asked);
    const auto to = core::written_operand(out);
    const detail::sort_impl::in_memory_for_now<By, X> from(where, "scatter", "compact/made", in, to.on_host());
    const detail::sort_impl::in_memory_for_now<By, I> at(where, "scatter", "compact/made indices", indices,
                                                         to.on_host());
    detail::select_impl::scattered<core::value_of<X>, By>("scatter", where, from.keys(),
                                                          detail::select_impl::as_indices(at.keys()), {}, false, to);
  }
}
template <class X, class I, class F, class Y, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X, I, F>
void scatter_if(const context& asked, const X& in, const I& indices, const F& flags, Y&& out) {
  if constexpr (core::require_own_type<core::value_of<X>, element_of<Y>>()) {
    const context where = core::worked_on_by<X, I, F, Y>(asked);
    const auto to = core::written_operand(out);
    const char* const call = "scatter_if";
    const detail::sort_impl::in_memory_for_now<By, X> from(where, call, "compact/made", in, to.on_host());
    const detail::sort_impl::in_memory_for_now<By, I> at(where, call, "compact/made indices", indices, to.on_host());
    const detail::sort_impl::in_memory_for_now<By, F> marks(where, call, "compact/made flags", flags, to.on_host());
    detail::select_impl::scattered<core::value_of<X>, By>(call, where, from.keys(),
                                                          detail::select_impl::as_indices(at.keys()),
                                                          detail::select_impl::as_flags(marks.keys()), true, to);
  }
}

}  // namespace UPSWEEP_COMPILED

UPSWEEP_REFUSED(copy_if,
                "copy_if takes an input, an output in memory or of outputs.hpp, and a test of one element; in "
                "place it takes memory and a test")
UPSWEEP_REFUSED(remove_if, "remove_if works in place: it takes a span, a buffer or a contiguous range, and a test")
UPSWEEP_REFUSED(remove_copy_if, "remove_copy_if takes an input, an output in memory, and a test of one element")
UPSWEEP_REFUSED(partition,
                "partition takes an input, an output in memory, and a test of one element; in place it takes "
                "memory and a test")
UPSWEEP_REFUSED(partition_copy, "partition_copy takes an input, two outputs and a test of one element")
UPSWEEP_REFUSED(three_way_partition,
                "three_way_partition takes an input, an output in memory, and two tests of one element")
UPSWEEP_REFUSED(select_flagged, "select_flagged takes an input, as many flags of u8 or bool, and an output")
UPSWEEP_REFUSED(unique,
                "unique takes an input, an output, and an equality, `bool operator()(T a, T b) const`, where the "
                "elements have no ==")
UPSWEEP_REFUSED(unique_by_key, "unique_by_key takes keys, values, outputs for both, and an equality of two keys")
UPSWEEP_REFUSED(run_length_encode, "run_length_encode takes an input, an output, and u64 lengths")
UPSWEEP_REFUSED(run_length_decode, "run_length_decode takes an input, as many lengths, and an output in memory")
UPSWEEP_REFUSED(gather, "gather takes an input, indices, and an output in memory")
UPSWEEP_REFUSED(gather_if, "gather_if takes an input, indices, as many flags, and an output in memory")
UPSWEEP_REFUSED(scatter, "scatter takes an input, as many indices, and an output in memory")
UPSWEEP_REFUSED(scatter_if, "scatter_if takes an input, as many indices and flags, and an output in memory")
UPSWEEP_REFUSED(permute, "permute takes an order and pairs of an input and an output, all in memory")
UPSWEEP_REFUSED(filter_map,
                "filter_map takes an input, an output in memory, and a function that returns a std::optional")
UPSWEEP_REFUSED(group_by, "group_by takes an input, u64 offsets, and an equality of two elements")

}  // namespace upsweep
