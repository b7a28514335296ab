// Thrust's transforms and rearrangements by our policy against Thrust's own on the host.
#pragma once

#include <thrust/adjacent_difference.h>
#include <thrust/fill.h>
#include <thrust/generate.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/random.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/sequence.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>

#include <limits>

#include "tests/thrust_cases.hpp"

namespace {

struct always_seven {
  UPSWEEP_HD int operator()() const { return 7; }
};
struct squared_index {
  UPSWEEP_HD std::int64_t operator()(std::int64_t i) const { return i * i; }
};
struct weighted {
  UPSWEEP_HD double operator()(int a, int b) const { return a * 0.5 + b; }
};

template <template <class> class vector>
struct thrust_transform_cases {
  upsweep::context c;

  template <class A, class B>
  static void expect_same(const A& got, const B& wanted, std::size_t n,
                          std::source_location from = std::source_location::current()) {
    thrust_cases<vector>::expect_same(got, wanted, n, from);
  }

  void transforms() const {
    for (const std::size_t n : lengths) {
      const auto x = random_vector<int>(n, -1000, 1000), y = random_vector<int>(n, -1000, 1000);
      const vector<int> a = x, b = y;
      vector<int> got(n, -1);
      vector<std::int64_t> wide(n, -1);
      vector<double> reals(n, -1);
      thrust::host_vector<int> wanted(n, -1);
      thrust::host_vector<std::int64_t> wanted_wide(n, -1);
      thrust::host_vector<double> wanted_reals(n, -1);
      EXPECT_TRUE(thrust::transform(on(c), a.begin(), a.end(), got.begin(), thrust::negate<int>()) == got.end());
      thrust::transform(thrust::host, x.begin(), x.end(), wanted.begin(), thrust::negate<int>());
      expect_same(got, wanted, n);
      thrust::transform(on(c), a.begin(), a.end(), wide.begin(), squared{});
      thrust::transform(thrust::host, x.begin(), x.end(), wanted_wide.begin(), squared{});
      expect_same(wide, wanted_wide, n);
      EXPECT_TRUE(thrust::transform(on(c), a.begin(), a.end(), b.begin(), got.begin(), thrust::minus<int>()) ==
                  got.end());
      thrust::transform(thrust::host, x.begin(), x.end(), y.begin(), wanted.begin(), thrust::minus<int>());
      expect_same(got, wanted, n);
      thrust::transform(on(c), a.begin(), a.end(), b.begin(), reals.begin(), weighted{});
      thrust::transform(thrust::host, x.begin(), x.end(), y.begin(), wanted_reals.begin(), weighted{});
      expect_same(reals, wanted_reals, n);
      // In place, and of an input that is made as it is read; results are cut to the output's type.
      thrust::transform(on(c), got.begin(), got.end(), thrust::counting_iterator<int>(3), got.begin(), weighted{});
      thrust::transform(thrust::host, wanted.begin(), wanted.end(), thrust::counting_iterator<int>(3), wanted.begin(),
                        weighted{});
      expect_same(got, wanted, n);
      thrust::transform_if(on(c), a.begin(), a.end(), got.begin(), thrust::negate<int>(), odd{});
      thrust::transform_if(thrust::host, x.begin(), x.end(), wanted.begin(), thrust::negate<int>(), odd{});
      expect_same(got, wanted, n);
      thrust::transform_if(on(c), a.begin(), a.end(), b.begin(), b.begin(), got.begin(), thrust::minus<int>(), odd{});
      thrust::transform_if(thrust::host, x.begin(), x.end(), y.begin(), y.begin(), wanted.begin(), thrust::minus<int>(),
                           odd{});
      expect_same(got, wanted, n);
      thrust::transform_if(on(c), a.begin(), a.end(), b.begin(), wide.begin(), squared{}, odd{});
      thrust::transform_if(thrust::host, x.begin(), x.end(), y.begin(), wanted_wide.begin(), squared{}, odd{});
      expect_same(wide, wanted_wide, n);
      thrust::transform_if(on(c), a.begin(), a.end(), b.begin(), b.begin(), reals.begin(), weighted{}, odd{});
      thrust::transform_if(thrust::host, x.begin(), x.end(), y.begin(), y.begin(), wanted_reals.begin(), weighted{},
                           odd{});
      expect_same(reals, wanted_reals, n);
      EXPECT_TRUE(thrust::copy(on(c), a.begin(), a.end(), got.begin()) == got.end());
      expect_same(got, x, n);
      thrust::copy_n(on(c), a.begin(), n, wide.begin());
      expect_same(wide, x, n);
      thrust::adjacent_difference(on(c), a.begin(), a.end(), got.begin());
      thrust::adjacent_difference(thrust::host, x.begin(), x.end(), wanted.begin());
      expect_same(got, wanted, n);
      thrust::adjacent_difference(on(c), a.begin(), a.end(), got.begin(), thrust::maximum<int>());
      thrust::adjacent_difference(thrust::host, x.begin(), x.end(), wanted.begin(), thrust::maximum<int>());
      expect_same(got, wanted, n);
    }
  }

