// Laws that hold for any input, tried on inputs that RapidCheck makes and, when one fails, shrinks.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/devices.hpp"
#include "upsweep/upsweep.hpp"

namespace upsweep {
namespace {

struct PropertiesOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, PropertiesOn, testing::ValuesIn(tests::device_names()), tests::device_label);

using maps = std::vector<std::uint64_t>;

// Splitting anywhere and joining the two results gives the whole: associativity, order, and init as the preceding
// elements.
TEST_P(PropertiesOn, ReduceSplitsAnywhere) {
  EXPECT_TRUE(rc::check("reduce splits anywhere", [&](const maps& x, std::uint64_t init) {
    const std::size_t cut = x.empty() ? 0 : *rc::gen::inRange<std::size_t>(0, x.size() + 1);
    const auto whole = reduce(where(), x, init, compose_affine{});
    const std::span<const std::uint64_t> all(x);
    const auto left = reduce(where(), all.first(cut), init, compose_affine{});
    RC_ASSERT(reduce(where(), all.subspan(cut), left, compose_affine{}) == whole);
  }));
}

TEST_P(PropertiesOn, ScanIsEveryPrefixOfReduce) {
  EXPECT_TRUE(rc::check("scan is every prefix of reduce", [&](const maps& x, std::uint64_t init) {
    maps inclusive(x.size()), exclusive(x.size());
    inclusive_scan(where(), x, inclusive, compose_affine{}, init);
    exclusive_scan(where(), x, exclusive, init, compose_affine{});
    std::uint64_t running = init;
    for (std::size_t i = 0; i < x.size(); ++i) {
      RC_ASSERT(exclusive[i] == running);
      running = compose_affine{}(running, x[i]);
      RC_ASSERT(inclusive[i] == running);
    }
    RC_ASSERT(reduce(where(), x, init, compose_affine{}) == running);
  }));
}

TEST_P(PropertiesOn, ReproducibleSumIgnoresOrder) {
  EXPECT_TRUE(rc::check("reproducible_sum ignores order", [&](std::vector<float> x) {
    const float sum = reproducible_sum(where(), x);
    std::reverse(x.begin(), x.end());
    const float backwards = reproducible_sum(where(), x);
    RC_ASSERT(std::memcmp(&sum, &backwards, sizeof sum) == 0);
  }));
}

}  // namespace
}  // namespace upsweep
