// Expressions as operators, transforms, tests and comparators, against a loop.
#include "device.hpp"

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct frees {
  void operator()(upsweep_expression* e) const { upsweep_expression_free(e); }
};
using expression = std::unique_ptr<upsweep_expression, frees>;

expression made(const char* of) {
  upsweep_expression* e = nullptr;
  EXPECT_EQ(upsweep_expression_make(of, &e), UPSWEEP_OK) << upsweep_last_message();
  return expression(e);
}

class Expressions : public on_a_device {};
INSTANTIATE_TEST_SUITE_P(On, Expressions, testing::Values("cpu", "cpu:2", "opencl:0", "cuda:0"), device_label);

TEST_P(Expressions, FoldInOrder) {
  // Neither commutes: the last that is no multiple of 3.
  const expression last = made("b % 3 != 0 ? b : a");
  const auto after = [](u32 a, u32 b) { return b % 3 != 0 ? b : a; };
  const u32 none = 0;
  for (const std::size_t n : {0, 1, 2, 1000, 100003}) {
    const auto x = some<u32>(n, 1, 1 << 20);
    const device_array<u32> in(c, x), out(c, n), one(c, 1);
    one.set({99});
    OK(upsweep_reduce_by(c, last.get(), UPSWEEP_U32, in, n, &none, one));
    EXPECT_EQ(one.one(), std::accumulate(x.begin(), x.end(), none, after));

    std::vector<u32> expected(n);
    std::exclusive_scan(x.begin(), x.end(), expected.begin(), none, after);
    OK(upsweep_scan_by(c, last.get(), UPSWEEP_U32, in, n, 0, &none, out));
    EXPECT_EQ(out.here(), expected);

    const u64 segments = n / 100 + 1;
    std::vector<u64> offsets(segments + 1);
    for (u64 s = 0; s <= segments; ++s) offsets[s] = std::min<u64>(n, s * 100);
    const device_array<u64> cuts(c, offsets);
    const device_array<u32> of_each(c, segments);
    OK(upsweep_segmented_reduce_by(c, last.get(), UPSWEEP_U32, in, n, cuts, segments, &none, of_each));
    const auto ends = of_each.here();
    OK(upsweep_segmented_scan_by(c, last.get(), UPSWEEP_U32, in, n, cuts, segments, 1, &none, out));
    const auto within = out.here();
    for (u64 s = 0; s < segments; ++s) {
      u32 run = none;
      for (u64 i = offsets[s]; i < offsets[s + 1]; ++i) ASSERT_EQ(within[i], run = after(run, x[i])) << i;
      ASSERT_EQ(ends[s], run) << s;
    }

    std::inclusive_scan(x.begin(), x.end(), expected.begin(), after, none);
    OK(upsweep_scan_by(c, last.get(), UPSWEEP_U32, in, n, 1, &none, in));
    EXPECT_EQ(in.here(), expected) << "in place";
  }
}

