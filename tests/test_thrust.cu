// Thrust's calls on a GPU, where there is one.
#include <cuda/std/span>

#include "tests/devices.hpp"
#include "tests/thrust_cases.hpp"
#include "tests/thrust_transform_cases.hpp"

namespace {

template <class T>
using device = thrust::device_vector<T>;

struct ThrustOn : testing::Test {
  void SetUp() override {
    for (const std::string& name : upsweep::tests::device_names())
      if (name.starts_with("cuda")) return;
    GTEST_SKIP() << "there is no CUDA device";
  }
  static thrust_cases<device> cases() { return {upsweep::context::cuda()}; }
  static thrust_transform_cases<device> transform_cases() { return {upsweep::context::cuda()}; }
};

TEST_F(ThrustOn, Sorts) { cases().sorts(); }
TEST_F(ThrustOn, Folds) { cases().folds(); }
TEST_F(ThrustOn, Scans) { cases().scans(); }
TEST_F(ThrustOn, ByKey) { cases().by_key(); }
TEST_F(ThrustOn, Selects) { cases().selects(); }
TEST_F(ThrustOn, Searches) { cases().searches(); }
TEST_F(ThrustOn, Bounds) { cases().bounds(); }
TEST_F(ThrustOn, Transforms) { transform_cases().transforms(); }
TEST_F(ThrustOn, ShortDifferences) {
  transform_cases().short_differences<signed char>();
  transform_cases().short_differences<unsigned short>();
}
TEST_F(ThrustOn, Values) { transform_cases().values(); }
TEST_F(ThrustOn, Replaces) { transform_cases().replaces(); }
TEST_F(ThrustOn, Rearranges) { transform_cases().rearranges(); }
TEST_F(ThrustOn, Shuffles) { transform_cases().shuffles(); }

// libcu++'s spans are ranges of the host's memory, as std's are.
TEST(Thrust, SpansOfLibcuxx) {
  const upsweep::context cpu = upsweep::context::cpu();
  int x[]{3, 1, 2};
  const cuda::std::span<int> all(x);
  upsweep::sort(cpu, all);
  EXPECT_EQ(x[2], 3);
  EXPECT_EQ(upsweep::reduce(cpu, cuda::std::span<const int>(all)), 6);
  upsweep::inclusive_scan(cpu, all, all);
  EXPECT_EQ(x[2], 6);
}

}  // namespace
