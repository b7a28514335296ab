// Calls whose count is in the context's memory, compared with the same calls on that number of elements.
#include <limits>

#include "device.hpp"

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

class Counted : public on_a_device {};
INSTANTIATE_TEST_SUITE_P(On, Counted, testing::Values("cpu", "cpu:2", "opencl:0", "cuda:0"), device_label);

// f(n, count, held), where held is a number of elements that is known: none, one, some, all, more than there are.
template <class F>
void for_each_count(F f) {
  for (const std::size_t n : {1, 31, 1000, 20011})
    for (const u64 count : {u64{0}, u64{1}, u64{n / 3}, u64{n - 1}, u64{n}, ~u64{0}}) {
      SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(n));
      f(n, count, static_cast<std::size_t>(std::min<u64>(count, n)));
    }
}

template <class T>
std::vector<T> first(const std::vector<T>& x, std::size_t n) {
  return {x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n)};
}

// What an output holds before the call, and behind what it writes ever after.
template <class T>
std::vector<T> untouched(std::size_t n) {
  return std::vector<T>(n, static_cast<T>(113));
}
template <class T>
std::vector<T> over(const std::vector<T>& written, std::vector<T> before) {
  std::copy(written.begin(), written.end(), before.begin());
  return before;
}

TEST_P(Counted, Folds) {
  for_each_count([&](std::size_t n, u64 count, std::size_t held) {
    const auto x = some<std::int32_t>(n, -1000, 1000);
    const auto counted_part = first(x, held);
    const device_array<std::int32_t> in(c, x), out(c, untouched<std::int32_t>(n)), one(c, 1);
    const device_array<u64> number(c, std::vector{count});
    OK(upsweep_device_counted_reduce(c, UPSWEEP_I32, in, n, number, UPSWEEP_PLUS, nullptr, one));
    EXPECT_EQ(one.one(), std::accumulate(counted_part.begin(), counted_part.end(), 0));
    const std::int32_t init = -2000;
    OK(upsweep_device_counted_reduce(c, UPSWEEP_I32, in, n, number, UPSWEEP_MAXIMUM, &init, one));
    EXPECT_EQ(one.one(), held ? *std::max_element(counted_part.begin(), counted_part.end()) : init);
    OK(upsweep_device_counted_reduce(c, UPSWEEP_I32, in, n, number, UPSWEEP_MINIMUM, nullptr, one));
    EXPECT_EQ(one.one(), held ? *std::min_element(counted_part.begin(), counted_part.end())
                              : std::numeric_limits<std::int32_t>::max());

    std::vector<std::int32_t> sums(held);
    std::exclusive_scan(counted_part.begin(), counted_part.end(), sums.begin(), init);
    OK(upsweep_device_counted_scan(c, UPSWEEP_I32, in, n, number, 0, UPSWEEP_PLUS, &init, out));
    EXPECT_EQ(out.here(), over(sums, untouched<std::int32_t>(n)));
    std::inclusive_scan(counted_part.begin(), counted_part.end(), sums.begin());
    OK(upsweep_device_counted_scan(c, UPSWEEP_I32, in, n, number, 1, UPSWEEP_PLUS, nullptr, in));
    EXPECT_EQ(in.here(), over(sums, x)) << "in place";
  });
}

TEST_P(Counted, Orders) {
  for_each_count([&](std::size_t n, u64 count, std::size_t held) {
    const auto x = some<double>(n, -40, 40);
    std::vector<u64> order(held), rows(n);
    std::iota(order.begin(), order.end(), u64{0});
    std::iota(rows.begin(), rows.end(), u64{0});
    const device_array<u64> number(c, std::vector{count}), values(c, rows), values_out(c, untouched<u64>(n));
    const device_array<double> in(c, x), out(c, untouched<double>(n));
    for (const bool down : {false, true}) {
      std::stable_sort(order.begin(), order.end(),
                       [&](u64 a, u64 b) { return x[a] != x[b] ? (down ? x[b] < x[a] : x[a] < x[b]) : a < b; });
      std::vector<double> keys(held);
      for (std::size_t i = 0; i < held; ++i) keys[i] = x[order[i]];
      OK(upsweep_device_counted_sort(c, UPSWEEP_F64, in, n, number, down, out));
      EXPECT_EQ(out.here(), over(keys, untouched<double>(n)));
      out.set(untouched<double>(n));
      OK(upsweep_device_counted_sort_by_key(c, UPSWEEP_F64, in, values, 8, n, number, down, out, values_out));
      EXPECT_EQ(out.here(), over(keys, untouched<double>(n)));
      EXPECT_EQ(values_out.here(), over(order, untouched<u64>(n)));
      if (!down) continue;
      OK(upsweep_device_counted_sort_by_key(c, UPSWEEP_F64, in, values, 8, n, number, down, in, values));
      EXPECT_EQ(in.here(), over(keys, x)) << "in place";
      EXPECT_EQ(values.here(), over(order, rows)) << "in place";
    }
  });
}

