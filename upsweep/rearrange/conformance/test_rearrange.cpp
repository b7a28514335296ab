// rearrange.hpp's contract, on the CPU and on every usable device.
#include "upsweep/rearrange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>

#include "tests/devices.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct RearrangeOn : tests::on_each_device {
  bool is_cpu() const { return where().kind() == backend::cpu; }
};
INSTANTIATE_TEST_SUITE_P(, RearrangeOn, testing::ValuesIn(tests::device_names()), tests::device_label);

struct record {  // three words of four bytes
  int a;
  float b;
  u32 c;
  bool operator==(const record&) const = default;
};
struct odd {  // seven of one
  char bytes[7];
  bool operator==(const odd&) const = default;
};

template <class T>
T made(u64 i) {
  const u64 bits = (i + 1) * 0x9e3779b97f4a7c15u;
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(bits >> 32);
  } else if constexpr (std::is_same_v<T, record>) {
    return {static_cast<int>(i), static_cast<float>(i) / 2, static_cast<u32>(bits >> 32)};
  } else {
    T x;
    for (char& c : x.bytes) c = static_cast<char>(bits >> (8 * (&c - x.bytes)));
    return x;
  }
}

template <class T>
std::vector<T> values(std::size_t n, u64 apart = 0) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = made<T>(i + apart);
  return x;
}

std::vector<u64> places(std::size_t n, u64 seed) {
  std::vector<u64> all(n);
  random_permutation(context::cpu(1), all, seed);
  return all;
}

const std::vector<std::size_t> sizes{0, 1, 2, 3, 33, 255, 257, 1000, 65537, 200003};

template <class T>
void expect_all(const context& where) {
  for (const std::size_t n : sizes) {
    const auto x = values<T>(n), y = values<T>(n, 1u << 20);
    auto want = x;
    std::vector<T> out(n, made<T>(99));
    std::ranges::reverse(want);
    const buffer<T> source(where, x);
    buffer<T> target(where, n);
    const auto onto_and_apart = [&](auto in_place, auto copied) {
      auto onto = x;
      buffer<T> there(where, x);
      in_place(onto), in_place(there);
      EXPECT_TRUE(onto == want) << n;
      EXPECT_TRUE(there.download() == want) << n;
      copied(x, out), copied(source.span(), target.span());
      EXPECT_TRUE(out == want) << n;
      EXPECT_TRUE(target.download() == want) << n;
    };
    onto_and_apart([&](auto& a) { reverse(where, a); }, [&](const auto& a, auto&& b) { reverse_copy(where, a, b); });
    for (const std::size_t first : {std::size_t{0}, n / 3, n - n / 7, n}) {
      std::ranges::rotate_copy(x, x.begin() + static_cast<std::ptrdiff_t>(first), want.begin());
      onto_and_apart([&](auto& a) { rotate(where, a, first); },
                     [&](const auto& a, auto&& b) { rotate_copy(where, a, first, b); });
    }
    const auto place = places(n, 17 + n);
    for (std::size_t i = 0; i < n; ++i) want[i] = x[place[i]];
    onto_and_apart([&](auto& a) { shuffle(where, a, 17 + n); },
                   [&](const auto& a, auto&& b) { shuffle_copy(where, a, b, 17 + n); });
    auto a = x, b = y;
    swap_ranges(where, a, b);
    EXPECT_TRUE(a == y && b == x) << n;
    buffer<T> p(where, x), q(where, y);
    swap_ranges(where, p, q.span());
    EXPECT_TRUE(p.download() == y && q.download() == x) << n;
  }
}

TEST_P(RearrangeOn, Bytes) { expect_all<u8>(where()); }
TEST_P(RearrangeOn, Halfwords) { expect_all<std::int16_t>(where()); }
TEST_P(RearrangeOn, Floats) { expect_all<float>(where()); }
TEST_P(RearrangeOn, Longs) { expect_all<std::int64_t>(where()); }
TEST_P(RearrangeOn, OwnTypes) {
  expect_all<record>(where());
  expect_all<odd>(where());
}

// Within one piece of memory, off its beginning.
TEST_P(RearrangeOn, PartsOfABuffer) {
  const auto x = values<int>(1003);
  auto want = x;
  std::reverse(want.begin() + 3, want.begin() + 900);
  std::rotate(want.begin() + 5, want.begin() + 77, want.end());
  std::swap_ranges(want.begin(), want.begin() + 400, want.begin() + 501);
  std::reverse_copy(want.begin(), want.begin() + 100, want.begin() + 700);
  buffer<int> there(where(), x);
  const auto part = [&](u64 first, u64 count) { return there.span().subspan(first, count); };
  reverse(where(), part(3, 897));
  rotate(where(), part(5, 998), 72);
  swap_ranges(where(), part(0, 400), part(501, 400));
  reverse_copy(where(), part(0, 100), part(700, 100));
  EXPECT_EQ(there.download(), want);
}

