#include "upsweep/nbody/tree_keys.hpp"

#include <algorithm>
#include <cmath>

namespace upsweep::nbody_room {

key_cube cube_around(double* x, double* y, double* z, std::uint64_t count) {
  key_cube cube;
  double* const axes[]{x, y, z};
  double middle[3] = {}, widest = 0;
  for (int a = 0; a < 3; ++a) {
    double* const all = axes[a];
    const auto [first, last] = std::minmax_element(all, all + count);
    const double least = *first, most = *last;
    const auto of_rank = [&](std::uint64_t k) {
      std::nth_element(all, all + k, all + count);
      return all[k];
    };
    const double low = of_rank(count / 50), high = of_rank(count - 1 - count / 50), wide = high - low;
    const double from = wide > 0 ? std::max(least, low - 4 * wide) : least,
                 to = wide > 0 ? std::min(most, high + 4 * wide) : most;
    middle[a] = from / 2 + to / 2;
    widest = std::max(widest, to - from);
  }
  widest *= 1.01;  // the sample may lack the outermost
  for (int a = 0; a < 3; ++a) cube.lower[a] = middle[a] - widest / 2;
  cube.scale = (1u << key_bits) / widest;
  if (!std::isfinite(cube.scale) || !std::isfinite(cube.lower[0] + cube.lower[1] + cube.lower[2]))
    cube = {};  // one cell has all
  return cube;
}

}  // namespace upsweep::nbody_room
