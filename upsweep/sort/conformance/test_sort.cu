// Sorting as CUDA programs do it: inside graphs, on streams of the caller's, by comparisons of their own. Runs where a
// CUDA GPU is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/sort/sort_order.hpp"

namespace {

using namespace upsweep;
using words = std::vector<std::uint32_t>;

struct SortCuda : tests::on_cuda {};

words random_words(std::uint64_t n, std::uint64_t seed, std::uint32_t below = ~0u) {
  std::mt19937_64 random(seed);
  words x(n);
  for (std::uint32_t& e : x) e = static_cast<std::uint32_t>(random() >> 11) % below;
  return x;
}

words in_order(words x) {
  std::sort(x.begin(), x.end());
  return x;
}

// Records `enqueue` into a graph after one call outside, which allocates what it needs, and replays it on other inputs.
template <class Enqueue, class Check>
void expect_replays(const tests::cuda_stream& s, buffer<std::uint32_t>& input, const Enqueue& enqueue,
                    const Check& check_result) {
  const std::uint64_t n = input.size();
  input.upload(random_words(n, 1));
  enqueue();
  check_result(random_words(n, 1));
  const tests::recording recorded(s, enqueue);
  for (std::uint64_t seed = 2; seed < 6; ++seed) {
    // The last input has one key many times, so that passes are skipped that others need.
    const words x = seed == 5 ? words(n, 77) : random_words(n, seed);
    input.upload(x);
    recorded.run();
    check_result(x);
    enqueue();  // calls outside the graph do not disturb it
  }
}

TEST_F(SortCuda, InsideGraphs) {
  for (std::uint64_t n : {1000u, 20000u, 300000u, 5000000u}) {
    const tests::cuda_stream s;
    const context gpu = context::cuda_on_stream(s.handle());
    buffer<std::uint32_t> x(gpu, n), y(gpu, n), at(gpu, n);
    expect_replays(
        s, x, [&] { sort(gpu, x.span(), y.span()); },
        [&](const words& in) { ASSERT_EQ(y.download(), in_order(in)) << n << " keys"; });
    expect_replays(
        s, x, [&] { argsort(gpu, x.span(), at.span()); },
        [&](const words& in) {
          words want(n);
          std::iota(want.begin(), want.end(), 0u);
          std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) { return in[a] < in[b]; });
          ASSERT_EQ(at.download(), want) << n << " keys";
        });
    buffer<std::uint32_t> best(gpu, 50);
    expect_replays(
        s, x, [&] { top_k(gpu, x.span(), best.span()); },
        [&](const words& in) {
          words want = in_order(in);
          std::reverse(want.begin(), want.end());
          want.resize(50);
          ASSERT_EQ(best.download(), want) << n << " keys";
        });
  }
}

// Offsets of `n` keys in segments of one length; of 0: of lengths from none to more than a block sorts, mixed, with
// keys before the first and behind the last.
std::vector<std::uint64_t> cuts_of(std::uint64_t n, std::uint64_t length) {
  std::vector<std::uint64_t> cuts{length == 0 ? std::min<std::uint64_t>(n, 3) : 0};
  std::mt19937_64 random(n + length);
  const std::uint64_t end = length == 0 ? n - n / 50 : n;
  constexpr std::uint64_t most[]{1, 2, 15, 16, 17, 100, 1000, 4000, 9000, 50000};
  while (cuts.back() < end) {
    const std::uint64_t next = length == 0 ? random() % most[random() % std::size(most)] : length;
    cuts.push_back(std::min(end, cuts.back() + next));
  }
  return cuts;
}

// Where the keys of each segment come from.
template <class T, class Before>
words segments_in_order(const std::vector<T>& keys, const std::vector<std::uint64_t>& cuts, const Before& before) {
  words at(keys.size());
  std::iota(at.begin(), at.end(), 0u);
  for (std::size_t s = 0; s + 1 < cuts.size(); ++s)
    std::stable_sort(at.begin() + static_cast<std::ptrdiff_t>(cuts[s]),
                     at.begin() + static_cast<std::ptrdiff_t>(cuts[s + 1]),
                     [&](auto a, auto b) { return before(keys[a], keys[b]); });
  return at;
}

