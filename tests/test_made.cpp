// Lazy views and non-contiguous inputs in the calls of select.hpp, histogram.hpp and segmented.hpp; output adaptors
// that transform or discard. Compared with plain loops.
#include <deque>
#include <random>
#include <ranges>

#include "tests/devices.hpp"
#include "upsweep/upsweep.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;
using tests::first_of;
using u64 = std::uint64_t;
using ints = std::vector<int>;
using counts = std::vector<u64>;

struct MadeOn : tests::on_each_device {
  bool is_cpu() const { return where().kind() == backend::cpu; }
};
INSTANTIATE_TEST_SUITE_P(, MadeOn, testing::ValuesIn(tests::device_names()), tests::device_label);

constexpr u64 sizes[]{0, 1, 2, 63, 64, 65, 257, 8191, 8193, 50021};

// Runs of equal numbers of 1 to 9.
ints with_runs(u64 n) {
  static std::mt19937_64 random(20261123);
  ints all(n);
  int now = 0;
  for (int& x : all) x = random() % 3 ? now : now = static_cast<int>(random() % 9 + 1);
  return all;
}
constexpr auto get_first = [](const auto& r) { return r.template get<0>(); };
constexpr auto is_odd = [](int x) { return x % 2 != 0; };
constexpr auto plus_one = [](int x) { return x + 1; };

TEST_P(MadeOn, SelectionsReadWhatIsNoMemory) {
  for (const u64 n : sizes) {
    const ints x = with_runs(n);
    const std::deque<int> queue(x.begin(), x.end());
    const auto later = views::transform(x, plus_one);
    const auto view = x | std::views::transform(plus_one);
    ints odd, even, low, firsts, kept, flagged;
    counts lengths;
    std::vector<bool> flags(n);
    for (u64 i = 0; i < n; ++i) {
      const int y = x[i] + 1;
      (is_odd(y) ? odd : even).push_back(y);
      flags[i] = i % 3 == 0;
      if (flags[i]) flagged.push_back(y);
      if (i == 0 || x[i] != x[i - 1]) firsts.push_back(y), lengths.push_back(0);
      ++lengths.back();
    }
    ints out(odd.size());  // the output needs no more than the selected elements
    ASSERT_EQ(copy_if(where(), later, out, is_odd), odd.size()) << n;
    EXPECT_EQ(out, odd);
    std::ranges::fill(out, 0);
    ASSERT_EQ(copy_if(where(), view, out, is_odd), odd.size());
    EXPECT_EQ(out, odd);
    out.assign(n, 77);
    ASSERT_EQ(select_flagged(where(), later, flags, out), flagged.size());
    EXPECT_EQ(first_of(out, flagged.size()), flagged);
    ASSERT_EQ(
        select_flagged(where(), x, views::transform(views::iota(u64{0}, n), [](u64 i) { return i % 3 == 0; }), out),
        flagged.size());
    for (u64 i = 0; i < flagged.size(); ++i) ASSERT_EQ(out[i] + 1, flagged[i]);
    ASSERT_EQ(unique(where(), later, out), firsts.size());
    EXPECT_EQ(first_of(out, firsts.size()), firsts);
    counts long_as(n);
    ASSERT_EQ(run_length_encode(where(), view, out, long_as), firsts.size());
    EXPECT_EQ(first_of(out, firsts.size()), firsts);
    EXPECT_EQ(first_of(long_as, firsts.size()), lengths);
    ASSERT_EQ(partition(where(), later, out, is_odd), odd.size());
    ints parted = odd;
    parted.insert(parted.end(), even.begin(), even.end());
    EXPECT_EQ(out, parted);
    std::ranges::fill(out, 0);
    const auto sides =
        three_way_partition(where(), queue, out, [](int v) { return v > 6; }, [](int v) { return v > 3; });
    ints three;
    for (const auto& [from, to] : {std::pair{7, 9}, {4, 6}, {0, 3}})
      for (const int v : x)
        if (v >= from && v <= to) three.push_back(v);
    EXPECT_EQ(out, three);
    EXPECT_EQ(sides[0], static_cast<u64>(std::ranges::count_if(x, [](int v) { return v > 6; })));
    EXPECT_EQ(sides[1], static_cast<u64>(std::ranges::count_if(x, [](int v) { return v > 3 && v < 7; })));
    counts places(n);
    ASSERT_EQ(unique_by_key(where(), queue, views::iota(u64{0}, n), out, places), firsts.size());
    u64 begin = 0;
    for (u64 r = 0; r < firsts.size(); begin += lengths[r++]) ASSERT_EQ(places[r], begin);
  }
}

