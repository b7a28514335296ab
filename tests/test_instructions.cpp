// UPSWEEP_INSTRUCTIONS makes a processor one that has no wider vectors.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/devices.hpp"
#include "upsweep/cpu/simd_dispatch.hpp"

namespace {

using namespace upsweep;

struct Instructions : testing::Test {
  ~Instructions() override { ::unsetenv("UPSWEEP_INSTRUCTIONS"); }
  static std::int64_t with(const char* asked) {
    ::setenv("UPSWEEP_INSTRUCTIONS", asked, 1);
    return cpu::supported_targets();
  }
};

TEST_F(Instructions, AreLeftOut) {
  ::unsetenv("UPSWEEP_INSTRUCTIONS");
  const std::int64_t all = cpu::supported_targets(), narrower = with("avx2");
  EXPECT_EQ(narrower & ~all, 0);
  EXPECT_EQ(with("baseline"), 0);
  if (all) {
    EXPECT_NE(narrower, 0);
  }
}

TEST_F(Instructions, ThatNobodyKnows) {
#if defined(__x86_64__)
  tests::expect_error(fault::bad_argument,
                      {"UPSWEEP_INSTRUCTIONS=mmx is not an instruction set", "write avx2, or baseline"},
                      [] { with("mmx"); });
#endif
}

}  // namespace
