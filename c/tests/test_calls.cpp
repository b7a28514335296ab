// Every family against a loop, on the CPU, and on OpenCL and CUDA where a device of theirs is.
#include "device.hpp"

#include <cmath>
#include <limits>

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

class Calls : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!usable_device(GetParam())) GTEST_SKIP() << GetParam() << " is not here";
    held_ = open_device(GetParam());
    c = held_.get();
  }
  bool on_opencl() const { return std::string(upsweep_backend(c)) == "opencl"; }

  const upsweep_context* c = nullptr;

 private:
  context held_;
};
INSTANTIATE_TEST_SUITE_P(On, Calls, testing::Values("cpu", "cpu:2", "opencl:0", "cuda:0"), device_label);

TEST_P(Calls, FoldsAndScansAreThoseOfALoop) {
  for (const std::size_t n : {0, 1, 2, 1000, 100003}) {
    const auto x = some<u64>(n, 0, 1 << 20);
    const device_array<u64> in(c, x), out(c, n), one(c, 1);
    OK(upsweep_reduce(c, UPSWEEP_U64, in, n, UPSWEEP_PLUS, UPSWEEP_SQUARE, nullptr, one));
    EXPECT_EQ(one.one(), std::transform_reduce(x.begin(), x.end(), u64{0}, std::plus<>{}, [](u64 v) { return v * v; }));
    const u64 init = 7;
    OK(upsweep_reduce(c, UPSWEEP_U64, in, n, UPSWEEP_MAXIMUM, UPSWEEP_IDENTITY, &init, one));
    EXPECT_EQ(one.one(), std::accumulate(x.begin(), x.end(), init, [](u64 a, u64 b) { return std::max(a, b); }));

    std::vector<u64> expected(n);
    std::exclusive_scan(x.begin(), x.end(), expected.begin(), init);
    OK(upsweep_scan(c, UPSWEEP_U64, in, n, 0, UPSWEEP_PLUS, UPSWEEP_IDENTITY, &init, out));
    EXPECT_EQ(out.here(), expected);
    std::inclusive_scan(x.begin(), x.end(), expected.begin());
    OK(upsweep_scan(c, UPSWEEP_U64, in, n, 1, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, in));
    EXPECT_EQ(in.here(), expected) << "in place";
  }
}

TEST_P(Calls, AreRightAfterATrim) {
  auto x = some<u32>(100003, 0, 1 << 30);
  const device_array<u32> in(c, x), out(c, x.size());
  std::sort(x.begin(), x.end());
  for (int turn = 0; turn < 3; ++turn) {
    OK(upsweep_sort(c, UPSWEEP_U32, in, x.size(), 0, out));
    EXPECT_EQ(out.here(), x);
    OK(upsweep_trim(c));
  }
  EXPECT_EQ(upsweep_trim(nullptr), UPSWEEP_BAD_ARGUMENT);
}

TEST_P(Calls, AlongAnAxis) {
  const u64 shape[]{5, 7, 300};
  const auto x = some<int>(5 * 7 * 300, -1000, 1000);
  for (const int axis : {0, 1, -1}) {
    const int at = axis < 0 ? axis + 3 : axis;
    const u64 length = shape[at];
    u64 inner = 1;
    for (int a = at + 1; a < 3; ++a) inner *= shape[a];
    const u64 lines = x.size() / length;
    const auto place = [&](u64 line, u64 j) { return (line / inner * length + j) * inner + line % inner; };
    const device_array<int> in(c, x), sums(c, lines), scanned(c, x.size()), sorted(c, x.size()), top(c, lines * 2);
    const device_array<u64> order(c, x.size()), stood(c, lines * 2);
    OK(upsweep_reduce_along(c, UPSWEEP_I32, in, shape, 3, axis, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, sums));
    OK(upsweep_scan_along(c, UPSWEEP_I32, in, shape, 3, axis, 1, UPSWEEP_MAXIMUM, UPSWEEP_IDENTITY, nullptr, scanned));
    OK(upsweep_sort_along(c, UPSWEEP_I32, in, shape, 3, axis, 1, sorted));
    OK(upsweep_argsort_along(c, UPSWEEP_I32, in, shape, 3, axis, 0, 8, order));
    OK(upsweep_top_k_along(c, UPSWEEP_I32, in, shape, 3, axis, 2, 1, top, stood));
    const auto sum = sums.here(), most = scanned.here(), falling = sorted.here(), first = top.here();
    const auto where = order.here(), which = stood.here();
    const u64 kept = 2;
    for (u64 line = 0; line < lines; ++line) {
      std::vector<int> one(length);
      for (u64 j = 0; j < length; ++j) one[j] = x[place(line, j)];
      EXPECT_EQ(sum[line], std::accumulate(one.begin(), one.end(), 0));
      for (u64 j = 0, m = 0; j < length; ++j) {
        if (one[j] > one[m]) m = j;
        ASSERT_EQ(most[place(line, j)], one[m]);
      }
      std::vector<u64> by(length);
      std::iota(by.begin(), by.end(), u64{0});
      std::stable_sort(by.begin(), by.end(), [&](u64 a, u64 b) { return one[a] < one[b]; });
      for (u64 j = 0; j < length; ++j) ASSERT_EQ(where[place(line, j)], by[j]);
      std::stable_sort(by.begin(), by.end(), [&](u64 a, u64 b) { return one[a] > one[b]; });
      for (u64 j = 0; j < length; ++j) ASSERT_EQ(falling[place(line, j)], one[by[j]]);
      for (u64 j = 0; j < kept; ++j) {
        const u64 at_k = (line / inner * kept + j) * inner + line % inner;
        ASSERT_EQ(first[at_k], one[by[j]]);
        ASSERT_EQ(which[at_k], by[j]);
      }
    }
  }
}

