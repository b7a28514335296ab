// Searches by tests, equalities and comparisons that have device source: the same on the CPU, on OpenCL and on CUDA,
// held to the standard's algorithms.
#include "tests/jit_operators.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;

struct SearchJit : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, SearchJit, testing::ValuesIn(tests::device_names()), tests::device_label);

struct keys_agree {
  bool operator()(const record& a, const record& b) const { return a.key == b.key; }
  static constexpr const char* source = "a.key == b.key";
};

template <class T, class I>
std::uint64_t place(const std::vector<T>& x, I at) {
  return static_cast<std::uint64_t>(at - x.begin());
}

template <class T, class Test, class Less>
void expect_found(const context& where, std::size_t n, const Test& test, const Less& less) {
  SCOPED_TRACE(where.name() + ", n = " + std::to_string(n));
  const auto x = made_many<T>(n, 3 + static_cast<std::uint32_t>(n));
  const buffer<T> in(where, x);
  EXPECT_EQ(count_if(where, in, test), static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), test)));
  EXPECT_EQ(find_if(where, in, test), place(x, std::find_if(x.begin(), x.end(), test)));
  EXPECT_EQ(find_if_not(where, in, test), place(x, std::find_if_not(x.begin(), x.end(), test)));
  EXPECT_EQ(any_of(where, in, test), std::any_of(x.begin(), x.end(), test));
  EXPECT_EQ(all_of(where, in, test), std::all_of(x.begin(), x.end(), test));
  buffer<std::uint64_t> answer(where, std::vector<std::uint64_t>{12345});
  count_if(where, in, answer.span(), test);
  EXPECT_EQ(answer.download()[0], static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), test)));
  if (n != 0) {
    EXPECT_EQ(argmin(where, in, less), place(x, std::min_element(x.begin(), x.end(), less)));
    // Of equal ones the first, where the standard's may be any of them.
    EXPECT_EQ(argmax(where, in, less),
              place(x, std::min_element(x.begin(), x.end(), [&](const T& a, const T& b) { return less(b, a); })));
  }
  auto sorted = x;
  std::stable_sort(sorted.begin(), sorted.end(), less);
  const auto queries = made_many<T>(n / 2 + 5, 9);
  const buffer<T> in_order(where, sorted), asked(where, queries);
  buffer<std::uint64_t> lower(where, queries.size());
  buffer<std::uint32_t> upper(where, queries.size());
  buffer<std::uint8_t> there(where, queries.size());
  lower_bound(where, in_order, asked, lower, less);
  upper_bound(where, in_order, asked, upper, less);
  binary_search(where, in_order, asked, there, less);
  std::vector<std::uint64_t> want_lower;
  std::vector<std::uint32_t> want_upper;
  std::vector<std::uint8_t> want_there;
  for (const T& q : queries) {
    want_lower.push_back(place(sorted, std::lower_bound(sorted.begin(), sorted.end(), q, less)));
    want_upper.push_back(
        static_cast<std::uint32_t>(place(sorted, std::upper_bound(sorted.begin(), sorted.end(), q, less))));
    want_there.push_back(std::binary_search(sorted.begin(), sorted.end(), q, less));
  }
  expect_same(lower.download(), want_lower, "lower bounds");
  expect_same(upper.download(), want_upper, "upper bounds");
  expect_same(there.download(), want_there, "whether they are there");
}

TEST_P(SearchJit, TestsAndOrders) {
  for (const std::size_t n : sizes) {
    expect_found<std::uint32_t>(where(), n, is_odd{}, by_last_digit{});
    expect_found<record>(where(), n, has_odd_key{}, by_record_key{});
  }
  expect_found<std::uint32_t>(where(), large(1000003), is_odd{}, by_last_digit{});
}

TEST_P(SearchJit, Equalities) {
  for (const std::size_t n : sizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    const auto x = made_many<record>(n, 4);
    auto y = x;
    if (n > 3) y[n - 2].key += 1000;
    const buffer<record> a(where(), x), b(where(), y);
    EXPECT_EQ(mismatch(where(), a, b, keys_agree{}),
              place(x, std::mismatch(x.begin(), x.end(), y.begin(), keys_agree{}).first));
    EXPECT_EQ(mismatch(where(), a, b), n > 3 ? n - 2 : n);  // by the type's own
    EXPECT_EQ(adjacent_find(where(), a, keys_agree{}), place(x, std::adjacent_find(x.begin(), x.end(), keys_agree{})));
    const std::vector<record> few(x.begin() + static_cast<std::ptrdiff_t>(n / 3),
                                  x.begin() + static_cast<std::ptrdiff_t>(std::min(n, n / 3 + 4)));
    const buffer<record> some(where(), few);
    EXPECT_EQ(search(where(), a, some, keys_agree{}),
              place(x, std::search(x.begin(), x.end(), few.begin(), few.end(), keys_agree{})));
    EXPECT_EQ(find_first_of(where(), a, some, keys_agree{}),
              place(x, std::find_first_of(x.begin(), x.end(), few.begin(), few.end(), keys_agree{})));
  }
}

TEST_P(SearchJit, OfHostMemoryAndExpressions) {
  const auto x = made_many<std::uint32_t>(20011, 5);
  EXPECT_EQ(count_if(where(), x, expression("x % 7 == 3")),
            static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), [](auto e) { return e % 7 == 3; })));
  auto y = x;
  y[20000] += 1;
  EXPECT_EQ(lexicographical_compare(where(), x, y, expression("a < b + 1 - 1")), true);
  EXPECT_EQ(lexicographical_compare(where(), y, x, expression("a < b + 1 - 1")), false);
  EXPECT_EQ(equal(where(), x, y, expression("a / 2 == b / 2")), x[20000] % 2 == 0);
  EXPECT_EQ(argmin(where(), x, expression("a % 100 < b % 100")),
            place(x, std::min_element(x.begin(), x.end(), [](auto a, auto b) { return a % 100 < b % 100; })));
}

struct misspelt {
  bool operator()(const record& r) const { return r.x > 0; }
  static constexpr const char* source = "x.x > 0 &&\n x.weight > 0";
};

TEST_P(SearchJit, WrongTextsAreToldWithTheirPlace) {
  if (where().kind() == backend::cpu) GTEST_SKIP();
  const buffer<record> in(where(), made_many<record>(100, 1));
  expect_error(fault::bad_argument, {"the test's source, line 2, character 4", "weight"},
               [&] { count_if(where(), in, misspelt{}); });
  expect_error(fault::unsupported, {"count_if", "by its device source"},
               [&] { count_if(where(), in, [](const record& r) { return r.x > 0; }); });
}

}  // namespace
