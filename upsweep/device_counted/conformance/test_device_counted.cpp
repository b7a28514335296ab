// Calls whose count is in device memory, compared with the same calls on that number of elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/devices.hpp"
#include "upsweep/device_counted.hpp"
#include "upsweep/expression.hpp"

namespace upsweep {
namespace {

using tests::expect_error;

struct CountedOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, CountedOn, testing::ValuesIn(tests::device_names()), tests::device_label);

// Numbers of few values, so that there are runs and equal keys, and the ends of T's range.
template <class T>
std::vector<T> values(std::size_t n, std::uint64_t seed, int apart = 50) {
  std::mt19937_64 random(seed * 1000003 + n);
  std::vector<T> x(n);
  for (T& v : x) {
    const auto r = random();
    const bool high = r % 17 == 0, low = r % 19 == 0;
    if constexpr (std::is_floating_point_v<T>) {
      const T infinity = std::numeric_limits<T>::infinity();
      v = high ? infinity : low ? -infinity : static_cast<T>(static_cast<int>(r >> 8 & 0xffff) % apart - 20);
    } else {
      v = high  ? std::numeric_limits<T>::max()
          : low ? std::numeric_limits<T>::lowest()
                : static_cast<T>((r >> 8) % static_cast<std::uint64_t>(apart));
    }
  }
  return x;
}

template <class T>
std::vector<T> poison(std::size_t n) {
  std::vector<T> x(n);
  std::memset(static_cast<void*>(x.data()), 0xab, n * sizeof(T));
  return x;
}

// x with its first elements replaced.
template <class T>
std::vector<T> with_first(std::vector<T> x, const std::vector<T>& first) {
  std::copy(first.begin(), first.end(), x.begin());
  return x;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Calls f(size, count, held): counts of nothing, of all, and of more than there are.
template <class F>
void for_each_count(F f) {
  std::uint64_t random = 12345;
  for (const std::size_t size : {1, 31, 1000, 20011}) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, (random >> 33) % size, size - 1,
                                      std::uint64_t{size}, ~std::uint64_t{0}}) {
      SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(size));
      f(size, count, static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(count, size)));
    }
  }
}

template <class T>
void check_sorts(const context& c) {
  for_each_count([&](std::size_t size, std::uint64_t count, std::ptrdiff_t held) {
    const std::vector<T> x = values<T>(size, count);
    const std::vector<T> first(x.begin(), x.begin() + held);
    const buffer<std::uint64_t> n(c, std::vector{count});
    std::vector<std::uint16_t> all(size);
    std::iota(all.begin(), all.end(), std::uint16_t{0});
    for (const sort_options& options : {sort_options{}, sort_options{true, 0, 0}, sort_options{true, 2, 7},
                                        sort_options{true, 3, 8 * sizeof(T)}, sort_options{false, 1, 6}}) {
      std::vector<T> want = first;
      std::vector<std::uint16_t> places(all.begin(), all.begin() + held);
      sort_by_key(context::cpu(1), want, places, options);
      buffer<T> keys(c, x), out(c, poison<T>(size)), pairs(c, x);
      buffer<std::uint16_t> moved(c, all);
      sort(c, device_counted(keys, n), out, options);
      EXPECT_TRUE(same(out.download(), with_first(poison<T>(size), want)));
      sort(c, device_counted(keys.span(), n.span()), options);
      EXPECT_TRUE(same(keys.download(), with_first(x, want)));
      sort_by_key(c, device_counted(pairs, n), moved, options);
      EXPECT_TRUE(same(pairs.download(), with_first(x, want)));
      EXPECT_TRUE(same(moved.download(), with_first(all, places)));
    }
  });
}
TEST_P(CountedOn, SortOfU32) { check_sorts<std::uint32_t>(where()); }
TEST_P(CountedOn, SortOfI16) { check_sorts<std::int16_t>(where()); }
TEST_P(CountedOn, SortOfF32) { check_sorts<float>(where()); }
TEST_P(CountedOn, SortOfI64) { check_sorts<std::int64_t>(where()); }
TEST_P(CountedOn, SortByGreater) {
  const std::vector<std::uint32_t> x = values<std::uint32_t>(5000, 3);
  buffer<std::uint32_t> keys(where(), x);
  const buffer<std::uint64_t> n(where(), std::vector<std::uint64_t>{4000});
  sort(where(), device_counted(keys, n), std::greater<>());
  std::vector<std::uint32_t> want = x;
  std::sort(want.begin(), want.begin() + 4000, std::greater<>());
  EXPECT_EQ(keys.download(), want);
}

