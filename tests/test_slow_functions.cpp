// Calls of a caller's functions that take long: every thread takes part, the call can be ended, and results are those
// of fast functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <iostream>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/upsweep.hpp"

namespace upsweep {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 400;

// Sleeps, and notes who did.
class sleepers {
 public:
  void operator()() const {
    std::this_thread::sleep_for(200us);
    const std::scoped_lock held(lock_);
    who_.insert(std::this_thread::get_id());
  }
  std::size_t threads() const { return who_.size(); }

 private:
  mutable std::mutex lock_;
  mutable std::set<std::thread::id> who_;
};

struct SlowFunctions : testing::Test {
  context where = context::cpu(4);
  std::vector<u32> x = std::vector<u32>(n), y = std::vector<u32>(n), z = std::vector<u32>(n);
  SlowFunctions() {
    std::iota(x.begin(), x.end(), 0u);
    // oneTBB has its threads from here on.
    for_each_index(where, 4, [](u64) { std::this_thread::sleep_for(1ms); }, 1);
  }
  // The call's result is right, and at least two of the four threads called it: a busy machine may withhold some.
  template <class Call>
  static void expect_shared(const char* name, const Call& call) {
    const sleepers nap;
    call(nap);
    EXPECT_GE(nap.threads(), 2u) << name;
  }
};

TEST_F(SlowFunctions, OfOneElementAreSharedByAllThreads) {
  const auto first = [&](const char* name, const auto& call) { expect_shared(name, call); };
  first("transform", [&](const sleepers& nap) {
    transform(where, x, y, [&](u32 v) { return nap(), 2 * v; });
    for (u32 i = 0; i < n; ++i) ASSERT_EQ(y[i], 2 * i);
  });
  first("transform of two", [&](const sleepers& nap) {
    transform(where, x, x, y, [&](u32 a, u32 b) { return nap(), a + b; });
    for (u32 i = 0; i < n; ++i) ASSERT_EQ(y[i], 2 * i);
  });
  first("transform_if", [&](const sleepers& nap) {
    std::fill(y.begin(), y.end(), 7u);
    transform_if(where, x, y, [&](u32 v) { return nap(), 2 * v; }, [](u32 v) { return v % 2 == 1; });
    for (u32 i = 0; i < n; ++i) ASSERT_EQ(y[i], i % 2 == 1 ? 2 * i : 7);
  });
  first("replace_if", [&](const sleepers& nap) {
    y = x;
    replace_if(where, y, [&](u32 v) { return nap(), v % 2 == 1; }, 9u);
    for (u32 i = 0; i < n; ++i) ASSERT_EQ(y[i], i % 2 == 1 ? 9 : i);
  });
  first("tabulate", [&](const sleepers& nap) {
    tabulate(where, y, [&](u64 i) { return nap(), static_cast<u32>(i); });
    EXPECT_EQ(y, x);
  });
  first("generate", [&](const sleepers& nap) {
    generate(where, y, [&] { return nap(), 3u; });
    EXPECT_EQ(y, std::vector<u32>(n, 3));
  });
  first("for_each_index", [&](const sleepers& nap) {
    for_each_index(where, n, [&](u64 i) { nap(), y[i] = static_cast<u32>(i); });
    EXPECT_EQ(y, x);
  });
  first("adjacent_difference", [&](const sleepers& nap) {
    adjacent_difference(where, x, y, [&](u32 a, u32 b) { return nap(), a + b; });
    for (u32 i = 1; i < n; ++i) ASSERT_EQ(y[i], 2 * i - 1);
  });
  first("adjacent_difference in place", [&](const sleepers& nap) {
    y = x;
    adjacent_difference(where, y, y, [&](u32 a, u32 b) { return nap(), a + b; });
    for (u32 i = 1; i < n; ++i) ASSERT_EQ(y[i], 2 * i - 1);
  });
  first("copy of a transformed input", [&](const sleepers& nap) {
    copy(where, views::transform(x, [&](u32 v) { return nap(), v + 1; }), y);
    for (u32 i = 0; i < n; ++i) ASSERT_EQ(y[i], i + 1);
  });
}

TEST_F(SlowFunctions, ThatTestAreSharedByAllThreads) {
  const auto odd_of = [](const sleepers& nap) { return [&nap](u32 v) { return nap(), v % 2 == 1; }; };
  const auto none_of = [](const sleepers& nap) { return [&nap](u32 v) { return nap(), v > 1'000'000; }; };
  const auto equal_of = [](const sleepers& nap) { return [&nap](u32 a, u32 b) { return nap(), a == b; }; };
  expect_shared("copy_if", [&](const sleepers& nap) {
    ASSERT_EQ(copy_if(where, x, y, odd_of(nap)), n / 2);
    for (u32 i = 0; i < n / 2; ++i) ASSERT_EQ(y[i], 2 * i + 1);
  });
  expect_shared("partition", [&](const sleepers& nap) {
    ASSERT_EQ(partition(where, x, y, odd_of(nap)), n / 2);
    for (u32 i = 0; i < n / 2; ++i) ASSERT_EQ(y[i], 2 * i + 1);
  });
  expect_shared("remove_copy_if", [&](const sleepers& nap) {
    ASSERT_EQ(remove_copy_if(where, x, y, odd_of(nap)), n / 2);
    for (u32 i = 0; i < n / 2; ++i) ASSERT_EQ(y[i], 2 * i);
  });
  expect_shared("unique", [&](const sleepers& nap) { EXPECT_EQ(unique(where, x, y, equal_of(nap)), n); });
  expect_shared("count_if", [&](const sleepers& nap) { EXPECT_EQ(count_if(where, x, odd_of(nap)), n / 2); });
  expect_shared("find_if", [&](const sleepers& nap) { EXPECT_EQ(find_if(where, x, none_of(nap)), n); });
  expect_shared("find_if, found", [&](const sleepers& nap) {
    EXPECT_EQ(find_if(where, x, [&](u32 v) { return nap(), v >= 300; }), 300u);
  });
  expect_shared("any_of", [&](const sleepers& nap) { EXPECT_FALSE(any_of(where, x, none_of(nap))); });
  expect_shared("adjacent_find", [&](const sleepers& nap) { EXPECT_EQ(adjacent_find(where, x, equal_of(nap)), n); });
  expect_shared("mismatch", [&](const sleepers& nap) { EXPECT_EQ(mismatch(where, x, x, equal_of(nap)), n); });
}

TEST_F(SlowFunctions, ThatFoldAreSharedByAllThreads) {
  const auto sum_of = [](const sleepers& nap) { return monoid([&nap](u32 a, u32 b) { return nap(), a + b; }, 0u); };
  constexpr u32 all = n * (n - 1) / 2;
  expect_shared("reduce", [&](const sleepers& nap) { EXPECT_EQ(reduce(where, x, sum_of(nap)), all); });
  expect_shared("transform_reduce", [&](const sleepers& nap) {
    EXPECT_EQ(transform_reduce(where, x, 0u, plus{}, [&](u32 v) { return nap(), v; }), all);
  });
  expect_shared("inclusive_scan", [&](const sleepers& nap) {
    inclusive_scan(where, x, y, sum_of(nap));
    for (u32 i = 0; i < n; ++i) ASSERT_EQ(y[i], i * (i + 1) / 2);
  });
  expect_shared("exclusive_scan", [&](const sleepers& nap) {
    y = x;
    exclusive_scan(where, y, y, 5u, sum_of(nap));
    for (u32 i = 0; i < n; ++i) ASSERT_EQ(y[i], 5 + i * (i - 1) / 2);
  });
  std::vector<u32> keys(n), keys_out(n);
  for (u32 i = 0; i < n; ++i) keys[i] = i / 8;
  std::vector<u64> offsets(n / 8 + 1);
  for (u64 s = 0; s < offsets.size(); ++s) offsets[s] = 8 * s;
  const auto folded = [](u32 s) { return 64 * s + 28; };
  const auto two = [](const char* name, const auto& call) {  // blocks of 256: two of them
    const sleepers nap;
    call(nap);
    EXPECT_GE(nap.threads(), 2u) << name;
  };
  two("reduce_by_key", [&](const sleepers& nap) {
    ASSERT_EQ(reduce_by_key(where, keys, x, keys_out, y, sum_of(nap)), n / 8);
    for (u32 s = 0; s < n / 8; ++s) ASSERT_EQ(y[s], folded(s));
  });
  two("segmented_reduce", [&](const sleepers& nap) {
    std::vector<u32> sums(n / 8);
    segmented_reduce(where, x, offsets, sums, sum_of(nap));
    for (u32 s = 0; s < n / 8; ++s) ASSERT_EQ(sums[s], folded(s));
  });
  two("segmented_inclusive_scan", [&](const sleepers& nap) {
    segmented_inclusive_scan(where, x, offsets, y, sum_of(nap));
    for (u32 s = 0; s < n / 8; ++s) ASSERT_EQ(y[8 * s + 7], folded(s));
  });
}

TEST_F(SlowFunctions, ThatCompareAreSharedByAllThreads) {
  const auto less_of = [](const sleepers& nap) { return [&nap](u32 a, u32 b) { return nap(), a < b; }; };
  std::vector<u32> mixed(n);
  for (u32 i = 0; i < n; ++i) mixed[i] = i * 149 % n;
  expect_shared("sort", [&](const sleepers& nap) {
    y = mixed;
    sort(where, y, less_of(nap));
    EXPECT_EQ(y, x);
  });
  expect_shared("merge", [&](const sleepers& nap) {
    std::vector<u32> both(2 * n);
    merge(where, x, x, both, less_of(nap));
    for (u32 i = 0; i < 2 * n; ++i) ASSERT_EQ(both[i], i / 2);
  });
  expect_shared("set_union", [&](const sleepers& nap) {
    std::vector<u32> both(2 * n);
    ASSERT_EQ(set_union(where, x, x, both, less_of(nap)), n);
    EXPECT_TRUE(std::equal(x.begin(), x.end(), both.begin()));
  });
  expect_shared("is_sorted", [&](const sleepers& nap) { EXPECT_TRUE(is_sorted(where, x, less_of(nap))); });
  expect_shared("min_element", [&](const sleepers& nap) { EXPECT_EQ(min_element(where, mixed, less_of(nap)), 0u); });
  expect_shared("lower_bound", [&](const sleepers& nap) {
    std::vector<u64> places(n);
    lower_bound(where, x, x, places, less_of(nap));
    for (u64 i = 0; i < n; ++i) ASSERT_EQ(places[i], i);
  });
  expect_shared("nth_element", [&](const sleepers& nap) { EXPECT_EQ(nth_element(where, mixed, 7, less_of(nap)), 7u); });
  expect_shared("top_k", [&](const sleepers& nap) {
    std::vector<u32> first(5);
    top_k(where, mixed, first, less_of(nap));
    EXPECT_EQ(first, (std::vector<u32>{0, 1, 2, 3, 4}));
  });
}

// Some elements are slow, and not the first ones.
TEST_F(SlowFunctions, MaySlowDownUnderWay) {
  expect_shared("transform", [&](const sleepers& nap) {
    transform(where, x, y, [&](u32 v) {
      if (v >= n / 4) nap();
      return v;
    });
    EXPECT_EQ(y, x);
  });
  expect_shared("transform of many", [&](const sleepers& nap) {
    std::vector<u32> many(100'000), out(many.size());
    std::iota(many.begin(), many.end(), 0u);
    transform(where, many, out, [&](u32 v) {
      if (v % 512 == 300) nap();
      return v;
    });
    EXPECT_EQ(out, many);
  });
}

// The same operator with and without sleep, on one thread and on several: the clock decides the schedule alone.
TEST_F(SlowFunctions, GroupFloatsAsFastOnesDo) {
  struct sum {
    bool slow, many;
    float operator()(float a, float b) const {
      if (slow && many) {
        const auto begun = clock::now();
        while (clock::now() - begun < 3us) {
        }
      } else if (slow) {
        std::this_thread::sleep_for(20us);
      }
      return a + b;
    }
  };
  for (const std::size_t count : {std::size_t{17}, std::size_t{100}, std::size_t{1000}, std::size_t{40'000}}) {
    std::vector<float> in(count);
    for (std::size_t i = 0; i < count; ++i) in[i] = 1.0f / static_cast<float>(i % 97 + 3);
    std::vector<u32> keys(count);
    for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<u32>(i / 700);
    std::vector<std::vector<float>> results;
    for (const int threads : {1, 4})
      for (const bool slow : {false, true}) {
        if (slow && threads == 1) continue;
        const context on = context::cpu(threads);
        const auto op = monoid(sum{slow, count > 1000}, 0.0f);
        std::vector<float> all{reduce(on, in, op)}, out(count);
        inclusive_scan(on, in, out, op);
        all.insert(all.end(), out.begin(), out.end());
        exclusive_scan(on, in, out, op);
        all.insert(all.end(), out.begin(), out.end());
        inclusive_scan_by_key(on, keys, in, out, op);
        all.insert(all.end(), out.begin(), out.end());
        std::vector<u32> keys_out(count);
        std::vector<float> sums(count);
        reduce_by_key(on, keys, in, keys_out, sums, op);
        all.insert(all.end(), sums.begin(), sums.end());
        results.push_back(std::move(all));
      }
    for (const auto& other : results) EXPECT_EQ(other, results[0]) << count;
  }
}

// A thousand calls of half a millisecond take half a second on one thread.
TEST_F(SlowFunctions, TakeAQuarterOfTheTimeOnFourThreads) {
  std::vector<u32> in(1000), out(1000);
  auto least = clock::duration::max();
  for (int k = 0; k < 3 && least > 300ms; ++k) {
    const auto begun = clock::now();
    transform(where, in, out, [](u32 v) {
      std::this_thread::sleep_for(500us);
      return v;
    });
    least = std::min(least, clock::now() - begun);
  }
  EXPECT_LT(least, 400ms);
}

TEST_F(SlowFunctions, CanBeEnded) {
  const auto doze = [] { std::this_thread::sleep_for(2ms); };
  const auto expect_ended = [](const char* name, const auto& call) {
    const cancellation_scope calls([] { return true; });
    EXPECT_THROW(call(), operation_cancelled) << name;
  };
  const auto sum = monoid([&](u32 a, u32 b) { return doze(), a + b; }, 0u);
  std::vector<u32> keys(n), keys_out(n);
  expect_ended("transform", [&] { transform(where, x, y, [&](u32 v) { return doze(), v; }); });
  expect_ended("copy_if", [&] { copy_if(where, x, y, [&](u32) { return doze(), true; }); });
  expect_ended("count_if", [&] { count_if(where, x, [&](u32) { return doze(), true; }); });
  expect_ended("reduce", [&] { reduce(where, x, sum); });
  expect_ended("inclusive_scan", [&] { inclusive_scan(where, x, y, sum); });
  expect_ended("reduce_by_key", [&] { reduce_by_key(where, keys, x, keys_out, y, sum); });
  expect_ended("sort", [&] { y = x, sort(where, y, [&](u32 a, u32 b) { return doze(), a < b; }); });
  expect_ended("on one thread", [&] { transform(context::cpu(1), x, y, [&](u32 v) { return doze(), v; }); });
  expect_ended("a scan on one thread", [&] { inclusive_scan(context::cpu(1), x, y, sum); });
}

// Many calls, in several blocks. Other threads still work when the polling thread has no blocks left. The test counts
// the calls made after the answer is yes: fewer than one in twenty of all.
TEST_F(SlowFunctions, EndSoonAfterTheAnswer) {
  constexpr u64 many = 40'000;
  const context on = context::cpu(8);
  std::vector<u32> in(many), out(many);
  std::iota(in.begin(), in.end(), 0u);
  for (const u64 until : {many / 20, many / 4}) {
    const auto expect_soon = [&](const char* name, const auto& call) {
      std::atomic<u64> made{0}, late{0};
      std::atomic<bool> enough{false};
      const auto nap = [&] {
        std::this_thread::sleep_for(500us);
        if (enough) ++late;
        if (++made >= until) enough = true;
      };
      const cancellation_scope calls([&] { return enough.load(); });
      EXPECT_THROW(call(nap), operation_cancelled) << name << " until " << until;
      EXPECT_GE(made, until) << name;
      EXPECT_LT(late, many / 20) << name << " until " << until;
    };
    expect_soon("transform", [&](const auto& nap) { transform(on, in, out, [&](u32 v) { return nap(), v; }); });
    expect_soon("tabulate", [&](const auto& nap) { tabulate(on, out, [&](u64 i) { return nap(), u32(i); }); });
    expect_soon("count_if", [&](const auto& nap) { count_if(on, in, [&](u32 v) { return nap(), v % 2 == 1; }); });
    expect_soon("copy_if", [&](const auto& nap) { copy_if(on, in, out, [&](u32 v) { return nap(), v % 2 == 1; }); });
    expect_soon("reduce",
                [&](const auto& nap) { reduce(on, in, monoid([&](u32 a, u32 b) { return nap(), a + b; }, 0u)); });
    expect_soon("inclusive_scan", [&](const auto& nap) {
      inclusive_scan(on, in, out, monoid([&](u32 a, u32 b) { return nap(), a + b; }, 0u));
    });
  }
}

// Several blocks of a slow predicate, and a predicate that becomes slow. The result equals that of a fast one, and each
// element is tested once.
TEST_F(SlowFunctions, ThatTestSeveralBlocksKeepTheOrder) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{31}, std::size_t{64}, std::size_t{65}, std::size_t{4097},
                                  std::size_t{16'384}, std::size_t{40'009}})
    for (const u32 slow_from : {0u, 50u, 64u, 1000u, 100'000u}) {
      std::vector<u32> in(count), out(count), expected;
      for (u32 i = 0; i < count; ++i) in[i] = i * 2654435761u;
      const auto passes = [](u32 v) { return v % 3 != 1; };
      std::copy_if(in.begin(), in.end(), std::back_inserter(expected), passes);
      std::atomic<u64> asked{0};
      const u64 kept = copy_if(where, in, out, [&](u32 v) {
        const u32 i = v * 244002641u;  // the inverse of the factor above
        if (i >= slow_from && (slow_from != 0 || i % 16 < 8)) {
          const auto begun = clock::now();
          while (clock::now() - begun < 2us) {
          }
        }
        ++asked;
        return passes(v);
      });
      out.resize(kept);
      EXPECT_EQ(out, expected) << count << " from " << slow_from;
      EXPECT_EQ(asked, count) << count << " from " << slow_from;
    }
}

// Ends the process if `body` does not end: no test can end a deadlock.
template <class Body>
void expect_to_end(const char* what, const Body& body) {
  std::promise<void> ended;
  std::thread guard([&, over = ended.get_future()] {
    if (over.wait_for(300s) == std::future_status::ready) return;
    std::cerr << what << " waits without end\n";
    std::quick_exit(1);
  });
  body();
  ended.set_value();
  guard.join();
}

// Blocks of a scan wait for the blocks before them. A block whose function calls the library waits for oneTBB, which
// must not give its thread a later block of the scan meanwhile. New contexts, whose other threads come late.
TEST_F(SlowFunctions, MayCallTheLibrary) {
  constexpr std::size_t many = 200'000;
  const std::vector<u32> ones(many, 1);
  std::vector<u32> out(many), out2(many), keys(many);
  for (u32 i = 0; i < many; ++i) keys[i] = i / 8;
  std::vector<u64> offsets(many / 8 + 1);
  for (u64 s = 0; s < offsets.size(); ++s) offsets[s] = 8 * s;
  for (int round = 0; round < 24; ++round) {
    const context on = context::cpu(round % 2 ? 3 : 7);
    std::atomic<u64> calls{0};
    // Seldom, so that the function counts as fast.
    const auto seldom = [&] {
      if (++calls % 4096 == 0) for_each_index(on, 8, [](u64) { std::this_thread::yield(); }, 1);
    };
    const auto sum = monoid([&](u32 a, u32 b) { return seldom(), a + b; }, 0u);
    const auto odd = [&](u32 v) { return seldom(), v % 2 == 1; };
    expect_to_end("inclusive_scan", [&] { inclusive_scan(on, ones, out, sum); });
    EXPECT_EQ(out.back(), many);
    expect_to_end("copy_if", [&] { EXPECT_EQ(copy_if(on, ones, out, odd), many); });
    expect_to_end("partition", [&] { EXPECT_EQ(partition(on, ones, out, odd), many); });
    expect_to_end("unique",
                  [&] { EXPECT_EQ(unique(on, keys, out, [&](u32 a, u32 b) { return seldom(), a == b; }), many / 8); });
    expect_to_end("reduce", [&] { EXPECT_EQ(reduce(on, ones, sum), many); });
    expect_to_end("reduce_by_key", [&] { EXPECT_EQ(reduce_by_key(on, keys, ones, out, out2, sum), many / 8); });
    expect_to_end("segmented_inclusive_scan", [&] { segmented_inclusive_scan(on, ones, offsets, out, sum); });
    EXPECT_EQ(out.back(), 8u);
    expect_to_end("sort", [&] {
      std::copy(keys.rbegin(), keys.rend(), out.begin());
      sort(on, out, [&](u32 a, u32 b) { return seldom(), a < b; });
    });
    EXPECT_EQ(out, keys);
    expect_to_end("another context", [&] {
      const context other = context::cpu(2);
      inclusive_scan(on, ones, out,
                     monoid(
                         [&](u32 a, u32 b) {
                           if (++calls % 4096 == 0) reduce(other, ones, plus{});
                           return a + b;
                         },
                         0u));
    });
    EXPECT_EQ(out.back(), many);
  }
}

// The same for each block of a loop, as the library's own parts call it.
TEST_F(SlowFunctions, NestedLoopsLetEarlierBlocksEnd) {
  for (int round = 0; round < 100; ++round) {
    const context on = context::cpu(round % 2 ? 3 : 7);
    expect_to_end("a loop", [&] {
      for (int k = 0; k < 20; ++k) {
        cpu::relay turns;
        std::atomic<int> parts{0};
        cpu::for_each_block(on.device(), 24, [&](u64 b, const cpu::stop_flag& stop) {
          cpu::for_each_block(on.device(), 4, [&](u64, const cpu::stop_flag&) {
            std::this_thread::yield();
            ++parts;
          });
          turns.await(b, stop);
          turns.pass(b);
        });
        EXPECT_EQ(parts, 96);
      }
    });
  }
}

TEST_F(SlowFunctions, ThatThrowEndTheCall) {
  struct wrong {};
  EXPECT_THROW(transform(where, x, y,
                         [](u32 v) {
                           std::this_thread::sleep_for(200us);
                           if (v == n / 2) throw wrong{};
                           return v;
                         }),
               wrong);
  EXPECT_THROW(reduce(where, x,
                      monoid(
                          [](u32 a, u32 b) {
                            std::this_thread::sleep_for(200us);
                            if (b == n / 2 + 1) throw wrong{};
                            return a + b;
                          },
                          0u)),
               wrong);
  transform(where, x, y, [](u32 v) { return v + 1; });
  EXPECT_EQ(y[n - 1], n);
}

}  // namespace
}  // namespace upsweep
