// histogram.hpp's contract, line by line, on every usable device, and the rules of bins and weights. The algorithms
// themselves are checked through the catalog.
#include "upsweep/histogram.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include "tests/devices.hpp"
#include "tests/small_device.hpp"
#include "upsweep/histogram/histogram_weights.hpp"

namespace upsweep {
namespace {

using detail::histogram_impl::primitive;
using detail::histogram_impl::problem;
using namespace detail::histogram_impl;
using tests::expect_error;
using bytes = std::vector<std::uint8_t>;
using counts = std::vector<std::uint64_t>;
using floats = std::vector<float>;

// ---- Which bin.

// The rule as it is written, in numbers of 128 bits.
template <class T>
std::uint32_t written_out(std::int64_t lower, std::int64_t upper, std::uint64_t m, T x) {
  const auto wide = static_cast<__int128>(x);
  if (wide < lower || wide >= upper) return no_bin;
  return static_cast<std::uint32_t>((wide - lower) * static_cast<__int128>(m) / (static_cast<__int128>(upper) - lower));
}

template <class T>
void expect_exact_bins() {
  std::mt19937_64 random(3);
  const std::int64_t least = static_cast<std::int64_t>(lowest_bound<T>),
                     most = static_cast<std::int64_t>(highest_bound<T>);
  for (int k = 0; k < 3000; ++k) {
    const std::uint64_t m = 1 + random() % (std::uint64_t{1} << random() % 25);
    const std::int64_t lower = least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least));
    const std::int64_t upper =
        k % 3 ? std::min<std::int64_t>(most, lower + 1 + static_cast<std::int64_t>(random() >> random() % 64 >> 31))
              : most;
    const auto bins = detail::histogram_impl::even_bins<T>::of(lower, upper, m);
    for (int i = 0; i < 30; ++i) {
      const auto near = static_cast<T>((i % 2 ? lower : upper) + static_cast<std::int64_t>(random() % 5) - 2);
      const T x = i % 3 ? near : static_cast<T>(random());
      ASSERT_EQ(bins(x), written_out(lower, upper, m, x))
          << +x << " in " << m << " bins of [" << lower << ", " << upper << ")";
    }
  }
}

TEST(Bins, IntegersAreExact) {
  expect_exact_bins<std::uint8_t>();
  expect_exact_bins<std::int8_t>();
  expect_exact_bins<std::uint16_t>();
  expect_exact_bins<std::int16_t>();
  expect_exact_bins<std::uint32_t>();
  expect_exact_bins<std::int32_t>();
}

TEST(Bins, WideIntegersKeepTheirOrder) {
  std::mt19937_64 random(5);
  for (int k = 0; k < 2000; ++k) {
    const std::uint64_t m = 1 + random() % most_bins, width = (random() >> random() % 63) | 1,
                        lower = random() % (~std::uint64_t{0} - width);
    const auto bins = detail::histogram_impl::even_bins<std::uint64_t>::of(lower, lower + width, m);
    EXPECT_EQ(bins(lower), 0u);
    EXPECT_LT(bins(lower + width - 1), m);
    EXPECT_EQ(bins(lower + width), no_bin);
    if (lower) {
      EXPECT_EQ(bins(lower - 1), no_bin);
    }
    const std::uint64_t a = random() % width, b = a + random() % (width - a);
    EXPECT_LE(bins(lower + a), bins(lower + b));
    // An edge moves by at most 2^-38 of the width: the bin is right for a sample that far away.
    const auto at = [&](long double d) {
      return std::floor(d * static_cast<long double>(m) / static_cast<long double>(width));
    };
    const long double slack = static_cast<long double>(width) * 0x1p-38L;
    EXPECT_GE(bins(lower + a), at(static_cast<long double>(a) - slack));
    EXPECT_LE(bins(lower + a), at(static_cast<long double>(a) + slack));
  }
  const auto exact = detail::histogram_impl::even_bins<std::int64_t>::of(std::numeric_limits<std::int64_t>::min(),
                                                                         std::numeric_limits<std::int64_t>::max(), 2);
  EXPECT_EQ(exact(-1), 0u);
  EXPECT_EQ(exact(1), 1u);
}

