// select.hpp's contract, line by line, on every usable device. The algorithms themselves are checked through the
// catalog.
#include "upsweep/select.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "tests/devices.hpp"
#include "tests/small_device.hpp"

namespace upsweep {
namespace {

using detail::select_impl::primitive;
using detail::select_impl::problem;
using tests::expect_error;
using floats = std::vector<float>;
using words = std::vector<std::uint32_t>;
using counts = std::vector<std::uint64_t>;
using bytes = std::vector<std::uint8_t>;

bool has(const context& where, primitive what) {
  const auto all = catalog();
  return std::any_of(all.begin(), all.end(),
                     [&](const variant& v) { return v.what == what && v.where == where.kind(); });
}

// A backend without the primitives has nothing to be held to.
struct SelectOn : tests::on_each_device {
  void SetUp() override {
    for (primitive what :
         {primitive::select, primitive::run_lengths, primitive::expand_runs, primitive::gather, primitive::scatter_if})
      if (!has(where(), what)) GTEST_SKIP() << "there is no " << name_of(what) << " on " << where().name();
  }
};
INSTANTIATE_TEST_SUITE_P(, SelectOn, testing::ValuesIn(tests::device_names()), tests::device_label);

words random_words(std::uint64_t n, std::uint32_t below, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  words x(n);
  for (std::uint32_t& e : x) e = static_cast<std::uint32_t>(random() >> 11) % below;
  return x;
}

template <class T>
std::vector<T> first(std::vector<T> x, std::uint64_t count) {
  x.resize(count);
  return x;
}

TEST_P(SelectOn, CopyIf) {
  const floats x{0.1f, 0.9f, 0.2f, 0.5f, 0.4f};
  floats y(5, 7.0f);
  EXPECT_EQ(copy_if(where(), x, y, less_than(0.5f)), 3u);
  EXPECT_EQ(y, (floats{0.1f, 0.2f, 0.4f, 7, 7}));
  EXPECT_EQ(copy_if(where(), x, y, at_most(0.5f)), 4u);
  EXPECT_EQ(copy_if(where(), x, y, greater_than(0.5f)), 1u);
  EXPECT_EQ(copy_if(where(), x, y, at_least(0.5f)), 2u);
  EXPECT_EQ(copy_if(where(), x, y, equal_to(0.5f)), 1u);
  EXPECT_EQ(copy_if(where(), x, y, not_equal_to(0.5f)), 4u);
}

// A NaN passes != and nothing else, as in C++.
TEST_P(SelectOn, NaNAndZeros) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const floats x{nan, -0.0f, 0.0f, nan, 1};
  floats y(5);
  EXPECT_EQ(copy_if(where(), x, y, less_than(2.0f)), 3u);
  EXPECT_EQ(copy_if(where(), x, y, equal_to(nan)), 0u);
  EXPECT_EQ(copy_if(where(), x, y, not_equal_to(1.0f)), 4u);
  EXPECT_EQ(copy_if(where(), x, y, equal_to(0.0f)), 2u);
  const floats runs{nan, nan, -0.0f, 0.0f, 0.0f};
  EXPECT_EQ(unique(where(), runs, y), 3u);
  EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]) && y[2] == 0 && std::signbit(y[2]));
}

TEST_P(SelectOn, CountStaysOnTheDevice) {
  const words host = random_words(50021, 1000);
  const std::uint64_t want =
      static_cast<std::uint64_t>(std::count_if(host.begin(), host.end(), [](auto v) { return v < 300; }));
  buffer<std::uint32_t> x(where(), host), y(where(), host.size());
  buffer<std::uint64_t> count(where(), 2);
  copy_if(where(), x.span(), y.span(), count.span().subspan(0, 1), less_than(300u));
  EXPECT_EQ(count.download()[0], want);
  EXPECT_EQ(copy_if(where(), x.span(), y.span(), less_than(300u)), want);
  words kept;
  std::copy_if(host.begin(), host.end(), std::back_inserter(kept), [](auto v) { return v < 300; });
  EXPECT_EQ(first(y.download(), want), kept);
  three_way_partition(where(), x.span(), y.span(), count.span(), less_than(300u), equal_to(500u));
  EXPECT_EQ(count.download(), (counts{want, static_cast<std::uint64_t>(std::count(host.begin(), host.end(), 500u))}));
  const buffer<std::uint32_t>& constant = x;
  unique(where(), constant.span(), y.span(), count.span());
  run_length_encode(where(), constant.span(), y.span(), buffer<std::uint64_t>(where(), host.size()).span(),
                    count.span());
}