TEST_P(Expressions, MapTestAndSort) {
  const expression line = made("2 * x + 1"), apart = made("fabs(a - b)"), small = made("x > -500 && x <= 500"),
                   by_hundreds = made("(int)a / 100 > (int)b / 100");
  const auto kept = [](double x) { return x > -500 && x <= 500; };
  const auto before = [](double a, double b) { return static_cast<int>(a) / 100 > static_cast<int>(b) / 100; };
  for (const std::size_t n : {0, 1, 2, 1000, 100003}) {
    const auto x = some<double>(n, -1000, 1000), y = some<double>(n, -1000, 1000, 2);
    const device_array<double> in(c, x), second(c, y), out(c, n);
    const device_array<u64> count(c, 1), order(c, n);
    OK(upsweep_map_by(c, line.get(), UPSWEEP_F64, in, n, out));
    const auto lines = out.here();
    OK(upsweep_combine_by(c, apart.get(), UPSWEEP_F64, in, second, n, out));
    const auto distances = out.here();
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(lines[i], 2 * x[i] + 1);
      ASSERT_EQ(distances[i], std::fabs(x[i] - y[i]));
    }

    std::vector<double> expected;
    std::copy_if(x.begin(), x.end(), std::back_inserter(expected), kept);
    OK(upsweep_copy_if_by(c, small.get(), UPSWEEP_F64, in, n, out, count));
    ASSERT_EQ(count.one(), expected.size());
    EXPECT_EQ(out.here(expected.size()), expected);
    OK(upsweep_count_if_by(c, small.get(), UPSWEEP_F64, in, n, count));
    EXPECT_EQ(count.one(), expected.size());
    OK(upsweep_find_if_by(c, small.get(), UPSWEEP_F64, in, n, count));
    EXPECT_EQ(count.one(), static_cast<u64>(std::find_if(x.begin(), x.end(), kept) - x.begin()));
    const u64 yes = expected.size();
    std::copy_if(x.begin(), x.end(), std::back_inserter(expected), [&](double v) { return !kept(v); });
    OK(upsweep_partition_by(c, small.get(), UPSWEEP_F64, in, n, out, count));
    EXPECT_EQ(out.here(), expected);
    EXPECT_EQ(count.one(), yes);

    std::vector<u64> places(n);
    std::iota(places.begin(), places.end(), u64{0});
    std::stable_sort(places.begin(), places.end(), [&](u64 a, u64 b) { return before(x[a], x[b]); });
    OK(upsweep_argsort_by(c, by_hundreds.get(), UPSWEEP_F64, in, n, order));
    EXPECT_EQ(order.here(), places);
    OK(upsweep_sort_by(c, by_hundreds.get(), UPSWEEP_F64, in, n, out));
    const auto sorted = out.here();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i], x[places[i]]);
    OK(upsweep_map_by(c, line.get(), UPSWEEP_F64, in, n, in));
    EXPECT_EQ(in.here(), lines) << "in place";
  }
}

TEST_P(Expressions, SearchInOrder) {
  const expression by_tens = made("a / 10 < b / 10");
  const auto before = [](u32 a, u32 b) { return a / 10 < b / 10; };
  for (const std::size_t n : {1, 2, 255, 2049, 100003}) {
    const auto x = some<u32>(n, 1, 5000), wanted = some<u32>(1000, 0, 6000, 3);
    auto sorted = x;
    std::stable_sort(sorted.begin(), sorted.end(), before);
    const device_array<u32> in(c, x), in_order(c, sorted), asked(c, wanted);
    const device_array<u64> at(c, 1000), first(c, 1);
    OK(upsweep_argmin_by(c, by_tens.get(), UPSWEEP_U32, in, n, first));
    EXPECT_EQ(first.one(), static_cast<u64>(std::min_element(x.begin(), x.end(), before) - x.begin()));
    std::vector<u64> lower, upper;
    for (const u32 w : wanted) {
      lower.push_back(static_cast<u64>(std::lower_bound(sorted.begin(), sorted.end(), w, before) - sorted.begin()));
      upper.push_back(static_cast<u64>(std::upper_bound(sorted.begin(), sorted.end(), w, before) - sorted.begin()));
    }
    OK(upsweep_lower_bound_by(c, by_tens.get(), UPSWEEP_U32, in_order, n, asked, 1000, at));
    EXPECT_EQ(at.here(), lower);
    OK(upsweep_upper_bound_by(c, by_tens.get(), UPSWEEP_U32, in_order, n, asked, 1000, at));
    EXPECT_EQ(at.here(), upper);
  }
}

