// Bytes under a row and a column that are each the same from both ends, as a Gaussian's are, in fixed point.
#pragma once

#include <optional>
#include <vector>

#include "upsweep/convolve/geometry.hpp"
#include "upsweep/convolve/problem.hpp"

namespace upsweep::convolve_room {

// Weights in 65536ths: of the middle, then of each two elements as far from it, together.
struct folded_mask {
  std::vector<std::uint16_t> row, column;
};

// Of a problem on the CPU whose factors (in3) are there: u8 to u8, no negative weight, none wider than `most_folded`
// and their sum 1 at most. Empty for any other.
inline constexpr std::uint64_t most_folded = 32;  // width and height of the mask, together
std::optional<folded_mask> folded(const problem&);

// How far from the exact one a sum is, before it is rounded: half a unit of the fraction's eight bits for each weight,
// once for its own rounding and once for its product's.
inline double folding_error(const problem& p) { return static_cast<double>(p.mask.x + p.mask.y) / 256; }

void convolve_bytes(device&, const problem&, const folded_mask&);

}  // namespace upsweep::convolve_room
