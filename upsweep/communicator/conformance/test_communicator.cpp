// Communicators in one process: every call against one device, with one to five CPU contexts and two OpenCL devices.
// test_group_cuda.cpp has CUDA's.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "upsweep/communicator.hpp"
#include "upsweep/communicator/communicator_process_alive.hpp"
#include "upsweep/communicator/conformance/communicator_cases.hpp"
#include "upsweep/communicator/conformance/communicator_random.hpp"

namespace upsweep {
namespace {

void expect_nothing(const communicator_conformance::comparison& j) {
  EXPECT_GT(j.asked(), 100u);
  for (const std::string& wrong : j.found()) ADD_FAILURE() << wrong;
}

class group_of_cpus : public testing::TestWithParam<int> {};
TEST_P(group_of_cpus, gives_what_one_device_gives) {
  std::vector<context> ranks;
  for (int i = 0; i < GetParam(); ++i) ranks.push_back(context::cpu(1 + i % 2));
  expect_nothing(communicator_conformance::walk(communicator::of(ranks), 70'000, true));
}
INSTANTIATE_TEST_SUITE_P(communicator, group_of_cpus, testing::Range(1, 6));

// Of one to seven ranks; `upsweep check --group cpu:1,cpu:2,… --seed S --case K` is one of them again.
TEST(groups_of_cpus, pass_calls_drawn_at_random) {
  std::vector<communicator> groups;
  for (int p = 1; p <= 7; ++p) {
    std::vector<context> ranks;
    for (int i = 0; i < p; ++i) ranks.push_back(context::cpu(1 + i % 2));
    groups.push_back(communicator::of(std::move(ranks)));
  }
  const char* const seed = std::getenv("UPSWEEP_SEED");
  const communicator_conformance::drawing how{
      .seed = seed ? std::strtoull(seed, nullptr, 10) : 19, .count = 150, .max_n = 4000};
  const auto r = communicator_conformance::check_calls(groups, how);
  for (const std::string& wrong : r.wrong) ADD_FAILURE() << "seed " << how.seed << ", " << wrong;
  EXPECT_EQ(r.failed, 0u);
  EXPECT_GT(r.calls, 450u);
  // One of them alone is what it was among the others, and what is wrong would be told.
  const auto again =
      communicator_conformance::check_calls(groups, {.seed = how.seed, .first = 17, .count = 1, .max_n = 4000});
  EXPECT_EQ(again.cases, 1u);
  EXPECT_TRUE(again.wrong.empty());
}

TEST(group_of_opencl, gives_what_one_device_gives) {
  std::vector<context> ranks;
  try {
    for (int i = 0; i < 2; ++i) ranks.push_back(context::opencl());
  } catch (const error& e) {
    GTEST_SKIP() << e.what();
  }
  expect_nothing(communicator_conformance::walk(communicator::of(ranks), 2'000, false, 4));
  ranks.push_back(context::cpu(1));  // devices of several kinds together
  expect_nothing(communicator_conformance::walk(communicator::of(ranks), 2'000, false, 4));
}

TEST(communicator, members_share_one_context) {
  const auto cpu = context::cpu(2);
  const auto g = communicator::of({cpu, cpu, cpu});
  auto x = distributed<float>::of(
      g, communicator_conformance::made<float>(communicator_conformance::keys::random, 10'000, 3));
  sort(g, x);
  EXPECT_TRUE(is_sorted(cpu, x.gather()));
}

TEST(communicator, is_named) {
  const auto g = communicator::named("cpu:1,cpu:2");
  EXPECT_EQ(g.size(), 2);
  EXPECT_EQ(g.local_size(), 2);
  EXPECT_EQ(g.first(), 0);
  EXPECT_THROW(communicator::named("cpu,nothing"), error);
  EXPECT_THROW(communicator::of({}), error);
}

TEST(communicator, reads_slices_of_a_file) {
  const auto g = communicator::named("cpu:1,cpu:1,cpu:1");
  const std::string path = testing::TempDir() + "upsweep-group-slices";
  const auto x = communicator_conformance::made<std::uint32_t>(communicator_conformance::keys::random, 1000, 1);
  {
    std::ofstream file(path, std::ios::binary);
    file << "head";
    file.write(reinterpret_cast<const char*>(x.data()), 4000);
  }
  EXPECT_EQ(distributed<std::uint32_t>::of_file(g, path, 4, 1000).gather(), x);
  EXPECT_THROW(distributed<std::uint32_t>::of_file(g, path, 4, 1001), error);
  std::remove(path.c_str());
}

void meet(communicator_rank& m) { m.route().barrier(); }
TEST(communicator, takes_any_body_of_a_step) {
  const auto g = communicator::named("cpu:1,cpu:1");
  std::atomic<int> made{0};
  g.for_each_rank("a function", meet);
  g.for_each_rank("its address", &meet);
  const std::function<void(communicator_rank&)> kept = [&](communicator_rank&) { ++made; };
  g.for_each_rank("a std::function", kept);
  g.for_each_rank("one that answers", [&](const communicator_rank&) { return ++made; });
  g.for_each_rank("one that changes", [&, own = 0](communicator_rank& m) mutable {
    if (m.rank() == 0) made += ++own;
  });
  EXPECT_EQ(made, 5);
}

TEST(communicator, works_on_memory_that_is_there) {
  const auto g = communicator::named("cpu:1,cpu:1");
  std::vector<std::uint32_t> a{5, 3, 9}, b{1};
  auto x = distributed<std::uint32_t>::of_memory(g, {{a.data(), 3}, {b.data(), 1}});
  sort(g, x);
  EXPECT_EQ(a, (std::vector<std::uint32_t>{1, 3, 5}));
  EXPECT_EQ(b, (std::vector<std::uint32_t>{9}));
}

TEST(communicator, refuses_another_groups_parts_and_calls_within_calls) {
  const auto g = communicator::named("cpu:1,cpu:1"), other = communicator::named("cpu:1,cpu:1");
  auto x = distributed<float>::even(g, 10), y = distributed<float>::even(other, 10);
  EXPECT_THROW(inclusive_scan(g, x, y), error);
  EXPECT_THROW(sort(other, x), error);
  EXPECT_THROW(
      g.for_each_rank("outer", [&](communicator_rank&) { g.for_each_rank("inner", [](communicator_rank&) {}); }),
      error);
  EXPECT_EQ(x.size(), 10u);
  EXPECT_NO_THROW(sort(g, x));
}

TEST(communicator, does_not_promise_bits_that_it_has_not) {
  const auto sure = context::cpu(1).with({.deterministic = determinism::across_devices});
  const auto g = communicator::of({sure, sure});
  auto x = distributed<float>::of(g, std::vector<float>(100, 0.1f));
  EXPECT_THROW(reduce(g, x), error);
  EXPECT_THROW(inclusive_scan(g, x, x), error);
  EXPECT_EQ(reduce(g, x, maximum{}), 0.1f);
  EXPECT_EQ(reproducible_sum(g, x), reproducible_sum(sure, std::vector<float>(100, 0.1f)));
}

TEST(communicator, sizes_of_a_sort_are_exact) {
  const auto g = communicator::named("cpu:1,cpu:1,cpu:1,cpu:1");
  for (const auto kind : communicator_conformance::every_kind) {
    auto x = distributed<std::uint32_t>::of(g, communicator_conformance::made<std::uint32_t>(kind, 10'001, 2));
    sort(g, x);
    for (int r = 0; r < 4; ++r) EXPECT_EQ(x.part(r).size(), r == 0 ? 2501u : 2500u);
  }
}

// What is no order ends all the same, and writes nothing outside: all elements are still there.
TEST(communicator, survives_comparators_that_are_none) {
  const auto g = communicator::named("cpu:1,cpu:1,cpu:1");
  const auto whole = communicator_conformance::made<std::uint32_t>(communicator_conformance::keys::random, 30'000, 2);
  const auto none = [](std::uint32_t a, std::uint32_t b) { return (a * 2654435761u ^ b) % 3 == 0; };
  auto x = distributed<std::uint32_t>::of(g, whole);
  sort(g, x, none);
  auto found = x.gather(), want = whole;
  std::sort(found.begin(), found.end()), std::sort(want.begin(), want.end());
  EXPECT_EQ(found, want);
  nth_element(g, x, 17'000, none);
}

TEST(communicator, asks_for_scratch_once) {
  const auto g = communicator::named("cpu:1,cpu:1");
  const auto whole = communicator_conformance::made<std::uint32_t>(communicator_conformance::keys::random, 50'000, 2);
  const auto again = [&] {
    auto x = distributed<std::uint32_t>::of(g, whole);
    sort(g, x);
    std::uint64_t allocations = 0;
    for (int i = 0; i < 2; ++i) allocations += g.where(i).temporary_storage_allocations();
    return allocations;
  };
  const auto first = again();
  EXPECT_GT(first, 0u);
  EXPECT_EQ(again(), first);
}

TEST(communicator, knows_which_processes_are_there) {
  const running_process mine = this_process();
  EXPECT_TRUE(is_there(mine));
  auto another = mine;
  ++another.began;  // of the same number, but not this one
  EXPECT_FALSE(is_there(another));
  ++another.host;  // nothing is known of it
  EXPECT_TRUE(is_there(another));

  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const running_process its = this_process();
    if (write(ends[1], &its, sizeof its) != sizeof its) _exit(1);
    for (;;) pause();
  }
  running_process its;
  ASSERT_EQ(read(ends[0], &its, sizeof its), ssize_t{sizeof its});
  EXPECT_TRUE(is_there(its));
  kill(child, SIGKILL);
  siginfo_t how;
  waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT);  // it has ended, and its number is still kept
  EXPECT_FALSE(is_there(its));
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(is_there(its));
  close(ends[0]), close(ends[1]);
}

TEST(communicator, many_threads_call_one_group) {
  const auto g = communicator::named("cpu:1,cpu:1");
  const auto x = distributed<std::uint32_t>::of(g, std::vector<std::uint32_t>(1000, 3));
  std::vector<std::jthread> callers;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) right += reduce(g, x) == 3000u;
    });
  callers.clear();
  EXPECT_EQ(right.load(), 200);
}

}  // namespace
}  // namespace upsweep
