// Options of context::with: determinism, checking, the caller's memory, events.
#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <random>

#include "tests/devices.hpp"
#include "upsweep/upsweep.hpp"

namespace upsweep {
namespace {

using tests::expect_error;

struct ControlOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, ControlOn, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class T>
std::vector<T> uneven(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<T> x(n);
  for (T& v : x) v = std::ldexp(static_cast<T>(random() % 65537) - 32768, static_cast<int>(random() % 61) - 30);
  return x;
}

std::vector<std::uint32_t> numbers(std::size_t n, std::uint32_t seed = 1) {
  std::vector<std::uint32_t> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>((i + seed) * 2654435761u) >> 7;
  return x;
}

// ---- determinism ----

template <class T>
void expect_the_exact_sum(const context& where, std::size_t n) {
  const context everywhere = where.with({.deterministic = determinism::across_devices});
  std::vector<T> x = uneven<T>(n);
  const T exact = reproducible_sum(context::cpu(1), x);
  EXPECT_EQ(reduce(everywhere, x), exact) << n;
  const buffer<T> there(where, x);
  EXPECT_EQ(reduce(everywhere, there), exact) << n;
  buffer<T> result(where, 1);
  reduce(everywhere, there.span(), result.span());
  EXPECT_EQ(result.download()[0], exact) << n;
  EXPECT_EQ(everywhere.last_algorithm(), "reduce/reproducible");
  std::ranges::reverse(x);
  EXPECT_EQ(reduce(everywhere, x), exact) << n;
  // The init value is added exactly as well, and a transform is applied before the sum.
  std::vector<T> more = x;
  more.push_back(T(0.1));
  EXPECT_EQ(reduce(everywhere, x, T(0.1)), reproducible_sum(context::cpu(1), more)) << n;
  std::vector<T> sizes = x;
  for (T& v : sizes) v = std::abs(v);
  if (where.kind() == backend::opencl) {  // whose exact sum has no transform
    EXPECT_THROW(transform_reduce(everywhere, x, T(0), plus{}, absolute{}), error);
  } else {
    EXPECT_EQ(transform_reduce(everywhere, x, T(0), plus{}, absolute{}), reproducible_sum(context::cpu(1), sizes)) << n;
  }
}

TEST_P(ControlOn, SumsAreTheSameOnEveryDevice) {
  for (const std::size_t n : {0, 1, 33, 4097, 100003}) {
    expect_the_exact_sum<float>(where(), n);
    if (where().device().supports(dtype::f64)) expect_the_exact_sum<double>(where(), n);
  }
}

TEST_P(ControlOn, SumsInChunksAreTheSameOnEveryDevice) {
  const std::vector<float> x = uneven<float>(1000003);
  buffer<std::byte> space(where(), 4 << 20);
  arena_resource pool(where(), space.span());
  const context lean = where().with({.deterministic = determinism::across_devices, .memory = &pool});
  EXPECT_EQ(reduce(lean, x), reproducible_sum(context::cpu(1), x));
  exact_sum<float> sum;
  sum.add(context::cpu(1), x), sum.add(0.5f);
  EXPECT_EQ(reduce(lean, x, 0.5f), sum.value());
}

struct a_third {
  float operator()(float v) const { return v / 3; }
};

TEST_P(ControlOn, WhatRoundsOnTheWayIsRefused) {
  const context everywhere = where().with({.deterministic = determinism::across_devices});
  std::vector<float> x = uneven<float>(1000), y(x.size());
  const auto refused = [&](const char* call, auto f) {
    expect_error(fault::unsupported, {call, "the same bits on every device", "do not set .deterministic"}, f);
  };
  refused("scan", [&] { inclusive_scan(everywhere, x, y); });
  refused("scan", [&] { exclusive_scan(everywhere, x, y, multiplies{}); });
  refused("reduce", [&] { reduce(everywhere, x, multiplies{}); });
  refused("reduce", [&] { reduce(everywhere, x, 0.0); });
  refused("reduce", [&] { transform_reduce(everywhere, x, 0.0f, plus{}, a_third{}); });
  refused("integral", [&] { summed_area_table(everywhere, x, y, {100, 10}); });
  refused("", [&] { reduce_along(everywhere, x, {10, 100}, 0, std::span(y).first(100)); });
  refused("", [&] {
    transform_reduce_along(everywhere, x, {10, 100}, 0, std::span(y).first(100), 0.0f, plus{}, a_third{});
  });
  const buffer<float> there(where(), x);
  buffer<float> out(where(), 2);
  const buffer<std::uint64_t> offsets(where(), std::vector<std::uint64_t>{0, 10, 1000});
  refused("segmented-reduce", [&] { segmented_reduce(everywhere, there, offsets, out); });
  // There is no message if nothing rounds, or if the option is not set.
  EXPECT_EQ(reduce(everywhere, x, maximum{}), *std::ranges::max_element(x));
  const std::vector<std::uint32_t> whole = numbers(1000);
  std::vector<std::uint32_t> sums(whole.size());
  inclusive_scan(everywhere, whole, sums);
  EXPECT_EQ(sums.back(), std::accumulate(whole.begin(), whole.end(), 0u));
  sort(everywhere, x);
  EXPECT_TRUE(std::ranges::is_sorted(x));
  inclusive_scan(everywhere.with({.deterministic = determinism::run_to_run}), x, y);
  inclusive_scan(where(), x, y);
  if (where().kind() == backend::cpu) {
    // A variant requested by name that is not the deterministic one.
    refused("reduce", [&] { reduce(everywhere.with({.variant = "reduce/sequential"}), x); });
    EXPECT_EQ(reduce(everywhere.with({.variant = "reduce/reproducible"}), x), reproducible_sum(where(), x));
  }
}

// ---- checking ----

struct point {
  unsigned x;
};
struct not_after {
  bool operator()(point a, point b) const { return a.x <= b.x; }
};

TEST_P(ControlOn, ContentsAreLookedAtWhereThatIsAsked) {
  const context sure = where().with({.checked = true});
  EXPECT_TRUE(sure.checked());
  EXPECT_TRUE(sure.with({}).checked());
  EXPECT_FALSE(sure.with({.checked = false}).checked());
  EXPECT_FALSE(where().checked());
  const buffer<std::uint32_t> x(where(), numbers(10));
  buffer<std::uint32_t> y(where(), 10), two(where(), 2);
  const auto there = [&](std::vector<std::uint64_t> of) { return buffer<std::uint64_t>(where(), of); };
  expect_error(fault::bad_argument, {"segmented_reduce", "offset 2 is 3, less than the 4"},
               [&] { segmented_reduce(sure, x, there({0, 4, 3}), two); });
  expect_error(fault::bad_argument, {"segmented_scan", "offset 1 is 12, past the end of 10"},
               [&] { segmented_inclusive_scan(sure, x, there({0, 12}), y); });
  expect_error(fault::bad_argument, {"segmented_sort", "less than the"},
               [&] { segmented_sort(sure, y.span(), there({5, 4, 10}).span()); });
  expect_error(fault::bad_argument, {"gather"}, [&] { gather(sure, x, there({0, 10}), two); });
  expect_error(fault::bad_argument, {"run_length_decode"}, [&] {
    const buffer<std::uint32_t> of(where(), numbers(2));
    run_length_decode(sure, of, there({3, 4}), y);
  });
  EXPECT_NO_THROW(gather(sure, x, there({9, 0}), two));
  EXPECT_EQ(two.download(), (std::vector<std::uint32_t>{numbers(10)[9], numbers(10)[0]}));
  buffer<std::uint64_t> counts(where(), 2);
  const buffer<std::uint32_t> edges(where(), std::vector<std::uint32_t>{0, 9, 5});
  expect_error(fault::bad_argument, {"edge 2"}, [&] { histogram(sure, x, edges, counts); });
  const range_counter ranges(sure, x.span(), 0u, 16u, 16);
  const buffer<bin_range> outside(where(), std::vector<bin_range>{{3, 17}});
  buffer<std::uint64_t> answer(where(), 1);
  expect_error(fault::bad_argument, {"17"}, [&] { ranges.count(outside.span(), answer.span()); });
}

TEST_P(ControlOn, ComparatorsThatAreNoOrderAreFound) {
  if (where().kind() != backend::cpu) GTEST_SKIP() << "comparators run on the CPU here";
  const context sure = where().with({.checked = true});
  for (const unsigned n : {30u, 40000u}) {
    std::vector<point> x;
    for (const std::uint32_t v : numbers(n)) x.push_back({v});
    std::vector<point> y = x, values = x;
    expect_error(fault::bad_argument, {"not a strict weak order"}, [&] { sort(sure, y, not_after{}); });
    y = x;
    expect_error(fault::bad_argument, {"not a strict weak order"}, [&] { sort_by_key(sure, y, values, not_after{}); });
    y = x;
    expect_error(fault::bad_argument, {"segmented_sort", "not a strict weak order"},
                 [&] { segmented_sort(sure, y, std::vector<std::uint64_t>{0, n / 2, n}, not_after{}); });
    y = x;
    EXPECT_NO_THROW(sort(where(), y, not_after{}));
    y = x;
    EXPECT_NO_THROW(sort(sure, y, [](point a, point b) { return a.x < b.x; }));
  }
}

// ---- memory ----

// Hands out a device's own memory, and counts.
class counting_memory final : public memory_resource {
 public:
  explicit counting_memory(device& of) : device_(of) {}
  memory allocate(std::uint64_t bytes) override {
    ++asked, held += bytes;
    return device_.allocate(bytes);
  }
  void deallocate(memory m, std::uint64_t bytes) noexcept override {
    held -= bytes;
    device_.deallocate(m);
  }
  std::uint64_t free_bytes() const override { return 1 << 30; }
  std::uint64_t asked = 0, held = 0;

