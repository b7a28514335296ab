// Every call of docs/calls.md's table with an expression, on memory of a context's device and on host memory: one body
// for g++ and nvcc.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "upsweep/expression.hpp"
#include "upsweep/upsweep.hpp"

namespace upsweep::tests {

struct expression_cases {
  using numbers = std::vector<std::int32_t>;
  using places = std::vector<std::uint64_t>;

  const context& where;
  numbers x, y, sorted;

  explicit expression_cases(const context& its_context, std::size_t n = 3001) : where(its_context), x(n), y(n) {
    std::uint32_t state = 7;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<std::int32_t>((state = state * 1664525u + 1013904223u) >> 22) - 300;
      y[i] = static_cast<std::int32_t>((state = state * 1664525u + 1013904223u) >> 22) - 300;
    }
    sorted = x;
    std::sort(sorted.begin(), sorted.end());
  }

  template <class T>
  buffer<T> there(const std::vector<T>& all) const {
    return buffer<T>(where, all);
  }
  template <class T>
  static std::vector<T> first(std::vector<T> all, std::uint64_t n) {
    all.resize(n);
    return all;
  }
  // f(i) for each place of x.
  template <class F>
  numbers each(F f) const {
    numbers all(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) all[i] = f(i);
    return all;
  }
  template <class F>
  numbers those(const numbers& of, F f) const {
    numbers some;
    std::copy_if(of.begin(), of.end(), std::back_inserter(some), f);
    return some;
  }

