// Selections among keys of which very many are equal: right, in their order, and in the memory of what is asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "tests/devices.hpp"
#include "upsweep/sort.hpp"

namespace upsweep {
namespace {

using u64 = std::uint64_t;

std::uint64_t random_bits(u64 x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// Of `most` values; of 0, a hundredth random in all bits and the rest zero.
template <class T>
std::vector<T> tied(std::size_t n, u64 most) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const u64 bits = random_bits(i);
    const auto number = static_cast<std::int64_t>(most ? bits % most : bits % 100 ? 0 : bits >> 20);
    x[i] = static_cast<T>(
        std::is_signed_v<T> || std::is_floating_point_v<T> ? number - static_cast<std::int64_t>(most / 2) : number);
  }
  return x;
}

template <class T>
struct Ties : testing::Test {};
using types = testing::Types<std::uint8_t, std::int8_t, std::int16_t, std::uint32_t, float, double, std::int64_t>;
TYPED_TEST_SUITE(Ties, types);

TYPED_TEST(Ties, StandInTheirOrder) {
  const context where = context::cpu(3);
  for (const u64 most : {u64{1}, u64{2}, u64{5}, u64{0}}) {
    const auto x = tied<TypeParam>(100'003, most);
    std::vector<u64> stood(x.size());
    for (const bool descending : {false, true}) {
      std::iota(stood.begin(), stood.end(), u64{0});
      std::stable_sort(stood.begin(), stood.end(),
                       [&](u64 a, u64 b) { return descending ? x[b] < x[a] : x[a] < x[b]; });
      for (const std::size_t k : {1u, 2u, 33u, 4096u, 5000u, 30'000u, 100'003u}) {
        std::vector<TypeParam> best(k);
        std::vector<u64> places(k);
        top_k(where, x, best, places, {.descending = descending});
        ASSERT_TRUE(std::equal(places.begin(), places.end(), stood.begin())) << most << ", " << k;
        for (std::size_t i = 0; i < k; ++i) ASSERT_EQ(best[i], x[places[i]]) << most << ", " << k;
        EXPECT_EQ(nth_element(where, x, k - 1, {.descending = descending}), x[stood[k - 1]]) << most << ", " << k;
        if (k > 5000) continue;
        const auto compare = [&](TypeParam a, TypeParam b) { return descending ? b < a : a < b; };
        top_k(where, x, best, places, compare);
        ASSERT_TRUE(std::equal(places.begin(), places.end(), stood.begin())) << "compared: " << most << ", " << k;
      }
    }
  }
}

// On devices, of every type and by some of the bits of their order, too: as on the CPU.
struct TiesOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, TiesOn, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class T>
void expect_ties_as_on_the_cpu(const context& c) {
  if (!c.device().supports(dtype_of<T>)) return;
  const context cpu = context::cpu(1);
  for (const std::size_t n : {5000u, 100'003u})
    for (const u64 most : {u64{1}, u64{5}, u64{0}}) {
      const auto x = tied<T>(n, most);
      const buffer<T> in(c, x);
      for (const sort_options& o : {sort_options{false, 0, 0}, sort_options{true, 0, 0}, sort_options{false, 2, 7},
                                    sort_options{true, 0, 8}, sort_options{true, 1, 8 * sizeof(T)}})
        for (const std::size_t k : {std::size_t{1}, std::size_t{33}, std::size_t{4097}, n}) {
          SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(n) + " of " + std::to_string(most) + ", bits " +
                       std::to_string(o.first_bit) + " to " + std::to_string(o.last_bit));
          std::vector<T> want(k);
          std::vector<u64> want_places(k);
          top_k(cpu, x, want, want_places, o);
          buffer<T> got(c, k);
          buffer<u64> places(c, k);
          top_k(c, in, got, places, o);
          ASSERT_EQ(places.download(), want_places);
          ASSERT_EQ(std::memcmp(got.download().data(), want.data(), k * sizeof(T)), 0);
          const T key = nth_element(c, in, k - 1, o);
          ASSERT_EQ(std::memcmp(&key, &want[k - 1], sizeof(T)), 0);
        }
    }
}
TEST_P(TiesOn, OfU8) { expect_ties_as_on_the_cpu<std::uint8_t>(where()); }
TEST_P(TiesOn, OfI16) { expect_ties_as_on_the_cpu<std::int16_t>(where()); }
TEST_P(TiesOn, OfF32) { expect_ties_as_on_the_cpu<float>(where()); }
TEST_P(TiesOn, OfI64) { expect_ties_as_on_the_cpu<std::int64_t>(where()); }
TEST_P(TiesOn, OfF64) { expect_ties_as_on_the_cpu<double>(where()); }

// Scratch for the requested keys, not for all of them.
TEST_P(TiesOn, TakeScratchForTheFirstOnesAlone) {
  if (where().kind() == backend::cpu) GTEST_SKIP() << "TiesInMemory measures the CPU's memory";
  const context fresh = context::named(where().name());
  const std::size_t n = std::size_t{1} << 22;
  const buffer<std::uint8_t> bytes(fresh, std::vector<std::uint8_t>(n, 7));
  const buffer<float> zeros(fresh, tied<float>(n, 0));
  buffer<std::uint8_t> byte(fresh, 2);
  buffer<float> number(fresh, 2);
  buffer<u64> places(fresh, 2);
  top_k(fresh, bytes, byte, places);
  EXPECT_EQ(places.download(), (std::vector<u64>{0, 1}));
  top_k(fresh, zeros, number, places, {.descending = false});
  EXPECT_EQ(nth_element(fresh, bytes, 1000), 7);
  EXPECT_LT(fresh.temporary_storage_bytes(), u64{2} << 20);
}

// Bits of the process's memory that is there, at most since the last reset; 0 where the system does not tell.
u64 bytes_of(const char* line) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == line) {
      u64 kib = 0;
      status >> kib;
      return kib << 10;
    }
  return 0;
}
template <class Call>
u64 bytes_taken_by(const Call& call) {
  const u64 before = bytes_of("VmRSS:");
  std::ofstream("/proc/self/clear_refs") << "5";
  if (bytes_of("VmHWM:") > before + (8 << 20)) return 0;  // not reset
  call();
  return std::max(bytes_of("VmHWM:"), before) - before;
}

TEST(TiesInMemory, OfBytesTakeNoMoreThanTheFirstOnes) {
  const std::vector<std::uint8_t> x(std::size_t{1} << 25, 7);
  for (const std::size_t k : {2u, 5000u}) {
    const context where = context::cpu(2);
    std::vector<std::uint8_t> best(k);
    std::vector<u64> places(k);
    EXPECT_LT(bytes_taken_by([&] { top_k(where, x, best, places); }), u64{24} << 20) << k;
    EXPECT_EQ(places[k - 1], k - 1);
    EXPECT_LT(bytes_taken_by([&] { top_k(where, x, best, places, [](auto a, auto b) { return a < b; }); }),
              u64{48} << 20)
        << k;
    EXPECT_EQ(places[k - 1], k - 1);
  }
  const context where = context::cpu(2);
  EXPECT_LT(bytes_taken_by([&] { EXPECT_EQ(nth_element(where, x, 1000), 7); }), u64{16} << 20);
}

TEST(TiesInMemory, OfZerosAmongOthersTakeNoMoreThanTheFirstOnes) {
  const auto x = tied<float>(std::size_t{1} << 24, 0);
  for (const std::size_t k : {2u, 4096u, 300'000u}) {
    const context where = context::cpu(2);
    std::vector<float> best(k);
    std::vector<u64> places(k);
    EXPECT_LT(bytes_taken_by([&] { top_k(where, x, best, places, {.descending = false}); }), u64{40} << 20) << k;
    EXPECT_EQ(best[0], 0.0f);
    EXPECT_LT(bytes_taken_by([&] { top_k(where, x, best, places); }), u64{40} << 20) << k;
    EXPECT_GE(best[0], best[k - 1]);
  }
}

}  // namespace
}  // namespace upsweep
