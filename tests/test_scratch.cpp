// Kept scratch: it is released by trim(), for calls that lack memory and beyond its bound, and never under a running
// call.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/devices.hpp"
#include "upsweep/core/calls_in_progress.hpp"
#include "upsweep/core/host_limits.hpp"
#include "upsweep/memory.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;

// A context of each test's own, whose scratch no other test has used.
struct ScratchOn : testing::TestWithParam<std::string> {
  const context opened = context::named(GetParam());
  const context& where() const { return opened; }
};
INSTANTIATE_TEST_SUITE_P(, ScratchOn, testing::ValuesIn(tests::device_names()), tests::device_label);

std::vector<unsigned char> held_in(device& d, memory m, std::uint64_t bytes) {
  std::vector<unsigned char> host(bytes);
  d.download(host.data(), m, bytes);
  return host;
}

TEST_P(ScratchOn, TrimReleasesAllOfTheCallingThread) {
  device& d = where().device();
  where().trim();
  {
    const core::running_call running;
    d.fill(d.scratch("test/run", 1 << 20), 7, 1 << 20);
  }
  d.fill(d.scratch("test/between runs", 1 << 20), 7, 1 << 20);
  EXPECT_GE(where().temporary_storage_bytes(), 2u << 20);
  where().trim();
  EXPECT_EQ(where().temporary_storage_bytes(), 0u);
  // New scratch is zeroed.
  EXPECT_EQ(held_in(d, d.scratch("test/run", 4096), 4096), std::vector<unsigned char>(4096, 0));
}

TEST_P(ScratchOn, WhatARunUsesStays) {
  device& d = where().device();
  where().trim();
  {
    const core::running_call before;
    d.scratch("test/earlier", 4096);
  }
  const memory outside = d.scratch("test/outside", 4096);
  const core::running_call running;
  const memory inside = d.scratch("test/now", 4096);
  d.fill(inside, 1, 4096), d.fill(outside, 2, 4096);
  EXPECT_GE(d.release_idle_scratch(false), 4096u);  // the earlier run's
  EXPECT_EQ(held_in(d, inside, 4096), std::vector<unsigned char>(4096, 1));
  EXPECT_EQ(held_in(d, outside, 4096), std::vector<unsigned char>(4096, 2));
  EXPECT_EQ(where().temporary_storage_bytes(), 8192u);
}

TEST_P(ScratchOn, OfOtherThreads) {
  device& d = where().device();
  where().trim();
  std::atomic<int> step{0};
  const auto wait_for = [&](int s) {
    while (step < s) std::this_thread::yield();
  };
  bool kept = false;
  std::thread other([&] {
    memory m;
    {
      const core::running_call running;
      m = d.scratch("test/other", 4096);
      d.fill(m, 3, 4096);
      step = 1;
      wait_for(2);
      kept = held_in(d, m, 4096) == std::vector<unsigned char>(4096, 3);
    }
    d.scratch("test/other outside", 4096);
    step = 3;
    wait_for(4);
  });
  wait_for(1);
  where().trim();  // the other one is running
  EXPECT_EQ(where().temporary_storage_bytes(), 4096u);
  step = 2;
  wait_for(3);
  where().trim();  // it no longer runs, and may keep memory that was allocated outside of a run
  EXPECT_EQ(where().temporary_storage_bytes(), 4096u);
  step = 4;
  other.join();
  EXPECT_TRUE(kept);
  where().trim();
  EXPECT_EQ(where().temporary_storage_bytes(), 0u);
}

TEST_P(ScratchOn, IsBounded) {
  device& d = where().device();
  where().trim();
  setenv("UPSWEEP_SCRATCH_LIMIT", "3M", 1);
  std::uint64_t most = 0;
  for (int i = 0; i < 8; ++i) {
    const core::running_call running;
    d.scratch("test/bounded " + std::to_string(i), 1 << 20);
    most = std::max(most, where().temporary_storage_bytes());
  }
  EXPECT_LE(most, 3u << 20);
  EXPECT_GE(most, 2u << 20);
  setenv("UPSWEEP_SCRATCH_LIMIT", "much", 1);
  expect_error(fault::bad_argument, {"UPSWEEP_SCRATCH_LIMIT=much", "8G"}, [&] {
    const core::running_call running;
    d.scratch("test/bounded by what", 1 << 20);
  });
  unsetenv("UPSWEEP_SCRATCH_LIMIT");
}

// A caller's memory that is too small for two names is enough for one after the other.
TEST_P(ScratchOn, OfAResourceIsReleasedBeforeItLacks) {
  const context gpu = where();
  buffer<std::byte> block(gpu, 3 << 20);
  arena_resource pool(gpu, block.span());
  const context lean = gpu.with({.memory = &pool});
  for (int i = 0; i < 5; ++i) {
    const core::running_call running;
    const memory m = lean.device().scratch("test/of a resource " + std::to_string(i), 2 << 20);
    EXPECT_EQ(held_in(lean.device(), m, 16), std::vector<unsigned char>(16, 0));
  }
  EXPECT_EQ(lean.temporary_storage_bytes(), 2u << 20);
  const core::running_call running;
  lean.device().scratch("test/one", 1 << 20);
  expect_error(fault::out_of_memory, {"the memory resource has"}, [&] { lean.device().scratch("test/two", 3 << 20); });
}

// The message names the limit of the process. In a child process, because a limit cannot be raised again.
TEST(HostLimits, AreNamed) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    std::string said = "nothing was thrown";
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{1} << 30);
    const rlimit most{limit, limit};
    if (setrlimit(RLIMIT_AS, &most) == 0) {
      try {
        const buffer<std::byte> large(context::cpu(1), std::uint64_t{2} << 30);
      } catch (const error& e) {
        said = e.what();
      } catch (const std::exception& e) {
        said = e.what();
      }
    }
    _exit(write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string said(4096, ' ');
  const ssize_t got = read(ends[0], said.data(), said.size());
  said.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_NE(said.find("RLIMIT_AS (ulimit -v) allows this process "), std::string::npos) << said;
}

}  // namespace
