// The filters, on every device, against the plainest loops that do the same.
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

constexpr float poison = 1234.5f;

class Filters : public tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, Filters, testing::ValuesIn(tests::device_names()), tests::device_label);

struct shape_of_test {
  extent size;
  std::uint32_t channels;
  std::uint64_t in_gap, out_gap;
};
const shape_of_test shapes[]{{{1, 1}, 1, 0, 0},   {{1, 9}, 2, 1, 0},   {{9, 1}, 3, 0, 2},    {{2, 2}, 4, 3, 3},
                             {{64, 64}, 1, 0, 0}, {{65, 63}, 3, 5, 7}, {{130, 67}, 1, 0, 1}, {{17, 70}, 4, 0, 0}};

image_layout layout_of(const shape_of_test& s) {
  return {s.size, s.channels, s.size.x * s.channels + s.in_gap, s.size.x * s.channels + s.out_gap};
}

// A few values many times over, so that equal ones meet, and all else over (0, 1).
std::vector<float> random_picture(const image_layout& r, std::uint64_t seed) {
  std::vector<float> x(r.size.y * r.pitch);
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    const std::uint64_t bits = mixed(i + seed * 1000003);
    x[i] = bits % 3 == 0 ? static_cast<float>(bits >> 8 & 3) / 4 : static_cast<float>(unit(bits));
  }
  return x;
}

double element(const std::vector<float>& x, const image_layout& r, border edge, std::int64_t px, std::int64_t py,
               std::uint32_t c) {
  const auto at_x = border_index(edge, px, static_cast<std::int64_t>(r.size.x)),
             at_y = border_index(edge, py, static_cast<std::int64_t>(r.size.y));
  return at_x < 0 || at_y < 0
             ? 0
             : x[static_cast<std::uint64_t>(at_y) * r.pitch + static_cast<std::uint64_t>(at_x) * r.channels + c];
}

constexpr border borders[]{border::zero, border::clamp, border::reflect, border::mirror, border::wrap};

template <class Wanted>
void expect_everywhere(const std::vector<float>& out, const image_layout& r, extent size, double tolerance,
                       const Wanted& wanted) {
  const std::uint64_t row = size.x * r.channels, pitch = r.out_pitch ? r.out_pitch : row;
  for (std::uint64_t y = 0; y < size.y; ++y)
    for (std::uint64_t i = 0; i < pitch; ++i) {
      const float got = out[y * pitch + i];
      if (i >= row) {
        ASSERT_EQ(got, poison) << "the gap of row " << y << " was written";
        continue;
      }
      const double right = wanted(i / r.channels, y, static_cast<std::uint32_t>(i % r.channels));
      const double err = std::abs(got - right);
      ASSERT_FALSE(!(err <= tolerance)) << "at " << i / r.channels << ", " << y << ", channel " << i % r.channels
                                        << ": " << got << " for " << right;
    }
}

template <class Call>
void expect_error(fault why, const char* says, const Call& call) {
  try {
    call();
    FAIL() << "no error that says: " << says;
  } catch (const error& e) {
    EXPECT_EQ(e.why(), why) << e.what();
    EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
  }
}

TEST_P(Filters, median_is_the_middle_of_the_sorted_window) {
  for (const auto& s : shapes)
    for (const std::uint32_t radius : {0u, 1u, 2u, 3u, 5u, 40u}) {
      if (radius == 40 && (s.size.count() > 2000 || where().kind() != backend::cpu))
        continue;  // the plain loop takes long
      const border edge = borders[(radius + s.size.x) % 5];
      const image_layout r = layout_of(s);
      const auto in = random_picture(r, radius);
      std::vector<float> out(r.size.y * r.out_pitch, poison);
      median(where(), in, r, radius, out, edge);
      SCOPED_TRACE(testing::Message() << s.size.x << " x " << s.size.y << " x " << s.channels << ", radius " << radius
                                      << ", " << name_of(edge));
      const auto reach = static_cast<std::int64_t>(radius);
      expect_everywhere(out, r, r.size, 0, [&](std::uint64_t x, std::uint64_t y, std::uint32_t c) {
        std::vector<double> window;
        for (std::int64_t j = -reach; j <= reach; ++j)
          for (std::int64_t i = -reach; i <= reach; ++i)
            window.push_back(
                element(in, r, edge, static_cast<std::int64_t>(x) + i, static_cast<std::int64_t>(y) + j, c));
        std::ranges::nth_element(window, window.begin() + static_cast<std::ptrdiff_t>(window.size() / 2));
        return window[window.size() / 2];
      });
    }
}

