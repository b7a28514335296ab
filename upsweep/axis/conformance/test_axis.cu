// axis.hpp's calls compiled by nvcc, on every CUDA device: operators, types and comparators of one's own, of few and of
// many lines, along rows and across them.
#include "upsweep/axis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/devices.hpp"

namespace {

using namespace upsweep;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using sizes = std::vector<u64>;

struct AlongNvccOn : tests::on_each_device {
  void SetUp() override {
    if (where().kind() != backend::cuda) GTEST_SKIP() << "the other devices are held to it from the .cpp file";
  }
};
INSTANTIATE_TEST_SUITE_P(, AlongNvccOn, testing::ValuesIn(tests::device_names()), tests::device_label);

// x -> a·x + b modulo 2^32: it does not commute.
struct step {
  u32 a, b;
  bool operator==(const step&) const = default;
};
struct then {
  UPSWEEP_HD step operator()(const step& f, const step& g) const { return {g.a * f.a, g.a * f.b + g.b}; }
  UPSWEEP_HD static step identity() { return {1, 0}; }
};
struct by_rest {
  UPSWEEP_HD bool operator()(const step& f, const step& g) const { return f.a % 97 < g.a % 97; }
};
struct to_step {
  UPSWEEP_HD step operator()(u32 x) const { return {2 * x + 1, x}; }
};

const std::vector<sizes> shapes{{1},        {0},        {3, 0},      {1, 1},         {31, 33},      {1, 70001},
                                {70001, 2}, {2, 50021}, {257, 1031}, {5, 7, 11, 13}, {70000, 3, 2}, {40, 2000, 17},
                                {3, 40000}};

template <class Body>
void each_axis(Body body) {
  for (const sizes& of : shapes)
    for (std::size_t axis = 0; axis < of.size(); ++axis) {
      u64 n = 1;
      for (const u64 length : of) n *= length;
      SCOPED_TRACE(testing::PrintToString(of) + " along " + std::to_string(axis));
      body(
          of, static_cast<int>(axis), n, of[axis] ? n / of[axis] : [&] {
            u64 lines = 1;
            for (std::size_t i = 0; i < of.size(); ++i) lines *= i == axis ? 1 : of[i];
            return lines;
          }());
    }
}

std::vector<step> steps(u64 n) {
  std::vector<step> x(n);
  for (u64 i = 0; i < n; ++i) x[i] = {static_cast<u32>(i * 2654435761u) | 1, static_cast<u32>(i * 40503u + 7)};
  return x;
}

// test_axis.cpp compares the CPU's templates with a reference.
TEST_P(AlongNvccOn, FoldsOfOwnTypes) {
  const context cpu = context::cpu();
  each_axis([&](const sizes& of, int axis, u64 n, u64 lines) {
    const auto x = steps(n);
    std::vector<step> want(lines), got(lines), running(n), onto = x;
    reduce_along(cpu, x, of, axis, want, step{3, 5}, then{});
    const buffer<step> there(where(), x);
    buffer<step> folds(where(), lines), scanned(where(), n);
    reduce_along(where(), there, of, axis, folds, step{3, 5}, then{});
    EXPECT_TRUE(folds.download() == want);
    reduce_along(where(), x, of, axis, got, step{3, 5}, then{});
    EXPECT_TRUE(got == want) << "from host memory";
    inclusive_scan_along(cpu, x, of, axis, running, then{});
    inclusive_scan_along(where(), there, of, axis, scanned, then{});
    EXPECT_TRUE(scanned.download() == running);
    exclusive_scan_along(cpu, x, of, axis, running, step{7, 1}, then{});
    buffer<step> in_place(where(), x);
    exclusive_scan_along(where(), in_place, of, axis, in_place, step{7, 1}, then{});
    EXPECT_TRUE(in_place.download() == running);
    exclusive_scan_along(where(), onto, of, axis, onto, step{7, 1}, then{});
    EXPECT_TRUE(onto == running) << "from host memory";
  });
}

TEST_P(AlongNvccOn, MadeInputsAndOwnFunctions) {
  const context cpu = context::cpu();
  each_axis([&](const sizes& of, int axis, u64 n, u64 lines) {
    std::vector<u32> x(n);
    std::iota(x.begin(), x.end(), 11u);
    std::vector<step> want(lines);
    transform_reduce_along(cpu, x, of, axis, want, then{}, to_step{});
    const buffer<u32> there(where(), x);
    buffer<step> folds(where(), lines);
    transform_reduce_along(where(), there, of, axis, folds, then{}, to_step{});
    EXPECT_TRUE(folds.download() == want);
    std::vector<u64> wide(lines), got(lines);
    reduce_along(cpu, x, of, axis, wide);
    buffer<u64> sums(where(), lines);
    reduce_along(where(), there, of, axis, sums);
    EXPECT_EQ(sums.download(), wide);
    reduce_along(where(), x, of, axis, got);
    EXPECT_EQ(got, wide) << "from host memory";
  });
}

TEST_P(AlongNvccOn, OwnComparators) {
  const context cpu = context::cpu();
  each_axis([&](const sizes& of, int axis, u64 n, u64 lines) {
    const auto x = steps(n);
    const u64 k = lines ? std::min<u64>(n / lines, 3) : 0;
    std::vector<step> want = x, best(lines * k), onto = x, apart(n);
    std::vector<u32> order(n), which(lines * k);
    sort_along(cpu, want, of, axis, by_rest{});
    argsort_along(cpu, x, of, axis, order, by_rest{});
    top_k_along(cpu, x, of, axis, k, best, which, by_rest{});
    const buffer<step> there(where(), x);
    buffer<step> in_place(where(), x), sorted(where(), n), first(where(), lines * k);
    buffer<u32> indices(where(), n), stood(where(), lines * k);
    sort_along(where(), in_place, of, axis, by_rest{});
    EXPECT_TRUE(in_place.download() == want) << "in place";
    sort_along(where(), there, of, axis, sorted, by_rest{});
    EXPECT_TRUE(sorted.download() == want);
    argsort_along(where(), there, of, axis, indices, by_rest{});
    EXPECT_EQ(indices.download(), order);
    top_k_along(where(), there, of, axis, k, first, stood, by_rest{});
    EXPECT_TRUE(first.download() == best);
    EXPECT_EQ(stood.download(), which);
    sort_along(where(), onto, of, axis, by_rest{});
    EXPECT_TRUE(onto == want) << "from host memory, in place";
    sort_along(where(), x, of, axis, apart, by_rest{});
    EXPECT_TRUE(apart == want) << "from host memory";
  });
}

// The library's own kernels from a .cu file, and lambdas.
TEST_P(AlongNvccOn, BuiltInsAndLambdas) {
  const context cpu = context::cpu();
  const sizes of{300, 1000, 7};
  std::vector<int> x(300 * 1000 * 7);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 2654435761u >> 7);
  const buffer<int> there(where(), x);
  for (const int axis : {0, 1, 2}) {
    const u64 lines = x.size() / of[static_cast<std::size_t>(axis)];
    std::vector<int> want(lines), scanned(x.size());
    buffer<int> folds(where(), lines), y(where(), x.size());
    reduce_along(cpu, x, of, axis, want, bit_xor{});
    reduce_along(where(), there, of, axis, folds, bit_xor{});
    EXPECT_TRUE(folds.download() == want) << axis;
    reduce_along(where(), there, of, axis, folds, monoid([] UPSWEEP_HD(int a, int b) { return a ^ b; }, 0));
    EXPECT_TRUE(folds.download() == want) << axis;
    inclusive_scan_along(cpu, x, of, axis, scanned, maximum{});
    inclusive_scan_along(where(), there, of, axis, y, maximum{});
    EXPECT_TRUE(y.download() == scanned) << axis;
    sort_along(cpu, x, of, axis, scanned, {.descending = true});
    sort_along(where(), there, of, axis, y, {.descending = true});
    EXPECT_TRUE(y.download() == scanned) << axis;
  }
}

}  // namespace
