// rank, permute and filter_map on a CUDA GPU, with types and functions of the user's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/grouped.hpp"

namespace {

using namespace upsweep;

struct RankCuda : tests::on_cuda {};

struct entry {
  std::uint32_t key, from, more;
  friend bool operator==(const entry& a, const entry& b) { return a.key == b.key && a.from == b.from; }
};
struct half_of_even {
  UPSWEEP_HD optional<entry> operator()(const entry& e) const {
    if (e.key % 2 != 0) return {};
    return entry{e.key / 2, e.from, 1};
  }
};

TEST_F(RankCuda, OwnTypesAndFunctions) {
  const context gpu = context::cuda();
  for (const std::uint64_t n : {1, 33, 4097, 100003}) {
    std::mt19937_64 random(n);
    std::vector<entry> host(n), halves, sorted;
    for (std::uint32_t i = 0; i < n; ++i) host[i] = {static_cast<std::uint32_t>(random() >> 40) % 50, i, 7};
    for (const entry& e : host)
      if (e.key % 2 == 0) halves.push_back({e.key / 2, e.from, 1});
    sorted = host;
    std::stable_sort(sorted.begin(), sorted.end(), [](const entry& a, const entry& b) { return a.key < b.key; });
    std::vector<std::uint32_t> want(n);
    for (std::uint32_t p = 0; p < n; ++p) want[sorted[p].from] = p;

    const buffer<entry> x(gpu, host);
    buffer<entry> out(gpu, n);
    buffer<std::uint64_t> count(gpu, 1);
    const auto first = [&](std::uint64_t kept) {
      auto all = out.download();
      all.resize(kept);
      return all;
    };
    ASSERT_EQ(filter_map(gpu, x, out, half_of_even{}), halves.size());
    EXPECT_EQ(first(halves.size()), halves) << n;
    filter_map(gpu, x, out, count.span(), half_of_even{});
    EXPECT_EQ(count.download()[0], halves.size()) << n;

    buffer<std::uint32_t> places(gpu, n), order(gpu, n);
    rank(gpu, x, places, by(&entry::key));
    EXPECT_EQ(places.download(), want) << n;
    argsort(gpu, x, order, by(&entry::key));
    std::vector<std::uint32_t> numbers(n), from_want;
    std::iota(numbers.begin(), numbers.end(), 0u);
    for (const entry& e : sorted) from_want.push_back(e.from);
    buffer<std::uint32_t> beside(gpu, numbers);
    permute(gpu, order, x, out, beside, beside);
    EXPECT_EQ(out.download(), sorted) << n;
    EXPECT_EQ(beside.download(), from_want) << n;

    std::vector<int> keys(n);
    std::vector<std::uint64_t> least(n), dense(n);
    for (std::uint64_t i = 0; i < n; ++i) keys[i] = static_cast<int>(host[i].key);
    rank(context::cpu(), keys, least, {}, ties::min);
    rank(context::cpu(), keys, dense, {}, ties::dense);
    const buffer<int> there(gpu, keys);
    buffer<std::uint64_t> ranks(gpu, n);
    rank(gpu, there, ranks, {}, ties::min);
    EXPECT_EQ(ranks.download(), least) << n;
    rank(gpu, there, ranks, {}, ties::dense);
    EXPECT_EQ(ranks.download(), dense) << n;
  }
}

}  // namespace
