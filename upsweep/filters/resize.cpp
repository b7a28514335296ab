#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/filters/pictures.hpp"

namespace upsweep {

namespace {

// How far a kernel reaches from its middle, in pixels of the coarser of the two pictures.
double reach(resampling how) {
  switch (how) {
    case resampling::linear: return 1;
    case resampling::cubic: return 2;
    case resampling::lanczos: return 3;
    default: return 0.5;
  }
}

double kernel(resampling how, double x) {
  x = std::abs(x);
  switch (how) {
    case resampling::linear: return std::max(0.0, 1 - x);
    case resampling::cubic: return x < 1 ? 1 + x * x * (1.5 * x - 2.5) : x < 2 ? 2 + x * (-4 + x * (2.5 - 0.5 * x)) : 0;
    default: {
      const double t = std::numbers::pi * x;
      return x >= 3 ? 0 : t < 1e-8 ? 1 : 3 * std::sin(t) * std::sin(t / 3) / (t * t);
    }
  }
}

// The pixels that make one pixel of the result, and their weights.
struct taps {
  std::uint64_t first = 0;
  std::vector<float> weights;
};

taps taps_of(resampling how, std::uint64_t place, std::uint64_t from, std::uint64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const auto last = static_cast<std::int64_t>(from) - 1;
  const double low = static_cast<double>(place) * scale, high = static_cast<double>(place + 1) * scale,
               middle = 0.5 * (low + high);
  if (how == resampling::nearest)
    return {static_cast<std::uint64_t>(std::clamp(static_cast<std::int64_t>(middle), std::int64_t{0}, last)), {1}};
  const double wide = std::max(scale, 1.0), half = how == resampling::area ? 0.5 * scale : reach(how) * wide;
  const std::int64_t begin = std::clamp(static_cast<std::int64_t>(std::floor(middle - half)), std::int64_t{0}, last),
                     end = std::clamp(static_cast<std::int64_t>(std::ceil(middle + half)), begin + 1, last + 1);
  std::vector<double> weights;
  double sum = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    const auto left = static_cast<double>(i);
    weights.push_back(how == resampling::area ? std::max(0.0, std::min(left + 1, high) - std::max(left, low))
                                              : kernel(how, (left + 0.5 - middle) / wide));
    sum += weights.back();
  }
  taps t{static_cast<std::uint64_t>(begin), {}};
  for (const double w : weights) t.weights.push_back(static_cast<float>(w / sum));
  return t;
}

std::vector<taps> taps_along(resampling how, std::uint64_t from, std::uint64_t to) {
  std::vector<taps> all;
  for (std::uint64_t i = 0; i < to; ++i) all.push_back(taps_of(how, i, from, to));
  return all;
}

}  // namespace

void resize(const context& where, std::span<const float> in, const raster& r, std::span<float> out, extent to,
            resampling how) {
  filters_room::require_filter("resize", where, in, r, out, to);
  const std::uint64_t in_pitch = filters_room::in_pitch(r), out_pitch = filters_room::out_pitch(r, to),
                      row = to.x * r.channels;
  const auto columns = taps_along(how, r.size.x, to.x), rows = taps_along(how, r.size.y, to.y);
  std::vector<float> narrow(r.size.y * row);  // of the new width and the old height
  cpu::for_each_block(where.dev(), r.size.y, [&](std::uint64_t y, const cpu::stop_flag&) {
    for (std::uint64_t x = 0; x < to.x; ++x) {
      const taps& t = columns[x];
      float sums[4]{};
      const float* from = &in[y * in_pitch + t.first * r.channels];
      for (const float w : t.weights)
        for (std::uint32_t c = 0; c < r.channels; ++c) sums[c] += w * *from++;
      std::copy_n(sums, r.channels, &narrow[y * row + x * r.channels]);
    }
  });
  cpu::for_each_block(where.dev(), to.y, [&](std::uint64_t y, const cpu::stop_flag&) {
    float* const line = &out[y * out_pitch];
    std::fill_n(line, row, 0.0f);
    const float* from = &narrow[rows[y].first * row];
    for (const float w : rows[y].weights) {
      for (std::uint64_t i = 0; i < row; ++i) line[i] += w * from[i];
      from += row;
    }
  });
}

}  // namespace upsweep