TEST_P(RearrangeOn, PermutationsAreTheSameEverywhere) {
  for (const std::size_t n : {0, 1, 2, 5, 256, 257, 258, 4096, 100003, 1 << 17}) {
    const auto want = places(n, n);
    std::vector<bool> met(n);
    for (const u64 i : want) {
      ASSERT_LT(i, n);
      ASSERT_FALSE(met[i]) << i << " twice of " << n;
      met[i] = true;
    }
    std::vector<u32> narrow(n);
    random_permutation(where(), narrow, n);
    EXPECT_TRUE(std::ranges::equal(narrow, want)) << n;
    buffer<u64> there(where(), n);
    random_permutation(where(), there, n);
    EXPECT_EQ(there.download(), want) << n;
  }
}

// The orders of few elements are equally likely; of many each place meets each value, neighbours stand either way
// around and even permutations are half of all. Of these seeds; for others the bounds are five standard deviations.
TEST(Rearrange, PermutationsPassForRandomOnes) {
  std::vector<double> met(120);
  for (u64 seed = 0; seed < 120 * 200; ++seed) {
    const auto p = places(5, seed);
    int order = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      int less = 0;
      for (std::size_t j = i + 1; j < 5; ++j) less += p[j] < p[i];
      order = order * static_cast<int>(5 - i) + less;
    }
    ++met[static_cast<std::size_t>(order)];
  }
  double chi = 0;
  for (const double count : met) chi += (count - 200) * (count - 200) / 200;
  EXPECT_LT(std::abs(chi - 119), 5 * std::sqrt(2.0 * 119));

  constexpr std::size_t n = 512;
  constexpr int turns = 2000, blocks = 32;
  std::vector<double> cells(blocks * blocks);
  double rising = 0, even = 0, fixed = 0;
  for (int turn = 0; turn < turns; ++turn) {
    const auto p = places(n, 1000003u * static_cast<u64>(turn));
    std::vector<bool> seen(n);
    std::size_t cycles = 0;
    for (std::size_t i = 0; i < n; ++i) {
      ++cells[i * blocks / n * blocks + p[i] * blocks / n];
      rising += i % 2 && p[i] > p[i - 1];
      fixed += p[i] == i;
      if (seen[i]) continue;
      ++cycles;
      for (std::size_t j = i; !seen[j]; j = p[j]) seen[j] = true;
    }
    even += (n - cycles) % 2 == 0;
  }
  const double each = static_cast<double>(turns) * n / (blocks * blocks), pairs = static_cast<double>(turns) * n / 2;
  chi = 0;
  for (const double count : cells) chi += (count - each) * (count - each) / each;
  EXPECT_LT(std::abs(chi - 961), 5 * std::sqrt(2.0 * 961));
  EXPECT_LT(std::abs(rising - pairs / 2), 5 * std::sqrt(pairs / 4));
  EXPECT_LT(std::abs(even - turns / 2.0), 5 * std::sqrt(turns / 4.0));
  EXPECT_LT(std::abs(fixed - turns), 5 * std::sqrt(turns));
}

TEST_P(RearrangeOn, WhatOnlyMoves) {
  const std::size_t n = 70001;
  std::vector<std::unique_ptr<int>> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::make_unique<int>(static_cast<int>(i));
  if (!is_cpu()) {
    expect_error(fault::unsupported, {"reverse", "its own copy operations"}, [&] { reverse(where(), x); });
    return;
  }
  reverse(where(), x);
  EXPECT_EQ(*x[0], static_cast<int>(n) - 1);
  reverse(where(), x);
  rotate(where(), x, 10);
  EXPECT_EQ(*x[0], 10);
  EXPECT_EQ(*x[n - 1], 9);
  rotate(where(), x, n - 10);
  swap_ranges(where(), x, y);
  shuffle(where(), y, 3);
  const auto place = places(n, 3);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(*y[i], static_cast<int>(place[i]));
  std::vector<std::string> texts(1000), backwards(1000);
  for (std::size_t i = 0; i < 1000; ++i) texts[i] = std::to_string(i);
  reverse_copy(where(), texts, backwards);
  EXPECT_EQ(backwards[1], "998");
}

TEST_P(RearrangeOn, WrongCallsSaySo) {
  std::vector<int> x(10), y(9);
  buffer<int> there(where(), 10);
  expect_error(fault::bad_argument, {"reverse_copy", "10 elements", "output 9"}, [&] { reverse_copy(where(), x, y); });
  expect_error(fault::bad_argument, {"shuffle_copy", "overlap"}, [&] { shuffle_copy(where(), x, x, 1); });
  expect_error(fault::bad_argument, {"rotate", "past the end of 10"}, [&] { rotate(where(), there, 11); });
  expect_error(fault::bad_argument, {"rotate_copy", "past the end of 9"}, [&] { rotate_copy(where(), y, 10, y); });
  expect_error(fault::bad_argument, {"swap_ranges", "the second 9"}, [&] { swap_ranges(where(), x, y); });
  expect_error(fault::bad_argument, {"swap_ranges", "overlap"},
               [&] { swap_ranges(where(), there.span().subspan(0, 6), there.span().subspan(4, 6)); });
}

}  // namespace
