// The recursive Gaussian's coefficients, which are the same on all backends.
#pragma once

#include <cstdint>

#include "upsweep/filters/problem.hpp"

namespace upsweep::filters_room {

// Forward: f[i] = Σ ahead[k] · x[i - k] - Σ back[k] · f[i - 1 - k], k < 4; backward: b[i] = Σ behind[k] · x[i + 1 + k]
// - Σ back[k] · b[i + 1 + k]. The result is f + b.
struct recursion {
  double ahead[4], behind[4], back[4];
};
recursion recursion_of(double sigma);

// Beyond so many places there is less than 1e-5 of the waves.
std::uint64_t reach_of_recursion(float sigma);

// How a device cuts the lines along an axis, so that there is work for `threads`: a line's places are `in_step` and
// `out_step` elements apart, line l begins at (l / inner) · in_pitch + l % inner. A piece is begun `reach` places
// before its first, so that it need not wait for the one before it.
struct recursion_lines {
  std::int64_t lines, places, inner, in_pitch, out_pitch, in_step, out_step, reach, piece;
  std::int64_t pieces() const { return (places + piece - 1) / piece; }
};
struct recursion_axes {
  recursion_lines rows, columns;
};
// Rows go from p.in to a picture without gaps, columns from there to p.out.
recursion_axes recursion_axes_of(const problem& p, std::uint64_t threads);

}  // namespace upsweep::filters_room
