// The conditions of calls: whether one is built in, and the inputs that it reads.
#pragma once

#include <concepts>
#include <functional>

#include "upsweep/operators/comparisons.hpp"
#include "upsweep/operators/monoid.hpp"
#include "upsweep/search/search_conditions.hpp"

namespace upsweep::detail::search_impl {

template <class X, class Test>
constexpr bool require_test() {
  core::require_input<X>();
  core::require_both_sides<Test>();
  if constexpr (readable_input<X>)
    return core::require_test_of<value_of<X>, Test>();
  else
    return false;
}

template <class X, class Y, class F>
constexpr bool require_relation() {
  core::require_input<X>();
  core::require_input<Y>();
  core::require_both_sides<F>();
  constexpr bool readable = readable_input<X> && readable_input<Y>,
                 compared = std::is_invocable_r_v<bool, const F&, const value_of<X>&, const value_of<Y>&>;
  static_assert(
      compared || !readable,
      "upsweep: this comparison cannot be called with two elements; give it `bool operator()(T a, T b) const` (threads "
      "share it, so that a lambda may not be mutable), or give the elements == or <");
  return readable && compared;
}

template <class T, class F>
inline constexpr bool is_less = is_standard<std::less, F, T> || std::same_as<F, std::ranges::less>;
template <class T, class F>
inline constexpr bool is_greater = is_standard<std::greater, F, T> || std::same_as<F, std::ranges::greater>;
template <class T, class F>
inline constexpr bool is_equality = is_standard<std::equal_to, F, T> || std::same_as<F, std::ranges::equal_to>;

// The comparison by which an element is better, for the minimum or the maximum. The standard's function objects are
// replaced by the library's own.
template <class X, class F>
constexpr auto order_of_min(const F& less) {
  if constexpr (is_less<value_of<X>, F>) {
    return in_order{};
  } else if constexpr (is_greater<value_of<X>, F>) {
    return in_falling_order{};
  } else {
    return less;
  }
}
template <class X, class F>
constexpr auto order_of_max(const F& less) {
  if constexpr (is_less<value_of<X>, F>) {
    return in_falling_order{};
  } else if constexpr (is_greater<value_of<X>, F>) {
    return in_order{};
  } else {
    return exchanged<F>{less};
  }
}

// f as a condition on indices of one input, or of two.
template <seek How, class F>
struct question {
  static constexpr seek how = How;
  static constexpr bool second_is_whole = How == seek::one_of || How == seek::beginning;

  const char* call;
  F f;
  bool negated = false;

  // The number of elements after index i that the condition on i also reads.
  static std::uint64_t overlap(std::uint64_t m) {
    return How == seek::adjacent ? 1 : How == seek::beginning && m ? m - 1 : 0;
  }

  // Whether the library itself was compiled for the condition.
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

  // Calls then(has) with the condition as a function of the index.
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

// Of elements of X: a threshold of another type is converted to theirs.
template <class X, class Test>
auto asked_whether(const char* call, const Test& test, bool negated = false) {
  using T = value_of<X>;
  return question<seek::passing, core::asked_as<Test, T>>{call, core::asked_of<T>(call, test), negated};
}

template <seek How, class X, class F>
auto comparing(const char* call, const F& equal) {
  if constexpr (is_equality<value_of<X>, F>) {
    return question<How, same>{call, {}};
  } else {
    return question<How, F>{call, equal};
  }
}
// The order of two elements that differ, and the condition that finds them, which is one for both directions.
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

// Calls then(test) for elements equal to a value; `none` if no element can be.
template <class T, class V, class Then>
std::uint64_t with_value(const char* call, const V& value, std::uint64_t none, const Then& then) {
  if constexpr (is_number<T> && is_number<V>) {
    const auto equal_to = [&](const T& as_element) {
      if constexpr (builtin_type<T>)
        return then(compared<T>{comparison::equal, as_element});
      else
        return then(is_value<T>{as_element});
    };
    // No element equals an integer outside their type's range. A fraction probably has another type: 0.1f.
    if constexpr (std::is_integral_v<V>) {
      T as_element{};
      return core::convert_exactly<T>(value, as_element) ? equal_to(as_element) : none;
    } else {
      return equal_to(core::given_value<T>(call, "the value", value));
    }
  } else if constexpr (std::convertible_to<const V&, T>) {
    return then(is_value<T>{T(value)});
  } else {
    static_assert(std::convertible_to<const V&, T>, "upsweep: this value does not convert to the type of the elements");
    return none;
  }
}

// The end of the elements that pass, if all of them precede all others.
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

}  // namespace upsweep::detail::search_impl
