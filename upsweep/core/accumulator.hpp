// In which type a fold is kept: that of the elements, or one that holds all of them, as init and output ask for it.
// What would narrow on the way does not compile.
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

#include "upsweep/operators.hpp"

namespace upsweep::core {

// Every value of From is one of To.
template <class From, class To>
constexpr bool holds_all() {
  if constexpr (std::same_as<From, To>) {
    return true;
  } else if constexpr (std::integral<From> && std::integral<To>) {
    return std::numeric_limits<From>::digits <= std::numeric_limits<To>::digits &&
           std::is_signed_v<From> <= std::is_signed_v<To>;
  } else if constexpr (std::is_arithmetic_v<From> && std::floating_point<To>) {
    return std::numeric_limits<From>::digits <= std::numeric_limits<To>::digits;
  } else if constexpr (std::same_as<From, half>) {
    return std::same_as<To, float> || std::same_as<To, double>;
  } else {
    return !std::is_arithmetic_v<From> && std::convertible_to<From, To>;
  }
}

// A number written as int beside integers of another type stands for one of theirs: reduce(c, u64s, 0).
template <class Init, class T>
inline constexpr bool is_plain_number = std::same_as<Init, int> && std::integral<T> && sizeof(T) >= sizeof(int);

struct narrows {};

// The type that a fold of Ts from an Init is kept in, or `narrows`.
template <class T, class Init>
constexpr auto kept_in() {
  if constexpr (holds_all<T, Init>() && !is_plain_number<Init, T>) {
    return std::type_identity<Init>{};
  } else if constexpr (holds_all<Init, T>() || is_plain_number<Init, T>) {
    return std::type_identity<T>{};
  } else if constexpr (!std::is_arithmetic_v<T> && std::convertible_to<const Init&, T>) {
    return std::type_identity<T>{};
  } else {
    return std::type_identity<narrows>{};
  }
}

template <class T, class Init>
using accumulator = typename decltype(kept_in<std::remove_cvref_t<T>, std::remove_cvref_t<Init>>())::type;

// What stands in init's place may be meant for an operator.
template <class T, class Init>
constexpr void require_init() {
  static_assert(
      std::convertible_to<Init, T> || std::convertible_to<T, Init> || !std::is_class_v<Init>,
      "upsweep: this operator cannot be applied to two elements; give it `T operator()(T a, T b) const` (threads "
      "share it, so that a lambda may not be mutable), or give an init of the elements' type");
}

template <class T, class Init>
constexpr void require_no_narrowing() {
  core::require_init<T, Init>();
  static_assert(
      !std::same_as<accumulator<T, Init>, narrows>,
      "upsweep: neither the elements' type nor init's holds all values of the other; write init in a type that "
      "holds both, such as 0.0 or std::int64_t{0}, or convert the elements by a transform");
}
// What is folded in A is written to elements of To.
template <class A, class To>
constexpr void require_place() {
  static_assert(
      holds_all<A, To>(),
      "upsweep: the output's elements do not hold every value of the fold; give it an output of the type that "
      "is folded in, or fold in the output's");
}

}  // namespace upsweep::core
