// sort.hpp's contract, line by line, on every usable device. The algorithms themselves are checked through the catalog.
#include "upsweep/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>

#include "tests/devices.hpp"
#include "upsweep/conformance/conformance.hpp"
#include "upsweep/sort/sort_order.hpp"
#include "upsweep/sort/sort_records.hpp"

namespace upsweep {
namespace {

using detail::sort_impl::primitive;
using tests::expect_error;
using ints = std::vector<std::int32_t>;
using words = std::vector<std::uint32_t>;
using floats = std::vector<float>;

bool has(const context& where, primitive what) {
  const auto all = catalog();
  return std::any_of(all.begin(), all.end(),
                     [&](const variant& v) { return v.what == what && v.where == where.kind(); });
}

struct SortOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, SortOn, testing::ValuesIn(tests::device_names()), tests::device_label);

words random_words(std::uint64_t n, std::uint32_t below = ~0u, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  words x(n);
  for (std::uint32_t& e : x) e = static_cast<std::uint32_t>(random() >> 11) % below;
  return x;
}

template <class T>
auto bits(T x) {
  return __builtin_bit_cast(order_image<T>, x);
}

template <class T>
std::vector<order_image<T>> bits(const std::vector<T>& x) {
  std::vector<order_image<T>> all;
  for (T e : x) all.push_back(bits(e));
  return all;
}

template <class T>
std::vector<T> in_order(std::vector<T> x, const sort_options& o = {}) {
  const order_window<order_image<T>> window(o.first_bit, o.last_bit, o.descending);
  std::stable_sort(x.begin(), x.end(), [&](T a, T b) { return window(order_bits(a)) < window(order_bits(b)); });
  return x;
}

TEST(SortCatalog, HasEveryName) {
  const std::vector<std::string_view> names{
      "sort/bitonic",          "sort/odd-even-merge",         "sort/quicksort", "sort/merge-path", "sort/radix-1bit",
      "sort/radix-4bit-block", "sort/radix-reduce-then-scan", "sort/onesweep"};
#if UPSWEEP_WITH_CUDA
  for (std::string_view name : names) EXPECT_NE(find_variant(name, backend::cuda), nullptr) << name;
#else
  for (std::string_view name : names) EXPECT_EQ(find_variant(name, backend::cuda), nullptr) << name << " without CUDA";
#endif
  EXPECT_NE(find_variant("sort/radix-1bit-cpu", backend::cpu), nullptr);
  for (const std::string& name : tests::device_names())
    for (primitive what :
         {primitive::sort, primitive::segmented_sort, primitive::top_k, primitive::merge, primitive::is_sorted})
      EXPECT_TRUE(has(tests::on(name), what)) << name_of(what) << " on " << name;
}

TEST_P(SortOn, HostMemory) {
  const ints x{3, 1, -7, 0, 4, 1, 6, 3};
  ints y(8);
  sort(where(), x, y);
  EXPECT_EQ(y, (ints{-7, 0, 1, 1, 3, 3, 4, 6}));
  sort(where(), x, y, {.descending = true});
  EXPECT_EQ(y, (ints{6, 4, 3, 3, 1, 1, 0, -7}));
  std::array<float, 3> a{2, -1, 0.5f};
  sort(where(), a);
  EXPECT_EQ(a, (std::array<float, 3>{-1, 0.5f, 2}));
  stable_sort(where(), a, {.descending = true});
  EXPECT_EQ(a, (std::array<float, 3>{2, 0.5f, -1}));
}

TEST_P(SortOn, DeviceMemory) {
  const words host = random_words(100003);
  const words want = in_order(host);
  buffer<std::uint32_t> x(where(), host), y(where(), host.size());
  const buffer<std::uint32_t>& constant = x;
  sort(where(), constant.span(), y.span());
  EXPECT_EQ(y.download(), want);
  EXPECT_EQ(x.download(), host) << "the input stays as it was";
  EXPECT_TRUE(is_sorted(where(), y.span()));
  EXPECT_FALSE(is_sorted(where(), x.span()));
  stable_sort(where(), x.span());
  EXPECT_EQ(x.download(), want);
}

template <class T>
void expect_sorts(const context& where, std::uint64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<order_image<T>> any(n);
  for (auto& e : any) e = static_cast<order_image<T>>(random() >> 8);
  std::vector<T> x(n);
  if (n != 0) std::memcpy(static_cast<void*>(x.data()), any.data(), n * sizeof(T));
  for (bool descending : {false, true}) {
    std::vector<T> y(n);
    sort(where, x, y, {.descending = descending});
    ASSERT_EQ(bits(y), bits(in_order(x, {.descending = descending}))) << name_of(dtype_of<T>) << ", " << n << " keys";
  }
}

TEST_P(SortOn, EveryType) {
  for (dtype type : all_dtypes)
    if (where().device().supports(type))
      with_any_type(type, [&]<class T>(type_tag<T>) {
        for (std::uint64_t n : {0, 1, 2, 1000, 70001}) expect_sorts<T>(where(), n, n + 1);
      });
}

// Zeros of both signs are equal and keep their order; NaNs stand last, or first, and keep theirs, payloads and all.
TEST_P(SortOn, ZerosAndNaNs) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan1 = std::bit_cast<float>(0x7fc00001u), nan2 = std::bit_cast<float>(0xffc00002u),
              nan3 = std::bit_cast<float>(0x7f800003u);
  const floats x{nan1, 0.0f, -0.0f, inf, nan2, -1, -0.0f, -inf, 0.0f, nan3, 1e-40f, -1e-40f};
  floats y(x.size());
  sort(where(), x, y);
  EXPECT_EQ(bits(y), bits(floats{-inf, -1, -1e-40f, 0.0f, -0.0f, -0.0f, 0.0f, 1e-40f, inf, nan1, nan2, nan3}));
  sort(where(), x, y, {.descending = true});
  EXPECT_EQ(bits(y), bits(floats{nan1, nan2, nan3, inf, 1e-40f, 0.0f, -0.0f, -0.0f, 0.0f, -1e-40f, -1, -inf}));
  EXPECT_TRUE(is_sorted(where(), y, {.descending = true}));
  EXPECT_EQ(is_sorted_until(where(), y), 3u);
  EXPECT_EQ(bits(nth_element(where(), x, 11)) & 0x7f800000u, 0x7f800000u);
}

