// Thrust's outputs and functions of every kind on a GPU, where there is one.
#include "tests/devices.hpp"
#include "tests/thrust_output_cases.hpp"

namespace {

template <class T>
using device = thrust::device_vector<T>;

struct ThrustOutputsOn : testing::Test {
  void SetUp() override {
    for (const std::string& name : upsweep::tests::device_names())
      if (name.starts_with("cuda")) return;
    GTEST_SKIP() << "there is no CUDA device";
  }
  static thrust_output_cases<device> cases() { return {upsweep::context::cuda()}; }
};

TEST_F(ThrustOutputsOn, Rows) { cases().rows(); }
TEST_F(ThrustOutputsOn, Places) { cases().places(); }
TEST_F(ThrustOutputsOn, Types) { cases().types(); }
TEST_F(ThrustOutputsOn, AsLargeAsWhatIsKept) { cases().exact_outputs(); }
TEST_F(ThrustOutputsOn, OneRun) {
  thrust_output_cases<device>::one_run([] { return upsweep::context::cuda(); });
}
TEST_F(ThrustOutputsOn, Operators) { cases().operators(); }

}  // namespace
