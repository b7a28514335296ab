// Device source that is wrong on purpose, on the emulated GPU: what the lens finds in them fails the call, told with
// its place in the device source.
#include <gtest/gtest.h>

#include <vector>

#include "tests/devices.hpp"
#include "upsweep/upsweep.hpp"

namespace {

using namespace upsweep;

UPSWEEP_WITH_SOURCE(two_write_one, {
  std::uint32_t* data;
  UPSWEEP_HD void operator()(std::uint64_t i) const { data[i / 2] = static_cast<std::uint32_t>(i); }
});
UPSWEEP_WITH_SOURCE(one_too_far, {
  std::uint32_t* data;
  UPSWEEP_HD void operator()(std::uint64_t i) const { data[i + 1] = 1; }
});
UPSWEEP_WITH_SOURCE(right, {
  std::uint32_t* data;
  UPSWEEP_HD void operator()(std::uint64_t i) const { data[i] = 1; }
});

template <class F>
void expect_found(const std::vector<std::string>& pieces) {
  const context gpu = context::cuda();
  buffer<std::uint32_t> x(gpu, 100);
  testing::internal::CaptureStderr();
  tests::expect_error(fault::device_failure, {"for_each_index"}, [&] {
    for_each_index(gpu, 100, F{x.span().data()});
    gpu.synchronize();
  });
  const std::string said = testing::internal::GetCapturedStderr();
  for (const std::string& piece : pieces)
    EXPECT_NE(said.find(piece), std::string::npos) << piece << " is not in: " << said;
}

TEST(WrongSourcesOnLens, AreFound) {
  expect_found<two_write_one>({"race", "the source of two_write_one:1"});
  expect_found<one_too_far>({"out of bounds", "the source of one_too_far:1"});
}
TEST(WrongSourcesOnLens, LeaveTheNextCallAlone) {
  const context gpu = context::cuda();
  buffer<std::uint32_t> x(gpu, 100);
  for_each_index(gpu, 100, right{x.span().data()});
  EXPECT_EQ(x.download(), std::vector<std::uint32_t>(100, 1));
}

}  // namespace