TEST_P(SortOn, StableByKey) {
  for (std::uint64_t n : {5, 3000, 200001})
    for (bool descending : {false, true}) {
      words keys = random_words(n, 17), values(n);
      std::iota(values.begin(), values.end(), 0u);
      sort_by_key(where(), keys, values, {.descending = descending});
      for (std::uint64_t i = 1; i < n; ++i) {
        ASSERT_TRUE(descending ? keys[i] <= keys[i - 1] : keys[i - 1] <= keys[i]) << i << " of " << n;
        ASSERT_TRUE(keys[i] != keys[i - 1] || values[i - 1] < values[i])
            << "equal keys have changed places at " << i << " of " << n;
      }
    }
}

TEST_P(SortOn, ByKeyOutOfPlace) {
  const words keys = random_words(5001, 100);
  std::vector<double> values(keys.size());
  std::iota(values.begin(), values.end(), 0.5);
  buffer<std::uint32_t> k(where(), keys), k2(where(), keys.size());
  buffer<double> v(where(), values), v2(where(), keys.size());
  sort_by_key(where(), k.span(), v.span(), k2.span(), v2.span());
  EXPECT_EQ(k.download(), keys);
  EXPECT_EQ(v.download(), values);
  EXPECT_EQ(k2.download(), in_order(keys));
  const words sorted = k2.download();
  const std::vector<double> moved = v2.download();
  for (std::uint64_t i = 0; i < keys.size(); ++i) ASSERT_EQ(keys[static_cast<std::uint64_t>(moved[i])], sorted[i]);
}

TEST_P(SortOn, BitRanges) {
  const words x = random_words(30011);
  for (const sort_options& o :
       {sort_options{false, 8, 16}, sort_options{true, 8, 16}, sort_options{false, 31, 32}, sort_options{true, 0, 5}}) {
    words y(x.size());
    sort(where(), x, y, o);
    ASSERT_EQ(y, in_order(x, o)) << "bits " << o.first_bit << " to " << o.last_bit;
    ASSERT_TRUE(is_sorted(where(), y, o));
  }
  // The sign of an integer is turned over, so that its upper bits are in the order of the numbers.
  const ints z{5, -1, 70000, -70000, 6};
  ints w(5);
  sort(where(), z, w, {.first_bit = 16, .last_bit = 32});
  EXPECT_EQ(w, (ints{-70000, -1, 5, 6, 70000}));
}

