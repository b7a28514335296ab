// Operators, predicates and comparisons that sleep at random, so that the CPU's threads interleave in orders that would
// hardly occur otherwise: a look-back waits for late threads, and early threads wait. The results stay the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "upsweep/upsweep.hpp"

namespace upsweep {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// A separate clock seeds the sleeps, so that runs differ; the results must not.
std::atomic<u64> drawn{std::random_device{}()};
void doze() {
  u64 x = drawn.fetch_add(0x9e3779b97f4a7c15, std::memory_order_relaxed);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  if (x % 4096 == 0) std::this_thread::sleep_for(std::chrono::microseconds((x >> 32) % 400));
  if (x % 1024 == 1) std::this_thread::yield();
}

// x -> a·x + b; first this one, then that one.
struct affine {
  u32 a, b;
  bool operator==(const affine&) const = default;
};
struct then {
  affine operator()(affine f, affine g) const {
    doze();
    return {g.a * f.a, g.a * f.b + g.b};
  }
  static affine identity() { return {1, 0}; }
};
constexpr auto odd = [](u32 x) {
  doze();
  return x % 2 == 1;
};
constexpr auto less_by_high = [](u32 a, u32 b) {
  doze();
  return a >> 12 < b >> 12;
};

struct SleepsOn : testing::TestWithParam<int> {
  context where = context::cpu(GetParam());
  std::mt19937 random{std::random_device{}()};
  static constexpr std::size_t sizes[]{1, 1000, 30'011, 70'001};
  std::vector<u32> words(std::size_t n) {
    std::vector<u32> x(n);
    for (u32& v : x) v = static_cast<u32>(random());
    return x;
  }
  std::vector<affine> maps(std::size_t n) {
    std::vector<affine> x(n);
    for (affine& f : x) f = {static_cast<u32>(random()) | 1, static_cast<u32>(random())};
    return x;
  }
};
INSTANTIATE_TEST_SUITE_P(, SleepsOn, testing::Values(1, 2, 3, 7),
                         [](const auto& one) { return "Threads" + std::to_string(one.param); });

TEST_P(SleepsOn, FoldsAndScans) {
  for (const std::size_t n : sizes) {
    const auto x = maps(n);
    std::vector<affine> want(n), got(n, {7, 7});
    std::inclusive_scan(x.begin(), x.end(), want.begin(), then{});
    EXPECT_EQ(reduce(where, x, then{}), want.back()) << n;
    inclusive_scan(where, x, got, then{});
    EXPECT_EQ(got, want) << n;
    exclusive_scan(where, x, got, affine{3, 5}, then{});
    std::exclusive_scan(x.begin(), x.end(), want.begin(), affine{3, 5}, then{});
    EXPECT_EQ(got, want) << n;
  }
}

TEST_P(SleepsOn, ByKeyAndBySegment) {
  for (const std::size_t n : sizes) {
    const auto x = maps(n);
    std::vector<u32> keys(n), run_keys(n);
    std::vector<u64> offsets{0};
    for (std::size_t i = 1, run = 0; i < n; ++i) {
      if (random() % (i % 3000 < 2000 ? 4 : 900) == 0) ++run, offsets.push_back(i);
      keys[i] = static_cast<u32>(run);
    }
    offsets.push_back(n);
    std::vector<affine> folds, scans(n), got(n), got_folds(n), segments(offsets.size() - 1);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      affine so_far = then::identity();
      for (u64 i = offsets[s]; i < offsets[s + 1]; ++i) scans[i] = so_far = then{}(so_far, x[i]);
      folds.push_back(so_far);
    }
    inclusive_scan_by_key(where, keys, x, got, then{});
    EXPECT_EQ(got, scans) << n;
    got_folds.resize(reduce_by_key(where, keys, x, run_keys, got_folds, then{}));
    EXPECT_EQ(got_folds, folds) << n;
    segmented_reduce(where, x, offsets, segments, then{});
    EXPECT_EQ(segments, folds) << n;
  }
}

TEST_P(SleepsOn, Selections) {
  for (const std::size_t n : sizes) {
    const auto x = words(n);
    std::vector<u32> want, got(n), rest = x;
    std::ranges::copy_if(x, std::back_inserter(want), odd);
    got.resize(copy_if(where, x, got, odd));
    EXPECT_EQ(got, want) << n;
    got.resize(n);
    std::ranges::stable_partition(rest, odd);
    EXPECT_EQ(partition(where, x, got, odd), want.size());
    EXPECT_EQ(got, rest) << n;
  }
}

TEST_P(SleepsOn, Sorts) {
  for (const std::size_t n : sizes) {
    auto x = words(n), want = x;
    std::ranges::stable_sort(want, less_by_high);
    sort(where, x, less_by_high);
    EXPECT_EQ(x, want) << n;
  }
}

}  // namespace
}  // namespace upsweep
