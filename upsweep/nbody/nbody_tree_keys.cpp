#include "upsweep/nbody/nbody_tree_keys.hpp"

#include <algorithm>
#include <cmath>

namespace upsweep::detail::nbody_impl {

key_cube cube_around(double* const (&sample)[3], std::uint64_t count, const double (&lower)[3],
                     const double (&upper)[3]) {
  constexpr double far = 64;
  key_cube cube;
  double middle[3] = {}, widest = 0;
  for (int a = 0; a < 3; ++a) {
    double* const all = sample[a];
    const auto of_rank = [&](std::uint64_t k) {
      std::nth_element(all, all + k, all + count);
      return all[k];
    };
    const double low = of_rank(count / 50), high = of_rank(count - 1 - count / 50), wide = high - low;
    const double from = wide > 0 ? std::max(lower[a], low - far * wide) : lower[a],
                 to = wide > 0 ? std::min(upper[a], high + far * wide) : upper[a];
    middle[a] = from / 2 + to / 2;
    widest = std::max(widest, to - from);
  }
  widest *= 1.000001;  // so that the upper bounds are inside
  for (int a = 0; a < 3; ++a) cube.lower[a] = middle[a] - widest / 2;
  cube.scale = (1u << key_bits) / widest;
  if (!std::isfinite(cube.scale) || !std::isfinite(cube.lower[0] + cube.lower[1] + cube.lower[2]))
    cube = {};  // one cell has all
  return cube;
}

}  // namespace upsweep::detail::nbody_impl