template <class T, class A>
void check_scans(const context& c) {
  for_each_count([&](std::size_t size, std::uint64_t count, std::ptrdiff_t held) {
    const std::vector<T> x = values<T>(size, count, 9);
    const std::vector<T> first(x.begin(), x.begin() + held);
    const buffer<std::uint64_t> n(c, std::vector{count});
    const buffer<T> in(c, x);
    std::vector<A> want(first.size());
    const context cpu = context::cpu(1);
    const auto check = [&](const auto& call) {
      buffer<A> out(c, poison<A>(size));
      call(c, device_counted(in, n), out);
      call(cpu, first, want);
      EXPECT_TRUE(same(out.download(), with_first(poison<A>(size), want)));
    };
    check([](const context& on, const auto& from, auto& to) { inclusive_scan(on, from, to); });
    check([](const context& on, const auto& from, auto& to) { exclusive_scan(on, from, to); });
    check([](const context& on, const auto& from, auto& to) { exclusive_scan(on, from, to, A(5)); });
    check([](const context& on, const auto& from, auto& to) { exclusive_scan(on, from, to, A(5), maximum{}); });
    check([](const context& on, const auto& from, auto& to) { exclusive_scan(on, from, to, minimum{}); });
    check([](const context& on, const auto& from, auto& to) { inclusive_scan(on, from, to, maximum{}, A(7)); });
    check([](const context& on, const auto& from, auto& to) { inclusive_scan(on, from, to, A(7), maximum{}); });
    check([](const context& on, const auto& from, auto& to) { inclusive_scan(on, from, to, minimum{}); });
    if constexpr (std::is_same_v<T, A>) {
      buffer<T> in_place(c, x);
      inclusive_scan(c, device_counted(in_place, n), in_place);
      inclusive_scan(cpu, first, want);
      EXPECT_TRUE(same(in_place.download(), with_first(x, want)));
    }
  });
}
TEST_P(CountedOn, Scans) {
  check_scans<std::uint32_t, std::uint32_t>(where());
  check_scans<std::int64_t, std::int64_t>(where());
}
TEST_P(CountedOn, ScansIntoWiderOnTheCpu) {
  if (where().kind() == backend::cpu) check_scans<std::uint32_t, std::uint64_t>(where());
}

template <class T, class Op>
void check_reduce(const context& c, Op op) {
  for_each_count([&](std::size_t size, std::uint64_t count, std::ptrdiff_t held) {
    const std::vector<T> x = values<T>(size, count);
    const std::vector<T> first(x.begin(), x.begin() + held);
    const buffer<std::uint64_t> n(c, std::vector{count});
    const buffer<T> in(c, x);
    buffer<T> out(c, 1);
    reduce(c, device_counted(in, n), out.span(), op);
    EXPECT_EQ(out.download()[0], reduce(context::cpu(1), first, op));
    reduce(c, device_counted(in, n), out.span(), T(3), op);
    EXPECT_EQ(out.download()[0], reduce(context::cpu(1), first, T(3), op));
  });
}
TEST_P(CountedOn, Reduces) {
  check_reduce<std::uint32_t>(where(), plus{});
  check_reduce<std::int32_t>(where(), minimum{});
  check_reduce<float>(where(), maximum{});
  check_reduce<std::uint64_t>(where(), bit_xor{});
}

