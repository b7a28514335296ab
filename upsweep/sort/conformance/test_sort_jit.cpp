// Sorts by comparators that have device source: the same on the CPU, on OpenCL and on CUDA, held to std::stable_sort.
#include <numeric>

#include "tests/jit_operators.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;

struct SortJit : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, SortJit, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class K, class Compare>
void expect_sorted(const context& where, std::size_t n, const Compare& compare) {
  SCOPED_TRACE(where.name() + ", n = " + std::to_string(n));
  const auto x = made_many<K>(n, 7 + static_cast<std::uint32_t>(n));
  auto want = x;
  std::stable_sort(want.begin(), want.end(), compare);
  std::vector<std::uint32_t> places(n);
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return compare(x[a], x[b]); });

  const buffer<K> in(where, x);
  buffer<K> out(where, n);
  sort(where, in, out, compare);
  expect_same(out.download(), want, "out of place");
  expect_same(in.download(), x, "the input");
  buffer<K> keys(where, x);
  sort(where, keys, compare);
  expect_same(keys.download(), want, "in place");

  // Values of 4 bytes and of 12.
  keys = buffer<K>(where, x);
  buffer<std::uint32_t> rows(where, n);
  iota(where, rows.span());
  sort_by_key(where, keys, rows, compare);
  expect_same(keys.download(), want, "keys");
  expect_same(rows.download(), places, "values in place");
  const auto beside = made_many<record>(n, 3);
  const buffer<record> values(where, beside);
  buffer<record> values_out(where, n);
  sort_by_key(where, in, values, out, values_out, compare);
  std::vector<record> follow;
  for (const auto i : places) follow.push_back(beside[i]);
  expect_same(out.download(), want, "keys out of place");
  expect_same(values_out.download(), follow, "records");

  buffer<std::uint64_t> indices(where, n);
  argsort(where, in, indices, compare);
  expect_same(indices.download(), std::vector<std::uint64_t>(places.begin(), places.end()), "indices");
  EXPECT_TRUE(is_sorted(where, out, compare));
  EXPECT_EQ(is_sorted_until(where, in, compare),
            static_cast<std::uint64_t>(std::is_sorted_until(x.begin(), x.end(), compare) - x.begin()));
}

TEST_P(SortJit, AsTheStandardSorts) {
  for (const std::size_t n : sizes) {
    expect_sorted<std::uint32_t>(where(), n, by_last_digit{});
    expect_sorted<record>(where(), n, by_record_key{});
    expect_sorted<square_matrix>(where(), n, by_trace{});
  }
  expect_sorted<std::uint32_t>(where(), large(1000003), by_last_digit{});
  if (where().kind() != backend::cuda) return;
  // Where tiles of every shape are merged.
  for (const std::size_t n : {std::size_t{40013}, std::size_t{70001}, large(1200007), large(5000011)})
    expect_sorted<std::uint32_t>(where(), n, by_last_digit{});
  expect_sorted<record>(where(), large(1200007), by_record_key{});
  expect_sorted<square_matrix>(where(), large(1200007), by_trace{});
}

TEST_P(SortJit, OfHostMemory) {
  auto x = made_many<record>(20011, 5), want = x;
  std::stable_sort(want.begin(), want.end(), by_record_key{});
  sort(where(), x, by_record_key{});
  expect_same(x, want, "host memory");
}

TEST_P(SortJit, MergesSegmentsAndFirstOnes) {
  for (const std::size_t n : sizes) {
    auto a = made_many<record>(n, 1), b = made_many<record>(n / 2 + 3, 2);
    std::stable_sort(a.begin(), a.end(), by_record_key{});
    std::stable_sort(b.begin(), b.end(), by_record_key{});
    std::vector<record> want(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin(), by_record_key{});
    const buffer<record> first(where(), a), second(where(), b);
    buffer<record> out(where(), want.size());
    merge(where(), first, second, out, by_record_key{});
    expect_same(out.download(), want, "merged");
  }
  const auto x = made_many<record>(5000, 9);
  std::vector<std::uint64_t> cuts{0, 0, 1, 700, 700, 4000, 5000};
  auto want = x;
  for (std::size_t s = 0; s + 1 < cuts.size(); ++s)
    std::stable_sort(want.begin() + static_cast<std::ptrdiff_t>(cuts[s]),
                     want.begin() + static_cast<std::ptrdiff_t>(cuts[s + 1]), by_record_key{});
  const buffer<std::uint64_t> offsets(where(), cuts);
  const buffer<record> in(where(), x);
  buffer<record> sorted(where(), x.size());
  segmented_sort(where(), in, sorted, offsets, by_record_key{});
  expect_same(sorted.download(), want, "segments");

  auto all = x;
  std::stable_sort(all.begin(), all.end(), by_record_key{});
  buffer<record> best(where(), 20);
  top_k(where(), in, best, by_record_key{});
  expect_same(best.download(), std::vector<record>(all.begin(), all.begin() + 20), "the first 20");
  EXPECT_EQ(nth_element(where(), in, 2500, by_record_key{}).key, all[2500].key);
}

// What is no order ends, and a checked call says so.
struct always {
  bool operator()(std::uint32_t, std::uint32_t) const { return true; }
  static constexpr const char* source = "1";
};
struct around {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return (b + 3 - a % 3) % 3 == 1; }
  static constexpr const char* source = "(b + 3 - a % 3) % 3 == 1";
};

TEST_P(SortJit, WhatIsNoOrderEnds) {
  const auto x = made_many<std::uint32_t>(30011, 4);
  buffer<std::uint32_t> keys(where(), x);
  if (where().kind() != backend::cpu) {
    sort(where(), keys, always{});
    sort(where(), keys, around{});
    // Of keys that may be lost and doubled by now, each with a value that was some key's.
    std::vector<std::uint64_t> numbers(x.size());
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
    buffer<std::uint64_t> values(where(), numbers);
    sort_by_key(where(), keys, values, around{});
    for (const std::uint64_t v : values.download()) ASSERT_LT(v, x.size());
  }
  const context checked = where().with({.checked = true});
  expect_error(fault::bad_argument, {"not a strict weak order"}, [&] { sort(checked, keys, always{}); });
  expect_error(fault::bad_argument, {"not a strict weak order"}, [&] { sort(checked, keys, around{}); });
}

struct misspelt {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a < b; }
  static constexpr const char* source = "a % 2 <\n  c % 2";
};
struct unclosed : misspelt {
  static constexpr const char* source = "(a % 2 < b";
};
struct textless {
  bool operator()(const record& a, const record& b) const { return a.x < b.x; }
};

TEST_P(SortJit, WrongTextsAreToldWithTheirPlace) {
  if (where().kind() == backend::cpu) GTEST_SKIP();
  std::vector<std::uint32_t> x(100, 1);
  expect_error(fault::bad_argument, {"the comparator's source, line 2, character 3", "c"},
               [&] { sort(where(), x, misspelt{}); });
  expect_error(fault::bad_argument, {"the comparator's source, line 1, character 1", "'(' is never closed"},
               [&] { sort(where(), x, unclosed{}); });
  std::vector<record> r(100);
  if (where().kind() == backend::cuda)
    return expect_error(fault::unsupported, {"by its device source, or only where nvcc compiles"},
                        [&] { sort(where(), r, textless{}); });
  expect_error(fault::unsupported, {"this comparator has no device source", "an expression in a and b"},
               [&] { sort(where(), r, textless{}); });
}

}  // namespace
