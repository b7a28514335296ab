// OpenCL's calls fail, one after the other: the library's call says so, or is right all the same; no reference is kept,
// and the next call is right.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "asked_calls.hpp"
#include "tests/faults/faulty_opencl.hpp"

namespace {

using asked_calls::asked, asked_calls::calls, asked_calls::material;

// What implementations answer when all else is right: out of resources, of host memory, of the device's, and gone.
constexpr int codes[]{-5, -6, -4, -2};

std::string device() {
  upsweep_device all[32];
  std::size_t count = 0;
  EXPECT_EQ(upsweep_devices(all, 32, &count), UPSWEEP_OK);
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 32); ++i)
    if (std::string(all[i].name).starts_with("opencl:") && all[i].usable) return all[i].name;
  return "";
}

void expect_a_refusal(upsweep_status status, const char* function) {
  EXPECT_TRUE(status == UPSWEEP_DEVICE_FAILURE || status == UPSWEEP_OUT_OF_MEMORY || status == UPSWEEP_NO_DEVICE)
      << function << ": " << status << ": " << upsweep_last_message();
  EXPECT_GT(std::strlen(upsweep_last_message()), 10u) << function;
}

class OpenclFails : public testing::TestWithParam<asked> {};

TEST_P(OpenclFails, AtEachCall) {
  const std::string name = device();
  if (name.empty()) GTEST_SKIP() << "no OpenCL device answers";
  const long before = opencl_references();
  {
    const context held = open_device(name.c_str());
    const upsweep_context* const c = held.get();
    material m(c, 13'001);
    const auto& call = GetParam().call;
    const auto run = [&](long at, int code, opencl_calls& made) {
      m.poison();
      faulty_opencl_arm(at, code);
      upsweep_status status = call(c, m);
      if (status == UPSWEEP_OK) status = upsweep_synchronize(c);
      made = faulty_opencl_disarm();
      return status;
    };
    opencl_calls made{};
    const upsweep_status able = run(0, 0, made);
    if (able == UPSWEEP_UNSUPPORTED) GTEST_SKIP() << upsweep_last_message();
    ASSERT_EQ(able, UPSWEEP_OK) << upsweep_last_message();
    ASSERT_EQ(run(0, 0, made), UPSWEEP_OK) << upsweep_last_message();  // programs are built now
    const std::string right = m.result();
    const long of = made.made;
    int refused = 0;
    for (long at = 1; at <= of; at += 1 + at / 8) {  // of many a sample
      const upsweep_status status = run(at, codes[at % 4], made);
      ASSERT_TRUE(made.failed) << at << " of " << of;
      SCOPED_TRACE(std::string(made.failed) + ", call " + std::to_string(at) + " of " + std::to_string(of));
      if (status == UPSWEEP_OK) {
        EXPECT_EQ(m.result(), right);
      } else {
        ++refused;
        expect_a_refusal(status, made.failed);
      }
      EXPECT_EQ(run(0, 0, made), UPSWEEP_OK) << upsweep_last_message();
      EXPECT_EQ(m.result(), right) << "after it";
      if (HasFailure()) break;
    }
    std::printf("%s: %ld calls, %d refused\n", GetParam().name, of, refused);
  }
  EXPECT_EQ(opencl_references(), before) << "something was not given back";
}

INSTANTIATE_TEST_SUITE_P(, OpenclFails, testing::ValuesIn(calls()), [](const auto& which) { return which.param.name; });

// A context's first call builds its programs: seconds each time, so of many places a sample fails.
TEST(OpenclFailsAtFirst, WhenOpenedAndBuilt) {
  const std::string name = device();
  if (name.empty()) GTEST_SKIP() << "no OpenCL device answers";
  std::vector<std::int32_t> x(1000, 1);
  const auto sum = [&](std::int32_t& total) {
    upsweep_context* c = nullptr;
    upsweep_status status = upsweep_open(name.c_str(), &c);
    void *in = nullptr, *out = nullptr;
    if (status == UPSWEEP_OK) status = upsweep_allocate(c, 4000, &in);
    if (status == UPSWEEP_OK) status = upsweep_allocate(c, 4, &out);
    if (status == UPSWEEP_OK) status = upsweep_upload(c, in, x.data(), 4000);
    if (status == UPSWEEP_OK) status = upsweep_reduce(c, UPSWEEP_I32, in, 1000, UPSWEEP_PLUS, 0, nullptr, out);
    if (status == UPSWEEP_OK) status = upsweep_download(c, &total, out, 4);
    if (in) upsweep_release(c, in);
    if (out) upsweep_release(c, out);
    upsweep_close(c);
    return status;
  };
  std::int32_t total = 0;
  ASSERT_EQ(sum(total), UPSWEEP_OK) << upsweep_last_message();
  const long before = opencl_references();
  faulty_opencl_arm(0, 0);
  ASSERT_EQ(sum(total), UPSWEEP_OK);
  const long of = faulty_opencl_disarm().made;
  std::map<std::string, int> failed_before;
  for (long at = 1; at <= of; ++at) {
    total = 0;
    faulty_opencl_arm(at, codes[at % 4]);
    const upsweep_status status = sum(total);
    const opencl_calls made = faulty_opencl_disarm();
    ASSERT_TRUE(made.failed) << at << " of " << of;
    SCOPED_TRACE(std::string(made.failed) + ", call " + std::to_string(at) + " of " + std::to_string(of));
    if (status == UPSWEEP_OK)
      EXPECT_EQ(total, 1000);
    else
      expect_a_refusal(status, made.failed);
    EXPECT_EQ(opencl_references(), before) << "something was not given back";
    // A few of each function, the rest unseen.
    if (++failed_before[made.failed] > 4) ++at;
  }
  ASSERT_EQ(sum(total), UPSWEEP_OK) << upsweep_last_message();
  EXPECT_EQ(total, 1000);
}

}  // namespace