template <class T>
void check_selections(const context& c, const std::vector<T>& thresholds) {
  for_each_count([&](std::size_t size, std::uint64_t count, std::ptrdiff_t held) {
    const std::vector<T> x = values<T>(size, count);
    const std::vector<T> first(x.begin(), x.begin() + held);
    const context cpu = context::cpu(1);
    const buffer<T> in(c, x);
    for (const T t : thresholds)
      for (const compared<T>& test :
           {less_than(t), at_most(t), greater_than(t), at_least(t), equal_to(t), not_equal_to(t)}) {
        SCOPED_TRACE(std::string(name_of(test.how)) + " " + std::to_string(static_cast<double>(t)));
        // The count that is read may be the one that is written.
        buffer<std::uint64_t> n(c, std::vector{count});
        buffer<T> out(c, poison<T>(size));
        std::vector<T> want(first.size()), parts(first.size());
        const std::uint64_t kept = copy_if(cpu, first, want, test);
        want.resize(kept);
        copy_if(c, device_counted(in, n), out, n.span(), test);
        EXPECT_EQ(n.download()[0], kept);
        EXPECT_TRUE(same(out.download(), with_first(poison<T>(size), want)));
        n.upload(std::vector{count}), out.upload(poison<T>(size));
        EXPECT_EQ(partition(cpu, first, parts, test), kept);
        partition(c, device_counted(in, n), out, n.span(), test);
        EXPECT_EQ(n.download()[0], kept);
        EXPECT_TRUE(same(out.download(), with_first(poison<T>(size), parts)));
        n.upload(std::vector{count});
        buffer<T> in_place(c, x);
        partition(c, device_counted(in_place, n), in_place, n.span(), test);
        EXPECT_TRUE(same(in_place.download(), with_first(x, parts)));
        n.upload(std::vector{count}), in_place.upload(x);
        copy_if(c, device_counted(in_place, n), in_place, n.span(), test);
        EXPECT_EQ(n.download()[0], kept);
        EXPECT_TRUE(same(in_place.download(), with_first(x, want)));
      }
  });
}
TEST_P(CountedOn, SelectionsOfU8) { check_selections<std::uint8_t>(where(), {0, 20, 255}); }
TEST_P(CountedOn, SelectionsOfI32) {
  check_selections<std::int32_t>(where(), {5, std::numeric_limits<std::int32_t>::max()});
}
TEST_P(CountedOn, SelectionsOfF32) {
  using limits = std::numeric_limits<float>;
  check_selections<float>(where(), {0.0f, -limits::infinity(), limits::quiet_NaN()});
}

template <class T>
void check_flags_and_runs(const context& c) {
  for_each_count([&](std::size_t size, std::uint64_t count, std::ptrdiff_t held) {
    std::vector<T> x = values<T>(size, count, 3);
    if (held > 0) {
      T& last = x[static_cast<std::size_t>(held) - 1];
      if constexpr (std::is_floating_point_v<T>)
        if (count % 2 == 1) last = std::numeric_limits<T>::quiet_NaN();
      // What stands in for the rest may stand last, too.
      if (count % 3 == 0) std::memset(static_cast<void*>(&last), 0x3f, sizeof(T));
    }
    const std::vector<T> first(x.begin(), x.begin() + held);
    const std::vector<std::uint8_t> flags = values<std::uint8_t>(size, count + 1, 2);
    const std::vector<std::uint32_t> weights = values<std::uint32_t>(size, count + 2);
    const context cpu = context::cpu(1);
    const buffer<T> in(c, x);
    const buffer<std::uint8_t> flags_there(c, flags);
    const buffer<std::uint32_t> weights_there(c, weights);
    buffer<std::uint64_t> n(c, std::vector{count});
    buffer<T> out(c, poison<T>(size));
    std::vector<T> want(first.size()), heads(first.size());
    const std::uint64_t kept =
        select_flagged(cpu, first, std::vector<std::uint8_t>(flags.begin(), flags.begin() + held), want);
    want.resize(kept);
    select_flagged(c, device_counted(in, n), flags_there, out, n.span());
    EXPECT_EQ(n.download()[0], kept);
    EXPECT_TRUE(same(out.download(), with_first(poison<T>(size), want)));

    n.upload(std::vector{count}), out.upload(poison<T>(size));
    const std::uint64_t runs = unique(cpu, first, heads);
    heads.resize(runs);
    unique(c, device_counted(in, n), out, n.span());
    EXPECT_EQ(n.download()[0], runs);
    EXPECT_TRUE(same(out.download(), with_first(poison<T>(size), heads)));
    n.upload(std::vector{count}), out.upload(x);
    unique(c, device_counted(out, n), out, n.span());
    EXPECT_TRUE(same(out.download(), with_first(x, heads)));

    n.upload(std::vector{count}), out.upload(poison<T>(size));
    buffer<std::uint32_t> folds(c, poison<std::uint32_t>(size));
    std::vector<std::uint32_t> sums(first.size());
    std::vector<T> keys(first.size());
    EXPECT_EQ(reduce_by_key(cpu, first, std::vector<std::uint32_t>(weights.begin(), weights.begin() + held), keys, sums,
                            maximum{}),
              runs);
    sums.resize(runs);
    reduce_by_key(c, device_counted(in, n), weights_there, out, folds, n.span(), maximum{});
    EXPECT_EQ(n.download()[0], runs);
    EXPECT_TRUE(same(out.download(), with_first(poison<T>(size), heads)));
    EXPECT_TRUE(same(folds.download(), with_first(poison<std::uint32_t>(size), sums)));

    const std::vector<std::uint32_t> held_weights(weights.begin(), weights.begin() + held);
    sums.resize(first.size());
    n.upload(std::vector{count}), folds.upload(poison<std::uint32_t>(size));
    inclusive_scan_by_key(cpu, first, held_weights, sums);
    inclusive_scan_by_key(c, device_counted(in, n), weights_there, folds);
    EXPECT_TRUE(same(folds.download(), with_first(poison<std::uint32_t>(size), sums)));
    exclusive_scan_by_key(cpu, first, held_weights, sums, 5u, maximum{});
    exclusive_scan_by_key(c, device_counted(in, n), weights_there, folds, 5u, maximum{});
    EXPECT_TRUE(same(folds.download(), with_first(poison<std::uint32_t>(size), sums)));
    exclusive_scan_by_key(cpu, first, held_weights, sums);
    exclusive_scan_by_key(c, device_counted(in, n), weights_there, folds);
    EXPECT_TRUE(same(folds.download(), with_first(poison<std::uint32_t>(size), sums)));
  });
}
TEST_P(CountedOn, FlagsAndRuns) {
  check_flags_and_runs<std::uint32_t>(where());
  check_flags_and_runs<float>(where());
  check_flags_and_runs<std::uint8_t>(where());
}

