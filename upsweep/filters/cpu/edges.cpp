#include <algorithm>
#include <cmath>
#include <vector>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/filters/backends.hpp"

namespace upsweep {

void thin_edges(const context& where, std::span<const float> across, std::span<const float> down, extent size,
                std::span<float> out) {
  filters_room::require_filter("thin_edges", across, raster{size}, out, size);
  filters_room::require_filter("thin_edges", down, raster{size}, out, size);
  if (const auto* device = filters_room::filters_of("thin_edges", where))
    return filters_room::on_the_device(where, device->thin_edges, {}, across, down, raster{size}, out, size);
  const auto length = [&](std::int64_t x, std::int64_t y) {
    if (x < 0 || y < 0 || x >= static_cast<std::int64_t>(size.x) || y >= static_cast<std::int64_t>(size.y)) return 0.0f;
    const std::uint64_t i = static_cast<std::uint64_t>(y) * size.x + static_cast<std::uint64_t>(x);
    return std::sqrt(across[i] * across[i] + down[i] * down[i]);
  };
  cpu::for_each_block(where.dev(), size.y, [&](std::uint64_t row, const cpu::stop_flag&) {
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

void linked_edges(const context& where, std::span<const float> in, extent size, float low, float high,
                  std::span<float> out) {
  filters_room::require_filter("linked_edges", in, raster{size}, out, size);
  if (!(low > 0 && low <= high))
    throw error(fault::bad_argument, "linked_edges", "the thresholds are not 0 < low <= high", "give such");
  if (const auto* device = filters_room::filters_of("linked_edges", where)) {
    if (size.count() >= std::uint64_t{1} << 32)
      throw error(fault::unsupported, "linked_edges", "a picture of 2^32 pixels and more runs on the CPU alone",
                  "give context::cpu()");
    filters_room::filter_call call;
    call.low = low, call.high = high;
    return filters_room::on_the_device(where, device->linked_edges, call, in, {}, raster{size}, out, size);
  }
  std::fill_n(out.begin(), size.count(), 0.0f);
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

}  // namespace upsweep
