// Sets under nvcc: types, comparisons and made inputs of the user's own on the device. Runs where a CUDA GPU is.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/sets.hpp"
#include "upsweep/views.hpp"

namespace {

using namespace upsweep;
using words = std::vector<std::uint32_t>;

struct SetsCuda : tests::on_cuda {};

struct entry {
  std::uint32_t key, from;
  friend bool operator==(const entry& a, const entry& b) { return a.key == b.key && a.from == b.from; }
};
struct by_key {
  UPSWEEP_HD bool operator()(const entry& a, const entry& b) const { return a.key < b.key; }
};

std::vector<entry> sorted_entries(std::uint64_t n, std::uint32_t levels, std::uint32_t from) {
  std::mt19937_64 random(n + levels + from);
  words keys(n);
  for (std::uint32_t& k : keys) k = static_cast<std::uint32_t>(random() >> 11) % levels;
  std::sort(keys.begin(), keys.end());
  std::vector<entry> all(n);
  for (std::uint32_t i = 0; i < n; ++i) all[i] = {keys[i], from + i};
  return all;
}

TEST_F(SetsCuda, OwnTypesAndComparisons) {
  const context gpu = context::named("cuda:0");
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{17}, std::uint64_t{70001}})
    for (const std::uint32_t levels : {1u, 50u, 100000u}) {
      const auto a = sorted_entries(n, levels, 0), b = sorted_entries(n / 2 + 3, levels, 1u << 31);
      const buffer<entry> x(gpu, a), y(gpu, b);
      buffer<entry> out(gpu, a.size() + b.size()), values(gpu, a.size() + b.size());
      const auto expect = [&](std::uint64_t kept, std::vector<entry> wanted) {
        ASSERT_EQ(kept, wanted.size());
        auto got = out.download();
        got.resize(kept);
        EXPECT_EQ(got, wanted) << n << " of " << levels;
      };
      const auto made = [&](auto algorithm) {
        std::vector<entry> to;
        algorithm(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(to), by_key{});
        return to;
      };
      expect(set_union(gpu, x, y, out, by_key{}), made([](auto... i) { std::set_union(i...); }));
      expect(set_intersection(gpu, x, y, out, by_key{}), made([](auto... i) { std::set_intersection(i...); }));
      expect(set_difference(gpu, x, y, out, by_key{}), made([](auto... i) { std::set_difference(i...); }));
      expect(set_symmetric_difference(gpu, x, y, out, by_key{}),
             made([](auto... i) { std::set_symmetric_difference(i...); }));
      expect(merge_by_key(gpu, x, x, y, y, out, values, by_key{}), made([](auto... i) { std::merge(i...); }));
      EXPECT_EQ(values.download(), out.download());
      expect(set_difference_by_key(gpu, x, x, y, out, values, by_key{}),
             made([](auto... i) { std::set_difference(i...); }));
    }
}

TEST_F(SetsCuda, MadeInputs) {
  const context gpu = context::named("cuda:0");
  const words odd{1, 3, 5, 7, 9};
  const buffer<std::uint32_t> x(gpu, odd);
  buffer<std::uint32_t> out(gpu, 10);
  buffer<std::uint64_t> count(gpu, 1);
  set_difference(gpu, views::iota(0u, 10), x, out, count.span());
  EXPECT_EQ(count.download()[0], 5u);
  words kept = out.download();
  kept.resize(5);
  EXPECT_EQ(kept, (words{0, 2, 4, 6, 8}));
}

}  // namespace