TEST_P(MadeOn, SortsStoreWhatIsNoMemory) {
  for (const u64 n : sizes) {
    SCOPED_TRACE(n);
    const ints x = with_runs(n);
    const std::deque<int> apart(x.begin(), x.end());
    ints more(n);
    for (u64 i = 0; i < n; ++i) more[i] = 1000 - x[i];
    ints up(more), down(more);
    std::ranges::stable_sort(up);
    std::ranges::stable_sort(down, std::greater<>{});
    counts order(n), places(n);
    std::iota(order.begin(), order.end(), u64{0});
    std::ranges::stable_sort(order, {}, [&](u64 i) { return more[i]; });
    const u64 k = n / 2;
    const auto less = views::transform(x, [](int v) { return 1000 - v; });
    const auto view = x | std::views::transform([](int v) { return 1000 - v; });

    ints out(n, -1), best(k, -1);
    sort(where(), less, out);
    EXPECT_EQ(out, up);
    sort(where(), view, out, sort_options{.descending = true});
    EXPECT_EQ(out, down);
    if (is_cpu()) {
      sort(where(), less, out, [](int a, int b) { return b < a; });
      EXPECT_EQ(out, down);
    }
    argsort(where(), view, places);
    EXPECT_EQ(places, order);
    top_k(where(), less, best);
    EXPECT_EQ(best, first_of(down, k));
    ints of_deque(x), merged(2 * n, -1);
    sort(where(), apart, out);
    std::ranges::sort(of_deque);
    EXPECT_EQ(out, of_deque);
    const std::deque<int> sorted(of_deque.begin(), of_deque.end());
    merge(where(), sorted, views::transform(of_deque, [](int v) { return v; }), merged);
    ints both(2 * n);
    std::ranges::merge(of_deque, of_deque, both.begin());
    EXPECT_EQ(merged, both);
  }
  counts numbers(1000);
  sort(where(), views::iota(u64{0}, 1000), numbers, sort_options{.descending = true});
  for (u64 i = 0; i < 1000; ++i) ASSERT_EQ(numbers[i], 999 - i);
}

TEST_P(MadeOn, HistogramsCountAsTheyRead) {
  for (const u64 n : sizes) {
    const ints x = with_runs(n);
    std::vector<float> heavy(n);
    for (u64 i = 0; i < n; ++i) heavy[i] = static_cast<float>(i % 17) * 0.37f;
    counts want(5), got(5, 77);
    histogram(context::cpu(), x, want, 1, 11);
    histogram(where(), std::deque<int>(x.begin(), x.end()), got, 1, 11);
    EXPECT_EQ(got, want) << n;
    histogram(where(), views::transform(x, plus_one), got, 2, 12);
    EXPECT_EQ(got, want) << n;
    const ints edges{0, 3, 4, 8, 9, 20};
    histogram(context::cpu(), x, edges, want);
    histogram(where(), views::transform(x, identity{}), edges, got);
    EXPECT_EQ(got, want) << n;
    counts want2(6), got2(6, 77);
    histogram(context::cpu(), x, want2, 1, 10, 2);
    histogram(where(), x | std::views::transform(identity{}), got2, 1, 10, 2);
    EXPECT_EQ(got2, want2) << n;
    std::vector<double> sums(5), made(5, 77);
    weighted_histogram(context::cpu(), x, heavy, sums, 1, 11);
    weighted_histogram(where(), x, views::transform(heavy, identity{}), made, 1, 11);
    EXPECT_EQ(made, sums) << n;
    weighted_histogram(context::cpu(), x, heavy, edges, sums);
    weighted_histogram(where(), views::reverse(views::reverse(x)), heavy, edges, made);
    EXPECT_EQ(made, sums) << n;
  }
  // Each bin has its own sum: infinite weights make their bins infinite.
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<double> sums(2);
  weighted_histogram(where(), views::iota(0, 3), views::repeat(infinity, 3), sums, 0, 2);
  EXPECT_EQ(sums, (std::vector<double>{infinity, infinity}));
}

