// Tests and element types of the user's own, compiled by nvcc, on every CUDA device.
#include <gtest/gtest.h>

#include <random>

#include "tests/devices.hpp"
#include "upsweep/select.hpp"

namespace {

using namespace upsweep;

struct SelectNvccOn : tests::on_each_device {
  void SetUp() override {
    if (where().kind() != backend::cuda)
      GTEST_SKIP() << "the CPU is held to it from the .cpp file, OpenCL has no form of it";
  }
};
INSTANTIATE_TEST_SUITE_P(, SelectNvccOn, testing::ValuesIn(tests::device_names()), tests::device_label);

struct odd {
  __host__ __device__ bool operator()(std::uint32_t v) const { return v % 2 == 1; }
};
struct fourth {
  __host__ __device__ bool operator()(std::uint32_t v) const { return v % 4 == 0; }
};

struct point {
  std::int32_t x, y, z;
  __host__ __device__ friend bool operator==(const point& a, const point& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  }
};

std::vector<std::uint32_t> random_words(std::uint64_t n, std::uint32_t below) {
  std::mt19937_64 random(n);
  std::vector<std::uint32_t> x(n);
  for (std::uint32_t& e : x) e = static_cast<std::uint32_t>(random() >> 11) % below;
  return x;
}

TEST_P(SelectNvccOn, Tests) {
  for (std::uint64_t n : {1, 1000, 3000017}) {
    const auto x = random_words(n, 1000);
    std::vector<std::uint32_t> want = x, y(n);
    const auto middle = std::stable_partition(want.begin(), want.end(), odd{});
    const auto kept = static_cast<std::uint64_t>(middle - want.begin());
    ASSERT_EQ(partition(where(), x, y, odd{}), kept);
    ASSERT_EQ(y, want);
    ASSERT_EQ(copy_if(where(), x, y, odd{}), kept);
    ASSERT_TRUE(std::equal(want.begin(), middle, y.begin()));
    std::stable_partition(middle, want.end(), fourth{});
    ASSERT_EQ(three_way_partition(where(), x, y, odd{}, fourth{})[0], kept);
    ASSERT_EQ(y, want);
    // A lambda's threshold travels with it.
    const std::uint32_t threshold = 250;
    buffer<std::uint32_t> bx(where(), x), by(where(), n);
    buffer<std::uint64_t> count(where(), 1);
    copy_if(where(), bx.span(), by.span(), count.span(),
            [threshold] __host__ __device__(std::uint32_t v) { return v < threshold; });
    ASSERT_EQ(count.download()[0],
              static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), [=](auto v) { return v < threshold; })));
  }
}

TEST_P(SelectNvccOn, Types) {
  std::vector<point> x;
  for (std::uint32_t v : random_words(300007, 3)) x.push_back({static_cast<int>(v), 2, 3});
  std::vector<point> want = x, y(x.size()), back(x.size());
  want.erase(std::unique(want.begin(), want.end()), want.end());
  std::vector<std::uint64_t> lengths(x.size());
  ASSERT_EQ(unique(where(), x, y), want.size());
  EXPECT_TRUE(std::equal(want.begin(), want.end(), y.begin()));
  ASSERT_EQ(run_length_encode(where(), x, y, lengths), want.size());
  y.resize(want.size()), lengths.resize(want.size());
  run_length_decode(where(), y, lengths, back);
  EXPECT_TRUE(back == x);
  std::vector<std::uint64_t> turned(x.size());
  for (std::uint64_t i = 0; i < turned.size(); ++i) turned[i] = turned.size() - 1 - i;
  gather(where(), x, turned, back);
  EXPECT_TRUE(std::equal(x.rbegin(), x.rend(), back.begin()));
  std::vector<point> places(x.size());
  scatter_if(where(), back, turned, std::vector<std::uint8_t>(x.size(), 1), places);
  EXPECT_TRUE(places == x);

  // Indices of four bytes, and every other one with a flag; on the device.
  const std::vector<std::uint32_t> narrow(turned.begin(), turned.end());
  std::vector<std::uint8_t> flags(x.size());
  for (std::uint64_t i = 0; i < flags.size(); ++i) flags[i] = i % 2;
  std::vector<point> nowhere(x.size(), point{7, 7, 7}), some = nowhere;
  for (std::uint64_t i = 1; i < x.size(); i += 2) some[i] = x[turned[i]];
  const buffer<point> bx(where(), x);
  const buffer<std::uint32_t> order(where(), narrow);
  const buffer<std::uint8_t> kinds(where(), flags);
  buffer<point> out(where(), nowhere);
  gather_if(where(), bx, order, kinds, out);
  EXPECT_TRUE(out.download() == some);
  gather(where(), bx, order, out);
  EXPECT_TRUE(out.download() == back);
  buffer<point> sent(where(), x.size());
  scatter(where(), out, order, sent);
  EXPECT_TRUE(sent.download() == x);
}

}  // namespace