TEST(Bins, Floats) {
  const auto bins = detail::histogram_impl::even_bins<float>::of(0, 1, 10);
  EXPECT_EQ(bins(0.0f), 0u);
  EXPECT_EQ(bins(-0.0f), 0u);
  EXPECT_EQ(bins(std::nextafter(1.0f, 0.0f)), 9u);
  for (float x : {1.0f, -1e-30f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                  -std::numeric_limits<float>::infinity()})
    EXPECT_EQ(bins(x), no_bin) << x;
  // The product may round up to m; the last bin takes it.
  for (std::uint64_t m : {3, 7, 1000003, 1 << 24}) {
    const auto many = detail::histogram_impl::even_bins<float>::of(-0.1f, 0.7f, m);
    EXPECT_EQ(many(std::nextafter(0.7f, 0.0f)), static_cast<std::uint32_t>(m - 1));
  }
}

TEST(Bins, CustomEdges) {
  const std::vector<int> edges{-5, 0, 1, 10};
  const edge_bins<int> bins{edges.data(), 3};
  const std::vector<std::uint32_t> want{no_bin, 0, 0, 1, 2, 2, no_bin};
  const edge_bins<int> closed{edges.data(), 3, true};
  EXPECT_EQ(closed(10), 2u);
  EXPECT_EQ(closed(11), no_bin);
  EXPECT_EQ((edge_bins<int>{edges.data(), 1, true}(0)), 0u);
  int i = 0;
  for (int x : {-6, -5, -1, 0, 1, 9, 10}) EXPECT_EQ(bins(x), want[static_cast<std::size_t>(i++)]) << x;
}

// The sum of one bin by histogram_weights.hpp, in this order.
template <class W>
double summed(const std::vector<W>& w) {
  const int bits_of_n = bits_of_count(w.size());
  std::uint32_t exponent = 0;
  for (W each : w) exponent = std::max(exponent, parts_of(each).exponent);
  fixed_point sum{0, 0};
  for (W each : w) {
    const weight_parts parts = parts_of(each);
    const fixed_point x = fixed_of(parts, exponent, bits_of_n);
    sum = is_subtracted(parts, exponent) ? difference(sum, x) : added(sum, x);
  }
  return to_double(sum, exponent, bits_of_n);
}

// Sums without a rounding error: partial sums that do not overlap (Shewchuk 1997), the largest last.
double exact_sum(const std::vector<double>& w) {
  std::vector<double> parts;
  for (double x : w) {
    std::size_t kept = 0;
    for (double y : parts) {
      if (std::abs(x) < std::abs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);
      if (low != 0) parts[kept++] = low;
      x = high;
    }
    parts.resize(kept);
    parts.push_back(x);
  }
  double sum = 0;
  for (double part : parts) sum += part;
  return sum;
}

TEST(Weights, SumToTheLastBit) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 3000; ++k) {
    const std::uint64_t n = 1 + random() % (k % 10 ? 50 : 3000);
    const int spread = k % 3 ? 20 : 60;
    std::vector<double> w(n);
    for (double& each : w)
      each = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % spread)) *
             (k % 2 ? 1e-10 : 1e200);
    const double want = exact_sum(w), got = summed(w);
    // The last partial sum is added with one rounding more.
    EXPECT_LE(std::abs(got - want), std::abs(want) * 0x1p-52) << "problem " << k;
    std::vector<float> narrow(n);
    for (std::uint64_t i = 0; i < n; ++i) narrow[i] = static_cast<float>(w[i] * (k % 2 ? 1 : 1e-210));
    std::vector<double> same(narrow.begin(), narrow.end());
    EXPECT_EQ(summed(narrow), summed(same));
    EXPECT_LE(std::abs(summed(narrow) - exact_sum(same)), std::abs(exact_sum(same)) * 0x1p-52);
  }
}

TEST(Weights, OfOneValue) {
  std::mt19937_64 random(9);
  for (int k = 0; k < 100000; ++k) {
    const double w = __builtin_bit_cast(double, k % 5 ? random() : random() & ~(std::uint64_t{2047} << 52));
    if (!std::isfinite(w)) continue;
    ASSERT_EQ(summed(std::vector<double>{w}), w);
    ASSERT_EQ(summed(std::vector<double>{w, w, -w}), w);
    ASSERT_EQ(summed(std::vector<double>{w, w}), w + w);  // to infinity, too
    const float f = __builtin_bit_cast(float, static_cast<std::uint32_t>(random()));
    if (!std::isfinite(f)) continue;
    ASSERT_EQ(summed(std::vector<float>{f}), static_cast<double>(f));
  }
}

