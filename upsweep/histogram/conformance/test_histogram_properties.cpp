// Laws of histograms that hold for any input, tried on inputs that RapidCheck makes and, when one fails, shrinks.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

#include "tests/devices.hpp"
#include "upsweep/core/catalog.hpp"
#include "upsweep/histogram.hpp"

namespace upsweep {
namespace {

using detail::histogram_impl::primitive;
using counts = std::vector<std::uint64_t>;
using ints = std::vector<std::int16_t>;

struct HistogramPropertiesOn : tests::on_each_device {
  void SetUp() override {
    for (primitive what : {primitive::histogram, primitive::range_count}) {
      const auto all = catalog();
      const bool here = std::any_of(all.begin(), all.end(),
                                    [&](const variant& v) { return v.what == what && v.where == where().kind(); });
      if (!here) GTEST_SKIP() << "there is no " << name_of(what) << " on " << where().name();
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, HistogramPropertiesOn, testing::ValuesIn(tests::device_names()), tests::device_label);

std::vector<ints::value_type> increasing(ints x) {
  std::sort(x.begin(), x.end());
  x.erase(std::unique(x.begin(), x.end()), x.end());
  return x;
}

// Cutting the samples anywhere and adding the counts is the whole.
TEST_P(HistogramPropertiesOn, CountsAddUp) {
  EXPECT_TRUE(rc::check("counts add up", [&](const ints& x) {
    const auto m = *rc::gen::inRange<std::size_t>(1, 500);
    const std::int64_t lower = *rc::gen::inRange<std::int64_t>(-40000, 40000),
                       upper = lower + *rc::gen::inRange<std::int64_t>(1, 70000);
    const std::size_t cut = x.empty() ? 0 : *rc::gen::inRange<std::size_t>(0, x.size() + 1);
    counts whole(m), left(m), right(m);
    const std::span<const std::int16_t> all(x);
    histogram(where(), all, whole, lower, upper);
    histogram(where(), all.first(cut), left, lower, upper);
    histogram(where(), all.subspan(cut), right, lower, upper);
    for (std::size_t b = 0; b < m; ++b) RC_ASSERT(whole[b] == left[b] + right[b]);
    const auto inside = std::count_if(x.begin(), x.end(), [&](std::int64_t v) { return v >= lower && v < upper; });
    RC_ASSERT(std::accumulate(whole.begin(), whole.end(), std::uint64_t{0}) == static_cast<std::uint64_t>(inside));
  }));
}

// Any range of custom bins holds the samples between its edges.
TEST_P(HistogramPropertiesOn, RangesCountWhatLiesBetweenEdges) {
  EXPECT_TRUE(rc::check("ranges count what lies between edges", [&](const ints& x) {
    const ints edges = increasing(*rc::gen::suchThat<ints>([](const ints& e) { return increasing(e).size() > 1; }));
    const range_counter ranges(where(), x, edges);
    const auto a = *rc::gen::inRange<std::size_t>(0, edges.size()), b = *rc::gen::inRange<std::size_t>(a, edges.size());
    const auto want = std::count_if(x.begin(), x.end(), [&](auto v) { return v >= edges[a] && v < edges[b]; });
    RC_ASSERT(ranges.count(a, b) == static_cast<std::uint64_t>(want));
  }));
}

// Weights of one are counts, and channels are histograms of their own.
TEST_P(HistogramPropertiesOn, WeightsOfOneAndChannels) {
  EXPECT_TRUE(rc::check("weights of one are counts", [&](const ints& x) {
    const auto channels = *rc::gen::inRange<std::uint32_t>(1, 6);
    counts together(20 * channels);
    std::vector<double> sums(20 * channels);
    histogram(where(), x, together, -100, 100, channels);
    weighted_histogram(where(), x, std::vector<float>(x.size(), 1), sums, -100, 100, channels);
    for (std::uint32_t c = 0; c < channels; ++c) {
      ints own;
      for (std::size_t i = c; i < x.size(); i += channels) own.push_back(x[i]);
      counts alone(20);
      histogram(where(), own, alone, -100, 100);
      for (std::size_t b = 0; b < 20; ++b) {
        RC_ASSERT(together[c * 20 + b] == alone[b]);
        RC_ASSERT(sums[c * 20 + b] == static_cast<double>(alone[b]));
      }
    }
  }));
}

}  // namespace
}  // namespace upsweep
