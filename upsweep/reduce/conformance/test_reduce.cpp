// reduce.hpp's contract, line by line, on every usable device. The algorithms themselves are checked through the
// catalog.
#include "upsweep/reduce.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "tests/devices.hpp"
#include "upsweep/conformance/reference_fold.hpp"

namespace upsweep {
namespace {

using tests::expect_error;

struct ReduceOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, ReduceOn, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(ReduceOn, HostMemoryOfAnyKind) {
  std::vector<int> vector(1000);
  std::iota(vector.begin(), vector.end(), 1);
  const std::array<double, 4> array{1.5, 2, 3, -1};
  const float plain[]{1, 2, 4};
  EXPECT_EQ(reduce(where(), vector), 500500);
  EXPECT_EQ(reduce(where(), std::span<const int>(vector).subspan(999)), 1000);
  EXPECT_EQ(reduce(where(), plain), 7);
  if (where().device().supports(dtype::f64)) {
    EXPECT_EQ(reduce(where(), array), 5.5);
  }
}

TEST_P(ReduceOn, DeviceMemory) {
  std::vector<std::uint64_t> host(70001);
  std::iota(host.begin(), host.end(), 1);
  const std::uint64_t want = 70001ull * 70002 / 2;
  buffer<std::uint64_t> x(where(), host);
  const buffer<std::uint64_t>& constant = x;
  EXPECT_EQ(reduce(where(), x.span()), want);
  EXPECT_EQ(reduce(where(), constant.span()), want);
  EXPECT_EQ(reduce(where(), x.span(), 5), want + 5);
  EXPECT_EQ(x.download(), host);
}

TEST_P(ReduceOn, IntoDeviceMemory) {
  const std::vector<std::int32_t> host(5000, -2);
  buffer<std::int32_t> x(where(), host), out(where(), 3);
  where().device().fill(out.span().where(), 0xff, 12);
  reduce(where(), x.span(), out.span().subspan(1, 1));
  EXPECT_EQ(out.download(), (std::vector<std::int32_t>{-1, -10000, -1}));
  buffer<std::int32_t> one(where(), 1);
  reduce(where(), x, one);
  const auto all = one.download();
  reduce(where(), x, one, 0, plus{});
  EXPECT_EQ(one.download(), all);
  transform_reduce(where(), x, one, 0, plus{}, negate{});
  EXPECT_EQ(one.download()[0], -all[0]);
  reduce(where(), device_span<const std::int32_t>(x.span()), out.span().subspan(2, 1), 7, maximum{});
  EXPECT_EQ(out.download(), (std::vector<std::int32_t>{-1, -10000, 7}));
}

TEST_P(ReduceOn, OutputMustBeOneElement) {
  buffer<float> x(where(), 10), out(where(), 2);
  expect_error(fault::bad_argument, {"reduce", "2 elements", "exactly one"},
               [&] { reduce(where(), x.span(), out.span()); });
  expect_error(fault::bad_argument, {"0 elements"}, [&] { reduce(where(), x.span(), out.span().subspan(0, 0)); });
}

TEST_P(ReduceOn, NothingIsInit) {
  const std::vector<int> none;
  buffer<int> empty(where(), 0);
  EXPECT_EQ(reduce(where(), none), 0);
  EXPECT_EQ(reduce(where(), none, 42), 42);
  EXPECT_EQ(reduce(where(), empty.span()), 0);
  EXPECT_EQ(reduce(where(), empty.span(), identity_of<int>(maximum{}), maximum{}), std::numeric_limits<int>::lowest());
  EXPECT_EQ(transform_reduce(where(), none, 9, multiplies{}, square{}), 9);
}

TEST_P(ReduceOn, InitStandsFirst) {
  // f then g is not g then f.
  const std::uint64_t f = 3 | 5ull << 32, g = 7 | 11ull << 32;
  const std::vector<std::uint64_t> x{g};
  EXPECT_EQ(reduce(where(), x, f, compose_affine{}), compose_affine{}(f, g));
  EXPECT_NE(compose_affine{}(f, g), compose_affine{}(g, f));
}

TEST_P(ReduceOn, EveryOperatorThroughTheFace) {
  const std::vector<std::uint32_t> x{0xf0, 0x3c, 0xff};
  EXPECT_EQ(reduce(where(), x, 1, multiplies{}), 0xf0u * 0x3c * 0xff);
  EXPECT_EQ(reduce(where(), x, ~0u, minimum{}), 0x3cu);
  EXPECT_EQ(reduce(where(), x, 0, maximum{}), 0xffu);
  EXPECT_EQ(reduce(where(), x, ~0u, bit_and{}), 0x30u);
  EXPECT_EQ(reduce(where(), x, 0, bit_or{}), 0xffu);
  EXPECT_EQ(reduce(where(), x, 0, bit_xor{}), 0xf0u ^ 0x3c ^ 0xff);
  EXPECT_EQ(reduce(where(), x, 1, logical_and{}), 1u);
  EXPECT_EQ(reduce(where(), std::vector<std::uint32_t>{0, 0}, 0, logical_or{}), 0u);
}

TEST_P(ReduceOn, Transforms) {
  const std::vector<float> x{1, -2, 3};
  buffer<float> b(where(), x);
  EXPECT_EQ(transform_reduce(where(), b.span(), 0.0f, plus{}, square{}), 14);
  EXPECT_EQ(transform_reduce(where(), x, 0.5f, plus{}, absolute{}), 6.5f);
  EXPECT_EQ(transform_reduce(where(), x, -10.0f, maximum{}, negate{}), 2);
  EXPECT_EQ(transform_reduce(where(), x, 0.0f, plus{}, any_transform{transform_kind::square}), 14);
  EXPECT_EQ(transform_reduce(where(), b.span(), 0.0f, plus{}, any_transform{transform_kind::negate}), -2);
}

TEST_P(ReduceOn, SaysBeforehandWhatItDoesNotTake) {
  const context fresh = context::named(GetParam());
  require_reduce<float>(fresh, 1000, maximum{});
  EXPECT_EQ(fresh.last_algorithm(), "");
  const context exact = fresh.with({.variant = "reduce/reproducible"});
  require_reduce<float>(exact, 1000);
  expect_error(fault::unsupported, {"reduce/reproducible", "does not take maximum"},
               [&] { require_reduce<float>(exact, 1000, maximum{}); });
}

TEST_P(ReduceOn, AnyAlignment) {
  std::vector<std::uint32_t> host(2100);
  std::iota(host.begin(), host.end(), 1);
  buffer<std::uint32_t> b(where(), host);
  for (std::uint64_t first = 0; first < 9; ++first)
    for (std::uint64_t count : {0, 1, 7, 64, 1000, 2091}) {
      const std::uint64_t want = count * (2 * first + count + 1) / 2;
      ASSERT_EQ(reduce(where(), b.span().subspan(first, count)), want) << first << " + " << count;
    }
}

TEST_P(ReduceOn, SecondCallAllocatesNothingAndScratchIsSmall) {
  const context fresh = context::named(GetParam());
  buffer<float> x(fresh, 1 << 22);
  fresh.device().fill(x.span().where(), 0, 4 << 22);
  reduce(fresh, x.span());
  const std::uint64_t first = fresh.temporary_storage_allocations();
  reduce(fresh, x.span());
  EXPECT_EQ(fresh.temporary_storage_allocations(), first);
  EXPECT_LE(fresh.temporary_storage_bytes(), (16u << 20) / 16 + (1u << 20));
}

TEST_P(ReduceOn, FloatsRepeatBitForBit) {
  std::vector<float> host((1 << 20) + 77);
  random_input(dtype::f32, op_kind::plus, host.size(), 3).fill(host.data(), 0, host.size());
  buffer<float> x(where(), host);
  const float first = reduce(where(), x.span());
  for (int i = 0; i < 10; ++i) ASSERT_EQ(reduce(where(), x.span()), first);
}

// Holds device memory until little is free, so that a call on host memory must come in pieces.
class held_memory {
 public:
  explicit held_memory(device& d) : device_(d) {
    for (std::uint64_t ask = d.free_memory() / 2; d.free_memory() > space && ask > space / 8;) {
      try {
        held_.push_back(d.allocate(std::min(ask, d.free_memory() - space / 2)));
      } catch (const error&) {
        ask /= 2;
      }
    }
  }
  ~held_memory() {
    for (memory m : held_) device_.deallocate(m);
  }
  static constexpr std::uint64_t space = 64 << 20;

 private:
  device& device_;
  std::vector<memory> held_;
};

TEST_P(ReduceOn, HostMemoryLargerThanTheDeviceStreams) {
  std::vector<std::uint64_t> host((8 << 20) + 13);  // 64 MiB
  random_input(dtype::u64, op_kind::compose_affine, host.size(), 2).fill(host.data(), 0, host.size());
  std::uint64_t want = 5;
  for (std::uint64_t x : host) want = compose_affine{}(want, x);
  if (where().kind() == backend::cpu) {  // nothing is copied there
    EXPECT_EQ(reduce(where(), host, 5, compose_affine{}), want);
    return;
  }
  const context small = context::named(GetParam());
  const held_memory held(small.device());
  if (small.device().free_memory() > 3 * held_memory::space) GTEST_SKIP() << "the device gave no more memory to hold";
  ASSERT_LT(core::chunk_elements(small.device(), host.size(), 8), host.size());
  EXPECT_EQ(reduce(small, host, 5, compose_affine{}), want);
}

}  // namespace
}  // namespace upsweep
