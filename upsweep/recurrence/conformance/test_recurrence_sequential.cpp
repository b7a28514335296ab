// What the loop gives where a composition of steps could lose it: integrators of two stages, states that become
// infinite, filters without feedback. On every device.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/devices.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/recurrence.hpp"

namespace {

using namespace upsweep;

class StepByStep : public tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, StepByStep, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();

// Transposed direct form II in W, as SciPy's lfilter has it.
template <class W, class T>
std::vector<W> looped(const biquad& f, const std::vector<T>& in) {
  const auto of = [](double x) { return static_cast<W>(static_cast<T>(x)); };
  W one = 0, two = 0;
  std::vector<W> out;
  for (const T each : in) {
    const W x = each, y = of(f.b0) * x + one;
    one = of(f.b1) * x - of(f.a1) * y + two, two = of(f.b2) * x - of(f.a2) * y;
    out.push_back(y);
  }
  return out;
}

// The largest error of `got`, in shares of the largest result.
template <class T, class W>
double error_of(const std::vector<T>& got, const std::vector<W>& right) {
  W largest = 0, off = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    largest = std::max(largest, std::abs(right[i]));
    const W error = std::abs(static_cast<W>(got[i]) - right[i]);
    if (!(error <= off)) off = error;
  }
  return static_cast<double>(off / largest);
}

template <class T>
void expect_as_accurate_as_the_loop(const context& where) {
  const std::uint64_t n = 100'000;
  std::vector<T> noise(n), ones(n, 1), differences(n);
  for (std::uint64_t i = 0; i < n; ++i) noise[i] = static_cast<T>(2 * unit(mixed(i)) - 1);
  for (std::uint64_t i = 2; i < n; ++i) differences[i] = noise[i] - 2 * noise[i - 1] + noise[i - 2];
  // Poles both at 1, both at -1, near 1, complex ones near 1, one at 1 and one at 1/2, and a second-order low-pass.
  const biquad filters[]{{1, 0, 0, -2, 1},           {1, 0, 0, 2, 1},        {1, 0.5, 0.2, -1.9998, 0.9999},
                         {1, 0, 0, -1.999, 0.99901}, {1, 2, 1, -1.5, 0.5},   {0.02, 0.04, 0.02, -1.56, 0.64},
                         {1, 0, 0, -1, 0},           {0.5, 0.5, 0, -0.9, 0}, {1, -2, 1, 0, 0}};
  for (const biquad& f : filters)
    for (const auto& in : {noise, ones, differences}) {
      std::vector<T> out(n);
      iir_filter(where, f, in, out);
      const auto right = looped<long double>(f, in);
      // Devices may contract products and sums; where the loop is exact, a few roundings are left. Compositions are
      // made in doubles, which round floats no further, but doubles at each of their 17 levels.
      const double roundings = sizeof(T) == 4 ? 4 : 8 * 17;
      const double loop = error_of(looped<T>(f, in), right), ours = error_of(out, right);
      EXPECT_FALSE(!(ours <= 1.5 * loop + roundings * std::numeric_limits<T>::epsilon()))
          << ours << ", the loop " << loop << ": a1 " << f.a1 << ", a2 " << f.a2 << ", b1 " << f.b1;
    }
}

TEST_P(StepByStep, filters_of_f32_are_as_accurate_as_the_loop) { expect_as_accurate_as_the_loop<float>(where()); }
TEST_P(StepByStep, filters_of_f64_are_as_accurate_as_the_loop) { expect_as_accurate_as_the_loop<double>(where()); }