template <class T>
void expect_segments_in_order(const context& gpu, std::uint64_t n, std::uint64_t length, std::uint32_t below) {
  const words random = random_words(n, n + length, below);
  std::vector<T> keys(n);
  for (std::uint64_t i = 0; i < n; ++i) keys[i] = static_cast<T>(static_cast<T>(random[i]) * static_cast<T>(37));
  const std::vector<std::uint64_t> cuts = cuts_of(n, length);
  const words up = segments_in_order(keys, cuts, std::less<>{}), down = segments_in_order(keys, cuts, std::greater<>{});
  std::vector<std::uint64_t> tall(n);
  for (std::uint64_t i = 0; i < n; ++i) tall[i] = i << 20 | 5;
  const buffer<T> x(gpu, keys);
  const buffer<std::uint64_t> offsets(gpu, cuts), values(gpu, tall);
  buffer<T> y(gpu, n), in_place(gpu, keys);
  buffer<std::uint64_t> moved(gpu, n);
  words order(n);
  std::iota(order.begin(), order.end(), 0u);
  buffer<std::uint32_t> at(gpu, order);
  segmented_sort(gpu, x, y, offsets);
  const std::vector<T> alone = y.download();
  segmented_sort_by_key(gpu, in_place, at, offsets, {.descending = true});
  const std::vector<T> turned = in_place.download();
  const words turned_at = at.download();
  segmented_sort_by_key(gpu, x, values, y, moved, offsets);
  const std::vector<T> beside = y.download();
  const std::vector<std::uint64_t> followed = moved.download();
  for (std::uint64_t i = 0; i < n; ++i) {
    ASSERT_EQ(alone[i], keys[up[i]]) << i << " of " << n << " in segments of " << length;
    ASSERT_EQ(turned_at[i], down[i]) << i << " of " << n << " in segments of " << length;
    ASSERT_EQ(turned[i], keys[down[i]]) << i << " of " << n << " in segments of " << length;
    ASSERT_EQ(beside[i], keys[up[i]]) << i << " of " << n << " in segments of " << length;
    ASSERT_EQ(followed[i], tall[up[i]]) << i << " of " << n << " in segments of " << length;
  }
}

// Around what a thread, a block of either kernel, and a level of digits take.
TEST_F(SortCuda, SegmentsOfEveryLength) {
  const context gpu = context::cuda();
  for (std::uint64_t n : {1u, 31u, 1009u, 3839u, 3841u, 16381u, 200003u})
    for (std::uint64_t length : {0u,    1u,    2u,    12u,   13u,   15u,    16u,    31u,    100u,   2304u,
                                 2305u, 3840u, 3841u, 9216u, 9217u, 15360u, 15361u, 17408u, 17409u, 70001u})
      for (std::uint32_t below : {3u, ~0u}) {
        if (length > n || (n > 100000 && length % 100 > 10)) continue;
        expect_segments_in_order<std::uint32_t>(gpu, n, length, below);
        if (length % 2 == 1 || length == 0) expect_segments_in_order<std::int64_t>(gpu, n, length, below);
        if (length % 3 == 0) expect_segments_in_order<std::int16_t>(gpu, n, length, below);
        if (length % 3 == 1) expect_segments_in_order<float>(gpu, n, length, below);
      }
}

TEST_F(SortCuda, SegmentsInsideGraphs) {
  for (std::uint64_t n : {1000u, 20000u, 1000003u})
    for (std::uint64_t length : {0u, 900u, 15000u}) {
      const tests::cuda_stream s;
      const context gpu = context::cuda_on_stream(s.handle());
      const std::vector<std::uint64_t> cuts = cuts_of(n, length);
      buffer<std::uint32_t> x(gpu, n), y(gpu, n);
      const buffer<std::uint64_t> offsets(gpu, cuts);
      expect_replays(
          s, x, [&] { segmented_sort(gpu, x.span(), y.span(), offsets.span()); },
          [&](const words& in) {
            const words at = segments_in_order(in, cuts, std::less<>{});
            const words out = y.download();
            for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(out[i], in[at[i]]) << i << " of " << n;
          });
    }
}