 private:
  device& device_;
};

TEST_P(ControlOn, ScratchComesFromTheResource) {
  counting_memory counted(where().device());
  const std::vector<std::uint32_t> x = numbers(100003);
  const buffer<std::uint32_t> in(where(), x);
  buffer<std::uint32_t> out(where(), x.size());
  std::vector<std::uint32_t> sorted = x;
  std::ranges::sort(sorted);
  {
    const context mine = where().with({.memory = &counted});
    const std::uint64_t before = where().temporary_storage_allocations();
    sort(mine, in, out);
    EXPECT_EQ(out.download(), sorted);
    const std::uint64_t asked = counted.asked;
    EXPECT_GT(asked, 0u);
    EXPECT_EQ(mine.temporary_storage_bytes(), counted.held);
    sort(mine, in, out);
    EXPECT_EQ(counted.asked, asked);  // kept
    EXPECT_EQ(where().temporary_storage_allocations(), before);
    buffer<float> also(mine, 100);
    EXPECT_EQ(counted.asked, asked + 1);
    const context again = mine.with({.checked = true});  // takes the same scratch
    sort(again, in, out);
    EXPECT_EQ(counted.asked, asked + 1);
  }
  EXPECT_EQ(counted.held, 0u);
}

template <class Call>
void expect_enough(const context& where, const char* what, const Call& call) {
  const std::uint64_t bytes = scratch_needed(where, call);
  buffer<std::byte> space(where, bytes + 512);
  const std::uint64_t lost =
      where.kind() == backend::opencl ? 0 : 512 - reinterpret_cast<std::uintptr_t>(space.span().data()) % 512;
  arena_resource pool(where, space.span().subspan(lost % 512, bytes));
  EXPECT_EQ(pool.free_bytes(), bytes) << what;
  for (int turn = 0; turn < 2; ++turn) EXPECT_NO_THROW(call(where.with({.memory = &pool}))) << what << ", " << bytes;
  EXPECT_LE(pool.most_used(), bytes) << what;
  EXPECT_EQ(pool.free_bytes(), bytes) << what;
  if (bytes <= 512) return;
  buffer<std::byte> half_the_space(where, bytes / 2);
  arena_resource little(where, half_the_space.span());
  expect_error(fault::out_of_memory, {"the memory resource has", "scratch_needed"},
               [&] { call(where.with({.memory = &little})); });
}

TEST_P(ControlOn, ScratchNeededIsEnough) {
  const std::size_t n = 70001;
  const std::vector<std::uint32_t> host = numbers(n);
  const buffer<std::uint32_t> x(where(), host);
  buffer<std::uint32_t> y(where(), n);
  buffer<std::uint64_t> bins(where(), 100), count(where(), 1);
  std::vector<std::uint32_t> sorted = host;
  std::ranges::sort(sorted);
  expect_enough(where(), "sort", [&](const context& c) {
    sort(c, x, y);
    ASSERT_EQ(y.download(), sorted);
  });
  std::vector<std::uint32_t> sums(n);
  std::partial_sum(host.begin(), host.end(), sums.begin());
  expect_enough(where(), "scan", [&](const context& c) {
    inclusive_scan(c, x, y);
    ASSERT_EQ(y.download(), sums);
  });
  expect_enough(where(), "reduce", [&](const context& c) { ASSERT_EQ(reduce(c, x), sums.back()); });
  expect_enough(where(), "copy_if", [&](const context& c) {
    copy_if(c, x.span(), y.span(), count.span(), less_than(1u << 24));
    ASSERT_EQ(count.download()[0],
              static_cast<std::uint64_t>(std::ranges::count_if(host, [](auto v) { return v < 1u << 24; })));
  });
  expect_enough(where(), "histogram", [&](const context& c) { histogram(c, x, bins, 0u, 1u << 25); });
  std::vector<std::uint64_t> offsets{0, 1, 100, 5000, n};
  const buffer<std::uint64_t> cuts(where(), offsets);
  buffer<std::uint32_t> folds(where(), 4);
  expect_enough(where(), "segmented_reduce", [&](const context& c) { segmented_reduce(c, x, cuts, folds); });
}

TEST(Control, FixedMemoryTakesTheFirstGap) {
  std::vector<std::byte> block(8192 + 512);
  arena_resource pool({block.data(), 0}, block.size(), backend::cpu);
  const std::uint64_t all = pool.free_bytes();
  EXPECT_GE(all, 8192u);
  const memory a = pool.allocate(1000), b = pool.allocate(1), c = pool.allocate(2048);
  for (const memory m : {a, b, c}) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.address()) % 512, 0u);
  EXPECT_EQ(b.offset, a.offset + 1024);
  EXPECT_EQ(c.offset, b.offset + 512);
  EXPECT_EQ(pool.free_bytes(), all - 1024 - 512 - 2048);
  pool.deallocate(b, 1);
  EXPECT_EQ(pool.allocate(600).offset, c.offset + 2048);  // too much for the gap
  EXPECT_EQ(pool.allocate(512).offset, b.offset);
  EXPECT_EQ(pool.allocate(8192).base, nullptr);
  pool.deallocate(a, 1000);
  EXPECT_EQ(pool.allocate(1024).offset, a.offset);
  EXPECT_EQ(arena_resource({nullptr, 0}, 0, backend::cpu).allocate(1).base, nullptr);
}