TEST(Weights, OfExtremes) {
  constexpr double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max(),
                   inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  using doubles = std::vector<double>;
  EXPECT_EQ(summed(doubles{}), 0);
  EXPECT_FALSE(std::signbit(summed(doubles{-0.0})));
  EXPECT_EQ(summed(doubles{least, least}), 2 * least);
  EXPECT_EQ(summed(doubles{most, most, -most}), most);
  EXPECT_EQ(summed(doubles{most, most}), inf);
  EXPECT_EQ(summed(doubles{1e20, 1, -1e20}), 1);
  EXPECT_EQ(summed(doubles{0x1p53, 1}), 0x1p53);               // a tie, to even
  EXPECT_EQ(summed(doubles{0x1p53, 3}), 0x1p53 + 4);           // a tie, to even
  EXPECT_EQ(summed(doubles{0x1p53, 1, 0x1p-20}), 0x1p53 + 2);  // above the tie
  EXPECT_EQ(summed(doubles{inf, 1, -most}), inf);
  EXPECT_EQ(summed(doubles{-inf, 1, -inf}), -inf);
  EXPECT_TRUE(std::isnan(summed(doubles{inf, 1, -inf})));
  EXPECT_TRUE(std::isnan(summed(doubles{nan, 1})));
  EXPECT_TRUE(std::isnan(summed(doubles{nan, inf})));
  doubles ones(1 << 20, 1);
  ones.push_back(1e15);
  EXPECT_EQ(summed(ones), 1e15 + (1 << 20));
  EXPECT_EQ(bits_of_count(1), 0);
  EXPECT_EQ(bits_of_count(5), 3);
  EXPECT_EQ(bits_of_count(~std::uint64_t{0}), 64);
}

// ---- On every device.

bool has(const context& where, primitive what) {
  const auto all = catalog();
  return std::any_of(all.begin(), all.end(),
                     [&](const upsweep::variant& v) { return v.what == what && v.where == where.kind(); });
}

struct HistogramOn : tests::on_each_device {
  void SetUp() override {
    for (primitive what : {primitive::histogram, primitive::range_count})
      if (!has(where(), what)) GTEST_SKIP() << "there is no " << name_of(what) << " on " << where().name();
  }
};
INSTANTIATE_TEST_SUITE_P(, HistogramOn, testing::ValuesIn(tests::device_names()), tests::device_label);

bytes random_bytes(std::uint64_t n, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  bytes x(n);
  for (std::uint8_t& e : x) e = static_cast<std::uint8_t>(random() >> 13);
  return x;
}

TEST_P(HistogramOn, CountsBytes) {
  const bytes x = random_bytes(100003);
  counts want(256), got(256, 99);
  for (std::uint8_t v : x) ++want[v];
  histogram(where(), x, got, 0, 256);
  EXPECT_EQ(got, want);
  buffer<std::uint8_t> bx(where(), x);
  buffer<std::uint64_t> out(where(), 256);
  histogram(where(), bx.span(), out.span(), 0, 256);
  EXPECT_EQ(out.download(), want);
  // Some of them, in fewer bins.
  counts few(3);
  histogram(where(), x, few, 10, 40);
  EXPECT_EQ(few[2], std::accumulate(want.begin() + 30, want.begin() + 40, std::uint64_t{0}));
}

TEST_P(HistogramOn, CustomBins) {
  const floats x{-1, 0, 0.5f, 1, 2.5f, 99, std::numeric_limits<float>::quiet_NaN()};
  counts got(3);
  histogram(where(), x, floats{0, 1, 2, 99}, got);
  EXPECT_EQ(got, (counts{2, 1, 1}));
  buffer<float> bx(where(), x), edges(where(), floats{0, 1, 2, 99});
  buffer<std::uint64_t> out(where(), 3);
  histogram(where(), bx.span(), edges.span(), out.span());
  EXPECT_EQ(out.download(), got);
}

