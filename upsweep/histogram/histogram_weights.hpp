// Sums of weights that do not depend on the order of the samples: each weight becomes an integer, and integers are
// added.
//
// A first pass finds the largest exponent of the weights of each bin. It fixes the bin's unit 2^u: with the largest |w|
// of the bin below 2^E and n samples, u = E + ceil(log2 n) - 126, and at least -1074. A second pass rounds each weight
// to a multiple of the unit, halves away from zero, and adds it to an integer of 128 bits, which cannot overflow. The
// integer is rounded once, to f64.
//
// The sum of a bin so differs from the true one by at most n · 2^(u-1) before that rounding: by n · n · 2^-127 of the
// largest |w| of the bin, and by nothing where every weight of the bin is a multiple of the unit. Weights of other
// bins, and of samples in no bin, do not matter. The bits are equal on every backend, in any order, with any number of
// threads.
//
// Infinities and NaN: the exponent says that there is one among the weights of the bin. The low half of the integer
// then counts +inf and NaN, the high half -inf and NaN.
// (__builtin_bit_cast because device code may not call std::bit_cast.)
#pragma once

#include <cstdint>

#include "upsweep/half.hpp"
#include "upsweep/types.hpp"

namespace upsweep::detail::histogram_impl {

// w = ±fraction · 2^(exponent - 1075) with fraction below 2^53 and exponent from 1 on: the exponent field of an f64.
// exponent == not_finite: an infinity, or NaN where the fraction is not zero.
struct weight_parts {
  std::uint32_t exponent;
  bool negative;
  std::uint64_t fraction;
};
inline constexpr std::uint32_t not_finite = 2047;

UPSWEEP_HD inline weight_parts parts_of(double w) {
  const auto all = __builtin_bit_cast(std::uint64_t, w), fraction = all & ((std::uint64_t{1} << 52) - 1);
  const auto field = static_cast<std::uint32_t>(all >> 52 & 2047);
  if (field == not_finite) return {not_finite, all >> 63 != 0, fraction};
  return {field ? field : 1, all >> 63 != 0, field ? fraction | std::uint64_t{1} << 52 : fraction};
}
UPSWEEP_HD inline weight_parts parts_of(float w) {
  const auto all = __builtin_bit_cast(std::uint32_t, w), fraction = all & 0x7fffffu, field = all >> 23 & 255;
  if (field == 255) return {not_finite, all >> 31 != 0, fraction};
  // 896 = 1023 - 127, and 29 = 52 - 23.
  return {(field ? field : 1) + 896, all >> 31 != 0, std::uint64_t{field ? fraction | 0x800000u : fraction} << 29};
}

// ceil(log2 n)
UPSWEEP_HD inline int bits_of_count(std::uint64_t n) {
  int bits = 0;
  while (bits < 64 && (bits == 63 ? n > std::uint64_t{1} << 63 : std::uint64_t{1} << bits < n)) ++bits;
  return bits;
}

// 128 bits.
struct fixed_point {
  std::uint64_t low, high;
};

// u of a bin's unit 2^u, by the largest exponent of its weights; 0 where it has none.
UPSWEEP_HD inline int unit_of(std::uint32_t exponent, int bits_of_n) {
  const int u = static_cast<int>(exponent ? exponent : 1) - 1022 + bits_of_n - 126;
  return u < -1074 ? -1074 : u;
}

// The integer that a weight adds in a bin with this largest exponent. Where `w.negative` and the bin is finite it is
// subtracted.
UPSWEEP_HD inline fixed_point fixed_of(const weight_parts& w, std::uint32_t exponent, int bits_of_n) {
  if (exponent == not_finite) {
    if (w.exponent != not_finite) return {0, 0};
    const bool nan = w.fraction != 0;
    return {nan || !w.negative ? 1u : 0u, nan || w.negative ? 1u : 0u};
  }
  const int shift = static_cast<int>(w.exponent) - 1075 - unit_of(exponent, bits_of_n);  // at most 73
  if (shift >= 64) return {0, w.fraction << (shift - 64)};
  if (shift > 0) return {w.fraction << shift, w.fraction >> (64 - shift)};
  if (shift == 0) return {w.fraction, 0};
  if (shift < -53) return {0, 0};
  return {(w.fraction + (std::uint64_t{1} << (-shift - 1))) >> -shift, 0};
}

// Whether fixed_of() is to be subtracted.
UPSWEEP_HD inline bool is_subtracted(const weight_parts& w, std::uint32_t exponent) {
  return w.negative && exponent != not_finite;
}

UPSWEEP_HD inline fixed_point added(fixed_point a, fixed_point b) {
  const std::uint64_t low = a.low + b.low;
  return {low, a.high + b.high + (low < a.low ? 1 : 0)};
}
UPSWEEP_HD inline fixed_point difference(fixed_point a, fixed_point b) {
  return {a.low - b.low, a.high - b.high - (a.low < b.low ? 1 : 0)};
}

// The f64 that is nearest to the integer times the unit; ties to even.
UPSWEEP_HD inline double to_double(fixed_point sum, std::uint32_t exponent, int bits_of_n) {
  constexpr std::uint64_t infinity = std::uint64_t{2047} << 52;
  if (exponent == not_finite) {
    const std::uint64_t nan = infinity | std::uint64_t{1} << 51, negative = infinity | std::uint64_t{1} << 63;
    return __builtin_bit_cast(double, sum.low == 0 ? negative : sum.high == 0 ? infinity : nan);
  }
  const std::uint64_t sign = sum.high >> 63 << 63;
  const fixed_point m = sign ? difference({0, 0}, sum) : sum;
  if ((m.low | m.high) == 0) return 0.0;
  int lead = m.high ? 127 : 63;  // the place of the highest bit
  while (((lead > 63 ? m.high >> (lead - 64) : m.low >> lead) & 1) == 0) --lead;
  const int u = unit_of(exponent, bits_of_n);
  std::uint64_t fraction = 0;
  if (lead <= 52) {
    if (lead + u + 1023 <= 0) return __builtin_bit_cast(double, sign | m.low << (u + 1074));  // subnormal, exact
    fraction = m.low << (52 - lead);
  } else {
    const int lost = lead - 52;  // from 1 to 75
    const auto bit = [&](int i) { return (i > 63 ? m.high >> (i - 64) : m.low >> i) & 1; };
    const bool half = bit(lost - 1) != 0;
    const bool more = lost > 65 ? m.low != 0 || (m.high & ((std::uint64_t{1} << (lost - 65)) - 1)) != 0
                                : lost > 1 && m.low << (65 - lost) != 0;
    fraction = lost > 64 ? m.high >> (lost - 64) : lost == 64 ? m.high : m.high << (64 - lost) | m.low >> lost;
    if (half && (more || (fraction & 1))) ++fraction;
    if (fraction >> 53) fraction >>= 1, ++lead;
  }
  const int field = lead + u + 1023;
  if (field >= 2047) return __builtin_bit_cast(double, sign | infinity);
  return __builtin_bit_cast(
      double, sign | static_cast<std::uint64_t>(field) << 52 | (fraction & ((std::uint64_t{1} << 52) - 1)));
}

// Sums of parts, compensated for the rounding of each addition (Neumaier 1974), for the host's sums of chunks.
class sum_of_parts {
 public:
  void add(double part) {
    const double sum = sum_ + part, from_part = sum - sum_, from_sum = sum - from_part;
    const double lost = (sum_ - from_sum) + (part - from_part);
    if (lost - lost == 0) lost_ += lost;  // NaN where an infinity is added or the sum overflows
    sum_ = sum;
  }
  // A NaN that results from infinities has no sign.
  double value() const { return sum_ != sum_ ? __builtin_nan("") : sum_ - sum_ == 0 ? sum_ + lost_ : sum_; }

 private:
  double sum_ = 0, lost_ = 0;
};

// Weights in memory, of f32 or f64.
struct weights_in_memory {
  const void* weights;
  bool wide;
  UPSWEEP_HD weight_parts operator()(std::uint64_t i) const {
    return wide ? parts_of(static_cast<const double*>(weights)[i]) : parts_of(static_cast<const float*>(weights)[i]);
  }
};

}  // namespace upsweep::detail::histogram_impl
