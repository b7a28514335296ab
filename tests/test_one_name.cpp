// Unchecked calls compiled by the host compiler, for comparison with test_one_name_checked.cpp and test_one_name.cu.
#include <gtest/gtest.h>

#include "tests/one_name.hpp"
#include "upsweep/upsweep.hpp"

namespace upsweep::tests {
namespace {

TEST(OneName, UncheckedCallsTakeAnyComparison) {
  std::vector<weight> all(100, weight{1});
  EXPECT_NO_THROW(stable_sort(context::cpu(2), all, always{}));
}

TEST(OneName, TheHostCompilersCallsWork) {
  std::vector<weight> all{{3}, {1}, {2}};
  sort(context::cpu(2), all, lighter{});
  EXPECT_EQ(all[0].grams, 1);
  EXPECT_EQ(reduce(context::cpu(2), all, weight{0}, heaviest{}).grams, 3);
}

}  // namespace
}  // namespace upsweep::tests
