// Sums of weights that do not depend on their order: each weight becomes an integer, and integers are added.
//
// A weight w becomes round(w · 2^e), halves away from zero, in an i64; e is such that n weights cannot overflow: with
// the largest |w| below 2^E, e = 62 - E - ceil(log2 n). A sum so differs from the true one by at most n · 2^(-e-1),
// that is by n · 2^(-61 + log2 n) times the largest
// |w|, and by nothing where every weight is a multiple of 2^-e: all those of at least n · 2^-36 times the largest are.
// The sum is rounded once, to f64. The same bits come out on every backend, in any order, with any number of threads.
// The scale is that of all n weights, those of samples in no bin too. If any of them is infinite or NaN, every sum is
// NaN.
// (__builtin_bit_cast because device code may not call std::bit_cast.)
#pragma once

#include <cstdint>
#include <limits>

#include "upsweep/half.hpp"

namespace upsweep::histogram_room {

// |w| as a number that orders as |w| does. The largest over all weights is what weight_scale takes; where NaN or
// infinity is among them it is at least `not_finite`.
UPSWEEP_HD inline std::uint32_t weight_magnitude(float w) { return __builtin_bit_cast(std::uint32_t, w) & 0x7fffffffu; }
inline constexpr std::uint32_t not_finite = 0x7f800000u;

struct weight_scale {
  int exponent = 0;  // e
  bool finite = true;

  weight_scale() = default;
  UPSWEEP_HD weight_scale(std::uint32_t largest_magnitude, std::uint64_t n) : finite(largest_magnitude < not_finite) {
    const int field = static_cast<int>(largest_magnitude >> 23);
    int bits = 0;  // ceil(log2 n)
    while (bits < 63 && (std::uint64_t{1} << bits) < n) ++bits;
    exponent = 62 - ((field > 0 ? field : 1) - 126) - bits;
  }

  UPSWEEP_HD std::int64_t fixed(float w) const {
    const std::uint32_t all = __builtin_bit_cast(std::uint32_t, w), field = all >> 23 & 255;
    const std::uint64_t fraction = field > 0 ? (all & 0x7fffffu) | 0x800000u : all & 0x7fffffu;
    const int shift = static_cast<int>(field > 0 ? field : 1) - 150 + exponent;  // w = ±fraction · 2^(shift - e)
    std::uint64_t magnitude = 0;
    if (shift >= 0) {
      magnitude = fraction << (shift & 63);
    } else if (shift > -32) {
      magnitude = (fraction + (std::uint64_t{1} << (-shift - 1))) >> -shift;
    }
    return all >> 31 ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
  }

  // The sum that integers of that sum stand for.
  UPSWEEP_HD double sum(std::int64_t fixed_sum) const {
    if (!finite) return __builtin_bit_cast(double, std::uint64_t{0x7ff8000000000000});
    // 2^-e: e lies between -129 and 211.
    return static_cast<double>(fixed_sum) *
           __builtin_bit_cast(double, static_cast<std::uint64_t>(1023 - exponent) << 52);
  }
};

}  // namespace upsweep::histogram_room
