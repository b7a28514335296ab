// Orders by several members under nvcc, in every call that takes an order. Runs where a CUDA GPU is.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/grouped.hpp"
#include "upsweep/sort.hpp"

namespace {

using namespace upsweep;
using tests::first_of;

struct ByCuda : tests::on_cuda {};

struct trade {
  std::uint32_t day, at;
  float price;
  friend bool operator==(const trade& a, const trade& b) { return a.at == b.at; }
};
struct coarse_day {
  UPSWEEP_HD std::uint32_t operator()(const trade& t) const { return t.day / 2; }
};

std::vector<trade> random_trades(std::uint64_t n) {
  std::mt19937_64 random(n + 3);
  std::vector<trade> all(n);
  for (std::uint32_t i = 0; i < n; ++i)
    all[i] = {static_cast<std::uint32_t>(random() >> 40) % 5, i, static_cast<float>(random() % 100)};
  return all;
}

TEST_F(ByCuda, EveryCallThatTakesAnOrder) {
  const context gpu = context::cuda();
  const auto order = by(&trade::day, descending(&trade::price));
  const auto before = [](const trade& a, const trade& b) {
    return a.day != b.day ? a.day < b.day : a.price != b.price ? a.price > b.price : a.at < b.at;
  };
  for (const std::uint64_t n : {1, 33, 1000, 100003}) {
    const auto host = random_trades(n);
    auto want = host;
    std::sort(want.begin(), want.end(), before);
    std::vector<std::uint32_t> numbers(n), want_at;
    for (std::uint32_t i = 0; i < n; ++i) numbers[i] = i;
    for (const trade& t : want) want_at.push_back(t.at);
    const buffer<trade> x(gpu, host);
    const buffer<std::uint32_t> rows(gpu, numbers);
    buffer<trade> keys(gpu, n);
    buffer<std::uint32_t> values(gpu, n), indices(gpu, n);
    sort(gpu, x, keys, order);
    EXPECT_EQ(keys.download(), want) << n;
    sort_by_key(gpu, x, rows, keys, values, order);
    EXPECT_EQ(values.download(), want_at) << n;
    argsort(gpu, x, indices, order);
    EXPECT_EQ(indices.download(), want_at) << n;
    EXPECT_TRUE(is_sorted(gpu, keys, order));
    nth_element(gpu, x, keys, n / 3, order);
    EXPECT_EQ(keys.download()[n / 3], want[n / 3]) << n;
    EXPECT_EQ(nth_element(gpu, x, n / 3, order), want[n / 3]) << n;
    const std::uint64_t k = std::min<std::uint64_t>(n, 20);
    buffer<trade> best(gpu, k);
    buffer<std::uint32_t> best_rows(gpu, k);
    top_k_by_key(gpu, x, rows, best, best_rows, order);
    EXPECT_EQ(best.download(), first_of(want, k)) << n;
    EXPECT_EQ(best_rows.download(), first_of(want_at, k)) << n;

    const std::vector<std::uint32_t> cuts{0, static_cast<std::uint32_t>(n / 4), static_cast<std::uint32_t>(n / 4),
                                          static_cast<std::uint32_t>(n)};
    want = host;
    std::sort(want.begin(), want.begin() + cuts[1], before);
    std::sort(want.begin() + cuts[1], want.end(), before);
    want_at.clear();
    for (const trade& t : want) want_at.push_back(t.at);
    const buffer<std::uint32_t> offsets(gpu, cuts);
    segmented_sort(gpu, x, keys, offsets, order);
    EXPECT_EQ(keys.download(), want) << n;
    segmented_sort_by_key(gpu, x, rows, keys, values, offsets, order);
    EXPECT_EQ(keys.download(), want) << n;
    EXPECT_EQ(values.download(), want_at) << n;

    sort(gpu, x, keys, by(coarse_day{}, descending(&trade::at)));
    want = host;
    std::sort(want.begin(), want.end(), [](const trade& a, const trade& b) {
      return a.day / 2 != b.day / 2 ? a.day / 2 < b.day / 2 : a.at > b.at;
    });
    EXPECT_EQ(keys.download(), want) << n;
  }
}

}  // namespace