// Bounds of another type than the samples' keep their value.
TEST_P(HistogramOn, BoundsKeepTheirValue) {
  const floats x{0.1f, 0.9f, std::nextafter(0.9f, 0.0f), std::nextafter(0.9f, 1.0f), std::nextafter(0.1f, 0.0f)};
  counts got(1);
  const auto between = [&](auto lower, auto upper) {
    return static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), [&](double v) {
      return v >= static_cast<double>(lower) && v < static_cast<double>(upper);
    }));
  };
  ASSERT_NE(between(0.1, 0.9), between(0.1, 0.9f));
  histogram(where(), x, got, 0.1, 0.9);
  EXPECT_EQ(got[0], between(0.1, 0.9));
  histogram(where(), x, got, 0.1f, 0.9f);
  EXPECT_EQ(got[0], between(0.1f, 0.9f));
  EXPECT_EQ(range_counter(where(), x, 0.1, 0.9, 1).count(0, 1), between(0.1, 0.9));
  // 2^24 + 1 is no float: 2^24 is below it.
  histogram(where(), floats{16777216, 16777218}, got, 16777217, 16777300);
  EXPECT_EQ(got[0], 1u);
  histogram(where(), floats{1}, got, std::int8_t{0}, std::uint64_t{1} << 63);
  EXPECT_EQ(got[0], 1u);
  counts eleven(11);
  histogram(where(), std::vector<int>{0, 5, 10}, eleven, std::uint8_t{0}, 11u);
  EXPECT_EQ(eleven, (counts{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}));
  expect_error(fault::bad_argument, {"the bound 18446744073709551615 is outside"},
               [&] { histogram(where(), std::vector<int>{0}, got, 0, ~std::uint64_t{0}); });
  expect_error(fault::bad_argument, {"the bound -1 is outside"},
               [&] { histogram(where(), std::vector<std::uint64_t>{0}, got, -1, 5); });
}

TEST_P(HistogramOn, Channels) {
  const bytes rgb{0, 1, 2, 0, 3, 2, 1, 1, 2};
  counts got(12);
  histogram(where(), rgb, got, 0, 4, 3);
  EXPECT_EQ(got, (counts{2, 1, 0, 0, 0, 2, 0, 1, 0, 0, 3, 0}));
}

TEST_P(HistogramOn, Weights) {
  const std::vector<std::int32_t> x{0, 1, 1, 2, 5};
  const floats w{0.5f, 0.25f, 0.1f, -3, 7};
  std::vector<double> sums(3);
  weighted_histogram(where(), x, w, sums, 0, 3);
  EXPECT_EQ(sums[0], 0.5);
  EXPECT_EQ(sums[1], 0.25 + static_cast<double>(0.1f));
  EXPECT_EQ(sums[2], -3.0);
  // An infinite weight of a sample in no bin does not matter; others do in their own bin alone.
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  weighted_histogram(where(), x, floats{1, 2, 3, 4, inf}, sums, 0, 3);
  EXPECT_EQ(sums, (std::vector<double>{1, 5, 4}));
  weighted_histogram(where(), x, floats{-inf, inf, -inf, 4, nan}, sums, 0, 3);
  EXPECT_EQ(sums[0], -inf);
  EXPECT_TRUE(std::isnan(sums[1]));
  EXPECT_EQ(sums[2], 4);
  weighted_histogram(where(), x, w, std::vector<std::int32_t>{0, 1, 3}, std::span(sums).first(2));
  EXPECT_EQ(sums[1], 0.25 + static_cast<double>(0.1f) - 3);
}

// Each sum is that of its bin, whatever is in others; weights of f64, too, and bins beyond those in shared memory.
TEST_P(HistogramOn, WeightsOfAnyMagnitude) {
  for (std::uint64_t m : {3, 1000, 200000}) {
    const auto at = [m](std::uint64_t place) { return static_cast<std::uint32_t>(place * (m - 1) / 2); };
    std::vector<std::uint32_t> x;
    std::vector<double> w;
    for (int i = 0; i < 100000; ++i) x.push_back(at(1)), w.push_back(1);
    x.insert(x.end(), {at(0), at(1), at(2), at(2), at(2)});
    w.insert(w.end(), {1e300, 1e15, 0x1p-1000, -0x1p-998, 0x1p-1040});
    std::vector<double> sums(m, 7);
    weighted_histogram(where(), x, w, sums, 0, m);
    EXPECT_EQ(sums[at(0)], 1e300) << m;
    EXPECT_EQ(sums[at(1)], 1e15 + 100000) << m;
    EXPECT_EQ(sums[at(2)], 0x1p-1040 - 3 * 0x1p-1000) << m;
    EXPECT_EQ(std::count(sums.begin(), sums.end(), 0.0), static_cast<std::ptrdiff_t>(m - 3)) << m;
    buffer<std::uint32_t> bx(where(), x);
    buffer<double> bw(where(), w), out(where(), m);
    weighted_histogram(where(), bx.span(), bw.span(), out.span(), 0, m);
    EXPECT_EQ(out.download(), sums) << m;
  }
}

