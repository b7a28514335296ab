// Calls of every algorithm in the single header, on one and on several threads, compared with the standard library.
#include "upsweep.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace {

int failures = 0;

void check(bool right, const char* what, int threads) {
  if (right) return;
  std::printf("wrong: %s on %d threads\n", what, threads);
  ++failures;
}

struct first_set {
  int operator()(int a, int b) const { return a ? a : b; }
  static int identity() { return 0; }
};

void calls(int threads, std::size_t n) {
  const auto cpu = upsweep::context::cpu(threads);
  std::mt19937 random(1);
  std::vector<int> x(n), y(n), z(n), expected(n);
  for (int& one : x) one = static_cast<int>(random() % 1000);
  const auto is = [&](bool right, const char* what) { check(right, what, threads); };

  is(upsweep::reduce(cpu, x) == std::accumulate(x.begin(), x.end(), 0), "reduce");
  is(upsweep::reduce(cpu, x, 0, first_set{}) == *std::find_if(x.begin(), x.end(), [](int v) { return v != 0; }),
     "reduce, own operator");
  upsweep::inclusive_scan(cpu, x, y);
  std::partial_sum(x.begin(), x.end(), expected.begin());
  is(y == expected, "inclusive_scan");
  upsweep::exclusive_scan(cpu, x, y);
  std::exclusive_scan(x.begin(), x.end(), expected.begin(), 0);
  is(y == expected, "exclusive_scan");

  y = x, expected = x;
  upsweep::sort(cpu, y);
  std::sort(expected.begin(), expected.end());
  is(y == expected, "sort");
  y = x, z.resize(n);
  std::iota(z.begin(), z.end(), 0);
  upsweep::sort_by_key(cpu, y, z);
  bool in_order = y == expected;
  for (std::size_t i = 0; i < n; ++i) in_order = in_order && x[static_cast<std::size_t>(z[i])] == y[i];
  is(in_order, "sort_by_key");
  y = x;
  upsweep::sort(cpu, y, [](int a, int b) { return a > b; });
  is(std::is_sorted(y.rbegin(), y.rend()), "sort, own comparator");

  const auto kept = upsweep::copy_if(cpu, x, y, [](int v) { return v > 500; });
  expected.clear();
  std::copy_if(x.begin(), x.end(), std::back_inserter(expected), [](int v) { return v > 500; });
  y.resize(kept);
  is(y == expected, "copy_if");
  y.resize(n);
  upsweep::transform(cpu, x, y, [](int v) { return 2 * v; });
  is(std::equal(x.begin(), x.end(), y.begin(), [](int a, int b) { return 2 * a == b; }), "transform");
  upsweep::transform(cpu, x, y, upsweep::expression("x * x + 1"));
  is(std::equal(x.begin(), x.end(), y.begin(), [](int a, int b) { return a * a + 1 == b; }), "transform, expression");
  is(upsweep::count_if(cpu, x, [](int v) { return v % 2 == 1; }) ==
         static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), [](int v) { return v % 2 == 1; })),
     "count_if");

  std::vector<std::uint64_t> counts(10);
  upsweep::histogram(cpu, x, counts, 0, 1000);
  bool counted = true;
  for (int b = 0; b < 10; ++b)
    counted = counted &&
              counts[static_cast<std::size_t>(b)] ==
                  static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), [b](int v) { return v / 100 == b; }));
  is(counted, "histogram");

  const std::vector<std::uint64_t> offsets{0, n / 3, n / 2, n};
  std::vector<int> sums(3);
  upsweep::segmented_reduce(cpu, x, offsets, sums);
  is(sums[1] == std::accumulate(x.begin() + static_cast<long>(n / 3), x.begin() + static_cast<long>(n / 2), 0),
     "segmented_reduce");

  std::set<int> all(x.begin(), x.begin() + static_cast<long>(n / 2));
  const std::vector<int> left(all.begin(), all.end()), right{-5, 3, 1001};
  std::vector<int> joined(left.size() + right.size());
  joined.resize(upsweep::set_union(cpu, left, right, joined));
  all.insert(right.begin(), right.end());
  is(std::equal(joined.begin(), joined.end(), all.begin(), all.end()), "set_union");
  y = x;
  upsweep::reverse(cpu, y);
  is(std::equal(y.begin(), y.end(), x.rbegin()), "reverse");
}

}  // namespace

int main() {
  for (const int threads : {1, 2, 5})
    for (const std::size_t n : {std::size_t{10}, std::size_t{300'000}}) calls(threads, n);
  try {
    upsweep::context::named("cuda:0");
    check(false, "a CUDA device", 1);
  } catch (const upsweep::error&) {
  }
  std::printf("%d wrong\n", failures);
  return failures != 0;
}
