// Thrust's sets and compactions on a GPU, where there is one.
#include "tests/devices.hpp"
#include "tests/thrust_set_cases.hpp"

namespace {

template <class T>
using device = thrust::device_vector<T>;

struct ThrustSetsOn : testing::Test {
  void SetUp() override {
    for (const std::string& name : upsweep::tests::device_names())
      if (name.starts_with("cuda")) return;
    GTEST_SKIP() << "there is no CUDA device";
  }
};

TEST_F(ThrustSetsOn, Sets) { thrust_set_cases<device>{upsweep::context::cuda()}.sets(); }
TEST_F(ThrustSetsOn, Compactions) { thrust_set_cases<device>{upsweep::context::cuda()}.compactions(); }

}  // namespace