TEST_P(Filters, median_takes_a_nan_for_the_largest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> in{1, nan, -3, -0.0f, 5, nan, -2, 8, 4};
  std::vector<float> out(9, poison);
  median(where(), in, image_layout{{3, 3}}, 1, out, border::clamp);
  EXPECT_EQ(out[4], 4);  // -3 -2 -0 1 4 5 8 NaN NaN
  const std::vector<float> all(9, nan);
  median(where(), all, image_layout{{3, 3}}, 1, out, border::clamp);
  EXPECT_TRUE(std::isnan(out[4]));
}

TEST_P(Filters, bilateral_is_the_weighted_mean) {
  for (const auto& s : shapes)
    for (const float space : {0.4f, 1.3f, 3.0f}) {
      const float range = space * 0.2f;
      const border edge = borders[s.size.y % 5];
      const image_layout r = layout_of(s);
      const auto in = random_picture(r, 7);
      std::vector<float> out(r.size.y * r.out_pitch, poison);
      bilateral(where(), in, r, space, range, out, edge);
      SCOPED_TRACE(testing::Message() << s.size.x << " x " << s.size.y << " x " << s.channels << ", sigma " << space
                                      << ", " << name_of(edge));
      const auto reach = static_cast<std::int64_t>(std::max(1.0f, std::ceil(2.5f * space)));
      expect_everywhere(out, r, r.size, 2e-5, [&](std::uint64_t x, std::uint64_t y, std::uint32_t c) {
        double sum = 0, weights = 0;
        for (std::int64_t j = -reach; j <= reach; ++j)
          for (std::int64_t i = -reach; i <= reach; ++i) {
            if (i * i + j * j > reach * reach) continue;
            const auto px = static_cast<std::int64_t>(x) + i, py = static_cast<std::int64_t>(y) + j;
            double distance = 0;
            for (std::uint32_t k = 0; k < r.channels; ++k) {
              const double by = element(in, r, edge, px, py, k) - element(in, r, edge, px - i, py - j, k);
              distance += by * by;
            }
            const double weight = std::exp(-static_cast<double>(i * i + j * j) / (2.0 * space * space) -
                                           distance / (2.0 * range * range));
            sum += weight * element(in, r, edge, px, py, c);
            weights += weight;
          }
        return sum / weights;
      });
    }
}

TEST_P(Filters, edges_are_thinned_to_the_steepest) {
  // Upright edges, two of them equally steep side by side: the first stays.
  const std::vector<float> across{0, 1, 3, 2, 0, 5, 5, 0}, none(8, 0.0f);
  std::vector<float> out(8, poison);
  non_maximum_suppression(where(), across, none, {8, 1}, out);
  EXPECT_EQ(out, (std::vector<float>{0, 0, 3, 0, 0, 5, 0, 0}));
  non_maximum_suppression(where(), none, across, {1, 8}, out);
  EXPECT_EQ(out, (std::vector<float>{0, 0, 3, 0, 0, 5, 0, 0}));
  // Along a diagonal, and along the other one.
  std::vector<float> dx(25, 0.0f), dy(25, 0.0f), thin(25, poison);
  for (int i = 0; i < 5; ++i)
    dx[static_cast<std::size_t>(6 * i)] = dy[static_cast<std::size_t>(6 * i)] = static_cast<float>(3 - std::abs(i - 2));
  non_maximum_suppression(where(), dx, dy, {5, 5}, thin);
  for (int i = 0; i < 25; ++i) EXPECT_EQ(thin[static_cast<std::size_t>(i)] > 0, i == 12) << i;
  std::vector<float> ax(25, 0.0f), ay(25, 0.0f);
  for (int i = 0; i < 5; ++i) {
    ax[static_cast<std::size_t>(4 * i + 4)] = static_cast<float>(3 - std::abs(i - 2));
    ay[static_cast<std::size_t>(4 * i + 4)] = -ax[static_cast<std::size_t>(4 * i + 4)];
  }
  non_maximum_suppression(where(), ax, ay, {5, 5}, thin);
  for (int i = 0; i < 25; ++i) EXPECT_EQ(thin[static_cast<std::size_t>(i)] > 0, i == 12) << i;
}

