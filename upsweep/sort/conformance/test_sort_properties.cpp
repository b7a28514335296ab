// Laws of the sort that hold for any input, tried on inputs that RapidCheck makes and, when one fails, shrinks.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

#include "tests/devices.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/sort/sort_order.hpp"

namespace upsweep {
namespace {

struct SortPropertiesOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, SortPropertiesOn, testing::ValuesIn(tests::device_names()), tests::device_label);

using keys = std::vector<std::int16_t>;

// A permutation, ordered, and stable: the indices say all three.
TEST_P(SortPropertiesOn, PermutesOrdersAndIsStable) {
  EXPECT_TRUE(rc::check("a stable permutation in order", [&](const keys& x, bool descending) {
    std::vector<std::uint32_t> at(x.size());
    argsort(where(), x, at, {.descending = descending});
    std::vector<bool> seen(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      RC_ASSERT(at[i] < x.size());
      RC_ASSERT(!seen[at[i]]);
      seen[at[i]] = true;
      if (i == 0) continue;
      const std::int16_t a = x[at[i - 1]], b = x[at[i]];
      RC_ASSERT((descending ? a >= b : a <= b));
      RC_ASSERT((a != b || at[i - 1] < at[i]));
    }
  }));
}

TEST_P(SortPropertiesOn, FloatsOfAnyBits) {
  EXPECT_TRUE(rc::check("floats of any bits", [&](const std::vector<std::uint32_t>& bits) {
    std::vector<float> x(bits.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::bit_cast<float>(bits[i]);
    std::vector<float> want = x;
    std::stable_sort(want.begin(), want.end(), [](float a, float b) { return a < b || (a == a && b != b); });
    sort(where(), x);
    for (std::size_t i = 0; i < x.size(); ++i)
      RC_ASSERT(std::bit_cast<std::uint32_t>(x[i]) == std::bit_cast<std::uint32_t>(want[i]));
  }));
}

// Low bits first, then the high ones: two stable sorts make one.
TEST_P(SortPropertiesOn, BitRangesCompose) {
  EXPECT_TRUE(rc::check("bit ranges compose", [&](std::vector<std::uint32_t> x) {
    const unsigned cut = *rc::gen::inRange(1u, 32u);
    std::vector<std::uint32_t> whole = x;
    sort(where(), whole);
    sort(where(), x, {.first_bit = 0, .last_bit = cut});
    sort(where(), x, {.first_bit = cut, .last_bit = 32});
    RC_ASSERT(x == whole);
  }));
}

TEST_P(SortPropertiesOn, MergeOfTheHalvesIsTheSort) {
  EXPECT_TRUE(rc::check("merge of sorted halves", [&](keys x) {
    const std::size_t cut = x.empty() ? 0 : *rc::gen::inRange<std::size_t>(0, x.size() + 1);
    keys a(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(cut)),
        b(x.begin() + static_cast<std::ptrdiff_t>(cut), x.end()), merged(x.size());
    sort(where(), a), sort(where(), b);
    merge(where(), a, b, merged);
    sort(where(), x);
    RC_ASSERT(merged == x);
    RC_ASSERT(is_sorted(where(), merged));
  }));
}

TEST_P(SortPropertiesOn, TopKIsTheSortsBeginning) {
  EXPECT_TRUE(rc::check("top k is the sort's beginning", [&](keys x, bool descending) {
    const std::size_t k = *rc::gen::inRange<std::size_t>(0, x.size() + 1);
    keys best(k);
    std::vector<std::uint64_t> at(k);
    top_k(where(), x, best, at, {.descending = descending});
    std::vector<std::uint64_t> order(x.size());
    argsort(where(), x, order, {.descending = descending});
    order.resize(k);
    RC_ASSERT(at == order);
    for (std::size_t i = 0; i < k; ++i) RC_ASSERT(best[i] == x[at[i]]);
  }));
}

TEST_P(SortPropertiesOn, SegmentsAreSortedAlone) {
  EXPECT_TRUE(rc::check("segments are sorted alone", [&](keys x) {
    std::vector<std::uint64_t> cuts =
        *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, x.size() + 1));
    cuts.push_back(0), cuts.push_back(x.size());
    std::sort(cuts.begin(), cuts.end());
    keys want = x;
    for (std::size_t s = 0; s + 1 < cuts.size(); ++s)
      std::sort(want.begin() + static_cast<std::ptrdiff_t>(cuts[s]),
                want.begin() + static_cast<std::ptrdiff_t>(cuts[s + 1]));
    segmented_sort(where(), x, cuts);
    RC_ASSERT(x == want);
  }));
}

}  // namespace
}  // namespace upsweep