TEST_P(SelectOn, Flagged) {
  const words x{10, 11, 12, 13};
  const bytes flags{0, 1, 255, 0};
  words y(4, 99);
  EXPECT_EQ(select_flagged(where(), x, flags, y), 2u);
  EXPECT_EQ(y, (words{11, 12, 99, 99}));
  buffer<std::uint32_t> bx(where(), x), by(where(), 4);
  buffer<std::uint8_t> bf(where(), flags);
  EXPECT_EQ(select_flagged(where(), bx.span(), bf.span(), by.span()), 2u);
  EXPECT_EQ(by.download()[1], 12u);
}

TEST_P(SelectOn, FlagsMayBeBools) {
  const words x{10, 11, 12, 13};
  const bool flags[]{false, true, true, false};
  words y(4, 99);
  EXPECT_EQ(select_flagged(where(), x, flags, y), 2u);
  EXPECT_EQ(y, (words{11, 12, 99, 99}));
  buffer<std::uint32_t> bx(where(), x), by(where(), 4);
  buffer<bool> bf(where(), std::span<const bool>(flags));
  buffer<std::uint64_t> count(where(), 1);
  EXPECT_EQ(select_flagged(where(), bx.span(), bf.span(), by.span()), 2u);
  select_flagged(where(), bx.span(), bf.span(), by.span(), count.span());
  EXPECT_EQ(count.download()[0], 2u);
  EXPECT_EQ(by.download()[1], 12u);
}

TEST_P(SelectOn, UniqueByKey) {
  const words keys{5, 5, 6, 5, 5};
  const std::vector<double> values{1, 2, 3, 4, 5};
  words k(5);
  std::vector<double> v(5);
  EXPECT_EQ(unique_by_key(where(), keys, values, k, v), 3u);
  EXPECT_EQ(first(k, 3), (words{5, 6, 5}));
  EXPECT_EQ(first(v, 3), (std::vector<double>{1, 3, 4}));
}

TEST_P(SelectOn, Partitions) {
  const words x{5, 1, 9, 2, 8, 3, 7};
  words y(7);
  EXPECT_EQ(partition(where(), x, y, less_than(5u)), 3u);
  EXPECT_EQ(y, (words{1, 2, 3, 5, 9, 8, 7}));
  EXPECT_EQ(three_way_partition(where(), x, y, greater_than(7u), less_than(3u)), (std::array<std::uint64_t, 2>{2, 2}));
  EXPECT_EQ(y, (words{9, 8, 1, 2, 5, 3, 7}));
}

TEST_P(SelectOn, RunsAndBack) {
  const bytes x{7, 7, 7, 1, 2, 2};
  bytes firsts(6), back(6);
  counts lengths(6);
  const std::uint64_t runs = run_length_encode(where(), x, firsts, lengths);
  ASSERT_EQ(runs, 3u);
  EXPECT_EQ(first(firsts, 3), (bytes{7, 1, 2}));
  EXPECT_EQ(first(lengths, 3), (counts{3, 1, 2}));
  run_length_decode(where(), first(firsts, 3), first(lengths, 3), back);
  EXPECT_EQ(back, x);
  // Lengths of none, and elements as large as a pair.
  const std::vector<double> few{1.5, 2.5, 3.5};
  std::vector<double> many(3);
  run_length_decode(where(), few, counts{0, 3, 0}, many);
  EXPECT_EQ(many, (std::vector<double>{2.5, 2.5, 2.5}));
}

TEST_P(SelectOn, GatherAndScatter) {
  const floats x{10, 11, 12, 13};
  floats y(3), z(4, -1);
  gather(where(), x, counts{3, 0, 3}, y);
  EXPECT_EQ(y, (floats{13, 10, 13}));
  // An index that is not flagged may be anything.
  scatter_if(where(), x, counts{2, 99, 0, 3}, bytes{1, 0, 1, 0}, z);
  EXPECT_EQ(z, (floats{12, -1, 10, -1}));
  buffer<float> bx(where(), x), by(where(), 3), bz(where(), z);
  buffer<std::uint64_t> bi(where(), counts{3, 0, 3}), bj(where(), counts{2, 1, 0, 3});
  buffer<std::uint8_t> flags(where(), bytes{0, 1, 0, 1});
  gather(where(), bx.span(), bi.span(), by.span());
  EXPECT_EQ(by.download(), y);
  scatter_if(where(), bx.span(), bj.span(), flags.span(), bz.span());
  EXPECT_EQ(bz.download(), (floats{12, 11, 10, 13}));
}

