// axis.hpp's contract, on the CPU and on every usable device.
#include "upsweep/axis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <memory>
#include <numeric>
#include <random>
#include <string>

#include "tests/devices.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct AlongOn : tests::on_each_device {
  bool is_cpu() const { return where().kind() == backend::cpu; }
};
INSTANTIATE_TEST_SUITE_P(, AlongOn, testing::ValuesIn(tests::device_names()), tests::device_label);

using sizes = std::vector<u64>;
const std::vector<sizes> shapes{{1},
                                {7},
                                {0},
                                {3, 0},
                                {0, 5},
                                {1, 1},
                                {2, 3},
                                {31, 33},
                                {1, 257},
                                {257, 1},
                                {300, 17, 2},
                                {5, 7, 11, 13},
                                {2, 1009},
                                {3001, 3},
                                {2, 130, 257},
                                {17, 2003},
                                {1, 2, 1, 3, 1, 2, 1, 5},
                                {70001, 2}};

// Visits every line of a shape along an axis, element by element: the reference for all tests below.
template <class Visit>
void each_line(const sizes& of, std::size_t axis, Visit visit) {
  u64 inner = 1, outer = 1;
  for (std::size_t i = 0; i < of.size(); ++i) (i < axis ? outer : inner) *= i == axis ? 1 : of[i];
  std::vector<u64> places(of[axis]);
  for (u64 o = 0; o < outer; ++o)
    for (u64 i = 0; i < inner; ++i) {
      for (u64 j = 0; j < of[axis]; ++j) places[j] = o * of[axis] * inner + j * inner + i;
      visit(o * inner + i, places, o, i);
    }
}

u64 count_of(const sizes& of) { return std::accumulate(of.begin(), of.end(), u64{1}, std::multiplies<>{}); }
u64 lines_of(const sizes& of, std::size_t axis) {
  sizes rest = of;
  rest[axis] = 1;
  return count_of(rest);
}

template <class T>
std::vector<T> made(u64 n, u64 seed) {
  std::mt19937_64 bits(seed);
  std::vector<T> x(n);
  for (T& y : x) y = static_cast<T>(bits() % 1000) - static_cast<T>(std::is_signed_v<T> ? 300 : 0);
  return x;
}

// Host memory and device memory come to the same.
template <class T, class Call>
std::vector<T> both_ways(const context& where, const std::vector<T>& x, u64 results, Call call) {
  std::vector<T> out(results, T(77));
  call(x, out);
  const buffer<T> there(where, x);
  buffer<T> result(where, std::vector<T>(results, T(78)));
  call(there, result);
  EXPECT_EQ(result.download(), out);
  return out;
}

template <class Body>
void each_axis(Body body) {
  for (const sizes& of : shapes)
    for (std::size_t axis = 0; axis < of.size(); ++axis) {
      SCOPED_TRACE(testing::PrintToString(of) + " along " + std::to_string(axis));
      body(of, axis, static_cast<int>(axis) - (axis % 2 ? static_cast<int>(of.size()) : 0));
    }
}

TEST_P(AlongOn, Reduces) {
  each_axis([&](const sizes& of, std::size_t axis, int named) {
    const auto x = made<int>(count_of(of), 1);
    auto near = x;  // whose squares stay within int along any axis
    for (int& y : near) y /= 7;
    const u64 lines = lines_of(of, axis);
    std::vector<int> sums(lines), most(lines), from(lines);
    each_line(of, axis, [&](u64 line, const sizes& at, u64, u64) {
      most[line] = std::numeric_limits<int>::lowest(), from[line] = 5;
      for (const u64 i : at) {
        sums[line] += x[i];
        most[line] = std::max(most[line], x[i]);
        from[line] += near[i] * near[i];
      }
    });
    EXPECT_EQ(both_ways(where(), x, lines, [&](auto& in, auto& out) { reduce_along(where(), in, of, named, out); }),
              sums);
    EXPECT_EQ(both_ways(where(), x, lines,
                        [&](auto& in, auto& out) { reduce_along(where(), in, of, named, out, maximum{}); }),
              most);
    EXPECT_EQ(both_ways(where(), near, lines,
                        [&](auto& in, auto& out) {
                          transform_reduce_along(where(), in, of, named, out, 5, std::plus<>{}, square{});
                        }),
              from);
  });
}