// Keys of one and two bytes are counted and written anew, but not where only some of their bits are looked at.
TEST_P(SortOn, BitRangesOfNarrowKeys) {
  const auto check = [&]<class T>(T) {
    constexpr unsigned all = 8 * sizeof(T);
    std::vector<T> x(300007), y(x.size());
    std::mt19937_64 g(testing::UnitTest::GetInstance()->random_seed() + 12);
    for (T& e : x) e = static_cast<T>(g());
    for (const bool descending : {false, true})
      for (const auto& [first, last] : {std::pair{0u, all}, {0u, all - 3}, {3u, all}, {2u, 5u}}) {
        const sort_options o{descending, first, last};
        sort(where(), x, y, o);
        ASSERT_EQ(y, in_order(x, o)) << name_of(dtype_of<T>) << ", bits " << first << " to " << last;
      }
  };
  check(std::uint8_t{});
  check(std::int8_t{});
  check(std::uint16_t{});
  check(std::int16_t{});
}

TEST_P(SortOn, Argsort) {
  const words x = random_words(40009, 1000);
  words small(x.size());
  std::vector<std::uint64_t> large(x.size());
  argsort(where(), x, small);
  argsort(where(), x, large, {.descending = true});
  std::vector<std::uint64_t> want(x.size());
  std::iota(want.begin(), want.end(), std::uint64_t{0});
  std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) { return x[a] < x[b]; });
  EXPECT_TRUE(std::equal(want.begin(), want.end(), small.begin()));
  std::iota(want.begin(), want.end(), std::uint64_t{0});
  std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) { return x[a] > x[b]; });
  EXPECT_EQ(large, want);
  buffer<std::uint32_t> keys(where(), x), order(where(), x.size());
  argsort(where(), keys.span(), order.span());
  EXPECT_EQ(order.download(), small);
  EXPECT_EQ(keys.download(), x);
  std::vector<std::uint32_t> sorted(x.size()), again(x.size());
  argsort(where(), x, sorted, again);
  EXPECT_EQ(again, small);
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  argsort(where(), keys.span(), keys.span(), order.span(), {.descending = true});
  EXPECT_TRUE(std::equal(want.begin(), want.end(), order.download().begin()));
  EXPECT_EQ(keys.download(), (std::vector<std::uint32_t>(sorted.rbegin(), sorted.rend())));
}

template <int Bytes>
struct record {
  unsigned char bytes[Bytes];
  static record of(std::uint32_t x) {
    record r;
    for (int b = 0; b < Bytes; ++b)
      r.bytes[b] = static_cast<unsigned char>(x >> 8 * (b % 4) ^ static_cast<unsigned>(b / 4 * 37));
    return r;
  }
  friend bool operator==(const record&, const record&) = default;
};

template <class V, class Make>
void expect_values_follow(const context& where, Make make) {
  const words keys = random_words(9001, 500);
  words order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  std::vector<V> values;
  for (std::uint32_t i = 0; i < keys.size(); ++i) values.push_back(make(i));
  const auto expect_moved = [&](const std::vector<V>& moved, const char* how) {
    for (std::uint64_t i = 0; i < keys.size(); ++i)
      ASSERT_TRUE(moved[i] == values[order[i]]) << sizeof(V) << " bytes, " << how << ", element " << i;
  };
  words k = keys;
  std::vector<V> v = values, w(values.size());
  sort_by_key(where, k, v);
  expect_moved(v, "host memory in place");
  sort_by_key(where, keys, values, k, w);
  expect_moved(w, "host memory");
  buffer<std::uint32_t> there(where, keys), there2(where, keys.size());
  buffer<V> with(where, values), with2(where, values.size());
  sort_by_key(where, there.span(), with.span(), there2.span(), with2.span());
  expect_moved(with2.download(), "device memory");
  EXPECT_TRUE(with.download() == values);
  sort_by_key(where, there.span(), with.span());
  expect_moved(with.download(), "device memory in place");
}

TEST_P(SortOn, ValuesOfAnySize) {
  struct particle {
    float x, y, z;
    bool operator==(const particle&) const = default;
  };
  expect_values_follow<particle>(
      where(), [](std::uint32_t i) { return particle{static_cast<float>(i), 0.5f, -static_cast<float>(i)}; });
  expect_values_follow<record<1>>(where(), record<1>::of);
  expect_values_follow<record<2>>(where(), record<2>::of);
  expect_values_follow<record<3>>(where(), record<3>::of);
  expect_values_follow<record<4>>(where(), record<4>::of);
  expect_values_follow<record<16>>(where(), record<16>::of);
  expect_values_follow<record<56>>(where(), record<56>::of);
}

TEST_P(SortOn, NothingAndOne) {
  words none, one{7}, out(1);
  EXPECT_NO_THROW(sort(where(), none));
  EXPECT_NO_THROW(sort_by_key(where(), none, none, none, none));
  sort(where(), one, out);
  EXPECT_EQ(out, one);
  buffer<std::uint32_t> empty(where(), 0);
  EXPECT_NO_THROW(sort(where(), empty.span()));
  EXPECT_TRUE(is_sorted(where(), empty.span()));
  EXPECT_TRUE(is_sorted(where(), none));
  EXPECT_EQ(is_sorted_until(where(), one), 1u);
  EXPECT_EQ(nth_element(where(), one, 0), 7u);
}

