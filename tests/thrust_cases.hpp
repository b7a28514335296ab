// Thrust's calls by our policy against Thrust's own on the host: one body for g++ (the CPU) and nvcc (a GPU, too).
#pragma once

#include <gtest/gtest.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <source_location>

#include "upsweep/thrust.hpp"

namespace {

using upsweep::on;

struct squared {
  UPSWEEP_HD std::int64_t operator()(int x) const { return std::int64_t{x} * x; }
};
struct odd {
  UPSWEEP_HD bool operator()(int x) const { return x % 2 != 0; }
};
struct by_last_digit {
  UPSWEEP_HD bool operator()(int a, int b) const { return a % 10 < b % 10; }
};
struct lesser_of {  // has no identity
  template <class T>
  UPSWEEP_HD T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
// As newer versions of Thrust name their maximum.
template <class T>
using sum [[deprecated]] = ::cuda::std::plus<T>;
static_assert(upsweep::thrust_calls::is_any<sum, ::cuda::std::plus<int>>);
static_assert(!upsweep::thrust_calls::is_any<sum, ::cuda::std::multiplies<int>>);

struct below_zero {
  UPSWEEP_HD bool operator()(int x) const { return x < 0; }
};
struct within_one {
  UPSWEEP_HD bool operator()(int a, int b) const { return a - b <= 1 && b - a <= 1; }
};
struct product_of {
  template <class Tuple>
  UPSWEEP_HD std::int64_t operator()(const Tuple& t) const {
    return std::int64_t{thrust::get<0>(t)} * thrust::get<1>(t);
  }
};

template <class T>
thrust::host_vector<T> random_vector(std::size_t n, T low, T high) {
  static std::mt19937_64 bits(20261122);
  thrust::host_vector<T> all(n);
  for (T& x : all) x = static_cast<T>(low + static_cast<T>(bits() % static_cast<std::uint64_t>(high - low + 1)));
  return all;
}

inline const std::vector<std::size_t> lengths{0, 1, 2, 31, 33, 257, 4097, 100003};

// vector<T> is what the context's calls read and write.
template <template <class> class vector>
struct thrust_cases {
  upsweep::context c;

  template <class A, class B>
  static void expect_same(const A& got, const B& wanted, std::size_t n,
                          std::source_location from = std::source_location::current()) {
    const thrust::host_vector<typename A::value_type> here(got);
    ASSERT_EQ(here.size(), wanted.size());
    EXPECT_TRUE(std::equal(here.begin(), here.end(), wanted.begin())) << n << ", line " << from.line();
  }

  static void expect_place(std::ptrdiff_t got, std::ptrdiff_t wanted, std::size_t n,
                           std::source_location from = std::source_location::current()) {
    EXPECT_EQ(got, wanted) << n << ", line " << from.line();
  }

  // By the standard's: Thrust 3.0 on the host puts negative keys behind the others.
  template <class Compare>
  static void sort_pairs(thrust::host_vector<int>& keys, thrust::host_vector<int>& values, Compare compare) {
    std::vector<std::pair<int, int>> rows;
    for (std::size_t i = 0; i < keys.size(); ++i) rows.emplace_back(keys[i], values[i]);
    std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return compare(a.first, b.first); });
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = rows[i].first, values[i] = rows[i].second;
  }

  void sorts() const {
    for (const std::size_t n : lengths) {
      auto keys = random_vector<int>(n, -500, 500);
      auto values = random_vector<int>(n, 0, 1 << 30);
      vector<int> k = keys, v = values;
      thrust::sort_by_key(on(c), k.begin(), k.end(), v.begin());
      sort_pairs(keys, values, std::less<>{});
      expect_same(k, keys, n), expect_same(v, values, n);
      EXPECT_TRUE(thrust::is_sorted(on(c), k.begin(), k.end()));

      thrust::stable_sort_by_key(on(c), v.begin(), v.end(), k.begin(), thrust::greater<int>());
      sort_pairs(values, keys, std::greater<>{});
      expect_same(k, keys, n), expect_same(v, values, n);
      EXPECT_TRUE(thrust::is_sorted(on(c), v.begin(), v.end(), thrust::greater<int>()));

      thrust::stable_sort(on(c), v.begin(), v.end(), by_last_digit{});
      std::stable_sort(values.begin(), values.end(), by_last_digit{});
      expect_same(v, values, n);
      EXPECT_EQ(thrust::is_sorted_until(on(c), v.begin(), v.end()) - v.begin(),
                std::is_sorted_until(values.begin(), values.end()) - values.begin());

      thrust::sort(on(c), v.begin(), v.end());
      std::sort(values.begin(), values.end());
      thrust::sort(on(c), k.begin(), k.end());
      std::sort(keys.begin(), keys.end());
      vector<int> both(2 * n, -1);
      EXPECT_TRUE(thrust::merge(on(c), k.begin(), k.end(), v.begin(), v.end(), both.begin()) == both.end());
      thrust::host_vector<int> merged(2 * n);
      std::merge(keys.begin(), keys.end(), values.begin(), values.end(), merged.begin());
      expect_same(both, merged, n);
    }
  }

