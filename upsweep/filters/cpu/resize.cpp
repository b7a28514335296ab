#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/filters/backends.hpp"

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

}  // namespace

filters_room::line_taps filters_room::taps_along(resampling how, std::uint64_t from, std::uint64_t to) {
  line_taps all;
  for (std::uint64_t i = 0; i < to; ++i) {
    const taps t = taps_of(how, i, from, to);
    all.firsts.push_back(static_cast<std::uint32_t>(t.first));
    all.starts.push_back(static_cast<std::uint32_t>(all.weights.size()));
    all.weights.insert(all.weights.end(), t.weights.begin(), t.weights.end());
  }
  all.starts.push_back(static_cast<std::uint32_t>(all.weights.size()));
  return all;
}

void resize(const context& where, std::span<const float> in, const raster& r, std::span<float> out, extent to,
            resampling how) {
  filters_room::require_filter("resize", in, r, out, to);
  if (std::max({r.size.x, r.size.y, to.x, to.y}) >> 28)
    throw error(fault::unsupported, "resize", "a side of 2^28 pixels or more is too long", "resize its parts");
  const auto columns = filters_room::taps_along(how, r.size.x, to.x),
             rows = filters_room::taps_along(how, r.size.y, to.y);
  if (const auto* device = filters_room::filters_of("resize", where)) {
    filters_room::filter_call call;
    call.columns = &columns, call.rows = &rows;
    return filters_room::on_the_device(where, device->resize, call, in, {}, r, out, to);
  }
  const std::uint64_t in_pitch = filters_room::in_pitch(r), out_pitch = filters_room::out_pitch(r, to),
                      row = to.x * r.channels;
  std::vector<float> narrow(r.size.y * row);  // of the new width and the old height
  cpu::for_each_block(where.dev(), r.size.y, [&](std::uint64_t y, const cpu::stop_flag&) {
    for (std::uint64_t x = 0; x < to.x; ++x) {
      float sums[4]{};
      const float* from = &in[y * in_pitch + columns.firsts[x] * std::uint64_t{r.channels}];
      for (std::uint32_t t = columns.starts[x]; t < columns.starts[x + 1]; ++t)
        for (std::uint32_t c = 0; c < r.channels; ++c) sums[c] += columns.weights[t] * *from++;
      std::copy_n(sums, r.channels, &narrow[y * row + x * r.channels]);
    }
  });
  cpu::for_each_block(where.dev(), to.y, [&](std::uint64_t y, const cpu::stop_flag&) {
    float* const line = &out[y * out_pitch];
    std::fill_n(line, row, 0.0f);
    const float* from = &narrow[rows.firsts[y] * row];
    for (std::uint32_t t = rows.starts[y]; t < rows.starts[y + 1]; ++t, from += row)
      for (std::uint64_t i = 0; i < row; ++i) line[i] += rows.weights[t] * from[i];
  });
}

}  // namespace upsweep