TEST_P(SortOn, Segments) {
  const words x = random_words(50021, 1000);
  // Empty, of one, tiny, huge; the first three elements and the last lie in none.
  const std::vector<std::uint64_t> offsets{3, 3, 4, 4, 6, 40, 1000, 45000, 45000, 50020};
  words want = x;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::stable_sort(want.begin() + static_cast<std::ptrdiff_t>(offsets[s]),
                     want.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]));
  words y(x.size());
  segmented_sort(where(), x, y, offsets);
  EXPECT_EQ(y, want);
  buffer<std::uint32_t> there(where(), x);
  buffer<std::uint64_t> starts(where(), offsets);
  segmented_sort(where(), there.span(), starts.span());
  EXPECT_EQ(there.download(), want);
  // Values of 12 bytes go the same way.
  std::vector<record<12>> values;
  for (std::uint32_t i = 0; i < x.size(); ++i) values.push_back(record<12>::of(i));
  words order(x.size());
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(offsets[s]),
                     order.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]),
                     [&](auto a, auto b) { return x[a] > x[b]; });
  words keys = x;
  segmented_sort_by_key(where(), keys, values, offsets, {.descending = true});
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(keys[i], x[order[i]]) << i;
    ASSERT_TRUE(values[i] == record<12>::of(order[i])) << i;
  }
}

TEST_P(SortOn, BadOffsets) {
  words x(10);
  using offsets = std::vector<std::uint64_t>;
  expect_error(fault::bad_argument, {"segmented_sort", "offset 2 is 4, less than the 5"},
               [&] { segmented_sort(where(), x, offsets{0, 5, 4, 10}); });
  expect_error(fault::bad_argument, {"offset 1 is 11, past the end of 10"},
               [&] { segmented_sort(where(), x, offsets{0, 11}); });
  expect_error(fault::bad_argument, {"there are no offsets"}, [&] { segmented_sort(where(), x, offsets{}); });
  EXPECT_NO_THROW(segmented_sort(where(), x, offsets{4}));
}

TEST_P(SortOn, TopK) {
  // Inputs that a choice by digits or pivots likes least: all equal, all but a few equal, sorted, reversed, one bit
  // apart.
  std::vector<words> inputs{random_words(30007), words(30007, 5), random_words(30007, 3), in_order(random_words(30007)),
                            words(30007, 0x80000000u)};
  for (std::uint64_t i = 0; i < 20; ++i) inputs[1][i * 1500 + 7] = static_cast<std::uint32_t>(i);
  for (std::uint64_t i = 0; i < inputs[4].size(); ++i) inputs[4][i] ^= i % 2;
  inputs.push_back(in_order(inputs[0], {.descending = true}));
  for (const words& x : inputs)
    for (std::uint64_t k : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{19}, std::uint64_t{5000},
                            static_cast<std::uint64_t>(x.size())})
      for (bool descending : {true, false}) {
        std::vector<std::uint64_t> want(x.size()), indices(k);
        std::iota(want.begin(), want.end(), std::uint64_t{0});
        std::stable_sort(want.begin(), want.end(),
                         [&](auto a, auto b) { return descending ? x[a] > x[b] : x[a] < x[b]; });
        want.resize(k);
        words best(k);
        top_k(where(), x, best, indices, {.descending = descending});
        ASSERT_EQ(indices, want) << "k = " << k;
        for (std::uint64_t i = 0; i < k; ++i) ASSERT_EQ(best[i], x[want[i]]);
      }
  // The largest, unless one says otherwise; on the device, and without the indices.
  buffer<std::uint32_t> x(where(), inputs[0]), best(where(), 3);
  top_k(where(), x.span(), best.span());
  const words sorted = in_order(inputs[0], {.descending = true});
  EXPECT_EQ(best.download(), words(sorted.begin(), sorted.begin() + 3));
  words more(30008);
  expect_error(fault::bad_argument, {"top_k", "30008 keys are requested from 30007"},
               [&] { top_k(where(), inputs[0], more); });
}

