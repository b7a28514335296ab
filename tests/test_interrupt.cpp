// Calls that are ended before they are done, and what is as before after that.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>

#include "tests/devices.hpp"
#include "upsweep/upsweep.hpp"

namespace upsweep {
namespace {

using namespace std::chrono_literals;
using tests::expect_error;

// On one thread and on two.
struct InterruptOn : testing::TestWithParam<int> {
  context where = context::cpu(GetParam());
  using u32 = std::uint32_t;
  // Longer in all than it is until somebody asks twice.
  static u32 late(u32 a, u32 b) {
    if (b % 64 == 0) std::this_thread::sleep_for(20us);
    return a + b;
  }
  std::vector<u32> ones = std::vector<u32>(1'000'000, 1);
  std::vector<u32> counted() const {
    std::vector<u32> x(ones.size());
    std::iota(x.begin(), x.end(), 0);
    return x;
  }
};
INSTANTIATE_TEST_SUITE_P(, InterruptOn, testing::Values(1, 2),
                         [](const auto& one) { return one.param == 1 ? "OneThread" : "TwoThreads"; });

TEST_P(InterruptOn, EndsACallAndTheNextIsRight) {
  std::vector<u32> x = counted(), y(x.size());
  int asked = 0;
  const std::thread::id here = std::this_thread::get_id();
  {
    const interruptible calls([&] {
      EXPECT_EQ(std::this_thread::get_id(), here);
      return ++asked == 2;
    });
    EXPECT_THROW(inclusive_scan(where, x, y, u32{0}, late), interrupted);
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(reduce(where, ones), 1'000'000u);
  }
  const int before = asked;  // the sum may have taken long enough to be asked for
  inclusive_scan(where, ones, y);
  EXPECT_EQ(y.back(), 1'000'000u);
  EXPECT_EQ(asked, before);
}

// A first call gets its scratch memory, whose pages take longer to come than its own work: that is asked for, too, and
// what was left half filled is not taken for what it should be.
TEST(Interrupt, EndsTheFillingOfScratchMemory) {
  const context where = context::cpu(1);  // so that whoever asks does each piece
  constexpr std::uint64_t bytes = 64 << 20;
  {
    const interruptible calls([] { return true; });
    std::this_thread::sleep_for(60ms);
    EXPECT_THROW(where.dev().scratch("test", bytes), interrupted);
  }
  const auto allocations = where.dev().scratch_used().allocations;
  const unsigned char* const all = where.dev().scratch("test", bytes).as<unsigned char>();
  EXPECT_EQ(where.dev().scratch_used().allocations, allocations + 1);
  EXPECT_TRUE(std::all_of(all, all + bytes, [](unsigned char b) { return b == 0; }));
  EXPECT_EQ(where.dev().scratch("test", bytes).as<unsigned char>(), all);
}

TEST_P(InterruptOn, EndsCallsOfManyShortPasses) {
  const std::vector<u32> x = counted();
  const std::uint64_t most = 1'000'000;
  const interruptible calls([] { return true; });
  std::uint64_t begun = 0;
  const auto again = [&] {
    for (; begun < most; ++begun) (void)reduce(where, x, u32{0}, [](u32 a, u32 b) { return std::max(a, b); });
  };
  EXPECT_THROW(again(), interrupted);
  EXPECT_LT(begun, most);
}

TEST_P(InterruptOn, StopsWhenAnotherThreadSays) {
  std::atomic<bool> enough = false;
  const std::jthread other([&] {
    std::this_thread::sleep_for(100ms);
    enough = true;
  });
  const std::size_t n = 3'000'000;  // some seconds, were they not ended
  std::vector<float> x(n), y(n), z(n), mass(n, 1), ax(n), ay(n), az(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i), y[i] = static_cast<float>(i * 7919 % 1009);
  const interruptible calls([&] { return enough.load(); });
  EXPECT_THROW(nbody::accelerations(where, {.softening = 1}, x, y, z, mass, ax, ay, az), interrupted);
  EXPECT_TRUE(enough);
}

TEST_P(InterruptOn, LetsOutWhatTheQuestionThrows) {
  std::vector<u32> x = counted(), y(x.size());
  const interruptible calls([]() -> bool { throw std::string("no answer"); });
  EXPECT_THROW(inclusive_scan(where, x, y, u32{0}, late), std::string);
}

TEST_P(InterruptOn, TheInnermostIsAsked) {
  std::vector<u32> x = counted(), y(x.size());
  const interruptible outer([] { return true; });
  {
    const interruptible inner([] { return false; });
    inclusive_scan(where, x, y, u32{0}, late);
    EXPECT_EQ(y.back(), 1783293664u);  // 999,999 · 500,000 in 32 bits
  }
  EXPECT_THROW(inclusive_scan(where, x, y, u32{0}, late), interrupted);
}

TEST(Interrupt, AnEmptyQuestionIsRefused) {
  expect_error(fault::bad_argument, {"interruptible", "the function is empty"},
               [] { const interruptible calls(nullptr); });
}

}  // namespace
}  // namespace upsweep
