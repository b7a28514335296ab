// The standard's function objects, which nvcc compiles for the host alone, in calls of a .cu file: on CPUs and CUDA.
#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "tests/devices.hpp"
#include "upsweep/upsweep.hpp"

namespace {

using namespace upsweep;
using u64 = std::uint64_t;

struct StandardFunctionsOn : tests::on_each_device {
  void SetUp() override {
    if (device.kind() == backend::opencl) GTEST_SKIP() << "OpenCL runs functions by their device source";
  }
  const context& device = where();
};
INSTANTIATE_TEST_SUITE_P(, StandardFunctionsOn, testing::ValuesIn(tests::device_names()), tests::device_label);

constexpr u64 sizes[]{0, 1, 33, 5003};

// A type unknown to every algorithm: the caller provides the comparison and the sum.
struct entry {
  int key, value;
  UPSWEEP_HD friend bool operator==(entry a, entry b) { return a.key == b.key; }
  UPSWEEP_HD friend bool operator<(entry a, entry b) { return a.key < b.key; }
  UPSWEEP_HD friend bool operator>(entry a, entry b) { return a.key > b.key; }
  UPSWEEP_HD friend entry operator+(entry a, entry b) { return {a.key + b.key, a.value * 3 + b.value}; }
  UPSWEEP_HD friend entry operator-(entry a, entry b) { return {a.key - b.key, a.value ^ b.value}; }
};

std::vector<int> numbers(u64 n, unsigned seed, int least = 1) {
  std::mt19937 random(seed);
  std::vector<int> all(n);
  for (int& x : all) x = std::uniform_int_distribution<int>(least, 40)(random);
  return all;
}
std::vector<entry> entries(u64 n, unsigned seed) {
  std::vector<entry> all(n);
  const std::vector<int> keys = numbers(n, seed);
  for (u64 i = 0; i < n; ++i) all[i] = {keys[i], static_cast<int>(i)};
  return all;
}
template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (u64 i = 0; i < got.size(); ++i) {
    if constexpr (std::is_same_v<T, entry>) {
      ASSERT_TRUE(got[i].key == wanted[i].key && got[i].value == wanted[i].value) << "at " << i;
    } else {
      ASSERT_EQ(got[i], wanted[i]) << "at " << i;
    }
  }
}
template <class T>
void expect_first(const buffer<T>& got, u64 kept, const std::vector<T>& wanted) {
  auto all = got.download();
  ASSERT_LE(kept, all.size());
  all.resize(kept);
  expect_same(all, wanted);
}

TEST_P(StandardFunctionsOn, OfTwoInputs) {
  for (const u64 n : sizes) {
    SCOPED_TRACE(n);
    const std::vector<int> x = numbers(n, 1), y = numbers(n, 2);
    const buffer<int> a(device, x), b(device, y);
    const auto each = [&](auto... f) {
      (
          [&] {
            std::vector<int> wanted(n);
            for (u64 i = 0; i < n; ++i) wanted[i] = static_cast<int>(f(x[i], y[i]));
            buffer<int> got(device, std::vector<int>(n, -77));
            transform(device, a, b, got, f);
            expect_same(got.download(), wanted);
          }(),
          ...);
    };
    each(std::plus<>{}, std::minus<int>{}, std::multiplies<int>{}, std::divides<>{}, std::modulus<>{});
    each(std::equal_to<>{}, std::not_equal_to<int>{}, std::less<>{}, std::less_equal<int>{}, std::greater<>{},
         std::greater_equal<>{});
    each(std::logical_and<>{}, std::logical_or<int>{}, std::bit_and<>{}, std::bit_or<int>{}, std::bit_xor<>{});
    each(std::ranges::equal_to{}, std::ranges::not_equal_to{}, std::ranges::less{}, std::ranges::less_equal{},
         std::ranges::greater{}, std::ranges::greater_equal{});
  }
}

TEST_P(StandardFunctionsOn, OfOneInput) {
  for (const u64 n : sizes) {
    SCOPED_TRACE(n);
    const std::vector<int> x = numbers(n, 3, -2);
    const buffer<int> a(device, x);
    const auto each = [&](auto... f) {
      (
          [&] {
            std::vector<int> wanted(n);
            for (u64 i = 0; i < n; ++i) wanted[i] = static_cast<int>(f(x[i]));
            buffer<int> got(device, std::vector<int>(n, -77));
            transform(device, a, got, f);
            expect_same(got.download(), wanted);
            buffer<int> made(device, std::vector<int>(n, -77));
            copy(device, views::transform(a, f), made);
            expect_same(made.download(), wanted);
            EXPECT_EQ(reduce(device, views::transform(a, f)), std::accumulate(wanted.begin(), wanted.end(), 0));
          }(),
          ...);
    };
    each(std::negate<>{}, std::bit_not<int>{}, std::identity{});
    std::vector<int> kept;
    for (const int v : x)
      if (!v) kept.push_back(v);
    buffer<int> out(device, n);
    expect_first(out, copy_if(device, a, out, std::logical_not<>{}), kept);
    EXPECT_EQ(count_if(device, a, std::logical_not<int>{}), kept.size());
    transform_if(device, a, a, out, std::negate<>{}, std::identity{});
    const std::vector<int> got = out.download();
    for (u64 i = 0; i < n; ++i)
      if (x[i]) ASSERT_EQ(got[i], -x[i]);
  }
}