TEST_P(SelectOn, NothingAndOne) {
  words none, one{7}, out(1, 3);
  counts lengths(1);
  EXPECT_EQ(copy_if(where(), none, none, less_than(1u)), 0u);
  EXPECT_EQ(unique(where(), none, none), 0u);
  EXPECT_EQ(unique(where(), one, out), 1u);
  EXPECT_EQ(out[0], 7u);
  EXPECT_EQ(partition(where(), none, none, less_than(1u)), 0u);
  EXPECT_EQ(run_length_encode(where(), one, out, lengths), 1u);
  EXPECT_EQ(lengths[0], 1u);
  EXPECT_NO_THROW(run_length_decode(where(), none, counts{}, none));
  EXPECT_NO_THROW(gather(where(), one, counts{}, none));
  // Nothing passes, everything passes.
  const words x = random_words(3001, 100);
  words y(x.size());
  EXPECT_EQ(copy_if(where(), x, y, less_than(0u)), 0u);
  EXPECT_EQ(copy_if(where(), x, y, less_than(100u)), x.size());
  EXPECT_EQ(y, x);
}

TEST_P(SelectOn, SizesThatDiffer) {
  words x(10), y(9);
  expect_error(fault::bad_argument, {"copy_if", "9 elements", "10 are kept"},
               [&] { copy_if(where(), x, y, less_than(1u)); });
  expect_error(fault::bad_argument, {"partition", "10 elements", "9"},
               [&] { partition(where(), x, y, less_than(1u)); });
  expect_error(fault::bad_argument, {"select_flagged", "flags"}, [&] { select_flagged(where(), x, bytes(9), x); });
  expect_error(fault::bad_argument, {"unique_by_key", "keys", "values 9"}, [&] { unique_by_key(where(), x, y, x, y); });
  expect_error(fault::bad_argument, {"run_length_decode", "lengths"},
               [&] { run_length_decode(where(), x, counts(9), y); });
  expect_error(fault::bad_argument, {"gather", "indices"}, [&] { gather(where(), x, counts(10), y); });
  expect_error(fault::bad_argument, {"scatter_if", "flags"}, [&] { scatter_if(where(), x, counts(10), bytes(9), y); });
}

TEST_P(SelectOn, BadContents) {
  words x(10), y(3);
  expect_error(fault::bad_argument, {"run_length_decode", "add up to 4", "3 elements"},
               [&] { run_length_decode(where(), first(x, 2), counts{1, 3}, y); });
  expect_error(fault::bad_argument, {"add up to more than 2^64"},
               [&] { run_length_decode(where(), first(x, 2), counts{~0ull, 4}, y); });
  expect_error(fault::bad_argument, {"gather", "index 1 is 10", "10 elements"},
               [&] { gather(where(), x, counts{9, 10, 0}, y); });
  expect_error(fault::bad_argument, {"scatter_if", "index 2 is 3"},
               [&] { scatter_if(where(), y, counts{0, 7, 3}, bytes{1, 0, 1}, words(3)); });
}

TEST_P(SelectOn, OverlapIsRefused) {
  buffer<std::uint32_t> b(where(), 100);
  buffer<std::uint64_t> count(where(), 1);
  expect_error(fault::bad_argument, {"copy_if", "overlap"}, [&] {
    copy_if(where(), b.span().subspan(1, 50), b.span().subspan(0, 50), count.span(), less_than(1u));
  });
  expect_error(fault::bad_argument, {"unique", "overlap"},
               [&] { unique(where(), b.span().subspan(0, 50), b.span().subspan(49, 50)); });
  words host(100);
  const auto all = std::span(host);
  expect_error(fault::bad_argument, {"partition", "overlap"},
               [&] { partition(where(), all.first(99), all.last(99), less_than(1u)); });
  EXPECT_NO_THROW(unique(where(), b.span().subspan(0, 50), b.span().subspan(50, 50)));
}

TEST_P(SelectOn, AnyAlignment) {
  const words host = random_words(3000, 10);
  buffer<std::uint32_t> in(where(), host), out(where(), host.size());
  for (std::uint64_t a = 0; a < 4; ++a)
    for (std::uint64_t b = 0; b < 4; ++b)
      for (std::uint64_t n : {1, 31, 1000, 2996}) {
        words want;
        std::copy_if(host.begin() + a, host.begin() + a + n, std::back_inserter(want), [](auto v) { return v >= 5; });
        where().device().fill(out.span().where(), 0xee, 3000 * 4);
        ASSERT_EQ(copy_if(where(), in.span().subspan(a, n), out.span().subspan(b, n), at_least(5u)), want.size());
        words all(3000, 0xeeeeeeee);
        std::copy(want.begin(), want.end(), all.begin() + b);
        ASSERT_EQ(out.download(), all) << "from " << a << " to " << b << ", " << n << " elements";
      }
}

