// R. Deriche, Recursively Implementing the Gaussian and its Derivatives, 1993. The Gaussian's right half is nearly the
// sum of two damped waves, each a recursion on two previous results; its left half is the same from the other end.
#include "upsweep/filters/filters_recursion.hpp"

#include <algorithm>
#include <cmath>

namespace upsweep::detail::filters_impl {

// (a0 cos(w0 t) + a1 sin(w0 t)) exp(-b0 t) + (c0 cos(w1 t) + c1 sin(w1 t)) exp(-b1 t), t in sigmas, as Deriche fitted
// it to the Gaussian.
recursion recursion_of(double sigma) {
  constexpr double a0 = 1.680, a1 = 3.735, b0 = 1.783, w0 = 0.6318, c0 = -0.6803, c1 = -0.2598, b1 = 1.723, w1 = 1.997;
  const double e0 = std::exp(-b0 / sigma), e1 = std::exp(-b1 / sigma), cos0 = std::cos(w0 / sigma),
               cos1 = std::cos(w1 / sigma), sin0 = std::sin(w0 / sigma), sin1 = std::sin(w1 / sigma);
  recursion r{};
  r.ahead[0] = a0 + c0;
  r.ahead[1] = e1 * (c1 * sin1 - (c0 + 2 * a0) * cos1) + e0 * (a1 * sin0 - (2 * c0 + a0) * cos0);
  r.ahead[2] =
      2 * e0 * e1 * ((a0 + c0) * cos1 * cos0 - a1 * cos1 * sin0 - c1 * cos0 * sin1) + c0 * e0 * e0 + a0 * e1 * e1;
  r.ahead[3] = e1 * e0 * e0 * (c1 * sin1 - c0 * cos1) + e0 * e1 * e1 * (a1 * sin0 - a0 * cos0);
  r.back[0] = -2 * e1 * cos1 - 2 * e0 * cos0;
  r.back[1] = 4 * cos1 * cos0 * e0 * e1 + e1 * e1 + e0 * e0;
  r.back[2] = -2 * cos0 * e0 * e1 * e1 - 2 * cos1 * e1 * e0 * e0;
  r.back[3] = e0 * e0 * e1 * e1;
  for (int k = 0; k < 4; ++k) r.behind[k] = (k < 3 ? r.ahead[k + 1] : 0) - r.back[k] * r.ahead[0];
  double taken = 0, kept = 1;
  for (int k = 0; k < 4; ++k) taken += r.ahead[k] + r.behind[k], kept += r.back[k];
  for (int k = 0; k < 4; ++k) r.ahead[k] *= kept / taken, r.behind[k] *= kept / taken;
  return r;
}

std::uint64_t reach_of_recursion(float sigma) { return static_cast<std::uint64_t>(std::ceil(7 * sigma)); }

recursion_axes recursion_axes_of(const problem& p, std::uint64_t threads) {
  const auto whole = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
  const std::uint64_t row = p.size.x * p.channels, reach = reach_of_recursion(p.space);
  const std::int64_t window = window_of_recursion(p.space);
  // Less than half of the work is done twice.
  const auto piece_of = [&](std::uint64_t places, std::uint64_t lines) {
    const std::uint64_t pieces = std::max<std::uint64_t>(threads / std::max<std::uint64_t>(lines, 1), 1);
    return whole(std::clamp((places + pieces - 1) / pieces, std::min(places, 4 * reach), places));
  };
  const std::uint64_t rows = p.size.y * p.channels;
  return {{whole(rows), whole(p.size.x), whole(p.channels), whole(in_pitch(p)), whole(row), whole(p.channels),
           whole(p.channels), whole(reach), piece_of(p.size.x, rows), window},
          {whole(row), whole(p.size.y), whole(row), 0, 0, whole(row), whole(out_pitch(p)), whole(reach),
           piece_of(p.size.y, row), window}};
}

}  // namespace upsweep::detail::filters_impl