// Equal by their tens; last digits tell which are kept, and from which side.
TEST_P(Expressions, SortedSequences) {
  const expression by_tens = made("a / 10 < b / 10");
  const auto before = [](u32 a, u32 b) { return a / 10 < b / 10; };
  for (const auto& [n, m] : {std::pair<std::size_t, std::size_t>{0, 0}, {0, 7}, {1, 1}, {255, 257}, {4099, 100003}}) {
    SCOPED_TRACE(std::to_string(n) + ", " + std::to_string(m));
    auto x = some<u32>(n, 1, 3000), y = some<u32>(m, 1, 3000, 2);
    std::stable_sort(x.begin(), x.end(), before);
    std::stable_sort(y.begin(), y.end(), before);
    const device_array<u32> a(c, x), b(c, y), out(c, n + m);
    const device_array<u64> count(c, 1);
    const auto expect = [&](upsweep_set what, const auto& algorithm) {
      std::vector<u32> want;
      algorithm(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(want), before);
      count.set({99});
      OK(upsweep_set_operation_by(c, by_tens.get(), what, UPSWEEP_U32, a, n, b, m, out, count));
      ASSERT_EQ(count.one(), want.size()) << what;
      EXPECT_EQ(out.here(want.size()), want) << what;
    };
    expect(UPSWEEP_MERGE, [](auto... all) { std::merge(all...); });
    expect(UPSWEEP_UNION, [](auto... all) { std::set_union(all...); });
    expect(UPSWEEP_INTERSECTION, [](auto... all) { std::set_intersection(all...); });
    expect(UPSWEEP_DIFFERENCE, [](auto... all) { std::set_difference(all...); });
    expect(UPSWEEP_SYMMETRIC_DIFFERENCE, [](auto... all) { std::set_symmetric_difference(all...); });

    std::vector<std::uint8_t> among;
    for (const u32 v : y) among.push_back(std::binary_search(x.begin(), x.end(), v, before));
    const device_array<std::uint8_t> found(c, m);
    OK(upsweep_binary_search_by(c, by_tens.get(), UPSWEEP_U32, a, n, b, m, found));
    EXPECT_EQ(found.here(), among);
    OK(upsweep_is_sorted_until_by(c, by_tens.get(), UPSWEEP_U32, a, n, count));
    EXPECT_EQ(count.one(), n);
  }
  REFUSED(upsweep_set_operation_by(c, by_tens.get(), 5, UPSWEEP_U32, nullptr, 0, nullptr, 0, nullptr, nullptr),
          UPSWEEP_BAD_ARGUMENT, "the operation");
}

// The values are the original positions of the kept keys.
template <class V>
void expect_sets_by_key(const upsweep_context* c, std::size_t n, std::size_t m) {
  const expression by_tens = made("a / 10 < b / 10");
  using row = std::pair<u32, V>;
  const auto before = [](const row& a, const row& b) { return a.first / 10 < b.first / 10; };
  const auto rows = [&](std::size_t count, unsigned seed) {
    const auto keys = some<u32>(count, 1, 3000, seed);
    std::vector<row> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = {keys[i], static_cast<V>(2 * i + seed - 1)};
    std::stable_sort(all.begin(), all.end(), before);
    return all;
  };
  const auto keys_of = [](const std::vector<row>& all) {
    std::vector<u32> keys;
    for (const row& r : all) keys.push_back(r.first);
    return keys;
  };
  const auto values_of = [](const std::vector<row>& all) {
    std::vector<V> values;
    for (const row& r : all) values.push_back(r.second);
    return values;
  };
  const auto x = rows(n, 1), y = rows(m, 2);
  const device_array<u32> a(c, keys_of(x)), b(c, keys_of(y)), out(c, n + m);
  const device_array<V> with_a(c, values_of(x)), with_b(c, values_of(y)), with_out(c, n + m);
  const device_array<u64> count(c, 1);
  const auto expect = [&](upsweep_set what, const auto& algorithm) {
    std::vector<row> want;
    algorithm(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(want), before);
    count.set({99});
    const bool second = what != UPSWEEP_INTERSECTION && what != UPSWEEP_DIFFERENCE;
    OK(upsweep_set_operation_by_key_by(c, by_tens.get(), what, UPSWEEP_U32, a, with_a, n, b,
                                       second ? static_cast<V*>(with_b) : nullptr, m, sizeof(V), out, with_out, count));
    ASSERT_EQ(count.one(), want.size()) << what;
    EXPECT_EQ(out.here(want.size()), keys_of(want)) << what;
    EXPECT_EQ(with_out.here(want.size()), values_of(want)) << what;
  };
  expect(UPSWEEP_MERGE, [](auto... all) { std::merge(all...); });
  expect(UPSWEEP_UNION, [](auto... all) { std::set_union(all...); });
  expect(UPSWEEP_INTERSECTION, [](auto... all) { std::set_intersection(all...); });
  expect(UPSWEEP_DIFFERENCE, [](auto... all) { std::set_difference(all...); });
  expect(UPSWEEP_SYMMETRIC_DIFFERENCE, [](auto... all) { std::set_symmetric_difference(all...); });

  auto mixed = x;
  std::shuffle(mixed.begin(), mixed.end(), std::mt19937(7));
  const device_array<u32> keys(c, keys_of(mixed));
  const device_array<V> values(c, values_of(mixed));
  std::stable_sort(mixed.begin(), mixed.end(), before);
  OK(upsweep_sort_by_key_by(c, by_tens.get(), UPSWEEP_U32, keys, values, sizeof(V), n, out, with_out));
  EXPECT_EQ(out.here(n), keys_of(mixed));
  EXPECT_EQ(with_out.here(n), values_of(mixed));
}

