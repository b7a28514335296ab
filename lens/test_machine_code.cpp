// Machine code on the host: instructions written by hand, and what they must do.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <sstream>

#include "lens/machine_code/sass.hpp"

namespace {

using namespace upsweep::lens::machine_code;

// One block of up to 64 threads. The first parameter is where results go, a word a thread.
class machine_code : public testing::Test {
 protected:
  std::vector<cost> run(const std::string& code, unsigned threads = 32) {
    std::string text = "Function : k\n";
    std::istringstream lines(code);
    unsigned at = 0;
    for (std::string line; std::getline(lines, line); at += 16) {
      char address[16];
      std::snprintf(address, sizeof address, "/*%04x*/ ", at);
      text += address + line + " ;\n";
    }
    std::istringstream in(text);
    kernels_ = read(in);
    launch l;
    l.what = &kernels_.at("k"), l.threads = threads, l.parameters.resize(8);
    const auto to = reinterpret_cast<std::uint64_t>(out.data());
    std::memcpy(l.parameters.data(), &to, 8);
    const memory_range range{to, to + sizeof out};
    l.memory = {&range, 1};
    return upsweep::lens::machine_code::run(l);
  }
  // Stores R0 to the thread's word, and ends. `at`: of the first of these lines.
  static constexpr const char* ending =
      "S2R R10, SR_TID.X\n"
      "LDC.64 R12, c[0x0][0x210]\n"
      "IMAD.WIDE.U32 R12, R10, 0x4, R12\n"
      "STG.E [R12.64], R0\n"
      "EXIT";

  alignas(256) std::array<std::uint32_t, 64> out{};

 private:
  std::map<std::string, kernel> kernels_;
};

TEST_F(machine_code, carries_go_into_upper_words) {
  run(std::string("IMAD.MOV.U32 R2, RZ, RZ, -0x1\n"
                  "IADD3 R3, P0, R2, 0x1, RZ\n"  // 2^32: a carry
                  "IADD3.X R0, R3, 0x5, RZ, P0, !PT\n") +
      ending);
  EXPECT_EQ(out[0], 6u);
  run(std::string("IADD3 R3, P0, RZ, -RZ, RZ\n"  // nothing borrowed
                  "IADD3.X R0, RZ, -0x1, RZ, P0, !PT\n") +
      ending);
  EXPECT_EQ(out[0], 0u);
  // 2^32 + 1 >= 2^32 + 2, by halves
  run(std::string("IMAD.MOV.U32 R2, RZ, RZ, 0x1\n"
                  "ISETP.GE.U32.AND P0, PT, R2, 0x2, PT\n"
                  "ISETP.GE.U32.AND.EX P0, P1, R2, 0x1, PT, P0\n"
                  "SEL R0, R2, 0x7, P0\n") +
      ending);
  EXPECT_EQ(out[0], 7u);
}

TEST_F(machine_code, lanes_part_and_meet) {
  // Lanes from 8 on jump over the store; all store together where they have met.
  const auto costs = run(std::string("S2R R1, SR_TID.X\n"
                                     "ISETP.GE.U32.AND P0, PT, R1, 0x8, PT\n"
                                     "BSSY B0, 0x60\n"
                                     "@P0 BRA 0x50\n"
                                     "STS [RZ+0x400], R1\n"
                                     "BSYNC B0\n"
                                     "VOTE.ANY R0, PT, !P0\n") +
                         ending);
  EXPECT_EQ(out[31], 0xffu);
  EXPECT_EQ(costs[4].issued, 1u);
  EXPECT_EQ(costs[4].lanes, 8u);
  EXPECT_EQ(costs[5].issued, 2u);  // once by those that jumped, once by the others
  EXPECT_EQ(costs[10].requests, 1u);
  EXPECT_EQ(costs[10].sectors, 4u);
}

TEST_F(machine_code, an_instruction_without_a_lane_asks_for_nothing) {
  const auto costs = run(std::string("S2R R1, SR_TID.X\n"
                                     "ISETP.GE.U32.AND P0, PT, R1, 0x28, PT\n"
                                     "IMAD.SHL.U32 R2, R1, 0x80, RZ\n"
                                     "@P0 STS [R2], R1\n") +
                             ending,
                         64);
  EXPECT_EQ(costs[3].issued, 2u);
  EXPECT_EQ(costs[3].for_none, 1u);
  EXPECT_EQ(costs[3].requests, 1u);
  EXPECT_EQ(costs[3].lanes, 24u);
  EXPECT_EQ(costs[3].wavefronts, 24u);  // all in one bank
  EXPECT_EQ(costs[3].ideal_wavefronts, 1u);
}

TEST_F(machine_code, shuffles_and_matches) {
  run(std::string("S2R R1, SR_LANEID\n"
                  "SHFL.UP P0, R2, R1, 0x1, RZ\n"
                  "@!P0 IMAD.MOV.U32 R2, RZ, RZ, 0x63\n"
                  "LOP3.LUT R3, R1, 0x1, RZ, 0xc0, !PT\n"
                  "MATCH.ANY R4, R3\n"
                  "POPC R5, R4\n"
                  "IADD3 R0, R2, R5, RZ\n") +
      ending);
  EXPECT_EQ(out[0], 0x63u + 16);
  EXPECT_EQ(out[7], 6u + 16);
}

TEST_F(machine_code, warps_meet_at_the_barrier) {
  run(std::string("S2R R1, SR_TID.X\n"
                  "IMAD.SHL.U32 R2, R1, 0x4, RZ\n"
                  "STS [R2+0x400], R1\n"
                  "BAR.SYNC.DEFER_BLOCKING 0x0\n"
                  "IADD3 R3, -R2, 0xfc, RZ\n"
                  "LDS R0, [R3+0x400]\n") +
          ending,
      64);
  EXPECT_EQ(out[0], 63u);
  EXPECT_EQ(out[63], 0u);
}

TEST_F(machine_code, what_it_does_not_know_is_told) {
  EXPECT_THROW(run(std::string("HMMA.16816.F32 R0, R4, R6, R8\n") + ending), std::runtime_error);
  EXPECT_THROW(
      run(std::string("IMAD.MOV.U32 R4, RZ, RZ, 0x8\nIMAD.MOV.U32 R5, RZ, RZ, RZ\nLDG.E R0, [R4.64]\n") + ending),
      std::runtime_error);
}

}  // namespace
