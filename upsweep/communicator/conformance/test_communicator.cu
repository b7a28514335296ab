// Communicators of CUDA GPUs by operators, tests and comparators of the caller's own.
#include <gtest/gtest.h>

#include "upsweep/communicator.hpp"
#include "upsweep/communicator/conformance/communicator_cases.hpp"

namespace upsweep {
namespace {

// x -> a·x + b, modulo 2^32; composed in order, which matters.
struct affine {
  std::uint32_t a = 1, b = 0;
};
struct then {
  UPSWEEP_HD affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, f.b * g.a + g.b}; }
  UPSWEEP_HD affine identity() const { return {}; }
};

struct name_and_number {
  std::uint32_t number;
  std::uint16_t name;
  std::uint16_t rest;
};
struct by_name {
  UPSWEEP_HD bool operator()(const name_and_number& a, const name_and_number& b) const { return a.name < b.name; }
};
struct is_odd {
  UPSWEEP_HD bool operator()(std::uint32_t x) const { return x % 2 == 1; }
};

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

class group_of_cuda_by_ones_own : public testing::TestWithParam<const char*> {};

TEST_P(group_of_cuda_by_ones_own, gives_what_one_device_gives) {
  std::optional<communicator> there;
  try {
    there = communicator::named(GetParam());
  } catch (const error& e) {
    GTEST_SKIP() << e.what();
  }
  const communicator& g = *there;
  const auto one = context::cpu();
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{300'007}}) {
    std::vector<affine> x(n), want(n);
    std::vector<name_and_number> keys(n);
    std::vector<std::uint32_t> values(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t bits = communicator_conformance::mixed(i + n);
      x[i] = {static_cast<std::uint32_t>(bits) | 1, static_cast<std::uint32_t>(bits >> 32)};
      keys[i] = {static_cast<std::uint32_t>(i), static_cast<std::uint16_t>(bits % 50), 0};
      values[i] = static_cast<std::uint32_t>(bits);
    }
    const auto d = distributed<affine>::of(g, x);
    auto running = distributed<affine>::even(g, n);
    inclusive_scan(g, d, running, then{}), inclusive_scan(one, x, want, then{});
    EXPECT_TRUE(same(running.gather(), want)) << n;
    const affine all = reduce(g, d, affine{3, 4}, then{}), all_wanted = reduce(one, x, affine{3, 4}, then{});
    EXPECT_EQ(all.a, all_wanted.a);
    EXPECT_EQ(all.b, all_wanted.b);

    auto k = distributed<name_and_number>::of(g, keys), alone = distributed<name_and_number>::of(g, keys);
    auto v = distributed<std::uint32_t>::of(g, values), kept = distributed<std::uint32_t>::even(g, 0);
    std::vector<std::uint32_t> odd(n);
    odd.resize(copy_if(one, values, odd, is_odd{}));
    copy_if(g, v, kept, is_odd{});
    EXPECT_TRUE(same(kept.gather(), odd)) << n;
    sort(g, alone, by_name{});
    sort_by_key(g, k, v, by_name{}), sort_by_key(one, keys, values, by_name{});
    EXPECT_TRUE(same(alone.gather(), keys)) << n;
    EXPECT_TRUE(same(k.gather(), keys)) << n;
    EXPECT_TRUE(same(v.gather(), values)) << n;
    EXPECT_EQ(nth_element(g, alone, n / 2, by_name{}).name, keys[n / 2].name);
  }
}

INSTANTIATE_TEST_SUITE_P(communicator, group_of_cuda_by_ones_own,
                         testing::Values("cuda:0,cuda:0", "cuda:0,cpu:1", "cuda:0,cuda:1"));

}  // namespace
}  // namespace upsweep