template <class T>
void expect_overflow_of_the_loop(const context& where) {
  for (const double pole : {2.0, -2.0, 1.5})
    for (const std::uint64_t n : {2000u, 60'000u}) {
      std::vector<T> ones(n, 1), out(n);
      iir_filter(where, {1, 0, 0, -pole, 0}, ones, out);
      T y = 0;
      for (std::uint64_t i = 0; i < n; ++i) {
        y = 1 + static_cast<T>(pole) * y;
        if (std::isinf(y))
          ASSERT_EQ(out[i], y) << i << " of " << n << ", pole " << pole;
        else
          ASSERT_NEAR(out[i] / y, 1, 1e-5) << i << " of " << n << ", pole " << pole;
      }
      // A start from which the state never moves: the powers of the pole are beyond every float.
      std::vector<T> zeros(n);
      iir_filter(where, {1, 0, 0, -pole, 0}, zeros, out);
      ASSERT_EQ(out, zeros);
    }
  std::vector<T> ones(2000, 1), out(2000);
  iir_filter(where, {1, 0, 0, -2, 0}, ones, out, {static_cast<T>(-2), 0});
  EXPECT_EQ(out, std::vector<T>(2000, -1)) << "y = 1 + 2 y, y = -1";
  iir_filter(where, {1, 0, 0, -1.5, -1.5}, ones, out);
  EXPECT_EQ(out[1999], infinity<T>) << "both terms of the feedback are positive";
}

TEST_P(StepByStep, an_unstable_filter_of_f32_overflows_as_the_loop_does) {
  expect_overflow_of_the_loop<float>(where());
}
TEST_P(StepByStep, an_unstable_filter_of_f64_overflows_as_the_loop_does) {
  expect_overflow_of_the_loop<double>(where());
}

template <class T>
void expect_infinities_kept(const context& where) {
  const std::uint64_t n = 70'000;
  for (const double pole : {0.5, -0.5, 0.999}) {
    std::vector<T> in(n, 1), out(n);
    in[5] = -infinity<T>;
    iir_filter(where, {1, 0, 0, -pole, 0}, in, out);
    for (std::uint64_t i = 5; i < n; ++i)
      ASSERT_EQ(out[i], pole > 0 || i % 2 == 1 ? -infinity<T> : infinity<T>) << i << ", pole " << pole;
  }
  std::vector<T> in(n, 1), out(n);
  in[7] = infinity<T>;
  moving_average(where, in, out, 0.5);
  for (std::uint64_t i = 7; i < n; ++i) ASSERT_EQ(out[i], infinity<T>) << i;
  moving_average(where, std::vector<T>(n, 1), out, 0.5, -infinity<T>);
  for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(out[i], -infinity<T>) << i;
  in[9] = -infinity<T>;
  moving_average(where, in, out, 0.5);
  for (std::uint64_t i = 9; i < n; ++i) ASSERT_TRUE(std::isnan(out[i])) << i;
}

TEST_P(StepByStep, an_infinity_stays_in_f32) { expect_infinities_kept<float>(where()); }
TEST_P(StepByStep, an_infinity_stays_in_f64) { expect_infinities_kept<double>(where()); }

template <class T>
void expect_forgotten(const context& where) {
  const std::uint64_t n = 70'000;
  for (const T odd : {nan<T>, infinity<T>})
    for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{27}, std::uint64_t{16519}, n - 2}) {
      std::vector<T> in(n, 1), out(n);
      in[at] = odd;
      iir_filter(where, {0.25, 0.75, 0, 0, 0}, in, out);
      for (std::uint64_t i = 0; i < n; ++i)
        if (i == at || i == at + 1)
          ASSERT_FALSE(std::isfinite(out[i])) << i;
        else
          ASSERT_EQ(out[i], i == 0 ? T(0.25) : T(1)) << i << ", " << odd << " at " << at;
      // A coefficient of 0 in front of others is a term, as SciPy has it.
      iir_filter(where, {0, 0.75, 0.25, 0, 0}, in, out);
      for (std::uint64_t i = 0; i < n; ++i)
        if (i >= at && i <= at + 2)
          ASSERT_FALSE(std::isfinite(out[i])) << i;
        else
          ASSERT_EQ(out[i], i == 0 ? T(0) : i == 1 ? T(0.75) : T(1)) << i << ", " << odd << " at " << at;
    }
}

TEST_P(StepByStep, a_filter_of_f32_without_feedback_forgets) { expect_forgotten<float>(where()); }
TEST_P(StepByStep, a_filter_of_f64_without_feedback_forgets) { expect_forgotten<double>(where()); }

// On the CPU alone: elsewhere products of factors must not overflow, as recurrence.hpp says.
TEST(StepByStepOnCpu, products_of_factors_may_overflow) {
  for (const int threads : {1, 3}) {
    const context cpu = context::cpu(threads);
    const std::uint64_t n = 50'000;
    std::vector<double> a(n, 1e200), b(n), x(n, 1);
    recurrence(cpu, a, b, x);
    EXPECT_EQ(x, b) << "0 times finite factors is 0";
    for (std::uint64_t i = 2; i < n; i += 4) a[i] = a[i + 1] = 1e-200;
    recurrence(cpu, a, b, x, 1e-200);
    double s = 1e-200;
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(x[i], s = a[i] * s + b[i]) << i;
    for (std::uint64_t i = 0; i < n; ++i) a[i] = 0.5;
    recurrence(cpu, a, b, x, infinity<double>);
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(x[i], infinity<double>) << i;
  }
}

}  // namespace