TEST_P(SelectOn, SecondCallAllocatesNothing) {
  const context fresh = context::named(GetParam());
  buffer<float> x(fresh, 1 << 20), y(fresh, 1 << 20);
  buffer<std::uint64_t> count(fresh, 1), lengths(fresh, 1 << 20);
  fresh.device().fill(x.span().where(), 0, 4 << 20);
  const auto all = [&] {
    copy_if(fresh, x.span(), y.span(), count.span(), less_than(1.0f));
    partition(fresh, x.span(), y.span(), count.span(), less_than(1.0f));
    unique(fresh, x.span(), y.span(), count.span());
    run_length_encode(fresh, x.span(), y.span(), lengths.span(), count.span());
  };
  all();
  const std::uint64_t before = fresh.temporary_storage_allocations();
  all();
  EXPECT_EQ(fresh.temporary_storage_allocations(), before);
}

// Work is done in the order it was given, without waiting in between: the count of one call is an element of the next.
TEST_P(SelectOn, CallsQueueUp) {
  const words host = random_words(20000, 100);
  buffer<std::uint32_t> x(where(), host), y(where(), host.size()), z(where(), host.size());
  buffer<std::uint64_t> count(where(), 3);
  for (std::uint64_t i = 0; i < 3; ++i)
    copy_if(where(), x.span(), y.span(), count.span().subspan(i, 1), less_than(static_cast<std::uint32_t>(20 * i)));
  const counts got = count.download();
  for (std::uint64_t i = 0; i < 3; ++i)
    EXPECT_EQ(got[i],
              static_cast<std::uint64_t>(std::count_if(host.begin(), host.end(), [&](auto v) { return v < 20 * i; })));
}

