// Made inputs, changed and discarded outputs in device memory, under nvcc. Runs where a CUDA GPU is.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/upsweep.hpp"

namespace {

using namespace upsweep;
using u64 = std::uint64_t;
using ints = std::vector<int>;
using counts = std::vector<u64>;

struct MadeCuda : tests::on_cuda {};

constexpr u64 sizes[]{0, 1, 31, 33, 257, 8193, 1000003};

struct is_odd {
  UPSWEEP_HD bool operator()(int x) const { return x % 2 != 0; }
};
struct above {
  int limit;
  UPSWEEP_HD bool operator()(int x) const { return x > limit; }
};
struct plus_one {
  UPSWEEP_HD int operator()(int x) const { return x + 1; }
};
struct every_third {
  UPSWEEP_HD bool operator()(u64 i) const { return i % 3 == 0; }
};
struct eighth {
  template <class T>
  UPSWEEP_HD double operator()(T x) const {
    return static_cast<double>(x) / 8;
  }
};
struct times_seven {
  UPSWEEP_HD unsigned operator()(unsigned s) const { return 7 * s; }
};

ints with_runs(u64 n) {
  std::mt19937_64 random(n + 3);
  ints all(n);
  int now = 0;
  for (int& x : all) x = random() % 3 ? now : now = static_cast<int>(random() % 9 + 1);
  return all;
}
template <class T>
void expect_first(const buffer<T>& got, u64 kept, const std::vector<T>& want) {
  ASSERT_EQ(kept, want.size());
  auto all = got.download();
  all.resize(kept);
  EXPECT_TRUE(all == want);
}

TEST_F(MadeCuda, Sorts) {
  const context gpu = context::named("cuda:0");
  for (const u64 n : sizes) {
    SCOPED_TRACE(n);
    const ints x = with_runs(n);
    ints up(x);
    for (int& each : up) ++each;
    const ints made = up;
    std::ranges::stable_sort(up);
    counts order(n);
    std::iota(order.begin(), order.end(), u64{0});
    std::ranges::stable_sort(order, {}, [&](u64 i) { return made[i]; });
    const buffer<int> in(gpu, x);
    buffer<int> out(gpu, n), best(gpu, n / 2);
    buffer<u64> places(gpu, n);
    const auto later = views::transform(in, plus_one{});
    sort(gpu, later, out);
    EXPECT_TRUE(out.download() == up);
    argsort(gpu, later, places);
    EXPECT_TRUE(places.download() == order);
    top_k(gpu, later, best, sort_options{});
    EXPECT_TRUE(best.download() == ints(up.begin(), up.begin() + n / 2));
    buffer<int> both(gpu, 2 * n);
    const buffer<int> sorted(gpu, up);
    merge(gpu, sorted, views::transform(views::reverse(views::reverse(sorted)), identity{}), both);
    ints want(2 * n);
    std::ranges::merge(up, up, want.begin());
    EXPECT_TRUE(both.download() == want);
  }
}

TEST_F(MadeCuda, Selections) {
  const context gpu = context::named("cuda:0");
  for (const u64 n : sizes) {
    SCOPED_TRACE(n);
    const ints x = with_runs(n);
    ints odd, even, flagged, firsts, three;
    counts lengths, begins;
    for (u64 i = 0; i < n; ++i) {
      const int y = x[i] + 1;
      (y % 2 != 0 ? odd : even).push_back(y);
      if (i % 3 == 0) flagged.push_back(y);
      if (i == 0 || x[i] != x[i - 1]) firsts.push_back(y), lengths.push_back(0), begins.push_back(i);
      ++lengths.back();
    }
    for (const auto& [from, to] : {std::pair{8, 10}, {5, 7}, {0, 4}})
      for (const int v : x)
        if (v + 1 >= from && v + 1 <= to) three.push_back(v + 1);
    const buffer<int> in(gpu, x);
    buffer<int> out(gpu, n);
    buffer<u64> places(gpu, n), count(gpu, 2);
    const auto later = views::transform(in, plus_one{});
    expect_first(out, copy_if(gpu, later, out, is_odd{}), odd);
    expect_first(out, select_flagged(gpu, later, views::transform(views::iota(u64{0}, n), every_third{}), out),
                 flagged);
    expect_first(out, unique(gpu, later, out), firsts);
    expect_first(places, run_length_encode(gpu, later, out, places), lengths);
    expect_first(out, lengths.size(), firsts);
    run_length_encode(gpu, later, discard_output, places, count);
    expect_first(places, count.download()[0], lengths);
    ints parted = odd;
    parted.insert(parted.end(), even.begin(), even.end());
    EXPECT_EQ(partition(gpu, later, out, is_odd{}), odd.size());
    expect_first(out, n, parted);
    const auto sides = three_way_partition(gpu, later, out, above{7}, above{4});
    expect_first(out, n, three);
    EXPECT_EQ(sides[0], static_cast<u64>(std::count_if(x.begin(), x.end(), [](int v) { return v + 1 > 7; })));
    expect_first(places, unique_by_key(gpu, later, views::iota(u64{0}, n), discard_output, places), begins);
    unique_by_key(gpu, in, views::iota(u64{0}, n), out, places, count);
    expect_first(places, count.download()[0], begins);
    EXPECT_EQ(copy_if(gpu, later, discard_output, is_odd{}), odd.size());
    expect_first(out, partition_copy(gpu, later, out, discard_output, is_odd{}), odd);
    buffer<double> changed(gpu, n);
    std::vector<double> eighths(odd.begin(), odd.end());
    for (double& v : eighths) v /= 8;
    expect_first(changed, copy_if(gpu, later, transform_output(changed, eighth{}), is_odd{}), eighths);
  }
}

TEST_F(MadeCuda, Histograms) {
  const context gpu = context::named("cuda:0"), cpu = context::cpu();
  for (const u64 n : sizes) {
    SCOPED_TRACE(n);
    const ints x = with_runs(n);
    std::vector<float> heavy(n);
    for (u64 i = 0; i < n; ++i) heavy[i] = static_cast<float>(i % 17) * 0.37f;
    const buffer<int> in(gpu, x);
    const buffer<float> weights(gpu, heavy);
    const auto later = views::transform(in, plus_one{});
    for (const u64 m : {5, 8000, 20000}) {  // in shared memory, and beyond
      counts want(m);
      buffer<u64> got(gpu, m);
      histogram(cpu, x, want, -1, 1 << 20);
      histogram(gpu, later, got, 0, (1 << 20) + 1);
      EXPECT_TRUE(got.download() == want) << m;
      std::vector<double> sums(m);
      buffer<double> made(gpu, m);
      weighted_histogram(cpu, x, heavy, sums, -1, 1 << 20);
      weighted_histogram(gpu, later, weights, made, 0, (1 << 20) + 1);
      EXPECT_TRUE(made.download() == sums) << m;
    }
    counts want(6), by_edges(5);
    buffer<u64> got(gpu, 6), edged(gpu, 5);
    histogram(cpu, x, want, 0, 9, 2);
    histogram(gpu, later, got, 1, 10, 2);
    EXPECT_TRUE(got.download() == want);
    const ints edges{0, 3, 4, 8, 9, 20}, later_edges{1, 4, 5, 9, 10, 21};
    histogram(cpu, x, edges, by_edges);
    histogram(gpu, later, buffer<int>(gpu, later_edges), edged);
    EXPECT_TRUE(edged.download() == by_edges);
  }
}

TEST_F(MadeCuda, ByKeyAndBySegmentAndScans) {
  const context gpu = context::named("cuda:0");
  for (const u64 n : sizes) {
    SCOPED_TRACE(n);
    const ints x = with_runs(n);
    ints firsts;
    counts folds, prefixes(n), before(n);
    for (u64 i = 0; i < n; ++i) {
      const bool head = i == 0 || x[i] != x[i - 1];
      if (head) firsts.push_back(x[i] + 1), folds.push_back(0);
      before[i] = head ? 5 : before[i - 1] + (i + 2);
      prefixes[i] = folds.back() += i + 3;
    }
    const buffer<int> in(gpu, x);
    const auto later = views::transform(in, plus_one{});
    const auto values = views::iota(u64{3}, n);
    buffer<int> run_keys(gpu, n);
    buffer<u64> sums(gpu, n), count(gpu, 1);
    expect_first(sums, reduce_by_key(gpu, later, values, run_keys, sums), folds);
    expect_first(run_keys, folds.size(), firsts);
    reduce_by_key(gpu, in, views::iota(3u, n), discard_output, sums, count);
    expect_first(sums, count.download()[0], folds);
    buffer<double> changed(gpu, n);
    std::vector<double> eighths(folds.begin(), folds.end());
    for (double& v : eighths) v /= 8;
    expect_first(changed, reduce_by_key(gpu, later, values, discard_output, transform_output(changed, eighth{})),
                 eighths);
    inclusive_scan_by_key(gpu, later, values, sums);
    EXPECT_TRUE(sums.download() == prefixes);
    exclusive_scan_by_key(gpu, in, values, sums, u64{5});
    EXPECT_TRUE(sums.download() == before);
    std::vector<double> all(n);
    for (u64 i = 0; i < n; ++i) all[i] = static_cast<double>(prefixes[i]) / 8;
    inclusive_scan_by_key(gpu, in, values, transform_output(changed, eighth{}));
    EXPECT_TRUE(changed.download() == all);
    u64 running = 0;
    for (u64 i = 0; i < n; ++i) all[i] = static_cast<double>(running += i + 3) / 8;
    inclusive_scan(gpu, values, transform_output(changed, eighth{}));
    EXPECT_TRUE(changed.download() == all);
    running = 0;
    for (u64 i = 0; i < n; running += static_cast<u64>(x[i++])) all[i] = static_cast<double>(running) / 8;
    exclusive_scan(gpu, in, transform_output(changed, eighth{}));
    EXPECT_TRUE(changed.download() == all);
    const u64 segments = n / 7;
    const auto cuts = views::transform(views::iota(0u, segments + 1), times_seven{});
    counts want(segments), scanned(n, 77);
    for (u64 i = 0; i < segments * 7; ++i) scanned[i] = want[i / 7] += i + 3;
    buffer<u64> by_seven(gpu, segments), kept(gpu, counts(n, 77));
    segmented_reduce(gpu, values, cuts, by_seven);
    EXPECT_TRUE(by_seven.download() == want);
    segmented_inclusive_scan(gpu, values, cuts, kept);
    EXPECT_TRUE(kept.download() == scanned);
  }
}

}  // namespace
