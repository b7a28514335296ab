// Options of context::with in CUDA programs: streams, events, memory, graphs. Requires a CUDA GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/upsweep.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;
using words = std::vector<std::uint32_t>;

struct ControlCuda : tests::on_cuda {};

words numbers(std::uint64_t n, std::uint32_t seed = 1) {
  words x(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>((i + seed) * 2654435761u) >> 9;
  return x;
}
words in_order(words x) {
  std::sort(x.begin(), x.end());
  return x;
}

struct a_third {
  UPSWEEP_HD float operator()(float v) const { return v / 3; }
};
struct not_after {
  UPSWEEP_HD bool operator()(std::uint32_t a, std::uint32_t b) const { return a <= b; }
};
struct before {
  UPSWEEP_HD bool operator()(std::uint32_t a, std::uint32_t b) const { return a > b; }
};

TEST_F(ControlCuda, StreamsOfTheCallers) {
  const context gpu = context::cuda();
  const tests::cuda_stream s;
  const words x = numbers(200003);
  buffer<std::uint32_t> in(gpu, x), out(gpu, x.size());
  gpu.synchronize();
  const context mine = gpu.with({.stream = s.handle()});
  EXPECT_NE(&mine.device(), &gpu.device());
  EXPECT_EQ(cuda::of(mine.device()).stream(), s.handle());
  sort(mine, in.span(), out.span());
  cuda::check(cudaStreamSynchronize(s.handle()), "test");
  EXPECT_EQ(out.download(), in_order(x));
  // The second such call finds its scratch.
  const std::uint64_t allocations = mine.temporary_storage_allocations();
  EXPECT_GT(allocations, 0u);
  sort(gpu.with({.stream = s.handle()}), in.span(), out.span());
  EXPECT_EQ(&gpu.with({.stream = s.handle()}).device(), &mine.device());
  EXPECT_EQ(mine.temporary_storage_allocations(), allocations);
  mine.synchronize();
  // Null is the legacy default stream.
  sort(gpu.with({.stream = nullptr}), in.span(), out.span());
  cuda::check(cudaStreamSynchronize(nullptr), "test");
  EXPECT_EQ(out.download(), in_order(x));
  // The stream may go before the device closes.
}

TEST_F(ControlCuda, EventsBetweenStreams) {
  const context gpu = context::cuda();
  const tests::cuda_stream s, t;
  const std::uint64_t n = 1 << 22;
  const words x = numbers(n);
  buffer<std::uint32_t> in(gpu, x), out(gpu, n);
  buffer<std::uint32_t> total(gpu, 1);
  gpu.synchronize();
  const context first = gpu.with({.stream = s.handle()}), second = gpu.with({.stream = t.handle()});
  std::uint32_t sum = 0;
  for (const std::uint32_t v : x) sum += v;
  for (int turn = 0; turn < 5; ++turn) {
    event sorted, summed;
    sort(first.with({.record = &sorted}), in.span(), out.span());
    reduce(second.with({.wait_for = {sorted}, .record = &summed}), out.span(), total.span());
    summed.synchronize();
    EXPECT_TRUE(sorted.done());
    EXPECT_TRUE(summed.done());
    EXPECT_EQ(total.download()[0], sum);
    first.device().fill(out.span().where(), 0, n * 4);
    event cleared;
    cleared.record(first);
    cleared.wait(gpu);
    gpu.synchronize();
  }
  // A capture extends to the stream that waits, and returns.
  const tests::recording recorded(s, [&] {
    event forked, joined;
    sort(first.with({.record = &forked}), in.span(), out.span());
    reduce(second.with({.wait_for = {forked}, .record = &joined}), out.span(), total.span());
    joined.wait(first);
  });
  first.device().fill(out.span().where(), 0, n * 4);
  recorded.run();
  EXPECT_EQ(total.download()[0], sum);
}

TEST_F(ControlCuda, MemoryOfTheCallers) {
  const context gpu = context::cuda();
  const std::uint64_t n = 300007;
  const words x = numbers(n);
  buffer<std::uint32_t> in(gpu, x), out(gpu, n);
  const auto call = [&](const context& c) { sort(c, in.span(), out.span()); };
  const std::uint64_t bytes = scratch_needed(gpu, call);
  EXPECT_GE(bytes, n * 4);
  buffer<std::byte> space(gpu, bytes + 512);
  arena_resource pool(gpu, space.span());
  {
    const context lean = gpu.with({.memory = &pool});
    const std::uint64_t before = gpu.temporary_storage_allocations();
    call(lean);
    EXPECT_EQ(out.download(), in_order(x));
    EXPECT_EQ(gpu.temporary_storage_allocations(), before);
    EXPECT_LE(pool.most_used(), bytes);
    // A temporary context destroyed during a capture does not end it: the graph keeps memory of the pool.
    const tests::cuda_stream s;
    gpu.synchronize();
    arena_resource other(gpu, space.span());
    const tests::recording recorded(s, [&] { call(gpu.with({.stream = s.handle(), .memory = &other})); });
    lean.device().fill(out.span().where(), 0, n * 4);
    lean.synchronize();
    recorded.run();
    EXPECT_EQ(out.download(), in_order(x));
  }
  EXPECT_GE(pool.free_bytes(), bytes);
  buffer<std::byte> little(gpu, bytes / 2);
  arena_resource small(gpu, little.span());
  expect_error(fault::out_of_memory, {"the memory resource has", "scratch_needed"},
               [&] { call(gpu.with({.memory = &small})); });
}

TEST_F(ControlCuda, SumsAsOnEveryDevice) {
  std::vector<float> x(100003);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = std::ldexp(static_cast<float>(i * 2654435761u % 65537) - 32768, static_cast<int>(i % 61) - 30);
  const context gpu = context::cuda().with({.deterministic = determinism::across_devices});
  const context cpu = context::cpu(2).with({.deterministic = determinism::across_devices});
  EXPECT_EQ(reduce(gpu, x), reduce(cpu, x));
  EXPECT_EQ(transform_reduce(gpu, x, 0.0f, plus{}, square{}), transform_reduce(cpu, x, 0.0f, plus{}, square{}));
  expect_error(fault::unsupported, {"the same bits on every device"},
               [&] { transform_reduce(gpu, x, 0.0f, plus{}, a_third{}); });
}

TEST_F(ControlCuda, ComparatorsThatAreNoOrder) {
  const context gpu = context::cuda(), sure = gpu.with({.checked = true});
  buffer<std::uint32_t> x(gpu, numbers(5000));
  expect_error(fault::bad_argument, {"not a strict weak order"}, [&] { sort(sure, x.span(), not_after{}); });
  EXPECT_NO_THROW(sort(gpu, x.span(), not_after{}));
  EXPECT_NO_THROW(sort(sure, x.span(), before{}));
}

// No call on device memory that returns nothing waits for the host: each is captured into a graph, which a wait would
// have ended, and the graph does the same again.
TEST_F(ControlCuda, CallsThatReturnNothingDoNotWait) {
  const tests::cuda_stream s;
  const context gpu = context::cuda().with({.stream = s.handle()});
  const std::uint64_t n = 100003;
  buffer<std::uint32_t> x(gpu, numbers(n)), y(gpu, n), z(gpu, n), one(gpu, 1);
  buffer<std::uint64_t> count(gpu, 1), lengths(gpu, n), bins(gpu, 64);
  words repeated = numbers(n);
  for (std::uint64_t i = 0; i < n; ++i) repeated[i] = static_cast<std::uint32_t>(i / 7);
  const buffer<std::uint32_t> keys(gpu, repeated);
  buffer<std::uint32_t> keys_out(gpu, n), folds(gpu, n);
  const buffer<std::uint64_t> offsets(gpu, std::vector<std::uint64_t>{0, 5, 5, 70000, n}), indices(gpu, [&] {
    std::vector<std::uint64_t> i(n);
    for (std::uint64_t k = 0; k < n; ++k) i[k] = n - 1 - k;
    return i;
  }());
  const buffer<std::uint8_t> flags(gpu, std::vector<std::uint8_t>(n, 1));
  buffer<std::uint32_t> four(gpu, 4);
  buffer<float> f(gpu, std::vector<float>(n, 0.5f)), g(gpu, n), smooth(gpu, n);
  const auto in = x.span();
  const struct {
    const char* name;
    std::function<void()> call;
  } calls[] = {
      {"reduce", [&] { reduce(gpu, in, one.span()); }},
      {"reduce of floats across devices",
       [&] { reduce(gpu.with({.deterministic = determinism::across_devices}), f.span(), g.span().subspan(0, 1)); }},
      {"inclusive_scan", [&] { inclusive_scan(gpu, in, y.span()); }},
      {"exclusive_scan", [&] { exclusive_scan(gpu, in, y.span(), 5u); }},
      {"exclusive_scan after an element", [&] { exclusive_scan(gpu, in, y.span(), keys.span().subspan(9, 1)); }},
      {"sort", [&] { sort(gpu, in, y.span()); }},
      {"sort descending", [&] { sort(gpu, in, y.span(), {.descending = true}); }},
      {"sort_by_key", [&] { sort_by_key(gpu, in, keys.span(), y.span(), z.span()); }},
      {"argsort", [&] { argsort(gpu, in, y.span()); }},
      {"segmented_sort", [&] { segmented_sort(gpu, in, y.span(), offsets.span()); }},
      {"top_k", [&] { top_k(gpu, in, four.span()); }},
      {"merge", [&] { merge(gpu, keys.span().subspan(0, n / 2), keys.span().subspan(0, n - n / 2), y.span()); }},
      {"copy_if", [&] { copy_if(gpu, in, y.span(), count.span(), less_than(1u << 22)); }},
      {"select_flagged", [&] { select_flagged(gpu, in, flags.span(), y.span(), count.span()); }},
      {"unique", [&] { unique(gpu, keys.span(), y.span(), count.span()); }},
      {"partition", [&] { partition(gpu, in, y.span(), count.span(), less_than(1u << 22)); }},
      {"run_length_encode", [&] { run_length_encode(gpu, keys.span(), y.span(), lengths.span(), count.span()); }},
      {"gather", [&] { gather(gpu, in, indices.span(), y.span()); }},
      {"scatter_if", [&] { scatter_if(gpu, in, indices.span(), flags.span(), y.span()); }},
      {"reduce_by_key", [&] { reduce_by_key(gpu, keys.span(), in, keys_out.span(), folds.span(), count.span()); }},
      {"inclusive_scan_by_key", [&] { inclusive_scan_by_key(gpu, keys.span(), in, y.span()); }},
      {"segmented_reduce", [&] { segmented_reduce(gpu, in, offsets.span(), four.span()); }},
      {"segmented_inclusive_scan", [&] { segmented_inclusive_scan(gpu, in, offsets.span(), y.span()); }},
      {"histogram", [&] { histogram(gpu, in, bins.span(), 0u, 1u << 23); }},
      {"summed_area_table",
       [&] { summed_area_table(gpu, f.span().subspan(0, 10000), smooth.span().subspan(0, 10000), {100, 100}); }},
      {"transform", [&] { transform(gpu, in, y.span(), square{}); }},
      {"fill", [&] { fill(gpu, y.span(), 7u); }},
      {"iota", [&] { iota(gpu, y.span(), 3u); }},
      {"copy", [&] { copy(gpu, in, y.span()); }},
      {"reverse_copy", [&] { reverse_copy(gpu, in, y.span()); }},
      {"vector_add", [&] { vector_add(gpu, in, keys.span(), y.span()); }},
  };
  for (const auto& c : calls) {
    SCOPED_TRACE(c.name);
    try {
      c.call();
      gpu.synchronize();
      const tests::recording recorded(s, c.call);
      const auto counted_first = count.download();
      gpu.device().fill(y.span().where(), 0xcc, n * 4);
      c.call();
      const words again = y.download();
      gpu.device().fill(y.span().where(), 0xcc, n * 4);
      recorded.run();
      EXPECT_EQ(y.download(), again);
      EXPECT_EQ(count.download(), counted_first);
    } catch (const error& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

}  // namespace