TEST_P(Calls, Orders) {
  for (const std::size_t n : {0, 1, 1000, 50001}) {
    const auto x = some<float>(n, -300, 300);
    std::vector<u64> order(n);
    std::iota(order.begin(), order.end(), u64{0});
    std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) { return x[a] < x[b]; });
    std::vector<float> expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = x[order[i]];
    std::vector<u64> rows(n);
    std::iota(rows.begin(), rows.end(), u64{0});

    const device_array<float> in(c, x), out(c, n), twice(c, 2 * n);
    const device_array<u64> values(c, rows), values_out(c, n), indices(c, n), until(c, 1);
    OK(upsweep_sort(c, UPSWEEP_F32, in, n, 0, out));
    EXPECT_EQ(out.here(), expected);
    OK(upsweep_argsort(c, UPSWEEP_F32, in, n, 0, 8, indices));
    EXPECT_EQ(indices.here(), order);
    OK(upsweep_sort_by_key(c, UPSWEEP_F32, in, values, 8, n, 0, out, values_out));
    EXPECT_EQ(values_out.here(), order);
    OK(upsweep_is_sorted_until(c, UPSWEEP_F32, out, n, 0, until));
    EXPECT_EQ(until.one(), n);
    OK(upsweep_is_sorted_until(c, UPSWEEP_F32, in, n, 0, until));
    EXPECT_EQ(until.one(), static_cast<u64>(std::is_sorted_until(x.begin(), x.end()) - x.begin()));
    OK(upsweep_merge(c, UPSWEEP_F32, out, n, out, n, 0, twice));
    std::vector<float> merged(2 * n);
    std::merge(expected.begin(), expected.end(), expected.begin(), expected.end(), merged.begin());
    EXPECT_EQ(twice.here(), merged);
    if (n < 10) continue;
    float median = 0;
    OK(upsweep_nth_element(c, UPSWEEP_F32, in, n, n / 2, 0, &median));
    EXPECT_EQ(median, expected[n / 2]);
    const device_array<float> best(c, 5);
    const device_array<u64> stood(c, 5);
    OK(upsweep_top_k(c, UPSWEEP_F32, in, n, 5, 0, best, stood));
    EXPECT_EQ(best.here(), std::vector<float>(expected.begin(), expected.begin() + 5));
    EXPECT_EQ(stood.here(), std::vector<u64>(order.begin(), order.begin() + 5));
    const device_array<u64> cuts(c, std::vector<u64>{0, n / 3, n / 3, n});
    OK(upsweep_segmented_sort(c, UPSWEEP_F32, in, nullptr, 0, n, cuts, 3, 0, out, nullptr));
    auto parts = x;
    std::stable_sort(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(n / 3));
    std::stable_sort(parts.begin() + static_cast<std::ptrdiff_t>(n / 3), parts.end());
    EXPECT_EQ(out.here(), parts);
  }
}

