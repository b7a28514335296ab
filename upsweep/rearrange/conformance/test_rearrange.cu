// The calls compiled by nvcc, on every CUDA device: as from a .cpp file, for own types too.
#include "upsweep/rearrange.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/devices.hpp"

namespace {

using namespace upsweep;

struct RearrangeNvccOn : tests::on_each_device {
  void SetUp() override {
    if (where().kind() != backend::cuda) GTEST_SKIP() << "the other devices are held to it from the .cpp file";
  }
};
INSTANTIATE_TEST_SUITE_P(, RearrangeNvccOn, testing::ValuesIn(tests::device_names()), tests::device_label);

struct pixel {
  unsigned char r, g, b;
  bool operator==(const pixel&) const = default;
};

TEST_P(RearrangeNvccOn, OwnTypes) {
  for (const std::size_t n : {0, 1, 255, 257, 1000003}) {
    std::vector<pixel> x(n), y(n), want;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = {static_cast<unsigned char>(i), static_cast<unsigned char>(i >> 8), static_cast<unsigned char>(i >> 16)};
      y[i] = {x[i].b, x[i].r, x[i].g};
    }
    buffer<pixel> a(where(), x), b(where(), y);
    reverse(where(), a);
    want = x, std::reverse(want.begin(), want.end());
    ASSERT_TRUE(a.download() == want);
    rotate(where(), a, n / 3);
    std::rotate(want.begin(), want.begin() + static_cast<std::ptrdiff_t>(n / 3), want.end());
    ASSERT_TRUE(a.download() == want);
    swap_ranges(where(), a, b);
    ASSERT_TRUE(a.download() == y && b.download() == want);
    shuffle_copy(where(), a, b, n);
    shuffle(where(), a, n);
    std::vector<std::uint64_t> place(n);
    random_permutation(context::cpu(1), place, n);
    for (std::size_t i = 0; i < n; ++i) want[i] = y[place[i]];
    ASSERT_TRUE(a.download() == want && b.download() == want);
    reverse(where(), y);
    buffer<std::uint32_t> order(where(), n);
    random_permutation(where(), order, n);
    ASSERT_TRUE(std::ranges::equal(order.download(), place));
  }
}

}  // namespace