TEST_P(Expressions, SortedSequencesWithValues) {
  for (const auto& [n, m] : {std::pair<std::size_t, std::size_t>{0, 0}, {0, 7}, {1, 1}, {255, 257}, {4099, 100003}}) {
    SCOPED_TRACE(std::to_string(n) + ", " + std::to_string(m));
    expect_sets_by_key<std::uint8_t>(c, n, m);
    expect_sets_by_key<std::uint16_t>(c, n, m);
    expect_sets_by_key<u32>(c, n, m);
    expect_sets_by_key<u64>(c, n, m);
  }
  const expression order = made("a < b");
  REFUSED(upsweep_set_operation_by_key_by(c, order.get(), UPSWEEP_UNION, UPSWEEP_U32, nullptr, nullptr, 0, nullptr,
                                          nullptr, 0, 3, nullptr, nullptr, nullptr),
          UPSWEEP_UNSUPPORTED, "values of 3 bytes");
  REFUSED(upsweep_sort_by_key_by(c, order.get(), UPSWEEP_U32, nullptr, nullptr, 16, 0, nullptr, nullptr),
          UPSWEEP_UNSUPPORTED, "1, 2, 4 or 8 bytes");
}

// The last that is not zero, which does not commute; keys are equal as ==, or by their tens.
template <class K, class T>
void expect_folds_by_key(const upsweep_context* c, upsweep_type key_type, upsweep_type type, std::size_t n) {
  SCOPED_TRACE(std::to_string(key_type) + ", " + std::to_string(n));
  const expression last = made("b != 0 ? b : a"), same_tens = made("(int)a / 10 == (int)b / 10");
  const auto after = [](T a, T b) { return b != 0 ? b : a; };
  auto x = some<T>(n, 1, 100, 5);
  for (std::size_t i = 0; i < n; i += 3) x[i] = 0;
  auto keys = some<K>(n, 0, 29);
  for (std::size_t i = 1; i < n; ++i)
    if (i % 5 != 0) keys[i] = keys[i - 1];
  const T none = 0;
  const device_array<K> by(c, keys), firsts(c, n);
  const device_array<T> in(c, x), out(c, n);
  const device_array<u64> count(c, 1);
  for (const bool tens : {false, true}) {
    const upsweep_expression* const equality = tens ? same_tens.get() : nullptr;
    std::vector<K> run_keys;
    std::vector<T> folds, running(n), ahead(n);
    for (std::size_t i = 0; i < n; ++i) {
      const bool same = i != 0 && (tens ? static_cast<int>(keys[i - 1]) / 10 == static_cast<int>(keys[i]) / 10
                                        : keys[i - 1] == keys[i]);
      if (!same) run_keys.push_back(keys[i]), folds.push_back(none);
      ahead[i] = folds.back();
      running[i] = folds.back() = after(folds.back(), x[i]);
    }
    count.set({99});
    OK(upsweep_reduce_by_key_by(c, last.get(), equality, key_type, by, type, in, n, &none, firsts, out, count));
    ASSERT_EQ(count.one(), run_keys.size()) << tens;
    EXPECT_EQ(firsts.here(run_keys.size()), run_keys) << tens;
    EXPECT_EQ(out.here(run_keys.size()), folds) << tens;
    OK(upsweep_scan_by_key_by(c, last.get(), equality, key_type, by, type, in, n, 0, &none, out));
    EXPECT_EQ(out.here(), ahead) << tens;
    OK(upsweep_scan_by_key_by(c, last.get(), equality, key_type, by, type, in, n, 1, &none, out));
    EXPECT_EQ(out.here(), running) << tens;
  }
  const device_array<T> in_place(c, x);
  OK(upsweep_scan_by_key_by(c, last.get(), nullptr, key_type, by, type, in_place, n, 1, &none, in_place));
  OK(upsweep_scan_by_key_by(c, last.get(), nullptr, key_type, by, type, in, n, 1, &none, out));
  EXPECT_EQ(in_place.here(), out.here()) << "in place";
}

