// The selections of select.hpp and compact.hpp where an input is no memory, or an output none: each element is read
// where it is asked about, and read again where it is kept.
#pragma once

#include <array>

#include "upsweep/compact.hpp"
#include "upsweep/core/call.hpp"
#include "upsweep/outputs.hpp"

namespace upsweep {

namespace compact_room {

template <class From, class To>
struct puts {
  From from;
  To to;
  UPSWEEP_HD void operator()(std::uint64_t i, std::uint64_t place) const { to[place] = from[i]; }
};
// Behind the classes before, whose sizes are known when this runs.
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
  static constexpr const char* opencl = "x != 0";
  template <class T>
  UPSWEEP_HD bool operator()(const T& x) const {
    return static_cast<bool>(x);
  }
};

// x[i] is of the second class: what fails the first test and passes the other; of the third, where it fails both.
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

// kept(i, place) where keep(i), and others(i, place) elsewhere; nothing where there is no room for all of it.
template <class By, class Keep, class Kept, class Others = nothing>
void part_made(const context& where, const char* call, std::uint64_t n, const Keep& keep, std::uint64_t* count,
               std::uint64_t room, const Kept& kept, std::uint64_t other_room = ~std::uint64_t{0},
               const Others& others = {}) {
  if (where.kind() == backend::cpu) {
    const cpu::answers asked(where.dev(), n, keep);
    *count = asked.kept();
    compact_room::require_kept(call, "the output", asked.kept(), room);
    compact_room::require_kept(call, "the others' output", n - asked.kept(), other_room);
    asked.move_kept(kept);
    if constexpr (!std::same_as<Others, nothing>) asked.move_others(others);
    return;
  }
  require_room(call, "the output", room, n);
  require_room(call, "the others' output", other_room, n);
#if defined(__CUDACC__)
  if (where.kind() == backend::cuda) return cuda::part_by(where.dev(), n, keep, count, kept, others);
#endif
  throw made_elsewhere(call, where.kind());
}

// Outputs in memory, of their inputs' own types, and inputs that texts make: then the forms for memory do it.
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
  compact_room::require_question<X, Test>();
  if constexpr (core::takes<value_of<X>, Y>()) {
    require_room(call, "the count", count.size(), 1);
    auto to = core::memory_of(out), none = to;
    none = {};
    compact_room::require_places(call, where, in, test, to, none, count);
    if constexpr (compact_room::keeps_own<Y, X>() && compact_room::asks_made_by_text<X, Test>()) {
      if (compact_room::texts_make<X, Test>(where)) {
        require_room(call, "the output", core::room_of(out), core::elements_in(in));
        return compact_room::part<By>(where, call, into::kept_alone, in, core::written_operand(out), {}, count, test,
                                      false);
      }
    }
    compact_room::part_made<By>(where, call, core::elements_in(in), compact_room::question_of(in, test, false),
                                count.data(), core::room_of(out),
                                puts{compact_room::read_by_index(in), core::places_of(out)});
  }
}

// What passes goes to `out`, and all else behind it.
template <class By, class X, class T, class Test>
void partition_made(const context& where, const X& in, operand<T> out, operand<std::uint64_t> count, const Test& test) {
  compact_room::parted<By>(where, "partition", into::one_output, in, out, {}, count, test, false);
}

template <class By, class X, class T, class First, class Second>
void partition3_made(const context& where, const X& in, operand<T> out, operand<std::uint64_t> counts,
                     const First& first, const Second& second) {
  const char* const call = "partition3";
  compact_room::require_question<X, First>();
  compact_room::require_question<X, Second>();
  static_assert(std::is_same_v<value_of<X>, T>, "upsweep: what is kept goes to an output of the elements' own type");
  const std::uint64_t n = core::elements_in(in);
  require_same_size(call, "the elements of the input have # elements and the output #", n, out.size());
  require_room(call, "the counts' span", counts.size(), 2);
  require_apart(call, where, {{"the input", core::memory_read(in)}, {"the output", out}, {"the counts", counts}});
  if constexpr (core::some_made_by_text<X>) {
    if (core::made_by_text<X>(where))
      return upsweep::partition3(where, core::laid_by_text(where, call, "compact/made", in),
                                 device_span<T>(out.where(), out.size()), compact_room::span_of(counts), first, second);
  }
  const auto from = compact_room::read_by_index(in);
  using at = std::remove_const_t<decltype(from)>;
  using behind = puts_behind<at, T*>;
  using classes = in_class<at, First, Second>;
  std::uint64_t last = 0;
  std::uint64_t* const rest =
      where.kind() == backend::cpu ? &last : where.dev().scratch("compact/rest", 16).template as<std::uint64_t>();
  compact_room::part_made<By>(where, call, n, passes<at, First>{from, first, false}, counts.data(), n,
                              puts<at, T*>{from, out.data()});
  compact_room::part_made<By>(where, call, n, classes{from, first, second, true}, counts.data() + 1, n,
                              behind{from, out.data(), counts.data(), 1});
  compact_room::part_made<By>(where, call, n, classes{from, first, second, false}, rest, n,
                              behind{from, out.data(), counts.data(), 2});
}

