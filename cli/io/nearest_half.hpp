// Halves of doubles.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "upsweep/half.hpp"

// The nearest one, the even one of two. By way of a float that is rounded to odd where it is not exact: rounded to the
// nearest it could come to lie between two halves, where x does not.
inline upsweep::half nearest_half(double x) {
  auto between = static_cast<float>(x);
  if (std::isfinite(between) && static_cast<double>(between) != x) {
    if (std::fabs(static_cast<double>(between)) > std::fabs(x)) between = std::nextafter(between, 0.0f);
    between = std::bit_cast<float>(std::bit_cast<std::uint32_t>(between) | 1u);
  }
  return upsweep::half(between);
}
