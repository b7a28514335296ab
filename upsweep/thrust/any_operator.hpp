// Operators without an identity, as Thrust accepts them. Calls that require an identity fold pairs of an element and a
// flag instead; the identity is a pair without an element.
#pragma once

#include <utility>

#include "upsweep/core/config.hpp"
#include "upsweep/core/user_call.hpp"
#include "upsweep/operators/monoid.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

template <class T>
struct one_or_none {
  T value;
  bool is_one;
};

template <class T, class Op>
struct of_ones {
  Op op;
  UPSWEEP_HD one_or_none<T> operator()(const one_or_none<T>& a, const one_or_none<T>& b) const {
    if (!a.is_one) return b;
    if (!b.is_one) return a;
    return {static_cast<T>(core::call(op, a.value, b.value)), true};
  }
  UPSWEEP_HD static one_or_none<T> identity() { return {T{}, false}; }
};

template <class T, class F = identity>
struct as_one {
  F f;
  template <class X>
  UPSWEEP_HD one_or_none<T> operator()(const X& x) const {
    return {static_cast<T>(core::call(f, x)), true};
  }
};
struct value_of_one {
  template <class T>
  UPSWEEP_HD T operator()(const one_or_none<T>& x) const {
    return x.value;
  }
};

template <class T, class Op>
inline constexpr bool lacks_identity =
    !has_identity<std::remove_cvref_t<decltype(core::as_operator<T>(std::declval<const Op&>()))>, T>;

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