TEST_P(Filters, edges_are_linked_as_far_as_they_go) {
  for (const extent size : {extent{1, 1}, extent{40, 1}, extent{1, 40}, extent{33, 47}}) {
    std::vector<float> in(size.count()), out(in.size(), poison);
    for (std::uint64_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(unit(mixed(i + size.x)));
    hysteresis_threshold(where(), in, size, 0.55f, 0.97f, out);
    // By waves, until nothing changes.
    std::vector<float> wanted(in.size());
    for (std::uint64_t i = 0; i < in.size(); ++i) wanted[i] = in[i] >= 0.97f;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::int64_t y = 0; y < static_cast<std::int64_t>(size.y); ++y)
        for (std::int64_t x = 0; x < static_cast<std::int64_t>(size.x); ++x)
          for (std::int64_t j = -1; j <= 1; ++j)
            for (std::int64_t i = -1; i <= 1; ++i) {
              const std::int64_t nx = x + i, ny = y + j, w = static_cast<std::int64_t>(size.x);
              if (nx < 0 || ny < 0 || nx >= w || ny >= static_cast<std::int64_t>(size.y)) continue;
              float& there = wanted[static_cast<std::uint64_t>(ny * w + nx)];
              if (wanted[static_cast<std::uint64_t>(y * w + x)] == 1 && there == 0 &&
                  in[static_cast<std::uint64_t>(ny * w + nx)] >= 0.55f)
                there = 1, changed = true;
            }
    }
    EXPECT_EQ(out, wanted) << size.x << " x " << size.y;
  }
}

TEST_P(Filters, resize_keeps_a_picture_of_the_same_size) {
  for (const auto& s : shapes)
    for (const resampling how : all_resamplings) {
      const image_layout r = layout_of(s);
      const auto in = random_picture(r, 3);
      std::vector<float> out(r.size.y * r.out_pitch, poison);
      resize(where(), in, r, out, r.size, how);
      SCOPED_TRACE(testing::Message() << s.size.x << " x " << s.size.y << ", " << name_of(how));
      expect_everywhere(out, r, r.size, 1e-6, [&](std::uint64_t x, std::uint64_t y, std::uint32_t c) {
        return in[y * r.pitch + x * r.channels + c];
      });
    }
}

TEST_P(Filters, resize_keeps_a_constant_and_covers_all_of_it) {
  for (const resampling how : all_resamplings)
    for (const extent to : {extent{1, 1}, extent{7, 100}, extent{93, 3}, extent{31, 47}}) {
      const image_layout r{{31, 47}, 2, 0, 0};
      const std::vector<float> in(31 * 47 * 2, 0.75f);
      std::vector<float> out(to.count() * 2, poison);
      resize(where(), in, r, out, to, how);
      SCOPED_TRACE(testing::Message() << name_of(how) << " to " << to.x << " x " << to.y);
      expect_everywhere(out, r, to, 2e-6, [](std::uint64_t, std::uint64_t, std::uint32_t) { return 0.75; });
    }
}