TEST_P(Expressions, FoldByKey) {
  for (const std::size_t n : {0, 1, 2, 33, 257, 2049, 100003}) {
    expect_folds_by_key<u32, u32>(c, UPSWEEP_U32, UPSWEEP_U32, n);
    expect_folds_by_key<std::uint8_t, double>(c, UPSWEEP_U8, UPSWEEP_F64, n);
    expect_folds_by_key<float, u64>(c, UPSWEEP_F32, UPSWEEP_U64, n);
  }
  expect_folds_by_key<std::int16_t, std::int32_t>(c, UPSWEEP_I16, UPSWEEP_I32, 4099);
  expect_folds_by_key<std::int64_t, float>(c, UPSWEEP_I64, UPSWEEP_F32, 4099);

  // A NaN is a run of its own; -0 and 0 are equal.
  const expression sum = made("a + b");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const device_array<float> keys(c, std::vector<float>{nan, nan, -0.0f, 0.0f, 1}), firsts(c, 5);
  const device_array<u32> ones(c, std::vector<u32>(5, 1)), out(c, 5);
  const device_array<u64> count(c, 1);
  const u32 none = 0;
  OK(upsweep_reduce_by_key_by(c, sum.get(), nullptr, UPSWEEP_F32, keys, UPSWEEP_U32, ones, 5, &none, firsts, out,
                              count));
  ASSERT_EQ(count.one(), 4u);
  EXPECT_EQ(out.here(4), (std::vector<u32>{1, 1, 2, 1}));
  REFUSED(upsweep_reduce_by_key_by(c, sum.get(), sum.get(), UPSWEEP_F16, keys, UPSWEEP_U32, ones, 5, &none, firsts, out,
                                   count),
          UPSWEEP_UNSUPPORTED, "keys of f16");
  REFUSED(upsweep_reduce_by_key_by(c, sum.get(), nullptr, UPSWEEP_F32, keys, UPSWEEP_U32, ones, 5, nullptr, firsts, out,
                                   count),
          UPSWEEP_BAD_ARGUMENT, "the identity");
  REFUSED(upsweep_scan_by_key_by(c, sum.get(), nullptr, UPSWEEP_F32, keys, UPSWEEP_F16, ones, 5, 1, &none, out),
          UPSWEEP_UNSUPPORTED, "elements of f16");
}

