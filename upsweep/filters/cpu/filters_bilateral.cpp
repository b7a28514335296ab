#include <algorithm>
#include <cmath>
#include <vector>

#include "upsweep/core/thread_exit.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/filters/cpu/filters_cpu.hpp"
#include "upsweep/filters/cpu/filters_tiles.hpp"

namespace upsweep::detail::filters_impl {

void bilateral_by_tiles(device& d, const problem& p) {
  const std::int64_t radius = disc_of(p), radius_down = disc_down(p);
  const float sigma_space = p.space, sigma_range = p.range;
  float* const out = p.out.as<float>();
  // Tiles whose lines stay in the second-level cache while the kernel reads the disc; one plane per channel.
  constexpr std::uint64_t most_across = 256, most_down = 32;
  const std::uint64_t across = cpu::block_count(p.size.x, most_across), down = cpu::block_count(p.size.y, most_down);
  const auto reach = static_cast<std::uint64_t>(radius);
  const channel_reader reader(p, disc_of(p));
  const std::uint64_t pitch = out_pitch(p);
  const std::uint64_t stride = reader.stride(std::min(most_across, p.size.x));
  std::vector<std::ptrdiff_t> offsets;
  std::vector<float> exponents;
  for (std::int64_t y = -radius_down; y <= radius_down; ++y)
    for (std::int64_t x = -radius; x <= radius; ++x)
      if (x * x + y * y <= radius * radius) {
        offsets.push_back(y * static_cast<std::int64_t>(stride) + x);
        exponents.push_back(static_cast<float>(x * x + y * y) / (2 * sigma_space * sigma_space));
      }
  const cpu::bilateral_kernel means = cpu::bilateral_means();
  cpu::for_each_block(d, across * down, [&](std::uint64_t block, const cpu::stop_flag&) {
    [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
    static thread_local std::vector<float> memory;
    const std::uint64_t x = block % across * most_across, y = block / across * most_down;
    const std::uint64_t w = std::min(most_across, p.size.x - x), h = std::min(most_down, p.size.y - y);
    const std::uint64_t plane = stride * (h + 2 * reach);
    memory.resize(p.channels * (plane + stride));
    float *planes[4]{}, *results[4]{};
    const float* lines[4]{};
    for (std::uint32_t c = 0; c < p.channels; ++c) {
      planes[c] = &memory[c * plane], results[c] = &memory[p.channels * plane + c * stride];
      // A tile at the right edge is as wide as the others, as far as its lines' memory allows.
      reader.read(x, y, w, h, c, stride, planes[c]);
    }
    for (std::uint64_t row = 0; row < h; ++row) {
      for (std::uint32_t c = 0; c < p.channels; ++c) lines[c] = planes[c] + (row + reach) * stride + reach;
      means({lines, results, offsets.data(), exponents.data(), offsets.size(), w, 1 / (2 * sigma_range * sigma_range),
             p.channels});
      float* const to = &out[(y + row) * pitch + x * p.channels];
      for (std::uint64_t i = 0; i < w; ++i)
        for (std::uint32_t c = 0; c < p.channels; ++c) to[i * p.channels + c] = results[c][i];
    }
  });
}

}  // namespace upsweep::detail::filters_impl
