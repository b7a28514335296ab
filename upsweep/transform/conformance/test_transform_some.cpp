// transform_if and replace, on the CPU and on every usable device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "tests/devices.hpp"
#include "upsweep/transform.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;
using u8 = std::uint8_t;

struct TransformSomeOn : tests::on_each_device {
  bool is_cpu() const { return where().kind() == backend::cpu; }
};
INSTANTIATE_TEST_SUITE_P(, TransformSomeOn, testing::ValuesIn(tests::device_names()), tests::device_label);

const std::vector<std::size_t> sizes{0, 1, 33, 1000, 65537, 300007};

std::vector<int> values(std::size_t n, std::uint64_t apart = 0) {
  std::vector<int> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = static_cast<int>(((i + 1 + apart) * 0x9e3779b97f4a7c15u) >> 40) % 2000 - 1000;
  return x;
}

struct is_odd {
  UPSWEEP_HD bool operator()(int x) const { return x % 2 != 0; }
  static constexpr const char* source = "(x % 2 != 0)";
};
struct flagged {
  UPSWEEP_HD bool operator()(u8 x) const { return x > 127; }
  static constexpr const char* source = "(x > 127)";
};
struct half_sum {
  UPSWEEP_HD float operator()(int a, int b) const { return static_cast<float>(a + b) / 2; }
  static constexpr const char* source = "((float)(a + b) / 2)";
};

TEST_P(TransformSomeOn, BuiltInTestsAndTransforms) {
  for (const std::size_t n : sizes) {
    const auto x = values(n), marks = values(n, 5);
    std::vector<int> out(n, 7777), want(n, 7777);
    for (std::size_t i = 0; i < n; ++i)
      if (x[i] < 10) want[i] = -x[i];
    transform_if(where(), x, out, negate{}, less_than(10));
    EXPECT_EQ(out, want) << n;
    buffer<int> there(where(), x), beside(where(), marks), kept(where(), std::vector<int>(n, 5));
    transform_if(where(), there, kept.span(), negate{}, less_than(10));
    for (int& w : want)
      if (w == 7777) w = 5;
    EXPECT_EQ(kept.download(), want) << n;
    transform_if(where(), there.span(), beside, there, square{}, at_least(-200));
    for (std::size_t i = 0; i < n; ++i) want[i] = marks[i] >= -200 ? x[i] * x[i] : x[i];
    EXPECT_EQ(there.download(), want) << n;
    out = x;
    transform_if(where(), out, marks, out, square{}, at_least(-200));
    EXPECT_EQ(out, want) << n;
  }
}

TEST_P(TransformSomeOn, TestsAndFunctionsWithSource) {
  for (const std::size_t n : sizes) {
    const auto x = values(n), y = values(n, 9);
    std::vector<u8> marks(n);
    for (std::size_t i = 0; i < n; ++i) marks[i] = static_cast<u8>(x[i] * 7);
    std::vector<float> out(n, -1), want(n, -1);
    for (std::size_t i = 0; i < n; ++i)
      if (marks[i] > 127) want[i] = half_sum{}(x[i], y[i]);
    const auto call = [&] { transform_if(where(), x, y, marks, out, half_sum{}, flagged{}); };
    call();
    EXPECT_EQ(out, want) << n;
    buffer<int> there(where(), x), beside(where(), y);
    buffer<u8> flags(where(), marks);
    buffer<float> to(where(), std::vector<float>(n, -1));
    transform_if(where(), there, beside, flags, to, half_sum{}, flagged{});
    EXPECT_EQ(to.download(), want) << n;
    replace_if(where(), there, is_odd{}, 3);
    auto replaced = x;
    std::ranges::replace_if(replaced, is_odd{}, 3);
    EXPECT_EQ(there.download(), replaced) << n;
    replace_if(where(), replaced, marks, flagged{}, -9);
    replace_if(where(), there, flags, flagged{}, -9);
    EXPECT_EQ(there.download(), replaced) << n;
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(replaced[i], marks[i] > 127 ? -9 : is_odd{}(x[i]) ? 3 : x[i]);
    std::vector<std::int64_t> wide(n);
    replace_copy_if(where(), x, marks, wide, flagged{}, std::int64_t{1} << 40);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(wide[i], marks[i] > 127 ? std::int64_t{1} << 40 : x[i]);
  }
}

