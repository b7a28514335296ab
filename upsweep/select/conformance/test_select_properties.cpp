// Laws of selections that hold for any input, tried on inputs that RapidCheck makes and, when one fails, shrinks.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/devices.hpp"
#include "upsweep/core/catalog.hpp"
#include "upsweep/select.hpp"

namespace upsweep {
namespace {

using detail::select_impl::primitive;
using bytes = std::vector<std::uint8_t>;
using words = std::vector<std::uint32_t>;
using counts = std::vector<std::uint64_t>;

struct SelectPropertiesOn : tests::on_each_device {
  void SetUp() override {
    for (primitive what : {primitive::select, primitive::run_lengths, primitive::expand_runs, primitive::gather,
                           primitive::scatter_if}) {
      const auto all = catalog();
      const bool here = std::any_of(all.begin(), all.end(),
                                    [&](const variant& v) { return v.what == what && v.where == where().kind(); });
      if (!here) GTEST_SKIP() << "there is no " << name_of(what) << " on " << where().name();
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, SelectPropertiesOn, testing::ValuesIn(tests::device_names()), tests::device_label);

// Few values, so that runs and equal thresholds are common.
rc::Gen<words> any_words() { return rc::gen::container<words>(rc::gen::inRange<std::uint32_t>(0, 7)); }

// A partition is what passes and what does not, each as copy_if leaves it.
TEST_P(SelectPropertiesOn, PartitionIsTwoSelections) {
  EXPECT_TRUE(rc::check("partition is two selections", [&] {
    const words x = *any_words();
    const auto threshold = *rc::gen::inRange<std::uint32_t>(0, 8);
    words parted(x.size()), passed(x.size()), rest(x.size());
    const std::uint64_t kept = partition(where(), x, parted, less_than(threshold));
    RC_ASSERT(copy_if(where(), x, passed, less_than(threshold)) == kept);
    RC_ASSERT(copy_if(where(), x, rest, at_least(threshold)) == x.size() - kept);
    std::copy_n(rest.begin(), x.size() - kept, passed.begin() + static_cast<std::ptrdiff_t>(kept));
    RC_ASSERT(parted == passed);
    const auto three = three_way_partition(where(), x, rest, less_than(threshold), equal_to(threshold));
    words want = x;
    const auto middle = std::stable_partition(want.begin(), want.end(), [&](auto v) { return v < threshold; });
    const auto end = std::stable_partition(middle, want.end(), [&](auto v) { return v == threshold; });
    RC_ASSERT(rest == want && three[0] == kept && three[1] == static_cast<std::uint64_t>(end - middle));
  }));
}

TEST_P(SelectPropertiesOn, DecodingUndoesEncoding) {
  EXPECT_TRUE(rc::check("decode(encode(x)) = x", [&] {
    const words x = *any_words();
    words firsts(x.size()), back(x.size());
    counts lengths(x.size());
    const std::uint64_t runs = run_length_encode(where(), x, firsts, lengths);
    firsts.resize(runs), lengths.resize(runs);
    run_length_decode(where(), firsts, lengths, back);
    RC_ASSERT(back == x);
    for (std::uint64_t r = 1; r < runs; ++r) RC_ASSERT(firsts[r] != firsts[r - 1]);
    words once(x.size());
    RC_ASSERT(unique(where(), x, once) == runs);
    once.resize(runs);
    RC_ASSERT(once == firsts);
  }));
}

// Flags that say what the test says select what it selects.
TEST_P(SelectPropertiesOn, FlagsAreATest) {
  EXPECT_TRUE(rc::check("flags are a test", [&](const bytes& x) {
    bytes flags(x.size()), by_flag(x.size()), by_test(x.size());
    std::transform(x.begin(), x.end(), flags.begin(),
                   [](auto v) { return static_cast<std::uint8_t>(v > 100 ? v : 0); });
    RC_ASSERT(select_flagged(where(), x, flags, by_flag) ==
              copy_if(where(), x, by_test, greater_than<std::uint8_t>(100)));
    RC_ASSERT(by_flag == by_test);
  }));
}

// A scatter to where a gather came from puts everything back.
TEST_P(SelectPropertiesOn, ScatterUndoesGather) {
  EXPECT_TRUE(rc::check("scatter undoes gather", [&] {
    const words x = *rc::gen::arbitrary<words>();
    counts place(x.size());
    for (std::uint64_t i = 0; i < place.size(); ++i) place[i] = i;
    for (std::uint64_t i = place.size(); i > 1; --i)
      std::swap(place[i - 1], place[*rc::gen::inRange<std::uint64_t>(0, i)]);
    words moved(x.size()), back(x.size());
    gather(where(), x, place, moved);
    scatter_if(where(), moved, place, bytes(x.size(), 1), back);
    RC_ASSERT(back == x);
  }));
}

}  // namespace
}  // namespace upsweep
