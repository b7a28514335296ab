// Operators: a function together with its identity, and the standard library's function objects.
//
//   upsweep::inclusive_scan(c, x, y, upsweep::monoid([](int a, int b) { return a > b ? a : b; }, INT_MIN));
//   upsweep::reduce(c, x, std::bit_or<>{});
//   upsweep::reduce(c, x, 1.0, [](double a, double b) { return a * b; });  // an init serves in place of an identity
#pragma once

#include <algorithm>
#include <functional>

#include "upsweep/core/user_call.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {

// f with its identity e: f(e, x) == x == f(x, e).
template <class F, class T>
struct monoid {
  F f;
  T e;

  monoid(F function, T its_identity) : f(std::move(function)), e(std::move(its_identity)) {}
  template <class A, class B>
  UPSWEEP_HD constexpr auto operator()(const A& a, const B& b) const -> decltype(f(a, b)) {
    return core::call(f, a, b);
  }
  UPSWEEP_HD constexpr T identity() const { return e; }
};

namespace core {

// Op combines two Ts, and may be called from several threads at once. A type that also converts to T is an init; the
// exception is bool, to which every function converts.
template <class Op, class T>
concept operator_on = std::is_invocable_v<const std::remove_cvref_t<Op>&, const T&, const T&> &&
                      (std::is_arithmetic_v<T> || !std::convertible_to<Op, T>);

// The standard's function objects, for any type or for T, are mapped to the library's operators; other operators do not
// change.
template <template <class> class Standard, class Op, class T>
inline constexpr bool is_standard = std::same_as<Op, Standard<void>> || std::same_as<Op, Standard<T>>;

template <class T, class Op>
constexpr decltype(auto) as_operator(const Op& op) {
  if constexpr (!std::is_arithmetic_v<T>) {
    return core::callable_on_a_gpu<T>(op);
  } else if constexpr (is_standard<std::plus, Op, T>) {
    return plus{};
  } else if constexpr (is_standard<std::multiplies, Op, T>) {
    return multiplies{};
  } else if constexpr (is_standard<std::bit_and, Op, T>) {
    return bit_and{};
  } else if constexpr (is_standard<std::bit_or, Op, T>) {
    return bit_or{};
  } else if constexpr (is_standard<std::bit_xor, Op, T>) {
    return bit_xor{};
  } else if constexpr (is_standard<std::logical_and, Op, T>) {
    return logical_and{};
  } else if constexpr (is_standard<std::logical_or, Op, T>) {
    return logical_or{};
  } else if constexpr (std::same_as<Op, std::remove_cvref_t<decltype(std::ranges::min)>>) {
    return minimum{};
  } else if constexpr (std::same_as<Op, std::remove_cvref_t<decltype(std::ranges::max)>>) {
    return maximum{};
  } else {
    return core::callable_on_a_gpu<T>(op);
  }
}

}  // namespace core

}  // namespace upsweep
