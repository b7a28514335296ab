// The recursive Gaussian's coefficients, equal on all backends.
#pragma once

#include <cstdint>

#include "upsweep/filters/filters_problem.hpp"

namespace upsweep::detail::filters_impl {

// Forward: f[i] = Σ ahead[k] · x[i - k] - Σ back[k] · f[i - 1 - k], k < 4; backward: b[i] = Σ behind[k] · x[i + 1 + k]
// - Σ back[k] · b[i + 1 + k]. The result is f + b.
struct recursion {
  double ahead[4], behind[4], back[4];
};
recursion recursion_of(double sigma);

// Beyond this distance less than 1e-5 of the waves remains.
std::uint64_t reach_of_recursion(float sigma);

// The window of a result: elements to either side of it, along each axis. The recursion's results depend on all
// elements of the line, but on those beyond the window by less than the error of the method. An element that is
// infinite or NaN affects only the windows that contain it; the recursion reads 0 in its place. The radius is the one
// at which SciPy's gaussian_filter1d truncates the Gaussian.
inline std::int64_t window_of_recursion(float sigma) { return static_cast<std::int64_t>(4 * sigma + 0.5f); }

// The elements that are infinite or NaN, in the order of one direction of the recursion, in which `place` counts.
class elements_not_finite {
 public:
  UPSWEEP_HD explicit elements_not_finite(std::int64_t window) : window_(window) {}
  // The element that the recursion reads instead of `x`.
  UPSWEEP_HD float read(float x, std::int64_t place) {
    if (x - x == 0) return x;
    last_ = place + window_;
    (x != x ? last_nan_ : x > 0 ? last_positive_ : last_negative_) = last_;
    return 0;
  }
  // Adds the infinite and NaN elements of a result's window to it.
  UPSWEEP_HD float added(float result, std::int64_t place) const {
    if (place > last_) return result;
    constexpr float infinity = __builtin_huge_valf();
    if (place <= last_nan_) return result + __builtin_nanf("");
    if (place <= last_positive_) result += infinity;
    if (place <= last_negative_) result -= infinity;
    return result;
  }

 private:
  static constexpr std::int64_t never = -0x7fffffffffffffff - 1;
  std::int64_t window_, last_ = never, last_nan_ = never, last_positive_ = never, last_negative_ = never;
};

// How a device cuts the lines along an axis, so that `threads` threads have work: a line's elements are `in_step` and
// `out_step` apart, line l begins at (l / inner) · in_pitch + l % inner. The recursion of a piece begins `reach`
// elements before its first, so that it need not wait for the piece before it.
struct recursion_lines {
  std::int64_t lines, places, inner, in_pitch, out_pitch, in_step, out_step, reach, piece, window;
  std::int64_t pieces() const { return (places + piece - 1) / piece; }
};
struct recursion_axes {
  recursion_lines rows, columns;
};
// Rows are filtered from p.in to a picture without gaps, columns from there to p.out.
recursion_axes recursion_axes_of(const problem& p, std::uint64_t threads);

}  // namespace upsweep::detail::filters_impl
