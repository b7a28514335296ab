#include "upsweep/filters/filters_taps.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "upsweep/core/device_table_cache.hpp"
#include "upsweep/core/thread_exit.hpp"

namespace upsweep::detail::filters_impl {

namespace {

// The reach of a kernel from its middle, in pixels of the coarser of the two pictures.
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

// The pixels that contribute to one pixel of the result, and their weights.
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

line_taps taps_along(resampling how, std::uint64_t from, std::uint64_t to) {
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

taps_there taps_on(device& d, int axis, resampling how, std::uint64_t from, std::uint64_t to) {
  struct last_taps {
    resampling how = resampling::nearest;
    std::uint64_t from = 0, to = 0;
    std::vector<std::uint32_t> words;  // firsts, starts, and the weights' bits
  };
  [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
  static thread_local last_taps last[2];
  last_taps& now = last[axis];
  if (now.how != how || now.from != from || now.to != to) {
    const line_taps taps = taps_along(how, from, to);
    last_taps next{how, from, to, taps.firsts};
    next.words.insert(next.words.end(), taps.starts.begin(), taps.starts.end());
    for (const float w : taps.weights) next.words.push_back(std::bit_cast<std::uint32_t>(w));
    now = std::move(next);
  }
  constexpr const char* names[]{"filters/columns", "filters/rows"};
  const memory there = core::kept_on(d, names[axis], std::as_bytes(std::span(now.words)));
  return {there, there.plus_bytes(to * 4), there.plus_bytes((2 * to + 1) * 4)};
}

}  // namespace upsweep::detail::filters_impl