// One thread, many streams, no waiting in between.
TEST_F(SortCuda, OnSeveralStreams) {
  constexpr int count = 6;
  std::vector<tests::cuda_stream> streams(count);
  std::vector<context> gpus;
  std::vector<buffer<std::uint32_t>> keys, values;
  std::vector<words> hosts;
  for (int i = 0; i < count; ++i) {
    gpus.push_back(context::cuda_on_stream(streams[i].handle()));
    const std::uint64_t n = 1000u << (2 * i);
    hosts.push_back(random_words(n, i));
    words order(n);
    std::iota(order.begin(), order.end(), 0u);
    keys.emplace_back(gpus[i], hosts[i]);
    values.emplace_back(gpus[i], order);
  }
  for (int turn = 0; turn < 3; ++turn)
    for (int i = 0; i < count; ++i) sort_by_key(gpus[i], keys[i].span(), values[i].span(), {.descending = turn == 1});
  for (int i = 0; i < count; ++i) {
    const words sorted = keys[i].download(), at = values[i].download();
    ASSERT_EQ(sorted, in_order(hosts[i])) << "stream " << i;
    for (std::uint64_t k = 0; k < at.size(); ++k) ASSERT_EQ(hosts[i][at[k]], sorted[k]) << "stream " << i;
  }
}

TEST_F(SortCuda, OnSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(6);
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([t, &wrong] {
      const context gpu = context::cuda();
      for (int turn = 0; turn < 20; ++turn) {
        const words host = random_words(10000u << t, 100 * t + turn);
        buffer<std::uint32_t> x(gpu, host);
        sort(gpu, x.span());
        if (x.download() != in_order(host)) ++wrong[t];
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, std::vector<int>(6));
}

// More tiles than the ring has rows, in managed memory of which here and there a page is the CPU's: the block that asks
// for it stands still, and all others go on.
TEST_F(SortCuda, ManagedMemoryWhosePagesComeLate) {
  int alike = 0;
  cudaDeviceGetAttribute(&alike, cudaDevAttrConcurrentManagedAccess, 0);
  if (!alike) GTEST_SKIP() << "the CPU and this GPU cannot use managed memory at once";
  const std::uint64_t n = 50'000'017;
  const context gpu = context::cuda();
  const auto managed = [&] {
    void* at = nullptr;
    EXPECT_EQ(cudaMallocManaged(&at, n * sizeof(std::uint32_t)), cudaSuccess);
    return std::unique_ptr<std::uint32_t[], decltype(&cudaFree)>(static_cast<std::uint32_t*>(at), cudaFree);
  };
  const auto keys = managed(), out = managed(), order = managed();
  ASSERT_TRUE(keys && out && order);
  for (std::uint64_t round = 0; round < 3; ++round) {
    const words host = random_words(n, round);
    upload(gpu, host, device_span<std::uint32_t>(keys.get(), n));
    reduce(gpu, device_span<const std::uint32_t>(out.get(), n));  // all pages are the GPU's
    reduce(gpu, device_span<const std::uint32_t>(order.get(), n));
    gpu.synchronize();
    for (std::uint64_t i = 1000 * round; i < n; i += std::uint64_t{1} << (18 + 2 * round))
      keys[i] ^= 1, out[i] = 0, order[i] = 0;
    sort(gpu, device_span<const std::uint32_t>(keys.get(), n), device_span<std::uint32_t>(out.get(), n));
    argsort(gpu, device_span<const std::uint32_t>(keys.get(), n), device_span<std::uint32_t>(order.get(), n));
    gpu.synchronize();
    const words want = in_order(words(keys.get(), keys.get() + n));
    ASSERT_TRUE(std::equal(want.begin(), want.end(), out.get())) << "round " << round;
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(keys[order[i]], want[i]) << "round " << round << ", place " << i;
  }
}

// Keys of which some digits are the same everywhere, so that some passes are skipped; sorted by bits of the image, with
// values, in place or not, from memory that is aligned for records of a key and a value or not.
template <class T, class V>
void expect_pairs(const context& gpu, const std::vector<T>& keys, const sort_options& options, bool in_place,
                  std::uint64_t offset) {
  const std::uint64_t n = keys.size();
  const order_window<order_image<T>> window(options.first_bit, options.last_bit, options.descending);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return window(order_bits(keys[a])) < window(order_bits(keys[b]));
  });
  std::vector<T> padded(n + 8);
  std::vector<V> values(n + 8);
  std::copy(keys.begin(), keys.end(), padded.begin() + offset);
  std::iota(values.begin(), values.end(), V{5});
  buffer<T> x(gpu, padded), y(gpu, n + 8);
  buffer<V> v(gpu, values), w(gpu, n + 8);
  const auto from = x.span().subspan(offset, n), to = in_place ? from : y.span().subspan(offset, n);
  const auto values_from = v.span().subspan(offset, n),
             values_to = in_place ? values_from : w.span().subspan(offset, n);
  sort_by_key(gpu, from, values_from, to, values_to, options);
  const std::vector<T> sorted = in_place ? x.download() : y.download();
  const std::vector<V> moved = in_place ? v.download() : w.download();
  for (std::uint64_t i = 0; i < n; ++i) {
    ASSERT_EQ(std::memcmp(&sorted[offset + i], &keys[order[i]], sizeof(T)), 0) << i << " of " << n;
    ASSERT_EQ(moved[offset + i], values[offset + order[i]]) << i << " of " << n;
  }
  sort(gpu, x.span().subspan(offset, n), options);  // once more alone: in order already where that was in place
  const std::vector<T> alone = x.download();
  for (std::uint64_t i = 0; i < n; ++i)
    ASSERT_EQ(std::memcmp(&alone[offset + i], &keys[order[i]], sizeof(T)), 0) << i << " of " << n;
}

