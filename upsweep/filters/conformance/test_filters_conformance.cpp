// The conformance tests of filters detect filters that solve another problem: wrong borders, windows, weights and
// thresholds.
#include <cmath>

#include "tests/conformance_tests.hpp"
#include "upsweep/filters/filters_problem.hpp"

namespace upsweep::detail::filters_impl {
namespace {

using tests::expect_caught;
using tests::expect_passes;

// What change(p) makes of the problem.
template <class Change>
void run_changed(device& d, problem p, const Change& change) {
  change(p);
  run(target(d), p);
}

float* last_of(const problem& p) {
  const extent out = out_size(p);
  return p.out.as<float>() + (out.y - 1) * out_pitch(p) + out.x * p.channels - 1;
}

TEST(FiltersConformance, PassesWhatIsRight) {
  for (const primitive what : {primitive::median, primitive::bilateral, primitive::recursive_gaussian,
                               primitive::non_maximum_suppression, primitive::hysteresis_threshold, primitive::resize})
    expect_passes<problem>(what, [](device& d, const problem& p) { run(target(d), p); });
}

TEST(FiltersConformance, CatchesAnotherBorder) {
  for (const primitive what : {primitive::median, primitive::bilateral, primitive::recursive_gaussian})
    expect_caught<problem>(
        what,
        [](device& d, const problem& p) {
          run_changed(d, p, [](problem& q) { q.edge = q.edge == border::mirror ? border::reflect : border::mirror; });
        },
        " is not ");
}

TEST(FiltersConformance, CatchesAWindowOfAnotherSize) {
  expect_caught<problem>(
      primitive::median,
      [](device& d, const problem& p) { run_changed(d, p, [](problem& q) { q.radius -= q.radius > 5; }); }, " is not ");
}

TEST(FiltersConformance, CatchesTheElementBesideTheMiddle) {
  expect_caught<problem>(
      primitive::median,
      [](device& d, const problem& p) {
        run(target(d), p);
        *last_of(p) = std::nextafterf(*last_of(p), 2);
      },
      " is not ");
}

TEST(FiltersConformance, CatchesWeightsThatForgetColourOrDistance) {
  expect_caught<problem>(
      primitive::bilateral, [](device& d, const problem& p) { run_changed(d, p, [](problem& q) { q.range = 1e9f; }); },
      " is not ");
  expect_caught<problem>(
      primitive::bilateral,
      [](device& d, const problem& p) { run_changed(d, p, [](problem& q) { q.space *= 1.0005f; }); }, " is not ");
}

TEST(FiltersConformance, CatchesAGaussianOfAnotherWidth) {
  expect_caught<problem>(
      primitive::recursive_gaussian,
      [](device& d, const problem& p) { run_changed(d, p, [](problem& q) { q.space *= 1.1f; }); }, " is not ");
}

TEST(FiltersConformance, CatchesGradientsTurned) {
  expect_caught<problem>(
      primitive::non_maximum_suppression,
      [](device& d, const problem& p) { run_changed(d, p, [](problem& q) { std::swap(q.in, q.in2); }); }, " is not ");
}

// Of two equal ones the first is to stay.
TEST(FiltersConformance, CatchesBothOfTwoEqualOnesGone) {
  expect_caught<problem>(
      primitive::non_maximum_suppression,
      [](device& d, const problem& p) {
        run(target(d), p);
        const auto w = static_cast<std::int64_t>(p.size.x), n = static_cast<std::int64_t>(p.n);
        float* const out = p.out.as<float>();
        const auto length = [&](std::int64_t i) {
          return i < 0 || i >= n ? 0 : std::hypot(p.in.as<float>()[i], p.in2.as<float>()[i]);
        };
        for (std::int64_t i = 0; i < n; ++i)
          for (const std::int64_t by : {std::int64_t{1}, w})
            if (out[i] > 0 && length(i) == length(i + by)) out[i] = 0;
      },
      "0 is not ");
}

TEST(FiltersConformance, CatchesThresholdsThatLeaveOutTheirOwn) {
  expect_caught<problem>(
      primitive::hysteresis_threshold,
      [](device& d, const problem& p) {
        run_changed(d, p, [](problem& q) { q.low = std::nextafterf(q.low, 2), q.high = std::max(q.low, q.high); });
      },
      "0 is not 1");
}

TEST(FiltersConformance, CatchesEdgesCutAtARow) {
  expect_caught<problem>(
      primitive::hysteresis_threshold,
      [](device& d, const problem& p) {
        // The halves of the picture, each by itself.
        const std::uint64_t upper = p.size.y / 2;
        for (const std::uint64_t first : {std::uint64_t{0}, upper})
          run_changed(d, p, [&](problem& q) {
            q.size.y = first ? p.size.y - upper : std::max<std::uint64_t>(upper, 1);
            q.in = p.in.plus_bytes(first * p.size.x * 4), q.out = p.out.plus_bytes(first * p.size.x * 4);
          });
      },
      "0 is not 1");
}

TEST(FiltersConformance, CatchesOtherKernels) {
  expect_caught<problem>(
      primitive::resize,
      [](device& d, const problem& p) {
        run_changed(d, p, [](problem& q) { q.how = q.how == resampling::lanczos ? resampling::cubic : q.how; });
      },
      " is not ");
  expect_caught<problem>(
      primitive::resize,
      [](device& d, const problem& p) {
        run_changed(d, p, [](problem& q) { q.how = q.how == resampling::nearest ? resampling::area : q.how; });
      },
      " is not ");
}

TEST(FiltersConformance, CatchesAGapThatIsWritten) {
  expect_caught<problem>(
      primitive::resize,
      [](device& d, const problem& p) {
        run(target(d), p);
        if (out_pitch(p) > p.to.x * p.channels && p.to.y > 1) p.out.as<float>()[p.to.x * p.channels] = 0;
      },
      "the gap after row 0");
}

TEST(FiltersConformance, CatchesANan) {
  for (const primitive what : {primitive::median, primitive::bilateral, primitive::recursive_gaussian,
                               primitive::non_maximum_suppression, primitive::hysteresis_threshold, primitive::resize})
    expect_caught<problem>(
        what,
        [](device& d, const problem& p) {
          run(target(d), p);
          *last_of(p) = NAN;
        },
        "nan is not ");
}

}  // namespace
}  // namespace upsweep::detail::filters_impl
