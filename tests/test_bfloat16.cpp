// The 16-bit float that is the upper half of one: every value there and back, and in folds, scans and orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "upsweep/upsweep.hpp"

namespace {

using upsweep::bfloat16;
using upsweep::context;

std::vector<bfloat16> some(std::size_t n) {
  std::mt19937_64 random(std::random_device{}());
  std::vector<bfloat16> x(n);
  for (auto& v : x) v = bfloat16(static_cast<float>(static_cast<std::int64_t>(random() % 511) - 255) / 8);
  return x;
}

TEST(Bfloat16, EveryValueIsAFloatAndComesBack) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto x = bfloat16::of_bits(static_cast<std::uint16_t>(bits));
    const float wide = x;
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(bfloat16(wide)))) << bits;
      continue;
    }
    ASSERT_EQ(bfloat16(wide).bits, bits);
    // Between one and the next the nearer wins, and of two as near the even one.
    const float next = bfloat16::of_bits(static_cast<std::uint16_t>(bits + 1));
    if (!std::isfinite(wide) || !std::isfinite(next) || (bits & 0x7fff) == 0x7fff) continue;
    const auto middle = static_cast<float>((static_cast<double>(wide) + static_cast<double>(next)) / 2);
    ASSERT_EQ(bfloat16(middle).bits, bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(bfloat16(std::nextafter(middle, wide)).bits, bits);
    ASSERT_EQ(bfloat16(std::nextafter(middle, next)).bits, bits + 1);
  }
  EXPECT_TRUE(std::isinf(static_cast<float>(bfloat16(3.4e38f))));
  EXPECT_EQ(static_cast<float>(std::numeric_limits<bfloat16>::epsilon()), 0x1p-7f);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<bfloat16>::max()), 0x1.fep127f);
}

TEST(Bfloat16, FoldsAndScansAreKeptInAFloat) {
  for (const std::size_t n : {0, 1, 31, 33, 1000, 100003}) {
    const auto x = some(n);
    double sum = 0;
    std::vector<float> expected(n), running(n, -1);
    for (std::size_t i = 0; i < n; ++i) expected[i] = static_cast<float>(sum += static_cast<float>(x[i]));
    EXPECT_EQ(reduce(context::cpu(), x, 0.0f), static_cast<float>(sum));  // multiples of 1/8: exact in a float
    inclusive_scan(context::cpu(), x, running);
    EXPECT_EQ(running, expected);
    if (n == 0) continue;
    const auto largest = std::max_element(x.begin(), x.end());
    EXPECT_EQ(reduce(context::cpu(), x, upsweep::maximum{}), *largest);
  }
}

TEST(Bfloat16, AreSortedSelectedAndFound) {
  auto x = some(10007);
  auto sorted = x;
  std::stable_sort(sorted.begin(), sorted.end(), [](float a, float b) { return a < b; });
  sort(context::cpu(), x, std::less<>{});
  EXPECT_TRUE(std::equal(x.begin(), x.end(), sorted.begin()));
  std::vector<bfloat16> kept(x.size());
  const auto n = copy_if(context::cpu(), x, kept, [](bfloat16 v) { return v > 0; });
  EXPECT_EQ(static_cast<std::ptrdiff_t>(n), std::count_if(x.begin(), x.end(), [](float v) { return v > 0; }));
  EXPECT_EQ(argmin(context::cpu(), x), 0u);
}

}  // namespace
