// Dispatch of compact.hpp's forms in place. On the CPU all predicates are evaluated before the first element moves, and
// elements then move one after the other. A device first copies the elements to scratch.
#pragma once

#include <utility>

#include "upsweep/compact/compact_runs.hpp"

namespace upsweep::detail::compact_impl {

// Moves to an index that is never greater than the source's.
template <class T>
struct moves_down {
  T* x;
  void operator()(std::uint64_t i, std::uint64_t place) const {
    if (i != place) x[place] = std::move(x[i]);
  }
};

// A copy of the elements in the device's scratch: a kernel that reads the copy may overwrite the originals.
template <class T>
device_span<const T> copied_aside(const context& where, operand<T> x, const char* name) {
  const memory aside = where.device().scratch(name, std::max<std::uint64_t>(x.bytes(), 16));
  if (x.size() != 0) where.device().copy(aside, x.where(), x.bytes());
  return {aside, x.size()};
}

template <class Test>
void require_stencil_of(const char* call, std::uint64_t n, const Test& test) {
  require_same_size(call, "there are # elements and the stencil has #", n, detail::compact_impl::asked_in(test, n));
}

template <class By, class T, class Test>
std::uint64_t kept_in_place(const context& asked, const char* call, operand<T> x, const Test& test, bool negated) {
  if constexpr (detail::compact_impl::require_question<device_span<const T>, Test>()) {
    detail::compact_impl::require_stencil_of(call, x.size(), test);
    core::require_reach(call, asked, {{"the input", x}});
    const context where = detail::compact_impl::worked_on_by(asked, x);
    if (where.kind() == backend::cpu) {
      const device_span<const T> in(x.where(), x.size());
      const cpu::answers answers(where.device(), x.size(),
                                 detail::compact_impl::question_of(where.device(), call, in, test, negated));
      answers.move_kept_in_order(moves_down<T>{x.data()});
      return answers.kept();
    }
    if constexpr (std::is_trivially_copyable_v<T>) {
      return detail::compact_impl::returned_count(where, [&](operand<std::uint64_t> count) {
        const device_span<const T> aside = detail::compact_impl::copied_aside(where, x, "compact/aside");
        detail::compact_impl::part<By>(where, call, into::kept_alone, aside, x, {}, count, test, negated);
      });
    } else {
      core::throw_error(needs_trivial_copies(call, where.kind()));
    }
  } else {
    return {};
  }
}

template <class By, class T, class Test>
std::uint64_t parted_in_place(const context& asked, operand<T> x, const Test& test) {
  if constexpr (detail::compact_impl::require_question<device_span<const T>, Test>()) {
    const char* const call = "partition";
    detail::compact_impl::require_stencil_of(call, x.size(), test);
    core::require_reach("partition", asked, {{"the input", x}});
    const context where = detail::compact_impl::worked_on_by(asked, x);
    if (where.kind() == backend::cpu) {
      const device_span<const T> in(x.where(), x.size());
      const cpu::answers answers(where.device(), x.size(),
                                 detail::compact_impl::question_of(where.device(), call, in, test, false));
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
      return detail::compact_impl::returned_count(where, [&](operand<std::uint64_t> count) {
        const device_span<const T> aside = detail::compact_impl::copied_aside(where, x, "compact/aside");
        detail::compact_impl::part<By>(where, call, into::one_output, aside, x, {}, count, test, false);
      });
    } else {
      core::throw_error(needs_trivial_copies(call, where.kind()));
    }
  } else {
    return {};
  }
}

template <class By, class T, class Equal>
std::uint64_t unique_in_place(const context& asked, operand<T> x, const Equal& equal) {
  using X = device_span<const T>;
  if constexpr (detail::compact_impl::require_equality<X, Equal>()) {
    core::require_reach("unique", asked, {{"the input", x}});
    const context where = detail::compact_impl::worked_on_by(asked, x);
    if (where.kind() == backend::cpu) {
      const cpu::answers answers(
          where.device(), x.size(),
          detail::compact_impl::run_question_of(where.device(), "unique", X(x.where(), x.size()), equal));
      answers.move_kept_in_order(moves_down<T>{x.data()});
      return answers.kept();
    }
    if constexpr (std::is_trivially_copyable_v<T>) {
      return detail::compact_impl::returned_count(where, [&](operand<std::uint64_t> count) {
        const X aside = detail::compact_impl::copied_aside(where, x, "compact/aside");
        if constexpr (std::is_same_v<Equal, equals>)
          detail::select_impl::unique<T, By>(where, aside, x, count);
        else
          detail::compact_impl::unique<By>(where, aside, x, count, equal);
      });
    } else {
      core::throw_error(needs_trivial_copies("unique", where.kind()));
    }
  } else {
    return {};
  }
}

template <class By, class K, class V, class Equal>
std::uint64_t unique_by_key_in_place(const context& asked, operand<K> keys, operand<V> values, const Equal& equal) {
  const char* const call = "unique_by_key";
  if constexpr (detail::compact_impl::require_equality<device_span<const K>, Equal>()) {
    core::require_reach("unique_by_key", asked, {{"the input", keys}});
    const context where = detail::compact_impl::worked_on_by(asked, keys);
    require_same_size(call, "the keys have # elements and the values #", keys.size(), values.size());
    require_no_overlap(call, where, {{"the keys", keys}, {"the values", values}});
    if (where.kind() == backend::cpu) {
      const device_span<const K> in(keys.where(), keys.size());
      const cpu::answers answers(where.device(), keys.size(),
                                 detail::compact_impl::run_question_of(where.device(), call, in, equal));
      answers.move_kept_in_order(moves_down<K>{keys.data()});
      answers.move_kept_in_order(moves_down<V>{values.data()});
      return answers.kept();
    }
    if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>) {
      return detail::compact_impl::returned_count(where, [&](operand<std::uint64_t> count) {
        const device_span<const K> aside = detail::compact_impl::copied_aside(where, keys, "compact/aside");
        const device_span<const V> beside = detail::compact_impl::copied_aside(where, values, "compact/values aside");
        if constexpr (std::is_same_v<Equal, equals>)
          detail::select_impl::unique_by_key<K, V, By>(where, aside, beside, keys, values, count);
        else
          detail::compact_impl::unique_by_key<By>(where, aside, beside, keys, values, count, equal);
      });
    } else {
      core::throw_error(needs_trivial_copies(call, where.kind()));
    }
  } else {
    return {};
  }
}

}  // namespace upsweep::detail::compact_impl
