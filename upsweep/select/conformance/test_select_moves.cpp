// gather and scatter, with flags and without, and offsets, lengths and indices of four bytes and of eight.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

#include "tests/devices.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"

namespace upsweep {
namespace {

using tests::expect_error;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct MovesOn : tests::on_each_device {
  bool is_cpu() const { return where().kind() == backend::cpu; }
};
INSTANTIATE_TEST_SUITE_P(, MovesOn, testing::ValuesIn(tests::device_names()), tests::device_label);

constexpr u64 sizes[]{0, 1, 31, 33, 257, 4099, 40009};

struct record {
  u32 a, b, c;
  friend bool operator==(const record&, const record&) = default;
};

struct task {
  std::vector<u32> x, order;
  std::vector<u8> flags;
  explicit task(u64 n) : x(n), order(n), flags(n) {
    std::mt19937_64 random(n + 17);
    for (u32& v : x) v = static_cast<u32>(random());
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    for (u8& f : flags) f = static_cast<u8>(random() % 3 == 0 ? random() % 256 : 0);
  }
};

template <class I, class T>
void expect_moves(const context& where, const task& t, const std::vector<T>& x) {
  const u64 n = t.order.size();
  std::vector<I> order(t.order.begin(), t.order.end());
  std::vector<T> gathered(n), gathered_if(n, T{}), scattered(n), scattered_if(n, T{});
  for (u64 i = 0; i < n; ++i) {
    gathered[i] = x[t.order[i]], scattered[t.order[i]] = x[i];
    if (t.flags[i]) gathered_if[i] = x[t.order[i]], scattered_if[t.order[i]] = x[i];
    // What has no flag is not read.
  }
  std::vector<I> without = order;
  for (u64 i = 0; i < n; ++i)
    if (!t.flags[i]) without[i] = static_cast<I>(-1);
  std::vector<T> out(n, T{});
  gather(where, x, order, out);
  EXPECT_EQ(out, gathered) << n;
  const buffer<T> from(where, x);
  const buffer<I> places(where, order), some(where, without);
  const buffer<u8> kinds(where, t.flags);
  buffer<T> to(where, std::vector<T>(n, T{}));
  gather(where, from, places, to);
  EXPECT_EQ(to.download(), gathered) << n;
  if (where.kind() == backend::cpu || sizeof(T) <= 8) {
    out.assign(n, T{});
    gather_if(where, x, without, t.flags, out);
    EXPECT_EQ(out, gathered_if) << n;
    scatter(where, x, order, out);
    EXPECT_EQ(out, scattered) << n;
    out.assign(n, T{});
    scatter_if(where, x, without, t.flags, out);
    EXPECT_EQ(out, scattered_if) << n;
    to.upload(std::vector<T>(n, T{}));
    gather_if(where, from, some, kinds, to);
    EXPECT_EQ(to.download(), gathered_if) << n;
    scatter(where, from, places, to);
    EXPECT_EQ(to.download(), scattered) << n;
    to.upload(std::vector<T>(n, T{}));
    scatter_if(where, from, some, kinds, to);
    EXPECT_EQ(to.download(), scattered_if) << n;
  }
}

TEST_P(MovesOn, IndicesOfFourAndOfEightBytes) {
  for (const u64 n : sizes) {
    const task t(n);
    std::vector<u8> bytes(t.x.begin(), t.x.end());
    std::vector<double> doubles(t.x.begin(), t.x.end());
    std::vector<record> records;
    for (const u32 v : t.x) records.push_back({v, ~v, v * 3});
    expect_moves<u32>(where(), t, t.x);
    expect_moves<int>(where(), t, bytes);
    expect_moves<u64>(where(), t, bytes);
    expect_moves<std::int64_t>(where(), t, doubles);
    expect_moves<u32>(where(), t, doubles);
    expect_moves<u64>(where(), t, records);
    expect_moves<u32>(where(), t, records);
  }
}

TEST_P(MovesOn, FlagsOfBool) {
  const buffer<u32> x(where(), std::vector<u32>{1, 2, 3}), order(where(), std::vector<u32>{2, 7, 0});
  buffer<bool> flags(where(), 3);
  const bool some[]{true, false, true};
  flags.upload(std::span<const bool>(some));
  buffer<u32> out(where(), std::vector<u32>(3, 9u));
  gather_if(where(), x, order, flags, out);
  EXPECT_EQ(out.download(), (std::vector<u32>{3, 9, 1}));
}

TEST_P(MovesOn, LengthsAndOffsetsOfFourBytes) {
  for (const u64 n : sizes) {
    const task t(n);
    std::vector<u32> lengths(n), offsets{0};
    std::vector<u64> wide{0};
    std::vector<u32> decoded;
    for (u64 i = 0; i < n; ++i) {
      lengths[i] = t.flags[i] % 5;
      decoded.insert(decoded.end(), lengths[i], t.x[i]);
    }
    for (u64 s = 0; offsets.back() < n; ++s) {  // every seventh is empty
      const u64 length = s % 7 == 6 ? 0 : 1 + t.x[offsets.back()] % 90;
      wide.push_back(std::min(n, wide.back() + length));
      offsets.push_back(static_cast<u32>(wide.back()));
    }
    const u64 segments = offsets.size() - 1;
    const buffer<u32> x(where(), t.x), cuts(where(), offsets), times(where(), lengths);
    const buffer<u64> wide_cuts(where(), wide);
    {
      std::vector<u32> out(decoded.size());
      run_length_decode(where(), t.x, lengths, out);
      EXPECT_EQ(out, decoded) << n;
      buffer<u32> to(where(), decoded.size());
      run_length_decode(where(), x, times, to);
      EXPECT_EQ(to.download(), decoded) << n;
    }
    std::vector<u32> want(segments), out(segments), scanned(n), scan_want(n), sorted(t.x), sort_want(t.x);
    segmented_reduce(context::cpu(), t.x, wide, want);
    segmented_inclusive_scan(context::cpu(), t.x, wide, scan_want);
    for (u64 s = 0; s < segments; ++s)
      std::sort(sort_want.begin() + static_cast<std::ptrdiff_t>(wide[s]),
                sort_want.begin() + static_cast<std::ptrdiff_t>(wide[s + 1]));
    segmented_reduce(where(), t.x, offsets, out);
    EXPECT_EQ(out, want) << n;
    segmented_inclusive_scan(where(), t.x, offsets, scanned);
    EXPECT_EQ(scanned, scan_want) << n;
    segmented_sort(where(), sorted, offsets);
    EXPECT_EQ(sorted, sort_want) << n;
    buffer<u32> folds(where(), segments), places(where(), n), keys(where(), t.x), values(where(), t.x);
    segmented_reduce(where(), x, cuts, folds);
    EXPECT_EQ(folds.download(), want) << n;
    segmented_inclusive_scan(where(), x, cuts, places);
    EXPECT_EQ(places.download(), scan_want) << n;
    segmented_sort_by_key(where(), keys, values, cuts);
    EXPECT_EQ(keys.download(), sort_want) << n;
    EXPECT_EQ(values.download(), sort_want) << n;
  }
}

TEST_P(MovesOn, WhatIsNotThereIsRefused) {
  const std::vector<u32> x{1, 2, 3}, order{0, 3, 1};
  const std::vector<int> negative{0, -1, 1};
  const std::vector<u8> flags{1, 1, 1}, two{1, 1};
  std::vector<u32> out(3);
  const auto refuses = [](std::vector<std::string> pieces, auto call) {
    expect_error(fault::bad_argument, std::move(pieces), call);
  };
  refuses({"gather", "index 1 is 3", "3 elements"}, [&] { gather(where(), x, order, out); });
  refuses({"gather_if", "index 1 is 3"}, [&] { gather_if(where(), x, order, flags, out); });
  refuses({"scatter", "index 1 is 3"}, [&] { scatter(where(), x, order, out); });
  refuses({"scatter_if", "index 1 is 4294967295"}, [&] { scatter_if(where(), x, negative, flags, out); });
  refuses({"gather_if", "3 elements", "2"}, [&] { gather_if(where(), x, order, two, out); });
  refuses({"gather", "overlap"}, [&] { gather(where(), out, order, out); });
  refuses({"segmented_reduce"}, [&] { segmented_reduce(where(), x, std::vector<u32>{0, 4}, std::span(out).first(1)); });
}

TEST(Moves, OwnTypesOfTheCpu) {
  const std::vector<std::string> names{"ann", "bob", "cy"};
  const std::vector<u32> order{2, 0, 1};
  const std::vector<u8> flags{1, 0, 1};
  std::vector<std::string> out(3, "-");
  gather_if(context::cpu(), names, order, flags, out);
  EXPECT_EQ(out, (std::vector<std::string>{"cy", "-", "bob"}));
  scatter(context::cpu(), names, order, out);
  EXPECT_EQ(out, (std::vector<std::string>{"bob", "cy", "ann"}));
}

}  // namespace
}  // namespace upsweep
