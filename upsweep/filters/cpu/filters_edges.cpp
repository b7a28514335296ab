#include <algorithm>
#include <cmath>
#include <vector>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/filters/cpu/filters_cpu.hpp"

namespace upsweep::detail::filters_impl {

void thin(device& d, const problem& p) {
  const float *const across = p.in.as<const float>(), *const down = p.in2.as<const float>();
  float* const out = p.out.as<float>();
  const extent size = p.size;
  const auto length = [&](std::int64_t x, std::int64_t y) {
    if (x < 0 || y < 0 || x >= static_cast<std::int64_t>(size.x) || y >= static_cast<std::int64_t>(size.y)) return 0.0f;
    const std::uint64_t i = static_cast<std::uint64_t>(y) * size.x + static_cast<std::uint64_t>(x);
    return std::sqrt(across[i] * across[i] + down[i] * down[i]);
  };
  cpu::for_each_block(d, size.y, [&](std::uint64_t row, const cpu::stop_flag&) {
    const auto y = static_cast<std::int64_t>(row);
    for (std::int64_t x = 0; x < static_cast<std::int64_t>(size.x); ++x) {
      const std::uint64_t i = row * size.x + static_cast<std::uint64_t>(x);
      const float here = length(x, y), gx = std::abs(across[i]), gy = std::abs(down[i]);
      constexpr float tangent = 0.41421356f;  // of 22.5 degrees
      std::int64_t dx = 1, dy = 0;
      if (gx <= tangent * gy)
        dx = 0, dy = 1;
      else if (gy > tangent * gx)
        dx = 1, dy = (across[i] < 0) == (down[i] < 0) ? 1 : -1;
      out[i] = here > length(x - dx, y - dy) && here >= length(x + dx, y + dy) ? here : 0.0f;
    }
  });
}

void link_by_flooding(device&, const problem& p) {
  const float* const in = p.in.as<const float>();
  float* const out = p.out.as<float>();
  const extent size = p.size;
  const float low = p.low, high = p.high;
  std::fill_n(out, size.count(), 0.0f);
  std::vector<std::uint64_t> to_follow;
  for (std::uint64_t i = 0; i < size.count(); ++i) {
    if (!(in[i] >= high) || out[i] != 0) continue;
    out[i] = 1;
    to_follow.push_back(i);
    while (!to_follow.empty()) {
      const std::uint64_t at = to_follow.back(), x = at % size.x, y = at / size.x;
      to_follow.pop_back();
      for (std::uint64_t ny = y - (y > 0); ny <= std::min(y + 1, size.y - 1); ++ny)
        for (std::uint64_t nx = x - (x > 0); nx <= std::min(x + 1, size.x - 1); ++nx)
          if (const std::uint64_t n = ny * size.x + nx; out[n] == 0 && in[n] >= low) {
            out[n] = 1;
            to_follow.push_back(n);
          }
    }
  }
}

}  // namespace upsweep::detail::filters_impl
