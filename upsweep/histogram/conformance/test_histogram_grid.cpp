// histogram_2d and histogram_nd.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/devices.hpp"
#include "upsweep/histogram_2d.hpp"

namespace upsweep {
namespace {

using tests::expect_error;
using counts = std::vector<std::uint64_t>;

struct GridOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, GridOn, testing::ValuesIn(tests::device_names()), tests::device_label);

// The bin of x among these edges, -1 where there is none.
template <class T>
int bin_among(const std::vector<T>& edges, T x) {
  for (std::size_t b = 0; b + 1 < edges.size(); ++b)
    if (edges[b] <= x && x < edges[b + 1]) return static_cast<int>(b);
  return -1;
}

TEST_P(GridOn, PairsAndTriples) {
  // Powers of two: even bins and their edges agree exactly.
  const std::vector<float> x_edges{-1, -0.5, 0, 0.5, 1}, own{-0.9f, 0.1f, 0.2f, 0.95f};
  const std::vector<int> z_edges{0, 64, 128, 192, 256};
  for (const std::uint64_t n : {0, 1, 2, 1000, 50021}) {
    std::mt19937_64 random(n);
    std::vector<float> x(n), y(n);
    std::vector<std::uint8_t> z(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>(random() % 2400) / 1000 - 1.2f;
      y[i] = i % 97 == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(random() % 2000) / 1000 - 1;
      z[i] = static_cast<std::uint8_t>(random());
    }
    counts pairs(12), triples(48), both(4 * 4), got(12, 7), got3(48, 7);
    for (std::uint64_t i = 0; i < n; ++i) {
      const int a = bin_among(x_edges, x[i]), b = bin_among(own, y[i]), c = bin_among(z_edges, static_cast<int>(z[i]));
      if (a < 0 || b < 0) continue;
      ++pairs[static_cast<std::size_t>(a * 3 + b)];
      ++triples[static_cast<std::size_t>((a * 3 + b) * 4 + c)];
    }
    histogram_2d(where(), x, y, got, even_bins(-1.0f, 1.0f, 4), own);
    EXPECT_EQ(got, pairs) << n;
    histogram_2d(where(), x, y, got, x_edges, own);
    EXPECT_EQ(got, pairs) << n;
    histogram_nd(where(), got3, grid_axis(x, even_bins(-1, 1, 4)), grid_axis(y, own),
                 grid_axis(z, even_bins(0, 256, 4)));
    EXPECT_EQ(got3, triples) << n;
    const buffer<float> x_there(where(), x), y_there(where(), y), own_there(where(), own);
    buffer<std::uint64_t> to(where(), 12);
    const auto call = [&] { histogram_2d(where(), x_there, y_there, to, even_bins(-1.0f, 1.0f, 4), own_there); };
    if (where().kind() == backend::cpu) {
      call();
      EXPECT_EQ(to.download(), pairs) << n;
    } else {
      expect_error(fault::unsupported, {"histogram_2d"}, call);
    }
  }
}

TEST_P(GridOn, WhatDoesNotFitIsRefused) {
  const std::vector<float> x(5), four(4), falling{0, 2, 1};
  counts out(6), five(5);
  const auto refuses = [](std::vector<std::string> pieces, auto call) {
    expect_error(fault::bad_argument, std::move(pieces), call);
  };
  const auto two = even_bins(0.0f, 1.0f, 2), three = even_bins(0.0f, 1.0f, 3), none = even_bins(1.0f, 1.0f, 3);
  refuses({"histogram_2d", "5 samples", "4"}, [&] { histogram_2d(where(), x, four, out, two, three); });
  refuses({"histogram_2d", "6 bins", "5 counts"}, [&] { histogram_2d(where(), x, x, five, two, three); });
  refuses({"histogram_2d", "hold nothing"}, [&] { histogram_2d(where(), x, x, out, two, none); });
  refuses({"histogram_2d"}, [&] { histogram_2d(where(), x, x, out, falling, three); });
  refuses({"histogram_2d"}, [&] { histogram_2d(where(), x, x, out, even_bins(0.0f, 1.0f, 0), three); });
}

}  // namespace
}  // namespace upsweep
