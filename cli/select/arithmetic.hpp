// The arithmetic of conditions: on integers exact, in 128 bits while they last, else as on_reals() has it in doubles.
#pragma once

#include <cmath>
#include <compare>

#include "cli/select/big_integer.hpp"
#include "cli/select/condition.hpp"
#include "upsweep/operators.hpp"

using wide = __int128;
struct overflow {};  // a result has no room in `wide`

inline wide on_integers(condition::kind what, wide a, wide b) {
  using kind = condition::kind;
  wide result = 0;
  bool lost = false;
  switch (what) {
    case kind::add: lost = __builtin_add_overflow(a, b, &result); break;
    case kind::subtract: lost = __builtin_sub_overflow(a, b, &result); break;
    case kind::multiply: lost = __builtin_mul_overflow(a, b, &result); break;
    case kind::remainder:  // by -1 it would overflow on the way
      result = b == -1 ? 0 : a % b;
      if (result != 0 && (result < 0) != (b < 0)) result += b;
      break;
    default:  // negate, and absolute
      if (what == kind::negate || a < 0)
        lost = __builtin_sub_overflow(wide{0}, a, &result);
      else
        result = a;
  }
  if (lost) throw overflow{};
  return result;
}

inline big_integer on_integers(condition::kind what, const big_integer& a, const big_integer& b) {
  using kind = condition::kind;
  switch (what) {
    case kind::add: return a + b;
    case kind::subtract: return a - b;
    case kind::multiply: return a * b;
    case kind::remainder: return remainder(a, b);
    case kind::negate: return -a;
    default: return a.is_negative() ? -a : a;
  }
}

inline double on_reals(condition::kind what, double a, double b) {
  using kind = condition::kind;
  switch (what) {
    case kind::add: return a + b;
    case kind::subtract: return a - b;
    case kind::multiply: return a * b;
    case kind::divide: return a / b;
    case kind::remainder: {
      const double r = std::fmod(a, b);
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
    case kind::negate: return -a;
    default: return std::fabs(a);
  }
}

inline double as_double(wide x) { return static_cast<double>(x); }
inline double as_double(const big_integer& x) { return x.rounded(); }

// a / b, rounded once.
inline double divided(wide a, wide b) {
  constexpr wide exact = wide{1} << 53;
  if (b == 0 || (-exact <= a && a <= exact && -exact <= b && b <= exact))
    return static_cast<double>(a) / static_cast<double>(b);
  return quotient(big_integer(a), big_integer(b));
}
inline double divided(const big_integer& a, const big_integer& b) {
  return b.is_zero() ? a.rounded() / 0.0 : quotient(a, b);
}

// Compares an integer with a double without rounding.
inline std::partial_ordering order_of(wide a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= 0x1p127) return std::partial_ordering::less;
  if (b < -0x1p127) return std::partial_ordering::greater;
  const double below = std::floor(b);
  const auto whole = static_cast<wide>(below);
  return a != whole ? a <=> whole : below <=> b;
}
inline std::partial_ordering order_of(const big_integer& a, double b) {
  if (const auto small = a.small()) return order_of(*small, b);
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (!(std::fabs(b) >= 0x1p127)) return a.is_negative() ? std::partial_ordering::less : std::partial_ordering::greater;
  if (std::isinf(b)) return b > 0 ? std::partial_ordering::less : std::partial_ordering::greater;
  return a <=> big_integer::of_whole(b);
}

inline std::partial_ordering turned(std::partial_ordering order) {
  return order == std::partial_ordering::less      ? std::partial_ordering::greater
         : order == std::partial_ordering::greater ? std::partial_ordering::less
                                                   : order;
}
inline upsweep::comparison turned(upsweep::comparison c) {
  using upsweep::comparison;
  switch (c) {
    case comparison::less: return comparison::greater;
    case comparison::less_equal: return comparison::greater_equal;
    case comparison::greater: return comparison::less;
    case comparison::greater_equal: return comparison::less_equal;
    default: return c;
  }
}

// NaN, and what is not there, meets no comparison but !=.
inline bool holds(upsweep::comparison how, std::partial_ordering order) {
  using upsweep::comparison;
  switch (how) {
    case comparison::less: return order < 0;
    case comparison::less_equal: return order <= 0;
    case comparison::greater: return order > 0;
    case comparison::greater_equal: return order >= 0;
    case comparison::equal: return order == 0;
    default: return order != 0;
  }
}
