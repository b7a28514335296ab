// segmented.hpp's contract, line by line, on every usable device. The algorithms themselves are checked through the
// catalog.
#include "upsweep/segmented.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <thread>

#include "tests/devices.hpp"
#include "tests/small_device.hpp"
#include "upsweep/conformance/reference_fold.hpp"

namespace upsweep {
namespace {

using detail::segmented_impl::primitive;
using tests::expect_error;
using floats = std::vector<float>;
using words = std::vector<std::uint32_t>;
using maps = std::vector<std::uint64_t>;
using offsets = std::vector<std::uint64_t>;

bool has(const context& where, primitive what) {
  const auto all = catalog();
  return std::any_of(all.begin(), all.end(),
                     [&](const variant& v) { return v.what == what && v.where == where.kind(); });
}

constexpr primitive own_primitives[]{primitive::reduce_by_key, primitive::scan_by_key, primitive::segmented_reduce,
                                     primitive::segmented_scan};

struct SegmentedOn : tests::on_each_device {
  void SetUp() override {
    for (primitive what : own_primitives)
      if (!has(where(), what)) GTEST_SKIP() << "there is no " << name_of(what) << " on " << where().name();
  }
};
INSTANTIATE_TEST_SUITE_P(, SegmentedOn, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class T>
std::vector<T> first(std::vector<T> x, std::uint64_t count) {
  x.resize(count);
  return x;
}

// Runs of lengths from 1 to some thousands; neighbours differ.
words random_keys(std::uint64_t n, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  words keys;
  std::uint32_t key = 0;
  while (keys.size() < n)
    keys.insert(keys.end(), 1 + (random() >> (50 + random() % 14)),
                key += 1 + static_cast<std::uint32_t>(random() % 3));
  keys.resize(n);
  return keys;
}
// Segments empty, tiny and huge.
offsets random_offsets(std::uint64_t n, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  offsets o{random() % 5};
  while (o.back() < n) o.push_back(std::min(n, o.back() + (random() % 3 ? random() >> (50 + random() % 14) : 0)));
  return o;
}
maps random_maps(std::uint64_t n, std::uint64_t seed = 1) {
  maps x(n);
  random_input(dtype::u64, op_kind::compose_affine, n, seed).fill(x.data(), 0, n);
  return x;
}

// ---- The plain loops.

template <class T, class Op>
std::vector<T> plain_scan_by_key(const words& keys, const std::vector<T>& x, bool inclusive, T init, Op op) {
  std::vector<T> out;
  T value = init;
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    if (i && keys[i] != keys[i - 1]) value = init;
    const T before = value;
    value = op(value, x[i]);
    out.push_back(inclusive ? value : before);
  }
  return out;
}
template <class T, class Op>
std::pair<words, std::vector<T>> plain_reduce_by_key(const words& keys, const std::vector<T>& x, Op op) {
  std::pair<words, std::vector<T>> runs;
  for (std::uint64_t i = 0; i < x.size(); ++i)
    if (i && keys[i] == keys[i - 1]) {
      runs.second.back() = op(runs.second.back(), x[i]);
    } else {
      runs.first.push_back(keys[i]), runs.second.push_back(x[i]);
    }
  return runs;
}
template <class T, class Op>
std::vector<T> plain_segmented_reduce(const std::vector<T>& x, const offsets& o, T init, Op op) {
  std::vector<T> out;
  for (std::uint64_t s = 0; s + 1 < o.size(); ++s) {
    T value = init;
    for (std::uint64_t i = o[s]; i < o[s + 1]; ++i) value = op(value, x[i]);
    out.push_back(value);
  }
  return out;
}
template <class T, class Op>
std::vector<T> plain_segmented_scan(const std::vector<T>& x, const offsets& o, bool inclusive, T init, Op op,
                                    std::vector<T> out) {
  for (std::uint64_t s = 0; s + 1 < o.size(); ++s) {
    T value = init;
    for (std::uint64_t i = o[s]; i < o[s + 1]; ++i) {
      const T before = value;
      value = op(value, x[i]);
      out[i] = inclusive ? value : before;
    }
  }
  return out;
}

// ----

TEST_P(SegmentedOn, ReducesByKey) {
  const words keys{4, 4, 9, 4, 7, 7};
  const floats x{1, 2, 3, 4, 5, 6};
  words k(6, 99);
  floats y(6, 99);
  EXPECT_EQ(reduce_by_key(where(), keys, x, k, y), 4u);
  EXPECT_EQ(k, (words{4, 9, 4, 7, 99, 99}));
  EXPECT_EQ(y, (floats{3, 3, 4, 11, 99, 99}));
  EXPECT_EQ(reduce_by_key(where(), keys, x, k, y, maximum{}, negate{}), 4u);
  EXPECT_EQ(first(y, 4), (floats{-1, -3, -4, -5}));
  buffer<std::uint32_t> bk(where(), keys), bk_out(where(), 6);
  buffer<float> bx(where(), x), by(where(), 6);
  buffer<std::uint64_t> count(where(), 1);
  reduce_by_key(where(), bk.span(), bx.span(), bk_out.span(), by.span(), count.span());
  EXPECT_EQ(count.download()[0], 4u);
  EXPECT_EQ(reduce_by_key(where(), bk.span(), bx.span(), bk_out.span(), by.span(), multiplies{}), 4u);
  EXPECT_EQ(first(by.download(), 4), (floats{2, 3, 4, 30}));
}

TEST_P(SegmentedOn, ScansByKey) {
  const words keys{4, 4, 9, 4, 7, 7};
  const floats x{1, 2, 3, 4, 5, 6};
  floats y(6);
  inclusive_scan_by_key(where(), keys, x, y);
  EXPECT_EQ(y, (floats{1, 3, 3, 4, 5, 11}));
  exclusive_scan_by_key(where(), keys, x, y);
  EXPECT_EQ(y, (floats{0, 1, 0, 0, 0, 5}));
  exclusive_scan_by_key(where(), keys, x, y, 10.0f);
  EXPECT_EQ(y, (floats{10, 11, 10, 10, 10, 15}));
  inclusive_scan_by_key(where(), keys, x, y, maximum{}, 4.5f);
  EXPECT_EQ(y, (floats{4.5f, 4.5f, 4.5f, 4.5f, 5, 6}));
  transform_exclusive_scan_by_key(where(), keys, x, y, 1.0f, multiplies{}, square{});
  EXPECT_EQ(y, (floats{1, 1, 1, 1, 1, 25}));
  floats in_place = x;
  inclusive_scan_by_key(where(), keys, in_place, in_place);
  EXPECT_EQ(in_place, (floats{1, 3, 3, 4, 5, 11}));
}

TEST_P(SegmentedOn, Segments) {
  const floats x{1, 2, 3, 4, 5, 6};
  const offsets o{1, 3, 3, 4, 5};
  floats sums(4), y(6, 99);
  segmented_reduce(where(), x, o, sums);
  EXPECT_EQ(sums, (floats{5, 0, 4, 5}));
  segmented_reduce(where(), x, o, sums, 10.0f, maximum{});
  EXPECT_EQ(sums, (floats{10, 10, 10, 10}));
  segmented_inclusive_scan(where(), x, o, y);
  EXPECT_EQ(y, (floats{99, 2, 5, 4, 5, 99}));
  segmented_exclusive_scan(where(), x, o, y, 1.0f);
  EXPECT_EQ(y, (floats{99, 1, 3, 1, 1, 99}));
  floats in_place = x;
  segmented_inclusive_scan(where(), in_place, o, in_place);
  EXPECT_EQ(in_place, (floats{1, 2, 5, 4, 5, 6}));
}

// Maps that do not commute, runs and segments of any length, host and device memory.
// As many elements as a kernel of one block takes, beginning between its pieces of 16 bytes.
TEST_P(SegmentedOn, EachElementCountsWhereverTheyBegin) {
  for (std::uint64_t n : {2047u, 2048u, 4094u, 4095u, 4096u, 4097u, 6143u, 6144u, 8192u})
    for (std::uint64_t skew : {0u, 1u, 2u, 3u})
      for (const offsets& ends : {offsets{0, n}, offsets{0, n / 2, n - 1, n}}) {
        std::vector<std::int64_t> x(n + skew);
        for (std::uint64_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i * i % 1009) + 1;
        const buffer<std::int64_t> all(where(), x);
        const device_span<const std::int64_t> in = all.span().subspan(skew, n);
        const std::uint64_t m = ends.size() - 1;
        const buffer<std::uint64_t> there(where(), ends);
        buffer<std::int64_t> folds(where(), m), sums(where(), n);
        segmented_reduce(where(), in, there.span(), folds.span());
        segmented_inclusive_scan(where(), in, there.span(), sums.span());
        std::vector<std::int64_t> fold(m, 0), sum(n);
        for (std::uint64_t s = 0; s < m; ++s)
          for (std::uint64_t i = ends[s]; i < ends[s + 1]; ++i) sum[i] = fold[s] += x[i + skew];
        EXPECT_EQ(folds.download(), fold) << n << " " << skew;
        EXPECT_EQ(sums.download(), sum) << n << " " << skew;
      }
}

TEST_P(SegmentedOn, OrderHoldsOverManyTiles) {
  for (std::uint64_t n : {1000, 100003, 400009}) {
    const maps x = random_maps(n);
    const words keys = random_keys(n, n);
    const offsets o = random_offsets(n, n);
    const std::uint64_t init = 5 | std::uint64_t{7} << 32;
    maps y(n);
    inclusive_scan_by_key(where(), keys, x, y, compose_affine{}, init);
    ASSERT_EQ(y, plain_scan_by_key(keys, x, true, init, compose_affine{}));
    buffer<std::uint64_t> bx(where(), x), by(where(), maps(n, 3)), bo(where(), o), sums(where(), o.size() - 1);
    buffer<std::uint32_t> bk(where(), keys);
    exclusive_scan_by_key(where(), bk.span(), bx.span(), by.span(), init, compose_affine{});
    ASSERT_EQ(by.download(), plain_scan_by_key(keys, x, false, init, compose_affine{}));
    words k(n);
    const auto want = plain_reduce_by_key(keys, x, compose_affine{});
    ASSERT_EQ(reduce_by_key(where(), keys, x, k, y, compose_affine{}), want.first.size());
    ASSERT_EQ(first(k, want.first.size()), want.first);
    ASSERT_EQ(first(y, want.first.size()), want.second);
    segmented_reduce(where(), bx.span(), bo.span(), sums.span(), init, compose_affine{});
    ASSERT_EQ(sums.download(), plain_segmented_reduce(x, o, init, compose_affine{}));
    by.upload(maps(n, 3));
    segmented_exclusive_scan(where(), bx.span(), bo.span(), by.span(), init, compose_affine{});
    ASSERT_EQ(by.download(), plain_segmented_scan(x, o, false, init, compose_affine{}, maps(n, 3)));
  }
}

// Neighbours' large elements leave no trace in a small run.
TEST_P(SegmentedOn, RunsRoundByThemselves) {
  const std::uint64_t n = 30000;
  floats x(n), y(n);
  words keys(n), k(n);
  for (std::uint64_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i / 3), x[i] = keys[i] % 2 ? 1e30f : 1.0f;
  ASSERT_EQ(reduce_by_key(where(), keys, x, k, y), n / 3);
  for (std::uint64_t r = 0; r < n / 3; r += 2) ASSERT_EQ(y[r], 3.0f) << r;
  inclusive_scan_by_key(where(), keys, x, y);
  for (std::uint64_t i = 0; i < n; i += 6) ASSERT_EQ(y[i + 2], 3.0f) << i;
}

TEST_P(SegmentedOn, FloatsRepeatBitForBit) {
  const std::uint64_t n = 300007;
  floats x(n), y(n), again(n);
  random_input(dtype::f32, op_kind::plus, n, 3).fill(x.data(), 0, n);
  const words keys = random_keys(n);
  words k(n);
  const std::uint64_t runs = reduce_by_key(where(), keys, x, k, y);
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(reduce_by_key(where(), keys, x, k, again), runs);
    ASSERT_EQ(first(again, runs), first(y, runs));
  }
}

// A NaN is a run of its own; the zeros are one run, whose key is the first of them.
TEST_P(SegmentedOn, FloatKeys) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const floats keys{0.0f, -0.0f, nan, nan, 1};
  const words x{1, 2, 3, 4, 5};
  floats k(5);
  words y(5);
  ASSERT_EQ(reduce_by_key(where(), keys, x, k, y), 4u);
  EXPECT_EQ(first(y, 4), (words{3, 3, 4, 5}));
  EXPECT_FALSE(std::signbit(k[0]));
}