template <class By, class X, class Y, class Equal>
void unique_made(const context& where, const X& in, Y& out, operand<std::uint64_t> count, const Equal& equal) {
  const char* const call = "unique";
  compact_room::require_equality<X, Equal>();
  if constexpr (core::takes<value_of<X>, Y>()) {
    require_room(call, "the count", count.size(), 1);
    require_apart(call, where,
                  {{"the input", core::memory_read(in)}, {"the output", core::memory_of(out)}, {"the count", count}});
    if constexpr (compact_room::keeps_own<Y, X>() && core::some_made_by_text<X>) {
      if (core::made_by_text<X>(where))
        return upsweep::unique(where, core::laid_by_text(where, call, "compact/made", in), out,
                               compact_room::span_of(count));
    }
    compact_room::part_made<By>(where, call, core::elements_in(in), compact_room::run_question_of(in, equal),
                                count.data(), core::room_of(out),
                                puts{compact_room::read_by_index(in), core::places_of(out)});
  }
}

template <class By, class K, class V, class KOut, class VOut, class Equal>
void unique_made_by_key(const context& where, const K& keys, const V& values, KOut& keys_out, VOut& values_out,
                        operand<std::uint64_t> count, const Equal& equal) {
  const char* const call = "unique_by_key";
  compact_room::require_equality<K, Equal>();
  if constexpr (core::takes<value_of<K>, KOut>() && core::takes<value_of<V>, VOut>()) {
    require_same_size(call, "the keys have # elements and the values #", core::elements_in(keys),
                      core::elements_in(values));
    require_room(call, "the count", count.size(), 1);
    require_apart(call, where,
                  {{"the keys", core::memory_read(keys)},
                   {"the values", core::memory_read(values)},
                   {"the keys' output", core::memory_of(keys_out)},
                   {"the values' output", core::memory_of(values_out)},
                   {"the count", count}});
    if constexpr (compact_room::keeps_own<KOut, K>() && compact_room::keeps_own<VOut, V>() &&
                  core::some_made_by_text<K, V>) {
      if (core::made_by_text<K, V>(where))
        return upsweep::unique_by_key(where, core::laid_by_text(where, call, "compact/made", keys),
                                      core::laid_by_text(where, call, "compact/made values", values), keys_out,
                                      values_out, compact_room::span_of(count));
    }
    const puts first{compact_room::read_by_index(keys), core::places_of(keys_out)};
    const puts second{compact_room::read_by_index(values), core::places_of(values_out)};
    compact_room::part_made<By>(
        where, call, core::elements_in(keys), compact_room::run_question_of(keys, equal), count.data(),
        std::min(core::room_of(keys_out), core::room_of(values_out)),
        puts_both<std::remove_const_t<decltype(first)>, std::remove_const_t<decltype(second)>>{first, second});
  }
}

template <class By, class X, class Y, class Z, class Test>
void part_made_in_two(const context& where, const X& in, Y& passed, Z& others, operand<std::uint64_t> count,
                      const Test& test) {
  const char* const call = "partition_copy";
  compact_room::require_question<X, Test>();
  if constexpr (core::takes<value_of<X>, Y>() && core::takes<value_of<X>, Z>()) {
    const std::uint64_t n = core::elements_in(in);
    require_same_size(call, "there are # elements and the stencil has #", n, compact_room::asked_in(test, n));
    require_room(call, "the count", count.size(), 1);
    require_apart(call, where,
                  {{"the input", core::memory_read(in)},
                   {"the output", core::memory_of(passed)},
                   {"the others' output", core::memory_of(others)},
                   {"the count", count}});
    const auto from = compact_room::read_by_index(in);
    const puts first{from, core::places_of(passed)};
    const puts second{from, core::places_of(others)};
    compact_room::part_made<By>(where, call, n, compact_room::question_of(in, test, false), count.data(),
                                core::room_of(passed), first, core::room_of(others), second);
  }
}

