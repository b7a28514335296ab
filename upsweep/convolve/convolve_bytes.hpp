// Bytes in fixed point, under a mask of a row and a column that are each symmetric, as a Gaussian's are.
#pragma once

#include <optional>
#include <vector>

#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/convolve/convolve_problem.hpp"

namespace upsweep::detail::convolve_impl {

// Weights in 65536ths: of the middle, then of each pair of elements at equal distance from it, together.
struct folded_mask {
  std::vector<std::uint16_t> row, column;
};

// The weights of a problem on the CPU with factors (in3): u8 to u8, no negative weight, no factor wider than
// `most_folded`, and a sum of 1 at most. Empty for any other problem.
inline constexpr std::uint64_t most_folded = 32;  // width and height of the mask, together
std::optional<folded_mask> folded(const problem&);

// The largest error of a sum before it is rounded: half a unit of the fraction's eight bits for each weight, once for
// the weight's own rounding and once for that of its product.
inline double folding_error(const problem& p) { return static_cast<double>(p.mask.x + p.mask.y) / 256; }

void convolve_bytes(device&, const problem&, const folded_mask&);

}  // namespace upsweep::detail::convolve_impl