template <class T>
void check_histograms(const context& c, bin_bound<T> lower, bin_bound<T> upper, std::size_t bins) {
  for_each_count([&](std::size_t size, std::uint64_t count, std::ptrdiff_t held) {
    const std::vector<T> x = values<T>(size, count);
    const buffer<std::uint64_t> n(c, std::vector{count});
    const buffer<T> in(c, x);
    buffer<std::uint64_t> out(c, bins);
    std::vector<std::uint64_t> want(bins);
    histogram(context::cpu(1), std::vector<T>(x.begin(), x.begin() + held), want, lower, upper);
    histogram(c, device_counted(in, n), out, lower, upper);
    EXPECT_EQ(out.download(), want);
  });
}
TEST_P(CountedOn, Histograms) {
  check_histograms<std::uint8_t>(where(), 0, 256, 256);
  check_histograms<std::int32_t>(where(), -7, 30, 11);
  check_histograms<std::uint32_t>(where(), 1, 40, 5);
  check_histograms<float>(where(), -10.0f, 10.0f, 100);
}

// One call's count is the next call's size, without a wait in between.
TEST_P(CountedOn, OneAfterTheOther) {
  const std::vector<std::uint32_t> x = values<std::uint32_t>(30011, 9, 100000);
  const buffer<std::uint32_t> in(where(), x);
  buffer<std::uint32_t> kept(where(), poison<std::uint32_t>(x.size())), sums(where(), x.size()), total(where(), 1);
  buffer<std::uint64_t> n(where(), 1);
  std::vector<std::uint32_t> want;
  std::ranges::copy_if(x, std::back_inserter(want), [](auto v) { return v < 60000; });
  std::ranges::sort(want);
  const auto some = device_counted(kept, n);
  const auto calls = [&] {
    copy_if(where(), in.span(), kept.span(), n.span(), less_than(60000u));
    sort(where(), some);
    inclusive_scan(where(), some, sums);
    reduce(where(), some, total.span());
  };
  calls();
  EXPECT_TRUE(same(kept.download(), with_first(poison<std::uint32_t>(x.size()), want)));
  EXPECT_EQ(total.download()[0], std::accumulate(want.begin(), want.end(), 0u));
  EXPECT_EQ(sums.download()[want.size() - 1], total.download()[0]);
  // A second round takes no more scratch.
  const std::uint64_t allocations = where().temporary_storage_allocations();
  calls();
  EXPECT_EQ(where().temporary_storage_allocations(), allocations);
  unique(where(), some, sums, n.span());
  want.erase(std::unique(want.begin(), want.end()), want.end());
  EXPECT_EQ(n.download()[0], want.size());
}

