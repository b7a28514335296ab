// Questions about places, as calls put them: which of the library's own they are, if any, and what they look at.
#pragma once

#include <concepts>
#include <functional>

#include "upsweep/operators/comparisons.hpp"
#include "upsweep/operators/monoid.hpp"
#include "upsweep/search/asked.hpp"

namespace upsweep::search_room {

template <class X>
inline constexpr bool is_comparison = false;
template <class T>
inline constexpr bool is_comparison<compared<T>> = true;

template <class X, class Test>
constexpr void require_test() {
  core::require_input<X>();
  core::require_both_sides<Test>();
  using T = value_of<X>;
  static_assert(std::predicate<const Test&, const T&>,
                "upsweep: this test cannot be asked about an element; give it `bool operator()(T x) const`");
  static_assert(
      !is_comparison<Test> || std::is_same_v<Test, compared<T>>,
      "upsweep: the threshold is of another type than the elements; write it in theirs, as in less_than(0.5f) for f32");
}

template <class X, class Y, class F>
constexpr void require_relation() {
  core::require_input<X>();
  core::require_input<Y>();
  core::require_both_sides<F>();
  static_assert(std::is_invocable_r_v<bool, const F&, const value_of<X>&, const value_of<Y>&>,
                "upsweep: two elements cannot be compared by this; give it `bool operator()(T a, T b) const` (threads "
                "share it, so that a lambda may not be mutable), or give the elements == or <");
}

template <class T, class F>
inline constexpr bool is_less = is_standard<std::less, F, T> || std::same_as<F, std::ranges::less>;
template <class T, class F>
inline constexpr bool is_greater = is_standard<std::greater, F, T> || std::same_as<F, std::ranges::greater>;
template <class T, class F>
inline constexpr bool is_equality = is_standard<std::equal_to, F, T> || std::same_as<F, std::ranges::equal_to>;

// What is better, where the least, or the greatest, is looked for; the standard's function objects by the library's
// own.
template <class X, class F>
constexpr auto least_first(const F& less) {
  if constexpr (is_less<value_of<X>, F>) {
    return in_order{};
  } else if constexpr (is_greater<value_of<X>, F>) {
    return in_falling_order{};
  } else {
    return less;
  }
}
template <class X, class F>
constexpr auto greatest_first(const F& less) {
  if constexpr (is_less<value_of<X>, F>) {
    return in_falling_order{};
  } else if constexpr (is_greater<value_of<X>, F>) {
    return in_order{};
  } else {
    return exchanged<F>{less};
  }
}

// f asked of places of one input, or of two.
template <seek How, class F>
struct question {
  static constexpr seek how = How;
  static constexpr bool second_is_whole = How == seek::one_of || How == seek::beginning;

  const char* call;
  F f;
  bool negated = false;

  // Elements behind a place's own that it looks at, too.
  static std::uint64_t overlap(std::uint64_t m) {
    return How == seek::adjacent ? 1 : How == seek::beginning && m ? m - 1 : 0;
  }

  // Whether the library itself was compiled for it.
  template <class T, class... U>
  static constexpr bool is_builtin =
      builtin_type<T> && (std::same_as<T, U> && ...) &&
      std::same_as<F, std::conditional_t<How == seek::passing, compared<T>,
                                         std::conditional_t<How == seek::apart, precedes, same>>>;

  template <class T>
  problem as_problem(primitive what) const {
    problem p;
    p.what = what, p.type = dtype_of<T>, p.how = How, p.negated = negated;
    if constexpr (How == seek::passing) p.test = f.how, p.threshold = scalar::of(f.threshold);
    return p;
  }

  // Calls then(has) with the function of the place.
  template <class Then, class At>
  auto ask(const Then& then, const At& at) const {
    if constexpr (How == seek::adjacent) {
      return then(adjacent_at<At, F>{at, f});
    } else if (negated) {
      return then(passes_at<At, fails<F>>{at, {f}});
    } else {
      return then(passes_at<At, F>{at, f});
    }
  }
  template <class Then, class At, class Bt>
  auto ask(const Then& then, const At& at, std::uint64_t m, const Bt& bt) const {
    if constexpr (How == seek::one_of) {
      return then(one_of_at<At, Bt, F>{at, bt, m, f});
    } else if constexpr (How == seek::beginning) {
      return then(beginning_at<At, Bt, F>{at, bt, m, f});
    } else if constexpr (How == seek::unequal) {
      return then(unequal_at<At, Bt, F>{at, bt, f});
    } else {
      return then(apart_at<At, Bt, F>{at, bt, f});
    }
  }
};

template <class Test>
question<seek::passing, Test> asked_whether(const char* call, const Test& test, bool negated = false) {
  return {call, test, negated};
}

template <seek How, class X, class F>
auto comparing(const char* call, const F& equal) {
  if constexpr (is_equality<value_of<X>, F>) {
    return question<How, same>{call, {}};
  } else {
    return question<How, F>{call, equal};
  }
}
// Which of two elements that differ stands first; and the question where they do, which is one for both directions.
template <class X, class F>
constexpr auto lexical_order(const F& less) {
  if constexpr (is_less<value_of<X>, F>) {
    return precedes{};
  } else if constexpr (is_greater<value_of<X>, F>) {
    return exchanged<precedes>{};
  } else {
    return less;
  }
}
template <class X, class F>
auto telling_apart(const char* call, const F& less) {
  if constexpr (is_less<value_of<X>, F> || is_greater<value_of<X>, F>) {
    return question<seek::apart, precedes>{call, {}};
  } else {
    return question<seek::apart, F>{call, less};
  }
}

// then(test) of elements equal to a value; `none` where no element can be.
template <class T, class V, class Then>
std::uint64_t with_value(const V& value, std::uint64_t none, const Then& then) {
  if constexpr (builtin_type<T> && std::is_arithmetic_v<T> && std::is_arithmetic_v<V>) {
    constexpr bool narrows = std::is_floating_point_v<V> && !holds_all<V, T>();
    static_assert(!narrows, "upsweep: the elements do not hold this value; write it in their type, as in 0.5f");
    const T as_element = static_cast<T>(value);
    if constexpr (std::is_integral_v<V> && std::is_integral_v<T>)
      if (static_cast<V>(as_element) != value || (as_element < T{}) != (value < V{})) return none;
    return then(compared<T>{comparison::equal, as_element});
  } else if constexpr (builtin_type<T> && std::same_as<T, V>) {
    return then(compared<T>{comparison::equal, value});
  } else if constexpr (std::convertible_to<const V&, T>) {
    return then(is_value<T>{T(value)});
  } else {
    static_assert(std::convertible_to<const V&, T>, "upsweep: this value is of another type than the elements");
    return none;
  }
}

// Where what passes ends, if all of it stands first.
template <class At, class Test>
std::uint64_t bisected(const At& at, std::uint64_t n, const Test& test) {
  std::uint64_t first = 0;
  while (n > 0) {
    const std::uint64_t half_of = n / 2;
    if (test(at(first + half_of))) {
      first += half_of + 1, n -= half_of + 1;
    } else {
      n = half_of;
    }
  }
  return first;
}

}  // namespace upsweep::search_room
