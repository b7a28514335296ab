// The check itself, on variants that are wrong in the ways kernels are wrong: each must be caught.
#include "upsweep/proof/check.hpp"

#include <gtest/gtest.h>

#include "upsweep/proof/oracle.hpp"

namespace upsweep {
namespace {

// A right reduction and a right scan by the reference, to be spoilt.
variant right(primitive what) {
  variant v;
  v.name = what == primitive::scan ? "scan/for-this-test" : "reduce/for-this-test";
  v.what = what;
  v.run = [](device&, const problem& p) { reference(p); };
  return v;
}

check_report checked(const variant& v) {
  check_options quick;
  quick.quick = true;
  return check_variant(context::cpu(1).dev(), v, quick);
}

TEST(Check, PassesTheReference) {
  for (primitive what : {primitive::reduce, primitive::scan}) {
    const check_report report = checked(right(what));
    EXPECT_TRUE(report.ok()) << (report.failures.empty() ? "no cases"
                                                         : report.failures[0].what + ": " + report.failures[0].wrong);
    EXPECT_GT(report.cases, 150u);
  }
}

void expect_caught(primitive what, void (*run)(device&, const problem&), const std::string& words) {
  variant v = right(what);
  v.run = run;
  const check_report report = checked(v);
  EXPECT_FALSE(report.ok());
  bool said = false;
  for (const check_failure& f : report.failures) said = said || f.wrong.find(words) != std::string::npos;
  EXPECT_TRUE(said) << "nobody said '" << words << "' but "
                    << (report.failures.empty() ? "nothing" : report.failures[0].wrong);
}

TEST(Check, CatchesNothingDone) {
  expect_caught(primitive::scan, [](device&, const problem&) {}, "element 0 of");
  expect_caught(primitive::reduce, [](device&, const problem&) {}, "the result of");
}

TEST(Check, CatchesInitLeftOut) {
  const auto run = [](device&, const problem& p) {
    problem q = p;
    q.init = identity_scalar(p.op, p.type);
    reference(q);
  };
  expect_caught(primitive::scan, run, " is not ");
  expect_caught(primitive::reduce, run, " is not ");
}

TEST(Check, CatchesTheLastElementLeftOut) {
  const auto run = [](device&, const problem& p) {
    problem q = p;
    if (q.n > 1000) --q.n;
    reference(q);
  };
  expect_caught(primitive::scan, run, " is not ");
  expect_caught(primitive::reduce, run, " is not ");
}

TEST(Check, CatchesOperandsTheWrongWayRound) {
  // Commutes where it must not: the halves of the input are exchanged.
  const auto run = [](device&, const problem& p) {
    if (p.n < 2) return reference(p);
    std::vector<std::byte> turned(p.n * size_of(p.type));
    const std::uint64_t half = p.n / 2 * size_of(p.type);
    std::memcpy(turned.data(), p.in.as<char>() + half, turned.size() - half);
    std::memcpy(turned.data() + turned.size() - half, p.in.as<char>(), half);
    problem q = p;
    q.in = {turned.data(), 0};
    reference(q);
  };
  expect_caught(primitive::reduce, run, " is not ");
}

TEST(Check, CatchesWritingPastTheEnd) {
  const auto run = [](device&, const problem& p) {
    reference(p);
    if (p.what == primitive::scan) p.out.as<char>()[p.n * size_of(p.type)] ^= 1;
    if (p.what == primitive::reduce) p.out.as<char>()[-1] ^= 1;
  };
  expect_caught(primitive::scan, run, "byte 0 after the output was written");
  expect_caught(primitive::reduce, run, "byte 1 before the output was written");
}

TEST(Check, CatchesSpoilingTheInput) {
  expect_caught(
      primitive::reduce,
      [](device&, const problem& p) {
        reference(p);
        if (p.n) *p.in.as<char>() ^= 1;
      },
      "an input was changed");
}

TEST(Check, CatchesResultsThatDoNotRepeat) {
  static int turn = 0;
  expect_caught(
      primitive::reduce,
      [](device&, const problem& p) {
        reference(p);
        if (is_floating(p.type) && p.op == op_kind::plus && p.n > 1000)
          *p.out.as<char>() ^= static_cast<char>(++turn & 1);
      },
      "a second run gave other bits");
}

TEST(Check, CatchesThrowing) {
  expect_caught(
      primitive::scan,
      [](device&, const problem& p) {
        if (p.n == 1025) throw error(fault::device_failure, "test", "the launch failed");
        reference(p);
      },
      "the launch failed");
}

TEST(Check, HasNoCasesOnAnotherBackend) {
  variant v = right(primitive::scan);
  v.where = backend::cuda;
  EXPECT_EQ(checked(v).cases, 0u);
  EXPECT_FALSE(checked(v).ok());
}

// A variant that takes little: middle anchors, no gaps, zeros beyond the edges. Whatever the seed deals, something is
// left for it.
TEST(Check, EveryVariantHasACaseAtEverySeed) {
  variant v = *find_variant("convolve/sequential", backend::cpu);
  v.name = "convolve/for-this-test";
  v.cannot = [](const problem& p) -> const char* {
    const bool middle = p.anchor == extent{p.mask.x / 2, p.mask.y / 2, p.mask.z / 2};
    return p.rank == 1 && middle && p.pitch == 0 && p.out_pitch == 0 && p.edge == border::zero && p.channels == 1 &&
                   !p.flipped && p.mask.z == 1 && p.type == dtype::f32 && p.mask_type == dtype::f32
               ? nullptr
               : "anything else";
  };
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    check_options quick;
    quick.quick = true;
    quick.seed = 977 * seed;
    const check_report report = check_variant(context::cpu(1).dev(), v, quick);
    EXPECT_TRUE(report.ok()) << "seed " << quick.seed;
    EXPECT_GT(report.cases, 0u) << "seed " << quick.seed;
  }
}

}  // namespace
}  // namespace upsweep
