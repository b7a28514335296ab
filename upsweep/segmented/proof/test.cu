// Types, operators and keys of the user's own, compiled by nvcc, on every CUDA device.
#include <gtest/gtest.h>

#include <random>

#include "tests/devices.hpp"
#include "upsweep/segmented.hpp"

namespace {

using namespace upsweep;

struct SegmentedNvccOn : tests::on_each_device {
  void SetUp() override {
    if (where().kind() != backend::cuda)
      GTEST_SKIP() << "the CPU is held to it from the .cpp file, OpenCL has no form of it";
  }
};
INSTANTIATE_TEST_SUITE_P(, SegmentedNvccOn, testing::ValuesIn(tests::device_names()), tests::device_label);

// Maps x -> a·x + b: they do not commute.
struct affine {
  std::uint32_t a, b;
  __host__ __device__ friend bool operator==(const affine& x, const affine& y) { return x.a == y.a && x.b == y.b; }
};
struct then {
  __host__ __device__ affine operator()(affine f, affine g) const { return {f.a * g.a, g.a * f.b + g.b}; }
  __host__ __device__ static affine identity() { return {1, 0}; }
};
struct pair_key {
  std::uint16_t first, second;
  __host__ __device__ friend bool operator==(const pair_key& x, const pair_key& y) {
    return x.first == y.first && x.second == y.second;
  }
};

TEST_P(SegmentedNvccOn, TypesOperatorsAndKeys) {
  for (std::uint64_t n : {1, 1000, 300007}) {
    std::mt19937_64 random(n);
    std::vector<affine> x(n);
    std::vector<pair_key> keys(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      x[i] = {static_cast<std::uint32_t>(random()) | 1, static_cast<std::uint32_t>(random())};
      keys[i] = i && random() % 50 ? keys[i - 1]
                                   : pair_key{static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(random() % 3)};
    }
    std::vector<affine> scanned(n), folds, y(n);
    std::vector<pair_key> heads, k(n);
    std::vector<std::uint64_t> cuts;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (i == 0 || !(keys[i] == keys[i - 1]))
        heads.push_back(keys[i]), folds.push_back(then::identity()), cuts.push_back(i);
      scanned[i] = folds.back() = then{}(folds.back(), x[i]);
    }
    cuts.push_back(n);
    ASSERT_EQ(reduce_by_key(where(), keys, x, k, y, then{}), heads.size());
    ASSERT_TRUE(std::equal(heads.begin(), heads.end(), k.begin()));
    ASSERT_TRUE(std::equal(folds.begin(), folds.end(), y.begin()));
    inclusive_scan_by_key(where(), keys, x, y, then{});
    ASSERT_TRUE(y == scanned);
    std::vector<affine> by_segment(folds.size());
    segmented_reduce(where(), x, cuts, by_segment, then::identity(), then{});
    ASSERT_TRUE(by_segment == folds);
    buffer<affine> bx(where(), x);
    const buffer<std::uint64_t> offsets(where(), cuts);
    segmented_inclusive_scan(where(), bx.span(), offsets.span(), bx.span(), then{});
    ASSERT_TRUE(bx.download() == scanned);
  }
}

}  // namespace