class crooked_memory final : public memory_resource {
 public:
  memory allocate(std::uint64_t) override { return {block_, 8}; }
  void deallocate(memory, std::uint64_t) noexcept override { ++released; }
  std::uint64_t free_bytes() const override { return 1 << 20; }
  int released = 0;

 private:
  alignas(256) std::byte block_[1024]{};
};

TEST(Control, MemoryThatIsNotAligned) {
  crooked_memory crooked;
  const context c = context::cpu(1).with({.memory = &crooked});
  expect_error(fault::bad_argument, {"not aligned to 256 bytes"}, [&] { buffer<int> x(c, 3); });
  EXPECT_EQ(crooked.released, 1);
}

TEST(Control, TheCpuHasNoStreams) {
  int stream = 0;
  expect_error(fault::unsupported, {"a CPU context has no stream", "leave .stream out"},
               [&] { context::cpu(1).with({.stream = &stream}); });
}

// ---- events ----

TEST_P(ControlOn, EventsStandForWhatWasEnqueued) {
  const event nothing;
  EXPECT_TRUE(nothing.done());
  nothing.synchronize();
  const context other = context::named(GetParam());
  const std::vector<std::uint32_t> x = numbers(200003);
  std::vector<std::uint32_t> sorted = x;
  std::ranges::sort(sorted);
  buffer<std::uint32_t> in(where(), x);
  event first, second;
  sort(where(), in.span());
  first.record(where());
  first.wait(other);
  second.record(other);
  second.synchronize();
  EXPECT_TRUE(second.done());
  EXPECT_TRUE(first.done());
  const event copy = first;
  EXPECT_TRUE(copy.done());
  EXPECT_EQ(in.download(), sorted);
  // No copy of the context remains, so the event is recorded when the call returns.
  buffer<std::uint32_t> out(where(), x);
  sort(where().with({.wait_for = {first, second}, .record = &first}), out.span());
  first.synchronize();
  EXPECT_TRUE(first.done());
  EXPECT_EQ(out.download(), sorted);
  // A copy of the context remains: the first query records the event.
  const context kept = where().with({.record = &second});
  sort(kept, out.span());
  second.synchronize();
  EXPECT_TRUE(second.done());
  // From one kind of device to another.
  const context cpu = context::cpu(1).with({.wait_for = {first}, .record = &second});
  EXPECT_TRUE(first.done());
  second.wait(where());
  where().synchronize();
}

TEST_P(ControlOn, WithKeepsWhatItDoesNotName) {
  counting_memory counted(where().device());
  event e;
  const context all =
      where().with({.deterministic = determinism::across_devices, .checked = true, .memory = &counted, .record = &e});
  const context same = all.with({});
  EXPECT_EQ(&same.device(), &all.device());
  EXPECT_EQ(same.deterministic(), determinism::across_devices);
  EXPECT_TRUE(same.checked());
  EXPECT_EQ(same.name(), where().name());
  EXPECT_EQ(same.description(), where().description());
  EXPECT_NE(&same.device(), &where().device());
  context assigned = where();
  assigned = same;
  assigned = where();
  EXPECT_EQ(&assigned.device(), &where().device());
}

}  // namespace
}  // namespace upsweep
