// Orders by several members, and comparators wherever there is an order: in segments and their pairs, around an
// element, among the first k and theirs.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <tuple>

#include "tests/devices.hpp"
#include "upsweep/grouped.hpp"
#include "upsweep/sort.hpp"

namespace upsweep {
namespace {

using tests::expect_error;
using places = std::vector<std::uint64_t>;

struct trade {
  std::uint32_t day, at;
  float price;
  std::uint32_t half_day() const { return day / 2; }
  friend bool operator==(const trade&, const trade&) = default;
};

constexpr std::uint64_t sizes[]{0, 1, 2, 63, 1000, 40009};

std::vector<trade> random_trades(std::uint64_t n) {
  std::mt19937_64 random(n + 3);
  std::vector<trade> all(n);
  for (std::uint32_t i = 0; i < n; ++i)
    all[i] = {static_cast<std::uint32_t>(random() >> 40) % 5, i, static_cast<float>(random() % 100)};
  return all;
}
// By day, then the highest price first; equal ones keep their order.
bool in_order(const trade& a, const trade& b) {
  return std::tuple(a.day, -a.price, a.at) < std::tuple(b.day, -b.price, b.at);
}
template <class Compare>
std::vector<trade> in_order_of(std::vector<trade> x, Compare compare) {
  std::sort(x.begin(), x.end(), compare);
  return x;
}

struct ByOn : tests::on_each_device {
  bool is_cpu() const { return where().kind() == backend::cpu; }
};
INSTANTIATE_TEST_SUITE_P(, ByOn, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(ByOn, SortsRecordsBySeveralMembers) {
  const auto order = by(&trade::day, descending(&trade::price));
  if (!is_cpu()) {
    buffer<trade> x(where(), random_trades(10));
    return expect_error(fault::unsupported,
                        {"sort", where().kind() == backend::opencl ? "device source" : "comparator"},
                        [&] { sort(where(), x, order); });
  }
  for (const std::uint64_t n : sizes) {
    const auto x = random_trades(n);
    const auto want = in_order_of(x, in_order);
    auto here = x;
    sort(where(), here, order);
    EXPECT_EQ(here, want) << n;
    EXPECT_TRUE(is_sorted(where(), here, order));
    places indices(n), at(n), at_want(n);
    argsort(where(), x, indices, order);
    std::iota(at.begin(), at.end(), 0u);
    for (std::uint64_t i = 0; i < n; ++i) EXPECT_EQ(x[indices[i]], want[i]);
    here = x;
    sort_by_key(where(), here, at, order);
    EXPECT_EQ(at, indices) << n;
    buffer<trade> there(where(), x);
    sort(where(), there, order);
    EXPECT_EQ(there.download(), want) << n;
    // By functions, members and member functions; one part alone.
    here = x;
    sort(where(), here, by(&trade::half_day, [](const trade& t) { return -t.price; }, descending(&trade::at)));
    EXPECT_EQ(here, in_order_of(x, [](const trade& a, const trade& b) {
                return std::tuple(a.day / 2, -a.price, b.at) < std::tuple(b.day / 2, -b.price, a.at);
              }));
    here = x;
    sort(where(), here, by(descending(&trade::at)));
    EXPECT_EQ(here, std::vector<trade>(x.rbegin(), x.rend()));
  }
}

TEST_P(ByOn, SegmentsAndTheirPairs) {
  if (!is_cpu()) GTEST_SKIP() << "functions without device source run on the CPU alone";
  const auto order = by(&trade::day, descending(&trade::price));
  for (const std::uint64_t n : {0, 1, 700, 150001}) {
    const auto x = random_trades(static_cast<std::uint64_t>(n));
    // Short ones, an empty one, a long one; two elements before and after them lie in none.
    places cuts;
    for (const std::uint64_t c : {2u, 5u, 5u, 40u, 90u, 300u, 140000u})
      cuts.push_back(std::min<std::uint64_t>(c, x.size() - std::min<std::size_t>(x.size(), 2)));
    auto want = x;
    for (std::uint64_t s = 0; s + 1 < cuts.size(); ++s)
      std::sort(want.begin() + static_cast<std::ptrdiff_t>(cuts[s]),
                want.begin() + static_cast<std::ptrdiff_t>(cuts[s + 1]), in_order);
    auto keys = x, out = x;
    std::vector<std::string> names, names_want, beside;
    for (const trade& t : x) names.push_back(std::to_string(t.at));
    for (const trade& t : want) names_want.push_back(std::to_string(t.at));
    segmented_sort(where(), keys, cuts, order);
    EXPECT_EQ(keys, want) << n;
    segmented_sort(where(), x, out, cuts, order);
    EXPECT_EQ(out, want) << n;
    beside = names;
    keys = x;
    segmented_sort_by_key(where(), keys, beside, std::vector<std::uint32_t>(cuts.begin(), cuts.end()), order);
    EXPECT_EQ(keys, want) << n;
    EXPECT_EQ(beside, names_want) << n;
    std::vector<std::string> apart(names.size());
    segmented_sort_by_key(where(), x, names, out, apart, cuts, order);
    EXPECT_EQ(out, want) << n;
    EXPECT_EQ(apart, names_want) << n;
  }
  std::vector<trade> x(3);
  expect_error(fault::bad_argument, {"segmented_sort_by_key", "3 keys and 2 values"},
               [&] { segmented_sort_by_key(where(), x, std::vector<int>(2), places{0, 3}, order); });
}

// Orders that are built in run everywhere.
TEST_P(ByOn, BuiltInComparatorsInSegmentsAndPairs) {
  std::vector<std::uint32_t> keys{3, 1, 2, 9, 7, 8}, values{0, 1, 2, 3, 4, 5}, out(6);
  const places cuts{0, 3, 6};
  segmented_sort(where(), keys, out, cuts, std::greater<>{});
  EXPECT_EQ(out, (std::vector<std::uint32_t>{3, 2, 1, 9, 8, 7}));
  segmented_sort_by_key(where(), keys, values, cuts, std::greater<>{});
  EXPECT_EQ(values, (std::vector<std::uint32_t>{0, 2, 1, 3, 5, 4}));
  nth_element(where(), keys, out, 1, std::greater<>{});
  EXPECT_EQ(out[1], 8u);
  buffer<std::uint32_t> best(where(), 2), best_rows(where(), 2);
  const buffer<std::uint32_t> there(where(), std::vector<std::uint32_t>{3, 9, 2, 8}),
      rows(where(), std::vector<std::uint32_t>{30, 90, 20, 80});
  top_k_by_key(where(), there, rows, best, best_rows, std::less<>{});
  EXPECT_EQ(best_rows.download(), (std::vector<std::uint32_t>{20, 30}));
}

TEST_P(ByOn, AroundAnElementAndTheFirstOnes) {
  const auto order = by(&trade::day, descending(&trade::price), &trade::at);
  for (const std::uint64_t n : {1, 100, 40009}) {
    const auto x = random_trades(n);
    const auto want = in_order_of(x, in_order);
    std::vector<trade> out(n);
    for (const std::uint64_t k : {std::uint64_t{0}, n / 3, n - 1}) {
      nth_element(where(), x, out, k, order);  // host memory is the CPU's
      EXPECT_EQ(out[k], want[k]);
      auto sorted = in_order_of(out, in_order);
      EXPECT_EQ(sorted, want);
      for (std::uint64_t i = 0; i < n; ++i) EXPECT_FALSE(i < k ? order(out[k], out[i]) : order(out[i], out[k]));
    }
    if (!is_cpu()) continue;
    buffer<trade> there(where(), x);
    nth_element(where(), there, there, n / 2, order);
    EXPECT_EQ(there.download()[n / 2], want[n / 2]);
    const std::uint64_t k = std::min<std::uint64_t>(n, 17);
    std::vector<trade> best(k);
    std::vector<std::string> names, best_names(k);
    for (const trade& t : x) names.push_back(std::to_string(t.at));
    top_k_by_key(where(), x, names, best, best_names, order);
    for (std::uint64_t i = 0; i < k; ++i) {
      EXPECT_EQ(best[i], want[i]);
      EXPECT_EQ(best_names[i], std::to_string(want[i].at));
    }
  }
  std::vector<trade> x(3), out(3);
  expect_error(fault::bad_argument, {"nth_element", "rank 3", "3 elements"},
               [&] { nth_element(where(), x, out, 3, order); });
}

TEST(By, FloatsStandAsKeysDo) {
  struct reading {
    double value;
    int at;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<reading> x{{nan, 0}, {0.0, 1}, {-0.0, 2}, {-1, 3}, {nan, 4}, {7, 5}};
  const auto ends = [&](auto order) {
    auto all = x;
    sort(context::cpu(), all, order);
    std::vector<int> at;
    for (const reading& r : all) at.push_back(r.at);
    return at;
  };
  EXPECT_EQ(ends(by(&reading::value)), (std::vector<int>{3, 1, 2, 5, 0, 4}));
  EXPECT_EQ(ends(by(descending(&reading::value))), (std::vector<int>{0, 4, 5, 1, 2, 3}));
  EXPECT_EQ(ends(by(&reading::value, descending(&reading::at))), (std::vector<int>{3, 2, 1, 5, 4, 0}));
}

TEST(By, ElementsThatOnlyMove) {
  struct held {
    std::unique_ptr<int> value;
    int group;
  };
  std::vector<held> x;
  for (int i = 0; i < 9; ++i) x.push_back({std::make_unique<int>(i), i % 3});
  const places cuts{0, 9};
  segmented_sort(context::cpu(), x, cuts, by(&held::group, descending([](const held& h) { return *h.value; })));
  EXPECT_EQ(*x[0].value, 6);
  EXPECT_EQ(*x[8].value, 2);
  nth_element(context::cpu(), x, x, 4, by([](const held& h) { return *h.value; }));
  EXPECT_EQ(*x[4].value, 4);
}

// std::vector<bool> has no elements in memory to sort: bools of a segment and a comparator, alone and with values.
TEST(SortBySeveral, BoolsInSegments) {
  constexpr std::uint64_t n = 3001;
  const std::vector<std::uint64_t> offsets{0, 0, 1, 40, 41, 1000, n};
  std::mt19937_64 random(11);
  const auto x = std::make_unique<bool[]>(n), y = std::make_unique<bool[]>(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = random() % 3 == 0, y[i] = !x[i];
  const auto greater = [](bool a, bool b) { return a && !b; };
  segmented_sort(context::cpu(2), std::span(x.get(), n), std::span(y.get(), n), offsets, greater);
  std::vector<std::uint32_t> at(n);
  std::iota(at.begin(), at.end(), 0u);
  const auto keys = std::make_unique<bool[]>(n);
  std::copy_n(x.get(), n, keys.get());
  segmented_sort_by_key(context::cpu(2), std::span(keys.get(), n), at, offsets, greater);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::vector<std::uint32_t> want;
    for (const bool set : {true, false})
      for (std::uint64_t i = offsets[s]; i < offsets[s + 1]; ++i)
        if (x[i] == set) want.push_back(static_cast<std::uint32_t>(i));
    for (std::uint64_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      const std::uint32_t from = want[i - offsets[s]];
      ASSERT_EQ(y[i], x[from]) << i;
      ASSERT_EQ(keys[i], x[from]) << i;
      ASSERT_EQ(at[i], from) << i;
    }
  }
}

}  // namespace
}  // namespace upsweep
