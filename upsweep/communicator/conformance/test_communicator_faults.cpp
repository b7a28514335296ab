// Memory that runs out in a rank, at each place where a call asks for some, once or for good: the call ends on all
// ranks, with an error or the right result, and the next call is right.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <new>

#include "tests/faults/faulty.h"
#include "upsweep/communicator.hpp"
#include "upsweep/communicator/conformance/communicator_cases.hpp"
#include "upsweep/communicator/conformance/communicator_requests.hpp"

namespace upsweep {
namespace {

using communicator_conformance::asked;
using communicator_conformance::numbers;

class MemoryRunsOut : public testing::TestWithParam<asked> {};

TEST_P(MemoryRunsOut, InAMember) {
  const numbers whole = communicator_conformance::made<std::uint32_t>(communicator_conformance::keys::random, 5'003, 1);
  struct made {
    bool refused = false;
    long asked_for = 0;
    numbers result;
  };
  const auto once = [&](long at, int and_all_after, const numbers* want) {
    const auto g = communicator::named("cpu:1,cpu:1,cpu:1");
    auto in = distributed<std::uint32_t>::of(g, whole), out = distributed<std::uint32_t>::of(g, whole);
    numbers host(1);
    made m;
    alarm(100);  // ranks that wait for ever
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
      m.result = in.gather();
      const numbers outs = out.gather();
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

INSTANTIATE_TEST_SUITE_P(communicator, MemoryRunsOut, testing::ValuesIn(communicator_conformance::calls_for_memory()),
                         [](const auto& which) { return which.param.name; });

}  // namespace
}  // namespace upsweep