TEST_P(Expressions, RanksAndSegments) {
  const expression by_tens = made("a / 10 > b / 10");
  const auto before = [](u32 a, u32 b) { return a / 10 > b / 10; };
  for (const std::size_t n : {1, 2, 255, 2049, 100003}) {
    SCOPED_TRACE(n);
    const auto x = some<u32>(n, 1, 5000);
    const std::size_t k = (n + 1) / 2;
    std::vector<u64> places(n);
    std::iota(places.begin(), places.end(), u64{0});
    std::stable_sort(places.begin(), places.end(), [&](u64 a, u64 b) { return before(x[a], x[b]); });
    std::vector<u32> best;
    for (std::size_t i = 0; i < k; ++i) best.push_back(x[places[i]]);
    const device_array<u32> in(c, x), out(c, n);
    const device_array<u64> order(c, k), one(c, 1);
    OK(upsweep_top_k_by(c, by_tens.get(), UPSWEEP_U32, in, n, k, out, order));
    EXPECT_EQ(out.here(k), best);
    EXPECT_EQ(order.here(), std::vector<u64>(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(k)));
    u32 key = 0;
    OK(upsweep_nth_element_by(c, by_tens.get(), UPSWEEP_U32, in, n, k - 1, &key));
    EXPECT_EQ(key / 10, best.back() / 10);
    OK(upsweep_argmax_by(c, by_tens.get(), UPSWEEP_U32, in, n, one));
    EXPECT_EQ(one.one(), static_cast<u64>(std::max_element(x.begin(), x.end(), before) - x.begin()));
    OK(upsweep_is_sorted_until_by(c, by_tens.get(), UPSWEEP_U32, in, n, one));
    EXPECT_EQ(one.one(), static_cast<u64>(std::is_sorted_until(x.begin(), x.end(), before) - x.begin()));

    const std::vector<u64> cuts{0, 0, n / 3, n / 2, n};
    auto sorted = x;
    for (std::size_t s = 0; s + 1 < cuts.size(); ++s)
      std::stable_sort(sorted.begin() + static_cast<std::ptrdiff_t>(cuts[s]),
                       sorted.begin() + static_cast<std::ptrdiff_t>(cuts[s + 1]), before);
    const device_array<u64> offsets(c, cuts);
    OK(upsweep_segmented_sort_by(c, by_tens.get(), UPSWEEP_U32, in, n, offsets, 4, out));
    EXPECT_EQ(out.here(), sorted);
    REFUSED(upsweep_nth_element_by(c, by_tens.get(), UPSWEEP_U32, in, n, 0, nullptr), UPSWEEP_BAD_ARGUMENT, "the key");
  }
}

TEST_P(Expressions, NeighboursAndPatterns) {
  const expression same = made("a / 10 == b / 10");
  const auto equal = [](u32 a, u32 b) { return a / 10 == b / 10; };
  for (const std::size_t n : {0, 1, 2, 255, 2049, 100003}) {
    SCOPED_TRACE(n);
    const auto x = some<u32>(n, 1, 400);
    auto y = x;
    for (std::size_t i = n * 2 / 3; i < n; ++i) y[i] += 3;
    const std::vector<u32> wanted{1, 399}, pattern(x.begin() + static_cast<std::ptrdiff_t>(n / 2),
                                                   x.begin() + static_cast<std::ptrdiff_t>(std::min(n, n / 2 + 3)));
    const device_array<u32> in(c, x), other(c, y), set(c, wanted), part(c, pattern), out(c, n);
    const device_array<u64> one(c, 1), offsets(c, n + 1);
    const auto place = [&](auto at) { return static_cast<u64>(at - x.begin()); };
    OK(upsweep_adjacent_find_by(c, same.get(), UPSWEEP_U32, in, n, one));
    EXPECT_EQ(one.one(), place(std::adjacent_find(x.begin(), x.end(), equal)));
    OK(upsweep_find_first_of_by(c, same.get(), UPSWEEP_U32, in, n, set, 2, one));
    EXPECT_EQ(one.one(), place(std::find_first_of(x.begin(), x.end(), wanted.begin(), wanted.end(), equal)));
    OK(upsweep_search_by(c, same.get(), UPSWEEP_U32, in, n, part, pattern.size(), one));
    EXPECT_EQ(one.one(), place(std::search(x.begin(), x.end(), pattern.begin(), pattern.end(), equal)));
    OK(upsweep_mismatch_by(c, same.get(), UPSWEEP_U32, in, other, n, one));
    EXPECT_EQ(one.one(), place(std::mismatch(x.begin(), x.end(), y.begin(), equal).first));

    std::vector<u32> kept;
    std::unique_copy(x.begin(), x.end(), std::back_inserter(kept), equal);
    OK(upsweep_unique_by(c, same.get(), UPSWEEP_U32, in, n, out, one));
    ASSERT_EQ(one.one(), kept.size());
    EXPECT_EQ(out.here(kept.size()), kept);
    std::vector<u64> begins;
    for (std::size_t i = 0; i < n; ++i)
      if (i == 0 || !equal(x[i - 1], x[i])) begins.push_back(i);
    begins.push_back(n);
    OK(upsweep_run_offsets_by(c, same.get(), UPSWEEP_U32, in, n, offsets, one));
    ASSERT_EQ(one.one(), begins.size() - 1);
    EXPECT_EQ(offsets.here(begins.size()), begins);
  }
}

