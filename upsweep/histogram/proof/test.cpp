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
#include "upsweep/histogram/weights.hpp"

namespace upsweep {
namespace {

using histogram_room::primitive;
using histogram_room::problem;
using namespace histogram_room;
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
    const auto bins = histogram_room::even_bins<T>::of(lower, upper, m);
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
    const auto bins = histogram_room::even_bins<std::uint64_t>::of(lower, lower + width, m);
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
  const auto exact = histogram_room::even_bins<std::int64_t>::of(std::numeric_limits<std::int64_t>::min(),
                                                                 std::numeric_limits<std::int64_t>::max(), 2);
  EXPECT_EQ(exact(-1), 0u);
  EXPECT_EQ(exact(1), 1u);
}

TEST(Bins, Floats) {
  const auto bins = histogram_room::even_bins<float>::of(0, 1, 10);
  EXPECT_EQ(bins(0.0f), 0u);
  EXPECT_EQ(bins(-0.0f), 0u);
  EXPECT_EQ(bins(std::nextafter(1.0f, 0.0f)), 9u);
  for (float x : {1.0f, -1e-30f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                  -std::numeric_limits<float>::infinity()})
    EXPECT_EQ(bins(x), no_bin) << x;
  // The product may round up to m; the last bin takes it.
  for (std::uint64_t m : {3, 7, 1000003, 1 << 24}) {
    const auto many = histogram_room::even_bins<float>::of(-0.1f, 0.7f, m);
    EXPECT_EQ(many(std::nextafter(0.7f, 0.0f)), static_cast<std::uint32_t>(m - 1));
  }
}

TEST(Bins, CustomEdges) {
  const std::vector<int> edges{-5, 0, 1, 10};
  const edge_bins<int> bins{edges.data(), 3};
  const std::vector<std::uint32_t> want{no_bin, 0, 0, 1, 2, 2, no_bin};
  int i = 0;
  for (int x : {-6, -5, -1, 0, 1, 9, 10}) EXPECT_EQ(bins(x), want[static_cast<std::size_t>(i++)]) << x;
}

TEST(Weights, AreRoundedOnce) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 100000; ++k) {
    const auto largest = static_cast<std::uint32_t>(random() % not_finite);
    const std::uint64_t n = 1 + (random() >> (24 + random() % 40));
    const weight_scale scale(largest, n);
    const float w =
        __builtin_bit_cast(float, static_cast<std::uint32_t>(k % 3 ? random() % (largest + 1ull) : largest) |
                                      static_cast<std::uint32_t>(random() & 0x80000000));
    const double exact = std::ldexp(static_cast<double>(w), scale.exponent);
    ASSERT_EQ(scale.fixed(w), std::llround(exact));
    ASSERT_LT(std::abs(static_cast<double>(scale.fixed(w))) * static_cast<double>(n), 0x1p63);
    ASSERT_LE(std::abs(scale.sum(scale.fixed(w)) - static_cast<double>(w)), std::ldexp(0.5, -scale.exponent));
  }
}

// ---- On every device.

bool has(const context& where, primitive what) {
  const auto all = catalog();
  return std::any_of(all.begin(), all.end(),
                     [&](const upsweep::variant& v) { return v.what == what && v.where == where.kind(); });
}

struct HistogramOn : tests::on_each_device {
  void SetUp() override {
    for (primitive what : {primitive::histogram, primitive::range_counts})
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
  weighted_histogram(where(), x, floats{1, 2, 3, 4, std::numeric_limits<float>::infinity()}, sums, 0, 3);
  for (double s : sums) EXPECT_TRUE(std::isnan(s));
  weighted_histogram(where(), x, w, std::vector<std::int32_t>{0, 1, 3}, std::span(sums).first(2));
  EXPECT_EQ(sums[1], 0.25 + static_cast<double>(0.1f) - 3);
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
  const range_counter known = range_counter::of_counts(where(), counts{3, 0, 4, 1});
  EXPECT_EQ(known.bins(), 4u);
  EXPECT_EQ(known.count(0, 4), 8u);
  EXPECT_EQ(known.count(1, 3), 4u);
  EXPECT_EQ(known.count(2, 2), 0u);
  EXPECT_EQ(range_counter::of_counts(where(), {}).count(0, 0), 0u);
  const buffer<std::uint64_t> counted(where(), counts{9, 3, 0, 4, 1, 9});
  const range_counter there = range_counter::of_counts(where(), counted.span().subspan(1, 4));
  EXPECT_EQ(there.bins(), 4u);
  EXPECT_EQ(there.count(0, 4), 8u);
  EXPECT_EQ(there.count(1, 3), 4u);
  EXPECT_EQ(range_counter::of_counts(where(), counted).count(0, 6), 26u);
  EXPECT_EQ(counted.download(), (counts{9, 3, 0, 4, 1, 9}));
  EXPECT_EQ(range_counter::of_counts(where(), device_span<const std::uint64_t>()).count(0, 0), 0u);
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
  expect_error(fault::bad_argument, {"no finite number"},
               [&] { histogram(where(), f, out, 0.0f, std::numeric_limits<float>::infinity()); });
  expect_error(fault::bad_argument, {"no finite number"}, [&] { histogram(where(), f, out, 0.0f, 1e-45f); });
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
  const scratch_use before = fresh.scratch_used();
  histogram(fresh, x.span(), out.span(), 0, 256);
  EXPECT_EQ(fresh.scratch_used().allocations, before.allocations);
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
  for (primitive what : {primitive::histogram, primitive::range_counts})
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