  // They are ints before they are cut to what they go to.
  template <class T>
  void short_differences() const {
    for (const std::size_t n : lengths) {
      const auto x = random_vector<T>(n, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
      const auto y = random_vector<T>(n, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
      const vector<T> a = x, b = y;
      vector<T> got(n, T(99));
      thrust::host_vector<T> wanted(n, T(99));
      thrust::transform(on(c), a.begin(), a.end(), b.begin(), got.begin(), thrust::minus<T>());
      thrust::transform(thrust::host, x.begin(), x.end(), y.begin(), wanted.begin(), thrust::minus<T>());
      expect_same(got, wanted, n);
      thrust::adjacent_difference(on(c), a.begin(), a.end(), got.begin());
      thrust::adjacent_difference(thrust::host, x.begin(), x.end(), wanted.begin());
      expect_same(got, wanted, n);
      thrust::adjacent_difference(on(c), a.begin(), a.end(), thrust::make_discard_iterator());
    }
  }

  void values() const {
    for (const std::size_t n : lengths) {
      vector<int> got(n, -1);
      vector<float> reals(n, -1);
      vector<std::int64_t> wide(n, -1);
      thrust::host_vector<int> wanted(n, 7);
      thrust::host_vector<std::int64_t> wanted_wide(n);
      thrust::fill(on(c), got.begin(), got.end(), 7);
      expect_same(got, wanted, n);
      thrust::fill(on(c), reals.begin(), reals.end(), 7);
      expect_same(reals, wanted, n);
      EXPECT_TRUE(thrust::fill_n(on(c), got.begin(), n, 8) == got.end());
      thrust::generate(on(c), got.begin(), got.end(), always_seven{});
      expect_same(got, wanted, n);
      thrust::generate_n(on(c), wide.begin(), n, always_seven{});
      expect_same(wide, wanted, n);
      thrust::sequence(on(c), got.begin(), got.end());
      thrust::sequence(thrust::host, wanted.begin(), wanted.end());
      expect_same(got, wanted, n);
      thrust::sequence(on(c), got.begin(), got.end(), 5, -3);
      thrust::sequence(thrust::host, wanted.begin(), wanted.end(), 5, -3);
      expect_same(got, wanted, n);
      thrust::sequence(on(c), wide.begin(), wide.end(), std::int64_t{1} << 40);
      thrust::sequence(thrust::host, wanted_wide.begin(), wanted_wide.end(), std::int64_t{1} << 40);
      expect_same(wide, wanted_wide, n);
      thrust::tabulate(on(c), wide.begin(), wide.end(), squared_index{});
      thrust::tabulate(thrust::host, wanted_wide.begin(), wanted_wide.end(), squared_index{});
      expect_same(wide, wanted_wide, n);
    }
  }

  void replaces() const {
    for (const std::size_t n : lengths) {
      auto x = random_vector<int>(n, 0, 9);
      const auto y = random_vector<int>(n, 0, 9);
      vector<int> a = x, got(n, -1);
      const vector<int> b = y;
      thrust::host_vector<int> wanted(n, -1);
      thrust::replace(on(c), a.begin(), a.end(), 3, 30);
      thrust::replace(thrust::host, x.begin(), x.end(), 3, 30);
      expect_same(a, x, n);
      thrust::replace_if(on(c), a.begin(), a.end(), odd{}, 40);
      thrust::replace_if(thrust::host, x.begin(), x.end(), odd{}, 40);
      expect_same(a, x, n);
      thrust::replace_if(on(c), a.begin(), a.end(), b.begin(), odd{}, 50);
      thrust::replace_if(thrust::host, x.begin(), x.end(), y.begin(), odd{}, 50);
      expect_same(a, x, n);
      EXPECT_TRUE(thrust::replace_copy(on(c), a.begin(), a.end(), got.begin(), 50, 60) == got.end());
      thrust::replace_copy(thrust::host, x.begin(), x.end(), wanted.begin(), 50, 60);
      expect_same(got, wanted, n);
      thrust::replace_copy_if(on(c), b.begin(), b.end(), got.begin(), odd{}, 70);
      thrust::replace_copy_if(thrust::host, y.begin(), y.end(), wanted.begin(), odd{}, 70);
      expect_same(got, wanted, n);
      thrust::replace_copy_if(on(c), a.begin(), a.end(), b.begin(), got.begin(), odd{}, 80);
      thrust::replace_copy_if(thrust::host, x.begin(), x.end(), y.begin(), wanted.begin(), odd{}, 80);
      expect_same(got, wanted, n);
    }
  }

  void rearranges() const {
    for (const std::size_t n : lengths) {
      auto x = random_vector<int>(n, -1000, 1000), y = random_vector<int>(n, -1000, 1000);
      vector<int> a = x, b = y, got(n, -1);
      thrust::host_vector<int> wanted(n, -1);
      thrust::reverse(on(c), a.begin(), a.end());
      thrust::reverse(thrust::host, x.begin(), x.end());
      expect_same(a, x, n);
      EXPECT_TRUE(thrust::reverse_copy(on(c), a.begin(), a.end(), got.begin()) == got.end());
      thrust::reverse_copy(thrust::host, x.begin(), x.end(), wanted.begin());
      expect_same(got, wanted, n);
      EXPECT_TRUE(thrust::swap_ranges(on(c), a.begin(), a.end(), b.begin()) == b.end());
      expect_same(a, y, n), expect_same(b, x, n);
    }
  }

  // The same elements in the same order from engines alike; an engine goes on, and so the next order is another.
  void shuffles() const {
    for (const std::size_t n : lengths) {
      thrust::host_vector<int> x(n);
      thrust::sequence(thrust::host, x.begin(), x.end());
      vector<int> a = x, got(n, -1);
      thrust::default_random_engine engine(5), alike(5);
      thrust::shuffle(on(c), a.begin(), a.end(), engine);
      thrust::shuffle_copy(on(c), thrust::counting_iterator<int>(0),
                           thrust::counting_iterator<int>(static_cast<int>(n)), got.begin(), alike);
      thrust::host_vector<int> once = a;
      expect_same(got, once, n);
      thrust::shuffle(on(c), got.begin(), got.end(), engine);
      const thrust::host_vector<int> twice = got;
      if (n > 20) {
        EXPECT_NE(once, x) << n;
        EXPECT_NE(twice, once) << n;
      }
      thrust::sort(thrust::host, once.begin(), once.end());
      EXPECT_EQ(once, x) << n;
    }
  }
};

}  // namespace
