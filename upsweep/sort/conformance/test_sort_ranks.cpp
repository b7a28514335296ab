// The key of one rank and the first few, by built-in orders and by comparators, where a sample chooses what is looked
// at: keys of many kinds, sizes on both sides of where samples begin.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/devices.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/sort/cpu/sort_sample.hpp"
#include "upsweep/sort/sort_order.hpp"

namespace {

using namespace upsweep;

struct RanksOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, RanksOn, testing::ValuesIn(tests::device_names()), tests::device_label);

std::mt19937_64& bits() {
  static std::mt19937_64 generator(151122);
  return generator;
}

// Random bits, few values, nearly one value, sorted: what a sample sees and what it does not.
template <class T>
std::vector<T> keys(int kind, std::size_t n) {
  std::vector<T> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    order_image<T> image = static_cast<order_image<T>>(bits()());
    if (kind == 1) image = static_cast<order_image<T>>(bits()() % 7);
    if (kind == 2) image = static_cast<order_image<T>>(bits()() % 1000 == 0 ? bits()() : 5);
    if (kind == 3) image = static_cast<order_image<T>>(i);
    all[i] = __builtin_bit_cast(T, image);
  }
  return all;
}

template <class T>
std::vector<T> sorted(std::vector<T> all, const sort_options& o) {
  const order_window<order_image<T>> window(o.first_bit, o.last_bit, o.descending);
  std::stable_sort(all.begin(), all.end(), [&](T a, T b) { return window(order_bits(a)) < window(order_bits(b)); });
  return all;
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TEST_P(RanksOn, AreThoseOfAStableSort) {
  for (const std::size_t n : {1, 100, 16384, 16385, 70001, 200000})
    for (int kind = 0; kind < 4; ++kind) {
      const auto check = [&]<class T>(T, sort_options o) {
        const auto x = keys<T>(kind, n);
        const auto wanted = sorted(x, o);
        for (const std::size_t k : {std::size_t{0}, n / 3, n / 2, n - 1}) {
          const T found = nth_element(where(), x, k, o);
          // Of keys that are equal (NaNs, zeros) others count from the nearer end.
          EXPECT_TRUE(where().kind() == backend::cpu ? same_bits(found, wanted[k])
                                                     : order_bits(found) == order_bits(wanted[k]))
              << n << " keys of kind " << kind << ", rank " << k;
        }
        // One, few, more than are found as few, and more than it pays to look for.
        for (const std::size_t k :
             {std::size_t{1}, std::min<std::size_t>(n, 10), std::min<std::size_t>(n, 500), (n + 6) / 7, n - n / 3}) {
          std::vector<T> first(k);
          std::vector<std::uint64_t> places(k);
          top_k(where(), x, first, places, o);
          for (std::size_t i = 0; i < k; ++i) {
            ASSERT_TRUE(same_bits(first[i], wanted[i])) << n << " keys of kind " << kind << ", " << i << " of " << k;
            ASSERT_TRUE(same_bits(x[places[i]], first[i]));
            if (i) {
              ASSERT_TRUE(!same_bits(first[i], first[i - 1]) || places[i - 1] < places[i]);
            }
          }
        }
      };
      check(std::uint32_t{}, {});
      check(std::int16_t{}, {.descending = true});
      check(float{}, {});
      if (where().kind() != backend::cpu) continue;
      check(std::uint64_t{}, {.first_bit = 3, .last_bit = 41});
      check(std::uint32_t{}, {.first_bit = 5, .last_bit = 9});
      check(double{}, {.descending = true});
      check(half{}, {});
      check(std::int64_t{}, {});
    }
}

// Every sampled element is above all others, or below all others, so that the rank is outside the range that the sample
// predicts.
TEST_P(RanksOn, AreFoundWhereASampleMisleads) {
  for (const std::size_t n : {5000, 16384, 70001, 300007})
    for (const bool above : {false, true}) {
      std::vector<std::uint32_t> x(n);
      for (std::uint32_t& e : x) e = (1u << 31) + static_cast<std::uint32_t>(bits()() % (1 << 30));
      for (std::uint64_t i = 0; i < 1024; ++i)
        x[detail::sort_impl::scattered(i, n)] = above ? ~static_cast<std::uint32_t>(i) : static_cast<std::uint32_t>(i);
      const auto wanted = sorted(x, {});
      for (const std::size_t k : {std::size_t{0}, n / 2, n - n / 4, n - 1})
        EXPECT_EQ(nth_element(where(), x, k), wanted[k]) << n << ' ' << k << ' ' << above;
      std::vector<std::uint32_t> first(n / 2);
      std::vector<std::uint64_t> places(n / 2);
      for (const std::size_t k : {std::size_t{100}, n / 2}) {
        top_k(where(), x, std::span(first).first(k), std::span(places).first(k), {});
        EXPECT_TRUE(std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(k), wanted.begin()))
            << n << ' ' << k << ' ' << above;
      }
    }
}

