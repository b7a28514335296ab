// search.hpp's contract, line by line, on every usable device. The algorithms themselves are checked through the
// catalog.
#include "upsweep/search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <random>
#include <string>

#include "tests/devices.hpp"

namespace upsweep {
namespace {

using tests::expect_error;
using u64 = std::uint64_t;
using floats = std::vector<float>;
using ints = std::vector<std::int32_t>;
using places = std::vector<u64>;

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();

struct SearchOn : tests::on_each_device {
  bool is_cpu() const { return where().kind() == backend::cpu; }
};
INSTANTIATE_TEST_SUITE_P(, SearchOn, testing::ValuesIn(tests::device_names()), tests::device_label);

ints random_ints(u64 n, std::uint32_t below, u64 seed) {
  std::mt19937_64 random(seed + n);
  ints x(n);
  for (auto& e : x) e = static_cast<std::int32_t>(random() % below) - static_cast<std::int32_t>(below / 3);
  return x;
}

constexpr u64 sizes[]{0, 1, 2, 31, 33, 255, 257, 4095, 4097, 16385, 65537, 100003};

template <class Iterator>
u64 place(Iterator first, Iterator at) {
  return static_cast<u64>(at - first);
}

TEST_P(SearchOn, CountsAndFinds) {
  for (const u64 n : sizes) {
    const ints x = random_ints(n, 1000, 1);
    const buffer<std::int32_t> on_device(where(), x);
    for (const std::int32_t t : {-400, -333, 0, 5, 666}) {
      const auto below = [t](std::int32_t v) { return v < t; };
      const auto count = static_cast<u64>(std::count_if(x.begin(), x.end(), below));
      EXPECT_EQ(count_if(where(), x, less_than(t)), count) << n;
      EXPECT_EQ(count_if(where(), on_device, less_than(t)), count) << n;
      const u64 first = place(x.begin(), std::find_if(x.begin(), x.end(), below));
      EXPECT_EQ(find_if(where(), x, less_than(t)), first) << n;
      EXPECT_EQ(find_if(where(), on_device, less_than(t)), first) << n;
      EXPECT_EQ(find_if_not(where(), on_device, at_least(t)), first) << n;
      EXPECT_EQ(any_of(where(), on_device, less_than(t)), count > 0) << n;
      EXPECT_EQ(all_of(where(), on_device, less_than(t)), count == n) << n;
      EXPECT_EQ(none_of(where(), x, less_than(t)), count == 0) << n;
      EXPECT_EQ(upsweep::count(where(), x, t), static_cast<u64>(std::count(x.begin(), x.end(), t))) << n;
      EXPECT_EQ(find(where(), on_device, t), place(x.begin(), std::find(x.begin(), x.end(), t))) << n;
    }
  }
}

// A value that no element can have is none of them, whatever it would be if it were cut to fit.
TEST_P(SearchOn, ValuesOfOtherTypes) {
  const std::vector<std::uint8_t> x{0, 255, 1};
  EXPECT_EQ(upsweep::count(where(), x, -1), 0u);
  EXPECT_EQ(upsweep::count(where(), x, 256), 0u);
  EXPECT_EQ(find(where(), x, 511L), 3u);
  EXPECT_EQ(find(where(), x, 255), 1u);
  EXPECT_EQ(find(where(), std::vector<std::uint32_t>{7, 0xffffffffu}, -1), 2u);
  EXPECT_EQ(upsweep::count(where(), floats{1, 2, 1}, 1), 2u);
}

TEST_P(SearchOn, AnswersStayOnTheDevice) {
  const ints x = random_ints(50021, 1000, 2);
  const buffer<std::int32_t> in(where(), x);
  buffer<u64> out(where(), 4);
  count_if(where(), in, out.span().subspan(0, 1), at_most(3));
  find_if(where(), in.span(), out.span().subspan(1, 1), equal_to(601));
  argmax(where(), in, out.span().subspan(2, 1));
  mismatch(where(), in, in, out.span().subspan(3, 1));
  EXPECT_EQ(out.download(), (places{static_cast<u64>(std::count_if(x.begin(), x.end(), [](int v) { return v <= 3; })),
                                    place(x.begin(), std::find(x.begin(), x.end(), 601)),
                                    place(x.begin(), std::max_element(x.begin(), x.end())), x.size()}));
  find_if_not(where(), in, out.span().subspan(0, 1), less_than(500));
  argmin(where(), in, out.span().subspan(1, 1));
  EXPECT_EQ(out.download()[0], place(x.begin(), std::find_if(x.begin(), x.end(), [](int v) { return v >= 500; })));
  EXPECT_EQ(out.download()[1], place(x.begin(), std::min_element(x.begin(), x.end())));
  expect_error(fault::bad_argument, {"4 elements", "exactly one"}, [&] { argmin(where(), in, out.span()); });
  buffer<u64> wide(where(), places{1, 2, 3});
  expect_error(fault::bad_argument, {"find_if", "overlap"},
               [&] { find_if(where(), wide, wide.span().subspan(1, 1), equal_to(u64{2})); });
  expect_error(fault::bad_argument, {"argmax", "overlap"}, [&] { argmax(where(), wide, wide.span().subspan(2, 1)); });
  expect_error(fault::bad_argument, {"count_if", "exactly one"},
               [&] { count_if(where(), in, out.span(), less_than(1)); });
}

TEST_P(SearchOn, TheFirstOfEqualExtremes) {
  const ints x{3, 1, 9, 1, 9, 3};
  EXPECT_EQ(argmin(where(), x), 1u);
  EXPECT_EQ(argmax(where(), x), 2u);
  EXPECT_EQ(min_element(where(), x, std::greater<>{}), 2u);
  EXPECT_EQ(max_element(where(), x, std::greater<int>{}), 1u);
  EXPECT_EQ(minmax_element(where(), x), (minmax_result<u64>{1, 2}));
  EXPECT_EQ(minmax(where(), x), (minmax_result<std::int32_t>{1, 9}));
  const buffer<std::int32_t> on_device(where(), x);
  EXPECT_EQ(minmax(where(), on_device), (minmax_result<std::int32_t>{1, 9}));
  EXPECT_EQ(argmin(where(), ints{}), 0u);
  EXPECT_EQ(argmax(where(), ints{}), 0u);
  expect_error(fault::bad_argument, {"minmax", "no elements"}, [&] { (void)minmax(where(), ints{}); });
  for (const u64 n : sizes) {
    if (n == 0) continue;
    const ints many = random_ints(n, 50, 3);
    EXPECT_EQ(argmin(where(), many), place(many.begin(), std::min_element(many.begin(), many.end()))) << n;
    EXPECT_EQ(argmax(where(), many), place(many.begin(), std::max_element(many.begin(), many.end()))) << n;
  }
}

TEST_P(SearchOn, NaNsArePassedOver) {
  EXPECT_EQ(argmin(where(), floats{nan, 2, nan, 1, 1}), 3u);
  EXPECT_EQ(argmax(where(), floats{nan, 1, nan, 2, 2}), 3u);
  EXPECT_EQ(argmin(where(), floats{nan, infinity}), 1u);
  EXPECT_EQ(argmax(where(), floats{nan, -infinity}), 1u);
  EXPECT_EQ(argmin(where(), floats{nan, -nan}), 0u);
  EXPECT_EQ(argmax(where(), floats{-nan, nan}), 0u);
  EXPECT_EQ(argmin(where(), floats{0.0f, -0.0f}), 0u);
  EXPECT_EQ(argmax(where(), floats{-0.0f, 0.0f}), 0u);
  EXPECT_EQ(minmax(where(), floats{nan, 4, -1, nan}), (minmax_result<float>{-1, 4}));
  // Whole blocks of NaNs before an infinity.
  floats late(70001, nan);
  late[70000] = infinity;
  EXPECT_EQ(argmin(where(), late), 70000u);
  late[70000] = -infinity;
  EXPECT_EQ(argmax(where(), late), 70000u);
  EXPECT_EQ(argmin(where(), std::vector<half>{half(nan), half(2.0f), half(1.0f)}), 2u);
  EXPECT_EQ(argmax(where(), std::vector<half>{half(nan), half(-infinity), half(-infinity)}), 1u);
  EXPECT_EQ(count_if(where(), floats{nan, 1, 2}, not_equal_to(1.0f)), 2u);
  EXPECT_EQ(find(where(), floats{nan, 1}, nan), 2u);
  EXPECT_EQ(find_if_not(where(), floats{1, nan, 2}, less_than(3.0f)), 1u);
  EXPECT_FALSE(equal(where(), floats{1, nan}, floats{1, nan}));
  EXPECT_EQ(adjacent_find(where(), floats{nan, nan, -0.0f, 0.0f}), 2u);
}

TEST_P(SearchOn, TwoInputs) {
  for (const u64 n : sizes) {
    const ints x = random_ints(n, 3, 4);
    const buffer<std::int32_t> dx(where(), x);
    EXPECT_TRUE(equal(where(), x, x)) << n;
    EXPECT_FALSE(lexicographical_compare(where(), x, x)) << n;
    for (const u64 at : {u64{0}, n / 2, n - 1}) {
      if (n == 0) break;
      ints y = x;
      ++y[at];
      const buffer<std::int32_t> dy(where(), y);
      EXPECT_EQ(mismatch(where(), x, y), at) << n;
      EXPECT_EQ(mismatch(where(), dx, dy), at) << n;
      EXPECT_FALSE(equal(where(), dx, dy)) << n;
      EXPECT_TRUE(lexicographical_compare(where(), dx, dy)) << n;
      EXPECT_FALSE(lexicographical_compare(where(), y, x)) << n;
      EXPECT_TRUE(lexicographical_compare(where(), y, x, std::greater<>{})) << n;
      y.resize(at);
      EXPECT_EQ(mismatch(where(), x, y), at) << n;
      EXPECT_FALSE(equal(where(), x, y)) << n;
      EXPECT_TRUE(lexicographical_compare(where(), y, x)) << n;
      EXPECT_FALSE(lexicographical_compare(where(), x, y)) << n;
    }
  }
}

TEST_P(SearchOn, NeighboursSetsAndPatterns) {
  for (const u64 n : sizes) {
    ints x(n);
    for (u64 i = 0; i < n; ++i) x[i] = static_cast<std::int32_t>(i % 100);
    EXPECT_EQ(adjacent_find(where(), x), n) << n;
    const ints none{-1, 1000}, some{55, 31};
    EXPECT_EQ(find_first_of(where(), x, none), n) << n;
    EXPECT_EQ(find_first_of(where(), x, some), std::min(n, u64{31})) << n;
    EXPECT_EQ(find_first_of(where(), x, ints{}), n) << n;
    EXPECT_EQ(search(where(), x, ints{}), 0u) << n;
    EXPECT_EQ(search(where(), x, ints{98, 99, 1}), n) << n;
    if (n < 3) continue;
    const ints tail(x.end() - 3, x.end());
    EXPECT_EQ(search(where(), x, tail), place(x.begin(), std::search(x.begin(), x.end(), tail.begin(), tail.end())));
    x[n - 1] = x[n - 2];
    EXPECT_EQ(adjacent_find(where(), x), n - 2) << n;
    const buffer<std::int32_t> dx(where(), x), dtail(where(), std::span<const std::int32_t>(x).last(2));
    EXPECT_EQ(search(where(), dx, dtail), n - 2) << n;
    EXPECT_EQ(adjacent_find(where(), dx), n - 2) << n;
  }
}

TEST_P(SearchOn, BoundsOfManyQueries) {
  for (const u64 m : sizes)
    for (const u64 n : {u64{0}, u64{1}, u64{257}, u64{5003}}) {
      ints sorted = random_ints(m, 700, 5);
      std::sort(sorted.begin(), sorted.end());
      const ints queries = random_ints(n, 1000, 6);
      places lower(n, 9), upper(n, 9), wanted_lower(n), wanted_upper(n);
      std::vector<std::uint8_t> found(n, 9), wanted(n);
      for (u64 i = 0; i < n; ++i) {
        const auto [a, b] = std::equal_range(sorted.begin(), sorted.end(), queries[i]);
        wanted_lower[i] = place(sorted.begin(), a), wanted_upper[i] = place(sorted.begin(), b), wanted[i] = a != b;
      }
      lower_bound(where(), sorted, queries, lower);
      upper_bound(where(), sorted, queries, upper);
      binary_search(where(), sorted, queries, found);
      EXPECT_EQ(lower, wanted_lower);
      EXPECT_EQ(upper, wanted_upper);
      EXPECT_EQ(found, wanted);
      const buffer<std::int32_t> ds(where(), sorted), dq(where(), queries);
      buffer<u64> first(where(), n), last(where(), n);
      buffer<bool> there(where(), n);
      equal_range(where(), ds, dq, first, last);
      binary_search(where(), ds.span(), dq.span(), there.span());
      EXPECT_EQ(first.download(), wanted_lower);
      EXPECT_EQ(last.download(), wanted_upper);
      EXPECT_EQ(there.download(), std::vector<bool>(wanted.begin(), wanted.end()));
    }
  // Places of 32 bits.
  const ints sorted_ints{1, 1, 3}, asked{0, 1, 2, 9};
  std::vector<std::uint32_t> narrow(4, 9);
  upper_bound(where(), sorted_ints, asked, narrow);
  EXPECT_EQ(narrow, (std::vector<std::uint32_t>{0, 2, 2, 3}));
  buffer<std::uint32_t> narrow_first(where(), 4), narrow_last(where(), 4);
  equal_range(where(), buffer<std::int32_t>(where(), sorted_ints), buffer<std::int32_t>(where(), asked), narrow_first,
              narrow_last);
  EXPECT_EQ(narrow_first.download(), (std::vector<std::uint32_t>{0, 0, 2, 3}));
  EXPECT_EQ(narrow_last.download(), narrow);
  expect_error(fault::bad_argument, {"lower_bound", "32 bits"}, [&] {
    lower_bound(where(), views::iota(std::int64_t{0}, std::int64_t{1} << 33), std::vector<std::int64_t>(4), narrow);
  });
  // NaNs stand last, as sort leaves them.
  const floats sorted{-0.0f, 0.0f, 1, nan, nan}, queries{nan, 0.0f, infinity};
  places lower(3), upper(3);
  equal_range(where(), sorted, queries, lower, upper);
  EXPECT_EQ(lower, (places{3, 0, 3}));
  EXPECT_EQ(upper, (places{5, 2, 3}));
  expect_error(fault::bad_argument, {"lower_bound", "3 queries", "2 output elements"}, [&] {
    places few(2);
    lower_bound(where(), sorted, queries, few);
  });
  expect_error(fault::bad_argument, {"equal_range", "overlap"},
               [&] { equal_range(where(), sorted, queries, lower, lower); });
  const auto shared = std::make_unique<std::uint32_t[]>(4);
  expect_error(fault::bad_argument, {"queries", "overlap"}, [&] {
    lower_bound(where(), std::span(shared.get() + 2, 2), std::span(shared.get(), 2), std::span(shared.get(), 2));
  });
}

TEST_P(SearchOn, Partitions) {
  for (const u64 n : sizes)
    for (const u64 at : {u64{0}, n / 3, n}) {
      ints x(n, 7);
      std::fill_n(x.begin(), at, 3);
      const buffer<std::int32_t> dx(where(), x);
      EXPECT_EQ(partition_point(where(), x, less_than(5)), at);
      EXPECT_EQ(partition_point(where(), dx, less_than(5)), at);
      EXPECT_TRUE(is_partitioned(where(), x, less_than(5)));
      EXPECT_EQ(is_partitioned(where(), dx, greater_than(5)), at == 0 || at == n);
    }
}

// Made as they are read, and in ranges that are no memory.
TEST_P(SearchOn, InputsOfOtherKinds) {
  EXPECT_EQ(count_if(where(), views::iota(0, 100000), less_than(1234)), 1234u);
  EXPECT_EQ(find_if(where(), views::iota(0, 100000), at_least(77777)), 77777u);
  const ints few{1, 5, 5, 2};
  EXPECT_EQ(argmax(where(), views::reverse(few)), 1u);
  EXPECT_EQ(mismatch(where(), views::iota(0, 5000), views::iota(0, 5000)), 5000u);
  const ints x = random_ints(30011, 1000, 7);
  EXPECT_EQ(argmin(where(), std::deque<std::int32_t>(x.begin(), x.end())),
            place(x.begin(), std::min_element(x.begin(), x.end())));
  const auto squares = views::transform(x, [](std::int32_t v) { return std::int64_t{v} * v; });
  EXPECT_EQ(argmin(where(), squares), place(x.begin(), std::find(x.begin(), x.end(), 0)));
  places found(3);
  lower_bound(where(), views::iota(0, 1000), ints{-4, 500, 5000}, found);
  EXPECT_EQ(found, (places{0, 500, 1000}));
}

// Elsewhere they need nvcc.
TEST_P(SearchOn, TestsTypesAndComparisonsOfOnesOwn) {
  const auto odd = [](std::int32_t v) { return v % 2 != 0; };
  const auto by_size = [](const std::string& a, const std::string& b) { return a.size() < b.size(); };
  const ints x = random_ints(40009, 1000, 8);
  std::vector<std::string> words(20011, "four");
  words[19999] = "seven", words[3] = "two", words[12345] = "six";
  if (!is_cpu()) {
    expect_error(fault::unsupported, {}, [&] { (void)count_if(where(), x, odd); });
    expect_error(fault::unsupported, {}, [&] { (void)argmin(where(), x, [](int a, int b) { return a > b; }); });
    expect_error(fault::unsupported, {}, [&] { (void)find(where(), words, "two"); });
    expect_error(fault::unsupported, {}, [&] { (void)argmin(where(), words); });
    return;
  }
  EXPECT_EQ(count_if(where(), x, odd), static_cast<u64>(std::count_if(x.begin(), x.end(), odd)));
  EXPECT_EQ(find_if_not(where(), x, odd), place(x.begin(), std::find_if_not(x.begin(), x.end(), odd)));
  EXPECT_EQ(find(where(), words, "six"), 12345u);
  EXPECT_EQ(upsweep::count(where(), words, std::string("four")), 20008u);
  EXPECT_EQ(argmin(where(), words, by_size), 3u);
  EXPECT_EQ(argmax(where(), words, by_size), 19999u);
  EXPECT_EQ(argmin(where(), words), 0u);
  EXPECT_EQ(minmax(where(), words), (minmax_result<std::string>{"four", "two"}));
  EXPECT_EQ(adjacent_find(where(), x, [](int a, int b) { return b == a + 1; }),
            place(x.begin(), std::adjacent_find(x.begin(), x.end(), [](int a, int b) { return b == a + 1; })));
  EXPECT_TRUE(equal(where(), x, std::vector<std::int64_t>(x.begin(), x.end())));
  EXPECT_EQ(mismatch(where(), x, x, [](int a, int) { return a != 600; }),
            place(x.begin(), std::find(x.begin(), x.end(), 600)));
  EXPECT_TRUE(lexicographical_compare(where(), std::vector<std::string>{"a", "b"}, std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(search(where(), words, std::vector<std::string>{"six", "four"}), 12345u);
  std::vector<std::string> sorted{"z", "m", "m", "a"};
  std::vector<std::uint32_t> at(2);
  upper_bound(where(), sorted, std::vector<std::string>{"m", "b"}, at, std::greater<>{});
  EXPECT_EQ(at, (std::vector<std::uint32_t>{3, 3}));
  std::vector<std::unique_ptr<int>> pointers(5000);
  pointers[4321] = std::make_unique<int>(1);
  EXPECT_EQ(find_if(where(), pointers, [](const std::unique_ptr<int>& p) { return p != nullptr; }), 4321u);
  std::vector<bool> bits(9001);
  bits[8999] = true;
  EXPECT_EQ(find(where(), bits, true), 8999u);
  EXPECT_EQ(argmax(where(), bits), 8999u);
  EXPECT_EQ(partition_point(where(), x, [](int) { return true; }), x.size());
  EXPECT_THROW((void)find_if(where(), x, [](int v) -> bool { throw v; }), int);
}

// Searches stop where something is found.
TEST(SearchOnTheCpu, StopsEarly) {
  for (const int threads : {1, 3}) {
    const context cpu = context::cpu(threads);
    std::atomic<u64> asked{0};
    const auto seen = [&](u64 i) { return ++asked, i == 100; };
    EXPECT_EQ(find_if(cpu, views::iota(u64{0}, u64{1} << 40), seen), 100u);
    EXPECT_LE(asked, 4096u);
  }
}

TEST_P(SearchOn, TheSecondCallAllocatesNothing) {
  const buffer<std::int32_t> x(where(), random_ints(100003, 1000, 9));
  const auto all = [&] {
    (void)count_if(where(), x, less_than(0));
    (void)find(where(), x, 9999);
    (void)argmin(where(), x);
    (void)equal(where(), x, x);
  };
  all();
  const u64 before = where().device().temporary_storage_allocations();
  all();
  EXPECT_EQ(where().device().temporary_storage_allocations(), before);
}

}  // namespace
}  // namespace upsweep
