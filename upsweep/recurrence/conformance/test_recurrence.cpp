// Recurrences against the loop: every size around a block and a chain, in place, in pieces, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/devices.hpp"
#include "upsweep/for_each.hpp"
#include "upsweep/recurrence.hpp"

using namespace upsweep;

namespace {

constexpr std::uint64_t sizes[]{
    0, 1, 2, 7, 8, 9, 1000, cpu::recurrence_block - 1, cpu::recurrence_block, cpu::recurrence_block + 1, 100'003};

TEST(Recurrence, OfIntegersIsTheLoops) {
  std::mt19937_64 bits(3);
  for (const int threads : {1, 3})
    for (const std::uint64_t n : sizes) {
      const context cpu = context::cpu(threads);
      std::vector<std::uint32_t> a(n), b(n), x(n, 0xdeadbeef);
      for (auto& v : a) v = static_cast<std::uint32_t>(bits()) | 1;
      for (auto& v : b) v = static_cast<std::uint32_t>(bits());
      std::vector<std::uint32_t> want(n);
      std::uint32_t s = 17;
      for (std::uint64_t i = 0; i < n; ++i) want[i] = s = a[i] * s + b[i];
      EXPECT_EQ(recurrence(cpu, a, b, x, 17u), s);
      EXPECT_EQ(x, want) << n;
      buffer<std::uint32_t> da(cpu, a), db(cpu, b);
      recurrence(cpu, da.span(), db.span(), db.span(), 17u);
      EXPECT_EQ(db.download(), want) << n;
      EXPECT_EQ(recurrence(cpu, a, b, b, 17u), s);
      EXPECT_EQ(b, want) << n;
    }
}

TEST(Recurrence, OfFloatsRepeatsAndComesCloseToDoubles) {
  const std::uint64_t n = 100'003;
  std::mt19937 bits(4);
  std::uniform_real_distribution<float> factor(-1, 1);
  std::vector<float> a(n), b(n), x(n), again(n);
  for (auto& v : a) v = factor(bits);
  for (auto& v : b) v = factor(bits);
  recurrence(context::cpu(1), a, b, x, 2.0f);
  recurrence(context::cpu(4), a, b, again, 2.0f);
  EXPECT_EQ(x, again);
  double s = 2;
  for (std::uint64_t i = 0; i < n; ++i) {
    s = double(a[i]) * s + double(b[i]);
    ASSERT_TRUE(std::abs(x[i] - s) <= 1e-5) << i;
  }
}

template <class T>
class Filter : public testing::Test {};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Filter, floats);

TYPED_TEST(Filter, IsTheLoopsWholeAndInPieces) {
  using T = TypeParam;
  const biquad low{0.02, 0.04, 0.02, -1.56, 0.64};
  const double tolerance = std::is_same_v<T, float> ? 1e-4 : 1e-12;
  for (const std::uint64_t n : sizes) {
    std::vector<T> in(n), out(n), want(n), pieces(n);
    for (std::uint64_t i = 0; i < n; ++i) in[i] = static_cast<T>(std::sin(0.3 * double(i)) + (i % 7 == 0));
    double one = 0, two = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      const double x = in[i], y = low.b0 * x + one;
      one = low.b1 * x - low.a1 * y + two, two = low.b2 * x - low.a2 * y;
      want[i] = static_cast<T>(y);
    }
    iir_filter(context::cpu(2), low, in, out);
    const std::uint64_t half = n / 2;
    const auto middle =
        iir_filter(context::cpu(2), low, std::span<const T>(in).first(half), std::span<T>(pieces).first(half));
    iir_filter(context::cpu(2), low, std::span<const T>(in).subspan(half), std::span<T>(pieces).subspan(half), middle);
    double average = 1;
    std::vector<T> smooth(n);
    moving_average(context::cpu(2), in, smooth, 0.25, T(1));
    for (std::uint64_t i = 0; i < n; ++i) {
      average = 0.75 * average + 0.25 * double(in[i]);
      ASSERT_TRUE(std::abs(double(out[i]) - double(want[i])) <= tolerance) << i << " of " << n;
      ASSERT_TRUE(std::abs(double(pieces[i]) - double(want[i])) <= tolerance) << i << " of " << n;
      ASSERT_TRUE(std::abs(double(smooth[i]) - average) <= tolerance) << i << " of " << n;
    }
  }
}

