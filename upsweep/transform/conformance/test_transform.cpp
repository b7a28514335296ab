// transform.hpp's contract, on the CPU and on every usable device.
#include "upsweep/transform.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <ranges>
#include <string>

#include "tests/devices.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct TransformOn : tests::on_each_device {
  bool is_cpu() const { return where().kind() == backend::cpu; }
  bool is_opencl() const { return where().kind() == backend::opencl; }
  // Functions of one's own without text: the CPU alone, from a .cpp file.
  template <class Call>
  bool runs_or_says_why(Call call) const {
    if (is_cpu()) return call(), true;
    expect_error(fault::unsupported, {is_opencl() ? "no device source" : "nvcc"}, call);
    return false;
  }
};
INSTANTIATE_TEST_SUITE_P(, TransformOn, testing::ValuesIn(tests::device_names()), tests::device_label);

const std::vector<std::size_t> sizes{0, 1, 2, 31, 33, 1000, 65537, 300007};

// Any 64 bits, the same for the same place.
constexpr u64 bits_at(u64 i) {
  i = (i + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  return (i ^ i >> 31) * 0x94d049bb133111ebu;
}

template <class T>
std::vector<T> values(std::size_t n, u64 apart = 0) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(static_cast<std::int32_t>(bits_at(i + apart) >> 40));
  return x;
}

struct halved_and_added {
  UPSWEEP_HD float operator()(int a, float b) const { return static_cast<float>(a) / 2 + b; }
  static constexpr const char* source = "((float)a / 2 + b)";
};
struct of_three {
  UPSWEEP_HD std::int64_t operator()(u8 a, int b, std::int64_t c) const { return a + b + c; }
  static constexpr const char* source = "(a + b + c)";
};
struct wide_product {
  UPSWEEP_HD std::int64_t operator()(int a, int b) const { return std::int64_t{a} * b; }
  static constexpr const char* source = "((long)a * b)";
};
struct tenfold {
  UPSWEEP_HD u64 operator()(u64 i) const { return 10 * i + 3; }
  static constexpr const char* source = "(10 * i + 3)";
};

TEST_P(TransformOn, BuiltInFunctionsOfOneAndTwo) {
  for (const std::size_t n : sizes) {
    const auto a = values<int>(n), b = values<int>(n, 7);
    std::vector<int> out(n, -1), want(n);
    transform(where(), a, b, out, std::plus<>{});
    std::ranges::transform(a, b, want.begin(), std::plus<>{});
    EXPECT_EQ(out, want) << n;
    transform(where(), a, b, out, maximum{});
    std::ranges::transform(a, b, want.begin(), [](int x, int y) { return std::max(x, y); });
    EXPECT_EQ(out, want) << n;
    transform(where(), a, out, absolute{});
    std::ranges::transform(a, want.begin(), [](int x) { return std::abs(x); });
    EXPECT_EQ(out, want) << n;
    buffer<int> x(where(), a), y(where(), b);
    const buffer<int>& read = x;
    transform(where(), read.span(), y.span(), y.span(), std::minus<>{});
    std::ranges::transform(a, b, want.begin(), std::minus<>{});
    EXPECT_EQ(y.download(), want) << n;
    transform(where(), x, x, negate{});
    std::ranges::transform(a, want.begin(), std::negate<>{});
    EXPECT_EQ(x.download(), want) << n;
  }
}

TEST_P(TransformOn, FunctionsWithTheirTextIntoOtherTypes) {
  for (const std::size_t n : sizes) {
    const auto a = values<int>(n);
    const auto b = values<float>(n, 1);
    const auto small = values<u8>(n, 2);
    const auto wide = values<std::int64_t>(n, 3);
    std::vector<double> sums(n, -1), want(n);
    for (std::size_t i = 0; i < n; ++i) want[i] = halved_and_added{}(a[i], b[i]);
    std::vector<std::int64_t> three(n), want3(n);
    for (std::size_t i = 0; i < n; ++i) want3[i] = small[i] + a[i] + wide[i];
    transform(where(), a, b, sums, halved_and_added{});
    EXPECT_EQ(sums, want) << n;
    transform(where(), small, a, wide, three, of_three{});
    EXPECT_EQ(three, want3) << n;
    buffer<std::int64_t> onto(where(), wide);
    buffer<int> there(where(), a);
    buffer<u8> narrow(where(), small);
    transform(where(), narrow, there.span(), onto, onto.span(), of_three{});
    EXPECT_EQ(onto.download(), want3) << n;
  }
}

