#include <algorithm>
#include <cmath>
#include <vector>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/filters/backends.hpp"

namespace upsweep {

void bilateral(const context& where, std::span<const float> in, const raster& r, float sigma_space, float sigma_range,
               std::span<float> out, border edge) {
  filters_room::require_filter("bilateral", in, r, out, r.size);
  if (edge == border::none)
    throw error(fault::bad_argument, "bilateral", "border::none is not for filters that keep a picture's size",
                "give another border");
  if (!(sigma_space > 0 && sigma_space <= 100 && sigma_range > 0))
    throw error(fault::bad_argument, "bilateral", "the sigmas are not above 0, and that of space up to 100",
                "give such");
  const auto radius = static_cast<std::int64_t>(std::max(1.0f, std::ceil(2.5f * sigma_space)));
  if (const auto* device = filters_room::filters_of("bilateral", where)) {
    filters_room::filter_call call;
    call.radius = static_cast<std::uint32_t>(radius), call.edge = edge, call.space = sigma_space,
    call.range = sigma_range;
    return filters_room::on_the_device(where, device->bilateral, call, in, {}, r, out, r.size);
  }
  // Tiles whose lines stay in the second-level cache while the disc goes over them; a plane a channel.
  constexpr std::uint64_t most_across = 256, most_down = 32;
  const std::uint64_t across = cpu::block_count(r.size.x, most_across), down = cpu::block_count(r.size.y, most_down);
  const auto reach = static_cast<std::uint64_t>(radius);
  const filters_room::channel_reader reader(in, r, edge, reach);
  const std::uint64_t out_pitch = filters_room::out_pitch(r, r.size);
  const std::uint64_t stride = reader.stride(std::min(most_across, r.size.x));
  std::vector<std::ptrdiff_t> offsets;
  std::vector<float> exponents;
  for (std::int64_t y = -radius; y <= radius; ++y)
    for (std::int64_t x = -radius; x <= radius; ++x)
      if (x * x + y * y <= radius * radius) {
        offsets.push_back(y * static_cast<std::int64_t>(stride) + x);
        exponents.push_back(static_cast<float>(x * x + y * y) / (2 * sigma_space * sigma_space));
      }
  const cpu::bilateral_kernel means = cpu::bilateral_means();
  cpu::for_each_block(where.dev(), across * down, [&](std::uint64_t block, const cpu::stop_flag&) {
    static thread_local std::vector<float> memory;
    const std::uint64_t x = block % across * most_across, y = block / across * most_down;
    const std::uint64_t w = std::min(most_across, r.size.x - x), h = std::min(most_down, r.size.y - y);
    const std::uint64_t plane = stride * (h + 2 * reach);
    memory.resize(r.channels * (plane + stride));
    float *planes[4]{}, *results[4]{};
    const float* lines[4]{};
    for (std::uint32_t c = 0; c < r.channels; ++c) {
      planes[c] = &memory[c * plane], results[c] = &memory[r.channels * plane + c * stride];
      // A tile at the right end is as wide as the others, as far as its lines go.
      reader.read(x, y, w, h, c, stride, planes[c]);
    }
    for (std::uint64_t row = 0; row < h; ++row) {
      for (std::uint32_t c = 0; c < r.channels; ++c) lines[c] = planes[c] + (row + reach) * stride + reach;
      means({lines, results, offsets.data(), exponents.data(), offsets.size(), w, 1 / (2 * sigma_range * sigma_range),
             r.channels});
      float* const to = &out[(y + row) * out_pitch + x * r.channels];
      for (std::uint64_t i = 0; i < w; ++i)
        for (std::uint32_t c = 0; c < r.channels; ++c) to[i * r.channels + c] = results[c][i];
    }
  });
}

}  // namespace upsweep
