// The host's memory runs out in a call on a GPU or an OpenCL device: in the library, while the driver has what it
// wants. The call says so, or is right without, and the next call is right.
//
// UPSWEEP_DEVICE=cuda:0: on this device; otherwise on the first of OpenCL's. UPSWEEP_ALL_PLACES=1: at more places.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "fails_at_each_call.hpp"
#include "tests/faults/faulty.h"

namespace {

using asked_calls::asked, asked_calls::material;

std::string device() {
  static const std::string name = [] {
    faulty_only_of(reinterpret_cast<const void*>(upsweep_open));
    const char* const given = std::getenv("UPSWEEP_DEVICE");
    return given ? std::string(given) : fails_at_each_call::first_of("opencl:");
  }();
  return name;
}

class HostMemoryRunsOut : public testing::TestWithParam<asked> {
 protected:
  void SetUp() override {
    if (device().empty()) GTEST_SKIP() << "no OpenCL device answers";
  }

  // In a thread of its own, which has kept nothing yet. How many allocations there were; `refused` counts.
  long in_a_thread(const upsweep_context* c, long at, const std::string* right, std::string* result, int& refused) {
    long all = 0;
    std::thread([&] {
      material m(c, 13'001);
      const auto call = [&] {
        const upsweep_status status = GetParam().call(c, m);
        return status == UPSWEEP_OK ? upsweep_synchronize(c) : status;
      };
      m.poison();
      faulty_arm(0, at, 0);
      const upsweep_status status = call();
      all = faulty_disarm();
      if (result) *result = m.result();
      if (!right) {
        able_ = status;
        return;
      }
      SCOPED_TRACE("allocation " + std::to_string(at) + " of " + std::to_string(all));
      if (status == UPSWEEP_OK) {
        EXPECT_EQ(m.result(), *right);
      } else {
        ++refused;
        EXPECT_EQ(status, UPSWEEP_OUT_OF_MEMORY) << upsweep_last_message();
      }
      m.poison();
      EXPECT_EQ(call(), UPSWEEP_OK) << upsweep_last_message();
      EXPECT_EQ(m.result(), *right) << "after it";
    }).join();
    return all;
  }

  upsweep_status able_ = UPSWEEP_OK;
};

TEST_P(HostMemoryRunsOut, InACallOnADevice) {
  // They take a while: of a call that comes again a sample fails, of first calls one place of each fourth.
  static const bool everywhere = std::getenv("UPSWEEP_ALL_PLACES") != nullptr;
  static const context held = open_device(device().c_str());
  std::string right;
  int refused = 0;
  in_a_thread(held.get(), 0, nullptr, &right, refused);
  if (able_ == UPSWEEP_UNSUPPORTED) GTEST_SKIP() << upsweep_last_message();
  ASSERT_EQ(able_, UPSWEEP_OK) << upsweep_last_message();
  const long all = in_a_thread(held.get(), 0, nullptr, &right, refused);
  for (long at = 1; at <= all && !HasFailure(); at += 1 + at / (everywhere ? 8 : 2))
    in_a_thread(held.get(), at, &right, nullptr, refused);
  // In a context's first call programs are built, and things are kept.
  const auto first_call = [&](long at) {
    const context fresh = open_device(device().c_str());
    return in_a_thread(fresh.get(), at, at ? &right : nullptr, nullptr, refused);
  };
  static long turn = std::random_device()();
  ++turn;
  if (!everywhere && turn % 4 == 0) first_call(1 + turn / 4 % (2 * all + 1));
  if (everywhere)
    for (long at = 1, of = first_call(0); at <= of && !HasFailure(); ++at) first_call(at);
  std::printf("%s: %ld allocations, refused %d times\n", GetParam().name, all, refused);
}

INSTANTIATE_TEST_SUITE_P(, HostMemoryRunsOut, testing::ValuesIn(asked_calls::calls()),
                         [](const auto& which) { return which.param.name; });

}  // namespace
