// The same types as in test_one_name.cpp, where nvcc compiles the calls: they work on a GPU, whichever object was
// linked first.
#include <gtest/gtest.h>

#include "tests/one_name.hpp"
#include "upsweep/upsweep.hpp"

namespace upsweep::tests {
namespace {

TEST(OneName, NvccsCallsWorkOnAGpu) {
  context gpu = context::cpu();
  try {
    gpu = context::cuda();
  } catch (const error&) {
    GTEST_SKIP() << "no GPU";
  }
  std::vector<weight> all{{3}, {1}, {2}};
  sort(gpu, all, lighter{});
  EXPECT_EQ(all[0].grams, 1);
  EXPECT_EQ(reduce(gpu, all, weight{0}, heaviest{}).grams, 3);
  std::vector<weight> running(3);
  inclusive_scan(gpu, all, running, heaviest{});
  EXPECT_EQ(running[2].grams, 3);
}

}  // namespace
}  // namespace upsweep::tests
