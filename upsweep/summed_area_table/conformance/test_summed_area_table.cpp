// summed_area_table.hpp's contract on every usable device. The algorithms themselves are checked through the catalog.
#include "upsweep/summed_area_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/conformance_tests.hpp"
#include "tests/devices.hpp"
#include "upsweep/conformance/random_samples.hpp"

namespace upsweep {
namespace {

using detail::summed_area_table_impl::primitive;
using detail::summed_area_table_impl::problem;
using tests::expect_error;
using bytes = std::vector<std::uint8_t>;
using words = std::vector<std::uint32_t>;
using floats = std::vector<float>;

struct IntegralOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, IntegralOn, testing::ValuesIn(tests::device_names()), tests::device_label);

bytes noise(std::uint64_t n) {
  bytes x(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<std::uint8_t>(mixed(i));
  return x;
}

TEST_P(IntegralOn, SumsEverythingAboveAndToTheLeft) {
  const bytes x{1, 2, 3, 4, 5, 6};
  words table(6);
  summed_area_table(where(), x, table, {3, 2});
  EXPECT_EQ(table, (words{1, 3, 6, 5, 12, 21}));
}

TEST_P(IntegralOn, LeavesGapsAlone) {
  const bytes x{1, 2, 99, 3, 4, 99, 5, 6};
  words table(3 * 5 - 3, 7);
  summed_area_table(where(), x, table, {{2, 3}, 1, 3, 5});
  EXPECT_EQ(table, (words{1, 3, 7, 7, 7, 4, 10, 7, 7, 7, 9, 21}));
}

TEST_P(IntegralOn, DeviceMemoryAndRectanglesAgreeWithTheDefinition) {
  const extent size{97, 61};
  const std::uint32_t channels = 3;
  const bytes x = noise(size.count() * channels);
  buffer<std::uint8_t> in(where(), x);
  buffer<std::uint32_t> table(where(), x.size());
  summed_area_table(where(), in.span(), table.span(), {size, channels});
  std::vector<rectangle> asked{{0, 0, 97, 61}, {5, 5, 5, 9},    {96, 60, 97, 61},
                               {0, 3, 50, 4},  {10, 0, 11, 61}, {97, 61, 97, 61}};
  buffer<rectangle> rectangles(where(), asked);
  buffer<std::uint32_t> sums(where(), asked.size() * channels);
  rectangle_sums(where(), table.span(), rectangles.span(), sums.span(), size, channels);
  words host(asked.size() * channels);
  rectangle_sums(where(), table.download(), asked, host, size, channels);
  EXPECT_EQ(host, sums.download());
  for (std::size_t k = 0; k < asked.size(); ++k)
    for (std::uint32_t c = 0; c < channels; ++c) {
      std::uint32_t want = 0;
      for (std::uint64_t y = asked[k].y0; y < asked[k].y1; ++y)
        for (std::uint64_t i = asked[k].x0; i < asked[k].x1; ++i) want += x[(y * size.x + i) * channels + c];
      EXPECT_EQ(host[k * channels + c], want) << k << " " << c;
    }
}

TEST_P(IntegralOn, EmptyPicturesHaveNothing) {
  words none;
  summed_area_table(where(), bytes{}, none, {0, 5});
  summed_area_table(where(), bytes{}, none, {5, 0});
  box_sum(where(), bytes{}, none, {0, 0}, {1, 1});
  words sum(1, 9);
  rectangle_sums(where(), none, std::vector<rectangle>{{0, 0, 0, 0}}, sum, {0, 0});
  EXPECT_EQ(sum[0], 0u);
}

TEST_P(IntegralOn, BoxesAreClippedAndMeansRoundHalfToEven) {
  const bytes x{0, 1, 2, 9};
  words sums(4);
  box_sum(where(), x, sums, {4, 1}, {1, 7});
  EXPECT_EQ(sums, (words{1, 3, 12, 11}));
  bytes means(4);
  box_mean(where(), x, means, {4, 1}, {1, 0});
  EXPECT_EQ(means, (bytes{0, 1, 4, 6}));  // 1/2 to 0, 11/2 to 6
}

TEST_P(IntegralOn, RadiusZeroIsTheElementAndAnyRadiusIsAll) {
  const bytes x = noise(35);
  words same(35), all(35);
  box_sum(where(), x, same, {7, 5}, {0, 0});
  box_sum(where(), x, all, {7, 5}, {~std::uint64_t{0}, ~std::uint64_t{0}});
  EXPECT_EQ(same, words(x.begin(), x.end()));
  EXPECT_EQ(all, words(35, std::accumulate(x.begin(), x.end(), 0u)));
}

// What has left the box leaves nothing behind.
TEST_P(IntegralOn, BoxesDoNotRememberWhatIsOutside) {
  floats x(400, 0.25f), sums(400), means(400), variances(400);
  x[3 * 20 + 4] = std::numeric_limits<float>::quiet_NaN();
  x[15 * 20 + 4] = 1e30f;
  box_sum(where(), x, sums, {20, 20}, {1, 1});
  box_mean(where(), x, means, {20, 20}, {1, 1});
  box_variance(where(), x, variances, {20, 20}, {1, 1});
  for (int y = 1; y < 19; ++y)
    for (int i = 1; i < 19; ++i) {
      const auto near = [&](int a, int b) { return std::abs(a - i) <= 1 && std::abs(b - y) <= 1; };
      if (near(4, 3) || near(4, 15)) continue;
      EXPECT_EQ(sums[y * 20 + i], 2.25f) << i << " " << y;
      EXPECT_EQ(means[y * 20 + i], 0.25f);
      EXPECT_EQ(variances[y * 20 + i], 0.0f);
    }
  EXPECT_TRUE(std::isnan(sums[3 * 20 + 4]));
}

// Pictures wider than what a thread of the CPU works on at once, by boxes low and tall, narrow and wide; small
// integers, so that sums of floats are exact.
TEST_P(IntegralOn, BoxesInWidePictures) {
  for (const auto& [size, radius, channels] : {std::tuple{extent{23011, 7}, extent{3, 1}, 1u},
                                               {extent{2503, 131}, extent{40, 60}, 1u},
                                               {extent{901, 97}, extent{7, 45}, 3u}}) {
    const std::uint64_t row = size.x * channels, n = row * size.y;
    floats x(n), sums(n), means(n);
    bytes whole(n);
    words whole_sums(n);
    for (std::uint64_t i = 0; i < n; ++i) whole[i] = static_cast<std::uint8_t>(mixed(i) % 16), x[i] = whole[i];
    const image_layout r{size, channels};
    box_sum(where(), x, sums, r, radius);
    box_mean(where(), x, means, r, radius);
    box_sum(where(), whole, whole_sums, r, radius);
    for (std::uint32_t c = 0; c < channels; ++c) {
      std::vector<std::uint64_t> above(size.x + 1);  // of each column the sum of the rows in the box
      const auto add = [&](std::uint64_t y, bool gone) {
        for (std::uint64_t px = 0; px < size.x; ++px)
          above[px] += gone ? -std::uint64_t{whole[y * row + px * channels + c]} : whole[y * row + px * channels + c];
      };
      for (std::uint64_t y = 0; y < std::min(radius.y, size.y); ++y) add(y, false);
      for (std::uint64_t y = 0; y < size.y; ++y) {
        if (y + radius.y < size.y) add(y + radius.y, false);
        if (y > radius.y) add(y - radius.y - 1, true);
        std::vector<std::uint64_t> before(size.x + 1);
        std::inclusive_scan(above.begin(), above.end() - 1, before.begin() + 1);
        const std::uint64_t high = std::min(y + radius.y + 1, size.y) - (y - std::min(y, radius.y));
        for (std::uint64_t px = 0; px < size.x; ++px) {
          const std::uint64_t first = px - std::min(px, radius.x), last = std::min(px + radius.x + 1, size.x),
                              sum = before[last] - before[first], at = y * row + px * channels + c;
          ASSERT_EQ(sums[at], static_cast<float>(sum)) << px << ' ' << y << ' ' << c << " of " << size.x;
          ASSERT_EQ(whole_sums[at], sum) << px << ' ' << y << ' ' << c << " of " << size.x;
          const double mean = static_cast<double>(sum) / static_cast<double>(high * (last - first));
          ASSERT_FALSE(!(std::abs(means[at] - mean) <= 2e-6 * (1 + mean)))
              << px << ' ' << y << ' ' << c << " of " << size.x;
        }
      }
    }
  }
}

// 100000 and a pattern of ± 1/64: E[x²] - E[x]² in f32 would have lost it.
TEST_P(IntegralOn, VariancesDoNotCancel) {
  floats x(64 * 64), variances(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 100000.0f + ((i + i / 64) % 2 ? 1.0f : -1.0f) / 64;
  box_variance(where(), x, variances, {64, 64}, {31, 31});
  EXPECT_NEAR(variances[32 * 64 + 32], 1.0f / 4096, 1e-9f);
}

TEST_P(IntegralOn, RepeatsBitForBit) {
  const extent size{501, 203};
  floats x(size.count()), a(x.size()), b(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(2 * unit(mixed(i)) - 1);
  summed_area_table(where(), x, a, size);
  for (int k = 0; k < 3; ++k) {
    summed_area_table(where(), x, b, size);
    ASSERT_EQ(0, std::memcmp(a.data(), b.data(), a.size() * 4));
  }
}

TEST(Integral, TheNumberOfThreadsChangesNoBit) {
  const extent size{3001, 203};
  std::vector<double> x(size.count()), a(x.size()), b(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 2 * unit(mixed(i)) - 1;
  summed_area_table(context::cpu(1), x, a, size);
  summed_area_table(context::cpu(3), x, b, size);
  EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size() * 8));
}

TEST_P(IntegralOn, RefusesInOneSentence) {
  bytes x(12);
  words table(12);
  const auto bad = fault::bad_argument;
  expect_error(bad, {"summed_area_table", "5 channels"}, [&] { summed_area_table(where(), x, table, {{2, 1}, 5}); });
  expect_error(bad, {"pitch of 2", "row of 3"}, [&] { summed_area_table(where(), x, table, {{3, 4}, 1, 2}); });
  expect_error(bad, {"the picture", "15", "12"}, [&] { summed_area_table(where(), x, table, {3, 5}); });
  expect_error(bad, {"the output", "15", "12"}, [&] { summed_area_table(where(), x, table, {{3, 4}, 1, 0, 4}); });
  expect_error(bad, {"larger than any memory"},
               [&] { summed_area_table(where(), x, table, {std::uint64_t{1} << 40, std::uint64_t{1} << 40}); });
  expect_error(bad, {"rectangle 1", "[2, 1)"}, [&] {
    words sums(2);
    rectangle_sums(where(), table, std::vector<rectangle>{{0, 0, 1, 1}, {2, 0, 1, 1}}, sums, {3, 4});
  });
  expect_error(bad, {"the sums"}, [&] {
    words sums(3);
    rectangle_sums(where(), table, std::vector<rectangle>{{0, 0, 1, 1}}, sums, {3, 4});
  });
}

// Found by the numbers alone, before anything is read.
TEST_P(IntegralOn, SumsThatMayOverflowAreRefusedUnlessAskedFor) {
  bytes x;
  words table;
  expect_error(fault::bad_argument, {"u8", "u32", "u64", "wrapping"},
               [&] { summed_area_table(where(), x, table, {1 << 13, 1 << 12}); });
  std::vector<std::uint16_t> bright(300 * 300, 65535);
  words sums(bright.size());
  expect_error(fault::bad_argument, {"u16", "wrapping"}, [&] { summed_area_table(where(), bright, sums, {300, 300}); });
  summed_area_table(where(), bright, sums, {300, 300}, overflow::wrap);
  EXPECT_EQ(sums.back(), static_cast<std::uint32_t>(65535ull * 90000));
  box_sum(where(), bright, sums, {300, 300}, {2, 2});
  EXPECT_EQ(sums[150 * 300 + 150], 65535u * 25);
}

// ---- the conformance tests detect wrong results

void run_library(device& d, const problem& p) {
  const char* name = p.what == primitive::summed_area_table ? "integral/sequential"
                     : p.what == primitive::box_filter      ? "box-filter/van-herk"
                                                            : "rectangle-sums/sequential";
  find_variant(name, backend::cpu)->run(d, p);
}

TEST(IntegralConformance, PassesWhatIsRight) {
  for (primitive what : {primitive::summed_area_table, primitive::box_filter, primitive::rectangle_sums})
    tests::expect_passes<problem>(what, run_library);
}

TEST(IntegralConformance, CatchesTheLastElementOffByOne) {
  for (primitive what : {primitive::summed_area_table, primitive::box_filter, primitive::rectangle_sums})
    tests::expect_caught<problem>(
        what,
        [](device& d, const problem& p) {
          run_library(d, p);
          if (p.n == 0) return;
          const std::uint64_t rows = p.size.y * p.size.z, row = p.size.x * p.channels;
          const std::uint64_t last = p.what == primitive::rectangle_sums
                                         ? p.m * p.channels - 1
                                         : (rows - 1) * (p.out_pitch ? p.out_pitch : row) + row - 1;
          with_any_type(p.out_type, [&]<class T>(type_tag<T>) {
            if constexpr (std::is_arithmetic_v<T>) p.out.as<T>()[last] = plus{}(p.out.as<T>()[last], T(1));
          });
        },
        " is not ");
}

TEST(IntegralConformance, CatchesAGapThatIsWritten) {
  for (primitive what : {primitive::summed_area_table, primitive::box_filter})
    tests::expect_caught<problem>(
        what,
        [](device& d, const problem& p) {
          run_library(d, p);
          const std::uint64_t row = p.size.x * p.channels;
          if (p.n && p.out_pitch > row && p.size.y * p.size.z > 1)
            p.out.as<unsigned char>()[row * size_of(p.out_type)] = 0;
        },
        "gap behind row 0");
}

}  // namespace
}  // namespace upsweep
