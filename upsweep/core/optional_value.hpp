// Elements for folds by an operator without an identity, in algorithms that need one: each element becomes a present
// value, and an absent value is the identity. The operator is called with present values only.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/core/user_call.hpp"

namespace upsweep::core {

template <class T>
struct optional_value {
  using value_type = T;
  union {
    unsigned char bytes[sizeof(T)];
    T value;
  };
  std::uint32_t is_present;

  UPSWEEP_HD constexpr optional_value() : bytes{}, is_present(0) {}
  UPSWEEP_HD constexpr explicit optional_value(const T& x) : value(x), is_present(1) {}
};

template <class T>
inline constexpr bool is_optional_value = false;
template <class T>
inline constexpr bool is_optional_value<optional_value<T>> = true;

template <class Op, class T>
struct operator_on_present {
  using V = optional_value<T>;
  static constexpr bool commutes = requires { requires Op::commutes; };
  static constexpr bool is_only_source = core::is_only_source<Op>;
  Op op;

  UPSWEEP_HD constexpr V operator()(const V& a, const V& b) const {
    if (!a.is_present) return b;
    if (!b.is_present) return a;
    return V(T(core::call(op, a.value, b.value)));
  }
  UPSWEEP_HD static constexpr V identity() { return {}; }
};
template <class Op>
inline constexpr bool is_on_present = false;
template <class Op, class T>
inline constexpr bool is_on_present<operator_on_present<Op, T>> = true;

// f(in[i]) as a present value.
template <class T, class In, class F>
struct present_function {
  In in;
  F f;
  UPSWEEP_HD constexpr optional_value<T> operator()(std::uint64_t i) const {
    return optional_value<T>(T(core::call(f, in[i])));
  }
};

// A fold's value, or what its output holds where nothing was folded.
template <class Folds, class Kept>
struct fold_or_kept_function {
  Folds folds;
  Kept kept;
  UPSWEEP_HD constexpr auto operator()(std::uint64_t i) const { return folds(i).is_present ? folds(i).value : kept(i); }
};

}  // namespace upsweep::core
