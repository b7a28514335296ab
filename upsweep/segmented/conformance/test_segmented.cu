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

// 12 bytes: no power of two, so that no piece of 16 bytes holds whole elements.
struct affine_counted {
  affine map;
  std::uint32_t count;
  __host__ __device__ friend bool operator==(const affine_counted& x, const affine_counted& y) {
    return x.map == y.map && x.count == y.count;
  }
};
struct then_counted {
  __host__ __device__ affine_counted operator()(affine_counted f, affine_counted g) const {
    return {then{}(f.map, g.map), f.count + g.count};
  }
  __host__ __device__ static affine_counted identity() { return {then::identity(), 0}; }
};

// Offsets of segments among n elements: equal lengths, every length, thousands of empty ones, one segment of all
// elements, and one that is split next to some that are not.
std::vector<std::vector<std::uint64_t>> cuts_of(std::uint64_t n) {
  std::vector<std::vector<std::uint64_t>> all;
  for (std::uint64_t length : {1, 10, 100, 1000, 10000}) {
    all.push_back({});
    for (std::uint64_t i = 0; i < n; i += length) all.back().push_back(i);
    all.back().push_back(n);
  }
  all.push_back({0, n});
  all.push_back({n / 3, n / 3, n - n / 5});  // elements of no segment on both sides
  std::mt19937_64 random(n);
  std::vector<std::uint64_t> mixed{0};
  while (mixed.back() < n) {
    mixed.insert(mixed.end(), random() % 50 == 0 ? 3000 : random() % 4, mixed.back());
    mixed.push_back(std::min(n, mixed.back() + (std::uint64_t{1} << random() % 17)));
  }
  all.push_back(mixed);
  std::vector<std::uint64_t> giant{0};
  while (giant.back() < n / 4) giant.push_back(std::min(n / 4, giant.back() + 1 + random() % 60));
  giant.push_back(n - n / 4);
  while (giant.back() < n) giant.push_back(std::min(n, giant.back() + 1 + random() % 3000));
  all.push_back(giant);
  // Where the offsets stand says nothing about where a segment is.
  std::vector<std::uint64_t> behind{0}, before;
  for (std::uint64_t i = 0; i < n / 9; ++i) before.push_back(i), behind.push_back(n - n / 9 + i);
  before.push_back(n), behind.push_back(n);
  all.push_back(before), all.push_back(behind);
  return all;
}

template <class T, class Op>
void expect_folds_and_scans(const context& where, std::uint64_t n, T init, Op op, T (*make)(std::uint64_t)) {
  std::vector<T> x(n), scanned(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = make(i);
  for (const std::uint64_t lead : {0, 1}) {  // off the alignment of 16 bytes
    buffer<T> all(where, n + lead), to(where, n + lead);
    const device_span<T> in = all.span().subspan(lead, n), out = to.span().subspan(lead, n);
    for (const auto& cuts : cuts_of(n)) {
      const std::uint64_t segments = cuts.size() - 1;
      std::vector<T> laid(n + lead, init);
      std::copy(x.begin(), x.end(), laid.begin() + static_cast<std::ptrdiff_t>(lead));
      all.upload(laid);
      const buffer<std::uint64_t> offsets(where, cuts);
      buffer<T> folds(where, segments);
      for (const bool inclusive : {false, true}) {
        std::vector<T> want(segments), scan = x;
        for (std::uint64_t s = 0; s < segments; ++s) {
          T running = init;
          for (std::uint64_t i = cuts[s]; i < cuts[s + 1]; ++i) {
            const T next = op(running, x[i]);
            scan[i] = inclusive ? next : running;
            running = next;
          }
          want[s] = running;
        }
        segmented_reduce(where, in, offsets.span(), folds.span(), init, op);
        ASSERT_TRUE(folds.download() == want) << n << " in " << segments;
        to.upload(laid);  // elements in no segment are unchanged
        if (inclusive) {
          segmented_inclusive_scan(where, in, offsets.span(), out, init, op);
        } else {
          segmented_exclusive_scan(where, in, offsets.span(), out, init, op);
        }
        const std::vector<T> got = to.download();
        ASSERT_TRUE(std::equal(scan.begin(), scan.end(), got.begin() + static_cast<std::ptrdiff_t>(lead)))
            << n << " in " << segments;
      }
      segmented_inclusive_scan(where, in, offsets.span(), in, init, op);
      ASSERT_TRUE(all.download() == to.download()) << "in place, " << n << " in " << segments;
    }
  }
}

TEST_P(SegmentedNvccOn, SegmentsOfEveryLength) {
  for (std::uint64_t n : {std::uint64_t{31}, std::uint64_t{5000}, std::uint64_t{150001}}) {
    expect_folds_and_scans<std::uint32_t>(where(), n, 7, plus{},
                                          [](std::uint64_t i) { return static_cast<std::uint32_t>(i * 2654435761u); });
    expect_folds_and_scans<affine>(where(), n, {3, 5}, then{}, [](std::uint64_t i) {
      return affine{static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i * 40503)};
    });
    expect_folds_and_scans<affine_counted>(where(), n, {{3, 5}, 2}, then_counted{}, [](std::uint64_t i) {
      return affine_counted{{static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i * 40503)}, 1};
    });
  }
}

// More parts than a batch of the chain has: the values of a scan go from batch to batch.
void expect_one_segment(const context& where, std::uint64_t n) {
  std::vector<affine> x(n), scan(n);
  affine running{3, 5};
  for (std::uint64_t i = 0; i < n; ++i) {
    x[i] = {static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i * 40503)};
    scan[i] = running = then{}(running, x[i]);
  }
  const buffer<affine> in(where, x);
  const buffer<std::uint64_t> offsets(where, std::vector<std::uint64_t>{0, 0, n, n});
  buffer<affine> out(where, n), folds(where, 3);
  for (int turn = 0; turn < 3; ++turn) {  // what a call leaves behind serves the next one
    segmented_inclusive_scan(where, in.span(), offsets.span(), out.span(), affine{3, 5}, then{});
    ASSERT_TRUE(out.download() == scan);
    segmented_reduce(where, in.span(), offsets.span(), folds.span(), affine{3, 5}, then{});
    ASSERT_TRUE((folds.download() == std::vector<affine>{{3, 5}, running, {3, 5}}));
  }
}

TEST_P(SegmentedNvccOn, OneSegmentOfManyParts) {
  for (std::uint64_t n : {100003, 2500009, 6000011}) expect_one_segment(where(), n);
}

TEST_P(SegmentedNvccOn, SumsOfFloatsRepeat) {
  const std::uint64_t n = 700001;
  std::vector<float> x(n);
  std::mt19937_64 random(5);
  for (float& v : x) v = static_cast<float>(random() % 1000003) / 7.0f - 70000;
  const buffer<float> in(where(), x);
  for (const auto& cuts : cuts_of(n)) {
    const buffer<std::uint64_t> offsets(where(), cuts);
    buffer<float> folds(where(), cuts.size() - 1), out(where(), x);
    std::vector<float> first_folds, first_scan;
    for (int turn = 0; turn < 5; ++turn) {
      segmented_reduce(where(), in.span(), offsets.span(), folds.span());
      segmented_inclusive_scan(where(), in.span(), offsets.span(), out.span());
      if (turn == 0) first_folds = folds.download(), first_scan = out.download();
      ASSERT_TRUE(folds.download() == first_folds && out.download() == first_scan);
    }
  }
}

}  // namespace
