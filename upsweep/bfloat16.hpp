// bfloat16: the 16-bit brain floating-point format, stored as the upper half of a float. It converts to float exactly;
// conversion from float rounds to nearest, ties to even.
//
//   std::vector<upsweep::bfloat16> weights(1000, upsweep::bfloat16(0.1f));
//   float total = upsweep::reduce(cpu, weights, 0.0f);                    // accumulates in float
//   upsweep::inclusive_scan(cpu, weights, running);                       // `running` holds floats
//
// The library treats bfloat16 like a user-defined type: every algorithm takes it on the CPU from any .cpp file and on
// CUDA from a .cu file. Built-in operators and functions with device source (jit/jit.hpp) work from any file.
// Sums accumulated in bfloat16 are rounded to 8 bits at every step: pass an init or an output of float.
#pragma once

#include <cstdint>
#include <limits>

#include "upsweep/core/config.hpp"

namespace upsweep {

struct bfloat16 {
  std::uint16_t bits = 0;

  bfloat16() = default;
  UPSWEEP_HD explicit constexpr bfloat16(float x) : bits(rounded(x)) {}
  UPSWEEP_HD static constexpr bfloat16 of_bits(std::uint16_t b) {
    bfloat16 x;
    x.bits = b;
    return x;
  }

  // Implicit, because the conversion is exact. It also provides the comparisons.
  UPSWEEP_HD constexpr operator float() const { return __builtin_bit_cast(float, std::uint32_t{bits} << 16); }

  // Arithmetic in float; the result is rounded once.
  UPSWEEP_HD friend constexpr bfloat16 operator+(bfloat16 a, bfloat16 b) {
    return bfloat16(static_cast<float>(a) + static_cast<float>(b));
  }
  UPSWEEP_HD friend constexpr bfloat16 operator-(bfloat16 a, bfloat16 b) {
    return bfloat16(static_cast<float>(a) - static_cast<float>(b));
  }
  UPSWEEP_HD friend constexpr bfloat16 operator*(bfloat16 a, bfloat16 b) {
    return bfloat16(static_cast<float>(a) * static_cast<float>(b));
  }
  UPSWEEP_HD friend constexpr bfloat16 operator/(bfloat16 a, bfloat16 b) {
    return bfloat16(static_cast<float>(a) / static_cast<float>(b));
  }
  UPSWEEP_HD friend constexpr bfloat16 operator-(bfloat16 a) {
    return of_bits(static_cast<std::uint16_t>(a.bits ^ 0x8000u));
  }
  UPSWEEP_HD friend constexpr bfloat16& operator+=(bfloat16& a, bfloat16 b) { return a = a + b; }
  UPSWEEP_HD friend constexpr bfloat16& operator-=(bfloat16& a, bfloat16 b) { return a = a - b; }
  UPSWEEP_HD friend constexpr bfloat16& operator*=(bfloat16& a, bfloat16 b) { return a = a * b; }
  UPSWEEP_HD friend constexpr bfloat16& operator/=(bfloat16& a, bfloat16 b) { return a = a / b; }

 private:
  UPSWEEP_HD static constexpr std::uint16_t rounded(float x) {
    const std::uint32_t all = __builtin_bit_cast(std::uint32_t, x);
    // Setting a fraction bit keeps a NaN a NaN after truncation.
    if ((all & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(all >> 16 | 0x40u);
    return static_cast<std::uint16_t>((all + 0x7fffu + (all >> 16 & 1)) >> 16);
  }
};

static_assert(sizeof(bfloat16) == 2);

}  // namespace upsweep

template <>
struct std::numeric_limits<upsweep::bfloat16> {
  using bfloat16 = upsweep::bfloat16;
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false,
                        has_infinity = true, has_quiet_NaN = true, is_iec559 = false, is_bounded = true,
                        is_modulo = false;
  static constexpr int radix = 2, digits = 8, digits10 = 2, max_digits10 = 4, min_exponent = -125, max_exponent = 128;
  UPSWEEP_HD static constexpr bfloat16(min)() noexcept { return bfloat16::of_bits(0x0080); }
  UPSWEEP_HD static constexpr bfloat16(max)() noexcept { return bfloat16::of_bits(0x7f7f); }
  UPSWEEP_HD static constexpr bfloat16 lowest() noexcept { return bfloat16::of_bits(0xff7f); }
  UPSWEEP_HD static constexpr bfloat16 epsilon() noexcept { return bfloat16::of_bits(0x3c00); }
  UPSWEEP_HD static constexpr bfloat16 denorm_min() noexcept { return bfloat16::of_bits(0x0001); }
  UPSWEEP_HD static constexpr bfloat16 infinity() noexcept { return bfloat16::of_bits(0x7f80); }
  UPSWEEP_HD static constexpr bfloat16 quiet_NaN() noexcept { return bfloat16::of_bits(0x7fc0); }
};
