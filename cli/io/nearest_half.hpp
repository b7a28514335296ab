// Halves of doubles.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "upsweep/half.hpp"

// The nearest half, ties to even. Converts through a float rounded to odd: a float rounded to nearest could be a tie
// between two halves when x is not.
inline upsweep::half nearest_half(double x) {
  auto between = static_cast<float>(x);
  if (std::isfinite(between) && static_cast<double>(between) != x) {
    if (std::fabs(static_cast<double>(between)) > std::fabs(x)) between = std::nextafter(between, 0.0f);
    between = std::bit_cast<float>(std::bit_cast<std::uint32_t>(between) | 1u);
  }
  return upsweep::half(between);
}
