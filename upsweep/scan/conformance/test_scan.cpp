// scan.hpp's contract, line by line, on every usable device. The algorithms themselves are checked through the catalog.
#include "upsweep/scan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "tests/devices.hpp"
#include "upsweep/conformance/reference_fold.hpp"
#include "upsweep/scan/cpu/scan_cpu_tuning.hpp"

namespace upsweep {
namespace {

using tests::expect_error;
using ints = std::vector<std::int32_t>;

struct ScanOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, ScanOn, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(ScanOn, HostMemory) {
  const ints x{3, 1, 7, 0, 4, 1, 6, 3};
  ints y(8);
  inclusive_scan(where(), x, y);
  EXPECT_EQ(y, (ints{3, 4, 11, 11, 15, 16, 22, 25}));
  exclusive_scan(where(), x, y);
  EXPECT_EQ(y, (ints{0, 3, 4, 11, 11, 15, 16, 22}));
  exclusive_scan(where(), x, y, 10);
  EXPECT_EQ(y, (ints{10, 13, 14, 21, 21, 25, 26, 32}));
  inclusive_scan(where(), x, y, maximum{});
  EXPECT_EQ(y, (ints{3, 3, 7, 7, 7, 7, 7, 7}));
  inclusive_scan(where(), x, y, maximum{}, 5);
  EXPECT_EQ(y, (ints{5, 5, 7, 7, 7, 7, 7, 7}));
  std::array<float, 3> a{1, 2, 3};
  inclusive_scan(where(), a, a);
  EXPECT_EQ(a, (std::array<float, 3>{1, 3, 6}));
}

TEST_P(ScanOn, DeviceMemory) {
  ints host(20011), want(20011);
  std::iota(host.begin(), host.end(), -5000);
  std::exclusive_scan(host.begin(), host.end(), want.begin(), 4);
  buffer<std::int32_t> x(where(), host), y(where(), host.size());
  exclusive_scan(where(), x.span(), y.span(), 4);
  EXPECT_EQ(y.download(), want);
  EXPECT_EQ(x.download(), host);
  const buffer<std::int32_t>& constant = x;
  exclusive_scan(where(), constant.span(), y.span(), 4);
  EXPECT_EQ(y.download(), want);
}

// From so many bytes on the CPU stores past its caches, a vector at a time, wherever the output begins.
TEST_P(ScanOn, OutputsThatNoCacheHolds) {
  if (where().kind() != backend::cpu) GTEST_SKIP() << "only the CPU's variant stores past its caches";
  const auto check = [&]<class T>(T) {
    const std::size_t n = detail::scan_impl::cpu_tuned.stream_bytes / sizeof(T) + 4001, behind = 3;
    std::vector<T> x(n), want(n), y(n + 2 * behind, T{77});
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i * 2654435761u % 9);
    const auto out = std::span(y).subspan(behind, n);
    const auto held = [&] {
      for (std::size_t i = 0; i < behind; ++i)
        if (y[i] != T{77} || y[behind + n + i] != T{77}) return false;
      return std::equal(out.begin(), out.end(), want.begin());
    };
    inclusive_scan(where(), x, out);
    std::inclusive_scan(x.begin(), x.end(), want.begin());
    EXPECT_TRUE(held());
    std::ranges::fill(out, T{77});
    exclusive_scan(where(), x, out, T{5});
    std::exclusive_scan(x.begin(), x.end(), want.begin(), T{5});
    EXPECT_TRUE(held());
    std::ranges::fill(out, T{77});
    transform_inclusive_scan(where(), x, out, plus{}, negate{});
    std::transform_inclusive_scan(x.begin(), x.end(), want.begin(), std::plus<>{},
                                  [](T v) { return static_cast<T>(T{} - v); });
    EXPECT_TRUE(held());
  };
  check(std::uint32_t{});
  check(std::int64_t{});
  check(double{});  // sums of small integers: exact
}

TEST_P(ScanOn, InPlace) {
  ints host(20011), want(20011);
  std::iota(host.begin(), host.end(), -5000);
  std::inclusive_scan(host.begin(), host.end(), want.begin());
  buffer<std::int32_t> x(where(), host);
  inclusive_scan(where(), x.span(), x.span());
  EXPECT_EQ(x.download(), want);
  inclusive_scan(where(), host, host);
  EXPECT_EQ(host, want);
}

// Chained: each begins with what the one before it ended with, which the host has not seen.
TEST_P(ScanOn, AnInitInDeviceMemory) {
  for (const std::size_t n : {0, 1, 33, 1000, 20011, 300'007, 3'000'017}) {
    SCOPED_TRACE(n);
    ints host(n), once(n), twice(n), most(n);
    for (std::size_t i = 0; i < n; ++i) host[i] = static_cast<int>(i % 911) - 400;
    std::exclusive_scan(host.begin(), host.end(), once.begin(), 41);
    std::inclusive_scan(host.begin(), host.end(), twice.begin(), std::plus<>{}, n ? once.back() : 0);
    std::inclusive_scan(host.begin(), host.end(), most.begin(), [](int a, int b) { return std::max(a, b); }, 41);
    const buffer<std::int32_t> x(where(), host), first(where(), ints{99, 41});
    buffer<std::int32_t> y(where(), n), z(where(), n);
    exclusive_scan(where(), x, y, first.span().subspan(1, 1));
    if (n > 0) inclusive_scan(where(), x, z, y.span().subspan(n - 1, 1), plus{});
    EXPECT_EQ(y.download(), once);
    if (n > 0) {
      EXPECT_EQ(z.download(), twice);
    }
    inclusive_scan(where(), x, y, first.span().subspan(1, 1), maximum{});
    EXPECT_EQ(y.download(), most);
    transform_exclusive_scan(where(), x, z, first.span().subspan(1, 1), plus{}, negate{});
    if (n > 0) {
      EXPECT_EQ(z.download()[0], 41);
    }
    if (n > 1) {
      EXPECT_EQ(z.download()[1], 41 - host[0]);
    }
  }
  buffer<std::int32_t> x(where(), ints{1, 2, 3}), y(where(), 3);
  expect_error(fault::bad_argument, {"scan", "init", "3 elements"}, [&] { exclusive_scan(where(), x, y, x); });
  expect_error(fault::bad_argument, {"scan", "init", "overlap"},
               [&] { exclusive_scan(where(), x, y, y.span().subspan(0, 1)); });
  exclusive_scan(where(), x, x, y.span().subspan(0, 1), multiplies{});
}

TEST_P(ScanOn, OtherOverlapIsRefused) {
  buffer<std::int32_t> b(where(), 100);
  expect_error(fault::bad_argument, {"scan", "overlap", "in place exactly"},
               [&] { inclusive_scan(where(), b.span().subspan(0, 90), b.span().subspan(1, 90)); });
  expect_error(fault::bad_argument, {"overlap"},
               [&] { exclusive_scan(where(), b.span().subspan(50, 50), b.span().subspan(1, 50)); });
  ints host(100);
  expect_error(fault::bad_argument, {"overlap"}, [&] {
    inclusive_scan(where(), std::span<const std::int32_t>(host).subspan(0, 90), std::span(host).subspan(10, 90));
  });
  // Neighbours do not overlap.
  EXPECT_NO_THROW(inclusive_scan(where(), b.span().subspan(0, 50), b.span().subspan(50, 50)));
  EXPECT_NO_THROW(inclusive_scan(where(), b.span().subspan(10, 0), b.span().subspan(10, 0)));
}

TEST_P(ScanOn, SizesMustAgree) {
  buffer<float> x(where(), 10), y(where(), 9);
  expect_error(fault::bad_argument, {"scan", "10 elements", "output 9", "same size"},
               [&] { inclusive_scan(where(), x.span(), y.span()); });
  std::vector<float> host(10), longer(11);
  expect_error(fault::bad_argument, {"output 11"}, [&] { exclusive_scan(where(), host, longer); });
}

TEST_P(ScanOn, NothingAndOne) {
  ints none, one{7}, out(1);
  EXPECT_NO_THROW(inclusive_scan(where(), none, none));
  exclusive_scan(where(), one, out, 3);
  EXPECT_EQ(out[0], 3);
  inclusive_scan(where(), one, out, plus{}, 3);
  EXPECT_EQ(out[0], 10);
  buffer<std::int32_t> empty(where(), 0);
  EXPECT_NO_THROW(exclusive_scan(where(), empty.span(), empty.span()));
}

// The first output of an exclusive scan is the operator's identity, not zero.
TEST_P(ScanOn, FirstOutputIsTheIdentity) {
  const std::vector<std::uint32_t> x{5, 6};
  std::vector<std::uint32_t> y(2);
  exclusive_scan(where(), x, y, identity_of<std::uint32_t>(multiplies{}), multiplies{});
  EXPECT_EQ(y, (std::vector<std::uint32_t>{1, 5}));
  exclusive_scan(where(), x, y, identity_of<std::uint32_t>(minimum{}), minimum{});
  EXPECT_EQ(y, (std::vector<std::uint32_t>{~0u, 5}));
}

TEST_P(ScanOn, Transforms) {
  const std::vector<float> x{1, -2, 3};
  std::vector<float> y(3);
  transform_inclusive_scan(where(), x, y, plus{}, square{});
  EXPECT_EQ(y, (std::vector<float>{1, 5, 14}));
  transform_exclusive_scan(where(), x, y, 1.0f, multiplies{}, negate{});
  EXPECT_EQ(y, (std::vector<float>{1, -1, -2}));
  transform_inclusive_scan(where(), x, y, maximum{}, absolute{}, 2.5f);
  EXPECT_EQ(y, (std::vector<float>{2.5f, 2.5f, 3}));
  transform_inclusive_scan(where(), x, y, plus{}, any_transform{transform_kind::square});
  EXPECT_EQ(y, (std::vector<float>{1, 5, 14}));
  require_scan<false, float>(where(), 1000, plus{}, any_transform{transform_kind::square});
}

// The states of a linear congruential generator are a scan of its map: the order must hold over every seam.
TEST_P(ScanOn, OrderHoldsOverManyTiles) {
  const std::uint64_t step = 1664525 | std::uint64_t{1013904223} << 32;
  buffer<std::uint64_t> maps(where(), std::vector<std::uint64_t>(300007, step));
  inclusive_scan(where(), maps.span(), maps.span(), compose_affine{});
  std::uint32_t state = 0;
  for (std::uint64_t map : maps.download()) {
    state = state * 1664525u + 1013904223u;
    ASSERT_EQ(static_cast<std::uint32_t>(map >> 32), state);
  }
}

TEST_P(ScanOn, AnyAlignment) {
  const std::vector<std::uint32_t> host(3000, 1);
  buffer<std::uint32_t> in(where(), host), out(where(), host.size());
  for (std::uint64_t a = 0; a < 5; ++a)
    for (std::uint64_t b = 0; b < 5; ++b)
      for (std::uint64_t count : {1, 31, 1000, 2995}) {
        where().device().fill(out.span().where(), 0, 3000 * 4);
        inclusive_scan(where(), in.span().subspan(a, count), out.span().subspan(b, count));
        const std::vector<std::uint32_t> got = out.download();
        for (std::uint64_t i = 0; i < got.size(); ++i)
          ASSERT_EQ(got[i], i >= b && i < b + count ? i - b + 1 : 0)
              << "from " << a << " to " << b << ", " << count << " elements";
      }
}

TEST_P(ScanOn, SecondCallAllocatesNothingAndScratchIsSmall) {
  const context fresh = context::named(GetParam());
  buffer<float> x(fresh, 1 << 22), y(fresh, 1 << 22);
  fresh.device().fill(x.span().where(), 0, 4 << 22);
  inclusive_scan(fresh, x.span(), y.span());
  const std::uint64_t first = fresh.temporary_storage_allocations();
  inclusive_scan(fresh, x.span(), y.span());
  inclusive_scan(fresh, x.span(), x.span());
  EXPECT_EQ(fresh.temporary_storage_allocations(), first);
  EXPECT_LE(fresh.temporary_storage_bytes(), (16u << 20) / 16 + (1u << 20));
}

TEST_P(ScanOn, FloatsRepeatBitForBit) {
  std::vector<float> host((1 << 20) + 77);
  random_input(dtype::f32, op_kind::plus, host.size(), 3).fill(host.data(), 0, host.size());
  buffer<float> x(where(), host), y(where(), host.size());
  inclusive_scan(where(), x.span(), y.span());
  const std::vector<float> first = y.download();
  for (int i = 0; i < 5; ++i) {
    inclusive_scan(where(), x.span(), y.span());
    ASSERT_EQ(y.download(), first);
  }
}

// Work is done in the order it was given, without waiting in between.
TEST_P(ScanOn, CallsQueueUp) {
  const std::vector<std::uint32_t> ones(5000, 1);
  buffer<std::uint32_t> x(where(), ones);
  for (int i = 0; i < 3; ++i) inclusive_scan(where(), x.span(), x.span());
  std::vector<std::uint32_t> want = ones;
  for (int i = 0; i < 3; ++i) std::inclusive_scan(want.begin(), want.end(), want.begin());
  EXPECT_EQ(x.download(), want);
}

}  // namespace
}  // namespace upsweep
