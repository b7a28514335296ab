// The exams of the room on a plain implementation, and on results spoilt in the ways histograms are wrong. The rule of
// the bins and that of the weights have tests of their own in test_bins.cpp.
#include "tests/exam_tests.hpp"
#include "upsweep/histogram/bins.hpp"
#include "upsweep/histogram/problem.hpp"
#include "upsweep/histogram/weights.hpp"

namespace upsweep::histogram_room {
namespace {

using tests::expect_caught;
using tests::expect_passes;

void plain_histogram(device&, const problem& p) {
  weight_scale scale;
  if (p.weighted) {
    std::uint32_t largest = 0;
    for (std::uint64_t i = 0; i < p.n; ++i) largest = std::max(largest, weight_magnitude(p.in2.as<float>()[i]));
    scale = weight_scale(largest, p.n);
  }
  auto* out = p.out.as<std::int64_t>();
  const std::uint64_t bins = p.channels * p.m;
  for (std::uint64_t b = 0; b < bins; ++b) out[b] = 0;
  with_any_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::uint64_t i = 0; i < p.n; ++i) {
      const T x = p.in.as<T>()[i];
      const std::uint32_t m = static_cast<std::uint32_t>(p.m);
      const std::uint32_t b = p.edges ? edge_bins<T>{p.in3.as<T>(), m}(x)
                                      : even_bins<T>::of(p.lower.as<bound_of<T>>(), p.upper.as<bound_of<T>>(), m)(x);
      if (b != no_bin) out[i % p.channels * p.m + b] += p.weighted ? scale.fixed(p.in2.as<float>()[i]) : 1;
    }
  });
  if (p.weighted)
    for (std::uint64_t b = 0; b < bins; ++b) p.out.as<double>()[b] = scale.sum(out[b]);
}

void plain_ranges(device&, const problem& p) {
  const auto *prefix = p.in.as<std::uint64_t>(), *ends = p.in2.as<std::uint64_t>();
  for (std::uint64_t i = 0; i < p.n; ++i) p.out.as<std::uint64_t>()[i] = prefix[ends[2 * i + 1]] - prefix[ends[2 * i]];
}

TEST(HistogramExam, PassesWhatIsRight) {
  expect_passes<problem>(primitive::histogram, plain_histogram);
  expect_passes<problem>(primitive::range_counts, plain_ranges);
}

TEST(HistogramExam, CatchesASampleTooMany) {
  expect_caught<problem>(
      primitive::histogram,
      [](device& d, const problem& p) {
        plain_histogram(d, p);
        if (!p.weighted) ++p.out.as<std::uint64_t>()[p.channels * p.m - 1];
      },
      " is not ");
}

TEST(HistogramExam, CatchesChannelsMixedUp) {
  expect_caught<problem>(
      primitive::histogram,
      [](device& d, const problem& p) {
        plain_histogram(d, p);
        if (p.channels > 1 && p.n > 1000)
          std::swap_ranges(p.out.as<std::uint64_t>(), p.out.as<std::uint64_t>() + p.m, p.out.as<std::uint64_t>() + p.m);
      },
      "channel 0");
}

TEST(HistogramExam, CatchesWhatIsOutsideInTheOuterBins) {
  expect_caught<problem>(
      primitive::histogram,
      [](device& d, const problem& p) {
        plain_histogram(d, p);
        if (p.weighted || p.channels > 1) return;
        std::uint64_t counted = 0;
        for (std::uint64_t b = 0; b < p.m; ++b) counted += p.out.as<std::uint64_t>()[b];
        p.out.as<std::uint64_t>()[0] += p.n - counted;
      },
      "bin 0 of");
}

// Weights summed in doubles, one after another: close, and not the same everywhere.
TEST(HistogramExam, CatchesWeightsSummedInDoubles) {
  expect_caught<problem>(
      primitive::histogram,
      [](device& d, const problem& p) {
        plain_histogram(d, p);
        if (!p.weighted || p.type != dtype::u32 || p.edges || p.channels > 1) return;
        const auto bins = even_bins<std::uint32_t>::of(p.lower.as<std::int64_t>(), p.upper.as<std::int64_t>(), p.m);
        std::vector<double> sums(p.m);
        for (std::uint64_t i = 0; i < p.n; ++i)
          if (const auto b = bins(p.in.as<std::uint32_t>()[i]); b != no_bin)
            sums[b] += static_cast<double>(p.in2.as<float>()[i]) * (1 + 0x1p-40);
        std::copy(sums.begin(), sums.end(), p.out.as<double>());
      },
      " is not ");
}

TEST(HistogramExam, CatchesCountsCutTo32Bits) {
  expect_caught<problem>(
      primitive::range_counts,
      [](device& d, const problem& p) {
        plain_ranges(d, p);
        for (std::uint64_t i = 0; i < p.n; ++i) p.out.as<std::uint64_t>()[i] &= 0xffffffff;
      },
      " is not ");
}

}  // namespace
}  // namespace upsweep::histogram_room
