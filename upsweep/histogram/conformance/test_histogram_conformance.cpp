// The conformance tests of histogram accept a plain implementation, and detect the typical errors of histograms.
// test_bins.cpp tests the rules of bins and weights.
#include "tests/conformance_tests.hpp"
#include "upsweep/histogram/histogram_bins.hpp"
#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/histogram/histogram_weights.hpp"

namespace upsweep::detail::histogram_impl {
namespace {

using tests::expect_caught;
using tests::expect_passes;

template <class W>
void plain_histogram_of(const problem& p) {
  const std::uint64_t bins = p.channels * p.m;
  const int bits_of_n = bits_of_count(p.n);
  std::vector<std::uint32_t> exponents(bins);
  std::vector<fixed_point> sums(bins);
  std::vector<std::uint64_t> counts(bins);
  const auto each = [&](auto add) {
    with_any_type(p.type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (std::uint64_t i = 0; i < p.n; ++i) {
        const T x = p.in.as<T>()[i];
        const std::uint32_t m = static_cast<std::uint32_t>(p.m);
        const std::uint32_t b = p.edges ? edge_bins<T>{p.in3.as<T>(), m, p.closed}(x)
                                        : even_bins<T>::of(p.lower.as<bound_of<T>>(), p.upper.as<bound_of<T>>(), m)(x);
        if (b != no_bin) add(i % p.channels * p.m + b, i);
      }
    });
  };
  if (!p.weighted) {
    each([&](std::uint64_t b, std::uint64_t) { ++counts[b]; });
    std::copy(counts.begin(), counts.end(), p.out.as<std::uint64_t>());
    return;
  }
  const W* w = p.in2.as<W>();
  each([&](std::uint64_t b, std::uint64_t i) { exponents[b] = std::max(exponents[b], parts_of(w[i]).exponent); });
  each([&](std::uint64_t b, std::uint64_t i) {
    const weight_parts parts = parts_of(w[i]);
    const fixed_point x = fixed_of(parts, exponents[b], bits_of_n);
    sums[b] = is_subtracted(parts, exponents[b]) ? difference(sums[b], x) : added(sums[b], x);
  });
  for (std::uint64_t b = 0; b < bins; ++b) p.out.as<double>()[b] = to_double(sums[b], exponents[b], bits_of_n);
}

void plain_histogram(device&, const problem& p) {
  p.weight_type == dtype::f64 ? plain_histogram_of<double>(p) : plain_histogram_of<float>(p);
}

void plain_ranges(device&, const problem& p) {
  const auto *prefix = p.in.as<std::uint64_t>(), *ends = p.in2.as<std::uint64_t>();
  for (std::uint64_t i = 0; i < p.n; ++i) p.out.as<std::uint64_t>()[i] = prefix[ends[2 * i + 1]] - prefix[ends[2 * i]];
}

TEST(HistogramConformance, PassesWhatIsRight) {
  expect_passes<problem>(primitive::histogram, plain_histogram);
  expect_passes<problem>(primitive::range_count, plain_ranges);
}

TEST(HistogramConformance, CatchesASampleTooMany) {
  expect_caught<problem>(
      primitive::histogram,
      [](device& d, const problem& p) {
        plain_histogram(d, p);
        if (!p.weighted) ++p.out.as<std::uint64_t>()[p.channels * p.m - 1];
      },
      " is not ");
}

TEST(HistogramConformance, CatchesChannelsMixedUp) {
  expect_caught<problem>(
      primitive::histogram,
      [](device& d, const problem& p) {
        plain_histogram(d, p);
        if (p.channels > 1 && p.n > 1000)
          std::swap_ranges(p.out.as<std::uint64_t>(), p.out.as<std::uint64_t>() + p.m, p.out.as<std::uint64_t>() + p.m);
      },
      "channel 0");
}

TEST(HistogramConformance, CatchesWhatIsOutsideInTheOuterBins) {
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
TEST(HistogramConformance, CatchesWeightsSummedInDoubles) {
  expect_caught<problem>(
      primitive::histogram,
      [](device& d, const problem& p) {
        plain_histogram(d, p);
        if (!p.weighted || p.weight_type != dtype::f32 || p.type != dtype::u32 || p.edges || p.channels > 1) return;
        const auto bins = even_bins<std::uint32_t>::of(p.lower.as<std::int64_t>(), p.upper.as<std::int64_t>(), p.m);
        std::vector<double> sums(p.m);
        for (std::uint64_t i = 0; i < p.n; ++i)
          if (const auto b = bins(p.in.as<std::uint32_t>()[i]); b != no_bin)
            sums[b] += static_cast<double>(p.in2.as<float>()[i]) * (1 + 0x1p-40);
        std::copy(sums.begin(), sums.end(), p.out.as<double>());
      },
      " is not ");
}

TEST(HistogramConformance, CatchesCountsCutTo32Bits) {
  expect_caught<problem>(
      primitive::range_count,
      [](device& d, const problem& p) {
        plain_ranges(d, p);
        for (std::uint64_t i = 0; i < p.n; ++i) p.out.as<std::uint64_t>()[i] &= 0xffffffff;
      },
      " is not ");
}

}  // namespace
}  // namespace upsweep::detail::histogram_impl