template <class T>
void check_sorts(const upsweep_context* c, int type) {
  for_each_count([&](std::size_t n, u64 count, std::size_t held) {
    const auto x = some<T>(n, 0, 100);
    const device_array<T> in(c, x);
    const device_array<u64> number(c, std::vector{count});
    OK(upsweep_device_counted_sort(c, type, in, n, number, 0, in));
    auto sorted = first(x, held);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(in.here(), over(sorted, x));
  });
}

TEST_P(Counted, SortsOfEveryType) {
  check_sorts<std::int8_t>(c, UPSWEEP_I8);
  check_sorts<u8>(c, UPSWEEP_U8);
  check_sorts<std::int16_t>(c, UPSWEEP_I16);
  check_sorts<std::uint16_t>(c, UPSWEEP_U16);
  check_sorts<u32>(c, UPSWEEP_U32);
  check_sorts<std::int64_t>(c, UPSWEEP_I64);
  check_sorts<u64>(c, UPSWEEP_U64);
  check_sorts<float>(c, UPSWEEP_F32);
}

TEST_P(Counted, Selections) {
  for_each_count([&](std::size_t n, u64 count, std::size_t held) {
    const auto x = some<u32>(n, 0, 9);
    const auto flags = some<u8>(n, 0, 1, 2);
    const device_array<u32> in(c, x), out(c, untouched<u32>(n));
    const device_array<u8> flags_in(c, flags);
    const device_array<u64> number(c, std::vector{count}), kept(c, 1);
    const u32 four = 4;
    const auto check = [&](const std::vector<u32>& expected) {
      EXPECT_EQ(kept.one(), expected.size());
      EXPECT_EQ(out.here(), over(expected, untouched<u32>(n)));
      out.set(untouched<u32>(n));
    };
    for (const auto& [test, passes] : {std::pair<int, bool (*)(u32)>{UPSWEEP_LESS, [](u32 v) { return v < 4; }},
                                       {UPSWEEP_LESS_EQUAL, [](u32 v) { return v <= 4; }},
                                       {UPSWEEP_NOT_EQUAL, [](u32 v) { return v != 4; }}}) {
      std::vector<u32> expected;
      std::copy_if(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(held), std::back_inserter(expected), passes);
      OK(upsweep_device_counted_copy_if(c, UPSWEEP_U32, in, n, number, test, &four, out, kept));
      check(expected);
    }
    std::vector<u32> flagged, firsts;
    for (std::size_t i = 0; i < held; ++i) {
      if (flags[i]) flagged.push_back(x[i]);
      if (i == 0 || x[i] != x[i - 1]) firsts.push_back(x[i]);
    }
    OK(upsweep_device_counted_select_flagged(c, in, 4, flags_in, n, number, out, kept));
    check(flagged);
    OK(upsweep_device_counted_unique(c, UPSWEEP_U32, in, n, number, out, kept));
    check(firsts);
    // In place, and the count over the count.
    OK(upsweep_device_counted_unique(c, UPSWEEP_U32, in, n, number, in, number));
    EXPECT_EQ(number.one(), firsts.size());
    EXPECT_EQ(in.here(), over(firsts, x));
  });
}

TEST_P(Counted, FoldsByKey) {
  for_each_count([&](std::size_t n, u64 count, std::size_t held) {
    const auto keys = some<std::uint16_t>(n, 0, 2);
    const auto x = some<u64>(n, 0, 1000, 3);
    std::vector<std::uint16_t> firsts;
    std::vector<u64> sums;
    for (std::size_t i = 0; i < held; ++i) {
      if (i == 0 || keys[i] != keys[i - 1]) firsts.push_back(keys[i]), sums.push_back(0);
      sums.back() += x[i];
    }
    const device_array<std::uint16_t> keys_in(c, keys), keys_out(c, untouched<std::uint16_t>(n));
    const device_array<u64> in(c, x), out(c, untouched<u64>(n)), number(c, std::vector{count}), runs(c, 1);
    OK(upsweep_device_counted_reduce_by_key(c, UPSWEEP_U16, keys_in, UPSWEEP_U64, in, n, number, UPSWEEP_PLUS, keys_out,
                                            out, runs));
    EXPECT_EQ(runs.one(), sums.size());
    EXPECT_EQ(keys_out.here(), over(firsts, untouched<std::uint16_t>(n)));
    EXPECT_EQ(out.here(), over(sums, untouched<u64>(n)));
  });
}