TEST_P(SortOn, NthElement) {
  const words x = random_words(10007, 3000);
  const words sorted = in_order(x);
  for (std::uint64_t k : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5003}, std::uint64_t{10006}}) {
    EXPECT_EQ(nth_element(where(), x, k), sorted[k]);
    EXPECT_EQ(nth_element(where(), x, k, {.descending = true}), sorted[x.size() - 1 - k]);
    buffer<std::uint32_t> there(where(), x);
    EXPECT_EQ(nth_element(where(), there.span(), k), sorted[k]);
    for (bool descending : {false, true}) {
      nth_element(where(), there.span(), there.span(), k, {.descending = descending});
      const words y = there.download();
      const words want = in_order(x, {.descending = descending});
      EXPECT_EQ(y[k], want[k]);
      for (std::uint64_t i = 0; i < k; ++i) ASSERT_TRUE(descending ? y[i] >= y[k] : y[i] <= y[k]);
      for (std::uint64_t i = k; i < y.size(); ++i) ASSERT_TRUE(descending ? y[i] <= y[k] : y[i] >= y[k]);
      EXPECT_EQ(in_order(y), sorted) << "no rearrangement";
    }
  }
  expect_error(fault::bad_argument, {"nth_element", "rank 10007", "10007 elements"},
               [&] { nth_element(where(), x, 10007); });
}

TEST_P(SortOn, NthElementOfFloats) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  floats x{3, nan, -0.0f, 1, nan, 0.0f, -5};
  for (bool descending : {false, true}) {
    const floats sorted = in_order(x, {.descending = descending});
    for (std::uint64_t k = 0; k < x.size(); ++k) {
      floats y(x.size());
      nth_element(where(), x, y, k, {.descending = descending});
      const order_window<std::uint32_t> window(0, 0, descending);
      const auto image = [&](float f) { return window(order_bits(f)); };
      EXPECT_EQ(image(y[k]), image(sorted[k]));
      EXPECT_EQ(image(nth_element(where(), x, k, {.descending = descending})), image(sorted[k]));
      for (std::uint64_t i = 0; i < k; ++i) EXPECT_LE(image(y[i]), image(y[k]));
      for (std::uint64_t i = k; i < y.size(); ++i) EXPECT_GE(image(y[i]), image(y[k]));
      floats a = in_order(y), b = in_order(x);
      for (std::uint64_t i = 0; i < x.size(); ++i) EXPECT_EQ(order_bits(a[i]), order_bits(b[i])) << "no rearrangement";
    }
  }
}

TEST_P(SortOn, Merge) {
  for (auto [n, m] : {std::pair{0, 0}, {5, 0}, {0, 5}, {1, 1}, {31, 33}, {1919, 1}, {1000, 70001}, {40000, 40000}})
    for (bool descending : {false, true}) {
      const words a = in_order(random_words(n, 5000, 1), {.descending = descending}),
                  b = in_order(random_words(m, 5000, 2), {.descending = descending});
      words want(a.size() + b.size()), got(want.size());
      descending ? std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin(), std::greater<>{})
                 : std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
      merge(where(), a, b, got, {.descending = descending});
      ASSERT_EQ(got, want) << n << " and " << m;
      buffer<std::uint32_t> x(where(), a), y(where(), b), z(where(), want.size());
      merge(where(), x.span(), y.span(), z.span(), {.descending = descending});
      ASSERT_EQ(z.download(), want);
    }
  // Of equal keys those of the first come first: the zeros tell.
  floats got(4);
  merge(where(), floats{-0.0f, 0.0f}, floats{0.0f, -0.0f}, got);
  EXPECT_EQ(bits(got), bits(floats{-0.0f, 0.0f, 0.0f, -0.0f}));
}

TEST_P(SortOn, IsSortedUntil) {
  words x = in_order(random_words(70003));
  EXPECT_EQ(is_sorted_until(where(), x), x.size());
  for (std::uint64_t place : {std::uint64_t{70002}, std::uint64_t{4096}, std::uint64_t{1}}) {
    words y = x;
    y[place] = 0;
    EXPECT_EQ(is_sorted_until(where(), y), place);
    buffer<std::uint32_t> there(where(), y);
    buffer<std::uint64_t> answer(where(), 1);
    is_sorted_until<std::uint32_t>(where(), there.span(), answer.span());
    EXPECT_EQ(answer.download()[0], place);
  }
}

