// What is carried from block to block. Sums of floats are carried in twice the precision of their elements, so that a
// chain of any length rounds less than the elements' own additions do; everything else is carried as it is. (A product
// gains nothing by that: each of its n factors rounds once, in whatever order.)
#pragma once

#include <cmath>

#include "upsweep/operators.hpp"

namespace upsweep::cpu {

// hi + lo, unevaluated; lo is what rounding took from hi. When hi is infinite or NaN, lo means nothing.
struct two_doubles {
  double hi, lo;
};

template <class T, class Op>
inline constexpr bool carried_wide = std::is_floating_point_v<T> && std::is_same_v<Op, plus>;

template <class T, class Op>
using carry_of =
    std::conditional_t<!carried_wide<T, Op>, T, std::conditional_t<std::is_same_v<T, float>, double, two_doubles>>;

template <class T, class Op>
carry_of<T, Op> to_carry(T x) {
  if constexpr (std::is_same_v<carry_of<T, Op>, two_doubles>) {
    return {x, 0};
  } else {
    return x;
  }
}

template <class T, class Op>
T from_carry(carry_of<T, Op> c) {
  if constexpr (std::is_same_v<carry_of<T, Op>, two_doubles>) {
    return std::isfinite(c.hi) ? c.hi + c.lo : c.hi;
  } else {
    return static_cast<T>(c);
  }
}

template <class T, class Op>
carry_of<T, Op> join(carry_of<T, Op> a, carry_of<T, Op> b) {
  if constexpr (!std::is_same_v<carry_of<T, Op>, two_doubles>) {
    return Op{}(a, b);
  } else {
    const double sum = a.hi + b.hi, added = sum - a.hi;
    const double lost = (a.hi - (sum - added)) + (b.hi - added);  // Knuth's TwoSum: exact
    return {sum, lost + (a.lo + b.lo)};
  }
}

}  // namespace upsweep::cpu