TEST_P(Calls, Selections) {
  for (const std::size_t n : {0, 1, 1000, 50001}) {
    const auto x = some<u32>(n, 0, 9);
    const u32 five = 5;
    std::vector<u32> small, large, firsts;
    std::vector<u64> lengths, begins;
    for (std::size_t i = 0; i < n; ++i) {
      (x[i] < five ? small : large).push_back(x[i]);
      if (i == 0 || x[i] != x[i - 1]) firsts.push_back(x[i]), lengths.push_back(0), begins.push_back(i);
      ++lengths.back();
    }
    begins.push_back(n);
    const device_array<u32> in(c, x), out(c, n);
    const device_array<u64> count(c, 1), lengths_out(c, n), offsets(c, n + 1);

    OK(upsweep_copy_if(c, UPSWEEP_U32, in, n, UPSWEEP_LESS, &five, out, count));
    ASSERT_EQ(count.one(), small.size());
    EXPECT_EQ(out.here(small.size()), small);
    OK(upsweep_copy_if_stencil(c, UPSWEEP_U32, in, 4, in, n, UPSWEEP_GREATER_EQUAL, &five, out, count));
    ASSERT_EQ(count.one(), large.size());
    EXPECT_EQ(out.here(large.size()), large);
    OK(upsweep_partition(c, UPSWEEP_U32, in, n, UPSWEEP_LESS, &five, out, count));
    auto both = small;
    both.insert(both.end(), large.begin(), large.end());
    EXPECT_EQ(out.here(), both);
    OK(upsweep_unique(c, UPSWEEP_U32, in, n, out, count));
    ASSERT_EQ(count.one(), firsts.size());
    EXPECT_EQ(out.here(firsts.size()), firsts);
    OK(upsweep_run_offsets(c, UPSWEEP_U32, in, n, offsets, count));
    ASSERT_EQ(count.one(), firsts.size());
    EXPECT_EQ(offsets.here(begins.size()), begins);
    OK(upsweep_run_length_encode(c, UPSWEEP_U32, in, n, out, lengths_out, count));
    ASSERT_EQ(count.one(), firsts.size());
    EXPECT_EQ(lengths_out.here(firsts.size()), lengths);
    const device_array<u32> again(c, n);
    OK(upsweep_run_length_decode(c, out, 4, lengths_out, firsts.size(), again, n));
    EXPECT_EQ(again.here(), x);

    std::vector<u64> order(n);
    std::iota(order.begin(), order.end(), u64{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(3));
    const auto flag = some<std::uint8_t>(n, 0, 1);
    const device_array<u64> at(c, order);
    const device_array<std::uint8_t> flags(c, flag);
    OK(upsweep_gather(c, in, 4, n, at, 8, nullptr, n, out));
    std::vector<u32> gathered(n), flagged;
    for (std::size_t i = 0; i < n; ++i) gathered[i] = x[order[i]];
    EXPECT_EQ(out.here(), gathered);
    OK(upsweep_scatter(c, out, 4, n, at, 8, nullptr, again, n));
    EXPECT_EQ(again.here(), x);
    for (std::size_t i = 0; i < n; ++i)
      if (flag[i]) flagged.push_back(x[i]);
    OK(upsweep_select_flagged(c, in, 4, flags, n, out, count));
    ASSERT_EQ(count.one(), flagged.size());
    EXPECT_EQ(out.here(flagged.size()), flagged);

    std::vector<u64> firsts_at(begins.begin(), begins.end() - 1);
    const device_array<u64> rows(c, [&] {
      std::vector<u64> all(n);
      std::iota(all.begin(), all.end(), u64{0});
      return all;
    }());
    OK(upsweep_unique_by_key(c, UPSWEEP_U32, in, rows, 8, n, in, rows, count));
    ASSERT_EQ(count.one(), firsts.size());
    EXPECT_EQ(in.here(firsts.size()), firsts) << "in place";
    EXPECT_EQ(rows.here(firsts.size()), firsts_at);
  }
}

TEST_P(Calls, ByKeyAndBySegment) {
  const std::size_t n = 30000;
  const auto key = some<std::uint8_t>(n, 0, 2);
  const auto x = some<u64>(n, 0, 1000);
  std::vector<std::uint8_t> keys_of;
  std::vector<u64> sums, running(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool begins = i == 0 || key[i] != key[i - 1];
    if (begins) keys_of.push_back(key[i]), sums.push_back(0);
    running[i] = begins ? 0 : running[i - 1] + x[i - 1];
    sums.back() += x[i];
  }
  const device_array<std::uint8_t> keys(c, key), keys_out(c, n);
  const device_array<u64> in(c, x), out(c, n), count(c, 1), folds(c, 3);
  OK(upsweep_reduce_by_key(c, UPSWEEP_U8, keys, UPSWEEP_U64, in, n, UPSWEEP_PLUS, UPSWEEP_IDENTITY, keys_out, out,
                           count));
  ASSERT_EQ(count.one(), sums.size());
  EXPECT_EQ(out.here(sums.size()), sums);
  EXPECT_EQ(keys_out.here(sums.size()), keys_of);
  OK(upsweep_scan_by_key(c, UPSWEEP_U8, keys, UPSWEEP_U64, in, n, 0, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, out));
  EXPECT_EQ(out.here(), running);

  const device_array<u64> cuts(c, std::vector<u64>{0, 10, 10, n});
  const u64 init = 1;
  OK(upsweep_segmented_reduce(c, UPSWEEP_U64, in, n, cuts, 3, UPSWEEP_PLUS, UPSWEEP_IDENTITY, &init, folds));
  EXPECT_EQ(folds.here(), (std::vector<u64>{std::accumulate(x.begin(), x.begin() + 10, init), init,
                                            std::accumulate(x.begin() + 10, x.end(), init)}));
  OK(upsweep_segmented_scan(c, UPSWEEP_U64, in, n, cuts, 3, 1, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, out));
  std::vector<u64> scanned(n);
  std::inclusive_scan(x.begin(), x.begin() + 10, scanned.begin());
  std::inclusive_scan(x.begin() + 10, x.end(), scanned.begin() + 10);
  EXPECT_EQ(out.here(), scanned);
}

TEST_P(Calls, Searches) {
  for (const std::size_t n : {0, 1, 40000}) {
    auto x = some<int>(n, -50, 50);
    const int seven = 7;
    const device_array<int> in(c, x);
    const device_array<u64> answer(c, 1);
    const auto place = [&](auto it) { return static_cast<u64>(it - x.begin()); };
    OK(upsweep_count_if(c, UPSWEEP_I32, in, n, UPSWEEP_GREATER, &seven, answer));
    EXPECT_EQ(answer.one(), static_cast<u64>(std::count_if(x.begin(), x.end(), [](int v) { return v > 7; })));
    OK(upsweep_find_if(c, UPSWEEP_I32, in, n, UPSWEEP_EQUAL, &seven, answer));
    EXPECT_EQ(answer.one(), place(std::find(x.begin(), x.end(), 7)));
    OK(upsweep_adjacent_find(c, UPSWEEP_I32, in, n, answer));
    EXPECT_EQ(answer.one(), place(std::adjacent_find(x.begin(), x.end())));
    const std::vector<int> few{41, -13};
    const device_array<int> set(c, few);
    OK(upsweep_find_first_of(c, UPSWEEP_I32, in, n, set, 2, answer));
    EXPECT_EQ(answer.one(), place(std::find_first_of(x.begin(), x.end(), few.begin(), few.end())));
    OK(upsweep_search(c, UPSWEEP_I32, in, n, set, 2, answer));
    EXPECT_EQ(answer.one(), place(std::search(x.begin(), x.end(), few.begin(), few.end())));
    OK(upsweep_argmin(c, UPSWEEP_I32, in, n, answer));
    EXPECT_EQ(answer.one(), place(std::min_element(x.begin(), x.end())));
    OK(upsweep_argmax(c, UPSWEEP_I32, in, n, answer));
    EXPECT_EQ(answer.one(), place(std::max_element(x.begin(), x.end())));
    auto y = x;
    if (n > 100) ++y[n / 2];
    const device_array<int> other(c, y);
    OK(upsweep_mismatch(c, UPSWEEP_I32, in, other, n, answer));
    EXPECT_EQ(answer.one(), n > 100 ? n / 2 : n);

    std::sort(x.begin(), x.end());
    const device_array<int> sorted(c, x), values(c, few);
    const device_array<u64> places(c, 2);
    const device_array<std::uint8_t> binary_found(c, 2);
    OK(upsweep_lower_bound(c, UPSWEEP_I32, sorted, n, values, 2, places));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(places.here()[i], place(std::lower_bound(x.begin(), x.end(), few[i])));
    OK(upsweep_upper_bound(c, UPSWEEP_I32, sorted, n, values, 2, places));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(places.here()[i], place(std::upper_bound(x.begin(), x.end(), few[i])));
    OK(upsweep_binary_search(c, UPSWEEP_I32, sorted, n, values, 2, binary_found));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(binary_found.here()[i], std::binary_search(x.begin(), x.end(), few[i]));
  }
}

TEST_P(Calls, Histograms) {
  const std::size_t n = 20000;
  const auto bytes = some<std::uint8_t>(n, 0, 255);
  const device_array<std::uint8_t> in(c, bytes);
  const device_array<u64> counts(c, 16), channels(c, 2 * 4);
  const std::int64_t low = 0, high = 256;
  OK(upsweep_histogram(c, UPSWEEP_U8, in, n, &low, &high, 16, 1, counts));
  std::vector<u64> expected(16), of_two(8), by_edges(2);
  for (std::size_t i = 0; i < n; ++i) ++expected[bytes[i] / 16], ++of_two[i % 2 * 4 + bytes[i] / 64];
  EXPECT_EQ(counts.here(), expected);
  OK(upsweep_histogram(c, UPSWEEP_U8, in, n, &low, &high, 4, 2, channels));
  EXPECT_EQ(channels.here(), of_two);

  const auto x = some<float>(n, 0, 99);
  const std::vector<float> edge{10, 20, 90};
  std::vector<double> heavy(2);
  for (const float v : x)
    for (int b = 0; b < 2; ++b) by_edges[b] += edge[b] <= v && v < edge[b + 1];
  const device_array<float> samples(c, x), edges(c, edge), weights(c, std::vector<float>(n, 0.5f));
  const device_array<u64> in_bins(c, 2);
  OK(upsweep_histogram_of_edges(c, UPSWEEP_F32, samples, n, edges, 2, 1, in_bins));
  EXPECT_EQ(in_bins.here(), by_edges);
  const float from = 0, to = 100;
  const device_array<double> sums(c, 2);
  OK(upsweep_weighted_histogram(c, UPSWEEP_F32, samples, weights, n, &from, &to, 2, 1, sums));
  for (const float v : x) heavy[v >= 50] += 0.5;
  EXPECT_EQ(sums.here(), heavy);
}

// The last bin of closed edges holds its upper edge: the greatest byte, and infinity.
TEST_P(Calls, HistogramsOfClosedEdges) {
  const std::vector<std::uint8_t> bytes{0, 128, 255, 255, 7};
  const device_array<std::uint8_t> in(c, bytes), edges(c, std::vector<std::uint8_t>{0, 128, 255, 255});
  const device_array<u64> counts(c, 3);
  OK(upsweep_histogram_of_closed_edges(c, UPSWEEP_U8, in, bytes.size(), edges, 3, 1, counts));
  EXPECT_EQ(counts.here(), (std::vector<u64>{2, 1, 2}));
  const float inf = std::numeric_limits<float>::infinity();
  const device_array<float> x(c, std::vector<float>{-inf, 0, inf, NAN}), all(c, std::vector<float>{-inf, 0, inf});
  const device_array<u64> two(c, 2);
  OK(upsweep_histogram_of_closed_edges(c, UPSWEEP_F32, x, 4, all, 2, 1, two));
  EXPECT_EQ(two.here(), (std::vector<u64>{1, 2}));
}

// Each sum is that of its own bin, to the last bit.
TEST_P(Calls, HistogramsOfWeightsOfF64) {
  const std::vector<std::int32_t> x{0, 1, 1, 2, 2, 3};
  const device_array<std::int32_t> in(c, x);
  const device_array<double> weights(c, std::vector<double>{1e300, 1, 0x1p-52, HUGE_VAL, 5, NAN}), sums(c, 4);
  const std::int64_t low = 0, high = 4;
  OK(upsweep_weighted_histogram_f64(c, UPSWEEP_I32, in, weights, x.size(), &low, &high, 4, 1, sums));
  const auto got = sums.here();
  EXPECT_EQ(got[0], 1e300);
  EXPECT_EQ(got[1], 1 + 0x1p-52);
  EXPECT_EQ(got[2], HUGE_VAL);
  EXPECT_TRUE(std::isnan(got[3]));
}

TEST_P(Calls, Pictures) {
  const u64 w = 37, h = 21;
  const auto x = some<float>(w * h, 0, 255);
  const auto at = [&](long i, long j) {
    return i < 0 || j < 0 || i >= static_cast<long>(w) || j >= static_cast<long>(h) ? 0.f : x[j * w + i];
  };
  const upsweep_image_layout shape{w, h, 1, 1, 0, 0, 0};
  const device_array<float> in(c, x), out(c, w * h);
  OK(upsweep_summed_area_table(c, UPSWEEP_F32, in, &shape, 0, UPSWEEP_F32, out));
  double sum = 0;
  for (u64 j = 0; j <= 4; ++j)
    for (u64 i = 0; i <= 9; ++i) sum += x[j * w + i];
  EXPECT_EQ(out.here()[4 * w + 9], static_cast<float>(sum)) << "whole numbers below 2^24";

  OK(upsweep_box_filter(c, UPSWEEP_F32, in, &shape, UPSWEEP_BOX_SUM, 1, 2, 0, UPSWEEP_F32, out));
  sum = 0;
  for (long j = 3; j <= 7; ++j)
    for (long i = 9; i <= 11; ++i) sum += at(i, j);
  EXPECT_EQ(out.here()[5 * w + 10], static_cast<float>(sum));

  const float weights[]{1, 2, 3, 4, 5, 6};
  const upsweep_mask mask{UPSWEEP_F32, 3, 2, 1, weights, 0, 0, 0, 0};
  OK(upsweep_convolve(c, UPSWEEP_F32, in, &shape, &mask, 0, UPSWEEP_BORDER_ZERO, UPSWEEP_F32, out));
  const auto correlated = out.here();
  OK(upsweep_convolve(c, UPSWEEP_F32, in, &shape, &mask, 1, UPSWEEP_BORDER_ZERO, UPSWEEP_F32, out));
  const auto convolved = out.here();
  for (long y = 0; y < static_cast<long>(h); ++y)
    for (long z = 0; z < static_cast<long>(w); ++z) {
      float plain_sum = 0, turned = 0;
      for (long j = 0; j < 2; ++j)
        for (long i = 0; i < 3; ++i) {
          plain_sum += weights[j * 3 + i] * at(z + i - 1, y + j - 1);
          turned += weights[j * 3 + i] * at(z - i + 1, y - j + 1);
        }
      ASSERT_EQ(correlated[y * w + z], plain_sum);
      ASSERT_EQ(convolved[y * w + z], turned);
    }

  OK(upsweep_median(c, in, &shape, 1, UPSWEEP_BORDER_MIRROR, out));
  std::vector<float> nine;
  for (long j = 4; j <= 6; ++j)
    for (long i = 9; i <= 11; ++i) nine.push_back(at(i, j));
  std::nth_element(nine.begin(), nine.begin() + 4, nine.end());
  EXPECT_EQ(out.here()[5 * w + 10], nine[4]);
  const device_array<float> half(c, 10 * 7);
  OK(upsweep_resize(c, in, &shape, 10, 7, UPSWEEP_NEAREST, half));
  EXPECT_EQ(half.here()[0], x[(h / 7 / 2) * w + 1]);
  const device_array<float> flat(c, std::vector<float>(w * h, 3.f));
  OK(upsweep_bilateral(c, flat, &shape, 2, 0.5f, UPSWEEP_BORDER_CLAMP, out));
  for (const float v : out.here()) ASSERT_NEAR(v, 3, 1e-5);
  OK(upsweep_gaussian(c, flat, &shape, 2, UPSWEEP_BORDER_MIRROR, out));
  for (const float v : out.here()) ASSERT_NEAR(v, 3, 1e-2);
}

TEST_P(Calls, Recurrences) {
  const std::size_t n = 10000;
  const auto a = some<u32>(n, 0, 1000), b = some<u32>(n, 0, 1000, 2);
  const device_array<u32> factors(c, a), summands(c, b), x(c, n), carry(c, std::vector<u32>{3});
  OK(upsweep_recurrence(c, UPSWEEP_U32, factors, summands, n, x, carry));
  u32 state = 3;
  const auto all = x.here();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(all[i], state = a[i] * state + b[i]);
  EXPECT_EQ(carry.one(), state);

  const auto p = some<double>(n, 0, 100);
  const device_array<double> in(c, p), smooth(c, n), start(c, std::vector<double>{p[0]});
  OK(upsweep_moving_average(c, UPSWEEP_F64, in, n, 0.25, smooth, start));
  double mean = p[0];
  const auto means = smooth.here();
  for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(means[i], mean = 0.75 * mean + 0.25 * p[i], 1e-9);
  const double bs[]{0.2, 0.4, 0.2}, as[]{-0.4, 0.2};
  const device_array<double> rest(c, std::vector<double>{0, 0});
  OK(upsweep_iir_filter(c, UPSWEEP_F64, bs, as, in, n, smooth, rest));
  const auto y = smooth.here();
  for (std::size_t i = 2; i < n; ++i)
    ASSERT_NEAR(y[i], 0.2 * p[i] + 0.4 * p[i - 1] + 0.2 * p[i - 2] + 0.4 * y[i - 1] - 0.2 * y[i - 2], 1e-9);
}

TEST_P(Calls, TextIsCut) {
  const std::string text = "{\"a\": [1, 22, true]}", table = "a,b\n\"1,2\",3\n";
  const device_array<char> json(c, std::vector<char>(text.begin(), text.end()));
  const device_array<char> csv(c, std::vector<char>(table.begin(), table.end()));
  upsweep_lexer* lexer = nullptr;
  OK(upsweep_lexer_json(&lexer));
  const std::unique_ptr<upsweep_lexer, void (*)(upsweep_lexer*)> held(lexer, upsweep_lexer_free);
  upsweep_token_counts found{};
  if (on_opencl()) {
    EXPECT_EQ(upsweep_tokenize(c, lexer, json, text.size(), nullptr, 0, &found, nullptr), UPSWEEP_UNSUPPORTED);
    return;
  }
  std::vector<u64> counts(upsweep_lexer_rules(lexer));
  OK(upsweep_tokenize(c, lexer, json, text.size(), nullptr, 0, &found, counts.data()));
  ASSERT_EQ(found.tokens, 11u);
  EXPECT_TRUE(found.complete);
  EXPECT_GE(std::accumulate(counts.begin(), counts.end(), u64{0}), found.tokens);
  const device_array<upsweep_token> tokens(c, found.tokens);
  OK(upsweep_tokenize(c, lexer, json, text.size(), tokens, found.tokens, &found, nullptr));
  const auto all = tokens.here();
  std::string joined;
  for (const auto& t : all) joined += text.substr(t.first, t.size) + "|";
  EXPECT_EQ(joined, "{|\"a\"|:|[|1|,|22|,|true|]|}|");
  EXPECT_NE(upsweep_lexer_rule_name(lexer, all[1].kind), nullptr);
  EXPECT_EQ(upsweep_lexer_rule_name(lexer, counts.size()), nullptr);

  upsweep_field_counts fields{};
  OK(upsweep_fields(c, csv, table.size(), ',', nullptr, 0, &fields));
  ASSERT_EQ(fields.fields, 4u);
  EXPECT_EQ(fields.records, 2u);
  const device_array<u64> ends(c, 4);
  OK(upsweep_fields(c, csv, table.size(), ',', ends, 4, &fields));
  EXPECT_EQ(ends.here(), (std::vector<u64>{1, 3, 9, 11}));

  const upsweep_rule rules[]{{"word", "[a-z]+", 0}, {"blank", " ", 1}}, broken[]{{"word", "[a-", 0}};
  upsweep_lexer* own = nullptr;
  OK(upsweep_lexer_make(rules, 2, &own));
  upsweep_lexer_free(own);
  EXPECT_EQ(upsweep_lexer_make(broken, 1, &own), UPSWEEP_BAD_ARGUMENT);
  EXPECT_EQ(own, nullptr);
}

TEST_P(Calls, Accelerations) {
  const std::size_t n = 60;
  const auto x = some<float>(n, -100, 100, 1), y = some<float>(n, -100, 100, 2), z = some<float>(n, -100, 100, 3);
  const device_array<float> xs(c, x), ys(c, y), zs(c, z), mass(c, std::vector<float>(n, 2.f)), ax(c, n), ay(c, n),
      az(c, n);
  upsweep_nbody_parameters rules = upsweep_nbody_default_parameters();
  rules.softening = 0.5, rules.method = 1;
  OK(upsweep_accelerations(c, UPSWEEP_F32, &rules, n, xs, ys, zs, mass, ax, ay, az, nullptr));
  const auto found = ax.here();
  for (std::size_t i = 0; i < n; ++i) {
    double a = 0, size = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      const double term = 2 * dx / std::pow(dx * dx + dy * dy + dz * dz + 0.25, 1.5);
      a += term, size += std::abs(term);
    }
    ASSERT_NEAR(found[i], a, 1e-5 * size);
  }
  EXPECT_EQ(upsweep_accelerations(c, UPSWEEP_I32, &rules, n, xs, ys, zs, mass, ax, ay, az, nullptr),
            UPSWEEP_UNSUPPORTED);
}