TEST_P(StandardFunctionsOn, Searches) {
  for (const u64 n : sizes) {
    SCOPED_TRACE(n);
    std::vector<int> x = numbers(n, 4), y = x;
    if (n > 20) y[20] += 1;
    const buffer<int> a(device, x), b(device, y);
    EXPECT_TRUE(equal(device, a, b, std::less_equal<>{}));
    EXPECT_EQ(equal(device, a, b, std::ranges::greater_equal{}), n <= 20);
    EXPECT_EQ(mismatch(device, a, b, std::greater<>{}), 0u);
    EXPECT_EQ(mismatch(device, a, b, std::greater_equal<int>{}), n > 20 ? 20 : n);
    const std::vector<entry> e = entries(n, 5);
    const buffer<entry> held(device, e);
    if (n) {
      const auto least = std::ranges::min_element(e, std::less<>{}) - e.begin();
      EXPECT_EQ(min_element(device, held, std::less<>{}), static_cast<u64>(least));
      EXPECT_EQ(min_element(device, held, std::greater<>{}),
                static_cast<u64>(std::ranges::min_element(e, std::greater<>{}) - e.begin()));
    }
    std::vector<entry> sorted = e, queries = entries(n, 6);
    std::ranges::sort(sorted, std::greater<>{});
    std::vector<u64> wanted(n);
    for (u64 i = 0; i < n; ++i)
      wanted[i] = static_cast<u64>(std::ranges::lower_bound(sorted, queries[i], std::greater<>{}) - sorted.begin());
    buffer<u64> places(device, n);
    lower_bound(device, buffer<entry>(device, sorted), buffer<entry>(device, queries), places, std::greater<>{});
    expect_same(places.download(), wanted);
  }
}

TEST_P(StandardFunctionsOn, Orders) {
  for (const u64 n : sizes) {
    SCOPED_TRACE(n);
    std::vector<entry> x = entries(n, 7), y = entries(n / 2, 8);
    std::ranges::stable_sort(y, std::greater<>{});
    buffer<entry> a(device, x);
    const buffer<entry> b(device, y);
    EXPECT_EQ(is_sorted(device, a, std::greater<>{}), std::ranges::is_sorted(x, std::greater<>{}));
    sort(device, a, std::greater<>{});
    std::ranges::stable_sort(x, std::greater<>{});
    expect_same(a.download(), x);
    EXPECT_TRUE(is_sorted(device, a, std::greater<entry>{}));
    std::vector<entry> wanted(n + n / 2), all;
    std::ranges::merge(x, y, wanted.begin(), std::greater<>{});
    buffer<entry> both(device, n + n / 2);
    merge(device, a, b, both, std::greater<>{});
    expect_same(both.download(), wanted);
    std::ranges::set_union(x, y, std::back_inserter(all), std::greater<>{});
    expect_first(both, set_union(device, a, b, both, std::greater<>{}), all);
    std::vector<entry> kinds;
    std::ranges::unique_copy(x, std::back_inserter(kinds), std::equal_to<>{});
    buffer<entry> out(device, n);
    expect_first(out, unique(device, a, out, std::equal_to<>{}), kinds);
    if (n >= 5) {
      std::vector<entry> first(5);
      buffer<entry> best(device, 5);
      std::ranges::partial_sort_copy(x, first, std::less<>{});
      top_k(device, a, best, std::less<>{});
      const auto got = best.download();
      for (u64 i = 0; i < 5; ++i) EXPECT_EQ(got[i].key, first[i].key);
    }
  }
}

TEST_P(StandardFunctionsOn, Folds) {
  for (const u64 n : sizes) {
    SCOPED_TRACE(n);
    std::vector<entry> x(n), sums(n);
    const std::vector<int> v = numbers(n, 9);
    for (u64 i = 0; i < n; ++i) x[i] = {v[i], 0};
    std::partial_sum(x.begin(), x.end(), sums.begin(), std::plus<>{});
    const buffer<entry> a(device, x);
    buffer<entry> out(device, n);
    const monoid add(std::plus<>{}, entry{0, 0});
    inclusive_scan(device, a, out, add);
    expect_same(out.download(), sums);
    const entry all = reduce(device, a, add), from = reduce(device, a, entry{0, 0}, add);
    EXPECT_TRUE(all == (n ? sums.back() : entry{0, 0}));
    EXPECT_TRUE(from == all);
    std::vector<entry> steps(n);
    std::adjacent_difference(x.begin(), x.end(), steps.begin(), std::minus<>{});
    adjacent_difference(device, a, out, std::minus<>{});
    expect_same(out.download(), steps);
    std::vector<int> counts(n), wanted;
    for (u64 i = 0; i < n; ++i) counts[i] = static_cast<int>(i % 7 != 0 && i > 0 ? counts[i - 1] : i);
    for (u64 i = 0; i < n; ++i)
      if (i == 0 || counts[i] != counts[i - 1])
        wanted.push_back(v[i]);
      else
        wanted.back() += v[i];
    const buffer<int> keys(device, counts), values(device, v);
    buffer<int> key(device, n), sum(device, n);
    expect_first(sum, reduce_by_key(device, keys, views::transform(values, std::identity{}), key, sum, plus{}), wanted);
  }
}

}  // namespace