TEST_P(SortOn, ArgumentsMustFit) {
  words x(10), y(9), z(10);
  expect_error(fault::bad_argument, {"sort", "10 keys", "9 output elements", "same size"},
               [&] { sort(where(), x, y); });
  expect_error(fault::bad_argument, {"sort_by_key", "10 keys", "9 values", "same size"},
               [&] { sort_by_key(where(), x, y); });
  expect_error(fault::bad_argument, {"argsort", "9 elements for indices"}, [&] { argsort(where(), x, y); });
  expect_error(fault::bad_argument, {"merge", "19 keys in both"}, [&] { merge(where(), x, y, z); });
  expect_error(fault::bad_argument, {"sort", "bits 0 to 33", "a key has 32", "inside the key"},
               [&] { sort(where(), x, {.last_bit = 33}); });
  expect_error(fault::bad_argument, {"bits 8 to 8", "are none"},
               [&] { sort(where(), x, {.first_bit = 8, .last_bit = 8}); });
  expect_error(fault::bad_argument, {"bits 9 to 0", "are none"}, [&] { sort(where(), x, {.first_bit = 9}); });
  std::vector<std::uint8_t> bytes(10);
  expect_error(fault::bad_argument, {"bits 0 to 9", "a key has 8"}, [&] { sort(where(), bytes, {.last_bit = 9}); });
}

TEST_P(SortOn, OverlapIsRefused) {
  buffer<std::uint32_t> b(where(), words(100));
  const auto part = [&](std::uint64_t first, std::uint64_t count) { return b.span().subspan(first, count); };
  expect_error(fault::bad_argument, {"sort", "overlap", "in place exactly"},
               [&] { sort(where(), part(0, 60), part(20, 60)); });
  expect_error(fault::bad_argument, {"sort_by_key", "overlap"},
               [&] { sort_by_key(where(), part(0, 50), part(49, 50)); });
  expect_error(fault::bad_argument, {"merge", "overlap"},
               [&] { merge(where(), part(0, 20), part(20, 20), part(30, 40)); });
  EXPECT_NO_THROW(sort(where(), part(0, 50), part(50, 50)));
}

TEST_P(SortOn, AnyAlignment) {
  const words host = random_words(3000);
  buffer<std::uint32_t> in(where(), host), out(where(), host.size());
  for (std::uint64_t a = 0; a < 5; ++a)
    for (std::uint64_t count : {1, 31, 1000, 2990}) {
      where().device().fill(out.span().where(), 0, 3000 * 4);
      sort(where(), in.span().subspan(a, count), out.span().subspan(4 - a, count));
      words want(host.size());
      const words part = in_order(
          words(host.begin() + static_cast<std::ptrdiff_t>(a), host.begin() + static_cast<std::ptrdiff_t>(a + count)));
      std::copy(part.begin(), part.end(), want.begin() + static_cast<std::ptrdiff_t>(4 - a));
      ASSERT_EQ(out.download(), want) << "from " << a << ", " << count << " keys";
    }
}

TEST_P(SortOn, SecondCallAllocatesNothing) {
  const context fresh = context::named(GetParam());
  buffer<std::uint32_t> x(fresh, random_words(1 << 20)), y(fresh, 1 << 20), best(fresh, 100);
  buffer<record<12>> v(fresh, 1 << 20);
  const auto everything = [&] {
    sort(fresh, x.span(), y.span());
    sort_by_key(fresh, x.span(), y.span());
    sort_by_key(fresh, x.span(), v.span());
    argsort(fresh, x.span(), y.span());
    top_k(fresh, x.span(), best.span());
    is_sorted(fresh, x.span());
  };
  everything();
  const std::uint64_t first = fresh.temporary_storage_allocations();
  everything();
  EXPECT_EQ(fresh.temporary_storage_allocations(), first);
}

// Work is done in the order it was given, without waiting in between.
TEST_P(SortOn, CallsQueueUp) {
  buffer<std::uint32_t> x(where(), random_words(100000)), order(where(), 100000);
  sort(where(), x.span(), {.descending = true});
  argsort(where(), x.span(), order.span());
  sort(where(), x.span());
  const words sorted = x.download(), back = order.download();
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  EXPECT_EQ(back.front(), 99999u);
}

