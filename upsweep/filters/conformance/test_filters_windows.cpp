// Which elements a result depends on: signals have one axis, and an element that is infinite or NaN spoils the results
// in whose windows it is and no others. On every device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/devices.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/filters.hpp"

namespace {

using namespace upsweep;

class Windows : public tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, Windows, testing::ValuesIn(tests::device_names()), tests::device_label);

constexpr border borders[]{border::zero, border::clamp, border::reflect, border::mirror, border::wrap};
constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> random_signal(std::uint64_t n) {
  std::vector<float> x(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<float>(unit(mixed(i + 7)));
  return x;
}

double element(const std::vector<float>& x, border edge, std::int64_t i) {
  const std::int64_t at = border_index(edge, i, static_cast<std::int64_t>(x.size()));
  return at < 0 ? 0 : x[static_cast<std::uint64_t>(at)];
}

TEST_P(Windows, a_signal_has_a_median_of_one_row) {
  for (const std::uint64_t n : {1u, 2u, 101u, 700u})
    for (const std::uint32_t radius : {0u, 1u, 2u, 3u, 4u, 9u, 30u})
      for (const border edge : borders) {
        const auto in = random_signal(n);
        std::vector<float> out(n);
        median(where(), in, image_layout{{n}}, radius, out, edge);
        for (std::uint64_t i = 0; i < n; ++i) {
          std::vector<double> window;
          for (std::int64_t k = -std::int64_t{radius}; k <= std::int64_t{radius}; ++k)
            window.push_back(element(in, edge, static_cast<std::int64_t>(i) + k));
          std::ranges::nth_element(window, window.begin() + radius);
          ASSERT_EQ(out[i], window[radius]) << i << " of " << n << ", radius " << radius << ", " << name_of(edge);
        }
      }
  const std::vector<float> ones(101, 1);
  std::vector<float> signal(101), picture(101);
  median(where(), ones, image_layout::of_signal(101), 2, signal, border::zero);
  median(where(), ones, image_layout(101, 1), 2, picture, border::zero);
  EXPECT_EQ(signal[50], 1);
  EXPECT_EQ(picture[50], 0) << "a picture with one row has rows of zeros above and below";
}

TEST_P(Windows, a_signal_has_a_gaussian_of_one_row) {
  const std::vector<float> ones(101, 1);
  std::vector<float> out(101);
  recursive_gaussian(where(), ones, image_layout{{101}}, 2, out, border::zero);
  EXPECT_NEAR(out[50], 1, 1e-5);
  EXPECT_NEAR(out[0], 0.5 + 0.5 * 0.19947, recursive_gaussian_error) << "half of the Gaussian, and half of its middle";
  for (const std::uint64_t n : {1u, 33u, 1000u})
    for (const border edge : borders) {
      const float sigma = 3;
      const auto in = random_signal(n);
      std::vector<float> got(n);
      recursive_gaussian(where(), in, image_layout{{n}}, sigma, got, edge);
      for (std::uint64_t i = 0; i < n; ++i) {
        double sum = 0, weights = 0;
        for (std::int64_t k = -24; k <= 24; ++k) {
          const double weight = std::exp(-static_cast<double>(k * k) / (2.0 * sigma * sigma));
          sum += weight * element(in, edge, static_cast<std::int64_t>(i) + k), weights += weight;
        }
        const double error = std::abs(got[i] - sum / weights);
        ASSERT_FALSE(!(error <= recursive_gaussian_error)) << i << " of " << n << ", " << name_of(edge);
      }
    }
}

TEST_P(Windows, a_signal_has_a_bilateral_filter_of_one_row) {
  for (const std::uint64_t n : {1u, 33u, 500u})
    for (const border edge : borders)
      for (const float sigma : {1.5f, 20.0f}) {
        const float range = 0.3f;
        const auto in = random_signal(n);
        std::vector<float> got(n);
        bilateral(where(), in, image_layout{{n}}, sigma, range, got, edge);
        const auto radius = static_cast<std::int64_t>(std::ceil(2.5f * sigma));
        for (std::uint64_t i = 0; i < n; ++i) {
          double sum = 0, weights = 0;
          for (std::int64_t k = -radius; k <= radius; ++k) {
            const double there = element(in, edge, static_cast<std::int64_t>(i) + k), by = there - in[i];
            const double weight =
                std::exp(-static_cast<double>(k * k) / (2.0 * sigma * sigma) - by * by / (2.0 * range * range));
            sum += weight * there, weights += weight;
          }
          const double error = std::abs(got[i] - sum / weights);
          ASSERT_FALSE(!(error <= 2e-5)) << i << " of " << n << ", " << name_of(edge) << ", sigma " << sigma;
        }
      }
}

TEST_P(Windows, a_signal_has_one_row) {
  std::vector<float> in(8), out(8);
  image_layout wrong(4, 2);
  wrong.signal = true;
  tests::expect_error(fault::bad_argument, {"median", "a signal of 2 rows"},
                      [&] { median(where(), in, wrong, 1, out); });
}

// Elements that are not finite, and what is to be where they are in the window of a result.
struct spoiled {
  std::uint64_t x, y;
  float value;
};
void expect_spoiled(const std::vector<float>& got, const std::vector<float>& clean, std::uint64_t w, std::int64_t reach,
                    border edge, const std::vector<spoiled>& all) {
  const auto across = static_cast<std::int64_t>(w), down = static_cast<std::int64_t>(got.size() / w);
  for (std::int64_t y = 0; y < down; ++y)
    for (std::int64_t x = 0; x < across; ++x) {
      float sum = 0;
      for (std::int64_t j = -reach; j <= reach; ++j)
        for (std::int64_t i = -reach; i <= reach; ++i)
          for (const spoiled& s : all)
            if (border_index(edge, x + i, across) == static_cast<std::int64_t>(s.x) &&
                border_index(edge, y + j, down) == static_cast<std::int64_t>(s.y))
              sum += s.value;
      const auto at = static_cast<std::uint64_t>(y * across + x);
      if (sum == 0)
        ASSERT_NEAR(got[at], clean[at], 2e-4) << "at " << x << ", " << y << ", " << name_of(edge);
      else if (sum != sum)
        ASSERT_TRUE(std::isnan(got[at])) << got[at] << " at " << x << ", " << y << ", " << name_of(edge);
      else
        ASSERT_EQ(got[at], sum) << "at " << x << ", " << y << ", " << name_of(edge);
    }
}

TEST_P(Windows, a_gaussian_keeps_what_is_not_finite_in_its_window) {
  const std::uint64_t w = 51;
  std::vector<float> ones(w * w, 1), out(w * w);
  ones[25 * w + 25] = nan;
  recursive_gaussian(where(), ones, image_layout{{w, w}}, 1, out, border::clamp);
  EXPECT_EQ(std::ranges::count_if(out, [](float v) { return std::isnan(v); }), 81) << "9 x 9, as SciPy has them";

  const std::vector<std::vector<spoiled>> cases{{{25, 25, nan}},
                                                {{0, 0, infinity}},
                                                {{50, 3, -infinity}, {44, 3, infinity}, {20, 40, nan}},
                                                {{10, 10, infinity}, {11, 10, infinity}, {10, 30, -infinity}}};
  for (const float sigma : {0.5f, 1.0f, 2.3f})
    for (const border edge : borders)
      for (const auto& all : cases) {
        auto in = random_signal(w * w), clean = in;
        for (const spoiled& s : all) in[s.y * w + s.x] = s.value, clean[s.y * w + s.x] = 0;
        std::vector<float> right(w * w);
        recursive_gaussian(where(), clean, image_layout{{w, w}}, sigma, right, edge);
        recursive_gaussian(where(), in, image_layout{{w, w}}, sigma, out, edge);
        expect_spoiled(out, right, w, static_cast<std::int64_t>(4 * sigma + 0.5f), edge, all);
      }
}

TEST_P(Windows, a_gaussian_of_a_long_signal_keeps_what_is_not_finite_in_its_window) {
  const std::uint64_t n = 300001;
  std::vector<float> in(n, 1), out(n);
  in[150000] = nan, in[299999] = infinity, in[0] = -infinity;
  recursive_gaussian(where(), in, image_layout{{n}}, 5, out, border::mirror);
  EXPECT_EQ(std::ranges::count_if(out, [](float v) { return std::isnan(v); }), 41);
  EXPECT_EQ(std::ranges::count(out, infinity), 22);
  EXPECT_EQ(std::ranges::count(out, -infinity), 21);
  for (std::uint64_t i = 0; i < n; ++i)
    if (std::isfinite(out[i])) {
      ASSERT_NEAR(out[i], 1, 1e-4) << i;
    }
}

TEST_P(Windows, other_filters_keep_nan_in_their_windows) {
  const std::uint64_t w = 67;
  const auto clean = random_signal(w * w);
  auto in = clean;
  in[30 * w + 33] = nan;
  const auto within = [&](std::uint64_t at, std::uint64_t reach) {
    const auto x = static_cast<std::int64_t>(at % w) - 33, y = static_cast<std::int64_t>(at / w) - 30;
    return std::max(std::abs(x), std::abs(y)) <= static_cast<std::int64_t>(reach);
  };
  std::vector<float> right(w * w), out(w * w);
  for (const std::uint32_t radius : {1u, 3u, 6u}) {
    median(where(), clean, image_layout{{w, w}}, radius, right), median(where(), in, image_layout{{w, w}}, radius, out);
    for (std::uint64_t i = 0; i < w * w; ++i)
      if (!within(i, radius)) {
        ASSERT_EQ(out[i], right[i]) << i << ", radius " << radius;
      }
  }
  bilateral(where(), clean, image_layout{{w, w}}, 2, 0.5, right),
      bilateral(where(), in, image_layout{{w, w}}, 2, 0.5, out);
  for (std::uint64_t i = 0; i < w * w; ++i)
    if (!within(i, 5)) {
      ASSERT_EQ(out[i], right[i]) << i;
    }
  for (const resampling how : all_resamplings) {
    const std::uint64_t half = 41;
    resize(where(), clean, image_layout{{w, w}}, right, {half, half}, how);
    resize(where(), in, image_layout{{w, w}}, out, {half, half}, how);
    for (std::uint64_t i = 0; i < half * half; ++i) {
      const double x = (static_cast<double>(i % half) + 0.5) * w / half,
                   y = (static_cast<double>(i / half) + 0.5) * w / half;
      if (std::abs(x - 33.5) > 3 * 1.7 + 1 || std::abs(y - 30.5) > 3 * 1.7 + 1) {
        ASSERT_EQ(out[i], right[i]) << i << ", " << name_of(how);
      }
    }
  }
}

}  // namespace
