// Histograms of what a text makes of samples and weights: the same on the CPU and on CUDA, held to a loop.
#include "tests/texts.hpp"

namespace {

using namespace upsweep;

struct HistogramByText : tests::on_each_device {
  void SetUp() override {
    if (where().kind() == backend::opencl) GTEST_SKIP() << "inputs made from device memory do not run on OpenCL";
  }
};
INSTANTIATE_TEST_SUITE_P(, HistogramByText, testing::ValuesIn(tests::device_names()), tests::device_label);

struct its_weight {
  float operator()(const record& r) const { return r.x; }
  static constexpr const char* opencl = "x.x";
};

TEST_P(HistogramByText, CountsWhatALoopCounts) {
  for (const std::size_t n : sizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    const auto x = made_many<std::uint32_t>(n, 1);
    const auto r = made_many<record>(n, 2);
    const buffer<std::uint32_t> in(where(), x);
    const buffer<record> records(where(), r);
    buffer<std::uint64_t> counts(where(), std::vector<std::uint64_t>(10, 99)), of_edges(where(), 3);
    buffer<double> sums(where(), std::vector<double>(10, -1));
    const auto squares = transformed(in, expression("x * x % 1000"));
    histogram(where(), squares, counts, 0u, 1000u);
    histogram(where(), squares, buffer<std::uint32_t>(where(), std::vector<std::uint32_t>{10, 20, 500, 999}), of_edges);
    weighted_histogram(where(), in, transformed(records, its_weight{}), sums, 0u, 1000u);
    std::vector<std::uint64_t> want(10), want_of_edges(3);
    std::vector<double> want_sums(10);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t square = x[i] * x[i] % 1000;
      ++want[square / 100];
      if (square >= 10 && square <= 999) ++want_of_edges[square < 20 ? 0 : square < 500 ? 1 : 2];
      want_sums[x[i] / 100] += r[i].x;
    }
    if (n)
      want_of_edges[2] -=
          static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), [](auto v) { return v * v % 1000 == 999; }));
    expect_same(counts.download(), want, "even bins");
    expect_same(of_edges.download(), want_of_edges, "bins between edges");
    const auto got = sums.download();
    for (std::size_t b = 0; b < 10; ++b)
      EXPECT_TRUE(std::abs(got[b] - want_sums[b]) <= 1e-6 * static_cast<double>(n + 1)) << "sum " << b;
  }
}

}  // namespace
