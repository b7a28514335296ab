// A body's place along Hilbert's curve through the cells of a cube: 21 bits an axis, 63 in all. Three leading bits of
// the key are the cell of the first subdivision, three more that of the second, and so on; bodies with keys alike so
// far share a cell, and neighbours along the curve are neighbours.
#pragma once

#include <cstdint>

#include "upsweep/types.hpp"

namespace upsweep::detail::nbody_impl {

inline constexpr int key_bits = 21;  // an axis

// The bits of x, two zeros between them.
UPSWEEP_HD constexpr std::uint64_t spread_bits(std::uint64_t x) {
  x = (x | x << 32) & 0x001f00000000ffffull;
  x = (x | x << 16) & 0x001f0000ff0000ffull;
  x = (x | x << 8) & 0x100f00f00f00f00full;
  x = (x | x << 4) & 0x10c30c30c30c30c3ull;
  return (x | x << 2) & 0x1249249249249249ull;
}

// J. Skilling, Programming the Hilbert curve, 2004: the axes' bits are turned into the curve's, one plane of bits after
// the other.
UPSWEEP_HD constexpr std::uint64_t hilbert_key(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  for (std::uint32_t bit = 1u << (key_bits - 1); bit > 1; bit >>= 1) {
    const std::uint32_t below = bit - 1;
    // In the upper half of an axis the lower bits of x are mirrored, in its lower half they change places with the
    // axis's.
    x = x & bit ? x ^ below : x;
    const std::uint32_t with_y = (x ^ y) & below;
    const bool upper_y = y & bit;
    x ^= upper_y ? below : with_y;
    y ^= upper_y ? 0 : with_y;
    const std::uint32_t with_z = (x ^ z) & below;
    const bool upper_z = z & bit;
    x ^= upper_z ? below : with_z;
    z ^= upper_z ? 0 : with_z;
  }
  y ^= x, z ^= y;  // Gray's code
  std::uint32_t turn = 0;
  for (std::uint32_t bit = 1u << (key_bits - 1); bit > 1; bit >>= 1) turn ^= z & bit ? bit - 1 : 0;
  x ^= turn, y ^= turn, z ^= turn;
  return spread_bits(x) << 2 | spread_bits(y) << 1 | spread_bits(z);
}

// The cube that keys divide: coordinate c is in column (c - lower) · scale. Coordinates outside go to the outermost
// column.
struct key_cube {
  double lower[3] = {}, scale = 0;
};

UPSWEEP_HD inline std::uint32_t column_of(double c, double lower, double scale) {
  const double at = (c - lower) * scale;
  constexpr double last = (1u << key_bits) - 1;
  return at > 0 ? static_cast<std::uint32_t>(at < last ? at : last) : 0;  // NaN: the first
}

UPSWEEP_HD inline std::uint64_t key_of(const key_cube& cube, double x, double y, double z) {
  return hilbert_key(column_of(x, cube.lower[0], cube.scale), column_of(y, cube.lower[1], cube.scale),
                     column_of(z, cube.lower[2], cube.scale));
}

// All bodies' cube, but no more than the middle 96 of 100 of a sample and 64 times their extent to both sides on each
// axis: a few that are very far away do not take the resolution from the rest. `sample` has x, y and z of `count`
// bodies and is rearranged; lower and upper are all bodies' bounds.
key_cube cube_around(double* const (&sample)[3], std::uint64_t count, const double (&lower)[3],
                     const double (&upper)[3]);

inline constexpr std::uint64_t bodies_in_sample = 1024;

}  // namespace upsweep::detail::nbody_impl
