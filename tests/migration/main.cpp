// Runs the calls of docs/from-*.md and docs/which-call.md. Where the left side is a call of the standard library, both
// sides must leave the same state.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <execution>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "upsweep/upsweep.hpp"

namespace {

using i64 = std::int64_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 1000, rows_of_picture = 20, columns_of_picture = 50;

// The operands that the pages name.
struct state {
  std::vector<int> x, y, keys, sorted, sorted2;
  std::vector<int> out = std::vector<int>(n), out2 = out, both = std::vector<int>(2 * n), both2 = both;
  std::vector<int> best = std::vector<int>(10), best_edges{0, 10, 100, 200, 300, 500, 700, 900, 1000};
  std::vector<float> f, g = std::vector<float>(n), line = std::vector<float>(columns_of_picture);
  std::vector<u64> places = std::vector<u64>(n), order = places, counts = std::vector<u64>(8),
                   best_at = std::vector<u64>(10);
  std::vector<u64> offsets{0, 10, 10, 400, n}, starts{0, 300, 600}, lengths{300, 0, 400};
  std::vector<int> sums = std::vector<int>(4);
  std::vector<std::uint8_t> flags = std::vector<std::uint8_t>(n);
  double v = -1;

  state() {
    std::mt19937_64 bits(7);
    for (std::size_t i = 0; i < n; ++i) {
      x.push_back(static_cast<int>(bits() % 1000)), y.push_back(static_cast<int>(bits() % 1000));
      keys.push_back(static_cast<int>(i / (1 + bits() % 3) / 5));
      f.push_back(static_cast<float>(bits() % 1000) / 1000);
      flags[i] = bits() % 2;
    }
    sorted = x, sorted2 = y;
    std::ranges::sort(sorted), std::ranges::sort(sorted2);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, bits);
  }
  bool operator==(const state&) const = default;
};

#define UPSWEEP_NAMES(s)                                                                                             \
  [[maybe_unused]] auto& [x, y, keys, sorted, sorted2, out, out2, both, both2, best, best_edges, f, g, line, places, \
                          order, counts, best_at, offsets, starts, lengths, sums, flags, v] = s;

const upsweep::context c = upsweep::context::cpu();
constexpr auto& par = std::execution::par;
constexpr auto even = [](int e) { return e % 2 == 0; };
constexpr auto twice = [](int e) { return 2 * e; };
constexpr auto squared = [](int e) { return e * e; };
constexpr auto larger = [](int a, int b) { return a > b ? a : b; };
constexpr auto last_digit = [](int a, int b) { return a % 10 < b % 10; };
constexpr std::uint64_t rows = rows_of_picture, columns = columns_of_picture;
constexpr upsweep::extent size{columns, rows};
const auto nonzero = upsweep::not_equal_to(0);
const upsweep::mask<float> blur({3, 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1});
namespace views = upsweep::views;
using upsweep::maximum, upsweep::minimum, upsweep::multiplies, upsweep::plus, upsweep::square;
// Of the row about device_counted.
upsweep::buffer<int> b(c, std::vector<int>{3, 1, 2});
upsweep::buffer<u64> count(c, std::vector<u64>{2});

struct row {
  const char* where;
  void (*ours)(state&);
  void (*theirs)(state&);
};

namespace pages {
#include "rows.inc"
}

}  // namespace

int main() {
  int failed = 0, compared = 0;
  for (const row& r : pages::rows) {
    state ours;
    const state untouched = ours;
    try {
      r.ours(ours);
      if (!r.theirs) continue;
      state theirs;
      r.theirs(theirs);
      ++compared;
      if (ours == theirs && !(theirs == untouched)) continue;
      std::printf("%s: %s\n", r.where, theirs == untouched ? "the row changes nothing" : "the sides differ");
    } catch (const std::exception& e) {
      std::printf("%s: %s\n", r.where, e.what());
    }
    ++failed;
  }
  std::printf("%zu rows, %d of them compared, %d failed\n", pages::rows.size(), compared, failed);
  return failed == 0 && compared > 50 ? 0 : 1;
}