template <class T, class V>
void expect_pairs_of_all_kinds(std::uint64_t n) {
  const context gpu = context::cuda();
  using image = order_image<T>;
  std::mt19937_64 random(n);
  for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0xff00}, std::uint64_t{0xff00ff},
                                   std::uint64_t{0xff00ff00ff00ff}, std::uint64_t{0}}) {
    std::vector<T> keys(n);
    for (T& key : keys) {
      image bits = static_cast<image>(random() & mask);
      // NaNs of many payloads, infinities, and zeros of both signs.
      if (mask == ~std::uint64_t{0} && random() % 4 == 0)
        bits = static_cast<image>((random() % 2 ? infinity_bits<image> | (random() % 2 ? bits : 0) : 0) |
                                  (random() % 2 ? image{1} << (8 * sizeof(T) - 1) : 0));
      std::memcpy(&key, &bits, sizeof key);
    }
    for (const sort_options& options :
         {sort_options{}, sort_options{.descending = true}, sort_options{.first_bit = 5, .last_bit = 27}})
      for (const bool in_place : {false, true})
        expect_pairs<T, V>(gpu, keys, options, in_place, in_place == options.descending ? 1 : 0);
  }
}

TEST_F(SortCuda, Pairs) {
  for (const std::uint64_t n : {1001u, 70001u, 200001u}) {
    expect_pairs_of_all_kinds<std::uint32_t, std::uint32_t>(n);
    expect_pairs_of_all_kinds<std::uint64_t, std::uint64_t>(n);
    expect_pairs_of_all_kinds<std::uint64_t, std::uint32_t>(n);
    expect_pairs_of_all_kinds<float, std::uint32_t>(n);
    expect_pairs_of_all_kinds<float, std::uint64_t>(n);
    expect_pairs_of_all_kinds<double, std::uint32_t>(n);
    expect_pairs_of_all_kinds<double, std::uint64_t>(n);
  }
}

