// Conversion of numbers whose type differs from the elements' type: inits, values, thresholds. A call accepts every
// number that the elements' type represents exactly, such as a literal 0 for floats, and throws for every other.
#pragma once

#include <charconv>
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

#include "upsweep/bfloat16.hpp"
#include "upsweep/error.hpp"
#include "upsweep/operators/runtime_operators.hpp"
#include "upsweep/types.hpp"

namespace upsweep::core {

// Floats of 16 bits, which convert by way of float.
template <class T>
inline constexpr bool is_short_float = std::same_as<T, half> || std::same_as<T, bfloat16>;
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || is_short_float<T>;

// 2^exponent. Requires that V represents it.
template <class V>
constexpr V power_of_two(int exponent) {
  V power = 1;
  for (int i = 0; i < exponent; ++i) power *= 2;
  return power;
}

// Stores `value` as a T in `as` and returns whether the conversion is exact. A NaN remains a NaN; a negative zero may
// become an integer 0.
template <class T, class V>
constexpr bool convert_exactly(const V& value, T& as) {
  if constexpr (std::same_as<T, V>) {
    as = value;
    return true;
  } else if constexpr (is_short_float<V>) {
    return core::convert_exactly<T>(static_cast<float>(value), as);
  } else if constexpr (is_short_float<T>) {
    float wide = 0;
    if (!core::convert_exactly<float>(value, wide)) return false;
    as = T(wide);
    return wide != wide || static_cast<float>(as) == wide;
  } else if constexpr (std::is_integral_v<V> && std::is_integral_v<T>) {
    as = static_cast<T>(value);
    return static_cast<V>(as) == value && (as < T(0)) == (value < V(0));
  } else if constexpr (std::is_integral_v<V>) {
    // A value that rounds up to 2^digits does not fit V, so the conversion back would be undefined.
    as = static_cast<T>(value);
    return as < core::power_of_two<T>(std::numeric_limits<V>::digits) && static_cast<V>(as) == value;
  } else if constexpr (std::is_integral_v<T>) {
    const V limit = core::power_of_two<V>(std::numeric_limits<T>::digits);
    if (!(value < limit && (std::is_signed_v<T> ? value >= -limit : value >= 0))) return false;
    as = static_cast<T>(value);
    return static_cast<V>(as) == value;
  } else if constexpr (std::numeric_limits<V>::digits <= std::numeric_limits<T>::digits) {
    as = static_cast<T>(value);
    return true;
  } else {
    constexpr V most = (std::numeric_limits<T>::max)();
    const bool infinite = value == std::numeric_limits<V>::infinity() || value == -std::numeric_limits<V>::infinity();
    if (!infinite && (value > most || value < -most)) return false;
    as = static_cast<T>(value);
    return value != value || static_cast<V>(as) == value;
  }
}

template <class T>
std::string type_in_words() {
  if constexpr (std::same_as<T, bool>) {
    return "bool";
  } else if constexpr (builtin_type<T>) {
    return std::string(name_of(dtype_of<T>));
  } else if constexpr (std::same_as<T, bfloat16>) {
    return "bfloat16";
  } else {
    return "the elements' type";
  }
}

template <class V>
std::string number_in_words(const V& value) {
  if constexpr (is_short_float<V>) {
    return core::number_in_words(static_cast<float>(value));
  } else if constexpr (std::is_integral_v<V>) {
    return std::to_string(+value);
  } else {
    char text[64];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
  }
}

// `what`: "the init", "the value", "the threshold".
template <class T, class V>
error not_held(const char* call, const char* what, const V& value) {
  return {fault::bad_argument, call,
          std::string(what) + " is " + core::number_in_words(value) + ", which " + core::type_in_words<T>() +
              " does not hold",
          std::floating_point<V> && std::same_as<T, float> ? "give a float, as 0.1f is one"
                                                           : "give one that the elements' type holds"};
}

// Whether a call accepts a V for elements of T: a number of any type if T is a number, else a type that converts to T.
template <class V, class T>
concept given_for = std::same_as<V, T> || (is_number<V> && is_number<T>) ||
                    (!(is_number<V> && is_number<T>) && std::convertible_to<const V&, T>);

// `value` as a T. Throws fault::bad_argument if T does not represent it. `what` names it in the message: "the init".
template <class T, class V>
  requires given_for<V, T>
T given_value(const char* call, const char* what, const V& value) {
  if constexpr (std::same_as<T, V>) {
    return value;
  } else if constexpr (is_number<V> && is_number<T>) {
    T as{};
    if (!core::convert_exactly<T>(value, as)) core::throw_error(core::not_held<T>(call, what, value));
    return as;
  } else {
    return static_cast<T>(value);
  }
}

// A parameter of a call that converts any accepted number to T.
template <class T>
class number_given {
 public:
  number_given() = default;
  template <class V>
    requires given_for<V, T>
  number_given(const V& value) : value_(core::given_value<T>("upsweep", "the init", value)) {}
  operator T() const { return value_; }

 private:
  T value_{};
};
template <class T>
using init_for = std::conditional_t<is_number<T>, number_given<T>, T>;

// Tests with a threshold, such as less_than(1): for elements of T, the threshold is converted to T.
template <class Test>
struct threshold_in {};
template <class V>
struct threshold_in<compared<V>> {
  using type = V;
};
template <class Test, class T>
concept converts_to_test_of =
    requires { typename threshold_in<Test>::type; } && !std::same_as<typename threshold_in<Test>::type, T> &&
    is_number<typename threshold_in<Test>::type> && is_number<T>;
template <class Test, class T>
constexpr void require_threshold() {
  if constexpr (requires { typename threshold_in<Test>::type; }) {
    using V = typename threshold_in<Test>::type;
    static_assert(std::same_as<V, T> || (is_number<V> && is_number<T>),
                  "upsweep: the threshold must have the type of the elements");
  }
}
// The form in which a call applies a test to elements of T: with a converted threshold, or, for a zip_reference
// (views.hpp), with its elements as arguments.
template <class Test, class T>
struct asked_form {
  using type = Test;
};
template <class Test, class T>
  requires converts_to_test_of<Test, T>
struct asked_form<Test, T> {
  using type = compared<T>;
};
template <class Test, class T>
using asked_as = typename asked_form<Test, T>::type;
template <class T>
inline constexpr bool is_zip_reference = false;  // true for the elements of a zip

// Whether a test can be called with elements of T. If not, a static_assert says why.
template <class T, class Test>
constexpr bool require_test_of() {
  constexpr bool asked = std::is_invocable_r_v<bool, const asked_as<Test, T>&, const T&>;
  if constexpr (is_zip_reference<T>)
    static_assert(asked,
                  "upsweep: this test cannot be called with an element of zipped inputs; give it "
                  "`bool operator()(const zip_reference<T, U>& r) const` with r.get<0>() and r.get<1>(), or of two "
                  "inputs `bool operator()(T a, U b) const`");
  else
    static_assert(asked, "upsweep: this test cannot be called with an element; give it `bool operator()(T x) const`");
  if constexpr (asked) core::require_threshold<Test, T>();
  return asked;
}

template <class T, class Test>
asked_as<Test, T> asked_of([[maybe_unused]] const char* call, const Test& test) {
  if constexpr (converts_to_test_of<Test, T>) {
    return {test.how, core::given_value<T>(call, "the threshold", test.threshold)};
  } else if constexpr (std::same_as<asked_as<Test, T>, Test>) {
    return test;
  } else {
    return {test};
  }
}

}  // namespace upsweep::core