TEST_P(SelectOn, ContextsWorkAtOnce) {
  const words host = random_words(100003, 1000);
  words want;
  std::copy_if(host.begin(), host.end(), std::back_inserter(want), [](auto v) { return v < 400; });
  std::vector<int> right(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const context mine = context::named(GetParam());
      words out(host.size());
      for (int i = 0; i < 5; ++i) {
        const std::uint64_t kept = copy_if(mine, host, out, less_than(400u));
        right[static_cast<std::size_t>(t)] += first(out, kept) == want;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, (std::vector<int>{5, 5, 5, 5}));
}

// ---- Tests and types of the user's own, on the CPU. Under nvcc they are in test_select.cu.

struct point {
  std::int32_t x, y, z;
  friend bool operator==(const point&, const point&) = default;
};

struct SelectCustom : testing::TestWithParam<int> {
  context where() const { return context::cpu(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Threads, SelectCustom, testing::Values(1, 3));

TEST_P(SelectCustom, Tests) {
  const words x = random_words(200003, 1000);
  const auto odd = [](std::uint32_t v) { return v % 2 == 1; };
  words y(x.size()), want;
  std::copy_if(x.begin(), x.end(), std::back_inserter(want), odd);
  EXPECT_EQ(copy_if(where(), x, y, odd), want.size());
  EXPECT_EQ(first(y, want.size()), want);
  words parted = x;
  std::stable_partition(parted.begin(), parted.end(), odd);
  EXPECT_EQ(partition(where(), x, y, odd), want.size());
  EXPECT_EQ(y, parted);
  const auto sizes = three_way_partition(where(), x, y, odd, [](std::uint32_t v) { return v % 4 == 0; });
  std::stable_partition(parted.begin() + static_cast<std::ptrdiff_t>(want.size()), parted.end(),
                        [](std::uint32_t v) { return v % 4 == 0; });
  EXPECT_EQ(y, parted);
  EXPECT_EQ(sizes[0], want.size());
}

TEST_P(SelectCustom, Types) {
  std::vector<point> x;
  for (std::uint32_t v : random_words(50021, 4)) x.push_back({static_cast<int>(v), 2, 3});
  std::vector<point> y(x.size()), firsts(x.size()), back(x.size());
  std::vector<point> want = x;
  want.erase(std::unique(want.begin(), want.end()), want.end());
  EXPECT_EQ(unique(where(), x, y), want.size());
  EXPECT_EQ(first(y, want.size()), want);
  counts lengths(x.size());
  const std::uint64_t runs = run_length_encode(where(), x, firsts, lengths);
  EXPECT_EQ(runs, want.size());
  run_length_decode(where(), first(firsts, runs), first(lengths, runs), back);
  EXPECT_EQ(back, x);
  counts indices(x.size());
  for (std::uint64_t i = 0; i < indices.size(); ++i) indices[i] = indices.size() - 1 - i;
  gather(where(), x, indices, y);
  EXPECT_EQ(y[0], x.back());
  scatter_if(where(), x, indices, bytes(x.size(), 1), back);
  EXPECT_EQ(back, y);
  const std::vector<std::string> names{"a", "a", "b"};
  std::vector<std::string> kept(3);
  EXPECT_EQ(unique(where(), names, kept), 2u);
  EXPECT_EQ(kept[1], "b");
}

// What a test throws reaches the caller.
TEST_P(SelectCustom, TestsMayThrow) {
  const words x = random_words(200003, 1000);
  words y(x.size());
  EXPECT_THROW(copy_if(where(), x, y,
                       [](std::uint32_t v) {
                         if (v == 999) throw std::runtime_error("999");
                         return true;
                       }),
               std::runtime_error);
}

// ---- Host memory in chunks: the same results as at once.

struct SelectChunks : testing::Test {
  SelectChunks() {
    const auto on_cpu = [](device&, const problem& p) {
      static const context cpu = context::cpu(1);
      run(cpu, p);
    };
    for (primitive what :
         {primitive::select, primitive::run_lengths, primitive::expand_runs, primitive::gather, primitive::scatter_if})
      device_->give<problem>(what, on_cpu);
  }
  context small() const { return tests::small_device::on(device_); }
  context whole() const { return context::cpu(1); }
  std::shared_ptr<tests::small_device> device_ = std::make_shared<tests::small_device>(64 << 10);
};

TEST_F(SelectChunks, AreJoined) {
  for (std::uint32_t values : {2u, 10u, 1000000u}) {
    const words x = random_words(30011, values, values);
    ASSERT_LT(core::chunk_elements(*device_, x.size(), 8), x.size() / 3);
    words y(x.size(), 1), want(x.size(), 1);
    ASSERT_EQ(copy_if(small(), x, y, less_than(values / 2)), copy_if(whole(), x, want, less_than(values / 2)));
    EXPECT_EQ(y, want);
    ASSERT_EQ(unique(small(), x, y), unique(whole(), x, want));
    ASSERT_EQ(partition(small(), x, y, less_than(values / 2)), partition(whole(), x, want, less_than(values / 2)));
    EXPECT_EQ(y, want);
    ASSERT_EQ(three_way_partition(small(), x, y, less_than(values / 4), less_than(values / 2)),
              three_way_partition(whole(), x, want, less_than(values / 4), less_than(values / 2)));
    EXPECT_EQ(y, want);
    bytes flags(x.size());
    for (std::uint64_t i = 0; i < x.size(); ++i) flags[i] = x[i] % 3 == 0;
    ASSERT_EQ(select_flagged(small(), x, flags, y), select_flagged(whole(), x, flags, want));
    EXPECT_EQ(y, want);
    counts place(x.size());
    for (std::uint64_t i = 0; i < place.size(); ++i) place[i] = i * 7 % place.size();
    gather(small(), x, place, y);
    gather(whole(), x, place, want);
    EXPECT_EQ(y, want);
    scatter_if(small(), x, place, flags, y);
    scatter_if(whole(), x, place, flags, want);
    EXPECT_EQ(y, want);
  }
}

// Runs over the seams of chunks, one over many of them.
TEST_F(SelectChunks, RunsGoOn) {
  words x = random_words(30011, 3);
  std::fill(x.begin() + 3000, x.begin() + 20000, 1u);
  words y(x.size()), want(x.size()), values(x.size()), kept(x.size()), kept_want(x.size()), back(x.size());
  for (std::uint64_t i = 0; i < x.size(); ++i) values[i] = static_cast<std::uint32_t>(i);
  const std::uint64_t runs = unique(whole(), x, want);
  ASSERT_EQ(unique(small(), x, y), runs);
  EXPECT_EQ(first(y, runs), first(want, runs));
  ASSERT_EQ(unique_by_key(small(), x, values, y, kept), unique_by_key(whole(), x, values, want, kept_want));
  EXPECT_EQ(first(kept, runs), first(kept_want, runs));
  counts lengths(x.size()), lengths_want(x.size());
  ASSERT_EQ(run_length_encode(small(), x, y, lengths), run_length_encode(whole(), x, want, lengths_want));
  EXPECT_EQ(first(lengths, runs), first(lengths_want, runs));
  run_length_decode(small(), first(y, runs), first(lengths, runs), back);
  EXPECT_EQ(back, x);
}

}  // namespace
}  // namespace upsweep
