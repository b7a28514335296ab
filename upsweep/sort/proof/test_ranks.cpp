// The key of one rank and the first few, by built-in orders and by comparators, where a sample chooses what is looked
// at: keys of many kinds, sizes on both sides of where samples begin.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/devices.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/sort/order.hpp"

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
        for (const std::size_t k : {std::size_t{1}, std::min<std::size_t>(n, 10), std::min<std::size_t>(n, 500)}) {
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
      check(double{}, {.descending = true});
      check(half{}, {});
      check(std::int64_t{}, {});
    }
}

TEST_P(RanksOn, ByComparators) {
  if (where().kind() != backend::cpu) return;  // on CUDA where nvcc compiles them: test.cu
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

}  // namespace
