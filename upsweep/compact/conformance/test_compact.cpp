// compact.hpp's contract, line by line, on every usable device. The algorithms themselves are checked through the
// catalog.
#include "upsweep/compact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <random>
#include <ranges>
#include <string>

#include "tests/devices.hpp"
#include "upsweep/views.hpp"

namespace upsweep {
namespace {

using tests::expect_error;
using tests::first_of;
using words = std::vector<std::uint32_t>;
using places = std::vector<std::uint64_t>;

struct CompactOn : tests::on_each_device {
  bool is_cpu() const { return where().kind() == backend::cpu; }
  bool is_opencl() const { return where().kind() == backend::opencl; }
};
INSTANTIATE_TEST_SUITE_P(, CompactOn, testing::ValuesIn(tests::device_names()), tests::device_label);

// Sizes about the borders of words, groups and blocks.
constexpr std::uint64_t sizes[]{0, 1, 2, 63, 64, 65, 257, 2049, 8191, 8193, 50021};

words random_words(std::uint64_t n, std::uint32_t below) {
  static std::mt19937_64 random(20261122);
  words all(n);
  for (std::uint32_t& x : all) x = static_cast<std::uint32_t>(random() >> 11) % below;
  return all;
}

struct by_stencil {
  words passed, failed;
  by_stencil(const words& x, const words& s, std::uint32_t limit) {
    for (std::uint64_t i = 0; i < x.size(); ++i) (s[i] < limit ? passed : failed).push_back(x[i]);
  }
};

TEST_P(CompactOn, StencilsOfHostMemory) {
  for (const std::uint64_t n : sizes)
    for (const std::uint32_t limit : {0u, 30u, 100u}) {
      const words x = random_words(n, 1u << 30), s = random_words(n, 100);
      const by_stencil want(x, s, limit);
      words out(n, 77), rest(n, 77);
      const auto beside = stencil(s, less_than(limit));
      EXPECT_EQ(first_of(out, copy_if(where(), x, out, beside)), want.passed);
      EXPECT_EQ(first_of(out, remove_copy_if(where(), x, out, beside)), want.failed);
      EXPECT_EQ(first_of(out, remove_copy_if(where(), s, out, less_than(limit))), by_stencil(s, s, limit).failed);
      ASSERT_EQ(partition_copy(where(), x, out, rest, beside), want.passed.size());
      EXPECT_EQ(first_of(out, want.passed.size()), want.passed);
      EXPECT_EQ(first_of(rest, want.failed.size()), want.failed);
      ASSERT_EQ(partition(where(), x, out, beside), want.passed.size());
      words all = want.passed;
      all.insert(all.end(), want.failed.begin(), want.failed.end());
      EXPECT_EQ(out, all);
      out = x;
      EXPECT_EQ(first_of(out, remove_if(where(), out, beside)), want.failed);
      out = x;
      ASSERT_EQ(partition(where(), out, beside), want.passed.size());
      EXPECT_EQ(out, all);
    }
}

TEST_P(CompactOn, StencilsOfDeviceMemoryAndCountsThere) {
  for (const std::uint64_t n : sizes) {
    const words host = random_words(n, 1u << 30), ages = random_words(n, 100);
    const by_stencil want(host, ages, 40), own(host, host, 1u << 29);
    const buffer<std::uint32_t> x(where(), host), s(where(), ages);
    buffer<std::uint32_t> out(where(), words(n, 77)), rest(where(), words(n, 77));
    buffer<std::uint64_t> count(where(), 1);
    const auto beside = stencil(s, less_than(40u));
    const auto expect = [&](buffer<std::uint32_t>& got, words wanted) {
      wanted.resize(n, 77);
      EXPECT_EQ(got.download(), wanted) << n;
      got.upload(words(n, 77));
    };
    copy_if(where(), x, out, count.span(), beside);
    EXPECT_EQ(count.download()[0], want.passed.size());
    expect(out, want.passed);
    remove_copy_if(where(), x, out, count.span(), less_than(1u << 29));
    EXPECT_EQ(count.download()[0], own.failed.size());
    expect(out, own.failed);
    partition_copy(where(), x, out, rest, count.span(), beside);
    EXPECT_EQ(count.download()[0], want.passed.size());
    expect(out, want.passed);
    expect(rest, want.failed);
    EXPECT_EQ(partition_copy(where(), x, out, rest, less_than(1u << 29)), own.passed.size());
    expect(out, own.passed);
    expect(rest, own.failed);
    words all = want.passed;
    all.insert(all.end(), want.failed.begin(), want.failed.end());
    partition(where(), x, out, count.span(), beside);
    EXPECT_EQ(count.download()[0], want.passed.size());
    expect(out, all);
    // In place, by another sequence and by itself.
    out.upload(host);
    EXPECT_EQ(remove_if(where(), out, beside), want.failed.size());
    EXPECT_EQ(first_of(out.download(), want.failed.size()), want.failed);
    out.upload(host);
    EXPECT_EQ(partition(where(), out, stencil(out, less_than(1u << 29))), own.passed.size());
    EXPECT_EQ(first_of(out.download(), own.passed.size()), own.passed);
  }
}

// A NaN fails x < t, and so is what remove_if keeps; x >= t would drop it.
TEST_P(CompactOn, NaNsFailTests) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> x{1, nan, 3, -0.0f}, out(4);
  ASSERT_EQ(remove_copy_if(where(), x, out, less_than(2.0f)), 2u);
  EXPECT_TRUE(std::isnan(out[0]) && out[1] == 3);
  const buffer<float> y(where(), x);
  buffer<float> z(where(), 4);
  ASSERT_EQ(remove_copy_if(where(), y, z, less_than(2.0f)), 2u);
  EXPECT_TRUE(std::isnan(z.download()[0]) && z.download()[1] == 3);
  ASSERT_EQ(remove_copy_if(where(), y, z, not_equal_to(0.0f)), 1u);
  EXPECT_TRUE(std::signbit(z.download()[0]));
  EXPECT_EQ(unique_count(where(), std::vector<float>{nan, nan, 0.0f, -0.0f}), 3u);
}

TEST_P(CompactOn, RunsByAnEqualityOfOnesOwn) {
  const auto near = [](std::uint32_t a, std::uint32_t b) { return a / 10 == b / 10; };
  for (const std::uint64_t n : sizes) {
    const words x = random_words(n, 40);
    words values(n), want_values, want = x;
    places begins;
    for (std::uint32_t i = 0; i < n; ++i) {
      values[i] = i;
      if (i == 0 || !near(x[i - 1], x[i])) begins.push_back(i), want_values.push_back(i);
    }
    want.clear();
    for (const std::uint64_t i : begins) want.push_back(x[i]);
    words out(n), out2(n);
    EXPECT_EQ(first_of(out, unique(where(), x, out, near)), want);
    ASSERT_EQ(unique_by_key(where(), x, values, out, out2, near), want.size());
    EXPECT_EQ(first_of(out2, want.size()), want_values);
    EXPECT_EQ(unique_count(where(), x, near), want.size());
    places offsets(begins.size() + 1);
    ASSERT_EQ(group_by(where(), x, offsets, near), want.size());
    EXPECT_EQ(offsets.back(), n);
    EXPECT_EQ(first_of(offsets, begins.size()), begins);
    out = x, out2 = values;
    EXPECT_EQ(first_of(out, unique_by_key(where(), out, out2, near)), want);
    EXPECT_EQ(first_of(out2, want.size()), want_values);
    out = x;
    EXPECT_EQ(first_of(out, unique(where(), out, near)), want);
  }
}

TEST_P(CompactOn, RunsInDeviceMemory) {
  for (const std::uint64_t n : sizes) {
    const words host = random_words(n, 3);
    words want = host, values(n), want_values;
    want.erase(std::unique(want.begin(), want.end()), want.end());
    places begins;
    for (std::uint32_t i = 0; i < n; ++i) {
      values[i] = i;
      if (i == 0 || host[i - 1] != host[i]) begins.push_back(i), want_values.push_back(i);
    }
    begins.push_back(n);
    buffer<std::uint32_t> x(where(), host), v(where(), values);
    buffer<std::uint64_t> offsets(where(), n + 1), count(where(), 1);
    EXPECT_EQ(unique_count(where(), x), want.size());
    ASSERT_EQ(group_by(where(), x, offsets), want.size());
    EXPECT_EQ(first_of(offsets.download(), begins.size()), begins);
    offsets.upload(places(n + 1, 9));
    group_by(where(), x, offsets, count.span());
    EXPECT_EQ(count.download()[0], want.size());
    EXPECT_EQ(first_of(offsets.download(), begins.size()), begins);
    ASSERT_EQ(unique_by_key(where(), x, v), want.size());
    EXPECT_EQ(first_of(x.download(), want.size()), want);
    EXPECT_EQ(first_of(v.download(), want.size()), want_values);
    x.upload(host);
    ASSERT_EQ(unique(where(), x), want.size());
    EXPECT_EQ(first_of(x.download(), want.size()), want);
    if (is_opencl()) {
      expect_error(fault::unsupported, {"unique", "device source"},
                   [&] { (void)unique(where(), x, v, [](auto a, auto b) { return a == b; }); });
      expect_error(fault::unsupported, {"remove_if", "device source"},
                   [&] { (void)remove_if(where(), x, [](auto a) { return a == 1; }); });
    }
  }
}

// On the CPU, which host memory is worked on by whatever the context: any type, moved where it must be.
TEST_P(CompactOn, OwnTypes) {
  std::vector<std::string> names{"a", "bb", "cc", "d", "eee", "fff"}, out(6), rest(6);
  const auto as_long = [](const std::string& a, const std::string& b) { return a.size() == b.size(); };
  const auto is_short = [](const std::string& s) { return s.size() < 2; };
  ASSERT_EQ(unique(where(), names, out, as_long), 4u);
  EXPECT_EQ(out[2] + out[3], "deee");
  ASSERT_EQ(partition_copy(where(), names, out, rest, is_short), 2u);
  EXPECT_EQ(out[1] + rest[3], "dfff");
  ASSERT_EQ(copy_if(where(), names, out, stencil(std::views::iota(0, 6), [](int i) { return i % 2 == 1; })), 3u);
  EXPECT_EQ(out[0] + out[1] + out[2], "bbdfff");
  ASSERT_EQ(remove_if(where(), names, is_short), 4u);
  EXPECT_EQ(names[0] + names[3], "bbfff");
  std::vector<std::unique_ptr<int>> held;
  for (int i = 0; i < 20000; ++i) held.push_back(i % 3 ? std::make_unique<int>(i) : nullptr);
  const auto is_null = [](const std::unique_ptr<int>& p) { return !p; };
  std::vector<std::unique_ptr<int>> more(20000);
  for (int i = 0; i < 20000; ++i) more[i] = i % 3 ? std::make_unique<int>(i) : nullptr;
  const std::uint64_t left = remove_if(where(), held, is_null);
  ASSERT_EQ(left, 13333u);
  EXPECT_EQ(partition(where(), more, is_null), 20000 - left);
  for (std::uint64_t i = 0; i < left; ++i) {
    ASSERT_EQ(*held[i], static_cast<int>(i / 2 * 3 + 1 + i % 2));
    ASSERT_EQ(*more[20000 - left + i], *held[i]);
  }
  // bools, and inputs that are no memory.
  const std::deque<bool> flags{true, false, true, true};
  std::array<bool, 4> kept{};
  ASSERT_EQ(remove_copy_if(where(), flags, kept, [](bool b) { return b; }), 1u);
  EXPECT_FALSE(kept[0]);
  EXPECT_EQ(unique_count(where(), flags), 3u);
  std::vector<int> made(2);
  ASSERT_EQ(copy_if(where(), views::iota(0, 100), made, stencil(views::iota(0, 100), [](int i) { return i > 97; })),
            2u);
  EXPECT_EQ(made[1], 99);
}

TEST_P(CompactOn, WhatDoesNotFitIsRefusedAndNotWritten) {
  const words x{1, 2, 3, 4}, two(2);
  words out(3, 77), rest(1, 77);
  expect_error(fault::bad_argument, {"remove_copy_if", "4 elements", "3"},
               [&] { (void)remove_copy_if(where(), x, out, greater_than(9u)); });
  expect_error(fault::bad_argument, {"partition_copy", "2 elements", "the others' output", "1"},
               [&] { (void)partition_copy(where(), x, out, rest, less_than(3u)); });
  EXPECT_EQ(out, (words{77, 77, 77}));
  expect_error(fault::bad_argument, {"copy_if", "4 elements", "stencil has 2"},
               [&] { (void)copy_if(where(), x, out, stencil(two, less_than(3u))); });
  words all = x;
  expect_error(fault::bad_argument, {"remove_copy_if", "overlap"},
               [&] { (void)remove_copy_if(where(), all, all, less_than(3u)); });
  places offsets(3, 77);
  expect_error(fault::bad_argument, {"group_by", "4 elements", "2"}, [&] { (void)group_by(where(), x, offsets); });
  EXPECT_EQ(offsets, (places{77, 77, 77}));
  if (is_cpu()) return;
  const buffer<std::uint32_t> y(where(), x);
  buffer<std::uint32_t> z(where(), 3);
  expect_error(fault::bad_argument, {"remove_copy_if", "3 elements", "4"},
               [&] { (void)remove_copy_if(where(), y, z, less_than(3u)); });
}

}  // namespace
}  // namespace upsweep