struct point {
  std::int32_t x, y, z;
};

struct by_y {
  UPSWEEP_HD bool operator()(const point& a, const point& b) const { return a.y < b.y; }
};

struct wide {
  double values[40];
};

struct by_first {
  UPSWEEP_HD bool operator()(const wide& a, const wide& b) const { return a.values[0] < b.values[0]; }
};

std::vector<point> random_points(std::uint64_t n, std::uint32_t below) {
  const words y = random_words(n, n + 5, below);
  std::vector<point> all(n);
  for (std::uint64_t i = 0; i < n; ++i)
    all[i] = {static_cast<std::int32_t>(i), static_cast<std::int32_t>(y[i]) - 50, 7};
  return all;
}

TEST_F(SortCuda, Comparators) {
  const context gpu = context::cuda();
  for (std::uint64_t n : {0u, 1u, 2u, 7u, 127u, 1023u, 1024u, 1025u, 3000u, 70001u, 1000003u}) {
    const std::vector<point> host = random_points(n, n % 2 ? 100 : 1000000);
    std::vector<point> want = host;
    std::stable_sort(want.begin(), want.end(), by_y{});
    buffer<point> x(gpu, host), y(gpu, n);
    sort(gpu, x.span(), y.span(), by_y{});
    const std::vector<point> got = y.download();
    for (std::uint64_t i = 0; i < n; ++i)
      ASSERT_TRUE(got[i].x == want[i].x && got[i].y == want[i].y && got[i].z == 7) << i << " of " << n;
    EXPECT_TRUE(is_sorted(gpu, y.span(), by_y{}));
    EXPECT_EQ(is_sorted_until(gpu, x.span(), by_y{}),
              static_cast<std::uint64_t>(std::is_sorted_until(host.begin(), host.end(), by_y{}) - host.begin()));
    // With values, and as indices.
    std::vector<double> numbers(n);
    for (std::uint64_t i = 0; i < n; ++i) numbers[i] = static_cast<double>(i) + 0.5;
    buffer<double> values(gpu, numbers);
    buffer<std::uint32_t> at(gpu, n);
    argsort(gpu, x.span(), at.span(), by_y{});
    sort_by_key(gpu, x.span(), values.span(), by_y{});
    const std::vector<double> moved = values.download();
    const words order = at.download();
    for (std::uint64_t i = 0; i < n; ++i)
      ASSERT_TRUE(moved[i] == want[i].x + 0.5 && order[i] == static_cast<std::uint32_t>(want[i].x)) << i << " of " << n;
    // Merged with others.
    std::vector<point> other = random_points(n / 3 + 10, 200), joined(n + other.size());
    std::stable_sort(other.begin(), other.end(), by_y{});
    std::merge(want.begin(), want.end(), other.begin(), other.end(), joined.begin(), by_y{});
    buffer<point> second(gpu, other), both(gpu, joined.size());
    merge(gpu, y.span(), second.span(), both.span(), by_y{});
    const std::vector<point> merged = both.download();
    for (std::uint64_t i = 0; i < joined.size(); ++i)
      ASSERT_TRUE(merged[i].x == joined[i].x && merged[i].y == joined[i].y) << i << " of " << joined.size();
    // From host memory.
    std::vector<point> here = host;
    sort(gpu, here, by_y{});
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(here[i].x, want[i].x);
  }
}

TEST_F(SortCuda, ComparatorsOfLargeElements) {
  const context gpu = context::cuda();
  std::vector<wide> host(5003);
  for (std::uint64_t i = 0; i < host.size(); ++i)
    for (int k = 0; k < 40; ++k)
      host[i].values[k] = k == 0 ? static_cast<double>(i * 7919 % 500) : static_cast<double>(i);
  buffer<wide> x(gpu, host);
  sort(gpu, x.span(), by_first{});
  std::stable_sort(host.begin(), host.end(), by_first{});
  const std::vector<wide> got = x.download();
  EXPECT_EQ(std::memcmp(got.data(), host.data(), host.size() * sizeof(wide)), 0);
}

