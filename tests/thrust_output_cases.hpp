// Thrust's calls by our policy where what is written is no memory of the elements' type, and where functions are as
// Thrust takes them: not const, without an identity, of a narrower type. Against loops.
#pragma once

#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>

#include "tests/thrust_cases.hpp"

namespace {

// x -> a x + b, modulo 2^32. Composition does not commute; the operator is not const and has no identity.
struct step_of {
  std::uint32_t a = 0, b = 0;
  UPSWEEP_HD friend bool operator==(const step_of& x, const step_of& y) { return x.a == y.a && x.b == y.b; }
};
UPSWEEP_HD inline step_of operator+(const step_of& x, const step_of& y) { return {x.a + y.a, x.b + y.b}; }
UPSWEEP_HD inline step_of operator*(const step_of& x, std::size_t k) {
  return {x.a * static_cast<std::uint32_t>(k), x.b * static_cast<std::uint32_t>(k)};
}
struct then {
  UPSWEEP_HD step_of operator()(const step_of& first, const step_of& second) {
    return {first.a * second.a, first.b * second.a + second.b};
  }
};
struct same_tens {
  UPSWEEP_HD bool operator()(int x, int y) { return x / 10 == y / 10; }
};
struct even {
  UPSWEEP_HD bool operator()(int x) { return x % 2 == 0; }
};
struct halved {
  UPSWEEP_HD int operator()(int x) const { return x / 2; }
};
struct adds_to_second {
  template <class Row>
  UPSWEEP_HD void operator()(Row row) {
    thrust::get<1>(row) += thrust::get<0>(row);
  }
};
struct row_odd {
  template <class Row>
  UPSWEEP_HD bool operator()(const Row& row) {
    return thrust::get<0>(row) % 2 != 0;
  }
};

template <template <class> class vector>
struct thrust_output_cases {
  upsweep::context c;

  template <class A, class B>
  static void expect_same(const A& got, const B& wanted, std::size_t n,
                          std::source_location from = std::source_location::current()) {
    thrust_cases<vector>::expect_same(got, thrust::host_vector<typename A::value_type>(wanted.begin(), wanted.end()), n,
                                      from);
  }
  static std::vector<int> random(std::size_t n, int low, int high) {
    const auto x = random_vector<int>(n, low, high);
    return {x.begin(), x.end()};
  }

  // Rows of two vectors, sorted, selected, copied and written in place.
  void rows() const {
    for (const std::size_t n : lengths) {
      const auto x = random(n, 0, 50), y = random(n, -1000, 1000);
      std::vector<std::pair<int, int>> rows(n);
      for (std::size_t i = 0; i < n; ++i) rows[i] = {x[i], y[i]};
      vector<int> a(x.begin(), x.end()), b(y.begin(), y.end()), d(n, -7), e(n, -7);
      const auto expect_rows = [&](const vector<int>& first, const vector<int>& second) {
        std::vector<int> one(n, -7), two(n, -7);
        for (std::size_t i = 0; i < rows.size(); ++i) one[i] = rows[i].first, two[i] = rows[i].second;
        expect_same(first, one, n), expect_same(second, two, n);
      };
      const auto in = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
      const auto out = thrust::make_zip_iterator(thrust::make_tuple(d.begin(), e.begin()));
      const auto last = in + static_cast<std::ptrdiff_t>(n);
      EXPECT_TRUE(thrust::copy(on(c), in, last, out) == out + static_cast<std::ptrdiff_t>(n));
      expect_rows(d, e);
      thrust::for_each(on(c), in, last, adds_to_second{});
      for (auto& [first, second] : rows) second += first;
      expect_rows(a, b);
      thrust::sort(on(c), in, last);
      std::sort(rows.begin(), rows.end());
      expect_rows(a, b);
      thrust::reverse(on(c), in, last);
      std::reverse(rows.begin(), rows.end());
      expect_rows(a, b);
      const auto kept = thrust::remove_if(on(c), in, last, row_odd{}) - in;
      std::erase_if(rows, [](const auto& r) { return r.first % 2 != 0; });
      ASSERT_EQ(kept, static_cast<std::ptrdiff_t>(rows.size()));
      thrust::fill(on(c), d.begin(), d.end(), -7), thrust::fill(on(c), e.begin(), e.end(), -7);
      thrust::reverse_copy(on(c), in, in + kept, out);
      std::reverse(rows.begin(), rows.end());
      expect_rows(d, e);
    }
  }

