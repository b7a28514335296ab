// Compaction under nvcc: tests, equalities, types and inputs of the user's own on the device. Runs where a CUDA GPU is.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/compact.hpp"
#include "upsweep/views.hpp"

namespace {

using namespace upsweep;

struct CompactCuda : tests::on_cuda {};

struct entry {
  std::uint32_t key, from, more;
  friend bool operator==(const entry& a, const entry& b) { return a.key == b.key && a.from == b.from; }
};
struct odd_key {
  UPSWEEP_HD bool operator()(const entry& e) const { return e.key % 2 != 0; }
};
struct is_odd {
  UPSWEEP_HD bool operator()(std::uint64_t i) const { return i % 2 != 0; }
};
struct same_key {
  UPSWEEP_HD bool operator()(const entry& a, const entry& b) const { return a.key == b.key; }
};

std::vector<entry> random_entries(std::uint64_t n) {
  std::mt19937_64 random(n + 5);
  std::vector<entry> all(n);
  for (std::uint32_t i = 0; i < n; ++i) all[i] = {static_cast<std::uint32_t>(random() >> 40) % 3, i, 0};
  return all;
}

TEST_F(CompactCuda, OwnTypesTestsAndEqualities) {
  const context gpu = context::named("cuda:0");
  for (const std::uint64_t n : {0, 1, 15, 16, 17, 257, 70001}) {
    const auto host = random_entries(n);
    std::vector<entry> odd, even, every_other, firsts;
    std::vector<std::uint64_t> begins;
    for (std::uint64_t i = 0; i < n; ++i) {
      (odd_key{}(host[i]) ? odd : even).push_back(host[i]);
      if (i % 2 != 0) every_other.push_back(host[i]);
      if (i == 0 || host[i - 1].key != host[i].key) firsts.push_back(host[i]), begins.push_back(i);
    }
    begins.push_back(n);
    const buffer<entry> x(gpu, host);
    buffer<entry> out(gpu, n), rest(gpu, n);
    buffer<std::uint64_t> offsets(gpu, n + 1), count(gpu, 1);
    const auto expect = [&](std::uint64_t kept, const buffer<entry>& got, const std::vector<entry>& wanted) {
      ASSERT_EQ(kept, wanted.size()) << n;
      auto all = got.download();
      all.resize(kept);
      EXPECT_EQ(all, wanted) << n;
    };
    expect(remove_copy_if(gpu, x, out, odd_key{}), out, even);
    expect(copy_if(gpu, x, out, stencil(views::iota(std::uint64_t{0}, n), is_odd{})), out, every_other);
    expect(partition_copy(gpu, x, out, rest, odd_key{}), out, odd);
    expect(even.size(), rest, even);
    std::vector<entry> parted = odd;
    parted.insert(parted.end(), even.begin(), even.end());
    EXPECT_EQ(partition(gpu, x, out, stencil(x, odd_key{})), odd.size());
    expect(n, out, parted);
    expect(unique(gpu, x, out, same_key{}), out, firsts);
    unique_by_key(gpu, x, x, out, rest, count.span(), same_key{});
    expect(count.download()[0], rest, firsts);
    EXPECT_EQ(unique_count(gpu, x, same_key{}), firsts.size());
    EXPECT_EQ(group_by(gpu, x, offsets, same_key{}), firsts.size());
    auto places = offsets.download();
    places.resize(begins.size());
    EXPECT_EQ(places, begins);
    out.upload(host);
    expect(remove_if(gpu, out, odd_key{}), out, even);
    out.upload(host);
    EXPECT_EQ(partition(gpu, out, odd_key{}), odd.size());
    expect(n, out, parted);
    out.upload(host);
    expect(unique(gpu, out, same_key{}), out, firsts);
    out.upload(host), rest.upload(host);
    expect(unique_by_key(gpu, out, rest, same_key{}), rest, firsts);
    // Onto the input itself, and into an output that holds just what is kept.
    out.upload(host);
    expect(copy_if(gpu, out, out, odd_key{}), out, odd);
    out.upload(host);
    expect(partition(gpu, out, out, odd_key{}), out, odd);
    buffer<entry> just(gpu, odd.size());
    expect(copy_if(gpu, x, just, odd_key{}), just, odd);
    if (!odd.empty()) {
      const auto less = just.span().subspan(0, odd.size() - 1);
      tests::expect_error(fault::bad_argument, {"copy_if"}, [&] { copy_if(gpu, x, less, odd_key{}); });
    }
  }
}

}  // namespace
