// half: the 16-bit IEEE 754 floating-point format (binary16). It converts to float exactly; conversion from float
// rounds to nearest, ties to even. Uses __builtin_bit_cast, because device code may not call std::bit_cast.
//
//   std::vector<upsweep::half> x(1000, upsweep::half(0.5f));
//   float total = upsweep::reduce(cpu, x, 0.0f);                          // accumulates in float
#pragma once

#include <cstdint>
#include <limits>

#include "upsweep/core/config.hpp"

namespace upsweep {

struct half {
  std::uint16_t bits = 0;

  half() = default;
  UPSWEEP_HD explicit constexpr half(float x) : bits(rounded(x)) {}
  UPSWEEP_HD static constexpr half of_bits(std::uint16_t b) {
    half h;
    h.bits = b;
    return h;
  }

  UPSWEEP_HD explicit constexpr operator float() const {
#if defined(__CUDACC_RTC__)
    // NVRTC takes many times as long to compile the portable conversion below.
    if (!__builtin_is_constant_evaluated()) {
      float x;
      asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
      return x;
    }
#endif
    const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 31) return __builtin_bit_cast(float, sign | 0x7f800000u | fraction << 13);
    if (exponent != 0) return __builtin_bit_cast(float, sign | (exponent + 112) << 23 | fraction << 13);
    const float small = static_cast<float>(fraction) * 0x1p-24f;  // subnormal, or zero: exact
    return sign ? -small : small;
  }
  UPSWEEP_HD explicit constexpr operator double() const { return static_cast<double>(static_cast<float>(*this)); }

  UPSWEEP_HD friend constexpr bool operator==(half a, half b) { return static_cast<float>(a) == static_cast<float>(b); }
  UPSWEEP_HD friend constexpr bool operator<(half a, half b) { return static_cast<float>(a) < static_cast<float>(b); }
  UPSWEEP_HD friend constexpr bool operator>(half a, half b) { return b < a; }
  UPSWEEP_HD friend constexpr bool operator<=(half a, half b) { return static_cast<float>(a) <= static_cast<float>(b); }
  UPSWEEP_HD friend constexpr bool operator>=(half a, half b) { return b <= a; }

  // Arithmetic in float; the result is rounded once.
  UPSWEEP_HD friend constexpr half operator+(half a, half b) {
    return half(static_cast<float>(a) + static_cast<float>(b));
  }
  UPSWEEP_HD friend constexpr half operator-(half a, half b) {
    return half(static_cast<float>(a) - static_cast<float>(b));
  }
  UPSWEEP_HD friend constexpr half operator*(half a, half b) {
    return half(static_cast<float>(a) * static_cast<float>(b));
  }
  UPSWEEP_HD friend constexpr half operator/(half a, half b) {
    return half(static_cast<float>(a) / static_cast<float>(b));
  }
  UPSWEEP_HD friend constexpr half operator-(half a) { return of_bits(static_cast<std::uint16_t>(a.bits ^ 0x8000u)); }
  UPSWEEP_HD friend constexpr half& operator+=(half& a, half b) { return a = a + b; }
  UPSWEEP_HD friend constexpr half& operator-=(half& a, half b) { return a = a - b; }
  UPSWEEP_HD friend constexpr half& operator*=(half& a, half b) { return a = a * b; }
  UPSWEEP_HD friend constexpr half& operator/=(half& a, half b) { return a = a / b; }

 private:
  UPSWEEP_HD static constexpr std::uint16_t rounded(float x) {
#if defined(__CUDACC_RTC__)
    if (!__builtin_is_constant_evaluated() && x == x) {
      std::uint16_t nearest;
      asm("cvt.rn.f16.f32 %0, %1;" : "=h"(nearest) : "f"(x));
      return nearest;
    }
#endif
    const std::uint32_t all = __builtin_bit_cast(std::uint32_t, x), sign = all >> 16 & 0x8000u,
                        magnitude = all & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);   // NaN
    if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // infinity, or rounds to it
    if (magnitude < 0x38800000u) {
      // Subnormal: adding 1/2 leaves the multiple of 2^-24 in the low bits of the fraction; the addition rounds it.
      const float shifted = __builtin_bit_cast(float, magnitude) + 0.5f;
      return static_cast<std::uint16_t>(sign | (__builtin_bit_cast(std::uint32_t, shifted) - 0x3f000000u));
    }
    const std::uint32_t even = magnitude >> 13 & 1;
    return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + even) >> 13));
  }
};

static_assert(sizeof(half) == 2);

}  // namespace upsweep

template <>
struct std::numeric_limits<upsweep::half> {
  using half = upsweep::half;
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false,
                        has_infinity = true, has_quiet_NaN = true, is_iec559 = true, is_bounded = true,
                        is_modulo = false;
  static constexpr int radix = 2, digits = 11, digits10 = 3, max_digits10 = 5, min_exponent = -13, max_exponent = 16;
  UPSWEEP_HD static constexpr half(min)() noexcept { return half::of_bits(0x0400); }
  UPSWEEP_HD static constexpr half(max)() noexcept { return half::of_bits(0x7bff); }
  UPSWEEP_HD static constexpr half lowest() noexcept { return half::of_bits(0xfbff); }
  UPSWEEP_HD static constexpr half epsilon() noexcept { return half::of_bits(0x1400); }
  UPSWEEP_HD static constexpr half denorm_min() noexcept { return half::of_bits(0x0001); }
  UPSWEEP_HD static constexpr half infinity() noexcept { return half::of_bits(0x7c00); }
  UPSWEEP_HD static constexpr half quiet_NaN() noexcept { return half::of_bits(0x7e00); }
};