TEST_P(SegmentedOn, NothingAndOne) {
  words keys, k(1);
  floats x, y(1);
  EXPECT_EQ(reduce_by_key(where(), keys, x, keys, x), 0u);
  EXPECT_EQ(reduce_by_key(where(), words{3}, floats{4}, k, y), 1u);
  EXPECT_EQ(y[0], 4);
  EXPECT_NO_THROW(inclusive_scan_by_key(where(), keys, x, x));
  // No elements, yet segments: each yields init. And no segments at all.
  floats sums(3);
  segmented_reduce(where(), x, offsets{0, 0, 0, 0}, sums, 2.5f);
  EXPECT_EQ(sums, (floats{2.5f, 2.5f, 2.5f}));
  EXPECT_NO_THROW(segmented_reduce(where(), floats{1, 2}, offsets{1}, x));
  EXPECT_NO_THROW(segmented_inclusive_scan(where(), x, offsets{0}, x));
}

TEST_P(SegmentedOn, BadInput) {
  floats x(10), y(9);
  words keys(10), k(10);
  expect_error(fault::bad_argument, {"reduce_by_key", "keys have 10", "values 9"},
               [&] { reduce_by_key(where(), keys, y, k, x); });
  expect_error(fault::bad_argument, {"reduce_by_key", "9 elements", "10 may be written"},
               [&] { reduce_by_key(where(), keys, x, k, y); });
  expect_error(fault::bad_argument, {"scan_by_key", "output 9"}, [&] { inclusive_scan_by_key(where(), keys, x, y); });
  expect_error(fault::bad_argument, {"segmented_reduce", "segments have 1", "output 9"},
               [&] { segmented_reduce(where(), x, offsets{0, 3}, y); });
  expect_error(fault::bad_argument, {"no offsets"}, [&] { segmented_reduce(where(), x, offsets{}, y); });
  floats two(2);
  expect_error(fault::bad_argument, {"offset 2 is 3", "less than the 5", "never decrease"},
               [&] { segmented_reduce(where(), x, offsets{0, 5, 3}, two); });
  expect_error(fault::bad_argument, {"offset 1 is 11", "past the end of 10"},
               [&] { segmented_inclusive_scan(where(), x, offsets{0, 11}, x); });
  // Of many, wherever it is: they are looked at some at once.
  for (const std::uint64_t wrong : {1, 5, 31, 32, 33, 64, 65, 99, 100}) {
    offsets many(101, 4);
    for (std::uint64_t s = 0; s < wrong; ++s) many[s] = 7;
    for (std::uint64_t s = wrong + 1; s <= 100; ++s) many[s] = 10;
    floats hundred(100);
    expect_error(fault::bad_argument, {"offset " + std::to_string(wrong) + " is 4", "less than the 7"},
                 [&] { segmented_reduce(where(), x, many, hundred); });
    many[wrong] = ~std::uint64_t{0};
    EXPECT_THROW(segmented_reduce(where(), x, many, hundred), error);
  }
  buffer<float> b(where(), 100);
  buffer<std::uint32_t> bk(where(), 90);
  expect_error(fault::bad_argument, {"scan_by_key", "overlap", "in place exactly"},
               [&] { inclusive_scan_by_key(where(), bk.span(), b.span().subspan(0, 90), b.span().subspan(1, 90)); });
  expect_error(fault::bad_argument, {"segmented_scan", "overlap"}, [&] {
    segmented_inclusive_scan(where(), std::span<const float>(x).first(9), offsets{0, 9}, std::span(x).subspan(1));
  });
}

