// docs/determinism.md, sentence by sentence.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "tests/devices.hpp"
#include "upsweep/conformance/reference_fold.hpp"
#include "upsweep/upsweep.hpp"

namespace upsweep {
namespace {

template <class T>
std::vector<T> uneven(std::uint64_t n, std::uint64_t seed) {
  std::vector<T> x(n);
  random_input(dtype_of<T>, op_kind::plus, n, seed).fill(x.data(), 0, n);
  return x;
}

template <class T>
auto bits_of(T x) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(x);
}

struct DeterminismOn : tests::on_each_device {
  bool has(dtype t) const { return where().device().supports(t); }
};
INSTANTIATE_TEST_SUITE_P(, DeterminismOn, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(DeterminismOn, OneContextRepeatsBitForBit) {
  const std::vector<float> x = uneven<float>(500009, 1);
  buffer<float> in(where(), x), out(where(), x.size());
  exclusive_scan(where(), in.span(), out.span(), 0.1f);
  const std::vector<float> scanned = out.download();
  const float folded = reduce(where(), in.span(), 0.1f);
  // Other work in between leaves other contents in the scratch memory.
  const std::vector<std::uint64_t> other(90001, 3);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(reduce(where(), other), 270003u);
    exclusive_scan(where(), in.span(), out.span(), 0.1f);
    ASSERT_EQ(out.download(), scanned);
    ASSERT_EQ(reduce(where(), in.span(), 0.1f), folded);
  }
}

TEST_P(DeterminismOn, ContextsOfOneDeviceAgree) {
  const std::vector<float> x = uneven<float>(300007, 2);
  const context again = context::named(GetParam());
  EXPECT_EQ(bits_of(reduce(where(), x)), bits_of(reduce(again, x)));
  std::vector<float> y(x.size()), z(x.size());
  inclusive_scan(where(), x, y);
  inclusive_scan(again, x, z);
  EXPECT_EQ(y, z);
}

TEST(Determinism, ThreadCountsOfTheCpuAgree) {
  for (std::uint64_t n : {1000u, 100003u, 3000017u}) {
    const std::vector<float> x = uneven<float>(n, 3);
    const std::vector<double> w = uneven<double>(n, 4);
    std::vector<float> y(n), first(n);
    inclusive_scan(context::cpu(1), x, first);
    const float sum = reduce(context::cpu(1), x);
    const double wide = reduce(context::cpu(1), w);
    for (int threads : {2, 3, 4, 8}) {
      const context cpu = context::cpu(threads);
      EXPECT_EQ(bits_of(reduce(cpu, x)), bits_of(sum)) << threads << " threads";
      EXPECT_EQ(bits_of(reduce(cpu, w)), bits_of(wide)) << threads << " threads";
      inclusive_scan(cpu, x, y);
      EXPECT_TRUE(y == first) << threads << " threads, n = " << n;
    }
  }
}

TEST_P(DeterminismOn, DevicesAgreeWithinRounding) {
  const std::vector<float> x = uneven<float>(200003, 5);
  detail::reduce_impl::problem p;
  p.type = dtype::f32;
  p.in = {const_cast<float*>(x.data()), 0};
  p.n = x.size();
  p.init = scalar::of(0.0f);
  const float sum = reduce(where(), x);
  EXPECT_EQ(what_is_wrong(p, &sum, find_variant(where().last_algorithm(), where().kind())->span.value(200003)), "");
}

// Exact integers and operators without rounding give the same result everywhere.
TEST_P(DeterminismOn, IntegersAgreeEverywhere) {
  std::vector<std::int64_t> x(100003), y(x.size()), want(x.size());
  random_input(dtype::i64, op_kind::plus, x.size(), 6).fill(x.data(), 0, x.size());
  inclusive_scan(context::cpu(1), x, want);
  inclusive_scan(where(), x, y);
  EXPECT_EQ(y, want);
}

// The exact sum by way of 64-bit integers: every element is a multiple of 2^-20 below 2^20.
TEST_P(DeterminismOn, ReproducibleSumIsTheExactSumRounded) {
  std::mt19937_64 g(7);
  for (std::size_t n : {0, 1, 2, 33, 1000, 100003}) {
    std::vector<float> x(n);
    std::int64_t exact = 0;
    for (float& e : x) {
      const auto step = static_cast<std::int64_t>(g() % (1 << 24)) - (1 << 23);
      e = static_cast<float>(std::ldexp(static_cast<double>(step), -20));
      exact += step;
    }
    EXPECT_EQ(bits_of(reproducible_sum(where(), x)),
              bits_of(static_cast<float>(std::ldexp(static_cast<double>(exact), -20))))
        << n;
  }
}

// Elements of all exponents and both signs that cancel, each by its opposite, among others whose exact sum is an
// integer of steps: whatever is lost of one of them shows in the sum.
template <class T>
void expect_the_exact_sum(const context& where) {
  constexpr int mantissa = std::numeric_limits<T>::digits;
  std::mt19937_64 g(testing::UnitTest::GetInstance()->random_seed() + 8);
  const auto any_finite = [&] {
    for (;;)
      if (const T x = std::bit_cast<T>(static_cast<decltype(bits_of(T{}))>(g())); std::isfinite(x)) return x;
  };
  for (const std::size_t n : {3, 64, 2047, 2048, 2053, 70001, 200004})
    for (const int leaning : {-1, 0, 1}) {
      std::vector<T> x;
      __extension__ __int128 exact = 0;
      while (x.size() < n) {
        if (const T cancels = any_finite(); g() % 2 && x.size() + 1 < n) {
          x.push_back(cancels), x.push_back(-cancels);
          continue;
        }
        auto step = static_cast<std::int64_t>(g() >> (64 - mantissa));
        if (leaning < 0 || (leaning == 0 && g() % 2)) step = -step;
        x.push_back(std::ldexp(static_cast<T>(step), -60));
        exact += step;
      }
      std::shuffle(x.begin(), x.end(), g);
      EXPECT_EQ(bits_of(reproducible_sum(where, x)), bits_of(std::ldexp(static_cast<T>(exact), -60)))
          << name_of(dtype_of<T>) << ", n = " << n << ", leaning " << leaning;
    }
}

TEST_P(DeterminismOn, ReproducibleSumLosesNothing) {
  expect_the_exact_sum<float>(where());
  if (has(dtype::f64)) expect_the_exact_sum<double>(where());
}

template <class T>
void expect_same_bits_however_split(const context& where) {
  std::vector<T> x = uneven<T>(70001, 8);
  // A few elements that a plain sum would lose, and that cancel.
  x[11] = std::ldexp(T(1), 100);
  x[60000] = -x[11];
  x[500] = std::numeric_limits<T>::denorm_min();
  const T want = reproducible_sum(context::cpu(1), x);
  SCOPED_TRACE(where.name() + " " + std::string(name_of(dtype_of<T>)));
  EXPECT_EQ(bits_of(reproducible_sum(where, x)), bits_of(want));
  const buffer<T> on_device(where, x);
  EXPECT_EQ(bits_of(reproducible_sum(where, on_device.span())), bits_of(want));
  std::mt19937_64 g(9);
  for (int turn = 0; turn < 3; ++turn) {
    std::shuffle(x.begin(), x.end(), g);
    EXPECT_EQ(bits_of(reproducible_sum(where, x)), bits_of(want)) << "in another order";
    exact_sum<T> pieces;
    for (std::size_t first = 0; first < x.size();) {
      const std::size_t count = std::min<std::size_t>(1 + g() % 20000, x.size() - first);
      // Every second piece on another device: the bits do not depend on which device summed which piece.
      pieces.add(turn % 2 ? context::cpu(2) : where, std::span<const T>(x).subspan(first, count));
      first += count;
    }
    EXPECT_EQ(bits_of(pieces.value()), bits_of(want)) << "in pieces";
  }
}

TEST_P(DeterminismOn, ReproducibleSumHasTheSameBitsEverywhere) {
  expect_same_bits_however_split<float>(where());
  if (has(dtype::f64)) expect_same_bits_however_split<double>(where());
}

TEST(Determinism, ReproducibleSumOnAnyNumberOfThreads) {
  const std::vector<double> x = uneven<double>(2000003, 10);
  const double want = reproducible_sum(context::cpu(1), x);
  for (int threads : {2, 3, 4}) EXPECT_EQ(bits_of(reproducible_sum(context::cpu(threads), x)), bits_of(want));
}

TEST_P(DeterminismOn, ReproducibleSumOfWhatIsNotFinite) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const auto sum = [&](std::vector<float> x) { return reproducible_sum(where(), x); };
  EXPECT_EQ(sum({1, inf, 2}), inf);
  EXPECT_EQ(sum({1, -inf, 2}), -inf);
  EXPECT_NE(sum({inf, -inf}), sum({inf, -inf}));  // NaN
  EXPECT_NE(sum({1, nan}), sum({1, nan}));
  EXPECT_EQ(bits_of(sum({-0.0f, -0.0f})), 0u);
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(sum({most, most, -most}), most);  // nothing overflows on the way
  EXPECT_EQ(sum({most, most}), inf);
}

}  // namespace
}  // namespace upsweep