TEST_P(Filters, resize_by_area_is_the_mean_of_what_is_covered) {
  const extent from{7, 5}, to{3, 2};
  image_layout r{from, 1, 7, 0};
  const auto in = random_picture(r, 9);
  std::vector<float> out(to.count(), poison);
  resize(where(), in, r, out, to, resampling::area);
  // Each pixel cut into parts that both grids share.
  expect_everywhere(out, r, to, 1e-6, [&](std::uint64_t x, std::uint64_t y, std::uint32_t) {
    double sum = 0;
    for (std::uint64_t j = 0; j < 5; ++j)
      for (std::uint64_t i = 0; i < 7; ++i) sum += in[(y * 5 + j) / 2 * 7 + (x * 7 + i) / 3];
    return sum / 35;
  });
  // Nearest doubles every pixel; a linear ramp stays one, away from the ends.
  std::vector<float> twice(14 * 10, poison);
  resize(where(), in, r, twice, {14, 10}, resampling::nearest);
  expect_everywhere(twice, r, {14, 10}, 0,
                    [&](std::uint64_t x, std::uint64_t y, std::uint32_t) { return in[y / 2 * 7 + x / 2]; });
  std::vector<float> ramp(40), wide(100, poison);
  for (std::size_t i = 0; i < 40; ++i) ramp[i] = (static_cast<float>(i) + 0.5f) / 40;
  for (const resampling how : {resampling::linear, resampling::cubic}) {
    resize(where(), ramp, image_layout{{40, 1}}, wide, {100, 1}, how);
    for (std::size_t i = 10; i < 90; ++i)
      ASSERT_FALSE(!(std::abs(wide[i] - (static_cast<float>(i) + 0.5f) / 100) <= 1e-6f)) << name_of(how) << " " << i;
  }
}

// Against the definition, in doubles, at every border; and on a picture of one step, where an error shows most.
TEST_P(Filters, recursive_gaussian_is_nearly_one) {
  for (const float sigma : {0.5f, 1.0f, 1.7f, 5.0f, 20.0f})
    for (const border edge : borders)
      for (const shape_of_test& s :
           {shape_of_test{{70, 33}, 3, 5, 2}, {{1, 60}, 1, 0, 0}, {{45, 1}, 2, 1, 1}, {{16, 16}, 1, 0, 0}}) {
        const image_layout r = layout_of(s);
        auto in = random_picture(r, 11);
        for (std::uint64_t i = 0; i < in.size() / 2; ++i) in[i] = 1;
        std::vector<float> out(r.size.y * r.out_pitch, poison);
        recursive_gaussian(where(), in, r, sigma, out, edge);
        SCOPED_TRACE(testing::Message() << s.size.x << " x " << s.size.y << ", sigma " << sigma << ", "
                                        << name_of(edge));
        const auto reach = static_cast<std::int64_t>(std::ceil(7 * sigma));
        std::vector<double> weights;
        double all = 0;
        for (std::int64_t i = -reach; i <= reach; ++i)
          weights.push_back(std::exp(-static_cast<double>(i * i) / (2.0 * sigma * sigma))), all += weights.back();
        // Rows first, then columns.
        std::vector<double> rows(r.size.count() * r.channels);
        const auto along = [&](auto element) {
          double sum = 0;
          for (std::int64_t i = -reach; i <= reach; ++i)
            sum += weights[static_cast<std::size_t>(i + reach)] * element(i);
          return sum / all;
        };
        for (std::uint64_t y = 0; y < r.size.y; ++y)
          for (std::uint64_t x = 0; x < r.size.x; ++x)
            for (std::uint32_t c = 0; c < r.channels; ++c)
              rows[(y * r.size.x + x) * r.channels + c] = along([&](std::int64_t i) {
                return element(in, r, edge, static_cast<std::int64_t>(x) + i, static_cast<std::int64_t>(y), c);
              });
        expect_everywhere(
            out, r, r.size, sigma < 1 ? 0.02 : recursive_gaussian_error,
            [&](std::uint64_t x, std::uint64_t y, std::uint32_t c) {
              return along([&](std::int64_t i) {
                const std::int64_t at =
                    border_index(edge, static_cast<std::int64_t>(y) + i, static_cast<std::int64_t>(r.size.y));
                return at < 0 ? 0.0 : rows[(static_cast<std::uint64_t>(at) * r.size.x + x) * r.channels + c];
              });
            });
      }
  // A wide one keeps a constant picture, to a rounding.
  const std::vector<float> same(300 * 20, 0.75f);
  std::vector<float> out(same.size(), poison);
  recursive_gaussian(where(), same, image_layout{{300, 20}}, 300.0f, out, border::wrap);
  for (const float v : out) ASSERT_FALSE(!(std::abs(v - 0.75f) <= 2e-5f)) << v;
  expect_error(fault::bad_argument, "sigma",
               [&] { recursive_gaussian(where(), same, image_layout{{300, 20}}, std::nanf(""), out); });
}

