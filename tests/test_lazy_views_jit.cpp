// Lazy views of device memory by device source: every call that accepts them, on the CPU, OpenCL and CUDA, compared
// with a loop over the values of the view.
#include "tests/jit_operators.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct LazyViewsJit : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, LazyViewsJit, testing::ValuesIn(tests::device_names()), tests::device_label);

struct is_small {
  bool operator()(u32 x) const { return x < 20; }
  static constexpr const char* source = "x < 20";
};
struct halved {
  u32 operator()(u32 x) const { return x / 2; }
  static constexpr const char* source = "x / 2";
};
struct without_source {
  u32 operator()(u32 x) const { return x; }
};

// Lazy views of `memory`, whose element i equals x[i]: pairs of (view, its values).
template <class F>
void for_each_made(const device_span<const u32>& memory, const device_span<const u64>& places,
                   const std::vector<u32>& x, const std::vector<u64>& order, const F& f) {
  const std::size_t n = x.size();
  std::vector<u32> halves(n), turned(n), picked(n), every(0), sums(n), counted(n);
  for (std::size_t i = 0; i < n; ++i) {
    halves[i] = x[i] / 2, turned[i] = x[n - 1 - i], picked[i] = x[order[i]] % 50, sums[i] = x[i] + x[n - 1 - i];
    counted[i] = static_cast<u32>(7 + i);
    if (i % 3 == 0) every.push_back(x[i]);
  }
  f("transform", views::transform(memory, halved{}), halves);
  f("reverse", views::reverse(memory), turned);
  f("stride", views::stride(memory, 3), every);
  f("permute and transform", views::transform(views::permute(memory, places), expression("x % 50")), picked);
  f("of two", views::transform(views::zip(memory, views::reverse(memory)), expression("a + b")), sums);
  f("iota", views::iota(u32{7}, n), counted);
}