  // Through indices, and through a function; to nowhere.
  void places() const {
    for (const std::size_t n : lengths) {
      const auto x = random(n, -1000, 1000);
      std::vector<int> order(n);
      for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<int>(n - 1 - i);
      std::shuffle(order.begin(), order.end(), std::mt19937_64(n));
      const vector<int> a(x.begin(), x.end()), at(order.begin(), order.end());
      vector<int> out(n, -7);
      std::vector<int> wanted(n, -7);
      thrust::scatter(on(c), a.begin(), a.end(), at.begin(), out.begin());
      for (std::size_t i = 0; i < n; ++i) wanted[static_cast<std::size_t>(order[i])] = x[i];
      expect_same(out, wanted, n);
      thrust::gather(on(c), at.begin(), at.end(), a.begin(), out.begin());
      for (std::size_t i = 0; i < n; ++i) wanted[i] = x[static_cast<std::size_t>(order[i])];
      expect_same(out, wanted, n);
      const auto through = thrust::make_permutation_iterator(out.begin(), at.begin());
      thrust::inclusive_scan(on(c), a.begin(), a.end(), through, thrust::maximum<int>());
      int most = -2000;
      for (std::size_t i = 0; i < n; ++i) wanted[static_cast<std::size_t>(order[i])] = most = std::max(most, x[i]);
      expect_same(out, wanted, n);
      thrust::sort(on(c), through, through + static_cast<std::ptrdiff_t>(n));
      std::vector<int> sorted(wanted);
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t i = 0; i < n; ++i) wanted[static_cast<std::size_t>(order[i])] = sorted[i];
      expect_same(out, wanted, n);
      thrust::copy_if(on(c), a.begin(), a.end(), thrust::make_transform_output_iterator(out.begin(), halved{}), even{});
      std::size_t kept = 0;
      for (const int v : x)
        if (v % 2 == 0) wanted[kept++] = v / 2;
      expect_same(out, wanted, n);
      const auto nowhere = thrust::make_discard_iterator();
      EXPECT_EQ(thrust::copy_if(on(c), a.begin(), a.end(), nowhere, even{}) - nowhere,
                static_cast<std::ptrdiff_t>(kept));
      EXPECT_EQ(thrust::exclusive_scan(on(c), a.begin(), a.end(), nowhere) - nowhere, static_cast<std::ptrdiff_t>(n));
    }
  }