struct pair {
  std::uint32_t a, b;
  friend bool operator==(const pair&, const pair&) = default;
};
struct of_even_a {
  bool operator()(const pair& p) const { return p.a % 2 == 0; }
};
struct by_b_down {
  bool operator()(const pair& x, const pair& y) const { return x.b > y.b; }
};

TEST_P(CountedOn, TypesAndTestsOfOnesOwn) {
  std::vector<pair> x(1000);
  for (std::uint32_t i = 0; i < x.size(); ++i) x[i] = {i * 7919 % 1000, i};
  const buffer<pair> in(where(), x);
  buffer<pair> out(where(), x);
  buffer<std::uint64_t> n(where(), std::vector<std::uint64_t>{700}), kept(where(), 1);
  if (where().kind() == backend::cpu) {
    std::vector<pair> want;
    std::copy_if(x.begin(), x.begin() + 700, std::back_inserter(want), of_even_a{});
    copy_if(where(), device_counted(in, n), out, kept.span(), of_even_a{});
    EXPECT_EQ(kept.download()[0], want.size());
    want = with_first(x, want);
    EXPECT_EQ(out.download(), want);
    sort(where(), device_counted(out, n), by_b_down{});
    std::sort(want.begin(), want.begin() + 700, by_b_down{});
    EXPECT_EQ(out.download(), want);
    return;
  }
  const std::string needs = "by one with device source";
  expect_error(fault::unsupported, {needs},
               [&] { copy_if(where(), device_counted(in, n), out, kept.span(), of_even_a{}); });
  expect_error(fault::unsupported, {needs},
               [&] { partition(where(), device_counted(in, n), out, kept.span(), of_even_a{}); });
  expect_error(fault::unsupported, {"sort", "not by a comparator"},
               [&] { sort(where(), device_counted(out, n), by_b_down{}); });
  expect_error(fault::unsupported, {"unique", "of a built-in type"},
               [&] { unique(where(), device_counted(in, n), out, kept.span()); });
}