  void folds() const {
    for (const std::size_t n : lengths) {
      const auto x = random_vector<int>(n, -1000, 1000), y = random_vector<int>(n, -1000, 1000);
      const vector<int> a = x, b = y;
      EXPECT_EQ(thrust::reduce(on(c), a.begin(), a.end()), thrust::reduce(thrust::host, x.begin(), x.end()));
      EXPECT_EQ(thrust::reduce(on(c), a.begin(), a.end(), -2000, thrust::maximum<int>()),
                thrust::reduce(thrust::host, x.begin(), x.end(), -2000, thrust::maximum<int>()));
      EXPECT_EQ(
          thrust::transform_reduce(on(c), a.begin(), a.end(), squared{}, std::int64_t{3}, thrust::plus<std::int64_t>()),
          thrust::transform_reduce(thrust::host, x.begin(), x.end(), squared{}, std::int64_t{3},
                                   thrust::plus<std::int64_t>()));
      EXPECT_EQ(thrust::inner_product(on(c), a.begin(), a.end(), b.begin(), std::int64_t{0}),
                thrust::inner_product(thrust::host, x.begin(), x.end(), y.begin(), std::int64_t{0}));
      // Made as they are read.
      const auto squares = thrust::make_transform_iterator(thrust::counting_iterator<int>(5), squared{});
      EXPECT_EQ(thrust::reduce(on(c), squares, squares + static_cast<std::ptrdiff_t>(n)),
                thrust::reduce(thrust::host, squares, squares + static_cast<std::ptrdiff_t>(n)));
      const auto pairs = thrust::make_transform_iterator(
          thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin())), product_of{});
      EXPECT_EQ(thrust::reduce(on(c), pairs, pairs + static_cast<std::ptrdiff_t>(n)),
                thrust::inner_product(thrust::host, x.begin(), x.end(), y.begin(), std::int64_t{0}));
    }
  }

  void scans() const {
    for (const std::size_t n : lengths) {
      const auto x = random_vector<int>(n, -1000, 1000);
      const vector<int> a = x;
      vector<int> got(n, -1);
      vector<std::int64_t> wide(n, -1);
      thrust::host_vector<int> wanted(n);
      thrust::host_vector<std::int64_t> wanted_wide(n);
      EXPECT_TRUE(thrust::inclusive_scan(on(c), a.begin(), a.end(), got.begin()) == got.end());
      thrust::inclusive_scan(thrust::host, x.begin(), x.end(), wanted.begin());
      expect_same(got, wanted, n);
      thrust::inclusive_scan(on(c), a.begin(), a.end(), got.begin(), thrust::maximum<int>());
      thrust::inclusive_scan(thrust::host, x.begin(), x.end(), wanted.begin(), thrust::maximum<int>());
      expect_same(got, wanted, n);
      thrust::exclusive_scan(on(c), a.begin(), a.end(), got.begin());
      thrust::exclusive_scan(thrust::host, x.begin(), x.end(), wanted.begin());
      expect_same(got, wanted, n);
      thrust::exclusive_scan(on(c), a.begin(), a.end(), got.begin(), 17);
      thrust::exclusive_scan(thrust::host, x.begin(), x.end(), wanted.begin(), 17);
      expect_same(got, wanted, n);
      thrust::transform_inclusive_scan(on(c), a.begin(), a.end(), wide.begin(), squared{},
                                       thrust::plus<std::int64_t>());
      thrust::transform_inclusive_scan(thrust::host, x.begin(), x.end(), wanted_wide.begin(), squared{},
                                       thrust::plus<std::int64_t>());
      expect_same(wide, wanted_wide, n);
      thrust::transform_exclusive_scan(on(c), a.begin(), a.end(), wide.begin(), squared{}, std::int64_t{9},
                                       thrust::plus<std::int64_t>());
      thrust::transform_exclusive_scan(thrust::host, x.begin(), x.end(), wanted_wide.begin(), squared{},
                                       std::int64_t{9}, thrust::plus<std::int64_t>());
      expect_same(wide, wanted_wide, n);
      got = a;
      thrust::inclusive_scan(on(c), got.begin(), got.end(), got.begin(), lesser_of{});
      thrust::inclusive_scan(thrust::host, x.begin(), x.end(), wanted.begin(), lesser_of{});
      expect_same(got, wanted, n);
      got = a;
      thrust::exclusive_scan(on(c), got.begin(), got.end(), got.begin(), 3, lesser_of{});
      thrust::exclusive_scan(thrust::host, x.begin(), x.end(), wanted.begin(), 3, lesser_of{});
      expect_same(got, wanted, n);
      const auto bytes = random_vector<signed char>(n, -100, 100);
      const vector<signed char> b = bytes;
      vector<signed char> got_bytes(n, 1);
      thrust::host_vector<signed char> wanted_bytes(n);
      thrust::inclusive_scan(on(c), b.begin(), b.end(), got_bytes.begin(), thrust::maximum<signed char>());
      thrust::inclusive_scan(thrust::host, bytes.begin(), bytes.end(), wanted_bytes.begin(),
                             thrust::maximum<signed char>());
      expect_same(got_bytes, wanted_bytes, n);
      const thrust::counting_iterator<int> ones(1);
      thrust::exclusive_scan(on(c), ones, ones + static_cast<std::ptrdiff_t>(n), wide.begin(), std::int64_t{0});
      thrust::exclusive_scan(thrust::host, ones, ones + static_cast<std::ptrdiff_t>(n), wanted_wide.begin(),
                             std::int64_t{0});
      expect_same(wide, wanted_wide, n);
    }
  }

  void by_key() const {
    for (const std::size_t n : lengths) {
      const auto keys = random_vector<int>(n, 0, 3), x = random_vector<int>(n, -1000, 1000);
      const vector<int> k = keys, a = x;
      vector<int> got(n, -1), got_keys(n, -1);
      thrust::host_vector<int> wanted(n, -1), wanted_keys(n, -1);
      thrust::inclusive_scan_by_key(on(c), k.begin(), k.end(), a.begin(), got.begin());
      thrust::inclusive_scan_by_key(thrust::host, keys.begin(), keys.end(), x.begin(), wanted.begin());
      expect_same(got, wanted, n);
      thrust::exclusive_scan_by_key(on(c), k.begin(), k.end(), a.begin(), got.begin(), 5);
      thrust::exclusive_scan_by_key(thrust::host, keys.begin(), keys.end(), x.begin(), wanted.begin(), 5);
      expect_same(got, wanted, n);
      got = a;
      thrust::inclusive_scan_by_key(on(c), k.begin(), k.end(), got.begin(), got.begin(), thrust::equal_to<int>(),
                                    lesser_of{});
      thrust::inclusive_scan_by_key(thrust::host, keys.begin(), keys.end(), x.begin(), wanted.begin(),
                                    thrust::equal_to<int>(), lesser_of{});
      expect_same(got, wanted, n);
      const auto [key_end, end] = thrust::reduce_by_key(on(c), k.begin(), k.end(), a.begin(), got_keys.begin(),
                                                        got.begin(), thrust::equal_to<int>(), thrust::maximum<int>());
      const auto [wanted_key_end, wanted_end] =
          thrust::reduce_by_key(thrust::host, keys.begin(), keys.end(), x.begin(), wanted_keys.begin(), wanted.begin(),
                                thrust::equal_to<int>(), thrust::maximum<int>());
      got.resize(end - got.begin()), got_keys.resize(key_end - got_keys.begin());
      wanted.resize(wanted_end - wanted.begin()), wanted_keys.resize(wanted_key_end - wanted_keys.begin());
      expect_same(got, wanted, n), expect_same(got_keys, wanted_keys, n);
    }
  }

  void selects() const {
    for (const std::size_t n : lengths) {
      const auto keys = random_vector<int>(n, 0, 3), x = random_vector<int>(n, -1000, 1000);
      const vector<int> k = keys, a = x;
      vector<int> got(n, -1), values(n, -1);
      thrust::host_vector<int> wanted(n, -1), wanted_values(n, -1);
      const auto compare = [&](auto end, auto wanted_end) {
        ASSERT_EQ(end - got.begin(), wanted_end - wanted.begin()) << n;
        const thrust::host_vector<int> here(got.begin(), end);
        EXPECT_TRUE(std::equal(here.begin(), here.end(), wanted.begin())) << n;
      };
      compare(thrust::copy_if(on(c), a.begin(), a.end(), got.begin(), odd{}),
              thrust::copy_if(thrust::host, x.begin(), x.end(), wanted.begin(), odd{}));
      compare(thrust::remove_copy_if(on(c), a.begin(), a.end(), got.begin(), odd{}),
              thrust::remove_copy_if(thrust::host, x.begin(), x.end(), wanted.begin(), odd{}));
      compare(thrust::unique_copy(on(c), k.begin(), k.end(), got.begin()),
              thrust::unique_copy(thrust::host, keys.begin(), keys.end(), wanted.begin()));
      const auto ends = thrust::unique_by_key_copy(on(c), k.begin(), k.end(), a.begin(), got.begin(), values.begin());
      const auto wanted_ends = thrust::unique_by_key_copy(thrust::host, keys.begin(), keys.end(), x.begin(),
                                                          wanted.begin(), wanted_values.begin());
      compare(ends.first, wanted_ends.first);
      const thrust::host_vector<int> here(values.begin(), ends.second);
      EXPECT_TRUE(std::equal(here.begin(), here.end(), wanted_values.begin())) << n;
    }
  }

  void searches() const {
    for (const std::size_t n : lengths) {
      const auto x = random_vector<int>(n, -1000, 1000);
      const vector<int> a = x;
      const int there = n ? x[n / 2] : 5;
      for (const int value : {there, 2000}) {
        EXPECT_EQ(thrust::count(on(c), a.begin(), a.end(), value),
                  thrust::count(thrust::host, x.begin(), x.end(), value));
        expect_place(thrust::find(on(c), a.begin(), a.end(), value) - a.begin(),
                     thrust::find(thrust::host, x.begin(), x.end(), value) - x.begin(), n);
      }
      EXPECT_EQ(thrust::count(on(c), a.begin(), a.end(), 0.5), 0);
      EXPECT_EQ(thrust::count_if(on(c), a.begin(), a.end(), odd{}),
                thrust::count_if(thrust::host, x.begin(), x.end(), odd{}));
      expect_place(thrust::find_if(on(c), a.begin(), a.end(), odd{}) - a.begin(),
                   thrust::find_if(thrust::host, x.begin(), x.end(), odd{}) - x.begin(), n);
      expect_place(thrust::find_if_not(on(c), a.begin(), a.end(), odd{}) - a.begin(),
                   thrust::find_if_not(thrust::host, x.begin(), x.end(), odd{}) - x.begin(), n);
      EXPECT_EQ(thrust::any_of(on(c), a.begin(), a.end(), odd{}),
                thrust::any_of(thrust::host, x.begin(), x.end(), odd{}));
      EXPECT_EQ(thrust::all_of(on(c), a.begin(), a.end(), odd{}),
                thrust::all_of(thrust::host, x.begin(), x.end(), odd{}));
      EXPECT_EQ(thrust::none_of(on(c), a.begin(), a.end(), odd{}),
                thrust::none_of(thrust::host, x.begin(), x.end(), odd{}));

      expect_place(thrust::min_element(on(c), a.begin(), a.end()) - a.begin(),
                   thrust::min_element(thrust::host, x.begin(), x.end()) - x.begin(), n);
      expect_place(thrust::max_element(on(c), a.begin(), a.end()) - a.begin(),
                   thrust::max_element(thrust::host, x.begin(), x.end()) - x.begin(), n);
      expect_place(thrust::min_element(on(c), a.begin(), a.end(), thrust::greater<int>()) - a.begin(),
                   thrust::min_element(thrust::host, x.begin(), x.end(), thrust::greater<int>()) - x.begin(), n);
      expect_place(thrust::max_element(on(c), a.begin(), a.end(), by_last_digit{}) - a.begin(),
                   thrust::max_element(thrust::host, x.begin(), x.end(), by_last_digit{}) - x.begin(), n);
      const auto [least, greatest] = thrust::minmax_element(on(c), a.begin(), a.end());
      const auto [wanted_least, wanted_greatest] = thrust::minmax_element(thrust::host, x.begin(), x.end());
      expect_place(least - a.begin(), wanted_least - x.begin(), n);
      expect_place(greatest - a.begin(), wanted_greatest - x.begin(), n);

      EXPECT_TRUE(thrust::equal(on(c), a.begin(), a.end(), a.begin()));
      for (const std::size_t at : {std::size_t{0}, n / 2, n}) {
        auto y = x;
        if (at < n) y[at] += 1;
        const vector<int> b = y;
        EXPECT_EQ(thrust::equal(on(c), a.begin(), a.end(), b.begin()), at >= n) << n;
        const auto [first, second] = thrust::mismatch(on(c), a.begin(), a.end(), b.begin());
        EXPECT_EQ(first - a.begin(), static_cast<std::ptrdiff_t>(at)) << n;
        EXPECT_EQ(second - b.begin(), static_cast<std::ptrdiff_t>(at)) << n;
        EXPECT_TRUE(thrust::equal(on(c), a.begin(), a.end(), b.begin(), within_one{}));
        EXPECT_TRUE(thrust::mismatch(on(c), a.begin(), a.end(), b.begin(), within_one{}).first == a.end());
      }
      // Made as they are read.
      const thrust::counting_iterator<int> from(7);
      const auto to = from + static_cast<std::ptrdiff_t>(n);
      EXPECT_TRUE(thrust::find(on(c), from, to, 38) == thrust::find(thrust::host, from, to, 38));
      EXPECT_EQ(thrust::count_if(on(c), from, to, odd{}), thrust::count_if(thrust::host, from, to, odd{}));
    }
  }

  void bounds() const {
    for (const std::size_t m : lengths) {
      auto sorted = random_vector<int>(m, -300, 300);
      std::sort(sorted.begin(), sorted.end());
      const auto queries = random_vector<int>(1000, -400, 400);
      const vector<int> s = sorted, q = queries;
      vector<unsigned> got(queries.size(), 9);
      vector<std::int64_t> wide(queries.size(), 9);
      vector<bool> found(queries.size(), true);
      thrust::host_vector<unsigned> wanted(queries.size());
      thrust::host_vector<std::int64_t> wanted_wide(queries.size());
      thrust::host_vector<bool> wanted_found(queries.size());
      EXPECT_TRUE(thrust::lower_bound(on(c), s.begin(), s.end(), q.begin(), q.end(), got.begin()) == got.end());
      thrust::lower_bound(thrust::host, sorted.begin(), sorted.end(), queries.begin(), queries.end(), wanted.begin());
      expect_same(got, wanted, m);
      thrust::upper_bound(on(c), s.begin(), s.end(), q.begin(), q.end(), wide.begin(), thrust::less<int>());
      thrust::upper_bound(thrust::host, sorted.begin(), sorted.end(), queries.begin(), queries.end(),
                          wanted_wide.begin(), thrust::less<int>());
      expect_same(wide, wanted_wide, m);
      thrust::binary_search(on(c), s.begin(), s.end(), q.begin(), q.end(), found.begin());
      thrust::binary_search(thrust::host, sorted.begin(), sorted.end(), queries.begin(), queries.end(),
                            wanted_found.begin());
      expect_same(found, wanted_found, m);

      for (const int value : {-400, queries[0], m ? static_cast<int>(sorted[m / 2]) : 0, 400}) {
        const auto lower = std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
        const auto upper = std::upper_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
        EXPECT_EQ(thrust::lower_bound(on(c), s.begin(), s.end(), value) - s.begin(), lower);
        EXPECT_EQ(thrust::upper_bound(on(c), s.begin(), s.end(), value, thrust::less<int>()) - s.begin(), upper);
        const auto range = thrust::equal_range(on(c), s.begin(), s.end(), value);
        EXPECT_EQ(range.first - s.begin(), lower);
        EXPECT_EQ(range.second - s.begin(), upper);
        EXPECT_EQ(thrust::binary_search(on(c), s.begin(), s.end(), value), lower != upper);
      }
      const below_zero negative{};
      EXPECT_EQ(thrust::partition_point(on(c), s.begin(), s.end(), negative) - s.begin(),
                std::partition_point(sorted.begin(), sorted.end(), negative) - sorted.begin());
      EXPECT_TRUE(thrust::is_partitioned(on(c), s.begin(), s.end(), negative));
      EXPECT_EQ(thrust::is_partitioned(on(c), q.begin(), q.end(), negative),
                thrust::is_partitioned(thrust::host, queries.begin(), queries.end(), negative));
    }
  }
};

}  // namespace