// In any order, and with any number of threads, the same bits.
TEST_P(HistogramOn, WeightsIgnoreOrder) {
  std::mt19937_64 random(11);
  std::vector<std::uint32_t> x(50021);
  floats w(x.size());
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<std::uint32_t>(random() % 100);
    w[i] = std::ldexp(static_cast<float>(random() % 1000) - 300, static_cast<int>(random() % 40) - 20);
  }
  std::vector<double> sums(100), again(100);
  weighted_histogram(where(), x, w, sums, 0, 100);
  std::reverse(x.begin(), x.end());
  std::reverse(w.begin(), w.end());
  weighted_histogram(where(), x, w, again, 0, 100);
  EXPECT_EQ(sums, again);
  weighted_histogram(context::cpu(2), x, w, again, 0, 100);
  EXPECT_EQ(sums, again);
}

TEST_P(HistogramOn, ManyBinsAndNoSamples) {
  counts got(most_bins, 3);
  histogram(where(), std::vector<std::uint32_t>{0, 5, 0xffffffff}, got, 0, std::int64_t{1} << 32);
  EXPECT_EQ(got.front(), 2u);
  EXPECT_EQ(got.back(), 1u);
  EXPECT_EQ(std::accumulate(got.begin(), got.end(), std::uint64_t{0}), 3u);
  counts none(5, 7);
  histogram(where(), floats{}, none, 0.0f, 1.0f);
  EXPECT_EQ(none, counts(5));
}

TEST_P(HistogramOn, RangesAreCounted) {
  const bytes x = random_bytes(30011);
  const range_counter all(where(), x, 0, 256, 256);
  EXPECT_EQ(all.bins(), 256u);
  EXPECT_EQ(all.count(0, 256), x.size());
  EXPECT_EQ(all.count(17, 17), 0u);
  std::vector<bin_range> ranges;
  counts want;
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t a = random() % 257, b = a + random() % (257 - a);
    ranges.push_back({a, b});
    want.push_back(
        static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), [&](auto v) { return v >= a && v < b; })));
  }
  counts got(ranges.size());
  all.count(ranges, got);
  EXPECT_EQ(got, want);
  buffer<bin_range> asked(where(), ranges);
  buffer<std::uint64_t> answers(where(), ranges.size());
  all.count(asked.span(), answers.span());
  EXPECT_EQ(answers.download(), want);
  buffer<std::uint8_t> bx(where(), x);
  const range_counter custom(where(), bx.span(), buffer<std::uint8_t>(where(), bytes{0, 10, 200}).span());
  EXPECT_EQ(custom.count(0, 2),
            static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), [](auto v) { return v < 200; })));
}

TEST_P(HistogramOn, RangesOfCountsThatAreKnown) {
  const range_counter known = range_counter::from_histogram(where(), counts{3, 0, 4, 1});
  EXPECT_EQ(known.bins(), 4u);
  EXPECT_EQ(known.count(0, 4), 8u);
  EXPECT_EQ(known.count(1, 3), 4u);
  EXPECT_EQ(known.count(2, 2), 0u);
  EXPECT_EQ(range_counter::from_histogram(where(), {}).count(0, 0), 0u);
  const buffer<std::uint64_t> counted(where(), counts{9, 3, 0, 4, 1, 9});
  const range_counter there = range_counter::from_histogram(where(), counted.span().subspan(1, 4));
  EXPECT_EQ(there.bins(), 4u);
  EXPECT_EQ(there.count(0, 4), 8u);
  EXPECT_EQ(there.count(1, 3), 4u);
  EXPECT_EQ(range_counter::from_histogram(where(), counted).count(0, 6), 26u);
  EXPECT_EQ(counted.download(), (counts{9, 3, 0, 4, 1, 9}));
  EXPECT_EQ(range_counter::from_histogram(where(), device_span<const std::uint64_t>()).count(0, 0), 0u);
  static_assert(std::is_same_v<bin_bound<std::uint8_t>, std::int64_t> && lowest_bin_bound<std::uint32_t> == 0);
}