  // What is written has another type than what is read; what is found goes to integers of any.
  void types() const {
    for (const std::size_t n : lengths) {
      const auto x = random(n, 0, 9);
      std::vector<float> halves(n);
      for (std::size_t i = 0; i < n; ++i) halves[i] = static_cast<float>(x[i]) + 0.5f;
      const vector<float> a(halves.begin(), halves.end());
      vector<int> whole(n, -7);
      std::vector<int> wanted(n);
      thrust::inclusive_scan(on(c), a.begin(), a.end(), whole.begin());  // cut where it is written, and not before
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) wanted[i] = static_cast<int>(sum += halves[i]);
      expect_same(whole, wanted, n);
      EXPECT_EQ(thrust::reduce(on(c), a.begin(), a.end(), 1), 1 + std::accumulate(x.begin(), x.end(), 0));
      vector<float> cut(n, -7);
      std::vector<float> cuts(n);
      thrust::transform(on(c), a.begin(), a.end(), a.begin(), cut.begin(), thrust::plus<int>());
      for (std::size_t i = 0; i < n; ++i) cuts[i] = static_cast<float>(2 * x[i]);
      expect_same(cut, cuts, n);
      auto sorted = x;
      std::sort(sorted.begin(), sorted.end());
      const vector<int> in(sorted.begin(), sorted.end()), asked(x.begin(), x.end());
      vector<std::int64_t> found(n, -7);
      vector<double> places(n, -7);
      thrust::binary_search(on(c), in.begin(), in.end() - static_cast<std::ptrdiff_t>(n / 2), asked.begin(),
                            asked.end(), found.begin());
      thrust::upper_bound(on(c), in.begin(), in.end(), asked.begin(), asked.end(), places.begin());
      std::vector<std::int64_t> is_there(n);
      std::vector<double> where(n);
      for (std::size_t i = 0; i < n; ++i) {
        is_there[i] = std::binary_search(sorted.begin(), sorted.end() - static_cast<std::ptrdiff_t>(n / 2), x[i]);
        where[i] = static_cast<double>(std::upper_bound(sorted.begin(), sorted.end(), x[i]) - sorted.begin());
      }
      expect_same(found, is_there, n), expect_same(places, where, n);
      const auto apart =
          mismatch(on(c), in.begin(), in.end(), in.begin(), in.begin() + static_cast<std::ptrdiff_t>(n / 2));
      EXPECT_EQ(apart.first - in.begin(), static_cast<std::ptrdiff_t>(n / 2));  // the shorter ends
      vector<step_of> steps(n);
      thrust::sequence(on(c), steps.begin(), steps.end(), step_of{1, 2}, step_of{3, 4});
      std::vector<step_of> counted(n);
      for (std::uint32_t i = 0; i < n; ++i) counted[i] = {1 + 3 * i, 2 + 4 * i};
      expect_same(steps, counted, n);
    }
  }

  // Outputs of exactly the size of the result, next to the inputs: each between two others in one vector.
  void exact_outputs() const {
    for (const std::size_t n : lengths) {
      const auto x = random(n, 0, 9);
      std::vector<int> evens, odds;
      for (const int v : x) (v % 2 == 0 ? evens : odds).push_back(v);
      std::vector<int> wanted(evens);
      wanted.insert(wanted.end(), odds.begin(), odds.end());
      wanted.insert(wanted.end(), x.begin(), x.end());
      const auto kept = static_cast<std::ptrdiff_t>(evens.size()), size = static_cast<std::ptrdiff_t>(n);
      vector<int> all(2 * n, -7);
      const auto in = all.begin() + size;
      for (std::size_t i = 0; i < n; ++i) all[n + i] = x[i];
      const auto ends = thrust::partition_copy(on(c), in, in + size, all.begin(), all.begin() + kept, even{});
      EXPECT_TRUE(ends.first == all.begin() + kept && ends.second == in);
      expect_same(all, wanted, n);
      thrust::fill(on(c), all.begin(), in, -7);
      EXPECT_TRUE(thrust::copy_if(on(c), in, in + size, in - kept, even{}) == in);
      std::fill(wanted.begin(), wanted.begin() + size, -7);
      std::copy(evens.begin(), evens.end(), wanted.begin() + size - kept);
      expect_same(all, wanted, n);
      thrust::inclusive_scan_by_key(on(c), in, in + size, in, in);
      for (std::size_t i = 1, first = 0; i < n; ++i) {
        if (x[i] != x[i - 1]) first = i;
        wanted[n + i] = x[i] * static_cast<int>(i - first + 1);
      }
      expect_same(all, wanted, n);
    }
  }

  // An output of one run, before the library's own count by less than the n elements that it might have had to hold.
  static void one_run(upsweep::context (*anew)()) {
    const std::size_t n = 1 << 20;
    const vector<int> keys(n, 5), x(n, 1);
    std::vector<vector<int>> many(4096, vector<int>(1, -7)), before;
    const upsweep::context fresh = anew();
    const auto count = reinterpret_cast<std::uintptr_t>(upsweep::core::counts_in_scratch(fresh).data());
    for (vector<int>& one : many) {
      const auto first = reinterpret_cast<std::uintptr_t>(thrust::raw_pointer_cast(one.data()));
      if (first < count && count < first + n * sizeof(int)) before.push_back(std::move(one));
    }
    if (before.empty()) GTEST_SKIP() << "no memory was given before the count's";
    vector<int>& key = before.front();
    vector<int> sum(n, -7);
    const auto ends = thrust::reduce_by_key(on(fresh), keys.begin(), keys.end(), x.begin(), key.begin(), sum.begin());
    EXPECT_TRUE(ends.first == key.end() && ends.second == sum.begin() + 1);
    EXPECT_TRUE(key[0] == 5 && sum[0] == static_cast<int>(n));
    key[0] = -7;
    EXPECT_TRUE(thrust::unique_copy(on(fresh), keys.begin(), keys.end(), key.begin()) == key.end());
    EXPECT_EQ(key[0], 5);
  }

  // An operator that neither commutes nor has an identity, and runs of what is equal by the tens.
  void operators() const {
    for (const std::size_t n : lengths) {
      const auto keys = random(n, 0, 30), x = random(n, 1, 1000);
      std::vector<step_of> steps(n), wanted(n), folds;
      std::vector<int> firsts;
      for (std::size_t i = 0; i < n; ++i)
        steps[i] = {static_cast<std::uint32_t>(2 * x[i] + 1), static_cast<std::uint32_t>(i)};
      step_of all{3, 4};
      for (std::size_t i = 0; i < n; ++i) {
        all = then{}(all, steps[i]);
        if (i && same_tens{}(keys[i - 1], keys[i])) {
          wanted[i] = folds.back() = then{}(folds.back(), steps[i]);
        } else {
          firsts.push_back(keys[i]);
          folds.push_back(wanted[i] = steps[i]);
        }
      }
      const vector<int> k(keys.begin(), keys.end());
      const vector<step_of> s(steps.begin(), steps.end());
      vector<step_of> out(n);
      vector<int> runs(n, -7);
      EXPECT_TRUE(thrust::reduce(on(c), s.begin(), s.end(), step_of{3, 4}, then{}) == all) << n;
      thrust::inclusive_scan_by_key(on(c), k.begin(), k.end(), s.begin(), out.begin(), same_tens{}, then{});
      expect_same(out, wanted, n);
      const auto ends =
          thrust::reduce_by_key(on(c), k.begin(), k.end(), s.begin(), runs.begin(), out.begin(), same_tens{}, then{});
      ASSERT_EQ(ends.first - runs.begin(), static_cast<std::ptrdiff_t>(firsts.size()));
      ASSERT_EQ(ends.second - out.begin(), static_cast<std::ptrdiff_t>(folds.size()));
      std::copy(folds.begin(), folds.end(), wanted.begin());
      firsts.resize(n, -7);
      expect_same(out, wanted, n), expect_same(runs, firsts, n);
      thrust::inclusive_scan(on(c), s.begin(), s.end(), out.begin(), then{});
      for (std::size_t i = 0; i < n; ++i) wanted[i] = i ? then{}(wanted[i - 1], steps[i]) : steps[i];
      expect_same(out, wanted, n);
      // Only the sums; the keys are discarded.
      vector<int> sums(n, -7);
      const vector<int> values(x.begin(), x.end());
      const auto found = thrust::reduce_by_key(on(c), k.begin(), k.end(), values.begin(),
                                               thrust::make_discard_iterator(), sums.begin());
      std::vector<int> expected;
      for (std::size_t i = 0; i < n; ++i) {
        if (i == 0 || keys[i] != keys[i - 1]) expected.push_back(0);
        expected.back() += x[i];
      }
      ASSERT_EQ(found.second - sums.begin(), static_cast<std::ptrdiff_t>(expected.size()));
      expected.resize(n, -7);
      expect_same(sums, expected, n);
    }
  }
};

}  // namespace
