// pieces.hpp's contract: cut where flags say, joined, and copied all at once.
#include "upsweep/pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <string>

#include "tests/devices.hpp"

namespace upsweep {
namespace {

using tests::expect_error;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct PiecesOn : tests::on_each_device {
  bool is_cpu() const { return where().kind() == backend::cpu; }
};
INSTANTIATE_TEST_SUITE_P(, PiecesOn, testing::ValuesIn(tests::device_names()), tests::device_label);

struct task {
  std::vector<u64> starts, lengths, places;
  u64 total = 0, size = 0;
  task(u64 pieces, u64 n) : starts(pieces), lengths(pieces), places(pieces) {
    std::mt19937_64 random(pieces + 7);
    for (u64 p = 0; p < pieces; ++p) {
      lengths[p] = std::min<u64>(n, p == pieces / 2 ? 9000 : random() % 4 == 0 ? 0 : random() % 40);
      starts[p] = random() % (n - lengths[p] + 1);
      total += lengths[p];
    }
    // The last one first, and a gap behind each.
    size = total + pieces;
    u64 end = size;
    for (u64 p = 0; p < pieces; ++p) places[p] = end -= lengths[p] + 1;
  }
};

template <class T>
void expect_pieces(const context& c, u64 pieces) {
  const u64 n = 10007;
  std::vector<T> x(n);
  for (u64 i = 0; i < n; ++i) x[i] = static_cast<T>(i * 7919 % 251);
  const task t(pieces, n);
  std::vector<T> joined, scattered(t.size, T(7));
  for (u64 p = 0; p < pieces; ++p)
    for (u64 k = 0; k < t.lengths[p]; ++k) {
      joined.push_back(x[t.starts[p] + k]);
      scattered[t.places[p] + k] = x[t.starts[p] + k];
    }
  std::vector<T> out(t.total), apart(t.size, T(7));
  flatten(c, x, t.starts, t.lengths, out);
  EXPECT_EQ(out, joined) << pieces;
  batched_copy(c, x, t.starts, t.lengths, apart, t.places);
  EXPECT_EQ(apart, scattered) << pieces;
  const std::vector<u32> narrow(t.lengths.begin(), t.lengths.end()), narrow_starts(t.starts.begin(), t.starts.end());
  const buffer<T> there(c, x);
  const buffer<u64> starts(c, t.starts), lengths(c, t.lengths), places(c, t.places);
  const buffer<u32> lengths32(c, narrow), starts32(c, narrow_starts);
  buffer<T> to(c, t.total), to_apart(c, std::vector<T>(t.size, T(7)));
  flatten(c, there, starts, lengths, to);
  EXPECT_EQ(to.download(), joined) << pieces;
  to.upload(std::vector<T>(t.total));
  flatten(c, there, starts32, lengths32, to);
  EXPECT_EQ(to.download(), joined) << pieces;
  batched_copy(c, there, starts32, lengths, to_apart, places);
  EXPECT_EQ(to_apart.download(), scattered) << pieces;
}

TEST_P(PiecesOn, CopiedAllAtOnce) {
  for (const u64 pieces : {0, 1, 2, 33, 1000, 20011}) {
    expect_pieces<u32>(where(), pieces);
    expect_pieces<char>(where(), pieces);
    expect_pieces<double>(where(), pieces);
  }
}

TEST_P(PiecesOn, WhatLiesOutsideIsRefused) {
  const std::vector<int> x(10);
  std::vector<int> out(5);
  using list = std::vector<u64>;
  const auto refuses = [](std::vector<std::string> pieces, auto call) {
    expect_error(fault::bad_argument, std::move(pieces), call);
  };
  refuses({"batched_copy", "piece 1 has 3 elements from 8 on", "an input of 10"},
          [&] { batched_copy(where(), x, list{0, 8}, list{2, 3}, out, list{0, 2}); });
  refuses({"batched_copy", "piece 0 has 2 elements from 4 on", "an output of 5"},
          [&] { batched_copy(where(), x, list{0}, list{2}, out, list{4}); });
  refuses({"piece 0 has 18446744073709551615"}, [&] { batched_copy(where(), x, list{1}, list{~0ull}, out, list{0}); });
  refuses({"flatten", "4 elements", "5"}, [&] { flatten(where(), x, list{0, 3}, list{2, 2}, out); });
  refuses({"flatten", "2 starts and 1"}, [&] { flatten(where(), x, list{0, 3}, list{5}, out); });
  refuses({"flatten", "overlap"}, [&] { flatten(where(), out, list{0}, list{5}, out); });
}

TEST_P(PiecesOn, CutWhereFlagsSay) {
  for (const u64 n : {0, 1, 2, 100, 4097, 40009})
    for (const u64 rarely : {1, 2, 50, 100000}) {
      std::mt19937_64 random(n + rarely);
      std::vector<std::uint8_t> flags(n);
      std::vector<u64> want{0};
      for (u64 i = 0; i < n; ++i) {
        flags[i] = random() % rarely == 0;
        if (flags[i]) want.push_back(i + 1);
      }
      want.push_back(n);
      std::vector<u64> offsets(want.size());
      EXPECT_EQ(split(where(), flags, offsets), want.size() - 1);
      EXPECT_EQ(offsets, want);
      const buffer<std::uint8_t> there(where(), flags);
      buffer<u32> to(where(), n + 5);
      ASSERT_EQ(split(where(), there, to), want.size() - 1);
      const auto got = to.download();
      EXPECT_TRUE(std::equal(want.begin(), want.end(), got.begin()));
      if (want.size() == 2) continue;
      std::vector<u64> few(want.size() - 1);
      expect_error(fault::bad_argument, {std::to_string(want.size() - 2)}, [&] { split(where(), flags, few); });
    }
}

TEST_P(PiecesOn, RangesOfRanges) {
  std::vector<std::vector<std::string>> words{{"a", "b"}, {}, {"c"}, {}};
  EXPECT_EQ(flatten(where(), words), (std::vector<std::string>{"a", "b", "c"}));
  std::deque<std::vector<int>> lists;
  std::vector<int> want;
  for (int i = 0; i < 5000; ++i) {
    lists.emplace_back(static_cast<std::size_t>(i % 17), i);
    want.insert(want.end(), lists.back().begin(), lists.back().end());
  }
  std::vector<int> out(want.size() + 3, 7);
  EXPECT_EQ(flatten(where(), lists, out), want.size());
  EXPECT_TRUE(std::equal(want.begin(), want.end(), out.begin()));
  EXPECT_EQ(out.back(), 7);
  expect_error(fault::bad_argument, {"flatten"},
               [&] { flatten(where(), lists, std::span(out).first(want.size() - 1)); });
  EXPECT_TRUE(flatten(where(), std::vector<std::vector<int>>{}).empty());
}

TEST_P(PiecesOn, ByAddresses) {
  std::vector<std::vector<int>> from, to;
  std::vector<const int*> sources;
  std::vector<int*> destinations;
  std::vector<u64> lengths;
  for (int i = 0; i < 3000; ++i) {
    from.emplace_back(static_cast<std::size_t>(i % 23), i);
    to.emplace_back(static_cast<std::size_t>(i % 23));
    sources.push_back(from.back().data()), lengths.push_back(from.back().size());
  }
  for (auto& t : to) destinations.push_back(t.data());
  copy_batched(where(), sources, destinations, lengths);
  EXPECT_EQ(to, from);
  lengths.pop_back();
  expect_error(fault::bad_argument, {"copy_batched", "3000 sources and 2999 lengths"},
               [&] { copy_batched(where(), sources, destinations, lengths); });
  if (where().kind() == backend::opencl) {
    const buffer<const int*> there(where(), 3);
    const buffer<int*> goes(where(), 3);
    const buffer<u64> sizes(where(), 3);
    expect_error(fault::unsupported, {"copy_batched", "OpenCL has no addresses"},
                 [&] { copy_batched(where(), there, goes, sizes); });
  }
}

TEST(Pieces, TypesOfTheCpu) {
  const std::vector<std::string> x{"a", "b", "c", "d", "e"};
  std::vector<std::string> out(4);
  flatten(context::cpu(), x, std::vector<u32>{3, 0}, std::vector<u32>{2, 2}, out);
  EXPECT_EQ(out, (std::vector<std::string>{"d", "e", "a", "b"}));
}

}  // namespace
}  // namespace upsweep
