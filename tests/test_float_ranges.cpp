// Sums and products of floats where a parallel grouping leaves the type's range and the sequential definition does not,
// and running sums of elements that are not negative: every form, on every usable device.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/devices.hpp"
#include "upsweep/axis.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/views.hpp"

namespace upsweep {
namespace {

struct FloatRangesOn : tests::on_each_device {
  // Without f64 an OpenCL device folds in the elements' type.
  bool carries() const { return where().device().supports(dtype::f64); }
};
INSTANTIATE_TEST_SUITE_P(, FloatRangesOn, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class T>
constexpr T large = std::is_same_v<T, float> ? T(1e20f) : T(1e160);
template <class T>
constexpr T most = std::is_same_v<T, float> ? T(3e38f) : T(1.7e308);
template <class T>
constexpr T endless = std::numeric_limits<T>::infinity();

// Equal, or within rounding. A subnormal value may have lost all but its magnitude, and a sum any part smaller than
// `slack`.
template <class T>
bool agrees(T got, T want, T slack = 0) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want)) return got == want;
  if (want != 0 && std::abs(want) < std::numeric_limits<T>::min())
    return std::abs(got) < 2 * std::numeric_limits<T>::min() + slack;
  return std::abs(got - want) <= T(1e-5) * std::abs(want) + slack;
}

template <class T>
void expect_agree(const std::vector<T>& got, const std::vector<T>& want, const char* form, T slack = 0) {
  ASSERT_EQ(got.size(), want.size()) << form;
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(agrees(got[i], want[i], slack))
        << form << " of " << got.size() << ", element " << i << ": " << got[i] << ", not " << want[i];
}

// The prefixes of runs that begin at `starts`, one after the other, in more range than T has.
template <class T, class Op>
std::vector<T> prefixes(const std::vector<T>& x, const std::vector<std::uint64_t>& starts, Op op, bool inclusive) {
  std::vector<T> all(x.size());
  long double run = 1;
  std::size_t s = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (; s < starts.size() && starts[s] <= i; ++s) run = identity_of<long double>(op);
    const long double next = op(run, static_cast<long double>(x[i]));
    all[i] = static_cast<T>(inclusive ? next : run);
    run = next;
  }
  return all;
}

// Of sums as large as the type has: three times `most` already rounds.
template <class T, class Op>
constexpr T rounding = std::is_same_v<Op, plus> ? most<T> * T(1e-12) : T(0);

template <class T, class Op>
void expect_every_form(const context& c, const std::vector<T>& x, Op op) {
  const std::uint64_t n = x.size();
  const T nothing = identity_of<T>(op), slack = rounding<T, Op>;
  std::vector<T> got(n);
  inclusive_scan(c, x, got, op);
  const auto want = prefixes(x, {0}, op, true);
  expect_agree(got, want, "inclusive_scan", slack);
  exclusive_scan(c, x, got, op);
  expect_agree(got, prefixes(x, {0}, op, false), "exclusive_scan", slack);
  got = x;
  inclusive_scan(c, got, got, op);
  expect_agree(got, want, "inclusive_scan in place", slack);
  expect_agree<T>({reduce(c, x, op)}, {want.back()}, "reduce", slack);
  const auto negated = views::transform(x, negate{});
  std::vector<T> turned(n);
  for (std::uint64_t i = 0; i < n; ++i) turned[i] = -x[i];
  inclusive_scan(c, negated, got, op);
  expect_agree(got, prefixes(turned, {0}, op, true), "inclusive_scan of a lazy input", slack);
  expect_agree<T>({reduce(c, negated, nothing, op)}, {got.back()}, "reduce of a lazy input", slack);
}

