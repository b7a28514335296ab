// Thrust's sets and compactions by our policy against the standard's: one body for g++ (the CPU) and nvcc (a GPU, too).
#pragma once

#include <gtest/gtest.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/set_operations.h>
#include <thrust/unique.h>

#include <algorithm>
#include <random>

#include "upsweep/thrust.hpp"

namespace {

using upsweep::on;

struct is_odd {
  UPSWEEP_HD bool operator()(int x) const { return x % 2 != 0; }
};
struct same_tens {
  UPSWEEP_HD bool operator()(int a, int b) const { return a / 10 == b / 10; }
};

// vector<T> is what the context's calls read and write.
template <template <class> class vector>
struct thrust_set_cases {
  upsweep::context c;
  std::mt19937_64 bits{20261122};

  std::vector<int> random(std::size_t n, std::uint64_t below) {
    std::vector<int> all(n);
    for (int& x : all) x = static_cast<int>(bits() % below);
    return all;
  }
  std::vector<int> sorted(std::size_t n, std::uint64_t below) {
    std::vector<int> all = random(n, below);
    std::sort(all.begin(), all.end());
    return all;
  }

  static void expect_first(const vector<int>& got, std::ptrdiff_t kept, const std::vector<int>& wanted, std::size_t n) {
    ASSERT_EQ(kept, static_cast<std::ptrdiff_t>(wanted.size())) << n;
    const thrust::host_vector<int> here(got.begin(), got.begin() + kept);
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), here.begin())) << n;
  }

  void sets() {
    for (const std::size_t n : {0, 1, 31, 257, 4099, 50021}) {
      const auto x = sorted(n, n / 2 + 3), y = sorted(n / 3 + 2, n / 2 + 3);
      const vector<int> a(x.begin(), x.end()), b(y.begin(), y.end());
      vector<int> keys(a.size() + b.size()), values(keys.size());
      const auto by_std = [&](auto algorithm) {
        std::vector<int> to;
        algorithm(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(to));
        return to;
      };
      const auto either = by_std([](auto... i) { std::set_union(i...); }),
                 both = by_std([](auto... i) { std::set_intersection(i...); }),
                 first = by_std([](auto... i) { std::set_difference(i...); }),
                 one = by_std([](auto... i) { std::set_symmetric_difference(i...); }),
                 all = by_std([](auto... i) { std::merge(i...); });
      const auto call = [&](const std::vector<int>& wanted, auto set, auto... more) {
        expect_first(keys, set(on(c), a.begin(), a.end(), b.begin(), b.end(), keys.begin(), more...) - keys.begin(),
                     wanted, n);
      };
      call(either, [](auto... i) { return thrust::set_union(i...); });
      call(either, [](auto... i) { return thrust::set_union(i...); }, thrust::less<int>());
      call(both, [](auto... i) { return thrust::set_intersection(i...); });
      call(first, [](auto... i) { return thrust::set_difference(i...); });
      call(one, [](auto... i) { return thrust::set_symmetric_difference(i...); });
      // Values that are the keys once more.
      const auto by_key = [&](const std::vector<int>& wanted, auto set, auto... value) {
        const auto ends = set(on(c), a.begin(), a.end(), b.begin(), b.end(), value..., keys.begin(), values.begin());
        expect_first(keys, ends.first - keys.begin(), wanted, n);
        expect_first(values, ends.second - values.begin(), wanted, n);
      };
      by_key(either, [](auto... i) { return thrust::set_union_by_key(i...); }, a.begin(), b.begin());
      by_key(both, [](auto... i) { return thrust::set_intersection_by_key(i...); }, a.begin());
      by_key(first, [](auto... i) { return thrust::set_difference_by_key(i...); }, a.begin(), b.begin());
      by_key(one, [](auto... i) { return thrust::set_symmetric_difference_by_key(i...); }, a.begin(), b.begin());
      by_key(all, [](auto... i) { return thrust::merge_by_key(i...); }, a.begin(), b.begin());
    }
  }

  void compactions() {
    for (const std::size_t n : {0, 1, 31, 257, 4099, 50021}) {
      const auto x = random(n, 40), s = random(n, 100);
      const vector<int> a(x.begin(), x.end()), beside(s.begin(), s.end());
      vector<int> out(n), rest(n), changed = a, also = beside;
      std::vector<int> odd, even, at_odd, at_even, not_7, tens, of_tens;
      for (std::size_t i = 0; i < n; ++i) {
        (x[i] % 2 ? odd : even).push_back(x[i]);
        (s[i] % 2 ? at_odd : at_even).push_back(x[i]);
        if (x[i] != 7) not_7.push_back(x[i]);
        if (i == 0 || x[i - 1] / 10 != x[i] / 10) tens.push_back(x[i]), of_tens.push_back(s[i]);
      }
      const auto expect_out = [&](auto end, const std::vector<int>& wanted) {
        expect_first(out, end - out.begin(), wanted, n);
      };
      const auto expect_changed = [&](auto end, const std::vector<int>& wanted) {
        expect_first(changed, end - changed.begin(), wanted, n);
        changed = a;
      };
      const auto first = a.begin(), last = a.end();
      expect_out(thrust::copy_if(on(c), first, last, beside.begin(), out.begin(), is_odd{}), at_odd);
      expect_out(thrust::remove_copy_if(on(c), first, last, beside.begin(), out.begin(), is_odd{}), at_even);
      expect_out(thrust::remove_copy(on(c), first, last, out.begin(), 7), not_7);
      expect_out(thrust::unique_copy(on(c), first, last, out.begin(), same_tens{}), tens);
      expect_changed(thrust::remove_if(on(c), changed.begin(), changed.end(), is_odd{}), even);
      expect_changed(thrust::remove_if(on(c), changed.begin(), changed.end(), beside.begin(), is_odd{}), at_even);
      expect_changed(thrust::remove(on(c), changed.begin(), changed.end(), 7), not_7);
      expect_changed(thrust::unique(on(c), changed.begin(), changed.end(), same_tens{}), tens);
      expect_changed(thrust::partition(on(c), changed.begin(), changed.end(), is_odd{}), odd);
      expect_changed(thrust::stable_partition(on(c), changed.begin(), changed.end(), beside.begin(), is_odd{}), at_odd);
      const auto sides = thrust::partition_copy(on(c), first, last, out.begin(), rest.begin(), is_odd{});
      expect_out(sides.first, odd);
      expect_first(rest, sides.second - rest.begin(), even, n);
      const auto by_stencil =
          thrust::stable_partition_copy(on(c), first, last, beside.begin(), out.begin(), rest.begin(), is_odd{});
      expect_out(by_stencil.first, at_odd);
      expect_first(rest, by_stencil.second - rest.begin(), at_even, n);
      const auto ends =
          thrust::unique_by_key_copy(on(c), first, last, beside.begin(), out.begin(), rest.begin(), same_tens{});
      expect_out(ends.first, tens);
      expect_first(rest, ends.second - rest.begin(), of_tens, n);
      const auto in_place = thrust::unique_by_key(on(c), changed.begin(), changed.end(), also.begin(), same_tens{});
      expect_changed(in_place.first, tens);
      expect_first(also, in_place.second - also.begin(), of_tens, n);
      EXPECT_EQ(thrust::unique_count(on(c), first, last, same_tens{}), static_cast<std::ptrdiff_t>(tens.size()));
      std::vector<int> runs = x;
      runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
      EXPECT_EQ(thrust::unique_count(on(c), first, last), static_cast<std::ptrdiff_t>(runs.size()));
      expect_changed(thrust::unique(on(c), changed.begin(), changed.end()), runs);
    }
  }
};

}  // namespace
