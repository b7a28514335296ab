// The same types as in test_one_name.cpp, in calls that are checked.
#define UPSWEEP_CHECKED 1
#include <gtest/gtest.h>

#include "tests/one_name.hpp"
#include "upsweep/upsweep.hpp"

namespace upsweep::tests {
namespace {

TEST(OneName, CheckedCallsRefuseWhatIsNoOrder) {
  std::vector<weight> all(100, weight{1});
  EXPECT_THROW(stable_sort(context::cpu(2), all, always{}), error);
}

}  // namespace
}  // namespace upsweep::tests
