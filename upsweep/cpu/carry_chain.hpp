// The carry from block to block. Sums of floats are carried in twice the precision of the elements, so a chain of any
// length rounds less than the additions of the elements do. The carry has enough range for any fold of a block. Carries
// of products have that range too (operators/wide_accumulators.hpp). All other carries have the type of the elements.
#pragma once

#include <cmath>

#include "upsweep/operators/wide_accumulators.hpp"

namespace upsweep::cpu {

// hi + lo, unevaluated, times 2^128 if `far`. lo is the rounding error of hi. If hi is infinite or NaN, lo has no
// meaning.
struct two_doubles {
  double hi, lo;
  bool far = false;
};

template <class T, class Op>
inline constexpr bool carried_wide =
    std::is_floating_point_v<T> && (std::is_same_v<Op, plus> || std::is_same_v<Op, multiplies>);

template <class T, class Op>
using carry_of =
    std::conditional_t<std::is_same_v<T, double> && std::is_same_v<Op, plus>, two_doubles, core::carrier<T, Op>>;

template <class T, class Op>
carry_of<T, Op> to_carry(T x) {
  if constexpr (std::is_same_v<carry_of<T, Op>, two_doubles>) {
    return {x, 0};
  } else {
    return x;
  }
}

inline double value_of(const two_doubles& c) {
  const double sum = std::isfinite(c.hi) ? c.hi + c.lo : c.hi;
  return c.far ? sum * 0x1p128 : sum;
}

template <class T, class Op>
T from_carry(carry_of<T, Op> c) {
  if constexpr (std::is_same_v<carry_of<T, Op>, two_doubles>) {
    return value_of(c);
  } else {
    return static_cast<T>(c);
  }
}

// Knuth's TwoSum: exact.
inline two_doubles sum_of_two(const two_doubles& a, const two_doubles& b) {
  const double sum = a.hi + b.hi, added = sum - a.hi;
  const double lost = (a.hi - (sum - added)) + (b.hi - added);
  return {sum, lost + (a.lo + b.lo)};
}

inline two_doubles far_sum_of_two(two_doubles a, two_doubles b) {
  for (two_doubles* x : {&a, &b})
    if (!x->far) *x = {x->hi * 0x1p-128, x->lo * 0x1p-128};
  const two_doubles sum = sum_of_two(a, b);
  if (std::isfinite(sum.hi) && !std::isfinite(sum.hi * 0x1p128)) return {sum.hi, sum.lo, true};
  return {sum.hi * 0x1p128, sum.lo * 0x1p128};
}

template <class T, class Op>
carry_of<T, Op> join(carry_of<T, Op> a, carry_of<T, Op> b) {
  if constexpr (!std::is_same_v<carry_of<T, Op>, two_doubles>) {
    return Op{}(a, b);
  } else {
    const two_doubles sum = sum_of_two(a, b);
    return std::isfinite(sum.hi) && !a.far && !b.far ? sum : far_sum_of_two(a, b);
  }
}

}  // namespace upsweep::cpu