TEST_P(MadeOn, FoldsByKeyAndBySegment) {
  for (const u64 n : sizes) {
    const ints keys = with_runs(n);
    const std::deque<int> queue(keys.begin(), keys.end());
    const auto values = views::iota(u64{3}, n);
    counts folds, prefixes(n), before(n);
    ints firsts;
    for (u64 i = 0; i < n; ++i) {
      const bool head = i == 0 || keys[i] != keys[i - 1];
      if (head) firsts.push_back(keys[i]), folds.push_back(0);
      before[i] = head ? 5 : before[i - 1] + values[i - 1];
      prefixes[i] = folds.back() += values[i];
    }
    ints run_keys(n);
    counts sums(n, 77);
    ASSERT_EQ(reduce_by_key(where(), queue, values, run_keys, sums), folds.size()) << n;
    EXPECT_EQ(first_of(run_keys, folds.size()), firsts);
    EXPECT_EQ(first_of(sums, folds.size()), folds);
    // Of values of a narrower type, kept in the output's.
    sums.assign(n, 77);
    ASSERT_EQ(reduce_by_key(where(), keys, views::iota(3u, n), discard_output, sums, std::plus<>{}), folds.size());
    EXPECT_EQ(first_of(sums, folds.size()), folds);
    inclusive_scan_by_key(where(), queue, values, sums);
    EXPECT_EQ(sums, prefixes);
    exclusive_scan_by_key(where(), queue, values, sums, u64{5});
    EXPECT_EQ(sums, before);
    std::vector<double> half(n);
    inclusive_scan_by_key(where(), keys, values, transform_output(half, [](u64 v) { return 0.5 * double(v); }));
    for (u64 i = 0; i < n; ++i) ASSERT_EQ(half[i] * 2, static_cast<double>(prefixes[i]));
    // Segments of seven, with offsets that are a lazy view.
    const u64 segments = n / 7;
    const auto cuts = views::transform(views::iota(0u, segments + 1), [](unsigned s) { return 7 * s; });
    counts by_seven(segments), want(segments);
    for (u64 i = 0; i < segments * 7; ++i) want[i / 7] += values[i];
    segmented_reduce(where(), values, cuts, by_seven);
    EXPECT_EQ(by_seven, want);
    counts x(n), kept(n, 77);
    for (u64 i = 0; i < n; ++i) x[i] = values[i];
    segmented_exclusive_scan(where(), x, cuts, kept, u64{1});
    for (u64 i = 0, running = 1; i < segments * 7; ++i) {
      if (i % 7 == 0) running = 1;
      ASSERT_EQ(kept[i], running);
      running += x[i];
    }
    for (u64 i = segments * 7; i < n; ++i) ASSERT_EQ(kept[i], 77u);  // in no segment
    segmented_inclusive_scan(where(), x, cuts, x, maximum{});        // in place
    for (u64 i = 0; i < segments * 7; ++i) ASSERT_EQ(x[i], values[i]);
  }
}

TEST_P(MadeOn, OutputsAreChangedOrDiscarded) {
  for (const u64 n : sizes) {
    const ints x = with_runs(n);
    const auto tenth = [](auto v) { return static_cast<double>(v) / 8; };
    std::vector<double> out(n, 77), want(n);
    u64 kept = 0;
    for (const int v : x)
      if (is_odd(v)) want[kept++] = tenth(v);
    ASSERT_EQ(copy_if(where(), x, transform_output(out, tenth), is_odd), kept) << n;
    EXPECT_EQ(first_of(out, kept), first_of(want, kept));
    EXPECT_EQ(copy_if(where(), x, discard_output, is_odd), kept);
    ints rest(n);
    ASSERT_EQ(partition_copy(where(), x, discard_output, rest, is_odd), kept);
    for (u64 i = 0; i < n - kept; ++i) ASSERT_FALSE(is_odd(rest[i]));
    counts lengths(n);
    const u64 runs = run_length_encode(where(), x, discard_output, lengths);
    EXPECT_EQ(std::accumulate(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(runs), u64{0}), n);
    EXPECT_EQ(unique(where(), x, discard_output), runs);
    long long running = 0;
    for (u64 i = 0; i < n; ++i) want[i] = tenth(running += x[i]);
    inclusive_scan(where(), x, transform_output(out, tenth), 0LL);
    EXPECT_EQ(out, want);
    running = 40;
    for (u64 i = 0; i < n; running += x[i++]) want[i] = tenth(running);
    exclusive_scan(where(), x, transform_output(out, tenth), 40);
    EXPECT_EQ(out, want);
  }
}