TEST_P(SortOn, ThreadsWithContextsOfTheirOwn) {
  std::vector<std::string> wrong(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const context mine = context::named(GetParam());
      for (int turn = 0; turn < 5; ++turn) {
        words x = random_words(50000 + 1000 * t, ~0u, 10 * t + turn);
        const words want = in_order(x);
        sort(mine, x);
        if (x != want) wrong[t] = "thread " + std::to_string(t) + ", turn " + std::to_string(turn);
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& w : wrong) EXPECT_EQ(w, "");
}

// Values of sizes that no kernel takes are fetched by index.
struct SortRecordsOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, SortRecordsOn, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class Index>
void expect_gathered(const context& where, std::uint64_t bytes, std::uint64_t n, std::uint64_t skipped) {
  std::vector<unsigned char> host((n + skipped) * bytes);
  for (std::uint64_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i * 37 + i / 256);
  std::vector<Index> index(n);
  for (std::uint64_t i = 0; i < n; ++i) index[i] = static_cast<Index>(i * 7919 % n);
  buffer<unsigned char> in(where, host), out(where, host.size());
  buffer<Index> at(where, index);
  where.device().fill(out.span().where(), 0, host.size());
  const memory from = in.span().where().plus_bytes(skipped * bytes),
               to = out.span().where().plus_bytes(skipped * bytes);
  detail::sort_impl::gather_records(where.device(), from, bytes, at.span().where(), sizeof(Index), n, to);
  const std::vector<unsigned char> got = out.download();
  for (std::uint64_t b = 0; b < skipped * bytes; ++b) ASSERT_EQ(got[b], 0) << "what stands before was written";
  for (std::uint64_t i = 0; i < n; ++i)
    ASSERT_EQ(std::memcmp(&got[(skipped + i) * bytes], &host[(skipped + index[i]) * bytes], bytes), 0)
        << "record " << i << " of " << n << ", " << bytes << " bytes, indices of " << sizeof(Index);
}

TEST_P(SortRecordsOn, AreGathered) {
  for (std::uint64_t bytes : {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 33, 64})
    for (std::uint64_t n : {1, 2, 129, 5003})
      for (std::uint64_t skipped : {0, 1}) {
        expect_gathered<std::uint32_t>(where(), bytes, n, skipped);
        expect_gathered<std::uint64_t>(where(), bytes, n, skipped);
      }
}

// --- what is larger than the device ---

// Every form of every primitive, through chunks of a few hundred elements, judged as the check does.
TEST(SortChunks, AreJoined) {
  const context cpu = context::cpu(2);
  for (primitive what :
       {primitive::sort, primitive::segmented_sort, primitive::top_k, primitive::merge, primitive::is_sorted}) {
    const conformance_test& e = conformance_test_of(what);
    std::uint64_t turn = 0;
    for (problem p : e.forms(true))
      for (std::uint64_t n : {1, 2, 700, 5000}) {
        p->n = n, p.as<detail::sort_impl::problem>().m = 0;
        e.complete(p, 1, ++turn);
        const input_kind kind = all_inputs[turn % all_inputs.size()];
        const std::vector<array> arrays = e.arrays(p, 1, kind);
        std::vector<std::vector<std::byte>> bytes;
        for (const array& a : arrays) {
          bytes.emplace_back(a.bytes());
          if (a.fill) fill_all(a, bytes.back().data());
          a.slot(p) = {bytes.back().data(), 0};
        }
        auto& asked = p.as<detail::sort_impl::problem>();
        if (asked.indices) asked.in2 = {};
        detail::sort_impl::run_from_host(cpu, asked, 333);
        EXPECT_EQ(e.wrong(p, 0), "") << name_of(what) << ", " << e.words(p) << ", " << name_of(kind)
                                     << " input, n = " << n;
      }
  }
}

TEST(SortChunks, ValuesOfOtherSizes) {
  const context cpu = context::cpu(2);
  words keys = random_words(4001, 50);
  const words before = keys;
  std::vector<record<12>> values;
  for (std::uint32_t i = 0; i < keys.size(); ++i) values.push_back(record<12>::of(i));
  detail::sort_impl::problem p;
  p.what = primitive::sort, p.n = keys.size(), p.value_bytes = 12;
  p.in = p.out = {keys.data(), 0}, p.in2 = p.out2 = {values.data(), 0};
  detail::sort_impl::run_from_host(cpu, p, 500);
  words order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return before[a] < before[b]; });
  for (std::uint64_t i = 0; i < keys.size(); ++i)
    ASSERT_TRUE(keys[i] == before[order[i]] && values[i] == record<12>::of(order[i])) << i;
}

struct by_last_digit {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 10 < b % 10; }
};

TEST(SortChunks, WithComparator) {
  const context cpu = context::cpu(2);
  words keys = random_words(10007), values(keys.size());
  words want = keys;
  std::stable_sort(want.begin(), want.end(), by_last_digit{});
  const words before = keys;
  std::iota(values.begin(), values.end(), 0u);
  detail::sort_impl::sort_in_chunks<std::uint32_t, std::uint32_t, by_last_digit, this_compiler>(
      cpu, "sort", std::span(keys), std::span(values), {}, 1000);
  EXPECT_EQ(keys, want);
  for (std::uint64_t i = 0; i < keys.size(); ++i) ASSERT_EQ(before[values[i]], keys[i]);
}

// --- comparators ---

struct name_and_age {
  std::string name;
  int age;
};

struct younger {
  bool operator()(const name_and_age& a, const name_and_age& b) const { return a.age < b.age; }
};