TEST_P(AlongOn, Scans) {
  each_axis([&](const sizes& of, std::size_t axis, int named) {
    const auto x = made<u64>(count_of(of), 2);
    std::vector<u64> inclusive(x.size()), exclusive(x.size());
    each_line(of, axis, [&](u64, const sizes& at, u64, u64) {
      u64 sum = 0, composed = 3;  // compose_affine does not commute
      for (const u64 i : at) {
        inclusive[i] = sum += x[i];
        exclusive[i] = composed;
        composed = compose_affine{}(composed, x[i]);
      }
    });
    const auto summed = [&](auto& in, auto& out) { inclusive_scan_along(where(), in, of, named, out); };
    const auto after = [&](auto& in, auto& out) {
      exclusive_scan_along(where(), in, of, named, out, u64{3}, compose_affine{});
    };
    EXPECT_EQ(both_ways(where(), x, x.size(), summed), inclusive);
    EXPECT_EQ(both_ways(where(), x, x.size(), after), exclusive);
    auto onto = x;
    buffer<u64> there(where(), x);
    summed(onto, onto), after(there, there);
    EXPECT_EQ(onto, inclusive);
    EXPECT_EQ(there.download(), exclusive);
  });
}

TEST_P(AlongOn, Sorts) {
  each_axis([&](const sizes& of, std::size_t axis, int named) {
    const auto x = made<int>(count_of(of), 3);
    const u64 lines = lines_of(of, axis), k = std::min<u64>(of[axis], 3);
    std::vector<int> up(x), down(x), best(lines * k);
    std::vector<u32> order(x.size()), which(lines * k);
    each_line(of, axis, [&](u64 line, const sizes& at, u64, u64) {
      sizes by(at.size());
      std::iota(by.begin(), by.end(), u64{0});
      std::ranges::stable_sort(by, [&](u64 a, u64 b) { return x[at[a]] < x[at[b]]; });
      for (u64 j = 0; j < at.size(); ++j) up[at[j]] = x[at[by[j]]], order[at[j]] = static_cast<u32>(by[j]);
      std::ranges::stable_sort(by,
                               [&](u64 a, u64 b) { return x[at[a]] > x[at[b]] || (x[at[a]] == x[at[b]] && a < b); });
      const u64 inner = at.size() > 1 ? at[1] - at[0] : 1, o = inner > 1 ? line / inner : line;
      for (u64 j = 0; j < at.size(); ++j) down[at[j]] = x[at[by[j]]];
      for (u64 j = 0; j < k; ++j) {
        const u64 to = inner > 1 ? (o * k + j) * inner + line % inner : line * k + j;
        best[to] = x[at[by[j]]], which[to] = static_cast<u32>(by[j]);
      }
    });
    EXPECT_EQ(both_ways(where(), x, x.size(), [&](auto& in, auto& out) { sort_along(where(), in, of, named, out); }),
              up);
    EXPECT_EQ(both_ways(where(), x, x.size(),
                        [&](auto& in, auto& out) { sort_along(where(), in, of, named, out, {.descending = true}); }),
              down);
    auto onto = x;
    buffer<int> there(where(), x);
    sort_along(where(), onto, of, named, std::greater<>{});
    sort_along(where(), there, of, named);
    EXPECT_EQ(onto, down);
    EXPECT_EQ(there.download(), up);

    std::vector<u32> indices(x.size());
    argsort_along(where(), x, of, named, indices);
    EXPECT_EQ(indices, order);
    const buffer<int> keys(where(), x);
    buffer<u64> wide(where(), x.size());
    argsort_along(where(), keys, of, named, wide);
    EXPECT_TRUE(std::ranges::equal(wide.download(), order));

    std::vector<u32> stood(lines * k);
    EXPECT_EQ(
        both_ways(where(), x, lines * k, [&](auto& in, auto& out) { top_k_along(where(), in, of, named, k, out); }),
        best);
    std::vector<int> first(lines * k);
    top_k_along(where(), x, of, named, k, first, stood);
    EXPECT_EQ(first, best);
    EXPECT_EQ(stood, which);
    buffer<int> first_there(where(), lines * k);
    buffer<u64> stood_there(where(), lines * k);
    top_k_along(where(), keys, of, named, k, first_there, stood_there, {.descending = true});
    EXPECT_EQ(first_there.download(), best);
    EXPECT_TRUE(std::ranges::equal(stood_there.download(), which));
  });
}

