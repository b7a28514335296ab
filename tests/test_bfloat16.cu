// bfloat16 in folds, scans and orders under nvcc. Runs where a CUDA GPU is.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/upsweep.hpp"

namespace {

using namespace upsweep;

struct below {
  UPSWEEP_HD bool operator()(bfloat16 a, bfloat16 b) const { return a < b; }
};

struct Bfloat16Cuda : tests::on_cuda {};

TEST_F(Bfloat16Cuda, FoldsScansAndOrders) {
  const auto gpu = context::cuda(0);
  std::mt19937_64 random(std::random_device{}());
  for (const std::size_t n : {1, 33, 1000, 100003}) {
    std::vector<bfloat16> x(n);
    for (auto& v : x) v = bfloat16(static_cast<float>(static_cast<std::int64_t>(random() % 511) - 255) / 8);
    std::vector<float> prefixes(n);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) prefixes[i] = static_cast<float>(sum += static_cast<float>(x[i]));
    const buffer<bfloat16> in(gpu, x);
    buffer<float> running(gpu, n);
    EXPECT_EQ(reduce(gpu, in.span(), 0.0f), static_cast<float>(sum));  // multiples of 1/8: exact in a float
    inclusive_scan(gpu, in.span(), running.span());
    EXPECT_EQ(running.download(), prefixes);
    buffer<bfloat16> keys(gpu, x);
    sort(gpu, keys.span(), below{});
    std::stable_sort(x.begin(), x.end(), [](float a, float b) { return a < b; });
    EXPECT_TRUE(std::ranges::equal(x, keys.download()));
  }
}

}  // namespace