// Runs of x, each of which stays in range by itself: `starts` begins with 0.
template <class T, class Op>
void expect_every_form_of_runs(const context& c, const std::vector<T>& x, const std::vector<std::uint64_t>& starts,
                               Op op) {
  const std::uint64_t n = x.size();
  const T slack = rounding<T, Op>;
  std::vector<std::uint64_t> offsets = starts;
  offsets.push_back(n);
  std::vector<std::int32_t> keys(n), run_keys(n);
  for (std::size_t s = 0; s < starts.size(); ++s)
    for (std::uint64_t i = offsets[s]; i < offsets[s + 1]; ++i) keys[i] = static_cast<std::int32_t>(s % 2);
  const auto inclusive = prefixes(x, starts, op, true), exclusive = prefixes(x, starts, op, false);
  std::vector<T> folds(starts.size()), got(n);
  for (std::size_t s = 0; s < starts.size(); ++s) folds[s] = inclusive[offsets[s + 1] - 1];
  inclusive_scan_by_key(c, keys, x, got, op);
  expect_agree(got, inclusive, "inclusive_scan_by_key", slack);
  exclusive_scan_by_key(c, keys, x, got, op);
  expect_agree(got, exclusive, "exclusive_scan_by_key", slack);
  segmented_inclusive_scan(c, x, offsets, got, op);
  expect_agree(got, inclusive, "segmented_inclusive_scan", slack);
  segmented_exclusive_scan(c, x, offsets, got, op);
  expect_agree(got, exclusive, "segmented_exclusive_scan", slack);
  std::vector<T> of_segments(starts.size());
  segmented_reduce(c, x, offsets, of_segments, op);
  expect_agree(of_segments, folds, "segmented_reduce", slack);
  const std::uint64_t runs = reduce_by_key(c, keys, x, run_keys, got, op);
  expect_agree(tests::first_of(got, runs), folds, "reduce_by_key", slack);
}

// Factors whose product walks through the type's range and stays in it.
template <class T>
std::vector<T> factors(std::uint64_t n, double widest, std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1, 1);
  const double most_digits = std::is_same_v<T, float> ? 35 : 300;
  std::vector<T> x(n);
  double digits = 0;
  for (T& element : x) {
    double step = any(random) * widest * most_digits;
    if (std::abs(digits + step) > most_digits) step = -step;
    digits += step;
    element = static_cast<T>((any(random) < 0 ? -1 : 1) * std::pow(10.0L, static_cast<long double>(step)));
  }
  return x;
}

// Terms as large as the type has, whose sum stays in it.
template <class T>
std::vector<T> terms(std::uint64_t n, bool zeros, std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<T> x(n);
  long double sum = 0;
  for (T& element : x) {
    T term = zeros ? (random() % 3 == 0 ? T(0)
                      : random() % 2    ? most<T>
                                        : -most<T>)
                   : static_cast<T>(any(random)) * most<T>;
    if (std::abs(sum + term) > most<T>) term = -term;
    if (std::abs(sum + term) > most<T>) term = 0;
    sum += term;
    element = term;
  }
  return x;
}

template <class T>
void expect_examples(const context& c) {
  const T h = large<T>, m = most<T>;
  expect_every_form<T>(c, {0, h, h, h}, multiplies{});
  expect_every_form<T>(c, {1 / h, 1 / h, h, h}, multiplies{});
  std::vector<T> zero_first(41, h), ramp(100);
  zero_first[0] = 0;
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<T>(i) / 2;
  expect_every_form(c, zero_first, multiplies{});
  expect_every_form(c, ramp, multiplies{});
  expect_every_form<T>(c, {-m, 0, m, m}, plus{});
  expect_every_form_of_runs<T>(c, {0, h, h, h, 1 / h, 1 / h, h, h}, {0, 4}, multiplies{});
  expect_every_form_of_runs<T>(c, {-m, 0, m, m, -m, -m / 100, m, m}, {0, 4}, plus{});
}

TEST_P(FloatRangesOn, ExamplesOfF32) {
  if (!carries()) GTEST_SKIP() << "no f64";
  expect_examples<float>(where());
}
TEST_P(FloatRangesOn, ExamplesOfF64) {
  if (!carries()) GTEST_SKIP() << "no f64";
  expect_examples<double>(where());
}