TEST_P(HistogramOn, BadInput) {
  const bytes x(10);
  const floats f(10);
  counts out(4);
  expect_error(fault::bad_argument, {"histogram", "no bins"}, [&] { histogram(where(), x, counts{}, 0, 256); });
  expect_error(fault::bad_argument, {"16777217 bins", "16777216"},
               [&] { histogram(where(), x, counts(most_bins + 1), 0, 256); });
  expect_error(fault::bad_argument, {"no channels"}, [&] { histogram(where(), x, out, 0, 256, 0); });
  expect_error(fault::bad_argument, {"4 counts", "3 channels"}, [&] { histogram(where(), x, out, 0, 256, 3); });
  expect_error(fault::bad_argument, {"[5, 5)", "hold nothing"}, [&] { histogram(where(), x, out, 5, 5); });
  expect_error(fault::bad_argument, {"hold nothing"},
               [&] { histogram(where(), f, out, 0.0f, std::numeric_limits<float>::quiet_NaN()); });
  expect_error(fault::bad_argument, {"not a finite number"},
               [&] { histogram(where(), f, out, 0.0f, std::numeric_limits<float>::infinity()); });
  expect_error(fault::bad_argument, {"not a finite number"}, [&] { histogram(where(), f, out, 0.0f, 1e-45f); });
  expect_error(fault::bad_argument, {"u8", "[-2147483648, 2147483648)"},
               [&] { histogram(where(), x, out, 0, std::int64_t{1} << 40); });
  expect_error(fault::bad_argument, {"4 bins have 5 edges", "3"}, [&] { histogram(where(), x, bytes{1, 2, 3}, out); });
  expect_error(fault::bad_argument, {"edge 2", "not above"}, [&] { histogram(where(), x, bytes{1, 2, 2, 3, 4}, out); });
  expect_error(fault::bad_argument, {"not above"},
               [&] { histogram(where(), f, floats{0, 1, std::numeric_limits<float>::quiet_NaN(), 3, 4}, out); });
  std::vector<double> sums(4);
  expect_error(fault::bad_argument, {"weighted_histogram", "weights 9"},
               [&] { weighted_histogram(where(), x, floats(9), sums, 0, 256); });
  const range_counter ranges(where(), x, 0, 256, 16);
  expect_error(fault::bad_argument, {"range 0", "is none"}, [&] { ranges.count(3, 2); });
  expect_error(fault::bad_argument, {"bins 0 to 17 of 16"}, [&] { ranges.count(0, 17); });
  expect_error(fault::bad_argument, {"range_counter", "no bins"}, [&] { range_counter(where(), x, 0, 256, 0); });
  buffer<std::uint64_t> b(where(), 20);
  expect_error(fault::bad_argument, {"overlap"},
               [&] { histogram(where(), b.span().subspan(0, 10), b.span().subspan(5, 10), 0, 9); });
}

TEST_P(HistogramOn, SecondCallAllocatesNothing) {
  const context fresh = context::named(GetParam());
  buffer<std::uint8_t> x(fresh, random_bytes(1 << 20));
  buffer<std::uint64_t> out(fresh, 256);
  histogram(fresh, x.span(), out.span(), 0, 256);
  const std::uint64_t before = fresh.temporary_storage_allocations();
  histogram(fresh, x.span(), out.span(), 0, 256);
  EXPECT_EQ(fresh.temporary_storage_allocations(), before);
}

TEST_P(HistogramOn, ContextsWorkAtOnce) {
  const bytes x = random_bytes(300007);
  counts want(256);
  for (std::uint8_t v : x) ++want[v];
  std::vector<int> right(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const context mine = context::named(GetParam());
      for (int i = 0; i < 5; ++i) {
        counts got(256);
        histogram(mine, x, got, 0, 256);
        right[static_cast<std::size_t>(t)] += got == want;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, (std::vector<int>{5, 5, 5, 5}));
}

// Host memory in chunks, which are whole turns of the channels.
TEST(HistogramChunks, AreAddedUp) {
  auto little = std::make_shared<tests::small_device>(64 << 10);
  for (primitive what : {primitive::histogram, primitive::range_count})
    little->give<problem>(what, [](device&, const problem& p) {
      static const context cpu = context::cpu(1);
      run(cpu, p);
    });
  const context small = tests::small_device::on(little), whole = context::cpu(1);
  const bytes x = random_bytes(100007);
  ASSERT_LT(core::chunk_elements(*little, x.size(), 1), x.size() / 3);
  for (std::uint32_t channels : {1u, 3u, 5u}) {
    counts got(100 * channels), want(100 * channels);
    histogram(small, x, got, 5, 250, channels);
    histogram(whole, x, want, 5, 250, channels);
    EXPECT_EQ(got, want) << channels << " channels";
  }
  const floats w(x.size(), 0.25f);
  std::vector<double> sums(10), want_sums(10);
  weighted_histogram(small, x, w, sums, 0, 256);
  weighted_histogram(whole, x, w, want_sums, 0, 256);
  EXPECT_EQ(sums, want_sums);
}

}  // namespace
}  // namespace upsweep
