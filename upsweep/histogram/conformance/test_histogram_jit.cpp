// Histograms of samples and weights that are made as they are read, by device source on OpenCL and CUDA: held to a
// loop.
#include "tests/jit_operators.hpp"

namespace {

using namespace upsweep;

using HistogramJit = tests::on_each_device;
INSTANTIATE_TEST_SUITE_P(, HistogramJit, testing::ValuesIn(tests::device_names()), tests::device_label);

struct its_weight {
  float operator()(const record& r) const { return r.x; }
  static constexpr const char* source = "x.x";
};

TEST_P(HistogramJit, CountsWhatALoopCounts) {
  for (const std::size_t n : sizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    const auto x = made_many<std::uint32_t>(n, 1);
    const auto r = made_many<record>(n, 2);
    const buffer<std::uint32_t> in(where(), x);
    const buffer<record> records(where(), r);
    buffer<std::uint64_t> counts(where(), std::vector<std::uint64_t>(10, 99)), of_edges(where(), 3);
    buffer<double> sums(where(), std::vector<double>(10, -1));
    const auto squares = views::transform(in, expression("x * x % 1000"));
    histogram(where(), squares, counts, 0u, 1000u);
    histogram(where(), squares, buffer<std::uint32_t>(where(), std::vector<std::uint32_t>{10, 20, 500, 999}), of_edges);
    weighted_histogram(where(), in, views::transform(records, its_weight{}), sums, 0u, 1000u);
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

struct without_source {
  std::uint32_t operator()(std::uint32_t x) const { return x; }
};

// Of each kind that has device source, over memory that begins anywhere.
TEST_P(HistogramJit, OfWhateverIsMade) {
  for (const std::size_t n : sizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    const auto x = made_many<std::uint32_t>(n + 3, 5);
    const auto r = made_many<record>(n + 3, 6);
    std::vector<std::uint64_t> places(n);
    for (std::size_t i = 0; i < n; ++i) places[i] = i * 7919 % n;
    const buffer<std::uint32_t> all(where(), x);
    const buffer<record> records(where(), r);
    const buffer<std::uint64_t> indices(where(), places);
    const auto in = all.span().subspan(3, n);
    const auto rows = records.span().subspan(3, n);
    const auto counted = [&](const auto& samples) {
      buffer<std::uint64_t> counts(where(), std::vector<std::uint64_t>(7, 99));
      histogram(where(), samples, counts, 0, 1000);
      return counts.download();
    };
    const auto expect = [&](const char* what, const auto& samples, std::size_t count, const auto& at) {
      std::vector<std::uint64_t> want(7);
      for (std::size_t i = 0; i < count; ++i)
        if (const std::uint64_t v = at(i); v < 1000) ++want[v * 7 / 1000];
      expect_same(counted(samples), want, what);
    };
    const auto of = [&](std::size_t i) { return std::uint64_t{x[3 + i]}; };
    expect("iota", views::iota(5u, n), n, [](std::size_t i) { return 5 + i; });
    expect("repeat", views::repeat(17u, n), n, [](std::size_t) { return std::uint64_t{17}; });
    expect("reverse", views::reverse(in), n, of);
    expect("stride", views::stride(in, 3), (n + 2) / 3, [&](std::size_t i) { return of(3 * i); });
    expect("rows", views::stride(in, n / 10, 4, 10), n / 10 * 4, [&](std::size_t i) { return of(i / 4 * 10 + i % 4); });
    expect("permute", views::permute(in, indices), n, [&](std::size_t i) { return of(places[i]); });
    expect("of another",
           views::transform(views::permute(views::transform(in, expression("x / 2")), indices), expression("x + 3")), n,
           [&](std::size_t i) { return of(places[i]) / 2 + 3; });

    buffer<double> sums(where(), std::vector<double>(4, -1));
    weighted_histogram(where(), views::reverse(in), views::transform(rows, its_weight{}), sums, 0u, 1000u);
    std::vector<double> want(4);
    for (std::size_t i = 0; i < n; ++i) want[x[3 + n - 1 - i] / 250] += static_cast<double>(r[3 + i].x);
    const auto got = sums.download();
    for (std::size_t b = 0; b < 4; ++b)
      EXPECT_TRUE(std::abs(got[b] - want[b]) <= 1e-6 * static_cast<double>(n + 1)) << "sum " << b;
  }
}

TEST_P(HistogramJit, WrongTextsAreToldWithTheirPlace) {
  if (where().kind() == backend::cpu) GTEST_SKIP() << "it takes the C++";
  const buffer<std::uint32_t> in(where(), std::vector<std::uint32_t>(10, 1));
  buffer<std::uint64_t> counts(where(), 3);
  struct wrong {
    std::uint32_t operator()(std::uint32_t x) const { return x; }
    std::string source = "x +\n missing";
  };
  tests::expect_error(fault::bad_argument, {"the function's source, line 2", "missing"},
                      [&] { histogram(where(), views::transform(in, wrong{}), counts, 0, 10); });
  tests::expect_error(fault::unsupported, {"histogram"},
                      [&] { histogram(where(), views::transform(in, without_source{}), counts, 0, 10); });
}

}  // namespace