// lengths[r] = how far it is from starts[r] to the start of the next run, or to the end.
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
  compact_room::require_equality<X, equals>();
  if constexpr (core::takes<value_of<X>, Y>() && core::takes<std::uint64_t, L>()) {
    const std::uint64_t n = core::elements_in(in);
    require_room(call, "the count", count.size(), 1);
    require_apart(call, where,
                  {{"the input", core::memory_read(in)},
                   {"the output", core::memory_of(out)},
                   {"the lengths", core::memory_of(lengths)},
                   {"the count", count}});
    if constexpr (compact_room::keeps_own<Y, X>() && operands<L> && core::some_made_by_text<X>) {
      if (core::made_by_text<X>(where))
        return upsweep::run_length_encode(where, core::laid_by_text(where, call, "compact/made", in), out, lengths,
                                          compact_room::span_of(count));
    }
    const std::uint64_t room = std::min(core::room_of(out), core::room_of(lengths));
    const auto question = compact_room::run_question_of(in, equals{});
    const puts first{compact_room::read_by_index(in), core::places_of(out)};
    using both = puts_both<std::remove_const_t<decltype(first)>, notes_place>;
    using length = length_of_run<decltype(core::places_of(lengths))>;
    const auto starts_of = [&](std::uint64_t runs) {
      const std::uint64_t bytes = std::max<std::uint64_t>(runs * sizeof(std::uint64_t), 16);
      return where.dev().scratch("compact/starts", bytes).template as<std::uint64_t>();
    };
    if (where.kind() == backend::cpu) {
      const cpu::answers asked(where.dev(), n, question);
      const std::uint64_t runs = *count.data() = asked.kept();
      compact_room::require_kept(call, "the outputs", runs, room);
      auto* const starts = starts_of(runs);
      asked.move_kept(both{first, {starts}});
      const length last{starts, count.data(), n, core::places_of(lengths)};
      cpu::for_each_piece(runs, 1 << 15, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t r = begin; r < end; ++r) last(r);
      });
    } else {
      auto* const starts = where.kind() == backend::cuda ? starts_of(n) : nullptr;
      compact_room::part_made<By>(where, call, n, question, count.data(), room, both{first, {starts}});
#if defined(__CUDACC__)
      cuda::for_each_index(where.dev(), n, length{starts, count.data(), n, core::places_of(lengths)});
#endif
    }
  }
}

}  // namespace compact_room