// Two bodies on a circle are after a period where they were.
TEST_P(Calls, Simulation) {
  const std::vector<double> x{-0.5, 0.5}, y{0, 0}, vy{-0.5, 0.5}, mass{0.5, 0.5}, none{0, 0};
  const void* const start[]{x.data(), y.data(), none.data(), none.data(), vy.data(), none.data(), mass.data()};
  const upsweep_nbody_parameters rules = upsweep_nbody_default_parameters();
  const int steps = 5000;
  const double period = 6.283185307179586;
  upsweep_simulation* s = nullptr;
  OK(upsweep_simulation_make(c, UPSWEEP_F64, &rules, UPSWEEP_LEAPFROG, period / steps, 0, 2, start, &s));
  double before[8], after[8], time = 0, dt = 0;
  OK(upsweep_simulation_measure(s, before));
  OK(upsweep_simulation_step(s, steps));
  OK(upsweep_simulation_measure(s, after));
  EXPECT_NEAR(after[0] + after[1], before[0] + before[1], 1e-6);
  EXPECT_NEAR(after[7], 0.25, 1e-9);
  u64 bodies = 0, made = 0;
  OK(upsweep_simulation_at(s, &bodies, &made, &time, &dt));
  EXPECT_EQ(bodies, 2u);
  EXPECT_EQ(made, static_cast<u64>(steps));
  EXPECT_NEAR(time, period, 1e-9);
  std::vector<double> now(2, -99), ax(2, -99);
  void* const state[]{now.data(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
  OK(upsweep_simulation_state(s, state));
  EXPECT_NEAR(now[0], -0.5, 1e-3);
  EXPECT_NEAR(now[1], 0.5, 1e-3);
  void* const forces[]{ax.data(), nullptr, nullptr, nullptr};
  OK(upsweep_simulation_forces(s, forces));
  EXPECT_NEAR(ax[0], 0.5, 1e-2);
  upsweep_simulation_free(s);
  EXPECT_EQ(upsweep_simulation_make(c, UPSWEEP_F64, &rules, UPSWEEP_LEAPFROG, -1, 0, 2, start, &s),
            UPSWEEP_BAD_ARGUMENT);
  EXPECT_EQ(s, nullptr);
  EXPECT_EQ(upsweep_simulation_step(nullptr, 1), UPSWEEP_BAD_ARGUMENT);
}

TEST_P(Calls, WideSums) {
  const auto x = some<std::int32_t>(4001, 2'000'000'000, 2'100'000'000, 5);
  std::vector<std::int64_t> running(x.size());
  std::int64_t sum = 0;
  if (std::string(upsweep_backend(c)) != "cpu") {
    EXPECT_EQ(upsweep_wide_sum(c, UPSWEEP_I32, x.data(), x.size(), &sum), UPSWEEP_UNSUPPORTED);
    return;
  }
  OK(upsweep_wide_sum(c, UPSWEEP_I32, x.data(), x.size(), &sum));
  OK(upsweep_wide_running_sums(c, UPSWEEP_I32, x.data(), x.size(), running.data()));
  std::int64_t want = 0;
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(running[i], want += x[i]);
  EXPECT_EQ(sum, want);
  EXPECT_EQ(upsweep_wide_sum(c, UPSWEEP_F64, x.data(), 1, &sum), UPSWEEP_UNSUPPORTED);
}

TEST_P(Calls, SortedSequences) {
  const std::vector<u32> a{1, 2, 2, 5, 9}, b{2, 3, 5, 5};
  const device_array<u32> first(c, a), second(c, b), out(c, 9);
  const device_array<u64> count(c, 1);
  const auto kept = [&](upsweep_set what) {
    EXPECT_EQ(
        upsweep_set_operation(c, what, UPSWEEP_U32, first, nullptr, 5, second, nullptr, 4, 0, 0, out, nullptr, count),
        UPSWEEP_OK)
        << upsweep_last_message();
    return out.here(count.one());
  };
  EXPECT_EQ(kept(UPSWEEP_UNION), (std::vector<u32>{1, 2, 2, 3, 5, 5, 9}));
  EXPECT_EQ(kept(UPSWEEP_INTERSECTION), (std::vector<u32>{2, 5}));
  EXPECT_EQ(kept(UPSWEEP_DIFFERENCE), (std::vector<u32>{1, 2, 9}));
  EXPECT_EQ(kept(UPSWEEP_SYMMETRIC_DIFFERENCE), (std::vector<u32>{1, 2, 3, 5, 9}));
  const device_array<u32> values(c, std::vector<u32>{10, 11, 12, 13, 14}), values2(c, std::vector<u32>{20, 21, 22, 23}),
      moved(c, 9);
  OK(upsweep_set_operation(c, UPSWEEP_MERGE, UPSWEEP_U32, first, values, 5, second, values2, 4, 4, 0, out, moved,
                           count));
  EXPECT_EQ(out.here(), (std::vector<u32>{1, 2, 2, 2, 3, 5, 5, 5, 9}));
  EXPECT_EQ(moved.here(), (std::vector<u32>{10, 11, 12, 20, 21, 13, 22, 23, 14}));
}

TEST_P(Calls, ElementByElement) {
  const std::size_t n = 5000;
  const auto x = some<int>(n, -100, 100), y = some<int>(n, -100, 100, 2);
  const device_array<int> a(c, x), b(c, y), out(c, n);
  const auto is = [&](auto f) {
    const auto got = out.here();
    for (std::size_t i = 0; i < n; ++i)
      if (got[i] != f(i)) return testing::AssertionFailure() << "at " << i << ": " << got[i] << ", not " << f(i);
    return testing::AssertionSuccess();
  };
  OK(upsweep_map(c, UPSWEEP_I32, a, n, UPSWEEP_ABSOLUTE, out));
  EXPECT_TRUE(is([&](std::size_t i) { return std::abs(x[i]); }));
  OK(upsweep_combine(c, UPSWEEP_I32, a, b, n, UPSWEEP_MAXIMUM, out));
  EXPECT_TRUE(is([&](std::size_t i) { return std::max(x[i], y[i]); }));
  OK(upsweep_subtract(c, UPSWEEP_I32, a, b, n, out));
  EXPECT_TRUE(is([&](std::size_t i) { return x[i] - y[i]; }));
  const int five = 5, three = 3;
  OK(upsweep_fill(c, UPSWEEP_I32, &five, n, out));
  EXPECT_TRUE(is([](std::size_t) { return 5; }));
  OK(upsweep_iota(c, UPSWEEP_I32, &five, &three, n, out));
  EXPECT_TRUE(is([](std::size_t i) { return 5 + 3 * static_cast<int>(i); }));
  OK(upsweep_replace(c, UPSWEEP_I32, a, b, n, UPSWEEP_LESS, &three, &five, out));
  EXPECT_TRUE(is([&](std::size_t i) { return y[i] < 3 ? 5 : x[i]; }));
  OK(upsweep_adjacent_difference(c, UPSWEEP_I32, a, n, out));
  EXPECT_TRUE(is([&](std::size_t i) { return i ? x[i] - x[i - 1] : x[0]; }));
  OK(upsweep_reverse(c, a, 4, n, out));
  EXPECT_TRUE(is([&](std::size_t i) { return x[n - 1 - i]; }));
  OK(upsweep_rotate(c, a, 4, n, 17, out));
  EXPECT_TRUE(is([&](std::size_t i) { return x[(i + 17) % n]; }));
  const device_array<u32> order(c, n);
  OK(upsweep_random_permutation(c, UPSWEEP_U32, n, 42, order));
  OK(upsweep_shuffle(c, a, 4, n, 42, out));
  auto places = order.here();
  EXPECT_TRUE(is([&](std::size_t i) { return x[places[i]]; }));
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(places[i], i);
}

}  // namespace