// Ties are ordered by position, however many there are: rows of random keys, of seven different keys, of one, and of
// one that is most frequent; more rows than a device has blocks, and rows that many blocks share.
TEST_P(AlongOn, TopOfRowsWithTies) {
  struct {
    u64 rows, length, k;
  } const cases[]{{1, 1000, 8}, {3, 5000, 2048}, {900, 300, 17}, {2, 200003, 50}, {1, 300007, 2048}, {2, 30000, 1}};
  for (const auto& c : cases)
    for (int kind = 0; kind < 4; ++kind) {
      std::mt19937_64 random(c.length + static_cast<u64>(kind));
      std::vector<u32> x(c.rows * c.length);
      for (u32& v : x) {
        const auto bits = static_cast<u32>(random());
        v = kind == 0 ? bits : kind == 1 ? bits % 7 : kind == 2 ? 5 : bits % 3 ? 4000000000u - bits / 3 % 3 : bits;
      }
      std::vector<u32> best, stood;
      for (u64 r = 0; r < c.rows; ++r) {
        const u32* row = x.data() + r * c.length;
        std::vector<u32> order(c.length);
        std::iota(order.begin(), order.end(), 0u);
        std::partial_sort(order.begin(), order.begin() + static_cast<long>(c.k), order.end(),
                          [&](u32 a, u32 b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
        for (u64 j = 0; j < c.k; ++j) best.push_back(row[order[j]]), stood.push_back(order[j]);
      }
      const buffer<u32> keys(where(), x);
      buffer<u32> first(where(), best.size()), places(where(), best.size());
      for (int turn = 0; turn < 2; ++turn) {  // what a call leaves behind serves the next one
        top_k_along(where(), keys, rows_of(c.length), c.k, first, places);
        ASSERT_EQ(first.download(), best) << c.rows << " rows of " << c.length;
        ASSERT_EQ(places.download(), stood) << c.rows << " rows of " << c.length;
      }
    }
}

TEST_P(AlongOn, RowsOfOneLength) {
  const auto x = made<float>(12 * 1000, 4);
  std::vector<float> sums(1000), running(x.size()), up = x;
  for (u64 i = 0; i < x.size(); ++i) running[i] = sums[i / 12] += x[i];
  for (u64 r = 0; r < 1000; ++r)
    std::sort(up.begin() + static_cast<long>(12 * r), up.begin() + static_cast<long>(12 * r) + 12);
  const auto rows = rows_of(12);
  EXPECT_EQ(both_ways(where(), x, 1000, [&](auto& in, auto& out) { reduce_along(where(), in, rows, out); }), sums);
  EXPECT_EQ(both_ways(where(), x, x.size(), [&](auto& in, auto& out) { inclusive_scan_along(where(), in, rows, out); }),
            running);
  EXPECT_EQ(both_ways(where(), x, x.size(), [&](auto& in, auto& out) { sort_along(where(), in, rows, out); }), up);
  std::vector<float> none;
  reduce_along(where(), none, rows_of(12), none);
  reduce_along(where(), none, rows_of(0), none);
}

// NaNs stand last, the zeros are equal, and every key keeps its bits.
TEST_P(AlongOn, FloatsAreOrderedAsInSort) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x{nan, 1, 0.f, 2, -0.f, nan, -1, 0.f};  // {4, 2}
  std::vector<u64> order(8);
  argsort_along(where(), x, {4, 2}, 0, order);
  EXPECT_EQ(order, (std::vector<u64>{3, 3, 1, 0, 2, 1, 0, 2}));
  std::vector<float> y(8);
  sort_along(where(), x, {4, 2}, 0, y);
  EXPECT_EQ(y[0], -1);
  EXPECT_TRUE(!std::signbit(y[2]) && std::signbit(y[4]) && std::isnan(y[6]) && std::isnan(y[7]));
}

TEST_P(AlongOn, FoldsInTheOutputsType) {
  const std::vector<std::uint8_t> bytes(3 * 1000, 200);
  std::vector<u32> sums(3), running(3000);
  reduce_along(where(), bytes, {3, 1000}, 1, sums);
  EXPECT_EQ(sums, (std::vector<u32>(3, 200000)));
  inclusive_scan_along(where(), bytes, {1000, 3}, 0, running);
  EXPECT_EQ(running[2999], 200000u);
  std::vector<u64> products(2);
  reduce_along(where(), views::iota(u64{1}, u64{6}), {2, 3}, 1, products, multiplies{});
  EXPECT_EQ(products, (std::vector<u64>{6, 120}));
}

TEST_P(AlongOn, ParametersOfEveryShape) {
  const std::vector<int> x{1, 2, 3, 4, 5, 6};
  std::vector<int> out(3);
  const std::array<int, 2> as_array{2, 3};
  const std::vector<long> as_vector{2, 3};
  reduce_along(where(), x, as_array, -2, out);
  EXPECT_EQ(out, (std::vector<int>{5, 7, 9}));
  reduce_along(where(), x, as_vector, 0, out, 10);
  EXPECT_EQ(out, (std::vector<int>{15, 17, 19}));
  reduce_along(where(), x, shape(2, 3), 0, out, 10, minimum{});
  EXPECT_EQ(out, (std::vector<int>{1, 2, 3}));
}

struct longest {
  std::string operator()(const std::string& a, const std::string& b) const { return a.size() < b.size() ? b : a; }
};
struct joined {
  std::string operator()(const std::string& a, const std::string& b) const { return a + b; }
};
struct pixel {
  int r, g, b;
  bool operator==(const pixel&) const = default;
};

// On the CPU anything goes; elsewhere a sentence says what does not.
TEST_P(AlongOn, OwnTypesAndFunctions) {
  if (!is_cpu()) {
    const bool opencl = where().kind() == backend::opencl;
    const std::vector<int> x(6);
    std::vector<int> y(2), z(6);
    const auto own = monoid([](int a, int b) { return a ^ b; }, 0);
    const auto by_rest = [](int a, int b) { return a % 3 < b % 3; };
    const std::string words = opencl ? "device source" : "nvcc";
    expect_error(fault::unsupported, {words}, [&] { reduce_along(where(), x, {2, 3}, 1, y, own); });
    expect_error(fault::unsupported, {words}, [&] { inclusive_scan_along(where(), x, {2, 3}, 1, z, own); });
    expect_error(fault::unsupported, {words}, [&] { sort_along(where(), z, {2, 3}, 1, by_rest); });
    expect_error(fault::unsupported, {words}, [&] { argsort_along(where(), x, {2, 3}, 0, z, by_rest); });
    expect_error(fault::unsupported, {words}, [&] { top_k_along(where(), x, {2, 3}, 1, 1, y, by_rest); });
    std::vector<std::string> texts(6), most(2);
    expect_error(fault::unsupported, {"its own copy operations"},
                 [&] { reduce_along(where(), texts, {2, 3}, 1, most, std::string(), longest{}); });
    return;
  }
  each_axis([&](const sizes& of, std::size_t axis, int named) {
    const u64 n = count_of(of);
    if (n > 20000) return;
    std::vector<std::string> x(n), running(n), sorted(n);
    for (u64 i = 0; i < n; ++i) x[i] = std::string(i * 7 % 5 + 1, static_cast<char>('a' + i % 26));
    std::vector<std::string> most(lines_of(of, axis)), all(lines_of(of, axis));
    each_line(of, axis, [&](u64 line, const sizes& at, u64, u64) {
      std::vector<std::string> these;
      most[line] = "?";
      for (const u64 i : at)
        most[line] = longest{}(most[line], x[i]), all[line] += x[i], these.push_back(x[i]), running[i] = all[line];
      std::ranges::stable_sort(these, [](auto& a, auto& b) { return a.size() > b.size(); });
      for (u64 j = 0; j < at.size(); ++j) sorted[at[j]] = these[j];
    });
    std::vector<std::string> out(most.size()), scanned(n), again = x, copied(n);
    reduce_along(where(), x, of, named, out, std::string("?"), longest{});
    EXPECT_EQ(out, most);
    if (of[axis] != 0) {
      reduce_along(where(), x, of, named, out, joined{});  // no init, and no identity
      EXPECT_EQ(out, all);
    } else if (!out.empty()) {
      expect_error(fault::bad_argument, {"reduce_along", "no identity"},
                   [&] { reduce_along(where(), x, of, named, out, joined{}); });
    }
    inclusive_scan_along(where(), x, of, named, scanned, joined{});
    EXPECT_EQ(scanned, running);
    const auto shorter_last = [](const std::string& a, const std::string& b) { return a.size() > b.size(); };
    sort_along(where(), again, of, named, shorter_last);
    EXPECT_EQ(again, sorted);
    sort_along(where(), x, of, named, copied, shorter_last);
    EXPECT_EQ(copied, sorted);
    std::vector<u32> order(n);
    argsort_along(where(), x, of, named, order, shorter_last);
    each_line(of, axis, [&](u64, const sizes& at, u64, u64) {
      for (const u64 i : at) EXPECT_EQ(x[at[order[i]]], sorted[i]);
    });
  });
}

// Long lines are cut in pieces, and joined in order.
TEST_P(AlongOn, LongLinesByOwnOperators) {
  if (!is_cpu()) GTEST_SKIP() << "functions without device source run on the CPU alone";
  const auto then = [](u64 f, u64 g) { return compose_affine{}(f, g); };
  for (const sizes& of : {sizes{2, 200003}, sizes{200003, 2}, sizes{1, 70001, 5}, sizes{2, 301, 1301}}) {
    const auto x = made<u64>(count_of(of), 5);
    const std::size_t axis = of[0] == 2 ? 1 : of.size() - 2;
    std::vector<u64> want(lines_of(of, axis)), folds(want.size()), inclusive(x.size()), exclusive(x.size()),
        out(x.size());
    each_line(of, axis, [&](u64 line, const sizes& at, u64, u64) {
      want[line] = 9;
      u64 alone = x[at[0]];
      for (u64 j = 0; j < at.size(); ++j) {
        exclusive[at[j]] = want[line];
        want[line] = then(want[line], x[at[j]]);
        inclusive[at[j]] = alone = j ? then(alone, x[at[j]]) : alone;
      }
    });
    reduce_along(where(), x, of, static_cast<int>(axis), folds, u64{9}, then);
    EXPECT_EQ(folds, want);
    inclusive_scan_along(where(), x, of, static_cast<int>(axis), out, then);
    EXPECT_EQ(out, inclusive);
    out = x;
    exclusive_scan_along(where(), out, of, static_cast<int>(axis), out, u64{9}, monoid(then, u64{1}));
    EXPECT_EQ(out, exclusive);
  }
}

// Lines so long that all threads share one, of elements that are moved one by one.
TEST_P(AlongOn, LongLinesOfWhatIsNotCopiedAsBytes) {
  if (!is_cpu()) GTEST_SKIP() << "elements with copy operations of their own run on the CPU alone";
  const std::size_t length = 8 * cpu::merge_piece + 77;
  std::vector<std::string> x(2 * length);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::to_string(i * 7919 % 5003);
  const auto shorter = [](const std::string& a, const std::string& b) { return a.size() < b.size(); };
  std::vector<std::vector<std::string>> lines(2);
  for (std::size_t i = 0; i < x.size(); ++i) lines[i % 2].push_back(x[i]);
  for (auto& line : lines) std::ranges::stable_sort(line, shorter);
  auto y = x;
  sort_along(where(), y, {length, 2}, 0, shorter);
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], lines[i % 2][i / 2]) << i;
  std::vector<std::uint64_t> order(x.size());
  argsort_along(where(), x, {length, 2}, 0, order, shorter);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[order[i] * 2 + i % 2], y[i]) << i;
}

