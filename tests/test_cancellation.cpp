// Cancelled calls, and the state that remains unchanged afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stop_token>
#include <string>
#include <thread>

#include "tests/devices.hpp"
#include "upsweep/upsweep.hpp"

namespace upsweep {
namespace {

using namespace std::chrono_literals;
using tests::expect_error;

// On one thread and on two.
struct CancellationOn : testing::TestWithParam<int> {
  context where = context::cpu(GetParam());
  using u32 = std::uint32_t;
  // Longer in total than the time between two cancellation queries.
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
INSTANTIATE_TEST_SUITE_P(, CancellationOn, testing::Values(1, 2),
                         [](const auto& one) { return one.param == 1 ? "OneThread" : "TwoThreads"; });

TEST_P(CancellationOn, EndsACallAndTheNextIsRight) {
  std::vector<u32> x = counted(), y(x.size());
  int asked = 0;
  const std::thread::id here = std::this_thread::get_id();
  {
    const cancellation_scope calls([&] {
      EXPECT_EQ(std::this_thread::get_id(), here);
      return ++asked == 2;
    });
    EXPECT_THROW(inclusive_scan(where, x, y, u32{0}, late), operation_cancelled);
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(reduce(where, ones), 1'000'000u);
  }
  const int before = asked;  // the sum may have run long enough for a query
  inclusive_scan(where, ones, y);
  EXPECT_EQ(y.back(), 1'000'000u);
  EXPECT_EQ(asked, before);
}

// The first call allocates temporary storage, and creating its pages takes longer than the call's own work. So this
// phase polls for cancellation as well, and storage left half filled is not reused as if it were complete.
TEST(Cancellation, EndsTheFillingOfScratchMemory) {
  const context where = context::cpu(1);  // so that whoever asks does each piece
  constexpr std::uint64_t bytes = 64 << 20;
  {
    const cancellation_scope calls([] { return true; });
    std::this_thread::sleep_for(60ms);
    EXPECT_THROW(where.device().scratch("test", bytes), operation_cancelled);
  }
  const auto allocations = where.device().temporary_storage_allocations();
  const unsigned char* const all = where.device().scratch("test", bytes).as<unsigned char>();
  EXPECT_EQ(where.device().temporary_storage_allocations(), allocations + 1);
  EXPECT_TRUE(std::all_of(all, all + bytes, [](unsigned char b) { return b == 0; }));
  EXPECT_EQ(where.device().scratch("test", bytes).as<unsigned char>(), all);
}

TEST_P(CancellationOn, EndsCallsOfManyShortPasses) {
  const std::vector<u32> x = counted();
  const std::uint64_t most = 1'000'000;
  const cancellation_scope calls([] { return true; });
  std::uint64_t begun = 0;
  const auto again = [&] {
    for (; begun < most; ++begun) (void)reduce(where, x, u32{0}, [](u32 a, u32 b) { return std::max(a, b); });
  };
  EXPECT_THROW(again(), operation_cancelled);
  EXPECT_LT(begun, most);
}

TEST_P(CancellationOn, StopsWhenAnotherThreadSays) {
  std::atomic<bool> enough = false;
  const std::jthread other([&] {
    std::this_thread::sleep_for(100ms);
    enough = true;
  });
  const std::size_t n = 3'000'000;  // some seconds, were they not ended
  std::vector<float> x(n), y(n), z(n), mass(n, 1), ax(n), ay(n), az(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i), y[i] = static_cast<float>(i * 7919 % 1009);
  const cancellation_scope calls([&] { return enough.load(); });
  EXPECT_THROW(nbody::accelerations(where, {.softening = 1}, x, y, z, mass, ax, ay, az), operation_cancelled);
  EXPECT_TRUE(enough);
}

TEST_P(CancellationOn, StopsWhenATokenSays) {
  std::vector<u32> x = counted(), y(x.size());
  std::stop_source source;
  const cancellation_scope calls(source.get_token());
  inclusive_scan(where, x, y, u32{0}, late);
  EXPECT_EQ(y.back(), 1783293664u);  // 999,999 · 500,000 in 32 bits
  source.request_stop();
  EXPECT_THROW(inclusive_scan(where, x, y, u32{0}, late), operation_cancelled);
}

TEST_P(CancellationOn, PropagatesWhatTheCallbackThrows) {
  std::vector<u32> x = counted(), y(x.size());
  const cancellation_scope calls([]() -> bool { throw std::string("no answer"); });
  EXPECT_THROW(inclusive_scan(where, x, y, u32{0}, late), std::string);
}

TEST_P(CancellationOn, PollsTheInnermostScope) {
  std::vector<u32> x = counted(), y(x.size());
  const cancellation_scope outer([] { return true; });
  {
    const cancellation_scope inner([] { return false; });
    inclusive_scan(where, x, y, u32{0}, late);
    EXPECT_EQ(y.back(), 1783293664u);  // 999,999 · 500,000 in 32 bits
  }
  EXPECT_THROW(inclusive_scan(where, x, y, u32{0}, late), operation_cancelled);
}

TEST(Cancellation, AnEmptyCallbackIsAnError) {
  expect_error(fault::bad_argument, {"cancellation_scope", "the function is empty"},
               [] { const cancellation_scope calls(nullptr); });
}

}  // namespace
}  // namespace upsweep
