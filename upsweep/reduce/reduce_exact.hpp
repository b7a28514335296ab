// Exact sums of floating-point numbers: one wide integer that holds every bit a float or double can have.
//
// A sum is a row of digits of 32 bits, each in a signed 64-bit column, so that about 2^30 numbers can be added before a
// carry must be moved on. Digit 0 begins at the lowest bit of a subnormal. The integer mantissa of a number is shifted
// to its position, where it overlaps two digits (float) or three (double). Integer addition is associative and
// commutative, so any split of the work, in any order, on any device, ends in the same digits. One rounding to nearest,
// ties to even, gives the result. Host and GPU compile the same source; reduce_opencl_reproducible.cl is its
// counterpart in OpenCL C.
//
// NaN in the input, or infinities of both signs, give the one quiet NaN. A sum of zero is +0.
#pragma once

#include <cstdint>
#include <cstring>

#include "upsweep/types.hpp"

namespace upsweep {

template <class T>
struct exact_format;

template <>
struct exact_format<float> {
  using bits = std::uint32_t;
  static constexpr int mantissa = 23, max_exponent = 255, digits = 10;  // 278 bits, and 73 for the growth of the sum
};

template <>
struct exact_format<double> {
  using bits = std::uint64_t;
  static constexpr int mantissa = 52, max_exponent = 2047, digits = 68;  // 2099 bits, and 108 for the growth
};

template <class T>
UPSWEEP_HD inline typename exact_format<T>::bits exact_bits(T x) {
  typename exact_format<T>::bits b;
  memcpy(&b, &x, sizeof b);
  return b;
}

enum : std::uint32_t { exact_nan = 1, exact_plus_infinity = 2, exact_minus_infinity = 4 };

// The flag that records an infinity or a NaN, which have no digits.
template <class T>
UPSWEEP_HD inline std::uint32_t exact_flag(typename exact_format<T>::bits b) {
  using f = exact_format<T>;
  if ((b & ((typename f::bits(1) << f::mantissa) - 1)) != 0) return exact_nan;
  return b >> (8 * sizeof b - 1) ? exact_minus_infinity : exact_plus_infinity;
}

// Adds one number to the digits at digit[0], digit[stride], …; returns its flag.
template <class T>
UPSWEEP_HD inline std::uint32_t exact_add(std::int64_t* digit, int stride, typename exact_format<T>::bits b) {
  using f = exact_format<T>;
  using bits = typename f::bits;
  const int exponent = static_cast<int>(b >> f::mantissa) & f::max_exponent;
  if (exponent == f::max_exponent) return exact_flag<T>(b);
  const std::uint64_t fraction = b & ((bits(1) << f::mantissa) - 1);
  const std::uint64_t m = exponent ? fraction | std::uint64_t(1) << f::mantissa : fraction;
  const int offset = exponent ? exponent - 1 : 0, shift = offset & 31;
  const std::int64_t sign = -static_cast<std::int64_t>(b >> (8 * sizeof b - 1));  // 0 or -1: (x ^ sign) - sign is ±x
  std::int64_t* place = digit + (offset >> 5) * stride;
  const std::uint64_t above = shift ? m >> (32 - shift) : m >> 32;
  place[0] += (static_cast<std::int64_t>(static_cast<std::uint32_t>(m << shift)) ^ sign) - sign;
  place[stride] += (static_cast<std::int64_t>(static_cast<std::uint32_t>(above)) ^ sign) - sign;
  if constexpr (sizeof(T) == 8) place[2 * stride] += (static_cast<std::int64_t>(above >> 32) ^ sign) - sign;
  return 0;
}

// Propagates carries: every digit except the last is then in [0, 2^32). The last is signed and holds the rest.
template <class T>
UPSWEEP_HD inline void exact_normalise(std::int64_t* digit, int stride) {
  constexpr int last = exact_format<T>::digits - 1;
  std::int64_t carry = 0;
  for (int i = 0; i < last; ++i) {
    const std::int64_t t = digit[i * stride] + carry;
    digit[i * stride] = t & 0xffffffff;
    carry = t >> 32;
  }
  digit[last * stride] += carry;
}

// Returns the number nearest to the sum, as bits. It normalises the digits, and may negate them.
template <class T>
UPSWEEP_HD inline typename exact_format<T>::bits exact_round(std::int64_t* digit, std::uint32_t flags) {
  using f = exact_format<T>;
  using bits = typename f::bits;
  constexpr int count = f::digits;
  constexpr bits infinity = bits(f::max_exponent) << f::mantissa, minus = bits(1) << (8 * sizeof(bits) - 1);
  if (flags & exact_nan || (flags & exact_plus_infinity && flags & exact_minus_infinity))
    return infinity | bits(1) << (f::mantissa - 1);
  if (flags & exact_plus_infinity) return infinity;
  if (flags & exact_minus_infinity) return infinity | minus;

  exact_normalise<T>(digit, 1);
  const bits sign = digit[count - 1] < 0 ? minus : 0;
  if (sign) {
    for (int i = 0; i < count; ++i) digit[i] = -digit[i];
    exact_normalise<T>(digit, 1);
  }
  int top = count - 1;
  while (top > 0 && digit[top] == 0) --top;
  if (digit[top] == 0) return 0;
  if (digit[top] >> 32)
    return sign | infinity;  // only the last digit can be that long, and it is far above the largest number

  int highest = 32 * top;  // the position of the highest bit
  for (std::int64_t d = digit[top]; d > 1; d >>= 1) ++highest;
  // Digits 0 and 1 hold a subnormal, or a number of the lowest exponent, as the format itself writes it.
  if (highest <= f::mantissa) return sign | static_cast<bits>(digit[0] | digit[1] << 32);

  const int drop = highest - f::mantissa;   // bits below the mantissa
  const auto window = [digit](int place) {  // 64 bits from that position up
    const int i = place >> 5, s = place & 31;
    const auto at = [digit](int k) { return k < count ? static_cast<std::uint64_t>(digit[k]) : 0; };
    const std::uint64_t low = at(i) | at(i + 1) << 32;
    return s ? low >> s | at(i + 2) << (64 - s) : low;
  };
  const std::uint64_t mantissa = window(drop) & ((std::uint64_t(2) << f::mantissa) - 1);
  bool half = digit[(drop - 1) >> 5] >> ((drop - 1) & 31) & 1;
  if (half && !(mantissa & 1)) {  // a tie goes to even: up only if a bit below the half is set
    const int i = (drop - 1) >> 5;
    half = (digit[i] & ((std::int64_t(1) << ((drop - 1) & 31)) - 1)) != 0;
    for (int k = 0; k < i && !half; ++k) half = digit[k] != 0;
  }
  // A mantissa that rounds up to the next power of two carries into the exponent, and the largest number carries into
  // infinity, without further code.
  if (drop + 1 >= f::max_exponent) return sign | infinity;
  return sign | static_cast<bits>((std::uint64_t(drop) << f::mantissa) + mantissa + half);
}

}  // namespace upsweep
