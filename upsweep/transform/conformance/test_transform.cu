// Functions and types of the user's own, compiled by nvcc, on every CUDA device; and made inputs there.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/devices.hpp"
#include "upsweep/transform.hpp"

namespace {

using namespace upsweep;

struct TransformNvccOn : tests::on_each_device {
  void SetUp() override {
    if (where().kind() != backend::cuda) GTEST_SKIP() << "the other devices are held to it from the .cpp file";
  }
};
INSTANTIATE_TEST_SUITE_P(, TransformNvccOn, testing::ValuesIn(tests::device_names()), tests::device_label);

struct point {
  float x, y, z;
};

TEST_P(TransformNvccOn, OwnFunctions) {
  for (const std::size_t n : {0, 1, 257, 1000003}) {
    std::vector<int> a(n), b(n);
    for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<int>(i * 7919 % 1009), b[i] = static_cast<int>(i % 77);
    const int by = 3;
    const auto f = [by] UPSWEEP_HD(int x, int y) { return static_cast<std::int64_t>(x) * by - y; };
    std::vector<std::int64_t> want(n), out(n);
    for (std::size_t i = 0; i < n; ++i) want[i] = f(a[i], b[i]);
    buffer<int> x(where(), a), y(where(), b);
    buffer<std::int64_t> z(where(), n);
    transform(where(), x, y, z, f);
    ASSERT_EQ(z.download(), want);
    transform(where(), a, b, out, f);
    ASSERT_EQ(out, want);
    transform(where(), x, views::iota(0, n), y, y, [] UPSWEEP_HD(int p, int i, int q) { return p + i + q; });
    for (std::size_t i = 0; i < n; ++i) b[i] += a[i] + static_cast<int>(i);
    ASSERT_EQ(y.download(), b);
    copy(where(), views::reverse(x), y);
    std::reverse(a.begin(), a.end());
    ASSERT_EQ(y.download(), a);
    tabulate(where(), z, [] UPSWEEP_HD(std::uint64_t i) { return static_cast<std::int32_t>(i % 1000); });
    if (n) ASSERT_EQ(z.download()[n - 1], static_cast<std::int64_t>((n - 1) % 1000));
  }
}

TEST_P(TransformNvccOn, OwnTypesAndNeighbours) {
  const std::size_t n = 70001;
  buffer<point> points(where(), n);
  buffer<float> heights(where(), n);
  fill(where(), points, point{1, 2, 3});
  transform(where(), points, heights, [] UPSWEEP_HD(const point& p) { return p.z - p.x; });
  EXPECT_EQ(heights.download(), std::vector<float>(n, 2.0f));
  buffer<int> x(where(), n);
  iota(where(), x, 5, 3);
  adjacent_difference(where(), x, x);
  std::vector<int> want(n, 3);
  want[0] = 5;
  EXPECT_EQ(x.download(), want);
  adjacent_difference(where(), x, x, [] UPSWEEP_HD(int a, int b) { return 10 * a + b; });
  for (std::size_t i = n; i-- > 1;) want[i] = 10 * want[i] + want[i - 1];
  EXPECT_EQ(x.download(), want);
}

TEST_P(TransformNvccOn, WhereATestSaysSo) {
  for (const std::size_t n : {0, 1, 257, 1000003}) {
    std::vector<int> a(n), marks(n), want(n, -1);
    for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<int>(i * 7919 % 1009), marks[i] = static_cast<int>(i % 77);
    const int by = 3;
    const auto odd = [] UPSWEEP_HD(int v) { return v % 2 != 0; };
    const auto scaled = [by] UPSWEEP_HD(int v) { return by * v; };
    for (std::size_t i = 0; i < n; ++i)
      if (odd(marks[i])) want[i] = by * a[i];
    buffer<int> x(where(), a), stencil(where(), marks), y(where(), std::vector<int>(n, -1));
    transform_if(where(), x, stencil, y, scaled, odd);
    ASSERT_EQ(y.download(), want);
    std::vector<int> here(n, -1);
    transform_if(where(), a, marks, here, scaled, odd);
    ASSERT_EQ(here, want);
    transform_if(where(), x, views::iota(0, n), stencil, y, [] UPSWEEP_HD(int p, int i) { return p + i; }, odd);
    for (std::size_t i = 0; i < n; ++i)
      if (odd(marks[i])) want[i] = a[i] + static_cast<int>(i);
    ASSERT_EQ(y.download(), want);
    replace_if(where(), y, odd, -5);
    replace(where(), y, -5, 11);
    std::replace_if(want.begin(), want.end(), [](int v) { return v % 2 != 0; }, 11);
    ASSERT_EQ(y.download(), want);
    replace_copy_if(where(), x, stencil, y, odd, 6);
    for (std::size_t i = 0; i < n; ++i) want[i] = odd(marks[i]) ? 6 : a[i];
    ASSERT_EQ(y.download(), want);
  }
  buffer<point> points(where(), std::vector<point>(1001, point{1, 2, 3}));
  buffer<float> heights(where(), std::vector<float>(1001, 9));
  transform_if(
      where(), points, heights, [] UPSWEEP_HD(const point& p) { return p.x; },
      [] UPSWEEP_HD(const point& p) { return p.z > 5; });
  EXPECT_EQ(heights.download(), std::vector<float>(1001, 9));
}

}  // namespace