TEST_P(Counted, HistogramsAndPads) {
  for_each_count([&](std::size_t n, u64 count, std::size_t held) {
    const auto x = some<std::int16_t>(n, -50, 50);
    const device_array<std::int16_t> in(c, x), out(c, n);
    const device_array<u64> number(c, std::vector{count}), bins(c, 10);
    const std::int64_t lower = -50, upper = 50;
    std::vector<u64> expected(10);
    for (std::size_t i = 0; i < held; ++i)
      if (x[i] < 50) ++expected[static_cast<std::size_t>(x[i] + 50) / 10];
    OK(upsweep_device_counted_histogram(c, UPSWEEP_I16, in, n, number, &lower, &upper, 10, bins));
    EXPECT_EQ(bins.here(), expected);

    const std::int16_t value = -7;
    auto padded = x;
    std::fill(padded.begin() + static_cast<std::ptrdiff_t>(held), padded.end(), value);
    OK(upsweep_device_counted_pad(c, in, 2, n, number, &value, out));
    EXPECT_EQ(out.here(), padded);
  });
}

// A chain whose counts the host never sees: what is kept, sorted, once each.
TEST_P(Counted, CallsGoOnWithWhatIsKept) {
  const std::size_t n = 30011;
  const auto x = some<u32>(n, 0, 5000);
  std::vector<u32> expected;
  std::copy_if(x.begin(), x.end(), std::back_inserter(expected), [](u32 v) { return v > 1000; });
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  const device_array<u32> in(c, x), out(c, n);
  const device_array<u64> kept(c, 1);
  const u32 least = 1000;
  OK(upsweep_copy_if(c, UPSWEEP_U32, in, n, UPSWEEP_GREATER, &least, out, kept));
  OK(upsweep_device_counted_sort(c, UPSWEEP_U32, out, n, kept, 0, out));
  OK(upsweep_device_counted_unique(c, UPSWEEP_U32, out, n, kept, out, kept));
  ASSERT_EQ(kept.one(), expected.size());
  EXPECT_EQ(out.here(expected.size()), expected);
}

TEST_P(Counted, NothingIsCountedAsNothing) {
  const device_array<u64> number(c, std::vector{u64{5}}), kept(c, std::vector{u64{9}}), one(c, 1);
  OK(upsweep_device_counted_sort(c, UPSWEEP_F32, nullptr, 0, number, 0, nullptr));
  OK(upsweep_device_counted_unique(c, UPSWEEP_F32, nullptr, 0, number, nullptr, kept));
  EXPECT_EQ(kept.one(), 0u);
  OK(upsweep_device_counted_reduce(c, UPSWEEP_U64, nullptr, 0, number, UPSWEEP_MULTIPLIES, nullptr, one));
  EXPECT_EQ(one.one(), 1u);
}

TEST_P(Counted, WhatIsWrongIsRefused) {
  const device_array<u32> in(c, std::vector<u32>(10)), out(c, 10);
  const device_array<u64> number(c, std::vector{u64{5}});
  REFUSED(upsweep_device_counted_sort(nullptr, UPSWEEP_U32, in, 10, number, 0, out), UPSWEEP_BAD_ARGUMENT,
          "the context is null");
  REFUSED(upsweep_device_counted_sort(c, UPSWEEP_U32, in, 10, nullptr, 0, out), UPSWEEP_BAD_ARGUMENT,
          "the count of elements is null");
  REFUSED(upsweep_device_counted_reduce(c, UPSWEEP_U8, in, 10, number, UPSWEEP_PLUS, nullptr, out), UPSWEEP_UNSUPPORTED,
          "u8");
  REFUSED(upsweep_device_counted_scan(c, UPSWEEP_F32, in, 10, number, 1, UPSWEEP_BIT_AND, nullptr, out),
          UPSWEEP_UNSUPPORTED, "bit_and");
  REFUSED(upsweep_device_counted_unique(c, UPSWEEP_U32, in, 10, number, nullptr, number), UPSWEEP_BAD_ARGUMENT,
          "is null");
  REFUSED(upsweep_device_counted_select_flagged(c, in, 3, nullptr, 10, number, out, number), UPSWEEP_UNSUPPORTED,
          "3 bytes");
  REFUSED(upsweep_device_counted_pad(c, in, 4, 10, number, nullptr, out), UPSWEEP_BAD_ARGUMENT, "the value is null");
  const u32 four = 4;
  REFUSED(upsweep_device_counted_copy_if(c, UPSWEEP_U32, in, 10, number, 6, &four, out, number), UPSWEEP_BAD_ARGUMENT,
          "the comparison is 6");
}

}  // namespace