TEST_P(AlongOn, WhatOnlyMovesAndRecords) {
  if (!is_cpu()) GTEST_SKIP() << "elements with copy operations of their own run on the CPU alone";
  std::vector<std::unique_ptr<int>> x(300 * 7);
  std::vector<pixel> y(300 * 7);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = std::make_unique<int>(static_cast<int>(i * 7919 % 1000)), y[i] = {*x[i], static_cast<int>(i), 0};
  sort_along(where(), x, {300, 7}, 0, [](const auto& a, const auto& b) { return *a < *b; });
  sort_along(where(), y, {300, 7}, 0, [](const pixel& a, const pixel& b) { return a.r < b.r; });
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(*x[i], y[i].r);
    const pixel &here = y[i], &above = y[i < 7 ? i : i - 7];
    ASSERT_TRUE(i < 7 || above.r < here.r || (above.r == here.r && above.g < here.g));
  }
  const auto brighter = [](const pixel& a, const pixel& b) { return a.r > b.r; };
  std::vector<pixel> best(2 * 7);
  std::vector<u64> which(2 * 7);
  top_k_along(where(), y, {300, 7}, 0, 2, best, which, brighter);
  for (std::size_t c = 0; c < 7; ++c) EXPECT_EQ(best[c].r, y[299 * 7 + c].r);
  EXPECT_EQ(best[0], y[which[0] * 7]);
}