// Around CUDA's tiles, in place, and where the sequences are not aligned to 16 bytes.
TEST(Recurrence, OnCudaIsTheLoops) {
  std::mt19937_64 bits(5);
  for (const std::string& name : tests::device_names()) {
    if (!name.starts_with("cuda")) continue;
    const context& gpu = tests::on(name);
    for (const std::uint64_t n : {1, 11, 12, 13, 4607, 4608, 4609, 10752, 10753, 100'003, 1'000'001}) {
      std::vector<std::uint32_t> a(n + 1), b(n + 1), want(n);
      for (auto& v : a) v = static_cast<std::uint32_t>(bits()) | 1;
      for (auto& v : b) v = static_cast<std::uint32_t>(bits());
      std::vector<float> in(n), smooth(n), filtered(n);
      for (auto& v : in) v = static_cast<float>(bits() % 1000) * 1e-3f;
      for (const std::uint64_t shift : {0, 1}) {
        std::uint32_t s = 17;
        for (std::uint64_t i = 0; i < n; ++i) want[i] = s = a[i + shift] * s + b[i + shift];
        buffer<std::uint32_t> da(gpu, a), db(gpu, b);
        const auto there = db.span().subspan(shift, n);
        EXPECT_EQ(recurrence(gpu, da.span().subspan(shift, n), there, there, 17u), s) << n;
        const std::vector<std::uint32_t> got = db.download();
        EXPECT_TRUE(std::equal(want.begin(), want.end(), got.begin() + static_cast<std::ptrdiff_t>(shift))) << n;
      }
      moving_average(gpu, in, smooth, 0.01, 1.0f);
      const auto last = iir_filter(gpu, {0.02, 0.04, 0.02, -1.56, 0.64}, in, filtered);
      double average = 1, one = 0, two = 0;
      for (std::uint64_t i = 0; i < n; ++i) {
        const double x = in[i], y = 0.02 * x + one;
        average = 0.99 * average + 0.01 * x;
        one = 0.04 * x + 1.56 * y + two, two = 0.02 * x - 0.64 * y;
        ASSERT_TRUE(std::abs(smooth[i] - average) <= 1e-5) << i << " of " << n;
        ASSERT_TRUE(std::abs(filtered[i] - y) <= 1e-4) << i << " of " << n;
      }
      ASSERT_TRUE(std::abs(last.one - one) <= 1e-4) << n;
    }
  }
}

TEST(Recurrence, OfVanishingProductsKeepsItsStates) {
  const std::uint64_t n = 50'000;
  std::vector<float> a(n, 0.5f), b(n, 1.0f), x(n);
  recurrence(context::cpu(2), a, b, x, 1e30f);
  double s = 1e30;
  for (std::uint64_t i = 0; i < n; ++i) {
    s = 0.5 * s + 1;
    ASSERT_TRUE(std::abs(x[i] - s) <= 1e-6 * s) << i;
  }
}

TEST(Recurrence, RefusesWhatDoesNotFit) {
  const context cpu = context::cpu();
  std::vector<float> a(10), b(9), x(10);
  EXPECT_THROW(recurrence(cpu, a, b, x), error);
  EXPECT_THROW(recurrence(cpu, std::span(a).first(9), std::span(a).last(9), std::span(a).last(9)), error);
  EXPECT_THROW(moving_average(cpu, a, x, 1.5), error);
  EXPECT_THROW(moving_average(cpu, a, x, std::nan("")), error);
  EXPECT_THROW(iir_filter(cpu, biquad{1, 0, 0, INFINITY, 0}, a, x), error);
}

TEST(Recurrence, RunsAsTheVariantAskedFor) {
  const context cpu = context::cpu(2).with({.variant = "recurrence/chained-blocks"});
  const std::vector<float> a(100, 0.5f);
  std::vector<float> x(100);
  recurrence(cpu, a, a, x);
  EXPECT_EQ(cpu.last_algorithm(), "recurrence/chained-blocks");
  moving_average(cpu, a, x, 0.5);
  EXPECT_EQ(cpu.last_algorithm(), "moving-average/chained-blocks");
  iir_filter(cpu, biquad{}, a, x);
  EXPECT_EQ(cpu.last_algorithm(), "biquad/chained-blocks");
  EXPECT_EQ(x, a);
  // Steps given by hand are the same problem, in place as well.
  buffer<float> there(cpu, a), start(cpu, std::vector<float>{2});
  recur(cpu, 100, decay_steps<float>{0.5f, 0.25f, there.span().data(), there.span().data()}, start.span());
  EXPECT_EQ(cpu.last_algorithm(), "moving-average/chained-blocks");
  EXPECT_EQ(there.download()[1], 0.5f * (0.5f * 2 + 0.125f) + 0.125f);
  EXPECT_EQ(start.download()[0], there.download()[99]);
}

TEST(ForEachIndex, CallsEachOnce) {
  for (const std::uint64_t n : {0, 1, 255, 256, 257, 100'003})
    for (const std::uint64_t grain : {0, 1, 1000}) {
      std::vector<int> calls(n);
      for_each_index(context::cpu(3), n, [&](std::uint64_t i) { ++calls[i]; }, grain);
      EXPECT_EQ(calls, std::vector<int>(n, 1)) << n;
    }
  EXPECT_THROW(for_each_index(context::cpu(2), 1000,
                              [](std::uint64_t i) {
                                if (i == 500) throw 5;
                              }),
               int);
}

}  // namespace