// Device memory: operations that one kernel with temporary storage can do run everywhere; lazy views in C++ need the
// CPU or nvcc.
TEST_P(MadeOn, DeviceMemory) {
  const u64 n = 1000;
  const ints x = with_runs(n);
  const buffer<int> in(where(), x);
  buffer<int> out(where(), n);
  buffer<u64> sums(where(), n), count(where(), 1);
  counts folds;
  for (u64 i = 0; i < n; ++i) {
    if (i == 0 || x[i] != x[i - 1]) folds.push_back(0);
    folds.back() += i;
  }
  counts places(n);
  for (u64 i = 0; i < n; ++i) places[i] = i;
  const buffer<u64> values(where(), places);
  ASSERT_EQ(reduce_by_key(where(), in, values, discard_output, sums), folds.size());
  EXPECT_EQ(first_of(sums.download(), folds.size()), folds);
  reduce_by_key(where(), in, values, discard_output, sums, count);
  EXPECT_EQ(count.download()[0], folds.size());
  const auto later = views::transform(in, plus_one);
  if (is_cpu()) {
    ASSERT_EQ(copy_if(where(), later, out, is_odd),
              static_cast<u64>(std::ranges::count_if(x, [](int v) { return !is_odd(v); })));
    unique(where(), later, discard_output, count);
    EXPECT_EQ(count.download()[0], folds.size());
    buffer<u64> bins(where(), 3);
    histogram(where(), later, bins, 0, 12);
    EXPECT_EQ(reduce(where(), bins), n);
    return;
  }
  segmented_reduce(where(), values, views::stride(views::iota(u64{1}, 2), 1),
                   count);  // views without functions have device source
  EXPECT_EQ(count.download()[0], 1u);
  const auto refused = [&](const char* call, const auto& f) { expect_error(fault::unsupported, {call}, f); };
  refused("copy_if", [&] { (void)copy_if(where(), later, out, is_odd); });
  refused("copy_if", [&] { (void)copy_if(where(), in, discard_output, is_odd); });
  refused("unique", [&] { unique(where(), later, out, count); });
  refused("run_length_encode", [&] { (void)run_length_encode(where(), later, out, sums); });
  refused("three_way_partition", [&] { (void)three_way_partition(where(), later, out, is_odd, is_odd); });
  refused("histogram", [&] { histogram(where(), later, count, 0, 9); });
  refused("reduce_by_key", [&] { (void)reduce_by_key(where(), later, values, discard_output, sums); });
  refused("scan", [&] { inclusive_scan(where(), in, transform_output(out, plus_one)); });
}

// The members of a library's two-dimensional view.
struct transposed {
  const int* first;
  int rows, columns;
  int extent(int r) const { return r == 0 ? columns : rows; }
  int stride(int r) const { return r == 0 ? 1 : columns; }
  const int* data_handle() const { return first; }
};

TEST_P(MadeOn, RowsOfAMatrix) {
  const ints x = with_runs(1000);  // 19 rows of 50; 7 elements of each row are padding
  ints rows;
  for (std::size_t r = 0; r < 19; ++r)
    for (std::size_t c = 0; c < 43; ++c) rows.push_back(x[50 * r + c]);
  const auto middle = views::stride(x, 19, 43, 50);
  EXPECT_EQ(reduce(where(), middle), std::accumulate(rows.begin(), rows.end(), 0));
  ints out(rows.size());
  transform(context::cpu(), middle, out, [](int v) { return v; });
  EXPECT_EQ(out, rows);
  counts got(3), want(3);
  histogram(where(), middle, got, 0, 10);
  histogram(context::cpu(), rows, want, 0, 10);
  EXPECT_EQ(got, want);
  const ints m{1, 2, 3, 4, 5, 6};
  ints turned(6);
  inclusive_scan(where(), views::stride(transposed{m.data(), 2, 3}), turned);
  EXPECT_EQ(turned, (ints{1, 5, 7, 12, 15, 21}));
  EXPECT_EQ(reduce(where(), views::stride(m, 0, 7, 9)), 0);
  EXPECT_EQ(reduce(where(), views::stride(m, 2, 0, 9)), 0);
  EXPECT_EQ(reduce(where(), views::stride(m, 2, 3, 3)), 21);
  expect_error(fault::bad_argument, {"views::stride", "2 rows", "6"}, [&] { (void)views::stride(m, 2, 3, 4); });
  expect_error(fault::bad_argument, {"views::stride", "1 rows", "6"}, [&] { (void)views::stride(m, 1, 7, 1); });
}