TEST_P(AlongOn, BoolsAreKeys) {
  const std::unique_ptr<bool[]> x(new bool[6]{true, false, true, false, true, false});
  const std::span<bool> keys(x.get(), 6);
  sort_along(where(), keys, {3, 2}, 0);
  EXPECT_TRUE(keys[0] && !keys[1] && keys[4] && !keys[5]);
  sort_along(where(), keys, {3, 2}, 1);
  EXPECT_TRUE(!keys[0] && keys[1] && !keys[4] && keys[5]);
}

TEST_P(AlongOn, WrongCallsSaySo) {
  const std::vector<int> x(12);
  std::vector<int> y(12), three(3), four(4);
  std::vector<u64> indices(12);
  const auto& c = where();
  const auto bad = [](std::vector<std::string> pieces, auto call) { expect_error(fault::bad_argument, pieces, call); };
  bad({"reduce_along: there is no axis 2 in the shape {3, 4}", "count axes from 0"},
      [&] { reduce_along(c, x, {3, 4}, 2, y); });
  bad({"sort_along: there is no axis -3 in the shape {3, 4}"}, [&] { sort_along(c, y, {3, 4}, -3); });
  bad({"argsort_along: there is no axis 0 in the shape {}"}, [&] { argsort_along(c, x, shape(), 0, indices); });
  bad({"inclusive_scan_along: the shape {3, 5} has 15 elements and the input 12"},
      [&] { inclusive_scan_along(c, x, {3, 5}, 1, y); });
  bad({"exclusive_scan_along: the shape", "more elements than 64 bits count"},
      [&] { exclusive_scan_along(c, x, {1ull << 40, 1ull << 24}, 1, y); });
  bad({"top_k_along: the shape", "more lines than 64 bits count"}, [&] {
    std::vector<int> none;
    top_k_along(c, none, {1ull << 40, 0, 1ull << 24}, 1, 0, none);
  });
  bad({"reduce_along: the shape", "more elements than 64 bits count"}, [&] {
    std::vector<int> none;
    reduce_along(c, none, {1ull << 40, 1ull << 24, 0}, 2, none);
  });
  bad({"reduce_along: 12 elements are not a whole number of rows of 5"},
      [&] { reduce_along(c, x, rows_of(5), three); });
  bad({"reduce_along: 12 elements are not a whole number of rows of 0"},
      [&] { reduce_along(c, x, rows_of(0), three); });
  bad({"shape: axis 1 has a negative length"}, [&] { reduce_along(c, x, {3, -4}, 1, three); });
  bad({"shape: there are more than 8 axes"}, [&] { reduce_along(c, x, std::vector<int>(9, 1), 1, three); });
  bad({"reduce_along: there are 3 lines and 4 outputs"}, [&] { reduce_along(c, x, {3, 4}, 1, four); });
  bad({"inclusive_scan_along: the input has 12 elements and the output 3"},
      [&] { inclusive_scan_along(c, x, {3, 4}, 1, three); });
  bad({"sort_along: there are 12 keys and 3 output elements"}, [&] { sort_along(c, x, {3, 4}, 1, three); });
  bad({"argsort_along: there are 12 keys and 4 elements for indices"}, [&] { argsort_along(c, x, {3, 4}, 1, four); });
  bad({"top_k_along: 5 keys are requested from lines of 4"}, [&] { top_k_along(c, x, {3, 4}, 1, 5, y); });
  bad({"top_k_along: there are 6 keys to write and 12 output elements"}, [&] { top_k_along(c, x, {3, 4}, 1, 2, y); });
  bad({"top_k_along: there are 3 indices to write and 12 output elements"},
      [&] { top_k_along(c, x, {3, 4}, 1, 1, three, indices); });
  bad({"sort_along: bits 5 to 40 are requested, and a key has 32"},
      [&] { sort_along(c, y, {3, 4}, 1, {.first_bit = 5, .last_bit = 40}); });
  bad({"reduce_along", "overlap"}, [&] { reduce_along(c, y, {3, 4}, 1, std::span(y).first(3)); });
  bad({"sort_along", "overlap"}, [&] { sort_along(c, std::span(y).first(6), {2, 3}, 1, std::span(y).subspan(3, 6)); });
  if (!is_cpu()) {
    buffer<int> there(c, 12);
    bad({"reduce_along", "give both in the same memory"}, [&] { reduce_along(c, there, {3, 4}, 1, three); });
  }
}

}  // namespace