TEST(SortComparators, AnyTypeOnTheCpu) {
  for (int threads : {1, 3}) {
    const context cpu = context::cpu(threads);
    std::vector<name_and_age> people;
    for (int i = 0; i < 20000; ++i) people.push_back({std::to_string(i), i * 7919 % 90});
    std::vector<name_and_age> want = people;
    std::stable_sort(want.begin(), want.end(), younger{});
    words order(people.size());
    argsort(cpu, people, order, younger{});
    for (std::uint64_t i = 0; i < want.size(); ++i) ASSERT_EQ(people[order[i]].name, want[i].name);
    EXPECT_FALSE(is_sorted(cpu, people, younger{}));
    sort(cpu, people, younger{});
    for (std::uint64_t i = 0; i < want.size(); ++i) ASSERT_EQ(people[i].name, want[i].name) << "not stable at " << i;
    EXPECT_TRUE(is_sorted(cpu, people, younger{}));
    // With values, and merged.
    std::vector<name_and_age> both(2 * want.size());
    merge(cpu, want, people, both, younger{});
    EXPECT_TRUE(is_sorted(cpu, both, younger{}));
    words keys = random_words(10000, 100);
    std::vector<std::string> values;
    for (std::uint32_t i = 0; i < keys.size(); ++i) values.push_back(std::to_string(keys[i]) + " " + std::to_string(i));
    sort_by_key(cpu, keys, values, by_last_digit{});
    EXPECT_TRUE(is_sorted(cpu, keys, by_last_digit{}));
    for (std::uint64_t i = 0; i < keys.size(); ++i) ASSERT_TRUE(values[i].starts_with(std::to_string(keys[i]) + " "));
  }
}

TEST_P(SortOn, BuiltInComparators) {
  words x = random_words(5000);
  sort(where(), x, std::greater<>{});
  EXPECT_EQ(x, in_order(x, {.descending = true}));
  stable_sort(where(), x, std::less<std::uint32_t>{});
  EXPECT_EQ(x, in_order(x));
  EXPECT_TRUE(is_sorted(where(), x, std::ranges::less{}));
  EXPECT_FALSE(where().last_algorithm().empty()) << "a built-in order is the library's own";
}

TEST_P(SortOn, OtherComparatorsRunOrSaySo) {
  words x = random_words(5000);
  words want = x;
  std::stable_sort(want.begin(), want.end(), by_last_digit{});
  if (where().kind() == backend::cpu) {
    words y(x.size());
    sort(where(), x, y, by_last_digit{});
    EXPECT_EQ(y, want);
    buffer<std::uint32_t> there(where(), x);
    stable_sort(where(), there.span(), by_last_digit{});
    EXPECT_EQ(there.download(), want);
    return;
  }
  const bool cuda = where().kind() == backend::cuda;
  expect_error(fault::unsupported, {"sort", cuda ? "only where nvcc compiles the call" : "no device source"},
               [&] { sort(where(), x, by_last_digit{}); });
  buffer<std::uint32_t> there(where(), x);
  expect_error(fault::unsupported, {cuda ? "move the call into a .cu file" : "use a CPU context"},
               [&] { is_sorted(where(), there.span(), by_last_digit{}); });
}

// Comparators that contradict themselves: the sort ends, and what comes out was there before.
struct always {
  bool operator()(std::uint32_t, std::uint32_t) const { return true; }
};
struct not_after {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 100 <= b % 100; }
};
struct dice {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return ((a * 0x9e3779b1u) ^ (b * 0x85ebca6bu)) >> 13 & 1; }
};
struct rock_paper_scissors {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return (a + 1) % 3 == b % 3; }
};

template <class Compare>
void expect_ends(const context& where, Compare compare) {
  for (std::uint64_t n : {2, 17, 1000, 100003}) {
    words x(n), values(n);
    std::iota(x.begin(), x.end(), 0u);
    std::iota(values.begin(), values.end(), 0u);
    sort(where, x, compare);
    std::sort(x.begin(), x.end());
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(x[i], i) << "an element is lost, of " << n;
    sort_by_key(where, x, values, compare);
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(x[i], values[i]);
    words both(2 * n);
    merge(where, x, x, both, compare);
    for (std::uint32_t e : both) ASSERT_LT(e, n);
    is_sorted(where, x, compare);
  }
}

TEST(SortComparators, BadOnesEnd) {
  for (int threads : {1, 3}) {
    const context cpu = context::cpu(threads);
    expect_ends(cpu, always{});
    expect_ends(cpu, not_after{});
    expect_ends(cpu, dice{});
    expect_ends(cpu, rock_paper_scissors{});
  }
}

}  // namespace
}  // namespace upsweep
