// Tests, comparisons and element types of the user's own, compiled by nvcc, on every CUDA device.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/devices.hpp"
#include "upsweep/search.hpp"

namespace {

using namespace upsweep;
using u64 = std::uint64_t;

struct SearchNvccOn : tests::on_each_device {
  void SetUp() override {
    if (where().kind() != backend::cuda)
      GTEST_SKIP() << "the CPU is held to it from the .cpp file, OpenCL has no form of it";
  }
};
INSTANTIATE_TEST_SUITE_P(, SearchNvccOn, testing::ValuesIn(tests::device_names()), tests::device_label);

struct point {
  std::int32_t x, y, z;
  __host__ __device__ friend bool operator==(const point& a, const point& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  }
};
struct by_x {
  __host__ __device__ bool operator()(const point& a, const point& b) const { return a.x < b.x; }
};
struct within {
  std::int32_t most;
  __host__ __device__ bool operator()(const point& p) const { return p.y <= most; }
};
struct odd {
  __host__ __device__ bool operator()(std::uint32_t v) const { return v % 2 == 1; }
};
struct twice {
  __host__ __device__ std::uint32_t operator()(std::uint32_t v) const { return 2 * v; }
};

std::vector<point> random_points(u64 n) {
  std::mt19937_64 random(n);
  std::vector<point> all(n);
  for (point& p : all)
    p = {static_cast<std::int32_t>(random() % 500), static_cast<std::int32_t>(random() % 1000),
         static_cast<std::int32_t>(random() % 2)};
  return all;
}

template <class Iterator>
u64 place(Iterator first, Iterator at) {
  return static_cast<u64>(at - first);
}

TEST_P(SearchNvccOn, TypesOfOnesOwn) {
  for (const u64 n : {1, 33, 1000, 131073, 1000003}) {
    const std::vector<point> host = random_points(n);
    const buffer<point> x(where(), host);
    for (const int most : {-1, 0, 500}) {
      const within test{most};
      const auto count = static_cast<u64>(std::count_if(host.begin(), host.end(), test));
      const u64 first = place(host.begin(), std::find_if(host.begin(), host.end(), test));
      EXPECT_EQ(count_if(where(), x, test), count) << n;
      EXPECT_EQ(count_if(where(), host, test), count) << n;
      EXPECT_EQ(find_if(where(), x, test), first) << n;
      EXPECT_EQ(find_if(where(), host, test), first) << n;
      EXPECT_EQ(all_of(where(), x, test), count == n) << n;
    }
    EXPECT_EQ(argmin(where(), x, by_x{}), place(host.begin(), std::min_element(host.begin(), host.end(), by_x{}))) << n;
    EXPECT_EQ(argmax(where(), x, by_x{}), place(host.begin(), std::max_element(host.begin(), host.end(), by_x{}))) << n;
    EXPECT_EQ(argmax(where(), host, by_x{}), argmax(where(), x, by_x{})) << n;
    EXPECT_TRUE(equal(where(), x, x)) << n;
    std::vector<point> other = host;
    other[n / 2].z += 5;
    const buffer<point> y(where(), other);
    EXPECT_EQ(mismatch(where(), x, y), n / 2) << n;
    EXPECT_EQ(find(where(), y, other[n / 2]), n / 2) << n;
    EXPECT_EQ(search(where(), y, buffer<point>(where(), std::span<const point>(other).subspan(n / 2))), n / 2) << n;
  }
}

TEST_P(SearchNvccOn, BoundsAndAnswersThatStay) {
  std::vector<point> sorted = random_points(10007);
  std::stable_sort(sorted.begin(), sorted.end(), by_x{});
  const std::vector<point> queries = random_points(5003);
  std::vector<u64> lower(queries.size()), upper(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto [a, b] = std::equal_range(sorted.begin(), sorted.end(), queries[i], by_x{});
    lower[i] = place(sorted.begin(), a), upper[i] = place(sorted.begin(), b);
  }
  const buffer<point> s(where(), sorted), q(where(), queries);
  buffer<u64> first(where(), queries.size()), last(where(), queries.size()), one(where(), 1);
  equal_range(where(), s, q, first, last, by_x{});
  EXPECT_EQ(first.download(), lower);
  EXPECT_EQ(last.download(), upper);
  std::vector<u64> here(queries.size());
  lower_bound(where(), sorted, queries, here, by_x{});
  EXPECT_EQ(here, lower);
  count_if(where(), s, one, within{300});
  EXPECT_EQ(one.download()[0], static_cast<u64>(std::count_if(sorted.begin(), sorted.end(), within{300})));
}

TEST_P(SearchNvccOn, InputsMadeOnTheDevice) {
  std::vector<std::uint32_t> host(70001);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::uint32_t>(2 * (host.size() - i));
  const buffer<std::uint32_t> x(where(), host);
  const auto doubled = views::transform(x, twice{});
  EXPECT_EQ(count_if(where(), doubled, odd{}), 0u);
  EXPECT_EQ(argmin(where(), doubled), host.size() - 1);
  EXPECT_EQ(minmax(where(), doubled), (minmax_result<std::uint32_t>{4, 280004}));
  EXPECT_EQ(find_if(where(), doubled, less_than(1000u)),
            place(host.begin(), std::find_if(host.begin(), host.end(), [](std::uint32_t v) { return 2 * v < 1000; })));
  // A lambda's threshold travels with it.
  const std::uint32_t threshold = 5000;
  EXPECT_EQ(count_if(where(), x, [threshold] __host__ __device__(std::uint32_t v) { return v <= threshold; }), 2500u);
}

}  // namespace