TEST_P(RanksOn, ByComparators) {
  if (where().kind() != backend::cpu)
    GTEST_SKIP() << "in a .cpp file comparators run on the CPU alone; test.cu runs them on CUDA";
  const auto nearer = [](int a, int b) { return std::abs(a - 50) < std::abs(b - 50); };
  for (const std::size_t n : {1, 33, 5000, 40000}) {
    std::vector<int> x(n);
    for (int& e : x) e = static_cast<int>(bits()() % 1000);
    auto wanted = x;
    std::stable_sort(wanted.begin(), wanted.end(), nearer);
    for (const std::size_t k : {std::size_t{0}, n / 2, n - 1}) {
      const int found = nth_element(where(), x, k, nearer);
      EXPECT_FALSE(nearer(found, wanted[k]) || nearer(wanted[k], found)) << n << ' ' << k;
    }
    const std::size_t k = std::min<std::size_t>(n, 20);
    std::vector<int> first(k), alone(k);
    std::vector<std::uint64_t> places(k);
    top_k(where(), x, first, places, nearer);
    top_k(where(), x, alone, nearer);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), wanted.begin())) << n;
    EXPECT_EQ(alone, first) << n;
    for (std::size_t i = 0; i < k; ++i) EXPECT_EQ(x[places[i]], first[i]);

    const std::vector<std::uint64_t> offsets{0, n / 3, n / 3, n};
    auto segments = x;
    segmented_sort(where(), segments, offsets, nearer);
    for (std::size_t s = 0; s < 3; ++s)
      std::stable_sort(x.begin() + static_cast<std::ptrdiff_t>(offsets[s]),
                       x.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]), nearer);
    EXPECT_EQ(segments, x) << n;
  }
}

// Sequences of many values, of few, of one, in order and against it.
TEST_P(RanksOn, ByComparatorsOfManyKinds) {
  if (where().kind() != backend::cpu) GTEST_SKIP() << "functions without device source run on the CPU alone";
  using pair = std::pair<std::uint32_t, std::uint32_t>;
  const auto before = [](const pair& a, const pair& b) { return a.first > b.first; };
  std::mt19937_64 bits(testing::UnitTest::GetInstance()->random_seed() + 5);
  const auto value = [&](int kind, std::uint32_t i) -> std::uint32_t {
    switch (kind) {
      case 0: return static_cast<std::uint32_t>(bits() >> 32);
      case 1: return static_cast<std::uint32_t>(bits() % 3);
      case 2: return 7;
      case 3: return i;
      case 4: return ~i;
      default: return bits() % 100 ? 1 : static_cast<std::uint32_t>(bits() >> 32);
    }
  };
  for (const std::uint32_t n : {1u, 255u, 257u, 16385u, 300007u})
    for (int kind = 0; kind < 6; ++kind) {
      SCOPED_TRACE(testing::Message() << n << " elements of kind " << kind);
      std::vector<pair> x(n), out(n);
      for (std::uint32_t i = 0; i < n; ++i) x[i] = {value(kind, i), i};
      auto wanted = x;
      std::stable_sort(wanted.begin(), wanted.end(), before);
      for (const std::uint32_t k : {0u, 1u, 10u, n / 1000, n / 3, n - 1}) {
        if (k >= n) continue;
        nth_element(where(), x, out, k, before);
        EXPECT_EQ(out[k].first, wanted[k].first);
        EXPECT_TRUE(std::none_of(out.begin(), out.begin() + k, [&](const pair& e) { return before(out[k], e); }));
        EXPECT_TRUE(std::none_of(out.begin() + k, out.end(), [&](const pair& e) { return before(e, out[k]); }));
        std::sort(out.begin(), out.end(), [](const pair& a, const pair& b) { return a.second < b.second; });
        EXPECT_EQ(out, x);
        std::vector<pair> first(k);
        std::vector<std::uint64_t> places(k);
        top_k(where(), x, first, places, before);
        EXPECT_TRUE(std::equal(first.begin(), first.end(), wanted.begin()));
      }
      std::vector<pair> all(n);
      top_k(where(), x, all, before);
      EXPECT_EQ(all, wanted);
    }
}

// What contradicts itself still ends, and loses and doubles nothing.
TEST_P(RanksOn, ByComparisonsThatContradictThemselves) {
  if (where().kind() != backend::cpu) GTEST_SKIP() << "functions without device source run on the CPU alone";
  std::vector<std::uint32_t> x(100003), out(x.size());
  std::iota(x.begin(), x.end(), 0u);
  const auto always = [](std::uint32_t, std::uint32_t) { return true; };
  const auto never_twice = [](std::uint32_t a, std::uint32_t b) { return (a * 2654435761u ^ b * 40503u) >> 31 != 0; };
  const auto both = [&](const auto& compare) {
    nth_element(where(), x, out, 5000, compare);
    std::sort(out.begin(), out.end());
    EXPECT_EQ(out, x);
    std::vector<std::uint32_t> first(100);
    std::vector<std::uint64_t> places(100);
    top_k(where(), x, first, places, compare);
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i], x.at(places[i]));
    std::sort(places.begin(), places.end());
    EXPECT_EQ(std::adjacent_find(places.begin(), places.end()), places.end());
  };
  both(always);
  both(never_twice);
}

TEST_P(RanksOn, NoneOfMany) {
  std::vector<double> x(100000), first{-1};
  for (double& e : x) e = static_cast<double>(bits()() % 1000);
  const std::vector<double> before = x;
  std::vector<std::uint64_t> places{77};
  // Neither the input nor the element behind an empty output is written.
  top_k(where(), x, std::span(first).first(0), std::span(places).first(0));
  EXPECT_EQ(x, before);
  EXPECT_EQ(first[0], -1);
  EXPECT_EQ(places[0], 77u);
  const buffer<double> in(where(), x);
  buffer<double> out(where(), first);
  top_k(where(), in, out.span().subspan(0, 0));
  EXPECT_EQ(in.download(), before);
  EXPECT_EQ(out.download(), first);
}

}  // namespace