TEST_P(MadeOn, WhatIsWrongIsSaid) {
  ints out(3, 77);
  expect_error(fault::bad_argument, {"copy_if", "5 elements", "3"},
               [&] { (void)copy_if(where(), views::iota(0, 5), out, [](int) { return true; }); });
  EXPECT_EQ(out, (ints{77, 77, 77}));
  expect_error(fault::bad_argument, {"select_flagged", "5 elements", "2"},
               [&] { (void)select_flagged(where(), views::iota(0, 5), std::vector<bool>(2), out); });
  expect_error(fault::bad_argument, {"unique", "overlap"},
               [&] { (void)unique(where(), out, transform_output(out, plus_one)); });
  expect_error(fault::bad_argument, {"partition", "5", "3"},
               [&] { (void)partition(where(), views::iota(0, 5), out, is_odd); });
  counts sums(3);
  expect_error(fault::bad_argument, {"reduce_by_key", "5", "4"},
               [&] { (void)reduce_by_key(where(), views::iota(0, 5), views::iota(u64{0}, 4), discard_output, sums); });
  expect_error(fault::bad_argument, {"reduce_by_key", "the values' output", "3"},
               [&] { (void)reduce_by_key(where(), views::iota(0, 5), views::iota(u64{0}, 5), discard_output, sums); });
  expect_error(fault::bad_argument, {"segmented_reduce", "offset 3"},
               [&] { segmented_reduce(where(), views::repeat(u64{1}, 2), views::iota(0, 4), sums); });
  expect_error(fault::bad_argument, {"weighted_histogram", "2", "3"}, [&] {
    std::vector<double> s(1);
    weighted_histogram(where(), views::iota(0, 2), views::repeat(1.0f, 3), s, 0, 1);
  });
  expect_error(fault::bad_argument, {"scan", "5", "3"},
               [&] { inclusive_scan(where(), views::iota(0, 5), transform_output(out, plus_one)); });
}

// The error messages of sort/sort_no_overload.hpp do not apply to sortable types, whatever their name.
TEST_P(MadeOn, WhatLiesInPiecesIsSortedIntoAnOutput) {
  for (const u64 n : sizes) {
    ints want = with_runs(n), sorted(n);
    std::deque<int> pieces(want.begin(), want.end());
    std::stable_sort(want.begin(), want.end());
    sort(where(), pieces, sorted);
    ASSERT_EQ(sorted, want) << n;
    sort(where(), std::as_const(pieces), std::span<int>(sorted), {.descending = true});
    ASSERT_EQ(ints(sorted.rbegin(), sorted.rend()), want) << n;
    stable_sort(where(), pieces, sorted);
    ASSERT_EQ(sorted, want) << n;
  }
}

// The elements of a zip are zip_references: of references where they are read, of values where they are stored. Every
// call on the CPU takes them.
TEST_P(MadeOn, RowsAreReadKeptAndCompared) {
  if (!is_cpu()) GTEST_SKIP() << "elements with copy operations of their own run on the CPU alone";
  using kept = zip_reference<int, std::string>;
  using sum = zip_reference<int, double>;
  for (const u64 n : sizes) {
    const ints a = with_runs(n);
    std::vector<std::string> names(n);
    std::vector<double> halves(n);
    for (u64 i = 0; i < n; ++i) names[i] = std::to_string(a[i] / 2), halves[i] = a[i] / 2.0;

    ints lengths(n), want(n);
    transform(where(), views::zip(a, names), lengths, [](const auto& r) {
      const auto [x, name] = r;
      return x * 100 + static_cast<int>(name.size());
    });
    for (u64 i = 0; i < n; ++i) want[i] = a[i] * 100 + static_cast<int>(names[i].size());
    ASSERT_EQ(lengths, want) << n;

    const auto add = [](const sum& x, const sum& y) { return sum{x.get<0>() + y.get<0>(), {x.get<1>() + y.get<1>()}}; };
    static_assert(std::same_as<decltype(views::zip(a, halves))::value_type, sum>);
    const sum all = reduce(where(), views::zip(a, halves), sum{0, {0.0}}, add);
    ASSERT_EQ(all.get<0>(), std::accumulate(a.begin(), a.end(), 0)) << n;
    ASSERT_EQ(all.get<1>(), std::accumulate(halves.begin(), halves.end(), 0.0)) << n;
    std::vector<sum> running(n);
    inclusive_scan(where(), views::zip(a, halves), running, add);
    if (n != 0) {
      ASSERT_EQ(running.back(), all) << n;
    }

    std::vector<kept> odd(n), distinct(n), wanted;
    for (u64 i = 0; i < n; ++i)
      if (is_odd(a[i])) wanted.push_back({a[i], {names[i]}});
    const u64 passed = copy_if(where(), views::zip(a, names), odd, [](const auto& r) { return is_odd(get_first(r)); });
    ASSERT_EQ(first_of(odd, passed), wanted) << n;
    wanted.clear();
    for (u64 i = 0; i < n; ++i)
      if (i == 0 || a[i] != a[i - 1]) wanted.push_back({a[i], {names[i]}});
    ASSERT_EQ(first_of(distinct, unique(where(), views::zip(a, names), distinct)), wanted) << n;
  }
  const kept one{3, {"three"}};
  auto [three, word] = one;
  EXPECT_EQ(std::to_string(three) + word, "3three");
}

}  // namespace