TEST_P(Expressions, AlongEachAxis) {
  const expression last = made("b % 3 != 0 ? b : a"), by_tens = made("a / 10 < b / 10");
  const auto after = [](u32 a, u32 b) { return b % 3 != 0 ? b : a; };
  const u64 shape[] = {7, 130, 33};
  const std::size_t n = 7 * 130 * 33;
  const u32 none = 0;
  const auto x = some<u32>(n, 1, 5000);
  const device_array<u32> in(c, x), out(c, n);
  const device_array<u64> order(c, n);
  for (int axis = 0; axis < 3; ++axis) {
    SCOPED_TRACE(axis);
    const u64 length = shape[axis], inner = axis == 0 ? 130 * 33 : axis == 1 ? 33 : 1, lines = n / length;
    std::vector<u32> folds(lines), running(n), ahead(n), sorted(n);
    std::vector<u64> stood(n);
    for (u64 line = 0; line < lines; ++line) {
      const auto place = [&](u64 j) { return (line / inner * length + j) * inner + line % inner; };
      u32 run = none;
      std::vector<u64> places(length);
      std::iota(places.begin(), places.end(), u64{0});
      std::stable_sort(places.begin(), places.end(), [&](u64 a, u64 b) { return x[place(a)] / 10 < x[place(b)] / 10; });
      for (u64 j = 0; j < length; ++j) {
        ahead[place(j)] = run;
        running[place(j)] = run = after(run, x[place(j)]);
        stood[place(j)] = places[j], sorted[place(j)] = x[place(places[j])];
      }
      folds[line] = run;
    }
    const device_array<u32> of_each(c, lines);
    OK(upsweep_reduce_along_by(c, last.get(), UPSWEEP_U32, in, shape, 3, axis, &none, of_each));
    EXPECT_EQ(of_each.here(), folds);
    OK(upsweep_scan_along_by(c, last.get(), UPSWEEP_U32, in, shape, 3, axis, 1, &none, out));
    EXPECT_EQ(out.here(), running);
    OK(upsweep_scan_along_by(c, last.get(), UPSWEEP_U32, in, shape, 3, axis, 0, &none, out));
    EXPECT_EQ(out.here(), ahead);
    OK(upsweep_sort_along_by(c, by_tens.get(), UPSWEEP_U32, in, shape, 3, axis, out));
    EXPECT_EQ(out.here(), sorted);
    OK(upsweep_argsort_along_by(c, by_tens.get(), UPSWEEP_U32, in, shape, 3, axis, order));
    EXPECT_EQ(order.here(), stood);
  }
  REFUSED(upsweep_reduce_along_by(c, last.get(), UPSWEEP_U32, in, shape, 3, 3, &none, out), UPSWEEP_BAD_ARGUMENT, "ax");
}

