// Large counts: elements beyond 2^32 read through lazy views, calls, contexts, repetitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <span>

#include "tests/devices.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/outputs.hpp"
#include "upsweep/rearrange.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/search.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/views.hpp"

namespace upsweep {
namespace {

using u64 = std::uint64_t;
constexpr u64 many = (u64{1} << 32) + 12345;

// As an optimiser cannot see through, and cheap: of 2^32 elements one is a needle.
struct hay {
  UPSWEEP_HD std::uint32_t operator()(u64 i) const { return i == many - 7 ? 1000u : static_cast<std::uint32_t>(i % 7); }
};

// The whole test takes a minute on two cores. UPSWEEP_WHOLE enables the part that two calls do not show.
TEST(Limits, MoreThan32BitsCanCount) {
  if (std::getenv("UPSWEEP_QUICK")) GTEST_SKIP() << "UPSWEEP_QUICK is set";
  const context cpu = context::cpu();
  const auto x = views::transform(views::iota(u64{0}, many), hay{});
  const u64 weeks = many / 7, rest = many % 7;
  const u64 sevens = weeks * 21 + rest * (rest - 1) / 2 - (many - 7) % 7 + 1000;
  EXPECT_EQ(reduce(cpu, x, u64{0}), sevens);
  EXPECT_EQ(find_if(cpu, x, equal_to(1000u)), many - 7);
  if (!std::getenv("UPSWEEP_WHOLE")) return;
  EXPECT_EQ(count_if(cpu, x, greater_than(5u)), weeks + ((many - 7) % 7 == 6 ? 0 : 1));
  EXPECT_EQ(argmax(cpu, x), many - 7);
  std::array<u64, 8> bins{};
  histogram(cpu, x, bins, 0u, 8u);
  EXPECT_EQ(bins[0], weeks + (rest > 0) - ((many - 7) % 7 == 0));
  EXPECT_EQ(bins[7], 0u);
  std::vector<std::uint32_t> kept(1);
  EXPECT_EQ(copy_if(cpu, x, kept, greater_than(999u)), 1u);
  EXPECT_EQ(kept[0], 1000u);
}

// Refused before anything is read: the spans say more than there is.
TEST(Limits, PlacesBeyond32BitsAreRefusedWhereTheOutputIsOf32) {
  const context cpu = context::cpu();
  const std::uint8_t key = 0;
  std::uint32_t place = 0;
  const std::span<const std::uint8_t> keys(&key, many), one(&key, 1);
  const std::span<std::uint32_t> places(&place, many), one_place(&place, 1);
  tests::expect_error(fault::bad_argument, {"argsort", "indices beyond 4 bytes", "give indices of 8 bytes"},
                      [&] { argsort(cpu, keys, places); });
  tests::expect_error(fault::bad_argument, {"random_permutation", "more than u32 counts"},
                      [&] { random_permutation(cpu, places, 1); });
  tests::expect_error(fault::bad_argument, {"lower_bound", "more positions than 32 bits can represent", "u64"},
                      [&] { lower_bound(cpu, keys, one, one_place); });
}

std::vector<std::uint32_t> random_words(u64 n, std::uint32_t below) {
  std::vector<std::uint32_t> x(n);
  for (u64 i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>(mixed(i) % below);
  return x;
}

struct LimitsOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, LimitsOn, testing::ValuesIn(tests::device_names()), tests::device_label);

u64 resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  u64 all = 0, resident = 0;
  statm >> all >> resident;
  return resident * 4096;
}

TEST_P(LimitsOn, CallsWithoutGrowth) {
  const auto x = random_words(1000, 1 << 20);
  const buffer<std::uint32_t> in(where(), x);
  buffer<std::uint32_t> out(where(), x.size());
  buffer<u64> bins(where(), 16), count(where(), 1);
  const auto round = [&] {
    sort(where(), in, out);
    inclusive_scan(where(), in, out);
    copy_if(where(), in, out, count.span(), less_than(1u << 19));
    histogram(where(), in, bins, 0u, 1u << 20);
    return reduce(where(), in);
  };
  const auto want = round();
  const u64 calls = where().kind() == backend::opencl ? 200 : 20'000;  // five each
  for (u64 i = 0; i < calls / 10; ++i) round();
  const u64 before = resident_bytes(), free_before = where().device().free_memory();
  const auto scratch = where().device().temporary_storage_allocations();
  for (u64 i = 0; i < calls; ++i) ASSERT_EQ(round(), want);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which cache the memory that was freed
  EXPECT_LE(resident_bytes(), before + (u64{2} << 20));
#else
  (void)before;
#endif
  // Free memory of a GPU. Other processes may use the GPU, so a slightly smaller value is no failure.
  if (where().kind() == backend::cuda) {
    EXPECT_GE(where().device().free_memory() + (u64{8} << 20), free_before);
  }
  EXPECT_EQ(where().device().temporary_storage_allocations(), scratch);
}

TEST_P(LimitsOn, ManyContexts) {
  const auto x = random_words(5000, 1000);
  std::vector<std::uint32_t> want = x;
  std::sort(want.begin(), want.end());
  std::vector<context> all;
  const int contexts = where().kind() == backend::opencl ? 32 : 256;
  for (int i = 0; i < contexts; ++i) {
    all.push_back(tests::on(where().name()));
    if (i % 16 != 0) continue;
    std::vector<std::uint32_t> out(x.size());
    sort(all.back(), x, out);
    ASSERT_EQ(out, want);
  }
  for (const context& c : all) ASSERT_EQ(reduce(c, std::vector<std::uint32_t>(100, 7)), 700u);
}

// Where a promise is that floats repeat: sums, scans, and sums by key, whatever the threads did meanwhile.
TEST_P(LimitsOn, TheSameBitsAThousandTimes) {
  const u64 n = 100'003;
  std::vector<float> x(n);
  std::vector<std::uint32_t> keys(n);
  for (u64 i = 0; i < n; ++i)
    x[i] = static_cast<float>(unit(mixed(i)) - 0.5), keys[i] = static_cast<std::uint32_t>(i / 91);
  const buffer<float> in(where(), x);
  const buffer<std::uint32_t> runs(where(), keys);
  buffer<float> out(where(), n), folds(where(), n);
  buffer<std::uint32_t> keys_out(where(), n);
  buffer<u64> count(where(), 1);
  const auto bits = [](const std::vector<float>& v) {
    u64 all = 0;
    for (const float f : v) all = mixed(all ^ std::bit_cast<std::uint32_t>(f));
    return all;
  };
  const auto round = [&] {
    const float sum = reduce(where(), in);
    inclusive_scan(where(), in, out);
    reduce_by_key(where(), runs, in, keys_out, folds, count.span());
    auto some = folds.download();
    some.resize(keys.back() + 1);
    return std::array{u64{std::bit_cast<std::uint32_t>(sum)}, bits(out.download()), bits(some)};
  };
  const auto first = round();
  const int repetitions = where().kind() == backend::opencl ? 50 : 1000;
  for (int i = 0; i < repetitions; ++i) ASSERT_EQ(round(), first) << "repetition " << i;
}

}  // namespace
}  // namespace upsweep