// Every counted call that takes a function, by an expression: the same as on the CPU.
template <class T>
void check_expressions(const context& c) {
  const context cpu = context::cpu(1);
  for_each_count([&](std::size_t size, std::uint64_t count, std::ptrdiff_t held) {
    const std::vector<T> x = values<T>(size, count, 9);
    std::vector<std::uint32_t> keys = values<std::uint32_t>(size, count + 1, 3);
    const buffer<std::uint64_t> n(c, std::vector{count});
    const buffer<T> in(c, x);
    const std::vector<T> first(x.begin(), x.begin() + held);
    for (const char* source : {"x > 3", "x <= 3", "x != x", "x == x"}) {
      SCOPED_TRACE(source);
      const expression test(source);
      std::vector<T> want(first.size());
      const std::uint64_t kept = copy_if(cpu, first, want, test);
      want.resize(kept);
      buffer<T> out(c, poison<T>(size));
      buffer<std::uint64_t> selected(c, 1);
      copy_if(c, device_counted(in, n), out, selected.span(), test);
      EXPECT_EQ(selected.download()[0], kept);
      EXPECT_TRUE(same(out.download(), with_first(poison<T>(size), want)));
      std::vector<T> parted(first.size());
      EXPECT_EQ(partition(cpu, first, parted, test), kept);
      buffer<T> both(c, poison<T>(size));
      partition(c, device_counted(in, n), both, selected.span(), test);
      EXPECT_EQ(selected.download()[0], kept);
      EXPECT_TRUE(same(both.download(), with_first(poison<T>(size), parted)));
      buffer<T> in_place(c, x);
      copy_if(c, device_counted(in_place, n), in_place, selected.span(), test);
      EXPECT_TRUE(same(in_place.download(), with_first(x, want)));
    }
    const auto greater = expression("a > b ? a : b", std::numeric_limits<T>::lowest());
    if (size > 0) {
      std::vector<T> running(first.size());
      inclusive_scan(cpu, first, running, greater);
      buffer<T> out(c, poison<T>(size));
      inclusive_scan(c, device_counted(in, n), out, greater);
      EXPECT_TRUE(same(out.download(), with_first(poison<T>(size), running)));
      buffer<T> one(c, 1);
      reduce(c, device_counted(in, n), one.span(), greater);
      EXPECT_EQ(one.download()[0], reduce(cpu, first, greater));
      const std::vector<std::uint32_t> first_keys(keys.begin(), keys.begin() + held);
      inclusive_scan_by_key(cpu, first_keys, first, running, greater);
      const buffer<std::uint32_t> k(c, keys);
      buffer<T> by_key(c, poison<T>(size));
      inclusive_scan_by_key(c, device_counted(k, n), in, by_key, greater);
      EXPECT_TRUE(same(by_key.download(), with_first(poison<T>(size), running)));
      std::vector<std::uint32_t> runs(first.size());
      std::vector<T> folds(first.size());
      const std::uint64_t many = reduce_by_key(cpu, first_keys, first, runs, folds, greater);
      runs.resize(many), folds.resize(many);
      buffer<std::uint32_t> heads(c, poison<std::uint32_t>(size));
      buffer<T> sums(c, poison<T>(size));
      buffer<std::uint64_t> found(c, 1);
      reduce_by_key(c, device_counted(k, n), in, heads, sums, found.span(), greater);
      EXPECT_EQ(found.download()[0], many);
      EXPECT_TRUE(same(heads.download(), with_first(poison<std::uint32_t>(size), runs)));
      EXPECT_TRUE(same(sums.download(), with_first(poison<T>(size), folds)));
    }
    buffer<T> sorted(c, x);
    const auto by_expression = [&] { sort(c, device_counted(sorted, n), expression("b < a")); };
    if (c.kind() != backend::cpu)
      return expect_error(fault::unsupported, {"sort", "not by a comparator", "sort_options"}, by_expression);
    by_expression();
    std::vector<T> down = first;
    std::stable_sort(down.begin(), down.end(), std::greater<>());
    EXPECT_TRUE(same(sorted.download(), with_first(x, down)));
  });
}
TEST_P(CountedOn, ExpressionsOfI32) { check_expressions<std::int32_t>(where()); }
TEST_P(CountedOn, ExpressionsOfF32) { check_expressions<float>(where()); }
TEST_P(CountedOn, ExpressionsOfU64) { check_expressions<std::uint64_t>(where()); }

TEST_P(CountedOn, WrongCalls) {
  buffer<std::uint32_t> x(where(), 10), y(where(), 9);
  buffer<std::uint64_t> n(where(), 1), two(where(), 2);
  where().device().fill(n.span().where(), 0, 8);
  const auto bad = [](const std::vector<std::string>& pieces, auto call) {
    expect_error(fault::bad_argument, pieces, call);
  };
  bad({"device_counted", "the count's span has 2 elements", "exactly one"}, [&] { device_counted(x, two); });
  bad({"sort", "10 keys and 9 output elements"}, [&] { sort(where(), device_counted(x, n), y); });
  bad({"sort_by_key", "10 keys and 9 values"}, [&] { sort_by_key(where(), device_counted(x, n), y); });
  bad({"scan", "10 elements and the output 9"}, [&] { inclusive_scan(where(), device_counted(x, n), y); });
  bad({"copy_if", "has 9 elements and 10 may be written"},
      [&] { copy_if(where(), device_counted(x, n), y, n.span(), less_than(3u)); });
  bad({"overlap"}, [&] {
    partition(where(), device_counted(x.span().subspan(0, 9), n), x.span().subspan(1, 9), n.span(), less_than(3u));
  });
  bad({"select_flagged", "10 elements and 4 flags"},
      [&] { select_flagged(where(), device_counted(x, n), buffer<std::uint8_t>(where(), 4), x, n.span()); });
  bad({"reduce", "the output span has 2 elements"},
      [&] { reduce(where(), device_counted(x, n), y.span().subspan(0, 2)); });
}

}  // namespace
}  // namespace upsweep
