// rank, permute and filter_map.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>
#include <random>

#include "tests/devices.hpp"
#include "upsweep/grouped.hpp"
#include "upsweep/views.hpp"

namespace upsweep {
namespace {

using tests::expect_error;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct RankOn : tests::on_each_device {
  bool is_cpu() const { return where().kind() == backend::cpu; }
};
INSTANTIATE_TEST_SUITE_P(, RankOn, testing::ValuesIn(tests::device_names()), tests::device_label);

constexpr u64 sizes[]{0, 1, 2, 65, 4099, 30011};

template <class T>
std::vector<T> random_keys(u64 n, u64 below) {
  std::mt19937_64 random(n + below);
  std::vector<T> all(n);
  for (T& x : all) x = static_cast<T>(random() % below) - static_cast<T>(below / 2);
  return all;
}

struct ranks_of {
  std::vector<u64> ordinal, least, dense;
  template <class T, class Less>
  ranks_of(const std::vector<T>& x, Less less) : ordinal(x.size()), least(x.size()), dense(x.size()) {
    std::vector<u64> order(x.size());
    std::iota(order.begin(), order.end(), u64{0});
    std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) { return less(x[a], x[b]); });
    for (u64 p = 0, first = 0, run = 0; p < order.size(); ++p) {
      if (p != 0 && less(x[order[p - 1]], x[order[p]])) first = p, ++run;
      ordinal[order[p]] = p, least[order[p]] = first, dense[order[p]] = run;
    }
  }
};

template <class T, class I>
void expect_ranks(const context& c) {
  for (const u64 n : sizes) {
    const auto x = random_keys<T>(n, n / 3 + 2);
    const auto expect = [&](const std::vector<u64>& want, auto call) {
      std::vector<I> out(n);
      call(x, out);
      EXPECT_TRUE(std::equal(out.begin(), out.end(), want.begin(), want.end())) << n;
      const buffer<T> there(c, x);
      buffer<I> to(c, n);
      call(there, to);
      out = to.download();
      EXPECT_TRUE(std::equal(out.begin(), out.end(), want.begin(), want.end())) << n;
    };
    const ranks_of up(x, std::less<>{}), down(x, std::greater<>{});
    expect(up.ordinal, [&](const auto& in, auto& out) { rank(c, in, out); });
    expect(up.least, [&](const auto& in, auto& out) { rank(c, in, out, {}, ties::min); });
    expect(up.dense, [&](const auto& in, auto& out) { rank(c, in, out, {}, ties::dense); });
    expect(down.ordinal, [&](const auto& in, auto& out) { rank(c, in, out, {.descending = true}); });
    expect(down.least, [&](const auto& in, auto& out) { rank(c, in, out, {.descending = true}, ties::min); });
    expect(down.ordinal, [&](const auto& in, auto& out) { rank(c, in, out, std::greater<>{}); });
  }
}

TEST_P(RankOn, OfEachElement) {
  expect_ranks<int, u64>(where());
  expect_ranks<float, u32>(where());
}

TEST_P(RankOn, WhatDoesNotFitIsRefused) {
  const std::vector<int> x{3, 1, 2};
  std::vector<u32> two(2);
  expect_error(fault::bad_argument, {"rank", "3 keys and 2 elements for ranks"}, [&] { rank(where(), x, two); });
}

TEST(Rank, ByAComparatorOfTheCpu) {
  const std::vector<std::string> x{"pear", "fig", "plum", "kiwi", "date", "a"};
  std::vector<u32> out(x.size());
  rank(context::cpu(), x, out, by([](const std::string& s) { return s.size(); }));
  EXPECT_EQ(out, (std::vector<u32>{2, 1, 3, 4, 5, 0}));
}

TEST_P(RankOn, OneOrderForManyArrays) {
  for (const u64 n : sizes) {
    const auto x = random_keys<int>(n, 1000);
    std::vector<u32> order(n);
    argsort(where(), x, order);
    const auto y = random_keys<double>(n, 500);
    std::vector<char> z(n);
    for (u64 i = 0; i < n; ++i) z[i] = static_cast<char>(x[i] % 50);
    std::vector<int> x_want(n);
    std::vector<double> y_want(n);
    std::vector<char> z_want(n);
    for (u64 i = 0; i < n; ++i) x_want[i] = x[order[i]], y_want[i] = y[order[i]], z_want[i] = z[order[i]];
    auto x_out = x, x_same = x;
    auto y_out = y, y_same = y;
    auto z_out = z;
    permute(where(), order, x, x_out, y, y_out, z, z_out);
    EXPECT_EQ(x_out, x_want);
    EXPECT_EQ(y_out, y_want);
    EXPECT_EQ(z_out, z_want);
    permute(where(), order, x_same, x_same, y_same, y_same);  // in place
    EXPECT_EQ(x_same, x_want);
    EXPECT_EQ(y_same, y_want);
    const buffer<u32> places(where(), order);
    buffer<int> there(where(), x), sorted(where(), n);
    buffer<double> beside(where(), y);
    permute(where(), places, there, sorted, beside, beside);
    EXPECT_EQ(sorted.download(), x_want);
    EXPECT_EQ(beside.download(), y_want);
  }
  std::vector<int> three(3), two(2);
  expect_error(fault::bad_argument, {"permute", "3", "2"},
               [&] { permute(where(), std::vector<u32>{0, 1, 2}, three, three, three, two); });
  three = {5, 6, 7};
  expect_error(fault::bad_argument, {"permute", "index 2 is 9"},
               [&] { permute(where(), std::vector<u32>{2, 1, 9}, three, three); });
  EXPECT_EQ(three, (std::vector<int>{5, 6, 7}));
}

struct root {
  optional<float> operator()(int x) const {
    if (x < 0) return {};
    return static_cast<float>(x) / 2;
  }
};

TEST_P(RankOn, WhatAFunctionGivesSomethingFor) {
  for (const u64 n : sizes) {
    const auto x = random_keys<int>(n, 1000);
    std::vector<float> want;
    for (const int v : x)
      if (v >= 0) want.push_back(static_cast<float>(v) / 2);
    std::vector<float> out(want.size());
    ASSERT_EQ(filter_map(where(), x, out, root{}), want.size());
    EXPECT_EQ(out, want);
    const auto halved = [](int v) { return v < 0 ? std::nullopt : std::optional(static_cast<float>(v) / 2); };
    out.assign(out.size(), 0);
    ASSERT_EQ(filter_map(where(), std::deque<int>(x.begin(), x.end()), out, halved), want.size());
    EXPECT_EQ(out, want);
    if (!want.empty())
      expect_error(fault::bad_argument, {"filter_map", std::to_string(want.size())},
                   [&] { filter_map(where(), x, std::span(out).first(out.size() - 1), root{}); });
    const buffer<int> there(where(), x);
    buffer<float> to(where(), n);
    buffer<u64> count(where(), 1);
    if (is_cpu()) {
      filter_map(where(), there, to, count.span(), root{});
      EXPECT_EQ(count.download()[0], want.size());
      out = to.download();
      out.resize(want.size());
      EXPECT_EQ(out, want);
    } else {
      expect_error(fault::unsupported, {"filter_map"}, [&] { filter_map(where(), there, to, root{}); });
    }
  }
  std::vector<std::string> names(2);
  EXPECT_EQ(filter_map(where(), views::iota(0, 5), names,
                       [](int i) { return i % 3 ? std::nullopt : std::optional(std::to_string(i)); }),
            2u);
  EXPECT_EQ(names[1], "3");
}

}  // namespace
}  // namespace upsweep
