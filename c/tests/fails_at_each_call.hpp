// One call of a device's driver after the other fails: the library's call says so, or is right all the same; nothing is
// kept, and the next call is right.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <span>

#include "asked_calls.hpp"

namespace fails_at_each_call {

struct calls_made {
  long made;
  const char* failed;  // the function's name, or null
};

// Of one driver.
struct driver {
  std::string device;  // "" where none answers
  std::span<const int> codes;
  void (*arm)(long n, int code);  // the Nth call fails; 0: none does, all are counted
  calls_made (*disarm)();
  long (*held)();  // what was handed out and not given back
};

// The first usable device of a backend.
inline std::string first_of(const char* backend) {
  upsweep_device all[32];
  std::size_t count = 0;
  EXPECT_EQ(upsweep_devices(all, 32, &count), UPSWEEP_OK);
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 32); ++i)
    if (std::string(all[i].name).starts_with(backend) && all[i].usable) return all[i].name;
  return "";
}

inline void expect_a_refusal(upsweep_status status, const char* function) {
  EXPECT_TRUE(status == UPSWEEP_DEVICE_FAILURE || status == UPSWEEP_OUT_OF_MEMORY || status == UPSWEEP_NO_DEVICE ||
              status == UPSWEEP_UNSUPPORTED)
      << function << ": " << status << ": " << upsweep_last_message();
  EXPECT_GT(std::strlen(upsweep_last_message()), 10u) << function;
}

inline std::string at_text(const calls_made& m, long at, long of) {
  return std::string(m.failed) + ", call " + std::to_string(at) + " of " + std::to_string(of);
}

inline void in_a_call(const driver& d, const asked_calls::asked& a) {
  const auto run_twice = [&](const upsweep_context* c) {
    asked_calls::material m(c, 13'001);
    const auto run = [&](long at, int code, calls_made& made) {
      m.poison();
      d.arm(at, code);
      upsweep_status status = a.call(c, m);
      if (status == UPSWEEP_OK) status = upsweep_synchronize(c);
      made = d.disarm();
      return status;
    };
    calls_made made{};
    const upsweep_status able = run(0, 0, made);
    if (able == UPSWEEP_UNSUPPORTED) GTEST_SKIP() << upsweep_last_message();
    ASSERT_EQ(able, UPSWEEP_OK) << upsweep_last_message();
    ASSERT_EQ(run(0, 0, made), UPSWEEP_OK) << upsweep_last_message();  // programs are built now, and scratch is there
    const std::string right = m.result();
    const long of = made.made;
    int refused = 0;
    for (long at = 1; at <= of; at += 1 + at / 8) {  // of many a sample
      const upsweep_status status = run(at, d.codes[static_cast<std::size_t>(at) % d.codes.size()], made);
      ASSERT_TRUE(made.failed) << at << " of " << of;
      SCOPED_TRACE(at_text(made, at, of));
      if (status == UPSWEEP_OK) {
        EXPECT_EQ(m.result(), right);
      } else {
        ++refused;
        expect_a_refusal(status, made.failed);
      }
      EXPECT_EQ(run(0, 0, made), UPSWEEP_OK) << upsweep_last_message();
      EXPECT_EQ(m.result(), right) << "after it";
      if (testing::Test::HasFailure()) break;
    }
    std::printf("%s: %ld calls, %d refused\n", a.name, of, refused);
  };
  const long before = d.held();
  {
    const context held = open_device(d.device.c_str());
    run_twice(held.get());
  }
  EXPECT_EQ(d.held(), before) << "something was not given back";
}

// A context opened, memory taken, one sum, and all given back.
inline void from_opening_on(const driver& d) {
  std::vector<std::int32_t> x(1000, 1);
  const auto sum = [&](std::int32_t& total) {
    upsweep_context* c = nullptr;
    upsweep_status status = upsweep_open(d.device.c_str(), &c);
    void *in = nullptr, *out = nullptr;
    if (status == UPSWEEP_OK) status = upsweep_allocate(c, 4000, &in);
    if (status == UPSWEEP_OK) status = upsweep_allocate(c, 4, &out);
    if (status == UPSWEEP_OK) status = upsweep_upload(c, in, x.data(), 4000);
    if (status == UPSWEEP_OK) status = upsweep_reduce(c, UPSWEEP_I32, in, 1000, UPSWEEP_PLUS, 0, nullptr, out);
    if (status == UPSWEEP_OK) status = upsweep_download(c, &total, out, 4);
    if (in) upsweep_deallocate(c, in);
    if (out) upsweep_deallocate(c, out);
    upsweep_close(c);
    return status;
  };
  std::int32_t total = 0;
  ASSERT_EQ(sum(total), UPSWEEP_OK) << upsweep_last_message();
  const long before = d.held();
  d.arm(0, 0);
  ASSERT_EQ(sum(total), UPSWEEP_OK);
  const long of = d.disarm().made;
  std::map<std::string, int> failed_before;
  for (long at = 1; at <= of; ++at) {
    total = 0;
    d.arm(at, d.codes[static_cast<std::size_t>(at) % d.codes.size()]);
    const upsweep_status status = sum(total);
    const calls_made made = d.disarm();
    ASSERT_TRUE(made.failed) << at << " of " << of;
    SCOPED_TRACE(at_text(made, at, of));
    if (status == UPSWEEP_OK)
      EXPECT_EQ(total, 1000);
    else
      expect_a_refusal(status, made.failed);
    EXPECT_EQ(d.held(), before) << "something was not given back";
    // A few of each function, the rest unseen.
    if (++failed_before[made.failed] > 4) ++at;
  }
  ASSERT_EQ(sum(total), UPSWEEP_OK) << upsweep_last_message();
  EXPECT_EQ(total, 1000);
}

}  // namespace fails_at_each_call
