// Inputs and results of the twenty tasks, which are solved with five libraries (docs/tasks.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace tasks {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

struct input {
  std::vector<int> x, y;             // n of each, in [0, 1000)
  std::vector<int> keys;             // n, in runs
  std::vector<u64> offsets;          // of segments of x: the first is 0, the last n
  std::vector<int> sorted, sorted2;  // sorted, without duplicates
  std::vector<int> queries;

  explicit input(std::size_t n, u64 seed) {
    std::mt19937_64 bits(seed);
    const auto below = [&](u64 limit) { return static_cast<int>(bits() % limit); };
    for (std::size_t i = 0; i < n; ++i) x.push_back(below(1000)), y.push_back(below(1000));
    for (int key = 0; keys.size() < n; key = below(50))
      keys.insert(keys.end(), std::min<std::size_t>(1 + below(9), n - keys.size()), key);
    for (u64 at = 0; at < n; at += 1 + static_cast<u64>(below(100))) offsets.push_back(at);
    offsets.push_back(n);
    for (int v = 0; sorted.size() < n; v += 1 + below(3)) sorted.push_back(v);
    for (int v = 0; sorted2.size() < n; v += 1 + below(3)) sorted2.push_back(v);
    for (std::size_t i = 0; i < n; ++i) queries.push_back(below(2 * n));
  }
};

// The result of a task as a sequence of numbers, independent of its type, for comparison.
using answer = std::vector<i64>;
using answers = std::vector<answer>;  // one for each task, in order
inline const answer no_such_call{std::numeric_limits<i64>::min()};

template <class... Ranges>
answer all_of_them(const Ranges&... parts) {
  answer a;
  (a.insert(a.end(), parts.begin(), parts.end()), ...);
  return a;
}

}  // namespace tasks