TEST_P(TransformSomeOn, Replace) {
  for (const std::size_t n : sizes) {
    const auto x = values(n);
    auto want = x, here = x;
    std::ranges::replace(want, n ? x[n / 2] : 0, 5000);
    replace(where(), here, n ? x[n / 2] : 0, 5000);
    EXPECT_EQ(here, want) << n;
    buffer<int> there(where(), x), to(where(), n);
    replace_copy(where(), there, to.span(), n ? x[n / 2] : 0, 5000);
    EXPECT_EQ(to.download(), want) << n;
    EXPECT_EQ(there.download(), x) << n;
    replace_copy_if(where(), x, here, greater_than(0), 0);
    std::ranges::replace_copy_if(x, want.begin(), [](int v) { return v > 0; }, 0);
    EXPECT_EQ(here, want) << n;
    replace_if(where(), there, greater_than(0), 0);
    EXPECT_EQ(there.download(), want) << n;
    std::vector<u8> bytes(n, 200);
    replace(where(), bytes, 200, 7);
    EXPECT_EQ(bytes, std::vector<u8>(n, 7)) << n;
  }
  // The zeros are equal; NaN is not equal to itself.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> odd{0.0f, -0.0f, nan, 1.0f};
  replace(where(), odd, 0.0f, 2.0f);
  EXPECT_EQ(odd[0], 2);
  EXPECT_EQ(odd[1], 2);
  EXPECT_TRUE(std::isnan(odd[2]));
  replace(where(), odd, nan, 3.0f);
  EXPECT_TRUE(std::isnan(odd[2]));
  replace_if(where(), odd, not_equal_to(1.0f), 4.0f);
  EXPECT_EQ(odd, (std::vector<float>{4, 4, 4, 1}));
}

TEST_P(TransformSomeOn, OwnTypesAndInputs) {
  std::vector<std::string> words(70001, "ab");
  words[7] = "x";
  const auto call = [&] { replace(where(), words, std::string("x"), "yy"); };
  if (!is_cpu()) {
    expect_error(fault::unsupported, {"replace", "its own copy operations"}, call);
    return;
  }
  call();
  EXPECT_EQ(words[7], "yy");
  EXPECT_EQ(words[8], "ab");
  std::vector<std::size_t> lengths(words.size(), 9);
  int calls = 0;
  transform_if(
      context::cpu(1), words, lengths,
      [&calls](const std::string& s) {
        ++calls;
        return s.size();
      },
      [](const std::string& s) { return s[0] == 'y'; });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(lengths[7], 2u);
  EXPECT_EQ(lengths[6], 9u);
  transform_if(where(), views::iota(std::size_t{0}, words.size()), words, lengths, identity{},
               [](const std::string& s) { return s == "ab"; });
  EXPECT_EQ(lengths[7], 2u);
  EXPECT_EQ(lengths[70000], 70000u);
}

TEST_P(TransformSomeOn, WrongCallsSaySo) {
  std::vector<int> x(10), y(9);
  buffer<int> there(where(), 10);
  std::vector<u8> bytes(3);
  expect_error(fault::bad_argument, {"transform_if", "the input has 9"},
               [&] { transform_if(where(), x, y, x, negate{}, less_than(1)); });
  expect_error(fault::bad_argument, {"replace_copy_if", "overlap"}, [&] {
    replace_copy_if(where(), there.span().subspan(0, 9), there.span().subspan(1, 9), less_than(1), 0);
  });
  expect_error(fault::bad_argument, {"replace", "is 300, which u8 does not hold"},
               [&] { replace(where(), bytes, 1, 300); });
}

}  // namespace
