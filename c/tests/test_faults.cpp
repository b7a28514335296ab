// Memory that runs out, at each place where a call asks for some: the call says so, nothing leaks, and the next call is
// right. Through the C interface, because every primitive is there by one kind of call.
#include <gtest/gtest.h>

#include <cstdio>

#include "asked_calls.hpp"
#include "tests/faults/faulty.h"

namespace {

using asked_calls::asked, asked_calls::calls, asked_calls::material;

class MemoryRunsOut : public testing::TestWithParam<asked> {};

TEST_P(MemoryRunsOut, AtEachPlace) {
  const context held = open_device("cpu:1");
  material m(held.get(), 70'001);
  const upsweep_context* const c = held.get();
  const auto& call = GetParam().call;
  m.poison();
  ASSERT_EQ(call(c, m), UPSWEEP_OK) << upsweep_last_message();
  const std::string right = m.result();

  int refused = 0;
  for (long at = 1;; at += 1 + at / 16) {  // the first ones, and some of very many
    // In a context of its own, so that its scratch is asked for again.
    const auto once = [&](upsweep_status& status) {
      upsweep_context* fresh = nullptr;
      ASSERT_EQ(upsweep_open("cpu:1", &fresh), UPSWEEP_OK);
      m.poison();
      faulty_arm(0, at);
      status = call(fresh, m);
      const long asked_for = faulty_disarm();
      if (status == UPSWEEP_OK) {
        EXPECT_EQ(m.result(), right) << "at " << at << " of " << asked_for;
      } else {
        EXPECT_EQ(status, UPSWEEP_OUT_OF_MEMORY) << "at " << at << ": " << upsweep_last_message();
        EXPECT_GT(std::strlen(upsweep_last_message()), 10u);
        m.poison();
        EXPECT_EQ(call(fresh, m), UPSWEEP_OK) << "after " << at << ": " << upsweep_last_message();
        EXPECT_EQ(m.result(), right) << "after " << at;
      }
      upsweep_close(fresh);
    };
    upsweep_status status = UPSWEEP_OK;
    once(status), once(status);  // what is made once and kept is there now
    const long living = faulty_living();
    once(status);
    EXPECT_EQ(faulty_living(), living) << "at " << at << ": something was not given back";
    if (HasFailure()) break;
    refused += status != UPSWEEP_OK;
    faulty_arm(0, 0);
    upsweep_context* fresh = nullptr;
    upsweep_open("cpu:1", &fresh);
    faulty_arm(0, 0);
    m.poison();
    call(fresh, m);
    const long all = faulty_disarm();
    upsweep_close(fresh);
    if (at >= all || at >= 400) break;
  }
  std::printf("%s: refused at %d places\n", GetParam().name, refused);
}

std::vector<asked> and_opening() {
  std::vector<asked> all = calls();
  all.push_back({"open", [](auto, auto& m) {
                   upsweep_context* another = nullptr;
                   const auto status = upsweep_open("cpu:2", &another);
                   m.host[0] = status == UPSWEEP_OK;
                   upsweep_close(another);
                   return status;
                 }});
  return all;
}

INSTANTIATE_TEST_SUITE_P(, MemoryRunsOut, testing::ValuesIn(and_opening()),
                         [](const auto& which) { return which.param.name; });

}  // namespace