template <class T>
void expect_drawn(const context& c) {
  std::mt19937 random(7);
  for (const std::uint64_t n : {33, 5000, 70'001}) {
    const std::vector<std::uint64_t> starts{0, n / 5, n / 5 + 1, n / 3, n / 2};
    for (const double widest : {1.0, 0.1}) {
      auto x = factors<T>(n, widest, random);
      expect_every_form(c, x, multiplies{});
      x[n / 4] = 0;
      expect_every_form(c, x, multiplies{});
      for (std::size_t s = 1; s < starts.size(); ++s) {
        const auto run = factors<T>((s + 1 < starts.size() ? starts[s + 1] : n) - starts[s], widest, random);
        std::copy(run.begin(), run.end(), x.begin() + static_cast<std::ptrdiff_t>(starts[s]));
      }
      expect_every_form_of_runs(c, x, starts, multiplies{});
    }
    for (const bool zeros : {true, false}) {
      auto x = terms<T>(n, zeros, random);
      expect_every_form(c, x, plus{});
      for (std::size_t s = 1; s < starts.size(); ++s) {
        const auto run = terms<T>((s + 1 < starts.size() ? starts[s + 1] : n) - starts[s], zeros, random);
        std::copy(run.begin(), run.end(), x.begin() + static_cast<std::ptrdiff_t>(starts[s]));
      }
      expect_every_form_of_runs(c, x, starts, plus{});
    }
  }
}

TEST_P(FloatRangesOn, DrawnF32) {
  if (!carries()) GTEST_SKIP() << "no f64";
  expect_drawn<float>(where());
}
TEST_P(FloatRangesOn, DrawnF64) {
  if (!carries()) GTEST_SKIP() << "no f64";
  expect_drawn<double>(where());
}

// Short runs, which vectors and lanes fold together.
TEST_P(FloatRangesOn, ManyShortRuns) {
  if (!carries()) GTEST_SKIP() << "no f64";
  std::mt19937 random(11);
  for (const std::uint64_t length : {3, 9, 40, 150}) {
    std::vector<float> product, sum;
    std::vector<std::uint64_t> starts;
    for (int run = 0; run < 300; ++run) {
      starts.push_back(sum.size());
      const auto f = factors<float>(length, 1, random), t = terms<float>(length, run % 2, random);
      product.insert(product.end(), f.begin(), f.end());
      sum.insert(sum.end(), t.begin(), t.end());
    }
    expect_every_form_of_runs(where(), product, starts, multiplies{});
    expect_every_form_of_runs(where(), sum, starts, plus{});
  }
}

// Along either axis of a matrix whose lines are cut in pieces on some device.
template <class T>
void expect_along_axes(const context& c) {
  std::mt19937 random(13);
  const std::uint64_t length = 4000;
  for (const std::uint64_t lines : {1, 3, 40, 600}) {
    const std::uint64_t here = lines == 600 ? 200 : length;
    std::vector<T> rows, columns(lines * here), got(lines * here), folds(lines);
    for (std::uint64_t l = 0; l < lines; ++l) {
      const auto line = l % 2 ? factors<T>(here, 1, random) : factors<T>(here, 0.1, random);
      rows.insert(rows.end(), line.begin(), line.end());
      for (std::uint64_t i = 0; i < here; ++i) columns[i * lines + l] = line[i];
    }
    std::vector<std::uint64_t> starts(lines);
    for (std::uint64_t l = 0; l < lines; ++l) starts[l] = l * here;
    const auto want = prefixes(rows, starts, multiplies{}, true);
    reduce_along(c, rows, {lines, here}, 1, folds, multiplies{});
    for (std::uint64_t l = 0; l < lines; ++l)
      ASSERT_TRUE(agrees(folds[l], want[(l + 1) * here - 1])) << "reduce_along axis 1, line " << l;
    reduce_along(c, columns, {here, lines}, 0, folds, multiplies{});
    for (std::uint64_t l = 0; l < lines; ++l)
      ASSERT_TRUE(agrees(folds[l], want[(l + 1) * here - 1])) << "reduce_along axis 0, line " << l;
    inclusive_scan_along(c, rows, {lines, here}, 1, got, multiplies{});
    expect_agree(got, want, "inclusive_scan_along axis 1");
    inclusive_scan_along(c, columns, {here, lines}, 0, got, multiplies{});
    for (std::uint64_t i = 0; i < rows.size(); ++i)
      ASSERT_TRUE(agrees(got[i % here * lines + i / here], want[i])) << "inclusive_scan_along axis 0, element " << i;
  }
}
TEST_P(FloatRangesOn, AlongAxes) {
  if (!carries()) GTEST_SKIP() << "no f64";
  expect_along_axes<float>(where());
  expect_along_axes<double>(where());
}

TEST_P(FloatRangesOn, InfinityAndNaNAmongTheElements) {
  const auto check = [&]<class T>(T) {
    std::vector<T> y(4);
    inclusive_scan(where(), std::vector<T>{1, endless<T>, 0, 2}, y, multiplies{});
    EXPECT_TRUE(y[0] == 1 && y[1] == endless<T> && std::isnan(y[2]) && std::isnan(y[3]));
    inclusive_scan(where(), std::vector<T>{1, endless<T>, -endless<T>, 2}, y);
    EXPECT_TRUE(y[0] == 1 && y[1] == endless<T> && std::isnan(y[2]) && std::isnan(y[3]));
    std::vector<T> x(5000, T(1));
    x[4000] = endless<T>;
    EXPECT_EQ(reduce(where(), x), endless<T>);
    EXPECT_EQ(reduce(where(), x, multiplies{}), endless<T>);
    x[100] = 0;
    EXPECT_TRUE(std::isnan(reduce(where(), x, multiplies{})));
    x[4000] = std::numeric_limits<T>::quiet_NaN();
    EXPECT_TRUE(std::isnan(reduce(where(), x)));
    EXPECT_TRUE(std::isnan(reduce(where(), x, multiplies{})));
  };
  check(float{});
  if (where().device().supports(dtype::f64)) check(double{});
}

// Scans after an init value near the type's limit: sums of some elements overflow, but no prefix does until an infinity
// occurs, followed by one of the other sign.
template <class T>
void expect_scans_until_infinity(const context& c) {
  std::mt19937 random(19);
  const T slack = rounding<T, plus>;
  for (const std::uint64_t n : {1, 31, 257, 4097, 70'001})
    for (const bool zeros : {true, false}) {
      std::vector<T> x = terms<T>(n + 1, zeros, random), inclusive(n), exclusive(n), got(n);
      const T init = x[0];
      x.erase(x.begin());
      if (n > 30) x[n / 2] = endless<T>, x[n - n / 9] = -endless<T>;
      long double run = init;
      for (std::uint64_t i = 0; i < n; ++i) {
        exclusive[i] = static_cast<T>(run);
        run += x[i];
        inclusive[i] = static_cast<T>(run);
      }
      exclusive_scan(c, x, got, init);
      expect_agree(got, exclusive, "exclusive_scan after an init", slack);
      inclusive_scan(c, x, x, init, plus{});
      expect_agree(x, inclusive, "inclusive_scan in place after an init", slack);
    }
}
TEST_P(FloatRangesOn, ScansUntilInfinity) {
  if (!carries()) GTEST_SKIP() << "no f64";
  expect_scans_until_infinity<float>(where());
  expect_scans_until_infinity<double>(where());
}

// The running sum of a distribution never decreases, and a zero does not change it.
TEST_P(FloatRangesOn, RunningSumsOfWhatIsNotNegative) {
  if (!carries()) GTEST_SKIP() << "no f64";
  std::mt19937 random(17);
  std::uniform_real_distribution<float> any(0, 1);
  for (const std::uint64_t n : {1000, 1 << 20})
    for (const int kind : {0, 1, 2}) {
      std::vector<float> x(n), y(n);
      for (float& element : x)
        element = kind == 0 ? any(random) : kind == 1 ? (random() % 2 ? any(random) : 0) : std::exp(20 * any(random));
      const auto expect_rising = [&](const std::vector<std::uint64_t>& starts, const char* form) {
        std::size_t s = 0;
        for (std::uint64_t i = 0; i < n; ++i) {
          if (s < starts.size() && starts[s] == i)
            ++s;
          else
            ASSERT_TRUE(y[i] >= y[i - 1] && (x[i] != 0 || y[i] == y[i - 1]))
                << form << " of " << n << ", element " << i << ": " << y[i - 1] << ", " << y[i];
        }
      };
      inclusive_scan(where(), x, y);
      expect_rising({0}, "inclusive_scan");
      inclusive_scan(where(), views::transform(x, absolute{}), y);
      expect_rising({0}, "inclusive_scan of a lazy input");
      const std::vector<std::uint64_t> offsets{0, n / 7, n / 2, n};
      segmented_inclusive_scan(where(), x, offsets, y);
      expect_rising({0, n / 7, n / 2}, "segmented_inclusive_scan");
      std::vector<std::int32_t> keys(n);
      for (std::uint64_t i = 0; i < n; ++i) keys[i] = (i >= n / 7) + (i >= n / 2);
      inclusive_scan_by_key(where(), keys, x, y);
      expect_rising({0, n / 7, n / 2}, "inclusive_scan_by_key");
    }
}

}  // namespace
}  // namespace upsweep
