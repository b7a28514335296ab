// grouped.hpp's contract on every usable device. What it joins is checked through the catalog.
#include "upsweep/grouped.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "tests/devices.hpp"

namespace upsweep {
namespace {

using tests::expect_error;
using tests::first_of;
using words = std::vector<std::uint32_t>;
using places = std::vector<std::uint64_t>;

struct GroupedOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, GroupedOn, testing::ValuesIn(tests::device_names()), tests::device_label);

constexpr std::uint64_t sizes[]{0, 1, 2, 255, 257, 4099, 20011};

words random_words(std::uint64_t n, std::uint32_t below) {
  static std::mt19937_64 random(20261122);
  words all(n);
  for (std::uint32_t& x : all) x = static_cast<std::uint32_t>(random() >> 11) % below;
  return all;
}

TEST_P(GroupedOn, HistogramsByKeyAndModes) {
  for (const std::uint64_t n : sizes)
    for (const std::uint32_t below : {1u, 40u, 1u << 30}) {
      const words x = random_words(n, below);
      std::map<std::uint32_t, std::uint64_t> want;
      for (const std::uint32_t k : x) ++want[k];
      words keys;
      places counts;
      for (const auto& [key, count] : want) keys.push_back(key), counts.push_back(count);
      words host_keys(n);
      places host_counts(n);
      ASSERT_EQ(histogram_by_key(where(), x, host_keys, host_counts), keys.size());
      EXPECT_EQ(first_of(host_keys, keys.size()), keys);
      EXPECT_EQ(first_of(host_counts, keys.size()), counts);
      const buffer<std::uint32_t> in(where(), x);
      buffer<std::uint32_t> out(where(), n);
      buffer<std::uint64_t> lengths(where(), n);
      ASSERT_EQ(histogram_by_key(where(), in, out, lengths), keys.size());
      EXPECT_EQ(first_of(out.download(), keys.size()), keys);
      EXPECT_EQ(first_of(lengths.download(), keys.size()), counts);
      if (n == 0) {
        expect_error(fault::bad_argument, {"mode", "no elements"}, [&] { (void)mode(where(), in); });
        continue;
      }
      const auto most = std::max_element(counts.begin(), counts.end());  // the first of them
      for (const auto& got : {mode(where(), x), mode(where(), in)}) {
        EXPECT_EQ(got.count, *most);
        EXPECT_EQ(got.value, keys[most - counts.begin()]);
      }
    }
}

TEST_P(GroupedOn, DuplicatesAreRemovedInOrder) {
  for (const std::uint64_t n : sizes)
    for (const std::uint32_t below : {1u, 40u, 1u << 30}) {
      const words x = random_words(n, below);
      std::set<std::uint32_t> seen;
      words want, got(n);
      for (const std::uint32_t k : x)
        if (seen.insert(k).second) want.push_back(k);
      EXPECT_EQ(first_of(got, remove_duplicates(where(), x, got)), want);
      const buffer<std::uint32_t> in(where(), x);
      buffer<std::uint32_t> out(where(), n);
      const std::uint64_t kept = remove_duplicates(where(), in, out);
      EXPECT_EQ(first_of(out.download(), kept), want);
    }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x{0.0f, nan, -0.0f, nan, 1, 0.0f};
  std::vector<float> out(6);
  ASSERT_EQ(remove_duplicates(where(), x, out), 4u);
  EXPECT_TRUE(out[0] == 0 && !std::signbit(out[0]) && std::isnan(out[1]) && std::isnan(out[2]) && out[3] == 1);
}

TEST_P(GroupedOn, GroupsAndFoldsByBucket) {
  for (const std::uint64_t n : sizes) {
    const std::uint64_t m = 37;
    const words drawn = random_words(n, m), values = random_words(n, 1000);
    const places keys(drawn.begin(), drawn.end());
    std::vector<words> of(m);
    for (std::uint64_t i = 0; i < n; ++i) of[keys[i]].push_back(values[i]);
    words want_values, want_sums(m), want_most(m);
    places want_offsets;
    for (std::uint64_t k = 0; k < m; ++k) {
      if (!of[k].empty()) want_offsets.push_back(want_values.size());
      for (const std::uint32_t v : of[k]) {
        want_values.push_back(v);
        want_sums[k] += v, want_most[k] = std::max(want_most[k], v);
      }
    }
    want_offsets.push_back(n);
    words grouped(n), sums(m, 77), most(m, 77);
    places grouped_keys(n), offsets(n + 1);
    ASSERT_EQ(group_by_key(where(), keys, values, grouped_keys, grouped, offsets), want_offsets.size() - 1);
    EXPECT_TRUE(std::is_sorted(grouped_keys.begin(), grouped_keys.end()));
    EXPECT_EQ(grouped, want_values);
    EXPECT_EQ(first_of(offsets, want_offsets.size()), want_offsets);
    reduce_by_index(where(), keys, values, sums);
    EXPECT_EQ(sums, want_sums);
    reduce_by_index(where(), keys, values, most, maximum{});
    EXPECT_EQ(most, want_most);

    const buffer<std::uint64_t> k(where(), keys);
    const buffer<std::uint32_t> v(where(), values);
    buffer<std::uint64_t> k_out(where(), n), o(where(), n + 1);
    buffer<std::uint32_t> v_out(where(), n), folds(where(), m);
    ASSERT_EQ(group_by_key(where(), k, v, k_out, v_out, o), want_offsets.size() - 1);
    EXPECT_EQ(v_out.download(), want_values);
    EXPECT_EQ(first_of(o.download(), want_offsets.size()), want_offsets);
    reduce_by_index(where(), k, v, folds);
    EXPECT_EQ(folds.download(), want_sums);
  }
  words sums(3);
  expect_error(fault::bad_argument, {"index", "past the end of 3"},
               [&] { reduce_by_index(where(), places{1, 3}, words{1, 1}, sums); });
  expect_error(fault::bad_argument, {"reduce_by_index", "2 indices", "1 values"},
               [&] { reduce_by_index(where(), places{1, 2}, words{1}, sums); });
}

TEST_P(GroupedOn, TheFirstOfManyWithTheirValues) {
  struct row {
    std::uint32_t a, b, c;
  };
  const words keys = random_words(5003, 100);
  std::vector<row> rows(keys.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = {i, keys[i], 7};
  std::vector<std::uint32_t> order(keys.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return keys[i] > keys[j]; });
  words best(50);
  std::vector<row> best_rows(50);
  top_k_by_key(where(), keys, rows, best, best_rows);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(best[i], keys[order[i]]);
    EXPECT_EQ(best_rows[i].a, order[i]);
  }
  const words ids(order.rbegin(), order.rend());
  const buffer<std::uint32_t> k(where(), keys), v(where(), ids);
  buffer<std::uint32_t> top(where(), 50), top_ids(where(), 50);
  top_k_by_key(where(), k, v, top, top_ids, {});
  std::sort(order.begin(), order.end());
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return keys[i] < keys[j]; });
  const words least = top.download(), with = top_ids.download();
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(least[i], keys[order[i]]);
    EXPECT_EQ(with[i], ids[order[i]]);
  }
  expect_error(fault::bad_argument, {"top_k_by_key", "5003 keys", "1 values"},
               [&] { top_k_by_key(where(), keys, words{1}, best, words(50)); });
}

}  // namespace
}  // namespace upsweep
