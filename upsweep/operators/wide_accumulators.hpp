// The types in which sums and products of floats are computed, so that a value leaves the range of its type, or is
// rounded, only where a result is stored.
//
// A parallel fold groups elements differently from the sequential definition, so a group's value may be infinite, 0
// or far larger than any prefix. A carrier has range for all of them:
//
//   f32 plus          f64; a sum of 2^64 elements is below 2^192
//   f64 plus          scaled_sum: f64, or f64 times 2^128
//   multiplies        scaled_product: f64 times a power of two
//
// 0, infinity and NaN follow IEEE arithmetic: infinity times 0 is NaN.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/operators.hpp"

namespace upsweep::core {

// 2^k for |k| ≤ 1022.
UPSWEEP_HD inline double power_of_two(int k) {
  const std::uint64_t bits = static_cast<std::uint64_t>(1023 + k) << 52;
#if defined(__CUDACC_RTC__)  // which has no std::memcpy
  return __longlong_as_double(static_cast<long long>(bits));
#else
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

UPSWEEP_HD constexpr bool is_finite(double x) { return x - x == 0; }

// m, or m·2^128 where the sum is beyond the range of f64.
struct scaled_sum {
  double m;
  std::int32_t far;

  UPSWEEP_HD constexpr scaled_sum(double x = 0) : m(x), far(0) {}
  UPSWEEP_HD constexpr explicit operator double() const { return far ? m * 0x1p128 : m; }

  UPSWEEP_HD friend scaled_sum operator+(scaled_sum a, scaled_sum b) {
    const double sum = a.m + b.m;
    if (!(a.far | b.far) && is_finite(sum)) return sum;
    return add_far(a, b);
  }

 private:
  UPSWEEP_HD static scaled_sum add_far(scaled_sum a, scaled_sum b) {
    const double sum = (a.far ? a.m : a.m * 0x1p-128) + (b.far ? b.m : b.m * 0x1p-128), near = sum * 0x1p128;
    scaled_sum s(is_finite(near) || !is_finite(sum) ? near : sum);
    s.far = is_finite(sum) && !is_finite(near);
    return s;
  }
};

// m·2^e. |m| is within [2^-500, 2^500], or m is 0, infinite or NaN; in these cases e has no meaning. e is a multiple of
// 500, and stays 0 as long as m is within its range.
struct scaled_product {
  static constexpr double high = 0x1p500, low = 0x1p-500;
  static constexpr std::int32_t step = 500, most = 500 << 19;

  double m;
  std::int32_t e;

  UPSWEEP_HD scaled_product(double x = 1) : m(x), e(0) {
    settle();
    settle();  // 2^-1074 is two steps away
  }
  UPSWEEP_HD scaled_product(float x) : m(x), e(0) {}
  UPSWEEP_HD explicit scaled_product(int x) : m(x), e(0) {}
  // m·2^exponent, |m| being within [2^-500, 2^500], or 0, infinite or NaN.
  UPSWEEP_HD static scaled_product of(double m, std::int64_t exponent) {
    const std::int64_t bounded = exponent > most ? most : exponent < -most ? -most : exponent;
    scaled_product p(m * power_of_two(static_cast<int>(bounded % step)));
    p.e += static_cast<std::int32_t>(bounded - bounded % step);
    return p;
  }
  UPSWEEP_HD explicit operator double() const {
    if (e == 0) return m;
    const int k = e > 2000 ? 2000 : e < -2000 ? -2000 : e;
    return m * power_of_two(k / 2) * power_of_two(k / 2);
  }
  UPSWEEP_HD explicit operator float() const { return static_cast<float>(static_cast<double>(*this)); }

  UPSWEEP_HD friend scaled_product operator*(scaled_product a, scaled_product b) {
    a.m *= b.m;
    a.e += b.e;
    a.settle();
    return a;
  }

 private:
  UPSWEEP_HD void settle() {
    const double size = m < 0 ? -m : m;
    if (size <= high && size >= low) return bound();
    if (size > high && is_finite(size)) {
      m *= low;
      e += step;
    } else if (size < low && size > 0) {
      m *= high;
      e -= step;
    }
    bound();
  }
  // So that no chain's exponent overflows: a product of this size is infinite, or 0, in every type.
  UPSWEEP_HD void bound() { e = e > most ? most : e < -most ? -most : e; }
};

template <class T, class Op>
struct carrier_for {
  using type = T;
};
template <>
struct carrier_for<float, plus> {
  using type = double;
};
template <>
struct carrier_for<double, plus> {
  using type = scaled_sum;
};
template <>
struct carrier_for<float, multiplies> {
  using type = scaled_product;
};
template <>
struct carrier_for<double, multiplies> {
  using type = scaled_product;
};

// The type that a fold of T by Op runs in; T itself if Op does not round or is a user-defined function.
template <class T, class Op>
using carrier = typename carrier_for<T, Op>::type;

}  // namespace upsweep::core