TEST_P(TransformOn, OwnFunctionsTypesAndInputs) {
  for (const std::size_t n : {1u, 33u, 300007u}) {
    const std::deque<int> rows(n, 2);
    const auto a = values<int>(n);
    const int by = 3;
    std::vector<int> threefold(n);
    if (!runs_or_says_why([&] { transform(where(), a, threefold, [by](int v) { return v * by; }); })) return;
    EXPECT_EQ(threefold[n / 2], a[n / 2] * 3);
    std::vector<std::string> texts(n);
    transform(where(), a, texts, [by](int v) { return std::to_string(v * by); });
    EXPECT_EQ(texts[n / 2], std::to_string(a[n / 2] * 3));
    std::vector<std::size_t> lengths(n);
    transform(where(), texts, lengths, [](const std::string& s) { return s.size(); });
    EXPECT_EQ(lengths.back(), texts.back().size());
    std::vector<u64> made(n);
    transform(where(), views::iota(u64{5}, n), rows, made, [](u64 i, int r) { return i * static_cast<u64>(r); });
    EXPECT_EQ(made.back(), 2 * (n + 4));
    transform(where(), a | std::views::reverse, lengths, [](int v) { return static_cast<std::size_t>(v < 0); });
    EXPECT_EQ(lengths[0], static_cast<std::size_t>(a[n - 1] < 0));
    std::vector<std::unique_ptr<int>> owned(n);
    tabulate(where(), owned, [](u64 i) { return std::make_unique<int>(static_cast<int>(i)); });
    EXPECT_EQ(*owned.back(), static_cast<int>(n) - 1);
    const auto flags = std::make_unique<bool[]>(n);
    transform(where(), a, std::span<bool>(flags.get(), n), [](int v) { return v > 0; });
    EXPECT_EQ(flags[n / 2], a[n / 2] > 0);
    transform(where(), owned, made, [](const std::unique_ptr<int>& p) { return static_cast<u32>(*p); });
    EXPECT_EQ(made.back(), n - 1);
  }
}

TEST_P(TransformOn, FillIotaCopyTabulate) {
  for (const std::size_t n : sizes) {
    std::vector<u8> bytes(n);
    std::vector<half> halves(n);
    std::vector<double> grid(n);
    std::vector<u32> words(n);
    std::vector<u64> wide(n);
    fill(where(), bytes, 200);
    EXPECT_EQ(bytes, std::vector<u8>(n, 200)) << n;
    fill(where(), halves, half(1.5f));
    EXPECT_TRUE(std::ranges::all_of(halves, [](half h) { return h == half(1.5f); })) << n;
    iota(where(), words);
    std::vector<u32> want(n);
    std::iota(want.begin(), want.end(), 0u);
    EXPECT_EQ(words, want) << n;
    copy(where(), words, wide);
    EXPECT_TRUE(std::ranges::equal(words, wide)) << n;
    if (where().device().supports(dtype::f64)) {
      iota(where(), grid, -1.0, 0.125);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(grid[i], -1 + static_cast<double>(i) / 8) << i;
    }
    iota(where(), bytes, u8{250}, 3);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(bytes[i], static_cast<u8>(250 + 3 * i)) << i;
    buffer<u32> x(where(), n), y(where(), n);
    iota(where(), x, 7u, -2);
    copy(where(), x, y.span());
    for (u32& w : want) w = 7u - 2u * w;
    EXPECT_EQ(y.download(), want) << n;
    fill(where(), y.span(), 0xabcdef01u);
    EXPECT_EQ(y.download(), std::vector<u32>(n, 0xabcdef01u)) << n;
    tabulate(where(), wide, tenfold{});
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(wide[i], 10 * i + 3);
  }
}