TEST(filters, threads_do_not_show) {
  const image_layout r{{301, 203}, 3, 0, 0};
  const image_layout gaps{{301, 203}, 3, 903, 0};
  const auto in = random_picture(gaps, 5);
  std::vector<float> one(in.size(), poison), two(in.size(), poison);
  median(context::cpu(1), in, r, 3, one);
  median(context::cpu(2), in, r, 3, two);
  EXPECT_EQ(one, two);
  bilateral(context::cpu(1), in, r, 1.5f, 0.1f, one);
  bilateral(context::cpu(2), in, r, 1.5f, 0.1f, two);
  EXPECT_EQ(one, two);
}

TEST(filters, run_as_the_variant_asked_for) {
  const context cpu = context::cpu(2), ranks = cpu.with({.variant = "median/rank-bitmap"}),
                forgetful = cpu.with({.variant = "median/forgetful-selection"});
  const image_layout r{{70, 41}, 2, 145, 150};
  const auto in = random_picture(r, 3);
  std::vector<float> one(41 * 150, poison), two(one);
  median(ranks, in, r, 2, one);
  EXPECT_EQ(ranks.last_algorithm(), "median/rank-bitmap");
  median(forgetful, in, r, 2, two);
  EXPECT_EQ(forgetful.last_algorithm(), "median/forgetful-selection");
  EXPECT_EQ(one, two);
  expect_error(fault::unsupported, "a radius other than 1, 2 and 3", [&] { median(forgetful, in, r, 5, two); });
  EXPECT_EQ(one, two);
  median(cpu, in, r, 2, two);
  EXPECT_EQ(cpu.last_algorithm(), "median/forgetful-selection");
  median(cpu, in, r, 5, two);
  EXPECT_EQ(cpu.last_algorithm(), "median/rank-bitmap");
}

TEST_P(Filters, what_they_refuse) {
  std::vector<float> in(100, 0.5f), out(100, poison);
  const image_layout r{{10, 10}};
  expect_error(fault::bad_argument, "border::none", [&] { median(where(), in, r, 1, out, border::none); });
  expect_error(fault::bad_argument, "255", [&] { median(where(), in, r, 256, out); });
  expect_error(fault::bad_argument, "overlap", [&] { median(where(), in, r, 1, in); });
  expect_error(fault::bad_argument, "empty", [&] { median(where(), in, image_layout{{0, 10}}, 1, out); });
  expect_error(fault::bad_argument, "spans 110", [&] { median(where(), in, image_layout{{10, 11}}, 1, out); });
  expect_error(fault::bad_argument, "spans 121", [&] { resize(where(), in, r, out, {11, 11}, resampling::area); });
  expect_error(fault::bad_argument, "pitch", [&] { median(where(), in, image_layout{{10, 5}, 1, 9}, 1, out); });
  expect_error(fault::bad_argument, "channels", [&] { median(where(), in, image_layout{{2, 2}, 5}, 1, out); });
  expect_error(fault::unsupported, "volume", [&] { median(where(), in, image_layout{{2, 2, 2}}, 1, out); });
  expect_error(fault::bad_argument, "sigmas", [&] { bilateral(where(), in, r, std::nanf(""), 0.1f, out); });
  expect_error(fault::bad_argument, "sigmas", [&] { bilateral(where(), in, r, 1, 0, out); });
  expect_error(fault::bad_argument, "thresholds",
               [&] { hysteresis_threshold(where(), in, {10, 10}, 0.5f, 0.2f, out); });
  if (where().kind() != backend::cpu)
    expect_error(fault::unsupported, "--device cpu", [&] { median(where(), in, r, 33, out); });
  for (const float v : out) ASSERT_EQ(v, poison) << "a refused call wrote";
}

}  // namespace
