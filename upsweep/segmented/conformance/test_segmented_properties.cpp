// Laws of folds by key and by segment that hold for any input, tried on inputs that RapidCheck makes and, when one
// fails, shrinks.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/devices.hpp"
#include "upsweep/core/catalog.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/segmented.hpp"

namespace upsweep {
namespace {

using detail::segmented_impl::primitive;
using words = std::vector<std::uint32_t>;
using maps = std::vector<std::uint64_t>;

struct SegmentedPropertiesOn : tests::on_each_device {
  void SetUp() override {
    for (primitive what :
         {primitive::reduce_by_key, primitive::scan_by_key, primitive::segmented_reduce, primitive::segmented_scan}) {
      const auto all = catalog();
      const bool here = std::any_of(all.begin(), all.end(),
                                    [&](const variant& v) { return v.what == what && v.where == where().kind(); });
      if (!here) GTEST_SKIP() << "there is no " << name_of(what) << " on " << where().name();
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, SegmentedPropertiesOn, testing::ValuesIn(tests::device_names()), tests::device_label);

// Keys of three values, one for each element.
words keys_for(const maps& x) { return *rc::gen::container<words>(x.size(), rc::gen::inRange<std::uint32_t>(0, 3)); }

// Where runs of equal keys begin, and the end.
std::vector<std::uint64_t> cuts_of(const words& keys) {
  std::vector<std::uint64_t> cuts;
  for (std::uint64_t i = 0; i < keys.size(); ++i)
    if (i == 0 || keys[i] != keys[i - 1]) cuts.push_back(i);
  cuts.push_back(keys.size());
  return cuts;
}

TEST_P(SegmentedPropertiesOn, ByKeyIsAPlainLoop) {
  EXPECT_TRUE(rc::check("by key is a plain loop", [&](const maps& x, std::uint64_t init) {
    const words keys = keys_for(x);
    maps inclusive(x.size()), exclusive(x.size());
    inclusive_scan_by_key(where(), keys, x, inclusive, compose_affine{}, init);
    exclusive_scan_by_key(where(), keys, x, exclusive, init, compose_affine{});
    std::uint64_t value = init;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i && keys[i] != keys[i - 1]) value = init;
      RC_ASSERT(exclusive[i] == value);
      value = compose_affine{}(value, x[i]);
      RC_ASSERT(inclusive[i] == value);
    }
  }));
}

// Runs of keys, cut by offsets, are segments; each is reduced as it would be alone.
TEST_P(SegmentedPropertiesOn, RunsAreSegments) {
  EXPECT_TRUE(rc::check("runs are segments", [&](const maps& x) {
    const words keys = keys_for(x);
    const std::vector<std::uint64_t> cuts = cuts_of(keys);
    words run_keys(x.size());
    maps by_key(x.size()), by_segment(cuts.size() - 1), scanned(x.size()), scanned_by_key(x.size());
    RC_ASSERT(reduce_by_key(where(), keys, x, run_keys, by_key, compose_affine{}) == cuts.size() - 1);
    segmented_reduce(where(), x, cuts, by_segment, std::uint64_t{1}, compose_affine{});
    const std::span<const std::uint64_t> all(x);
    for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
      RC_ASSERT(run_keys[s] == keys[cuts[s]]);
      RC_ASSERT(by_segment[s] == by_key[s]);
      RC_ASSERT(by_segment[s] ==
                reduce(where(), all.subspan(cuts[s], cuts[s + 1] - cuts[s]), std::uint64_t{1}, compose_affine{}));
    }
    segmented_inclusive_scan(where(), x, cuts, scanned, compose_affine{});
    inclusive_scan_by_key(where(), keys, x, scanned_by_key, compose_affine{});
    RC_ASSERT(scanned == scanned_by_key);
  }));
}

}  // namespace
}  // namespace upsweep
