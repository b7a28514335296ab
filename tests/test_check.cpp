// The check itself, on variants that are wrong in the ways kernels are wrong: each must be caught.
#include "upsweep/conformance/check.hpp"

#include <gtest/gtest.h>

#include "upsweep/conformance/reference_fold.hpp"
#include "upsweep/convolve/convolve_problem.hpp"

namespace upsweep {
namespace {

using reduction = detail::reduce_impl::problem;
using scanning = detail::scan_impl::problem;

// A right reduction and a right scan by the reference, to be spoilt.
template <class P>
variant_of<P> right() {
  variant_of<P> v;
  v.name = std::is_same_v<P, scanning> ? "scan/for-this-test" : "reduce/for-this-test";
  v.run = [](device&, const P& p) { reference(p); };
  return v;
}

template <class P>
check_report checked(const variant_of<P>& v) {
  check_options quick;
  quick.quick = true;
  return check_variant(context::cpu(1).device(), erased(v), quick);
}

template <class P>
void expect_reference_passes() {
  const check_report report = checked(right<P>());
  EXPECT_TRUE(report.ok()) << (report.failures.empty() ? "no cases"
                                                       : report.failures[0].what + ": " + report.failures[0].wrong);
  EXPECT_GT(report.cases, 150u);
}

TEST(Check, PassesTheReference) {
  expect_reference_passes<reduction>();
  expect_reference_passes<scanning>();
}

template <class P>
void expect_caught(void (*run)(device&, const P&), const std::string& words) {
  variant_of<P> v = right<P>();
  v.run = run;
  const check_report report = checked(v);
  EXPECT_FALSE(report.ok());
  bool said = false;
  for (const check_failure& f : report.failures) said = said || f.wrong.find(words) != std::string::npos;
  EXPECT_TRUE(said) << "nobody said '" << words << "' but "
                    << (report.failures.empty() ? "nothing" : report.failures[0].wrong);
}

TEST(Check, CatchesNothingDone) {
  expect_caught<scanning>([](device&, const scanning&) {}, "element 0 of");
  expect_caught<reduction>([](device&, const reduction&) {}, "the result of");
}

TEST(Check, CatchesInitLeftOut) {
  const auto run = [](device&, const auto& p) {
    auto q = p;
    q.init = identity_scalar(p.op, p.type);
    reference(q);
  };
  expect_caught<scanning>(run, " is not ");
  expect_caught<reduction>(run, " is not ");
}

TEST(Check, CatchesTheLastElementLeftOut) {
  const auto run = [](device&, const auto& p) {
    auto q = p;
    if (q.n > 1000) --q.n;
    reference(q);
  };
  expect_caught<scanning>(run, " is not ");
  expect_caught<reduction>(run, " is not ");
}

TEST(Check, CatchesOperandsTheWrongWayRound) {
  // Commutes where it must not: the halves of the input are exchanged.
  const auto run = [](device&, const auto& p) {
    if (p.n < 2) return reference(p);
    std::vector<std::byte> turned(p.n * size_of(p.type));
    const std::uint64_t half = p.n / 2 * size_of(p.type);
    std::memcpy(turned.data(), p.in.template as<char>() + half, turned.size() - half);
    std::memcpy(turned.data() + turned.size() - half, p.in.template as<char>(), half);
    auto q = p;
    q.in = {turned.data(), 0};
    reference(q);
  };
  expect_caught<reduction>(run, " is not ");
}

TEST(Check, CatchesWritingPastTheEnd) {
  const auto run = [](device&, const auto& p) {
    reference(p);
    if constexpr (std::is_same_v<decltype(p), const scanning&>)
      p.out.template as<char>()[p.n * size_of(p.type)] ^= 1;
    else
      p.out.template as<char>()[-1] ^= 1;
  };
  expect_caught<scanning>(run, "byte 0 after the output was written");
  expect_caught<reduction>(run, "byte 1 before the output was written");
}

TEST(Check, CatchesSpoilingTheInput) {
  expect_caught<reduction>(
      [](device&, const reduction& p) {
        reference(p);
        if (p.n) *p.in.as<char>() ^= 1;
      },
      "an input was changed");
}

TEST(Check, CatchesResultsThatDoNotRepeat) {
  static int turn = 0;
  expect_caught<reduction>(
      [](device&, const reduction& p) {
        reference(p);
        if (is_floating(p.type) && p.op == op_kind::plus && p.n > 1000)
          *p.out.as<char>() ^= static_cast<char>(++turn & 1);
      },
      "a second run gave other bits");
}

TEST(Check, CatchesThrowing) {
  expect_caught<scanning>(
      [](device&, const scanning& p) {
        if (p.n == 1025) throw error(fault::device_failure, "test", "the launch failed");
        reference(p);
      },
      "the launch failed");
}

TEST(Check, HasNoCasesOnAnotherBackend) {
  variant_of<scanning> v = right<scanning>();
  v.where = backend::cuda;
  EXPECT_EQ(checked(v).cases, 0u);
  EXPECT_FALSE(checked(v).ok());
}

// A variant that takes little: middle anchors, no gaps, zeros beyond the edges. Whatever the seed deals, something is
// left for it.
TEST(Check, EveryVariantHasACaseAtEverySeed) {
  auto v = *static_cast<const detail::convolve_impl::variant*>(find_variant("convolve/sequential", backend::cpu)->own);
  v.name = "convolve/for-this-test";
  v.cannot = [](const detail::convolve_impl::problem& p) -> const char* {
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
    const check_report report = check_variant(context::cpu(1).device(), erased(v), quick);
    EXPECT_TRUE(report.ok()) << "seed " << quick.seed;
    EXPECT_GT(report.cases, 0u) << "seed " << quick.seed;
  }
}

// Beyond 2^32 elements the check reports, in one sentence for each form, that it does not test that form.
TEST(Check, TellsWhatItLeavesOutPast32Bits) {
  const auto left_out = [](const variant_of<reduction>& v) {
    check_options huge;
    huge.quick = huge.huge = true, huge.max_n = 100;
    const check_report report = check_variant(context::cpu(1).device(), erased(v), huge);
    EXPECT_TRUE(report.ok());
    EXPECT_EQ(report.huge_cases, 0u);
    EXPECT_EQ(report.left_out.size(), 2u);  // of u32 and of f32
    for (const upsweep::left_out& l : report.left_out) EXPECT_NE(l.what.find("n = 4294979643"), std::string::npos);
    return report.left_out.empty() ? std::string() : report.left_out[0].why;
  };
  variant_of<reduction> few = right<reduction>(), slow = few, chained = few;
  few.max_n = 1 << 20;
  slow.work.value = [](double n) { return n * n; };
  chained.span.value = [](double n) { return n; };
  EXPECT_NE(left_out(few).find("1048576"), std::string::npos) << left_out(few);
  EXPECT_NE(left_out(slow).find("2^40 steps"), std::string::npos);
  EXPECT_NE(left_out(chained).find("2^26 steps"), std::string::npos);
}

}  // namespace
}  // namespace upsweep