template <int Bytes>
struct alignas(Bytes % 16 == 0  ? 16
               : Bytes % 8 == 0 ? 8
               : Bytes % 4 == 0 ? 4
                                : 1) record {
  unsigned char key, at[Bytes - 1];
};
struct by_key {
  template <class R>
  UPSWEEP_HD bool operator()(const R& a, const R& b) const {
    return a.key / 2 < b.key / 2;
  }
};

template <class T>
std::vector<T> random_bytes(std::uint64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(n);
  auto* const bytes = reinterpret_cast<unsigned char*>(x.data());
  for (std::uint64_t i = 0; i < n * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(random() >> 13);
  return x;
}
template <class T>
void expect_same_bytes(const std::vector<T>& got, const std::vector<T>& want, std::uint64_t n) {
  EXPECT_EQ(std::memcmp(got.data(), want.data(), n * sizeof(T)), 0) << n << " of " << sizeof(T) << " bytes";
}

// Keys and values of these sizes: in place and not, at the type's alignment only, without a write outside the output.
template <class K, class V>
void expect_sorted_by_key(const context& gpu, std::uint64_t n) {
  const auto keys = random_bytes<K>(n + 2, n);
  const auto values = random_bytes<V>(n + 2, n + 1);
  std::vector<std::uint64_t> order(n);
  std::iota(order.begin(), order.end(), std::uint64_t{1});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return by_key{}(keys[a], keys[b]); });
  std::vector<K> want_keys = keys;
  std::vector<V> want_values = values;
  std::vector<std::uint64_t> want_order(n);
  for (std::uint64_t i = 0; i < n; ++i)
    want_keys[i + 1] = keys[order[i]], want_values[i + 1] = values[order[i]], want_order[i] = order[i] - 1;
  const buffer<K> x(gpu, keys);
  const buffer<V> v(gpu, values);
  buffer<K> y(gpu, keys), z(gpu, keys);
  buffer<V> w(gpu, values), u(gpu, values);
  buffer<std::uint64_t> at(gpu, n);
  sort(gpu, x.span().subspan(1, n), y.span().subspan(1, n), by_key{});
  expect_same_bytes(y.download(), want_keys, n);
  sort_by_key(gpu, x.span().subspan(1, n), v.span().subspan(1, n), y.span().subspan(1, n), w.span().subspan(1, n),
              by_key{});
  expect_same_bytes(y.download(), want_keys, n);
  expect_same_bytes(w.download(), want_values, n);
  sort_by_key(gpu, z.span().subspan(1, n), u.span().subspan(1, n), by_key{});
  expect_same_bytes(z.download(), want_keys, n);
  expect_same_bytes(u.download(), want_values, n);
  argsort(gpu, x.span().subspan(1, n), at.span(), by_key{});
  EXPECT_EQ(at.download(), want_order) << n << " of " << sizeof(K) << " bytes";
  expect_same_bytes(x.download(), keys, n);
}

TEST_F(SortCuda, ComparatorsOfEverySize) {
  const context gpu = context::cuda();
  for (const std::uint64_t n : {1u, 2u, 31u, 33u, 1275u, 2559u, 2560u, 2561u, 10241u, 40963u}) {
    expect_sorted_by_key<record<1>, record<16>>(gpu, n);
    expect_sorted_by_key<record<3>, std::uint8_t>(gpu, n);
    expect_sorted_by_key<record<8>, double>(gpu, n);
    expect_sorted_by_key<record<12>, std::uint16_t>(gpu, n);
    expect_sorted_by_key<record<32>, std::uint64_t>(gpu, n);
  }
  expect_sorted_by_key<record<400>, record<400>>(gpu, 3001);
  expect_sorted_by_key<record<1272>, std::uint64_t>(gpu, 1001);
  expect_sorted_by_key<record<8>, double>(gpu, 3000017);
}

