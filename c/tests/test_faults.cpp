// Threads that cannot be started, and memory that runs out, at each place where a call asks for some: the call is right
// without, or says so; nothing leaks, and the next call is right. Through the C interface, because every primitive is
// there by one kind of call.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>

#include "asked_calls.hpp"
#include "tests/faults/faulty.h"

namespace {

using asked_calls::asked, asked_calls::calls, asked_calls::material;

// oneTBB's threads are a process's, and stay: so each of these calls has a process of its own, which comes of this one
// while this one has no threads yet, before the other suite. Starts by the caller's thread are refused, and not those
// by oneTBB's own, which wake each other: where one of those is refused, oneTBB ends the process.
class ThreadsRunOut : public testing::TestWithParam<asked> {};

struct seen {
  upsweep_status status = UPSWEEP_INTERNAL, next = UPSWEEP_INTERNAL;
  long started = -1;  // threads that were asked for, in the first call
  std::size_t result = 0, next_result = 1;
  char message[200] = "it did not come to its end";
};

seen in_a_process_of_its_own(const asked& a, long at, int and_all_after) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // one that waits for a thread that never began
    seen s;
    upsweep_context* c = nullptr;
    if (upsweep_open("cpu:3", &c) == UPSWEEP_OK) {
      material m(c, 70'001);
      m.poison();
      faulty_arm(1, at, and_all_after);
      s.status = a.call(c, m);
      s.started = faulty_disarm();
      std::snprintf(s.message, sizeof s.message, "%s", s.status == UPSWEEP_OK ? "" : upsweep_last_message());
      s.result = std::hash<std::string>()(m.result());
      m.poison();
      s.next = a.call(c, m);
      s.next_result = std::hash<std::string>()(m.result());
    }
    const bool told = write(ends[1], &s, sizeof s) == static_cast<ssize_t>(sizeof s);
    _exit(!told);
  }
  close(ends[1]);
  seen s;
  if (read(ends[0], &s, sizeof s) != static_cast<ssize_t>(sizeof s)) s = {};
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "thread " << at << (and_all_after ? " and all after it" : "");
  return s;
}

TEST_P(ThreadsRunOut, AtEachStart) {
  const seen right = in_a_process_of_its_own(GetParam(), 0, 0);
  ASSERT_EQ(right.status, UPSWEEP_OK) << right.message;
  EXPECT_EQ(right.next_result, right.result);
  int refused = 0;
  for (long at = 1; at <= right.started; ++at)
    for (const int and_all_after : {0, 1}) {
      const seen s = in_a_process_of_its_own(GetParam(), at, and_all_after);
      SCOPED_TRACE("thread " + std::to_string(at) + " of " + std::to_string(right.started));
      if (s.status == UPSWEEP_OK) {
        EXPECT_EQ(s.result, right.result);
      } else {
        ++refused;
        EXPECT_EQ(s.status, UPSWEEP_DEVICE_FAILURE) << s.message;
      }
      EXPECT_EQ(s.next, UPSWEEP_OK);
      EXPECT_EQ(s.next_result, right.result) << "the call after it";
    }
  std::printf("%s: %ld threads, refused %d times\n", GetParam().name, right.started, refused);
}

INSTANTIATE_TEST_SUITE_P(, ThreadsRunOut, testing::ValuesIn(calls()),
                         [](const auto& which) { return which.param.name; });

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
    // In a context and a thread of its own, so that the scratch of both is asked for again.
    const auto once_here = [&](upsweep_status& status) {
      upsweep_context* fresh = nullptr;
      ASSERT_EQ(upsweep_open("cpu:1", &fresh), UPSWEEP_OK);
      m.poison();
      faulty_arm(0, at, 0);
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
    const auto once = [&](upsweep_status& status) { std::thread([&] { once_here(status); }).join(); };
    upsweep_status status = UPSWEEP_OK;
    once(status), once(status);  // what is made once and kept is there now
    const long living = faulty_living();
    once(status);
    EXPECT_EQ(faulty_living(), living) << "at " << at << ": something was not given back";
    if (HasFailure()) break;
    refused += status != UPSWEEP_OK;
    faulty_arm(0, 0, 0);
    upsweep_context* fresh = nullptr;
    upsweep_open("cpu:1", &fresh);
    faulty_arm(0, 0, 0);
    m.poison();
    call(fresh, m);
    const long all = faulty_disarm();
    upsweep_close(fresh);
    if (at >= all || at >= 400) break;
  }
  std::printf("%s: refused at %d places\n", GetParam().name, refused);
}

TEST_P(MemoryRunsOut, AndIsNotNeededToClose) {
  for (const char* device : {"cpu:1", "cpu:3"}) {
    upsweep_context* c = nullptr;
    ASSERT_EQ(upsweep_open(device, &c), UPSWEEP_OK);
    {
      material m(c, 70'001);
      EXPECT_EQ(GetParam().call(c, m), UPSWEEP_OK) << upsweep_last_message();
      faulty_arm(0, 1, 1);
    }
    upsweep_close(c);
    faulty_disarm();
  }
}

// The library then sets a lower thread limit in oneTBB, which allocates memory.
TEST(Memory, IsNotNeededToClose) {
  const int usable = static_cast<int>(std::thread::hardware_concurrency());
  upsweep_context *wide = nullptr, *wider = nullptr;
  ASSERT_EQ(upsweep_open(("cpu:" + std::to_string(usable + 3)).c_str(), &wide), UPSWEEP_OK);
  ASSERT_EQ(upsweep_open(("cpu:" + std::to_string(usable + 5)).c_str(), &wider), UPSWEEP_OK);
  faulty_arm(0, 1, 1);
  upsweep_close(wider);
  EXPECT_GT(faulty_disarm(), 0);
  {
    material m(wide, 70'001);
    EXPECT_EQ(calls()[0].call(wide, m), UPSWEEP_OK) << upsweep_last_message();
  }
  upsweep_close(wide);
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