template <class Body>
void on_made(const context& where, std::size_t n, unsigned most, const Body& body) {
  std::mt19937 g(static_cast<unsigned>(n) + 11);
  std::vector<u32> x(n);
  std::vector<u64> order(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = i % 3 && i ? x[i - 1] : g() % most, order[i] = i * 7919 % n;
  // Behind the beginning of its memory.
  std::vector<u32> behind(x);
  behind.insert(behind.begin(), 5, 99u);
  const buffer<u32> all(where, behind);
  const buffer<u64> places(where, order);
  const device_span<const u32> in = all.span().subspan(5, n);
  for_each_made(in, places.span(), x, order, [&](const char* what, const auto& made, const std::vector<u32>& want) {
    SCOPED_TRACE(std::string(what) + ", n = " + std::to_string(n));
    body(made, want, x, in);
  });
}

constexpr std::size_t few[]{0, 1, 2, 33, 257, 2049, 4097, 40009};

TEST_P(LazyViewsJit, Orders) {
  const auto first_digit = expression("a % 10 < b % 10");
  const auto by_digit = [](u32 a, u32 b) { return a % 10 < b % 10; };
  for (const std::size_t n : few)
    on_made(where(), n, 1000, [&](const auto& made, const std::vector<u32>& want, const auto& x, const auto& memory) {
      const std::size_t m = want.size(), k = m / 3;
      buffer<u32> out(where(), std::vector<u32>(m, 99)), best(where(), std::vector<u32>(k, 99));
      buffer<u64> order(where(), m), of_best(where(), k);
      std::vector<u32> up(want), down(want), digits(want);
      std::stable_sort(up.begin(), up.end());
      std::stable_sort(down.begin(), down.end(), std::greater<>{});
      std::stable_sort(digits.begin(), digits.end(), by_digit);
      std::vector<u64> places(m);
      std::iota(places.begin(), places.end(), u64{0});
      auto down_places = places, digit_places = places;
      std::ranges::stable_sort(places, {}, [&](u64 i) { return want[i]; });
      std::ranges::stable_sort(down_places, std::greater<>{}, [&](u64 i) { return want[i]; });
      std::ranges::stable_sort(digit_places, by_digit, [&](u64 i) { return want[i]; });
      const auto first = [&](const auto& all) { return std::vector(all.begin(), all.begin() + k); };

      sort(where(), made, out);
      expect_same(out.download(), up, "sorted");
      sort(where(), made, out.span(), sort_options{.descending = true});
      expect_same(out.download(), down, "descending");
      stable_sort(where(), made, out, first_digit);
      expect_same(out.download(), digits, "by device source");
      argsort(where(), made, order);
      expect_same(order.download(), places, "places");
      argsort(where(), made, order, first_digit);
      expect_same(order.download(), digit_places, "places by device source");
      argsort(where(), made, out, order, sort_options{.descending = true});
      expect_same(out.download(), down, "keys beside places");
      expect_same(order.download(), down_places, "places beside keys");
      top_k(where(), made, best, of_best);
      expect_same(best.download(), first(down), "top_k");
      expect_same(of_best.download(), first(down_places), "where they stood");
      top_k(where(), made, best, sort_options{});
      expect_same(best.download(), first(up), "the least");
      top_k(where(), made, best, of_best, first_digit);
      expect_same(best.download(), first(digits), "by device source");
      expect_same(of_best.download(), first(digit_places), "where those stood");
      top_k(where(), made, best, first_digit);
      expect_same(best.download(), first(digits), "by device source alone");

      // Sorted memory, and a view that reverses the same memory twice.
      std::vector<u32> sorted(x), both(2 * x.size()), digits_of_x(x);
      std::sort(sorted.begin(), sorted.end());
      std::merge(sorted.begin(), sorted.end(), sorted.begin(), sorted.end(), both.begin());
      const buffer<u32> there(where(), sorted);
      buffer<u32> merged(where(), std::vector<u32>(both.size(), 99));
      const auto again = views::reverse(views::reverse(there));
      merge(where(), again, there, merged);
      expect_same(merged.download(), both, "merged, the first made");
      merge(where(), again, again, merged);
      expect_same(merged.download(), both, "merged, both made");
      merge(where(), there, again, merged, expression("a < b"));
      expect_same(merged.download(), both, "merged by device source");
      (void)memory;
    });
  const buffer<u32> x(where(), std::vector<u32>{3, 1, 2});
  buffer<u32> two(where(), 2);
  std::vector<u32> here(3);
  expect_error(fault::bad_argument, {"3 keys", "output of 2"}, [&] { sort(where(), views::reverse(x), two); });
  if (where().kind() != backend::cpu)
    expect_error(fault::bad_argument, {"device memory", "host memory"},
                 [&] { sort(where(), views::reverse(x), here); });
}

TEST_P(LazyViewsJit, FoldsAndScans) {
  for (const std::size_t n : few)
    on_made(where(), n, 1000, [&](const auto& made, const std::vector<u32>& want, const auto&, const auto&) {
      const std::size_t m = want.size();
      const u32 sum = std::accumulate(want.begin(), want.end(), 0u);
      EXPECT_EQ(reduce(where(), made, 3u), sum + 3);
      EXPECT_EQ(reduce(where(), made, 0u, last_set{}), std::accumulate(want.begin(), want.end(), 0u, last_set{}));
      EXPECT_EQ(transform_reduce(where(), made, u64{0}, plus{}, square{}),
                std::accumulate(want.begin(), want.end(), u64{0}, [](u64 s, u64 v) { return s + v * v; }));
      EXPECT_EQ(transform_reduce(where(), made, 0u, plus{}, halved{}),
                std::accumulate(want.begin(), want.end(), 0u, [](u32 s, u32 v) { return s + v / 2; }));
      EXPECT_EQ(transform_reduce(where(), made, 0.0, plus{}, negate{}),
                -std::accumulate(want.begin(), want.end(), 0.0));
      EXPECT_EQ(inner_product(where(), made, made, u64{1}),
                std::accumulate(want.begin(), want.end(), u64{1}, [](u64 s, u64 v) { return s + v * v; }));
      buffer<u32> out(where(), std::vector<u32>(m, 99)), one(where(), 1);
      reduce(where(), made, one, last_set{});
      EXPECT_EQ(one.download()[0], std::accumulate(want.begin(), want.end(), 0u, last_set{}));
      std::vector<u32> running(m);
      inclusive_scan(where(), made, out);
      std::partial_sum(want.begin(), want.end(), running.begin());
      expect_same(out.download(), running, "running sums");
      exclusive_scan(where(), made, out, 5u, last_set{});
      std::exclusive_scan(want.begin(), want.end(), running.begin(), 5u, last_set{});
      expect_same(out.download(), running, "exclusive");
      exclusive_scan(where(), made, out, device_span<const u32>(one.span()));
      std::exclusive_scan(want.begin(), want.end(), running.begin(), one.download()[0]);
      expect_same(out.download(), running, "after an init on the device");
      if (m % 3 == 0 && m) {
        buffer<u32> of_rows(where(), 3);
        reduce_along(where(), made, lines_along({3, m / 3}, 1), of_rows);
        for (std::size_t r = 0; r < 3; ++r)
          EXPECT_EQ(of_rows.download()[r],
                    std::accumulate(want.begin() + static_cast<std::ptrdiff_t>(r * m / 3),
                                    want.begin() + static_cast<std::ptrdiff_t>((r + 1) * m / 3), 0u));
      }
      buffer<u64> wide(where(), m);
      inclusive_scan(where(), made, wide);
      std::vector<u64> sums(m);
      std::transform_inclusive_scan(want.begin(), want.end(), sums.begin(), std::plus<u64>(),
                                    [](u32 v) { return u64{v}; });
      expect_same(wide.download(), sums, "in 64 bits");
    });
}

TEST_P(LazyViewsJit, ByKeyAndBySegment) {
  for (const std::size_t n : few)
    on_made(where(), n, 30, [&](const auto& made, const std::vector<u32>& want, const auto&, const auto&) {
      const std::size_t m = want.size();
      std::vector<u32> firsts, lengths, ranks(m);
      for (std::size_t i = 0; i < m; ++i) {
        if (i == 0 || want[i] != want[i - 1]) firsts.push_back(want[i]), lengths.push_back(0);
        ranks[i] = ++lengths.back();
      }
      buffer<u32> keys(where(), m), folds(where(), m);
      ASSERT_EQ(reduce_by_key(where(), made, views::repeat(1u, m), keys, folds), firsts.size());
      auto got_keys = keys.download(), got = folds.download();
      got_keys.resize(firsts.size()), got.resize(firsts.size());
      expect_same(got_keys, firsts, "keys");
      expect_same(got, lengths, "lengths");
      inclusive_scan_by_key(where(), made, views::repeat(1u, m), folds);
      expect_same(folds.download(), ranks, "ranks");

      const std::size_t segments = m / 10;
      std::vector<u32> sums(segments);
      for (std::size_t i = 0; i < segments * 10; ++i) sums[i / 10] += want[i];
      buffer<u32> of_each(where(), segments);
      segmented_reduce(where(), made, views::transform(views::iota(u64{0}, segments + 1), expression("x * 10")),
                       of_each);
      expect_same(of_each.download(), sums, "segments");
    });
}

TEST_P(LazyViewsJit, WhatIsKept) {
  for (const std::size_t n : few)
    on_made(where(), n, 40, [&](const auto& made, const std::vector<u32>& want, const auto&, const auto&) {
      const std::size_t m = want.size();
      buffer<u32> out(where(), std::vector<u32>(m, 99)), second(where(), m);
      const auto front = [](const buffer<u32>& b, std::size_t count) {
        auto all = b.download();
        all.resize(count);
        return all;
      };
      std::vector<u32> small, large, even, flagged;
      std::vector<u32> places;
      for (std::size_t i = 0; i < m; ++i) {
        (want[i] < 20 ? small : large).push_back(want[i]);
        if (want[i] < 20) places.push_back(static_cast<u32>(i));
        if (want[i] & 1) flagged.push_back(static_cast<u32>(i));
      }
      ASSERT_EQ(copy_if(where(), made, out, is_small{}), small.size());
      expect_same(front(out, small.size()), small, "by device source");
      ASSERT_EQ(copy_if(where(), made, out, less_than(20u)), small.size());
      expect_same(front(out, small.size()), small, "by a comparison");
      ASSERT_EQ(copy_if(where(), views::iota(0u, m), out, stencil(made, is_small{})), places.size());
      expect_same(front(out, places.size()), places, "by a stencil");
      ASSERT_EQ(select_flagged(where(), views::iota(0u, m), views::transform(made, expression("x & 1")), out),
                flagged.size());
      expect_same(front(out, flagged.size()), flagged, "by flags");
      auto both = small;
      both.insert(both.end(), large.begin(), large.end());
      ASSERT_EQ(partition(where(), made, out, expression("x < 20")), small.size());
      expect_same(out.download(), both, "partition");
      ASSERT_EQ(partition_copy(where(), made, out, second, is_small{}), small.size());
      expect_same(front(out, small.size()), small, "partition_copy");
      expect_same(front(second, large.size()), large, "the others");
      const auto sizes = three_way_partition(where(), made, out, less_than(20u), less_than(30u));
      ASSERT_EQ(sizes[0], small.size());
      ASSERT_EQ(sizes[1], static_cast<u64>(std::count_if(large.begin(), large.end(), [](u32 v) { return v < 30; })));
      std::stable_sort(both.begin() + static_cast<std::ptrdiff_t>(small.size()), both.end(),
                       [](u32 a, u32 b) { return a < 30 && b >= 30; });
      expect_same(out.download(), both, "three_way_partition");
    });
}

TEST_P(LazyViewsJit, Runs) {
  const expression same("a / 4 == b / 4");
  for (const std::size_t n : few)
    on_made(where(), n, 40, [&](const auto& made, const std::vector<u32>& want, const auto&, const auto&) {
      const std::size_t m = want.size();
      for (const bool by_source : {false, true}) {
        std::vector<u64> begins;
        std::vector<u32> firsts, starts;
        for (std::size_t i = 0; i < m; ++i)
          if (i == 0 || (by_source ? want[i] / 4 != want[i - 1] / 4 : want[i] != want[i - 1]))
            begins.push_back(i), firsts.push_back(want[i]), starts.push_back(static_cast<u32>(i));
        buffer<u32> out(where(), m), beside(where(), m);
        buffer<u64> offsets(where(), m + 1);
        const auto runs = by_source ? unique(where(), made, out, same) : unique(where(), made, out);
        ASSERT_EQ(runs, firsts.size());
        auto got = out.download();
        got.resize(runs);
        expect_same(got, firsts, "unique");
        ASSERT_EQ(by_source ? unique_by_key(where(), made, views::iota(0u, m), out, beside, same)
                            : unique_by_key(where(), made, views::iota(0u, m), out, beside),
                  runs);
        got = beside.download();
        got.resize(runs);
        expect_same(got, starts, "values");
        ASSERT_EQ(by_source ? group_by(where(), made, offsets, same) : group_by(where(), made, offsets), runs);
        auto cuts = offsets.download();
        cuts.resize(runs + 1);
        begins.push_back(m);
        expect_same(cuts, begins, "offsets");
        EXPECT_EQ(by_source ? unique_count(where(), made, same) : unique_count(where(), made), runs);
        if (by_source) continue;
        ASSERT_EQ(run_length_encode(where(), made, out, offsets), runs);
        auto lengths = offsets.download();
        for (std::size_t r = 0; r < runs; ++r) ASSERT_EQ(lengths[r], begins[r + 1] - begins[r]) << r;
      }
    });
}

TEST_P(LazyViewsJit, Searches) {
  for (const std::size_t n : few)
    on_made(where(), n, 1000, [&](const auto& made, const std::vector<u32>& want, const auto& x, const auto& in) {
      const std::size_t m = want.size();
      const auto is_17 = [](u32 v) { return v % 17 == 3; };
      const auto place = [&](auto at) { return static_cast<u64>(at - want.begin()); };
      EXPECT_EQ(count_if(where(), made, expression("x % 17 == 3")),
                static_cast<u64>(std::count_if(want.begin(), want.end(), is_17)));
      EXPECT_EQ(find_if(where(), made, expression("x % 17 == 3")),
                place(std::find_if(want.begin(), want.end(), is_17)));
      EXPECT_EQ(count_if(where(), made, less_than(20u)),
                static_cast<u64>(std::count_if(want.begin(), want.end(), is_small{})));
      EXPECT_EQ(adjacent_find(where(), made), place(std::adjacent_find(want.begin(), want.end())));
      if (m) {
        EXPECT_EQ(argmin(where(), made), place(std::min_element(want.begin(), want.end())));
        EXPECT_EQ(argmax(where(), made, expression("a < b")), place(std::max_element(want.begin(), want.end())));
      }
      if (m == x.size()) {
        EXPECT_EQ(mismatch(where(), made, in),
                  static_cast<u64>(std::mismatch(want.begin(), want.end(), x.begin()).first - want.begin()));
      }
      // Positions in a sequence that is a lazy view as well.
      buffer<u64> bounds(where(), m);
      lower_bound(where(), views::transform(views::iota(0u, 300), expression("x * 5")), made, bounds);
      std::vector<u64> places(m);
      for (std::size_t i = 0; i < m; ++i) places[i] = std::min<u64>(300, (want[i] + 4) / 5);
      expect_same(bounds.download(), places, "bounds");
    });
}

TEST_P(LazyViewsJit, SetsAndTransforms) {
  for (const std::size_t n : few) {
    SCOPED_TRACE(n);
    const buffer<u32> threes(where(), [&] {
      std::vector<u32> x(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<u32>(3 * i);
      return x;
    }());
    std::vector<u32> a(n), b(n), both;
    for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<u32>(3 * i), b[i] = static_cast<u32>(2 * i);
    const auto twos = views::transform(views::iota(0u, n), expression("2 * x"));
    buffer<u32> out(where(), 2 * n), values(where(), 2 * n);
    const auto expect = [&](u64 kept, const char* what) {
      ASSERT_EQ(kept, both.size()) << what;
      auto got = out.download();
      got.resize(kept);
      expect_same(got, both, what);
    };
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    expect(set_union(where(), threes, twos, out), "union");
    expect(set_union(where(), threes, twos, out, expression("a < b")), "union by device source");
    both.clear();
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    expect(set_difference_by_key(where(), threes, views::iota(0u, n), twos, out, values), "difference");
    const auto moved = values.download();
    for (std::size_t i = 0; i < both.size(); ++i) ASSERT_EQ(moved[i], both[i] / 3) << i;

    buffer<u32> sums(where(), n);
    transform(where(), views::reverse(threes), twos, sums, expression("a + b"));
    std::vector<u32> want(n);
    for (std::size_t i = 0; i < n; ++i) want[i] = a[n - 1 - i] + b[i];
    expect_same(sums.download(), want, "transform");
    transform(where(), views::reverse(threes), sums, negate{});
    for (std::size_t i = 0; i < n; ++i) want[i] = 0 - a[n - 1 - i];
    expect_same(sums.download(), want, "by a built-in function");
    transform_if(where(), views::reverse(threes), sums, expression("x + 1"), expression("x % 2 == 1"));
    for (std::size_t i = 0; i < n; ++i)
      if (a[n - 1 - i] % 2 == 1) want[i] = a[n - 1 - i] + 1;
    expect_same(sums.download(), want, "where a test passes");
    replace_copy_if(where(), twos, sums, is_small{}, 7u);
    for (std::size_t i = 0; i < n; ++i) want[i] = b[i] < 20 ? 7 : b[i];
    expect_same(sums.download(), want, "replaced");
    both.clear();
    for (std::size_t i = 0; i < n; ++i)
      if (b[i] < 20) both.push_back(b[i] / 2);
    expect(filter_map(where(), twos, out, map_if(is_small{}, halved{})), "filter_map");
    adjacent_difference(where(), twos, sums);
    for (std::size_t i = 0; i < n; ++i) want[i] = i ? 2 : 0;
    expect_same(sums.download(), want, "differences");
  }
}

TEST_P(LazyViewsJit, FunctionsWithoutSourceAreRejected) {
  if (where().kind() == backend::cpu) GTEST_SKIP() << "it takes the C++";
  const buffer<u32> in(where(), std::vector<u32>(10, 1));
  buffer<u32> out(where(), 10);
  const auto made = views::transform(in, without_source{});
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { reduce(where(), made); }, [&] { inclusive_scan(where(), made, out); },
           [&] { copy_if(where(), made, out, is_small{}); }, [&] { unique(where(), made, out); },
           [&] { count_if(where(), made, is_small{}); }, [&] { argmin(where(), made); },
           [&] { inclusive_scan_by_key(where(), made, in, out); }, [&] { set_union(where(), made, in, out); },
           [&] { transform(where(), made, out, halved{}); }})
    expect_error(fault::unsupported, {"source"}, call);
  struct wrong {
    u32 operator()(u32 x) const { return x; }
    std::string source = "x +\n missing";
  };
  expect_error(fault::bad_argument, {"the function's source, line 2", "missing"},
               [&] { reduce(where(), views::transform(in, wrong{})); });
}

}  // namespace