inline namespace UPSWEEP_COMPILED {

template <class X, class Y, class Test, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, X> && core::test_of<Test, X>
std::uint64_t copy_if(const context& asked, const X& in, Y&& out, Test test) {
  const context where = core::worked_on_by<X, Y>(asked);
  return compact_room::counted(
      where, [&](auto count) { compact_room::copy_made_if<X, Test, By>(where, "copy_if", in, out, count, test); });
}
template <class X, class Y, class Test, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, X>
void copy_if(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count, Test test) {
  compact_room::copy_made_if<X, Test, By>(where, "copy_if", in, out, core::operand<std::uint64_t>(count), test);
}

template <class X, class F, class Y, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, X, F>
std::uint64_t select_flagged(const context& asked, const X& in, const F& flags, Y&& out) {
  const auto test = upsweep::stencil(flags, compact_room::is_set{});
  using Test = std::remove_const_t<decltype(test)>;
  const context where = core::worked_on_by<X, F, Y>(asked);
  return compact_room::counted(where, [&](auto count) {
    compact_room::copy_made_if<X, Test, By>(where, "select_flagged", in, out, count, test);
  });
}
template <class X, class F, class Y, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, X, F>
void select_flagged(const context& where, const X& in, const F& flags, Y&& out, device_span<std::uint64_t> count) {
  const auto test = upsweep::stencil(flags, compact_room::is_set{});
  using Test = std::remove_const_t<decltype(test)>;
  compact_room::copy_made_if<X, Test, By>(where, "select_flagged", in, out, core::operand<std::uint64_t>(count), test);
}

template <class X, class Y, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, X>
std::uint64_t unique(const context& asked, const X& in, Y&& out) {
  const context where = core::worked_on_by<X, Y>(asked);
  return compact_room::counted(
      where, [&](auto count) { compact_room::unique_made<By>(where, in, out, count, core::equals{}); });
}
template <class X, class Y, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, X>
void unique(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count) {
  compact_room::unique_made<By>(where, in, out, core::operand<std::uint64_t>(count), core::equals{});
}

template <class K, class V, class KOut, class VOut, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<KOut, VOut>, K, V>
std::uint64_t unique_by_key(const context& asked, const K& keys, const V& values, KOut&& keys_out, VOut&& values_out) {
  const context where = core::worked_on_by<K, V, KOut, VOut>(asked);
  return compact_room::counted(where, [&](auto count) {
    compact_room::unique_made_by_key<By>(where, keys, values, keys_out, values_out, count, core::equals{});
  });
}
template <class K, class V, class KOut, class VOut, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<KOut, VOut>, K, V>
void unique_by_key(const context& where, const K& keys, const V& values, KOut&& keys_out, VOut&& values_out,
                   device_span<std::uint64_t> count) {
  compact_room::unique_made_by_key<By>(where, keys, values, keys_out, values_out, core::operand<std::uint64_t>(count),
                                       core::equals{});
}

template <class X, class Y, class Test, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X> && core::test_of<Test, X>
std::uint64_t partition(const context& asked, const X& in, Y&& out, Test test) {
  const context where = core::worked_on_by<X, Y>(asked);
  return compact_room::counted(
      where, [&](auto count) { compact_room::partition_made<By>(where, in, core::written_operand(out), count, test); });
}
template <class X, class Y, class Test, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X>
void partition(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count, Test test) {
  compact_room::partition_made<By>(where, in, core::written_operand(out), core::operand<std::uint64_t>(count), test);
}

template <class X, class Y, class Z, class Test, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y, Z>, X> && (!operands<Y, Z>) && core::test_of<Test, X>
std::uint64_t partition_copy(const context& asked, const X& in, Y&& passed, Z&& others, Test test) {
  const context where = core::worked_on_by<X, Y, Z>(asked);
  return compact_room::counted(
      where, [&](auto count) { compact_room::part_made_in_two<By>(where, in, passed, others, count, test); });
}

template <class X, class Y, class First, class Second, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X> && core::test_of<First, X>
std::array<std::uint64_t, 2> partition3(const context& asked, const X& in, Y&& out, First first, Second second) {
  const context where = core::worked_on_by<X, Y>(asked);
  std::array<std::uint64_t, 2> sizes{};
  if (where.kind() == backend::cpu) {
    compact_room::partition3_made<By>(where, in, core::written_operand(out),
                                      core::operand<std::uint64_t>(std::span<std::uint64_t>(sizes)), first, second);
  } else {
    const auto counts = core::counts_in_scratch(where, 2);
    compact_room::partition3_made<By>(where, in, core::written_operand(out), counts, first, second);
    where.dev().download(sizes.data(), counts.where(), counts.bytes());
  }
  return sizes;
}
template <class X, class Y, class First, class Second, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X>
void partition3(const context& where, const X& in, Y&& out, device_span<std::uint64_t> counts, First first,
                Second second) {
  compact_room::partition3_made<By>(where, in, core::written_operand(out), core::operand<std::uint64_t>(counts), first,
                                    second);
}

template <class X, class Y, class L, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y, L>, X>
std::uint64_t run_length_encode(const context& asked, const X& in, Y&& out, L&& lengths) {
  const context where = core::worked_on_by<X, Y, L>(asked);
  return compact_room::counted(where,
                               [&](auto count) { compact_room::encode_made<By>(where, in, out, lengths, count); });
}
template <class X, class Y, class L, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y, L>, X>
void run_length_encode(const context& where, const X& in, Y&& out, L&& lengths, device_span<std::uint64_t> count) {
  compact_room::encode_made<By>(where, in, out, lengths, core::operand<std::uint64_t>(count));
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