TEST_P(TransformOn, GenerateCallsOncePerElement) {
  std::vector<int> x(100003, 1);
  std::atomic<int> calls{0};
  if (!runs_or_says_why([&] { generate(where(), x, [&calls] { return calls++; }); })) return;
  EXPECT_EQ(calls, 100003);
  std::ranges::sort(x);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], static_cast<int>(i));
}

TEST_P(TransformOn, AdjacentDifference) {
  for (const std::size_t n : sizes) {
    const auto a = values<int>(n);
    std::vector<int> want(n), out(n, -1), onto = a;
    std::adjacent_difference(a.begin(), a.end(), want.begin());
    adjacent_difference(where(), a, out);
    EXPECT_EQ(out, want) << n;
    adjacent_difference(where(), onto, onto);
    EXPECT_EQ(onto, want) << n;
    buffer<int> x(where(), a), y(where(), n);
    adjacent_difference(where(), x, y, std::minus<>{});
    EXPECT_EQ(y.download(), want) << n;
    adjacent_difference(where(), x, x.span());
    EXPECT_EQ(x.download(), want) << n;
    std::adjacent_difference(a.begin(), a.end(), want.begin(), [](int p, int q) { return std::max(p, q); });
    adjacent_difference(where(), a, out, maximum{});
    EXPECT_EQ(out, want) << n;
    std::vector<std::int64_t> wide(n), own(n);
    if (n && !runs_or_says_why(
                 [&] { adjacent_difference(where(), a, wide, [](int p, int q) { return std::int64_t{p} * q; }); })) {
      if (!is_opencl()) continue;
      adjacent_difference(where(), a, wide, wide_product{});
    }
    for (std::size_t i = 0; i < n; ++i) own[i] = i ? std::int64_t{a[i]} * a[i - 1] : a[0];
    EXPECT_EQ(wide, own) << n;
  }
}

// In place on the CPU every part needs what the part before it had.
TEST_P(TransformOn, AdjacentDifferenceOfOwnTypesInPlace) {
  std::vector<std::string> x(70001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::string(1 + bits_at(i) % 3, 'a');
  const auto before = x;
  const auto joined = [](const std::string& a, const std::string& b) { return a + b; };
  if (!is_cpu()) {
    expect_error(fault::unsupported, {"its own copy operations"}, [&] { adjacent_difference(where(), x, x, joined); });
    return;
  }
  adjacent_difference(where(), x, x, joined);
  EXPECT_EQ(x[0], before[0]);
  for (std::size_t i = 1; i < x.size(); ++i) ASSERT_EQ(x[i], before[i] + before[i - 1]) << i;
}

TEST_P(TransformOn, WrongCallsSaySo) {
  std::vector<int> x(10), y(9);
  std::vector<u8> bytes(3);
  buffer<int> there(where(), 10);
  expect_error(fault::bad_argument, {"transform", "10 elements", "output 9"},
               [&] { transform(where(), x, y, negate{}); });
  expect_error(fault::bad_argument, {"transform", "the input has 9"}, [&] { transform(where(), x, y, x, plus{}); });
  expect_error(fault::bad_argument, {"overlap", "without being the same"},
               [&] { transform(where(), std::span<int>(x).first(9), std::span<int>(x).last(9), negate{}); });
  expect_error(fault::bad_argument, {"overlap"},
               [&] { adjacent_difference(where(), there.span().subspan(0, 9), there.span().subspan(1, 9)); });
  expect_error(fault::bad_argument, {"copy", "overlap"},
               [&] { copy(where(), there.span().subspan(0, 9), there.span().subspan(1, 9)); });
  expect_error(fault::bad_argument, {"fill", "is 256, which u8 does not hold"}, [&] { fill(where(), bytes, 256); });
  expect_error(fault::bad_argument, {"fill", "is -1, which u8 does not hold"}, [&] { fill(where(), bytes, -1); });
  fill(where(), bytes, 255);
  EXPECT_EQ(bytes[2], 255);
}

}  // namespace