TEST_F(SortCuda, ComparatorsInsideGraphs) {
  const tests::cuda_stream stream;
  const context gpu = context::cuda_on_stream(stream.handle());
  for (const std::uint64_t n : {1000u, 70001u, 3000017u}) {
    buffer<record<8>> x(gpu, n), y(gpu, n);
    buffer<std::uint64_t> at(gpu, n);
    const auto enqueue = [&] {
      sort(gpu, x.span(), y.span(), by_key{});
      argsort(gpu, x.span(), at.span(), by_key{});
    };
    x.upload(random_bytes<record<8>>(n, 1));
    enqueue();
    const tests::recording recorded(stream, enqueue);
    for (std::uint64_t seed = 2; seed < 4; ++seed) {
      auto want = random_bytes<record<8>>(n, seed);
      x.upload(want);
      recorded.run();
      const std::vector<std::uint64_t> order = at.download();
      const auto got = y.download();
      for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(std::memcmp(&got[i], &want[order[i]], 8), 0) << i << " of " << n;
      std::stable_sort(want.begin(), want.end(), by_key{});
      expect_same_bytes(got, want, n);
    }
  }
}

// At the type's alignment only, each operand at another offset, without a write outside the output.
template <class K>
void expect_merged(const context& gpu, std::uint64_t n, std::uint64_t m) {
  const std::uint64_t a_at = n % 4, b_at = (n + m) % 5, out_at = m % 7;
  auto a = random_bytes<K>(a_at + n, n + 1), b = random_bytes<K>(b_at + m, m + 2),
       want = random_bytes<K>(out_at + n + m + 9, n + m);
  const auto from = [](std::vector<K>& x, std::uint64_t at) { return x.begin() + static_cast<std::ptrdiff_t>(at); };
  std::stable_sort(from(a, a_at), a.end(), by_key{});
  std::stable_sort(from(b, b_at), b.end(), by_key{});
  const buffer<K> x(gpu, a), y(gpu, b);
  buffer<K> out(gpu, want);
  merge(gpu, x.span().subspan(a_at, n), y.span().subspan(b_at, m), out.span().subspan(out_at, n + m), by_key{});
  std::merge(from(a, a_at), a.end(), from(b, b_at), b.end(), from(want, out_at), by_key{});
  SCOPED_TRACE(std::to_string(n) + " and " + std::to_string(m));
  expect_same_bytes(out.download(), want, want.size());
}

TEST_F(SortCuda, MergingByComparators) {
  const context gpu = context::cuda();
  for (const auto& [n, m] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 1},
                                                                                 {1, 0},
                                                                                 {1, 1},
                                                                                 {31, 2000},
                                                                                 {33, 31},
                                                                                 {2295, 2295},
                                                                                 {1919, 1},
                                                                                 {960, 961},
                                                                                 {100003, 7},
                                                                                 {5, 70001},
                                                                                 {300007, 200003}}) {
    expect_merged<record<1>>(gpu, n, m);
    expect_merged<record<2>>(gpu, n, m);
    expect_merged<record<3>>(gpu, n, m);
    expect_merged<record<4>>(gpu, n, m);
    expect_merged<record<8>>(gpu, n, m);
    expect_merged<record<12>>(gpu, n, m);
    expect_merged<record<16>>(gpu, n, m);
    expect_merged<record<32>>(gpu, n, m);
  }
  expect_merged<record<40>>(gpu, 3001, 20011);
  expect_merged<record<400>>(gpu, 301, 2003);
  expect_merged<record<1272>>(gpu, 1001, 333);
}

struct by_upper_half {
  UPSWEEP_HD bool operator()(std::uint64_t a, std::uint64_t b) const { return a >> 32 < b >> 32; }
};

