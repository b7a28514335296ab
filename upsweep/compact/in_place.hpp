// Forms in place: what compact.hpp's end in. On the CPU all is asked before the first element moves, and then they move
// one after the other; a device takes the elements aside first.
#pragma once

#include <utility>

#include "upsweep/compact/runs.hpp"

namespace upsweep::compact_room {

// To a place that is never behind where it was.
template <class T>
struct moves_down {
  T* x;
  void operator()(std::uint64_t i, std::uint64_t place) const {
    if (i != place) x[place] = std::move(x[i]);
  }
};

// The elements once more, in the device's scratch: what works on those may write over these.
template <class T>
device_span<const T> copied_aside(const context& where, operand<T> x, const char* name) {
  const memory aside = where.dev().scratch(name, std::max<std::uint64_t>(x.bytes(), 16));
  if (x.size() != 0) where.dev().copy(aside, x.where(), x.bytes());
  return {aside, x.size()};
}

template <class X, class Test>
void require_stencil_of(const char* call, std::uint64_t n, const Test& test) {
  compact_room::require_question<X, Test>();
  require_same_size(call, "there are # elements and the stencil has #", n, compact_room::asked_in(test, n));
}

template <class By, class T, class Test>
std::uint64_t kept_in_place(const context& asked, const char* call, operand<T> x, const Test& test, bool negated) {
  compact_room::require_stencil_of<device_span<const T>>(call, x.size(), test);
  const context where = compact_room::worked_on_by(asked, x);
  if (where.kind() == backend::cpu) {
    const device_span<const T> in(x.where(), x.size());
    const cpu::answers answers(where.dev(), x.size(), compact_room::question_of(in, test, negated));
    answers.move_kept_in_order(moves_down<T>{x.data()});
    return answers.kept();
  }
  if constexpr (std::is_trivially_copyable_v<T>) {
    return compact_room::counted(where, [&](operand<std::uint64_t> count) {
      const device_span<const T> aside = compact_room::copied_aside(where, x, "compact/aside");
      compact_room::part<By>(where, call, into::kept_alone, aside, x, {}, count, test, negated);
    });
  } else {
    throw needs_trivial_copies(call, where.kind());
  }
}

template <class By, class T, class Test>
std::uint64_t parted_in_place(const context& asked, operand<T> x, const Test& test) {
  const char* const call = "partition";
  compact_room::require_stencil_of<device_span<const T>>(call, x.size(), test);
  const context where = compact_room::worked_on_by(asked, x);
  if (where.kind() == backend::cpu) {
    const device_span<const T> in(x.where(), x.size());
    const cpu::answers answers(where.dev(), x.size(), compact_room::question_of(in, test, false));
    const std::uint64_t kept = answers.kept();
    struct element {  // std::vector<bool> has none in memory
      T value;
    };
    std::vector<element> others;
    others.reserve(x.size() - kept);
    answers.for_each_other_in_order([&](std::uint64_t i) { others.push_back({std::move(x[i])}); });
    answers.move_kept_in_order(moves_down<T>{x.data()});
    for (std::uint64_t i = 0; i < others.size(); ++i) x[kept + i] = std::move(others[i].value);
    return kept;
  }
  if constexpr (std::is_trivially_copyable_v<T>) {
    return compact_room::counted(where, [&](operand<std::uint64_t> count) {
      const device_span<const T> aside = compact_room::copied_aside(where, x, "compact/aside");
      compact_room::part<By>(where, call, into::one_output, aside, x, {}, count, test, false);
    });
  } else {
    throw needs_trivial_copies(call, where.kind());
  }
}

template <class By, class T, class Equal>
std::uint64_t unique_in_place(const context& asked, operand<T> x, const Equal& equal) {
  using X = device_span<const T>;
  compact_room::require_equality<X, Equal>();
  const context where = compact_room::worked_on_by(asked, x);
  if (where.kind() == backend::cpu) {
    const cpu::answers answers(where.dev(), x.size(), compact_room::run_question_of(X(x.where(), x.size()), equal));
    answers.move_kept_in_order(moves_down<T>{x.data()});
    return answers.kept();
  }
  if constexpr (std::is_trivially_copyable_v<T>) {
    return compact_room::counted(where, [&](operand<std::uint64_t> count) {
      const X aside = compact_room::copied_aside(where, x, "compact/aside");
      if constexpr (std::is_same_v<Equal, equals>)
        select_room::unique<T, By>(where, aside, x, count);
      else
        compact_room::unique<By>(where, aside, x, count, equal);
    });
  } else {
    throw needs_trivial_copies("unique", where.kind());
  }
}

template <class By, class K, class V, class Equal>
std::uint64_t unique_by_key_in_place(const context& asked, operand<K> keys, operand<V> values, const Equal& equal) {
  const char* const call = "unique_by_key";
  compact_room::require_equality<device_span<const K>, Equal>();
  const context where = compact_room::worked_on_by(asked, keys);
  require_same_size(call, "the keys have # elements and the values #", keys.size(), values.size());
  require_apart(call, where, {{"the keys", keys}, {"the values", values}});
  if (where.kind() == backend::cpu) {
    const device_span<const K> in(keys.where(), keys.size());
    const cpu::answers answers(where.dev(), keys.size(), compact_room::run_question_of(in, equal));
    answers.move_kept_in_order(moves_down<K>{keys.data()});
    answers.move_kept_in_order(moves_down<V>{values.data()});
    return answers.kept();
  }
  if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>) {
    return compact_room::counted(where, [&](operand<std::uint64_t> count) {
      const device_span<const K> aside = compact_room::copied_aside(where, keys, "compact/aside");
      const device_span<const V> beside = compact_room::copied_aside(where, values, "compact/values aside");
      if constexpr (std::is_same_v<Equal, equals>)
        select_room::unique_by_key<K, V, By>(where, aside, beside, keys, values, count);
      else
        compact_room::unique_by_key<By>(where, aside, beside, keys, values, count, equal);
    });
  } else {
    throw needs_trivial_copies(call, where.kind());
  }
}

}  // namespace upsweep::compact_room
