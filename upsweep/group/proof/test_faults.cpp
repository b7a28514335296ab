// Memory that runs out in a member, at each place where a call asks for some, once or for good: the call ends on all
// members, with an error or the right result, and the next call is right.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <new>
#include <numeric>

#include "tests/faults/faulty.h"
#include "upsweep/group.hpp"
#include "upsweep/group/proof/cases.hpp"

namespace upsweep {
namespace {

using numbers = std::vector<std::uint32_t>;

// Answers what it wrote; what is made before it is asked for is there when memory runs out.
struct asked {
  const char* name;
  std::function<void(const group&, distributed<std::uint32_t>& in, distributed<std::uint32_t>& out, numbers& host)>
      call;
};

std::vector<asked> calls() {
  return {
      {"reduce", [](auto& g, auto& in, auto&, auto& host) { host[0] = reduce(g, in); }},
      {"inclusive_scan", [](auto& g, auto& in, auto& out, auto&) { inclusive_scan(g, in, out); }},
      {"sort", [](auto& g, auto& in, auto&, auto&) { sort(g, in); }},
      {"sort_backwards", [](auto& g, auto& in, auto&, auto&) { sort(g, in, std::greater<std::uint32_t>()); }},
      {"copy_if", [](auto& g, auto& in, auto& out, auto&) { copy_if(g, in, out, less_than(1u << 31)); }},
      {"nth_element", [](auto& g, auto& in, auto&, auto& host) { host[0] = nth_element(g, in, 1'700); }},
      {"redistribute", [](auto& g, auto& in, auto& out, auto&) { redistribute(g, in, out); }},
      {"a_step_of_a_name_that_is_long",
       [](auto& g, auto&, auto&, auto& host) {
         g.each("a call whose name takes more room than a string has within itself, or than any was given before it",
                [&](member& m) {
                  std::vector<std::uint32_t> all(300, static_cast<std::uint32_t>(m.rank()));
                  m.way().broadcast(all.data(), 4 * all.size(), 1);
                  std::vector<std::uint32_t> turned(300);
                  m.way().transpose(all.data(), turned.data(), 400);
                  m.way().barrier();
                  if (m.rank() == 0) host[0] = std::accumulate(turned.begin(), turned.end(), 0u);
                });
       }},
  };
}

class MemoryRunsOut : public testing::TestWithParam<asked> {};

TEST_P(MemoryRunsOut, InAMember) {
  const numbers whole = group_proof::made<std::uint32_t>(group_proof::keys::random, 5'003, 1);
  struct made {
    bool refused = false;
    long asked_for = 0;
    numbers result;
  };
  const auto once = [&](long at, int and_all_after, const numbers* want) {
    const auto g = group::named("cpu:1,cpu:1,cpu:1");
    auto in = distributed<std::uint32_t>::of(g, whole), out = distributed<std::uint32_t>::of(g, whole);
    numbers host(1);
    made m;
    alarm(100);  // members that wait for ever
    faulty_arm(0, at, and_all_after);
    try {
      GetParam().call(g, in, out, host);
      m.asked_for = faulty_disarm();
    } catch (const std::bad_alloc&) {
      m.asked_for = faulty_disarm();
      m.refused = true;
    } catch (const error& e) {
      m.asked_for = faulty_disarm();
      m.refused = true;
      EXPECT_EQ(e.why(), fault::out_of_memory) << e.what();
    }
    const auto all_of_it = [&] {
      m.result = in.whole();
      const numbers outs = out.whole();
      m.result.insert(m.result.end(), outs.begin(), outs.end());
      m.result.insert(m.result.end(), host.begin(), host.end());
    };
    if (!m.refused) {
      all_of_it();
      if (want) {
        EXPECT_EQ(m.result, *want);
      }
    } else if (want) {
      in = distributed<std::uint32_t>::of(g, whole), out = distributed<std::uint32_t>::of(g, whole);
      host.assign(1, 0);
      EXPECT_NO_THROW(GetParam().call(g, in, out, host));
      all_of_it();
      EXPECT_EQ(m.result, *want) << "the call after it";
    }
    alarm(0);
    return m;
  };
  const made right = once(0, 0, nullptr);
  ASSERT_FALSE(right.refused);
  int refused = 0;
  for (long at = 1; at <= right.asked_for + 2; at += 1 + at / 32)  // the first ones, and some of very many
    for (const int and_all_after : {0, 1}) {
      SCOPED_TRACE("allocation " + std::to_string(at) + " of " + std::to_string(right.asked_for) +
                   (and_all_after ? " and all after it" : ""));
      refused += once(at, and_all_after, &right.result).refused;
      if (HasFailure()) return;
    }
  EXPECT_GT(refused, 0);
  std::printf("%s: %ld allocations, refused %d times\n", GetParam().name, right.asked_for, refused);
}

INSTANTIATE_TEST_SUITE_P(group, MemoryRunsOut, testing::ValuesIn(calls()),
                         [](const auto& which) { return which.param.name; });

}  // namespace
}  // namespace upsweep