  // transform, transform_if, replace_if, adjacent_difference, tabulate
  void maps() const {
    const auto a = there(x), b = there(y);
    buffer<std::int32_t> out(where, x.size());
    transform(where, a, out, expression("x * x + 1"));
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return x[i] * x[i] + 1; }));
    transform(where, a, b, out, expression("a - 2 * b"));
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return x[i] - 2 * y[i]; }));
    transform(where, a, b, a, out, expression("a * b - c"));
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return x[i] * y[i] - x[i]; }));
    numbers here(x.size());
    transform(where, x, here, expression("x * x + 1"));
    EXPECT_EQ(here, each([&](std::size_t i) { return x[i] * x[i] + 1; }));
    transform(where, x, y, here, expression("a - 2 * b"));
    EXPECT_EQ(here, each([&](std::size_t i) { return x[i] - 2 * y[i]; }));

    fill(where, out, 0);
    transform_if(where, a, out, expression("-x"), expression("x < 0"));
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return x[i] < 0 ? -x[i] : 0; }));
    transform_if(where, a, b, out, expression("x + 1"), expression("x % 2 == 0"));
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return y[i] % 2 == 0 ? x[i] + 1 : x[i] < 0 ? -x[i] : 0; }));
    transform_if(where, a, b, a, out, expression("a * b"), expression("x > 0"));
    EXPECT_EQ(out.download(), each([&](std::size_t i) {
                return x[i] > 0 ? x[i] * y[i] : y[i] % 2 == 0 ? x[i] + 1 : x[i] < 0 ? -x[i] : 0;
              }));
    transform_if(where, a, out, expression("2 * x"), less_than(0));
    transform_if(where, a, out, negate{}, expression("x == 0"));

    auto changed = there(x);
    replace_if(where, changed, expression("x % 3 == 0"), 7);
    EXPECT_EQ(changed.download(), each([&](std::size_t i) { return x[i] % 3 == 0 ? 7 : x[i]; }));
    replace_copy_if(where, a, out, expression("x > 5"), -1);
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return x[i] > 5 ? -1 : x[i]; }));
    replace_copy_if(where, a, b, out, expression("x > 5"), -1);
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return y[i] > 5 ? -1 : x[i]; }));
    here = x;
    replace_if(where, here, expression("x % 3 == 0"), 7);
    EXPECT_EQ(here, each([&](std::size_t i) { return x[i] % 3 == 0 ? 7 : x[i]; }));

    adjacent_difference(where, a, out, expression("a + b"));
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return i ? x[i] + x[i - 1] : x[i]; }));
    adjacent_difference(where, x, here, expression("a + b"));
    EXPECT_EQ(here, each([&](std::size_t i) { return i ? x[i] + x[i - 1] : x[i]; }));

    buffer<std::uint64_t> squares(where, x.size());
    tabulate(where, squares, expression("i * i"));
    const auto square = squares.download();
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(square[i], i * i);
    places squares_here(x.size());
    tabulate(where, squares_here, expression("i * i"));
    EXPECT_EQ(squares_here, square);
  }

  // reduce and scans, by key, by segment and along an axis
  void folds() const {
    const auto a = there(x);
    buffer<std::int32_t> out(where, x.size());
    const expression most("a > b ? a : b", -1000);
    EXPECT_EQ(reduce(where, a, most), sorted.back());
    EXPECT_EQ(reduce(where, x, most), sorted.back());
    EXPECT_EQ(reduce(where, a, 2000, most), 2000);
    EXPECT_EQ(transform_reduce(where, a, 0, plus{}, expression("x & 1")),
              std::accumulate(x.begin(), x.end(), 0, [](int s, int v) { return s + (v & 1); }));
    EXPECT_EQ(transform_reduce(where, a, most, expression("-x")), -sorted.front());
    numbers want(x.size());
    std::partial_sum(x.begin(), x.end(), want.begin(), [](int p, int q) { return std::max(p, q); });
    inclusive_scan(where, a, out, most);
    EXPECT_EQ(out.download(), want);
    numbers here(x.size());
    inclusive_scan(where, x, here, most);
    EXPECT_EQ(here, want);
    exclusive_scan(where, a, out, most);
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return i ? want[i - 1] : -1000; }));
    transform_inclusive_scan(where, a, out, plus{}, expression("x > 0"));
    int above = 0;
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return above += x[i] > 0; }));
    transform_exclusive_scan(where, a, out, 5, most, expression("x"));

    numbers keys(x.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int32_t>(i / 7);
    const auto k = there(keys);
    const auto by_key = each([&, run = 0](std::size_t i) mutable { return run = i % 7 ? std::max(run, x[i]) : x[i]; });
    inclusive_scan_by_key(where, k, a, out, most);
    EXPECT_EQ(out.download(), by_key);
    // The equality is the last argument.
    buffer<std::int32_t> count_keys(where, x.size()), tops(where, x.size());
    const auto raw = there(each([](std::size_t i) { return static_cast<std::int32_t>(i); }));
    const auto runs = reduce_by_key(where, raw, a, count_keys, tops, most, identity{}, expression("a / 7 == b / 7"));
    ASSERT_EQ(runs, (x.size() + 6) / 7);
    const auto top = tops.download();
    for (std::size_t r = 0; r < runs; ++r) ASSERT_EQ(top[r], by_key[std::min(r * 7 + 6, x.size() - 1)]);
    inclusive_scan_by_key(where, raw, a, out, -1000, most, expression("a / 7 == b / 7"));
    EXPECT_EQ(out.download(), by_key);
    exclusive_scan_by_key(where, raw, a, out, -1000, most, expression("a / 7 == b / 7"));
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return i % 7 ? by_key[i - 1] : -1000; }));
    numbers keys_here(x.size()), tops_here(x.size());
    ASSERT_EQ(reduce_by_key(where, keys, x, keys_here, tops_here, most), runs);
    EXPECT_EQ(first(tops_here, runs), first(top, runs));

    places cuts;
    for (std::size_t i = 0; i < x.size(); i += 7) cuts.push_back(i);
    cuts.push_back(x.size());
    const auto offsets = there(cuts);
    buffer<std::int32_t> folded(where, cuts.size() - 1);
    segmented_reduce(where, a, offsets, folded, most);
    EXPECT_EQ(folded.download(), first(top, runs));
    segmented_inclusive_scan(where, a, offsets, out, most);
    EXPECT_EQ(out.download(), by_key);
    segmented_exclusive_scan(where, a, offsets, out, most);
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return i % 7 ? by_key[i - 1] : -1000; }));

    const std::uint64_t rows = x.size() / 10;
    const numbers table(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(10 * rows));
    const auto t = there(table);
    buffer<std::int32_t> along(where, rows), scanned(where, 10 * rows);
    reduce_along(where, t, shape{rows, 10}, 1, along, most);
    inclusive_scan_along(where, t, shape{rows, 10}, 1, scanned, most);
    const auto ends = along.download(), all = scanned.download();
    for (std::size_t r = 0; r < rows; ++r) {
      const auto of = table.begin() + static_cast<std::ptrdiff_t>(10 * r);
      ASSERT_EQ(ends[r], *std::max_element(of, of + 10));
      ASSERT_EQ(all[10 * r + 9], ends[r]);
      ASSERT_EQ(all[10 * r], of[0]);
    }
    exclusive_scan_along(where, t, shape{rows, 10}, 1, scanned, most);
    transform_reduce_along(where, t, shape{rows, 10}, 1, along, most, expression("-x"));
  }

  // a function of one element, or of two
  void questions() const {
    const auto a = there(x), b = there(y), s = there(sorted);
    const auto place = [&](auto it) { return static_cast<std::uint64_t>(it - x.begin()); };
    const auto above = [](int v) { return v > 600; };
    const auto n_above = static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), above));
    EXPECT_EQ(count_if(where, a, expression("x > 600")), n_above);
    EXPECT_EQ(count_if(where, x, expression("x > 600")), n_above);
    EXPECT_EQ(find_if(where, a, expression("x > 600")), place(std::find_if(x.begin(), x.end(), above)));
    EXPECT_EQ(find_if(where, x, expression("x > 600")), place(std::find_if(x.begin(), x.end(), above)));
    EXPECT_EQ(find_if_not(where, a, expression("x < 600")),
              place(std::find_if(x.begin(), x.end(), [](int v) { return v >= 600; })));
    EXPECT_TRUE(any_of(where, a, expression("x > 600")));
    EXPECT_FALSE(any_of(where, a, expression("x > 60000")));
    EXPECT_TRUE(all_of(where, a, expression("x > -301")));
    EXPECT_TRUE(none_of(where, a, expression("x < -300")));
    EXPECT_EQ(argmin(where, a, expression("a < b")), place(std::min_element(x.begin(), x.end())));
    EXPECT_EQ(argmax(where, a, expression("a < b")),
              place(std::find(x.begin(), x.end(), *std::max_element(x.begin(), x.end()))));
    EXPECT_EQ(adjacent_find(where, a, expression("a == b + 1")),
              place(std::adjacent_find(x.begin(), x.end(), [](int p, int q) { return p == q + 1; })));
    const numbers set{-5, 17};
    const auto of = there(set);
    EXPECT_EQ(find_first_of(where, a, of, expression("a / 2 == b / 2")),
              place(std::find_first_of(x.begin(), x.end(), set.begin(), set.end(),
                                       [](int p, int q) { return p / 2 == q / 2; })));
    const numbers pattern(x.begin() + 100, x.begin() + 103);
    EXPECT_EQ(search(where, a, there(pattern), expression("a == b")), 100u);
    EXPECT_EQ(mismatch(where, a, b, expression("(a ^ b) % 5 != 0")),
              place(std::mismatch(x.begin(), x.end(), y.begin(), [](int p, int q) { return (p ^ q) % 5 != 0; }).first));
    EXPECT_TRUE(equal(where, a, a, expression("a == b")));
    EXPECT_FALSE(equal(where, a, b, expression("a == b")));
    EXPECT_EQ(lexicographical_compare(where, a, b, expression("a < b")), x < y);
    buffer<std::uint64_t> bounds(where, y.size());
    lower_bound(where, s, b, bounds, expression("a < b"));
    places want(y.size());
    for (std::size_t i = 0; i < y.size(); ++i)
      want[i] = static_cast<std::uint64_t>(std::lower_bound(sorted.begin(), sorted.end(), y[i]) - sorted.begin());
    EXPECT_EQ(bounds.download(), want);
    places bounds_here(y.size());
    lower_bound(where, sorted, y, bounds_here, expression("a < b"));
    EXPECT_EQ(bounds_here, want);
    upper_bound(where, s, b, bounds, expression("a < b"));
    buffer<std::uint8_t> found(where, y.size());
    binary_search(where, s, b, found, expression("a < b"));
    const auto is_there = found.download();
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_EQ(is_there[i] != 0, std::binary_search(sorted.begin(), sorted.end(), y[i]));
  }

  // sorts, orders and sets
  void orders() const {
    const auto a = there(x), s = there(sorted);
    buffer<std::int32_t> out(where, x.size());
    auto by_digit = x;
    const auto before = [](int p, int q) { return p % 10 < q % 10; };
    std::stable_sort(by_digit.begin(), by_digit.end(), before);
    sort(where, a, out, expression("a % 10 < b % 10"));
    EXPECT_EQ(out.download(), by_digit);
    EXPECT_TRUE(is_sorted(where, out, expression("a % 10 < b % 10")));
    auto here = x;
    sort(where, here, expression("a % 10 < b % 10"));
    EXPECT_EQ(here, by_digit);
    buffer<std::uint64_t> order(where, x.size());
    argsort(where, a, order, expression("a % 10 < b % 10"));
    const auto at = order.download();
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[at[i]], by_digit[i]);
    auto keys = there(x);
    auto values = there(y);
    sort_by_key(where, keys, values, expression("a % 10 < b % 10"));
    EXPECT_EQ(keys.download(), by_digit);
    EXPECT_EQ(values.download()[0], y[at[0]]);
    buffer<std::int32_t> best(where, 5);
    buffer<std::uint64_t> best_at(where, 5);
    top_k(where, a, best, best_at, expression("a > b"));
    EXPECT_EQ(best.download()[0], sorted.back());
    EXPECT_EQ(nth_element(where, a, x.size() / 2, expression("a < b")), sorted[x.size() / 2]);
    const places cuts{0, 100, x.size()};
    segmented_sort(where, a, out, there(cuts), expression("a < b"));
    auto in_two = x;
    std::sort(in_two.begin(), in_two.begin() + 100);
    std::sort(in_two.begin() + 100, in_two.end());
    EXPECT_EQ(out.download(), in_two);
    const std::uint64_t rows = x.size() / 10;
    const numbers table(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(10 * rows));
    const auto t = there(table);
    buffer<std::int32_t> lines(where, 10 * rows);
    buffer<std::uint64_t> line_order(where, 10 * rows);
    sort_along(where, t, shape{rows, 10}, 1, lines, expression("a > b"));
    EXPECT_EQ(lines.download()[0], *std::max_element(table.begin(), table.begin() + 10));
    argsort_along(where, t, shape{rows, 10}, 1, line_order, expression("a > b"));
    EXPECT_EQ(table[line_order.download()[0]], lines.download()[0]);

    auto second = y;
    std::sort(second.begin(), second.end());
    const auto b = there(second);
    buffer<std::int32_t> both(where, 2 * x.size()), both_values(where, 2 * x.size());
    numbers want;
    merge(where, s, b, both, expression("a < b"));
    std::merge(sorted.begin(), sorted.end(), second.begin(), second.end(), std::back_inserter(want));
    EXPECT_EQ(both.download(), want);
    merge_by_key(where, s, a, b, a, both, both_values, expression("a < b"));
    EXPECT_EQ(both.download(), want);
    want.clear();
    std::set_union(sorted.begin(), sorted.end(), second.begin(), second.end(), std::back_inserter(want));
    EXPECT_EQ(first(both.download(), set_union(where, s, b, both, expression("a < b"))).size(), want.size());
    EXPECT_EQ(first(both.download(), want.size()), want);
    numbers both_here(2 * x.size());
    EXPECT_EQ(set_union(where, sorted, second, both_here, expression("a < b")), want.size());
    EXPECT_EQ(first(both_here, want.size()), want);
    EXPECT_EQ(set_union_by_key(where, s, a, b, a, both, both_values, expression("a < b")), want.size());
    want.clear();
    std::set_intersection(sorted.begin(), sorted.end(), second.begin(), second.end(), std::back_inserter(want));
    EXPECT_EQ(set_intersection(where, s, b, both, expression("a < b")), want.size());
    EXPECT_EQ(first(both.download(), want.size()), want);
    want.clear();
    std::set_difference(sorted.begin(), sorted.end(), second.begin(), second.end(), std::back_inserter(want));
    EXPECT_EQ(set_difference(where, s, b, both, expression("a < b")), want.size());
    EXPECT_EQ(first(both.download(), want.size()), want);
    want.clear();
    std::set_symmetric_difference(sorted.begin(), sorted.end(), second.begin(), second.end(), std::back_inserter(want));
    EXPECT_EQ(set_symmetric_difference(where, s, b, both, expression("a < b")), want.size());
    EXPECT_EQ(first(both.download(), want.size()), want);
  }

  // selections
  void selections() const {
    const auto a = there(x), b = there(y);
    buffer<std::int32_t> out(where, x.size()), rest(where, x.size());
    const auto even = those(x, [](int v) { return v % 2 == 0; }), odd = those(x, [](int v) { return v % 2 != 0; });
    EXPECT_EQ(copy_if(where, a, out, expression("x % 2 == 0")), even.size());
    EXPECT_EQ(first(out.download(), even.size()), even);
    numbers here(x.size());
    EXPECT_EQ(copy_if(where, x, here, expression("x % 2 == 0")), even.size());
    EXPECT_EQ(first(here, even.size()), even);
    EXPECT_EQ(remove_copy_if(where, a, out, expression("x % 2 == 0")), odd.size());
    EXPECT_EQ(first(out.download(), odd.size()), odd);
    EXPECT_EQ(remove_copy_if(where, x, here, expression("x % 2 == 0")), odd.size());
    EXPECT_EQ(first(here, odd.size()), odd);
    EXPECT_EQ(partition(where, a, out, expression("x % 2 == 0")), even.size());
    EXPECT_EQ(first(out.download(), even.size()), even);
    EXPECT_EQ(partition_copy(where, a, out, rest, expression("x % 2 == 0")), even.size());
    EXPECT_EQ(first(rest.download(), odd.size()), odd);
    const auto sizes = three_way_partition(where, a, out, expression("x < 0"), expression("x == 0"));
    EXPECT_EQ(sizes[0], those(x, [](int v) { return v < 0; }).size());
    EXPECT_EQ(sizes[1], those(x, [](int v) { return v == 0; }).size());
    numbers want;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (y[i] > 0) want.push_back(x[i]);
    EXPECT_EQ(copy_if(where, a, out, stencil(b, expression("x > 0"))), want.size());
    EXPECT_EQ(first(out.download(), want.size()), want);
    EXPECT_EQ(partition(where, a, out, stencil(b, expression("x > 0"))), want.size());
    EXPECT_EQ(remove_copy_if(where, a, out, stencil(b, expression("x <= 0"))), want.size());
    EXPECT_EQ(first(out.download(), want.size()), want);

    want.clear();
    for (std::size_t i = 0; i < x.size(); ++i)
      if (i == 0 || x[i - 1] / 200 != x[i] / 200) want.push_back(x[i]);
    EXPECT_EQ(unique(where, a, out, expression("a / 200 == b / 200")), want.size());
    EXPECT_EQ(first(out.download(), want.size()), want);
    EXPECT_EQ(unique(where, x, here, expression("a / 200 == b / 200")), want.size());
    EXPECT_EQ(unique_count(where, a, expression("a / 200 == b / 200")), want.size());
    EXPECT_EQ(unique_by_key(where, a, b, out, rest, expression("a / 200 == b / 200")), want.size());
    EXPECT_EQ(first(out.download(), want.size()), want);
    buffer<std::uint64_t> offsets(where, x.size() + 1);
    EXPECT_EQ(group_by(where, a, offsets, expression("a / 200 == b / 200")), want.size());
    EXPECT_EQ(offsets.download()[want.size()], x.size());
    auto in_place = there(x);
    EXPECT_EQ(unique(where, in_place, expression("a / 200 == b / 200")), want.size());
    EXPECT_EQ(first(in_place.download(), want.size()), want);
    auto kept = there(x);
    EXPECT_EQ(remove_if(where, kept, expression("x % 2")), even.size());
    EXPECT_EQ(first(kept.download(), even.size()), even);
    auto parted = there(x);
    EXPECT_EQ(partition(where, parted, expression("x % 2")), odd.size());
    EXPECT_EQ(first(parted.download(), odd.size()), odd);

    want.clear();
    for (const int v : x)
      if (v > 0) want.push_back(3 * v);
    EXPECT_EQ(filter_map(where, a, out, map_if(expression("x > 0"), expression("3 * x"))), want.size());
    EXPECT_EQ(first(out.download(), want.size()), want);
    EXPECT_EQ(filter_map(where, x, here, map_if(expression("x > 0"), expression("3 * x"))), want.size());
    EXPECT_EQ(first(here, want.size()), want);
  }

  // inputs that expressions make, in the same calls
  void lazy_inputs() const {
    const auto a = there(x), b = there(y);
    buffer<std::int32_t> out(where, x.size());
    const auto doubled = views::transform(a, expression("2 * x"));
    const auto sums = views::transform(views::zip(a, b), expression("a + b"));
    const auto want = each([&](std::size_t i) { return x[i] + y[i]; });
    const int total = std::accumulate(want.begin(), want.end(), 0);
    EXPECT_EQ(reduce(where, sums), total);
    EXPECT_EQ(reduce(where, sums, maximum{}), *std::max_element(want.begin(), want.end()));
    EXPECT_EQ(reduce(where, doubled, expression("a + b", 0)), 2 * std::accumulate(x.begin(), x.end(), 0));
    EXPECT_EQ(reduce(where, views::transform(views::zip(x, y), expression("a + b"))), total);
    inclusive_scan(where, sums, out);
    EXPECT_EQ(out.download().back(), total);
    copy(where, sums, out);
    EXPECT_EQ(out.download(), want);
    transform(where, sums, out, expression("x + 1"));
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return want[i] + 1; }));
    transform(where, sums, a, out, expression("a - b"));
    EXPECT_EQ(out.download(), y);
    transform(where, views::reverse(a), out, expression("x"));
    EXPECT_EQ(out.download()[0], x.back());
    transform_if(where, sums, out, expression("x"), expression("x > 0"));
    replace_copy_if(where, sums, out, expression("x < 0"), 0);
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return std::max(want[i], 0); }));
    adjacent_difference(where, sums, out, expression("a - b"));
    EXPECT_EQ(out.download(), each([&](std::size_t i) { return i ? want[i] - want[i - 1] : want[i]; }));
    const auto positive = those(want, [](int v) { return v > 0; });
    EXPECT_EQ(count_if(where, sums, expression("x > 0")), positive.size());
    EXPECT_EQ(count_if(where, sums, greater_than(0)), positive.size());
    EXPECT_EQ(find_if(where, doubled, expression("x == 2 * 17")),
              static_cast<std::uint64_t>(std::find(x.begin(), x.end(), 17) - x.begin()));
    EXPECT_EQ(argmax(where, sums),
              static_cast<std::uint64_t>(std::max_element(want.begin(), want.end()) - want.begin()));
    EXPECT_EQ(mismatch(where, sums, doubled, expression("a != b")),
              mismatch(where, want, each([&](std::size_t i) { return 2 * x[i]; }), expression("a != b")));
    EXPECT_EQ(copy_if(where, sums, out, expression("x > 0")), positive.size());
    EXPECT_EQ(first(out.download(), positive.size()), positive);
    EXPECT_EQ(remove_copy_if(where, sums, out, expression("x <= 0")), positive.size());
    EXPECT_EQ(first(out.download(), positive.size()), positive);
    EXPECT_EQ(copy_if(where, a, out, stencil(sums, expression("x > 0"))), positive.size());
    EXPECT_EQ(partition(where, sums, out, expression("x > 0")), positive.size());
    EXPECT_EQ(unique_count(where, sums, expression("a / 200 == b / 200")),
              1 + those(each([&](std::size_t i) { return i && want[i - 1] / 200 != want[i] / 200; }), [](int v) {
                    return v != 0;
                  }).size());
    EXPECT_EQ(unique_count(where, sums), unique_count(context::cpu(), want));
    auto in_order = want;
    std::sort(in_order.begin(), in_order.end());
    sort(where, sums, out);
    EXPECT_EQ(out.download(), in_order);
    sort(where, sums, out, expression("a < b"));
    EXPECT_EQ(out.download(), in_order);
    buffer<std::uint64_t> order(where, x.size());
    argsort(where, sums, order, expression("a < b"));
    EXPECT_EQ(want[order.download()[0]], in_order[0]);
    std::vector<std::uint64_t> bins(8);
    buffer<std::uint64_t> counted_there(where, 8);
    histogram(where, sums, counted_there, -1000, 1000);
    const auto counts = counted_there.download();
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}),
              those(want, [](int v) { return -1000 <= v && v < 1000; }).size());
    const auto s = there(sorted);
    buffer<std::uint64_t> bounds(where, x.size());
    lower_bound(where, views::transform(s, expression("2 * x")), sums, bounds);
    EXPECT_EQ(bounds.download()[0],
              static_cast<std::uint64_t>(
                  std::partition_point(sorted.begin(), sorted.end(), [&](int v) { return 2 * v < want[0]; }) -
                  sorted.begin()));
    buffer<std::int32_t> both(where, 2 * x.size());
    merge(where, views::transform(s, expression("2 * x")), s, both);
    EXPECT_EQ(both.download()[0], 2 * sorted[0]);
    EXPECT_GT(set_union(where, views::transform(s, expression("2 * x")), s, both), x.size());
    EXPECT_GT(set_union(where, views::transform(s, expression("2 * x")), s, both, expression("a < b")), x.size());
    const auto keys = views::transform(a, expression("x / 100"));
    buffer<std::int32_t> keys_out(where, x.size()), folded(where, x.size());
    const auto runs = reduce_by_key(where, keys, sums, keys_out, folded, expression("a + b", 0));
    const auto parts = first(folded.download(), runs);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0), total);
    inclusive_scan_by_key(where, keys, sums, out, plus{});
    const std::uint64_t rows = x.size() / 10;
    const auto table = views::transform(a.span().subspan(0, 10 * rows), expression("x + 1"));
    buffer<std::int32_t> along(where, rows);
    reduce_along(where, table, shape{rows, 10}, 1, along);
    EXPECT_EQ(along.download()[0], std::accumulate(x.begin(), x.begin() + 10, 10));
  }
};

}  // namespace upsweep::tests
