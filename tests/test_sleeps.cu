// As test_sleeps.cpp on the CPU: operators, predicates and comparisons sleep at random, so that a GPU's blocks
// interleave in orders that would hardly occur otherwise. The clock seeds the sleeps, so that runs differ; the results
// must not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>

#include "tests/on_cuda.hpp"
#include "upsweep/upsweep.hpp"

namespace {

using namespace upsweep;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// A lane in 4096 sleeps, and its warp waits for it: up to 64 µs, so that most tiles of all have one that is late.
__host__ __device__ inline void doze() {
#if defined(__CUDA_ARCH__)
  u64 x = static_cast<u64>(clock64()) * 0x9e3779b97f4a7c15u + threadIdx.x + 1031 * blockIdx.x;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  if (x % 4096 == 0) __nanosleep(static_cast<u32>(x >> 40) % 64'000);
#endif
}

// x -> a·x + b; first this one, then that one.
struct affine {
  u32 a, b;
  __host__ __device__ friend bool operator==(const affine& f, const affine& g) { return f.a == g.a && f.b == g.b; }
};
struct then {
  __host__ __device__ affine operator()(affine f, affine g) const {
    doze();
    return {g.a * f.a, g.a * f.b + g.b};
  }
  __host__ __device__ static affine identity() { return {1, 0}; }
};
struct odd {
  __host__ __device__ bool operator()(u32 x) const {
    doze();
    return x % 2 == 1;
  }
};
struct third {
  __host__ __device__ bool operator()(u32 x) const {
    doze();
    return x % 3 == 0;
  }
};
struct less_by_high {
  __host__ __device__ bool operator()(u32 a, u32 b) const {
    doze();
    return a >> 12 < b >> 12;
  }
};
// Keys and elements whose equality dozes.
struct sleepy {
  u32 x;
  __host__ __device__ friend bool operator==(const sleepy& a, const sleepy& b) {
    doze();
    return a.x == b.x;
  }
};

struct SleepsCuda : tests::on_cuda {
  std::mt19937 random{std::random_device{}()};
  // One block, many tiles, more tiles than run at once; a sanitizer of races or addresses takes the small ones.
  static std::vector<std::size_t> sizes() {
    if (std::getenv("UPSWEEP_QUICK")) return {1, 1000, 30'011};
    return {1, 1000, 30'011, 300'007, 3'000'017};
  }
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

// EXPECT_EQ would print millions.
template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& want, const char* what, std::size_t n) {
  ASSERT_EQ(got.size(), want.size()) << what << " of " << n;
  const auto at = std::mismatch(got.begin(), got.end(), want.begin()).first - got.begin();
  EXPECT_EQ(static_cast<std::size_t>(at), got.size()) << what << " of " << n << ": the first that differs";
}

TEST_F(SleepsCuda, FoldsAndScans) {
  const context gpu = context::cuda();
  for (const std::size_t n : sizes()) {
    const auto x = maps(n);
    const buffer<affine> in(gpu, x);
    buffer<affine> out(gpu, n);
    std::vector<affine> want(n);
    std::inclusive_scan(x.begin(), x.end(), want.begin(), then{});
    for (int round = 0; round < 3; ++round) {
      EXPECT_TRUE(reduce(gpu, in, then{}) == want.back()) << n;
      inclusive_scan(gpu, in, out, then{});
      expect_same(out.download(), want, "inclusive scan", n);
    }
    exclusive_scan(gpu, in, out, affine{3, 5}, then{});
    std::exclusive_scan(x.begin(), x.end(), want.begin(), affine{3, 5}, then{});
    expect_same(out.download(), want, "exclusive scan", n);
  }
}

TEST_F(SleepsCuda, ByKeyAndBySegment) {
  const context gpu = context::cuda();
  for (const std::size_t n : sizes()) {
    const auto x = maps(n);
    std::vector<sleepy> keys(n), run_keys;
    std::vector<u64> offsets{0};
    for (std::size_t i = 1, run = 0; i < n; ++i) {
      if (random() % (i % 30000 < 20000 ? 4 : 9000) == 0) ++run, offsets.push_back(i);
      keys[i] = {static_cast<u32>(run)};
    }
    offsets.push_back(n);
    std::vector<affine> folds, scans(n);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      affine so_far = then::identity();
      for (u64 i = offsets[s]; i < offsets[s + 1]; ++i) scans[i] = so_far = then{}(so_far, x[i]);
      folds.push_back(so_far);
      run_keys.push_back({static_cast<u32>(s)});
    }
    const buffer<affine> in(gpu, x);
    const buffer<sleepy> runs(gpu, keys);
    const buffer<u64> bounds(gpu, offsets);
    buffer<affine> out(gpu, n), by_segment(gpu, folds.size());
    buffer<sleepy> heads(gpu, n);
    buffer<u64> count(gpu, 1);
    const auto first_of = [&](const auto& all) {
      auto some = all.download();
      some.resize(folds.size());
      return some;
    };
    for (int round = 0; round < 3; ++round) {
      inclusive_scan_by_key(gpu, runs, in, out, then{});
      expect_same(out.download(), scans, "scan by key", n);
      reduce_by_key(gpu, runs, in, heads, out, count.span(), then{});
      ASSERT_EQ(count.download()[0], folds.size()) << n;
      expect_same(first_of(out), folds, "reduce by key", n);
      expect_same(first_of(heads), run_keys, "keys of runs", n);
      segmented_reduce(gpu, in, bounds, by_segment, then{});
      expect_same(by_segment.download(), folds, "segmented reduce", n);
      segmented_inclusive_scan(gpu, in, bounds, out, then{});
      expect_same(out.download(), scans, "segmented scan", n);
    }
  }
}

TEST_F(SleepsCuda, Selections) {
  const context gpu = context::cuda();
  for (const std::size_t n : sizes()) {
    const auto x = words(n);
    std::vector<sleepy> y(n), unique_ones;
    for (std::size_t i = 0; i < n; ++i) y[i] = i && random() % 3 ? y[i - 1] : sleepy{x[i] % 4};
    std::unique_copy(y.begin(), y.end(), std::back_inserter(unique_ones));
    std::vector<u32> kept, parted = x, three = x;
    std::ranges::copy_if(x, std::back_inserter(kept), odd{});
    std::stable_partition(parted.begin(), parted.end(), odd{});
    std::stable_partition(std::stable_partition(three.begin(), three.end(), odd{}), three.end(), third{});
    const buffer<u32> in(gpu, x);
    const buffer<sleepy> repeated(gpu, y);
    buffer<u32> out(gpu, n);
    buffer<sleepy> singles(gpu, n);
    buffer<u64> count(gpu, 1), counts(gpu, 2);
    const device_span<u64> one = count.span();
    for (int round = 0; round < 3; ++round) {
      copy_if(gpu, in, out, one, odd{});
      auto got = out.download();
      got.resize(count.download()[0]);
      expect_same(got, kept, "copy_if", n);
      partition(gpu, in, out, one, odd{});
      EXPECT_EQ(count.download()[0], kept.size()) << n;
      expect_same(out.download(), parted, "partition", n);
      three_way_partition(gpu, in, out, counts.span(), odd{}, third{});
      expect_same(out.download(), three, "three_way_partition", n);
      unique(gpu, repeated, singles, one);
      auto different = singles.download();
      different.resize(count.download()[0]);
      expect_same(different, unique_ones, "unique", n);
    }
  }
}

TEST_F(SleepsCuda, SortsMergesAndSets) {
  const context gpu = context::cuda();
  for (const std::size_t n : sizes()) {
    const auto x = words(n);
    auto a = x, b = words(n / 2 + 1);
    std::ranges::stable_sort(a, less_by_high{});
    std::ranges::stable_sort(b, less_by_high{});
    std::vector<u32> merged, both;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged), less_by_high{});
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both), less_by_high{});
    const buffer<u32> in(gpu, x), one(gpu, a), other(gpu, b);
    buffer<u32> sorted(gpu, n), out(gpu, merged.size());
    buffer<u64> count(gpu, 1);
    sort(gpu, in, sorted, less_by_high{});
    expect_same(sorted.download(), a, "sort", n);
    merge(gpu, one, other, out, less_by_high{});
    expect_same(out.download(), merged, "merge", n);
    set_union(gpu, one, other, out, count.span(), less_by_high{});
    auto got = out.download();
    got.resize(count.download()[0]);
    expect_same(got, both, "set union", n);
  }
}

}  // namespace
