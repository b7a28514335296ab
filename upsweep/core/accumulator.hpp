// Chooses the accumulator type of a reduction or scan: the type of the elements, or the type of the init or output if
// it represents every element. A call that would narrow elements does not compile. An init is converted if the
// conversion preserves its value (lossless_conversion.hpp).
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

#include "upsweep/core/lossless_conversion.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::core {

// Whether To represents every value of From.
template <class From, class To>
constexpr bool holds_all() {
  if constexpr (std::same_as<From, To>) {
    return true;
  } else if constexpr (std::integral<From> && std::integral<To>) {
    return std::numeric_limits<From>::digits <= std::numeric_limits<To>::digits &&
           std::is_signed_v<From> <= std::is_signed_v<To>;
  } else if constexpr (std::is_arithmetic_v<From> && std::floating_point<To>) {
    return std::numeric_limits<From>::digits <= std::numeric_limits<To>::digits;
  } else if constexpr (is_short_float<From>) {
    return std::same_as<To, float> || std::same_as<To, double>;
  } else {
    return !std::is_arithmetic_v<From> && std::convertible_to<From, To>;
  }
}

// Whether an Init of type int, such as a literal, means a value of the other integer type T: reduce(c, u64s, 0).
template <class Init, class T>
inline constexpr bool is_plain_number = std::same_as<Init, int> && std::integral<T> && sizeof(T) >= sizeof(int);

// Whether an init is converted to T by value and does not choose the accumulator type: a literal 0 for floats, 0u for
// ints. False for a float with integer elements that it cannot represent, because the call does not say whether their
// sum is to be a float.
template <class Init, class T>
inline constexpr bool is_init_value = (std::integral<Init> && (std::is_arithmetic_v<T> || std::same_as<T, bfloat16>)) ||
                                      (std::is_floating_point_v<Init> && std::is_floating_point_v<T>);

struct narrows {};

// The accumulator type for elements of T and an Init, or `narrows` if there is none.
template <class T, class Init>
constexpr auto kept_in() {
  if constexpr (holds_all<T, Init>() && !is_plain_number<Init, T>) {
    return std::type_identity<Init>{};
  } else if constexpr (holds_all<Init, T>() || is_init_value<Init, T>) {
    return std::type_identity<T>{};
  } else if constexpr (!std::is_arithmetic_v<T> && std::convertible_to<const Init&, T>) {
    return std::type_identity<T>{};
  } else {
    return std::type_identity<narrows>{};
  }
}

template <class T, class Init>
using accumulator = typename decltype(kept_in<std::remove_cvref_t<T>, std::remove_cvref_t<Init>>())::type;

// The message mentions operators because the argument in the position of the init may be intended as one.
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
// Checks that an accumulator of type A can be written to elements of To.
template <class A, class To>
constexpr void require_place() {
  static_assert(
      holds_all<A, To>(),
      "upsweep: the output's elements do not hold every value of the fold; give it an output of the type that "
      "is folded in, or fold in the output's");
}

}  // namespace upsweep::core