TEST_P(Expressions, OfEveryTypeTheyTake) {
  const expression doubled = made("x + x");
  const auto expect = [&]<class T>(upsweep_type type, T) {
    const device_array<T> in(c, std::vector<T>{1, 2, 100}), out(c, 3);
    OK(upsweep_map_by(c, doubled.get(), type, in, 3, out));
    EXPECT_EQ(out.here(), (std::vector<T>{2, 4, 200}));
  };
  expect(UPSWEEP_I32, std::int32_t{});
  expect(UPSWEEP_U32, u32{});
  expect(UPSWEEP_I64, std::int64_t{});
  expect(UPSWEEP_U64, u64{});
  expect(UPSWEEP_F32, float{});
  expect(UPSWEEP_F64, double{});
}

TEST(ExpressionErrors, AreToldWithTheirPlace) {
  const context held = open_device("cpu");
  const upsweep_context* const c = held.get();
  upsweep_expression* e = nullptr;
  REFUSED(upsweep_expression_make("x +", &e), UPSWEEP_BAD_ARGUMENT, "character 4");
  REFUSED(upsweep_expression_make("y + 1", &e), UPSWEEP_BAD_ARGUMENT, "no name 'y'");
  REFUSED(upsweep_expression_make(nullptr, &e), UPSWEEP_BAD_ARGUMENT, "the source");
  REFUSED(upsweep_expression_make("x", nullptr), UPSWEEP_BAD_ARGUMENT, "null");
  EXPECT_EQ(e, nullptr);
  upsweep_expression_free(nullptr);

  const expression sum = made("a + b"), bits = made("x & 1");
  float x[] = {1, 2, 3}, y[3], none = 0;
  u64 count = 0;
  REFUSED(upsweep_reduce_by(c, nullptr, UPSWEEP_F32, x, 3, &none, y), UPSWEEP_BAD_ARGUMENT, "the expression");
  REFUSED(upsweep_reduce_by(nullptr, sum.get(), UPSWEEP_F32, x, 3, &none, y), UPSWEEP_BAD_ARGUMENT, "the context");
  REFUSED(upsweep_reduce_by(c, sum.get(), UPSWEEP_F32, x, 3, nullptr, y), UPSWEEP_BAD_ARGUMENT, "the identity");
  REFUSED(upsweep_reduce_by(c, sum.get(), UPSWEEP_F32, nullptr, 3, &none, y), UPSWEEP_BAD_ARGUMENT, "the input");
  REFUSED(upsweep_reduce_by(c, sum.get(), UPSWEEP_I8, x, 3, &none, y), UPSWEEP_UNSUPPORTED, "elements of i8");
  REFUSED(upsweep_reduce_by(c, sum.get(), 1000, x, 3, &none, y), UPSWEEP_BAD_ARGUMENT, "the type");
  REFUSED(upsweep_map_by(c, bits.get(), UPSWEEP_F32, x, 3, y), UPSWEEP_BAD_ARGUMENT, "integers are expected");
  REFUSED(upsweep_map_by(c, sum.get(), UPSWEEP_F32, x, 3, y), UPSWEEP_BAD_ARGUMENT, "1 argument");
  REFUSED(upsweep_copy_if_by(c, sum.get(), UPSWEEP_F32, x, 3, y, &count), UPSWEEP_BAD_ARGUMENT, "1 argument");
  REFUSED(upsweep_copy_if_by(c, made("x > 1").get(), UPSWEEP_F32, x, 3, y, nullptr), UPSWEEP_BAD_ARGUMENT, "the count");
  REFUSED(upsweep_map_by(c, made("x").get(), UPSWEEP_F32, x, 2, x + 1), UPSWEEP_BAD_ARGUMENT, "overlap");
}

}  // namespace