TEST_P(SegmentedOn, SecondCallAllocatesNothing) {
  const context fresh = context::named(GetParam());
  const std::uint64_t n = 1 << 18;
  buffer<std::uint32_t> keys(fresh, random_keys(n)), k(fresh, n);
  buffer<float> x(fresh, floats(n, 1)), y(fresh, n);
  const offsets o = random_offsets(n);
  buffer<std::uint64_t> count(fresh, 1), cuts(fresh, o);
  buffer<float> sums(fresh, o.size() - 1);
  const auto all = [&] {
    reduce_by_key(fresh, keys.span(), x.span(), k.span(), y.span(), count.span());
    inclusive_scan_by_key(fresh, keys.span(), x.span(), y.span());
    segmented_reduce(fresh, x.span(), cuts.span(), sums.span());
    segmented_inclusive_scan(fresh, x.span(), cuts.span(), y.span());
  };
  all();
  const std::uint64_t before = fresh.temporary_storage_allocations();
  all();
  EXPECT_EQ(fresh.temporary_storage_allocations(), before);
}

TEST_P(SegmentedOn, ContextsWorkAtOnce) {
  const std::uint64_t n = 100003;
  const words keys = random_keys(n);
  const maps x = random_maps(n);
  const maps want = plain_scan_by_key(keys, x, true, std::uint64_t{1}, compose_affine{});
  std::vector<int> right(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const context mine = context::named(GetParam());
      for (int i = 0; i < 4; ++i) {
        maps y(n);
        inclusive_scan_by_key(mine, keys, x, y, compose_affine{});
        right[static_cast<std::size_t>(t)] += y == want;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, (std::vector<int>{4, 4, 4, 4}));
}

// ---- Types and operators of the user's own, on the CPU. Under nvcc they are in test_segmented.cu.

struct joined {
  std::string operator()(const std::string& a, const std::string& b) const { return a + b; }
  static std::string identity() { return {}; }
};

struct SegmentedCustom : testing::TestWithParam<int> {
  context where() const { return context::cpu(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Threads, SegmentedCustom, testing::Values(1, 3));

TEST_P(SegmentedCustom, Strings) {
  const std::uint64_t n = 20011;
  const words keys = random_keys(n);
  std::vector<std::string> x(n), y(n), sums;
  for (std::uint64_t i = 0; i < n; ++i) x[i] = std::string(1, static_cast<char>('a' + i % 26));
  inclusive_scan_by_key(where(), keys, x, y, joined{});
  EXPECT_EQ(y, plain_scan_by_key(keys, x, true, std::string(), joined{}));
  words k(n);
  const auto want = plain_reduce_by_key(keys, x, joined{});
  ASSERT_EQ(reduce_by_key(where(), keys, x, k, y, joined{}), want.first.size());
  EXPECT_EQ(first(y, want.first.size()), want.second);
  const offsets o = random_offsets(n);
  sums.resize(o.size() - 1);
  segmented_reduce(where(), x, o, sums, "-", joined{});
  EXPECT_EQ(sums, plain_segmented_reduce(x, o, std::string("-"), joined{}));
  y.assign(n, "untouched");
  segmented_exclusive_scan(where(), x, o, y, "-", joined{});
  EXPECT_EQ(y, plain_segmented_scan(x, o, false, std::string("-"), joined{}, std::vector<std::string>(n, "untouched")));
}

TEST_P(SegmentedCustom, Keys) {
  const std::vector<std::string> keys{"a", "a", "b", "a"};
  const words x{1, 2, 3, 4};
  std::vector<std::string> k(4);
  words y(4);
  EXPECT_EQ(reduce_by_key(where(), keys, x, k, y), 3u);
  EXPECT_EQ(first(y, 3), (words{3, 3, 4}));
  EXPECT_EQ(k[1], "b");
}

// ---- Host memory in chunks: the same results as at once.

struct SegmentedChunks : testing::Test {
  SegmentedChunks() {
    const auto on_cpu = [](device&, const auto& p) {
      static const context cpu = context::cpu(1);
      run(cpu, p);
    };
    for (primitive what : own_primitives) device_->give<detail::segmented_impl::problem>(what, on_cpu);
    device_->give<detail::reduce_impl::problem>(detail::reduce_impl::primitive::reduce, on_cpu);
    device_->give<detail::scan_impl::problem>(detail::scan_impl::primitive::scan, on_cpu);
  }
  context small() const { return tests::small_device::on(device_); }
  std::shared_ptr<tests::small_device> device_ = std::make_shared<tests::small_device>(64 << 10);
};

TEST_F(SegmentedChunks, AreJoined) {
  const std::uint64_t n = 30011, init = 5 | std::uint64_t{7} << 32;
  ASSERT_LT(core::chunk_elements(*device_, n, 12), n / 3);
  const maps x = random_maps(n);
  words keys = random_keys(n);
  std::fill(keys.begin() + 2500, keys.begin() + 20000, 77u);  // over several chunks
  maps y(n);
  for (bool inclusive : {false, true}) {
    inclusive ? inclusive_scan_by_key(small(), keys, x, y, compose_affine{}, init)
              : exclusive_scan_by_key(small(), keys, x, y, init, compose_affine{});
    EXPECT_EQ(y, plain_scan_by_key(keys, x, inclusive, init, compose_affine{}));
  }
  y = x;
  exclusive_scan_by_key(small(), keys, y, y, init, compose_affine{});
  EXPECT_EQ(y, plain_scan_by_key(keys, x, false, init, compose_affine{}));
  words k(n);
  const auto want = plain_reduce_by_key(keys, x, compose_affine{});
  ASSERT_EQ(reduce_by_key(small(), keys, x, k, y, compose_affine{}), want.first.size());
  EXPECT_EQ(first(k, want.first.size()), want.first);
  EXPECT_EQ(first(y, want.first.size()), want.second);

  offsets o = random_offsets(n);
  std::erase_if(o, [](std::uint64_t at) { return at > 3000 && at < 21000; });  // one segment larger than a chunk
  maps sums(o.size() - 1);
  segmented_reduce(small(), x, o, sums, init, compose_affine{});
  EXPECT_EQ(sums, plain_segmented_reduce(x, o, init, compose_affine{}));
  for (bool inclusive : {false, true}) {
    y.assign(n, 3);
    inclusive ? segmented_inclusive_scan(small(), x, o, y, compose_affine{}, init)
              : segmented_exclusive_scan(small(), x, o, y, init, compose_affine{});
    EXPECT_EQ(y, plain_segmented_scan(x, o, inclusive, init, compose_affine{}, maps(n, 3)));
  }
}

}  // namespace
}  // namespace upsweep
