// The conformance tests of recurrence accept the plain loop, and detect the typical errors of recurrences.
#include "tests/conformance_tests.hpp"
#include "upsweep/recurrence/recurrence_problem.hpp"

namespace upsweep::detail::recurrence_impl {
namespace {

using tests::expect_caught;
using tests::expect_passes;

// One step after the other; spoil(steps, i, state) is called before each.
template <class Spoil>
void one_by_one(const problem& p, const Spoil& spoil) {
  with_steps(p, [&]<class Steps>(const Steps& steps) {
    typename Steps::state s = *p.in3.as<typename Steps::state>();
    for (std::uint64_t i = 0; i < p.n; ++i) {
      spoil(i, s);
      s = steps.step(i, s);
    }
    *p.out2.as<typename Steps::state>() = s;
  });
}
void plain(device&, const problem& p) {
  one_by_one(p, [](std::uint64_t, auto&) {});
}

template <class T>
T half_forgotten(T) {
  return 0;
}
template <class T>
biquad_state<T> half_forgotten(biquad_state<T> s) {
  return {s.one, 0};
}

// A block that begins without what the one before it left.
void without_carry(device&, const problem& p) {
  one_by_one(p, [](std::uint64_t i, auto& s) {
    if (i == 256) s = half_forgotten(s);
  });
}

TEST(RecurrenceConformance, PassesWhatIsRight) {
  for (const primitive what : {primitive::recurrence, primitive::moving_average, primitive::biquad})
    expect_passes<problem>(what, plain);
}

TEST(RecurrenceConformance, CatchesACarryLost) {
  for (const primitive what : {primitive::recurrence, primitive::moving_average, primitive::biquad})
    expect_caught<problem>(what, without_carry, "element 25");
}

TEST(RecurrenceConformance, CatchesAStartForgotten) {
  for (const primitive what : {primitive::recurrence, primitive::moving_average, primitive::biquad})
    expect_caught<problem>(
        what,
        [](device&, const problem& p) {
          one_by_one(p, [](std::uint64_t i, auto& s) {
            if (i == 0) s = {};
          });
        },
        "element 0");
}

TEST(RecurrenceConformance, CatchesALastStateOfAStepBefore) {
  for (const primitive what : {primitive::recurrence, primitive::moving_average, primitive::biquad})
    expect_caught<problem>(
        what,
        [](device& d, const problem& p) {
          plain(d, p);
          with_steps(p, [&]<class Steps>(const Steps&) {
            auto* const last = p.out2.as<typename Steps::state>();
            if (p.n > 1) *last = half_forgotten(*last);
          });
        },
        "last state");
}

TEST(RecurrenceConformance, CatchesMapsComposedTheWrongWay) {
  expect_caught<problem>(
      primitive::recurrence,
      [](device&, const problem& p) {
        problem turned = p;
        std::swap(turned.in, turned.in2);
        one_by_one(turned, [](std::uint64_t, auto&) {});
      },
      " is not ");
}

TEST(RecurrenceConformance, CatchesANanThatIsSwallowed) {
  expect_caught<problem>(
      primitive::moving_average,
      [](device&, const problem& p) {
        one_by_one(p, [](std::uint64_t, auto& s) {
          if constexpr (std::is_floating_point_v<std::remove_reference_t<decltype(s)>>)
            if (s != s) s = 0;
        });
      },
      "is not nan");
}

TEST(RecurrenceConformance, CatchesCoefficientsOfFewerBits) {
  expect_caught<problem>(
      primitive::biquad,
      [](device& d, const problem& p) {
        problem coarse = p;
        coarse.section.a2 *= 1 + 0x1p-14;
        plain(d, coarse);
      },
      " is not ");
  expect_caught<problem>(
      primitive::moving_average,
      [](device& d, const problem& p) {
        problem coarse = p;
        coarse.keep = p.keep * (1 - 0x1p-18);
        plain(d, coarse);
      },
      " is not ");
}

}  // namespace
}  // namespace upsweep::detail::recurrence_impl