std::vector<std::uint64_t> numbers(std::uint64_t n, const std::function<std::uint64_t(std::uint64_t)>& number) {
  std::vector<std::uint64_t> x(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = number(i);
  return x;
}
void expect_merged_numbers(const context& gpu, const std::vector<std::uint64_t>& a,
                           const std::vector<std::uint64_t>& b) {
  std::vector<std::uint64_t> want(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin(), by_upper_half{});
  const buffer<std::uint64_t> x(gpu, a), y(gpu, b);
  buffer<std::uint64_t> out(gpu, want.size());
  merge(gpu, x, y, out, by_upper_half{});
  EXPECT_TRUE(out.download() == want) << a.size() << " and " << b.size();
}

// What stands far from where it would, were both spread evenly; in one launch, and so much that one before it cuts it.
TEST_F(SortCuda, MergingWhatIsSpreadUnevenly) {
  const context gpu = context::cuda();
  for (const auto& [n, m] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {1200007, 800011}, {5000011, 1000003}, {10000019, 8000009}}) {
    const auto equal = numbers(m, [](std::uint64_t i) { return i | 1ull << 31; });
    expect_merged_numbers(gpu, numbers(n, [](std::uint64_t i) { return i; }), equal);
    expect_merged_numbers(gpu, numbers(n, [](std::uint64_t i) { return i | 1ull << 40; }), equal);
    expect_merged_numbers(gpu, numbers(n, [](std::uint64_t i) { return i | (i > 1000000 ? i << 32 : 0); }),
                          numbers(m, [](std::uint64_t i) { return (i << 32) + (std::uint64_t{1} << 52); }));
    expect_merged_numbers(gpu, numbers(n, [](std::uint64_t i) { return i / 300 << 32 | i; }),
                          numbers(m, [](std::uint64_t i) { return i / 70000 << 44 | i; }));
  }
}

struct always {
  UPSWEEP_HD bool operator()(std::uint32_t, std::uint32_t) const { return true; }
};
struct dice {
  UPSWEEP_HD bool operator()(std::uint32_t a, std::uint32_t b) const {
    return ((a * 0x9e3779b1u) ^ (b * 0x85ebca6bu)) >> 13 & 1;
  }
};

// Inconsistent comparators: the call ends, and memory outside the operands is unchanged.
template <class Compare>
void expect_ends(const context& gpu, const Compare& compare) {
  for (std::uint64_t n : {2u, 1000u, 1024u, 100003u, 3000017u}) {
    words host(n + 64, 0xa5a5a5a5u);
    std::iota(host.begin() + 32, host.end() - 32, 0u);
    buffer<std::uint32_t> x(gpu, host), y(gpu, host);
    sort_by_key(gpu, x.span().subspan(32, n), y.span().subspan(32, n), compare);
    sort(gpu, x.span().subspan(32, n), compare);
    for (const words& after : {x.download(), y.download()})
      for (std::uint64_t i = 0; i < after.size(); ++i) {
        if (i < 32 || i >= n + 32) {
          ASSERT_EQ(after[i], 0xa5a5a5a5u) << i << " of " << n;
        } else {
          ASSERT_LT(after[i], n);
        }
      }
  }
}

// The requested number of elements of each side is merged, whatever they are, without a write outside the output.
template <class Compare>
void expect_merge_ends(const context& gpu, const Compare& compare) {
  for (const auto& [n, m] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{2, 1}, {1000, 1024}, {7, 100003}, {1000003, 700001}}) {
    const words a(n, 1), b(m, 2);
    const buffer<std::uint32_t> x(gpu, a), y(gpu, b);
    buffer<std::uint32_t> out(gpu, words(n + m + 64, 0xa5a5a5a5u));
    merge(gpu, x, y, out.span().subspan(32, n + m), compare);
    const words after = out.download();
    for (std::uint64_t i = 0; i < after.size(); ++i)
      if (i < 32 || i >= n + m + 32) {
        ASSERT_EQ(after[i], 0xa5a5a5a5u) << i << " of " << n << " and " << m;
      } else {
        ASSERT_TRUE(after[i] == 1 || after[i] == 2) << i << " of " << n << " and " << m;
      }
  }
}

TEST_F(SortCuda, BadComparatorsEnd) {
  const context gpu = context::cuda();
  expect_ends(gpu, always{});
  expect_ends(gpu, dice{});
  expect_merge_ends(gpu, always{});
  expect_merge_ends(gpu, dice{});
}

}  // namespace
