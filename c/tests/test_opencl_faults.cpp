// OpenCL's calls fail, one after the other.
#include "fails_at_each_call.hpp"
#include "tests/faults/faulty_opencl.hpp"

namespace {

// What implementations answer when all else is right: out of resources, of host memory, of the device's, and gone.
constexpr int codes[]{-5, -6, -4, -2};

fails_at_each_call::driver opencl() {
  return {fails_at_each_call::first_of("opencl:"), codes, faulty_opencl_arm,
          [] {
            const opencl_calls all = faulty_opencl_disarm();
            return fails_at_each_call::calls_made{all.made, all.failed};
          },
          opencl_references};
}

class OpenclFails : public testing::TestWithParam<asked_calls::asked> {};

TEST_P(OpenclFails, AtEachCall) {
  if (opencl().device.empty()) GTEST_SKIP() << "no OpenCL device answers";
  fails_at_each_call::in_a_call(opencl(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(, OpenclFails, testing::ValuesIn(asked_calls::calls()),
                         [](const auto& which) { return which.param.name; });

// A context's first call builds its programs: seconds each time, so of many places a sample fails.
TEST(OpenclFailsAtFirst, WhenOpenedAndBuilt) {
  if (opencl().device.empty()) GTEST_SKIP() << "no OpenCL device answers";
  fails_at_each_call::from_opening_on(opencl());
}

}  // namespace
