// sets.hpp's contract, line by line, on every usable device. The algorithms themselves are checked through the catalog.
#include "upsweep/sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <random>
#include <ranges>
#include <string>

#include "tests/devices.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/views.hpp"

namespace upsweep {
namespace {

using tests::expect_error;
using words = std::vector<std::uint32_t>;

struct SetsOn : tests::on_each_device {
  bool is_cpu() const { return where().kind() == backend::cpu; }
};
INSTANTIATE_TEST_SUITE_P(, SetsOn, testing::ValuesIn(tests::device_names()), tests::device_label);

struct entry {
  std::uint32_t key, from;
  friend bool operator==(const entry&, const entry&) = default;
};
constexpr auto by_key = [](const entry& a, const entry& b) { return a.key < b.key; };

// Sorted keys below `levels`, which know where they come from.
std::vector<entry> sorted_entries(std::uint64_t n, std::uint32_t levels, std::uint32_t from) {
  static std::mt19937_64 random(20261122);
  words keys(n);
  for (std::uint32_t& k : keys) k = static_cast<std::uint32_t>(random() >> 11) % levels;
  std::sort(keys.begin(), keys.end());
  std::vector<entry> all(n);
  for (std::uint32_t i = 0; i < n; ++i) all[i] = {keys[i], from + i};
  return all;
}
words keys_of(const std::vector<entry>& all) {
  words keys(all.size());
  std::transform(all.begin(), all.end(), keys.begin(), [](const entry& e) { return e.key; });
  return keys;
}
words values_of(const std::vector<entry>& all) {
  words values(all.size());
  std::transform(all.begin(), all.end(), values.begin(), [](const entry& e) { return e.from; });
  return values;
}

struct made_by_std {
  std::vector<entry> merged, in_either, in_both, in_first, in_one;
  made_by_std(const std::vector<entry>& a, const std::vector<entry>& b) {
    const auto make = [&](auto algorithm, std::vector<entry>& to) {
      algorithm(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(to), by_key);
    };
    make([](auto... x) { std::merge(x...); }, merged);
    make([](auto... x) { std::set_union(x...); }, in_either);
    make([](auto... x) { std::set_intersection(x...); }, in_both);
    make([](auto... x) { std::set_difference(x...); }, in_first);
    make([](auto... x) { std::set_symmetric_difference(x...); }, in_one);
  }
};

// Sizes about the borders of pieces (16 on devices, 4096 on the CPU), and few keys or many.
template <class F>
void for_each_pair(F f) {
  constexpr std::uint64_t sizes[][2]{{0, 0},     {0, 5},       {7, 0},    {1, 1},        {15, 17},       {16, 16},
                                     {33, 1000}, {4096, 4097}, {8191, 3}, {10007, 9973}, {65537, 30011}, {1, 50000}};
  for (const auto& [n, m] : sizes)
    for (const std::uint32_t levels : {1u, 3u, 1000u, 1000000u})
      f(sorted_entries(n, levels, 0), sorted_entries(m, levels, 1u << 31));
}

TEST_P(SetsOn, KeepWhatTheStandardLibraryKeeps) {
  for_each_pair([&](const std::vector<entry>& a, const std::vector<entry>& b) {
    const made_by_std want(a, b);
    const words ak = keys_of(a), av = values_of(a), bk = keys_of(b), bv = values_of(b);
    const auto expect = [&](const std::vector<entry>& wanted, auto call, auto by_keys) {
      words keys(wanted.size()), values(wanted.size());
      ASSERT_EQ(call(keys), wanted.size()) << a.size() << " and " << b.size();
      EXPECT_EQ(keys, keys_of(wanted));
      keys.assign(wanted.size(), 99);
      ASSERT_EQ(by_keys(keys, values), wanted.size());
      EXPECT_EQ(keys, keys_of(wanted));
      EXPECT_EQ(values, values_of(wanted)) << a.size() << " and " << b.size();
    };
    expect(
        want.in_either, [&](auto& k) { return set_union(where(), ak, bk, k); },
        [&](auto& k, auto& v) { return set_union_by_key(where(), ak, av, bk, bv, k, v); });
    expect(
        want.in_both, [&](auto& k) { return set_intersection(where(), ak, bk, k); },
        [&](auto& k, auto& v) { return set_intersection_by_key(where(), ak, av, bk, k, v); });
    expect(
        want.in_first, [&](auto& k) { return set_difference(where(), ak, bk, k); },
        [&](auto& k, auto& v) { return set_difference_by_key(where(), ak, av, bk, k, v); });
    expect(
        want.in_one, [&](auto& k) { return set_symmetric_difference(where(), ak, bk, k); },
        [&](auto& k, auto& v) { return set_symmetric_difference_by_key(where(), ak, av, bk, bv, k, v); });
    expect(
        want.merged, [&](auto& k) { return merge(where(), ak, bk, k), k.size(); },
        [&](auto& k, auto& v) { return merge_by_key(where(), ak, av, bk, bv, k, v); });
  });
}

TEST_P(SetsOn, DeviceMemoryAndCountsThere) {
  const auto a = sorted_entries(20011, 9000, 0), b = sorted_entries(15013, 9000, 1u << 31);
  const made_by_std want(a, b);
  const buffer<std::uint32_t> ak(where(), keys_of(a)), av(where(), values_of(a)), bk(where(), keys_of(b)),
      bv(where(), values_of(b));
  buffer<std::uint32_t> keys(where(), words(a.size() + b.size(), 77)), values(where(), words(a.size() + b.size(), 77));
  buffer<std::uint64_t> count(where(), 1);
  const auto expect = [&](const std::vector<entry>& wanted, bool with_values) {
    ASSERT_EQ(count.download()[0], wanted.size());
    words k = keys.download(), v = values.download(), all = keys_of(wanted), follow = values_of(wanted);
    all.resize(k.size(), 77), follow.resize(v.size(), 77);
    EXPECT_EQ(k, all);
    if (with_values) {
      EXPECT_EQ(v, follow);
    }
    keys.upload(words(k.size(), 77)), values.upload(words(v.size(), 77));
  };
  set_union(where(), ak, bk, keys, count.span());
  expect(want.in_either, false);
  set_union_by_key(where(), ak, av, bk, bv, keys, values, count.span());
  expect(want.in_either, true);
  set_intersection(where(), ak, bk, keys, count.span());
  expect(want.in_both, false);
  set_intersection_by_key(where(), ak, av, bk, keys, values, count.span());
  expect(want.in_both, true);
  set_difference(where(), ak, bk, keys, count.span());
  expect(want.in_first, false);
  set_difference_by_key(where(), ak, av, bk, keys, values, count.span());
  expect(want.in_first, true);
  set_symmetric_difference(where(), ak, bk, keys, count.span());
  expect(want.in_one, false);
  set_symmetric_difference_by_key(where(), ak, av, bk, bv, keys.span(), values.span(), count.span());
  expect(want.in_one, true);
  EXPECT_EQ(merge_by_key(where(), ak, av, bk, bv, keys, values), want.merged.size());
  EXPECT_EQ(keys.download(), keys_of(want.merged));
  EXPECT_EQ(values.download(), values_of(want.merged));
  EXPECT_EQ(set_union(where(), ak, bk, keys), want.in_either.size());

  // Parts of buffers: no element outside of them is written.
  keys.upload(words(keys.size(), 77));
  EXPECT_EQ(
      set_intersection(where(), ak.span().subspan(3, 5000), ak.span().subspan(3, 4000), keys.span().subspan(1, 4000)),
      4000u);
  const words k = keys.download();
  EXPECT_TRUE(k[0] == 77 && std::equal(k.begin() + 1, k.begin() + 4001, keys_of(a).begin() + 3) && k[4001] == 77);
}

// Two thousand equal keys in the first sequence and a thousand in the second, among others.
TEST_P(SetsOn, CopiesAreKeptAsOftenAsTheStandardSays) {
  words a(2000, 5), b(1000, 5);
  a.insert(a.begin(), {1, 2}), b.push_back(9);
  words out(4000);
  EXPECT_EQ(set_union(where(), a, b, out), 2u + 2000 + 1);
  EXPECT_EQ(set_intersection(where(), a, b, out), 1000u);
  EXPECT_EQ(set_difference(where(), a, b, out), 2u + 1000);
  EXPECT_EQ(set_difference(where(), b, a, out), 1u);
  EXPECT_EQ(set_symmetric_difference(where(), a, b, out), 2u + 1000 + 1);
}

TEST_P(SetsOn, NaNsAreEqualAndStandLast) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> a{-1, -0.0f, 2, nan, nan}, b{0.0f, 0.0f, 3, nan};
  std::vector<float> out(9);
  ASSERT_EQ(set_intersection(where(), a, b, out), 2u);
  EXPECT_TRUE(out[0] == 0 && std::signbit(out[0]) && std::isnan(out[1]));
  ASSERT_EQ(set_difference(where(), a, b, out), 3u);
  EXPECT_TRUE(out[0] == -1 && out[1] == 2 && std::isnan(out[2]));
  EXPECT_EQ(set_union(where(), a, b, out), 7u);
  EXPECT_EQ(set_symmetric_difference(where(), a, b, out), 5u);
}

TEST_P(SetsOn, OrdersByOptions) {
  const words a{9, 7, 7, 1}, b{8, 7, 1, 1};
  words out(8);
  ASSERT_EQ(set_union(where(), a, b, out, {.descending = true}), 6u);
  EXPECT_EQ(words(out.begin(), out.begin() + 6), (words{9, 8, 7, 7, 1, 1}));
  ASSERT_EQ(set_union(where(), a, b, out, std::greater<>{}), 6u);
  // By the second byte alone, of equal ones the first sequence's.
  const words c{0x0105, 0x0201}, d{0x0107, 0x0302};
  ASSERT_EQ(set_intersection(where(), c, d, out, {.first_bit = 8, .last_bit = 16}), 1u);
  EXPECT_EQ(out[0], 0x0105u);
  expect_error(fault::bad_argument, {"set_union", "bits 8 to 40"},
               [&] { (void)set_union(where(), c, d, out, {.first_bit = 8, .last_bit = 40}); });
}

TEST_P(SetsOn, BoolsBytesAndWideValues) {
  const std::deque<bool> a{false, true, true}, b{true};
  std::array<bool, 4> out{};
  ASSERT_EQ(set_difference(where(), a, b, out), 2u);
  EXPECT_TRUE(!out[0] && out[1]);
  struct wide {
    std::uint32_t x[3];
  };
  const std::vector<std::uint8_t> k{3, 4}, l{3, 5};
  const std::vector<wide> v{{1, 2, 3}, {4, 5, 6}}, w{{7, 8, 9}, {10, 11, 12}};
  std::vector<std::uint8_t> keys(4);
  std::vector<wide> values(4);
  EXPECT_EQ(merge_by_key(where(), k, v, l, w, keys, values), 4u);
  EXPECT_EQ(values[1].x[2], 9u);
  EXPECT_EQ(values[3].x[0], 10u);
}

// Own types and comparisons; host memory is worked on by the CPU, whatever the context.
TEST_P(SetsOn, OwnTypesAndComparisons) {
  const auto by_length = [](const std::string& a, const std::string& b) { return a.size() < b.size(); };
  const std::vector<std::string> a{"x", "aa", "bb", "ccc"}, b{"yy", "zzzz"};
  std::vector<std::string> out(6), out2(6);
  ASSERT_EQ(set_union(where(), a, b, out, by_length), 5u);
  EXPECT_EQ(out[1] + out[2] + out[4], "aabbzzzz");
  ASSERT_EQ(set_difference_by_key(where(), a, a, b, out, out2, by_length), 3u);
  EXPECT_EQ(out2[1], "bb");
  for_each_pair([&](const std::vector<entry>& c, const std::vector<entry>& d) {
    const made_by_std want(c, d);
    std::vector<entry> kept(c.size() + d.size());
    kept.resize(set_symmetric_difference(where(), c, d, kept, by_key));
    EXPECT_EQ(kept, want.in_one);
    kept.resize(c.size() + d.size());
    merge_by_key(where(), c, c, d, d, kept, std::vector<entry>(kept.size()), by_key);
    EXPECT_EQ(kept, want.merged);
  });
}

TEST_P(SetsOn, AComparisonThatContradictsItselfEndsAndWritesNothingOutside) {
  std::mt19937 random(3);
  words a(30000), b(20000);
  for (std::uint32_t& x : a) x = random();
  for (std::uint32_t& x : b) x = random();
  const auto nonsense = [](std::uint32_t x, std::uint32_t y) { return (x ^ y * 3) % 5 < 2; };
  words out(50001, 77);
  const std::span<std::uint32_t> part(out.data(), 20000);
  for (int turn = 0; turn < 2; ++turn) {
    try {
      (void)set_union(where(), a, b, part, nonsense);
    } catch (const error&) {
    }
    try {
      (void)set_difference(where(), a, b, part, nonsense);
    } catch (const error&) {
    }
  }
  EXPECT_TRUE(std::all_of(out.begin() + 20000, out.end(), [](std::uint32_t x) { return x == 77; }));
}

TEST_P(SetsOn, InputsThatAreMade) {
  const std::deque<int> a{1, 3, 5, 7};
  std::vector<int> out(10);
  ASSERT_EQ(set_intersection(where(), a, std::views::iota(0, 6), out), 3u);
  EXPECT_EQ(std::vector<int>(out.begin(), out.begin() + 3), (std::vector<int>{1, 3, 5}));
  ASSERT_EQ(set_difference(where(), views::iota(0, 8), a, out), 4u);
  EXPECT_EQ(out[3], 6);
  std::vector<std::uint64_t> rows(8);
  ASSERT_EQ(merge_by_key(where(), a, views::iota(std::uint64_t{0}, 4), a, views::repeat(std::uint64_t{9}, 4),
                         std::span(out.data(), 8), rows),
            8u);
  EXPECT_EQ(rows, (std::vector<std::uint64_t>{0, 9, 1, 9, 2, 9, 3, 9}));
  if (where().kind() == backend::opencl) {
    buffer<int> x(where(), 4), y(where(), 8);
    expect_error(fault::unsupported, {"set_union", "OpenCL"},
                 [&] { (void)set_union(where(), x, views::transform(x, [](int v) { return v; }), y); });
    expect_error(fault::unsupported, {"set_union", "OpenCL"},
                 [&] { (void)set_union(where(), x, x, y, [](int p, int q) { return p < q; }); });
  }
}

TEST_P(SetsOn, WhatDoesNotFitIsRefusedAndNotWritten) {
  const words a{1, 2, 3, 4}, b{3, 4, 5};
  words out(6, 77);
  const std::span<std::uint32_t> three(out.data(), 3);
  expect_error(fault::bad_argument, {"set_union", "5 elements", "has 3"},
               [&] { (void)set_union(where(), a, b, three); });
  EXPECT_EQ(out, (words{1, 2, 3, 77, 77, 77}));
  buffer<std::uint32_t> x(where(), a), y(where(), b), z(where(), words(6, 77));
  buffer<std::uint64_t> count(where(), 1);
  expect_error(fault::bad_argument, {"set_union", "5 elements", "has 3"},
               [&] { (void)set_union(where(), x, y, z.span().subspan(0, 3)); });
  EXPECT_EQ(z.download(), (words{1, 2, 3, 77, 77, 77}));
  // If the call does not wait for the count, the output must have capacity for the largest possible result.
  expect_error(fault::bad_argument, {"set_union", "6 elements", "7"},
               [&] { set_union(where(), x, y, z.span(), count.span()); });
  expect_error(fault::bad_argument, {"set_union_by_key", "4 keys", "3 values"},
               [&] { (void)set_union_by_key(where(), a, b, b, b, out, words(6)); });
  expect_error(fault::bad_argument, {"set_difference_by_key", "overlap"},
               [&] { (void)set_difference_by_key(where(), a, a, b, out, out); });
  words keys(8, 77), values(8, 77);
  expect_error(fault::bad_argument, {"merge_by_key", "7", "6"},
               [&] { merge_by_key(where(), a, a, b, b, std::span(keys).first(6), std::span(values).first(6)); });
  EXPECT_EQ(keys, words(8, 77));  // how many there are is known before
  EXPECT_EQ(values, keys);
  expect_error(fault::bad_argument, {"set_union", "overlap"}, [&] { (void)set_union(where(), out, b, out); });
}

}  // namespace
}  // namespace upsweep
