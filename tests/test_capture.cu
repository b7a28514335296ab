// Captures into CUDA graphs. Resources of a captured call belong to its graph, in any order of capture, launch,
// destruction and calls. Calls that wait are rejected and the capture continues. Released temporary storage. Requires a
// CUDA GPU.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "tests/capture_calls.hpp"
#include "tests/on_cuda.hpp"
#include "upsweep/core/compiled_code_cache.hpp"
#include "upsweep/expression.hpp"

namespace {

using namespace upsweep;
using tests::capture_call;
using tests::capture_material;
using tests::cuda_stream;
using tests::expect_error;
using tests::recording;
using words = std::vector<std::uint32_t>;

struct CaptureCuda : tests::on_cuda {};

using results = std::vector<std::vector<std::byte>>;
constexpr const char* names_of_results[]{"y", "z", "few",  "wide",  "wide2", "counts", "f",
                                         "g", "h", "sums", "bytes", "in",    "more"};

// The output of the call outside of a capture.
results wanted(const context& reference, const capture_call& c, capture_material& m, std::uint32_t seed) {
  m.set(seed), m.poison();
  c.call(reference, m);
  reference.synchronize();
  return m.results();
}
void expect_same(const results& got, const results& want, const std::string& what) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    std::size_t wrong = 0, first = 0;
    for (std::size_t b = want[i].size(); b-- > 0;)
      if (got[i][b] != want[i][b]) ++wrong, first = b;
    EXPECT_EQ(wrong, 0u) << what << ": bytes of " << names_of_results[i] << ", the first at " << first;
  }
}
void expect_replay(const recording& graph, const capture_call& c, capture_material& m, const results& want,
                   std::uint32_t seed, const std::string& what) {
  m.set(seed), m.poison();
  graph.run();
  expect_same(m.results(), want, c.name + ", " + what);
}

template <class Body>
void each_call(Body body) {
  for (const capture_call& c : tests::calls_that_enqueue()) {
    SCOPED_TRACE(c.name);
    try {
      body(c);
    } catch (const error& e) {
      ADD_FAILURE() << c.name << ": " << e.what();
    }
    if (cudaPeekAtLastError() != cudaSuccess) {
      ADD_FAILURE() << c.name << " leaves " << cudaGetErrorString(cudaGetLastError());
      if (cudaDeviceSynchronize() != cudaSuccess) return;
    }
  }
}

// A new context on a new stream, and the call is captured before it ever ran there.
TEST_F(CaptureCuda, EachCallMayBeTheFirst) {
  const context reference = context::cuda();
  capture_material m;
  each_call([&](const capture_call& c) {
    const cuda_stream s;
    const context cold = context::cuda().with({.stream = s.handle()});
    const recording graph(s, [&] { c.call(cold, m); });
    EXPECT_EQ(graph.memory_nodes(), 0u);
    for (std::uint32_t seed = 1; seed < 4; ++seed)
      expect_replay(graph, c, m, wanted(reference, c, m, seed), seed, "replay " + std::to_string(seed));
  });
}

// Two graphs before any of them runs; replays in another order, eager calls in between, one graph destroyed.
TEST_F(CaptureCuda, GraphsAndEagerCallsInAnyOrder) {
  const context reference = context::cuda();
  capture_material m;
  each_call([&](const capture_call& c) {
    const results want1 = wanted(reference, c, m, 1), want2 = wanted(reference, c, m, 2);
    const cuda_stream s;
    const context gpu = context::cuda().with({.stream = s.handle()});
    const auto enqueue = [&] { c.call(gpu, m); };
    const recording first(s, enqueue);
    auto second = std::make_unique<recording>(s, enqueue);
    const auto eager = [&](std::uint32_t seed, const results& want) {
      m.set(seed), m.poison();
      enqueue();
      gpu.synchronize();
      expect_same(m.results(), want, c.name + ", eager");
    };
    eager(1, want1);  // before either graph ran
    expect_replay(*second, c, m, want2, 2, "the second graph first");
    expect_replay(first, c, m, want1, 1, "the first graph");
    eager(2, want2);
    expect_replay(first, c, m, want2, 2, "the first graph after an eager call");
    second.reset();
    eager(1, want1);
    const recording warm(s, enqueue);
    expect_replay(warm, c, m, want1, 1, "captured warm");
    expect_replay(first, c, m, want2, 2, "the first graph, at the end");
  });
}

// On two streams at once, with operands of their own, so that all they could share is scratch.
TEST_F(CaptureCuda, GraphsOfOneContextRunAtOnce) {
  const context reference = context::cuda();
  capture_material a, b;
  each_call([&](const capture_call& c) {
    const results want_a = wanted(reference, c, a, 1), want_b = wanted(reference, c, b, 2);
    const cuda_stream s, t;
    const context gpu = context::cuda().with({.stream = s.handle()});
    const recording of_a(s, [&] { c.call(gpu, a); }), of_b(s, [&] { c.call(gpu, b); });
    for (int turn = 0; turn < 3; ++turn) {
      a.set(1), b.set(2), a.poison(), b.poison();
      of_a.launch(s.handle());
      of_b.launch(t.handle());
      cuda::check(cudaStreamSynchronize(s.handle()), "test");
      cuda::check(cudaStreamSynchronize(t.handle()), "test");
      expect_same(a.results(), want_a, c.name + ", one of two at once");
      expect_same(b.results(), want_b, c.name + ", the other of two at once");
    }
  });
}

TEST_F(CaptureCuda, GraphsOutliveTheirContexts) {
  const context reference = context::cuda();
  capture_material m;
  each_call([&](const capture_call& c) {
    const results want = wanted(reference, c, m, 1);
    const cuda_stream s;
    std::optional<recording> graph;
    {
      const context own = context::cuda();  // opened and closed around the capture
      graph.emplace(s, [&] { c.call(own.with({.stream = s.handle()}), m); });
    }
    // An allocation made now must not return the graph's memory.
    std::vector<buffer<std::uint32_t>> others;
    for (int i = 0; i < 8; ++i) {
      others.emplace_back(reference, 1 << 18);
      reference.device().fill(others.back().span().where(), 0xff, 4 << 18);
    }
    reference.synchronize();
    expect_replay(*graph, c, m, want, 1, "without its context");
    for (const auto& other : others) EXPECT_EQ(other.download(), words(1 << 18, ~0u)) << c.name;
  });
}

// All of them in one graph, on a context that never ran any: growing and shrinking scratch of the same names.
TEST_F(CaptureCuda, AllCallsInOneGraph) {
  const context reference = context::cuda();
  capture_material m;
  const cuda_stream s;
  const context cold = context::cuda().with({.stream = s.handle()});
  const capture_call all{"all calls", [](const context& c, capture_material& on) {
                           for (const capture_call& one : tests::calls_that_enqueue()) one.call(c, on);
                         }};
  const recording graph(s, [&] { all.call(cold, m); });
  EXPECT_EQ(graph.memory_nodes(), 0u);
  for (std::uint32_t seed = 1; seed < 4; ++seed)
    expect_replay(graph, all, m, wanted(reference, all, m, seed), seed, "replay " + std::to_string(seed));
}

// The context is opened inside of the capture, and closed there.
TEST_F(CaptureCuda, ContextsOpenInsideOfCaptures) {
  const cuda_stream s;
  buffer<std::uint32_t> x(context::cuda(), words{3, 1, 2}), y(context::cuda(), 3);
  const recording graph(
      s, [&] { sort(context::cuda().with({.stream = s.handle()}), x.span(), y.span()); }, cudaStreamCaptureModeGlobal);
  graph.run();
  EXPECT_EQ(y.download(), (words{1, 2, 3}));
}

// Calls that wait: one sentence, and capture, stream and context are as good as before.
TEST_F(CaptureCuda, CallsThatWaitAreRefused) {
  const context reference = context::cuda();
  capture_material m;
  const capture_call sorts{"sort", [](const context& c, capture_material& on) { sort(c, on.in.span(), on.y.span()); }};
  for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed})
    for (const bool warm : {false, true})
      for (const capture_call& c : tests::calls_that_wait()) {
        SCOPED_TRACE(c.name);
        try {
          const cuda_stream s;
          const context gpu = context::cuda().with({.stream = s.handle()});
          if (warm) c.call(gpu, m), gpu.synchronize();
          const recording graph(
              s,
              [&] {
                expect_error(fault::unsupported, {"a CUDA graph"}, [&] { c.call(gpu, m); });
                sorts.call(gpu, m);
              },
              mode);
          expect_replay(graph, sorts, m, wanted(reference, sorts, m, 1), 1, "after " + c.name);
          m.set(1);
          c.call(gpu, m);  // outside of the capture
          gpu.synchronize();
        } catch (const error& e) {
          // The host cannot wait for an event of a capture, and a tree of 700 bodies runs outside alone.
          ADD_FAILURE() << c.name << ": " << e.what();
        }
      }
}

// A capture that other code invalidated: the library reports it, and the context works after the capture ends.
TEST_F(CaptureCuda, AFailedCaptureLosesNothing) {
  const cuda_stream s;
  const context gpu = context::cuda().with({.stream = s.handle()});
  const words x{5, 1, 4};
  buffer<std::uint32_t> in(gpu, x), out(gpu, 3);
  gpu.synchronize();
  for (int turn = 0; turn < 2; ++turn) {
    cuda::check(cudaStreamBeginCapture(s.handle(), cudaStreamCaptureModeGlobal), "test");
    sort(gpu, in.span(), out.span());
    EXPECT_NE(cudaStreamSynchronize(s.handle()), cudaSuccess);  // not permitted during a capture
    cudaGetLastError();
    expect_error(fault::unsupported, {"capture", "cudaStreamEndCapture"}, [&] { sort(gpu, in.span(), out.span()); });
    cudaGraph_t graph = nullptr;
    EXPECT_NE(cudaStreamEndCapture(s.handle(), &graph), cudaSuccess);
    cudaGetLastError();
    sort(gpu, in.span(), out.span());
    EXPECT_EQ(out.download(), (words{1, 4, 5}));
    const recording again(s, [&] { sort(gpu, in.span(), out.span(), {.descending = true}); });
    again.run();
    EXPECT_EQ(out.download(), (words{5, 4, 1}));
  }
}

// A CUDA error does not mark the context as lost unless it is lost.
TEST_F(CaptureCuda, AdviceFitsTheFailure) {
  expect_error(fault::unsupported, {"cudaStreamEndCapture"},
               [] { cuda::check(cudaErrorStreamCaptureUnsupported, "a call"); });
  expect_error(fault::unsupported, {"cudaStreamNonBlocking"},
               [] { cuda::check(cudaErrorStreamCaptureImplicit, "a call"); });
  expect_error(fault::device_failure, {"can still be used"}, [] { cuda::check(cudaErrorInvalidValue, "a call"); });
  expect_error(fault::device_failure, {"start the process again"},
               [] { cuda::check(cudaErrorIllegalAddress, "a call"); });
}

// One thread captures, in the mode that forbids all threads unsafe calls, while others call, grow their scratch, open
// and close contexts, wait and ask events.
TEST_F(CaptureCuda, OneThreadCapturesWhileOthersCall) {
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::string> said(3);
  std::vector<std::thread> others;
  for (int k = 0; k < 3; ++k)
    others.emplace_back([&, k] {
      try {
        for (int turn = 0; !stop && turn < 400; ++turn) {
          const std::uint64_t n = 1000 + 977 * static_cast<std::uint64_t>(turn % 40) * (k + 1);
          const context own = context::cuda();
          words x(n);
          for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>(i * 2654435761u);
          buffer<std::uint32_t> there(own, x);
          event sorted;
          sort(own.with({.record = &sorted}), there.span());
          while (!sorted.done()) std::this_thread::yield();
          std::sort(x.begin(), x.end());
          if (there.download() != x || reduce(own, there.span(), 0u, maximum{}) != x.back()) ++wrong;
        }
      } catch (const std::exception& e) {
        said[static_cast<std::size_t>(k)] = e.what();
      }
    });
  try {
    const context reference = context::cuda();
    capture_material m;
    for (const char* name : {"sort", "argsort", "reduce_by_key", "convolve", "convolve by transforms", "top_k", "rank"})
      for (const capture_call& c : tests::calls_that_enqueue()) {
        if (c.name != name) continue;
        const results want = wanted(reference, c, m, 1);
        for (int turn = 0; turn < 5; ++turn) {
          const cuda_stream s;
          const context cold = context::cuda().with({.stream = s.handle()});
          const recording graph(s, [&] { c.call(cold, m); }, cudaStreamCaptureModeGlobal);
          expect_replay(graph, c, m, want, 1, "while others call");
        }
      }
  } catch (const error& e) {
    ADD_FAILURE() << e.what();
  }
  stop = true;
  for (std::thread& t : others) t.join();
  EXPECT_EQ(wrong, 0);
  for (const std::string& what : said) EXPECT_EQ(what, "");
}

// Several threads capture at once, through copies of one context each on a stream of its own.
TEST_F(CaptureCuda, ThreadsCaptureAtOnce) {
  std::vector<std::string> said(4);
  std::vector<std::thread> all;
  for (std::size_t k = 0; k < said.size(); ++k)
    all.emplace_back([&, k] {
      try {
        const context gpu = context::cuda();
        for (std::uint64_t n : {1000u, 70001u, 300007u}) {
          const cuda_stream s;
          words x(n);
          for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>((i + k) * 2654435761u);
          buffer<std::uint32_t> in(gpu, x), out(gpu, n);
          const recording graph(s, [&] { sort(gpu.with({.stream = s.handle()}), in.span(), out.span()); });
          std::sort(x.begin(), x.end());
          for (int turn = 0; turn < 3; ++turn) {
            graph.run();
            if (out.download() != x) said[k] = "wrong";
          }
        }
      } catch (const std::exception& e) {
        said[k] = e.what();
      }
    });
  for (std::thread& t : all) t.join();
  for (const std::string& what : said) EXPECT_EQ(what, "");
}

// With memory provided by the caller: eager calls on the context do not use the memory of its graphs.
TEST_F(CaptureCuda, MemoryOfAResource) {
  const context gpu = context::cuda();
  const std::uint64_t n = 200003;
  words x(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>(i * 2654435761u) >> 9;
  words sorted = x;
  std::sort(sorted.begin(), sorted.end());
  buffer<std::uint32_t> in(gpu, x), out(gpu, n), large(gpu, 4 * n);
  buffer<std::byte> space(gpu, 64 << 20);
  gpu.synchronize();
  arena_resource pool(gpu, space.span());
  const cuda_stream s;
  const context lean = gpu.with({.stream = s.handle(), .memory = &pool});
  const auto sorts = [&] { sort(lean, in.span(), out.span()); };
  const recording first(s, sorts), second(s, sorts);
  const auto expect_sorted = [&](const recording& graph) {
    gpu.device().fill(out.span().where(), 0xcc, n * 4);
    gpu.synchronize();
    graph.run();
    EXPECT_EQ(out.download(), sorted);
  };
  expect_sorted(second);
  for (int turn = 0; turn < 3; ++turn) {
    sort(lean, large.span());  // grows the context's own
    sorts();
    lean.synchronize();
    expect_sorted(first);
    expect_sorted(second);
  }
}

// Buffers allocated during a capture live as long as either the buffer or the graph needs them.
TEST_F(CaptureCuda, BuffersOfCaptures) {
  const cuda_stream s;
  const context gpu = context::cuda().with({.stream = s.handle()});
  const words x(70001, 3);
  buffer<std::uint32_t> in(gpu, x), total(gpu, 1);
  gpu.synchronize();
  std::optional<buffer<std::uint32_t>> kept;
  std::optional<recording> graph;
  graph.emplace(s, [&] {
    for (int i = 0; i < 20; ++i) {
      buffer<std::uint32_t> sums(gpu, x.size());  // destroyed during the capture
      inclusive_scan(gpu, in.span(), sums.span());
      reduce(gpu, sums.span(), total.span(), 0u, maximum{});
    }
    kept.emplace(gpu, x.size());
    inclusive_scan(gpu, in.span(), kept->span());
  });
  EXPECT_EQ(graph->memory_nodes(), 0u);
  graph->run();
  EXPECT_EQ(total.download()[0], 3u * 70001);
  EXPECT_EQ(kept->download().back(), 3u * 70001);
  graph.reset();  // the buffer is still there
  fill(gpu, kept->span(), 7u);
  EXPECT_EQ(kept->download(), words(x.size(), 7));
  kept.reset();
  // And one that was allocated before the capture and is destroyed during it.
  std::optional<buffer<std::uint32_t>> before(std::in_place, gpu, x);
  const recording other(s, [&] {
    before.reset();
    reduce(gpu, in.span(), total.span());
  });
  other.run();
  EXPECT_EQ(total.download()[0], 3u * 70001);
}

// Memory of destroyed graphs is freed.
TEST_F(CaptureCuda, GraphsThatAreGoneHoldNothing) {
  const cuda_stream s;
  const context gpu = context::cuda().with({.stream = s.handle()});
  const std::uint64_t n = 1 << 22;
  buffer<std::uint32_t> in(gpu, n), out(gpu, n);
  fill(gpu, in.span(), 1u);
  gpu.synchronize();
  {
    const recording first(s, [&] { sort(gpu, in.span(), out.span()); });
  }
  gpu.trim();
  const std::uint64_t before = gpu.free_memory();
  for (int turn = 0; turn < 100; ++turn) {
    const recording graph(s, [&] { sort(gpu, in.span(), out.span()); });
    graph.run();
  }
  gpu.trim();
  EXPECT_LE(before, gpu.free_memory() + (64 << 20));
}

// ---- Scratch

TEST_F(CaptureCuda, TrimReleasesScratch) {
  const context gpu = context::cuda();
  const cuda_stream s;
  const context side = gpu.with({.stream = s.handle()});
  const std::uint64_t n = 1 << 24;
  buffer<std::uint32_t> in(gpu, n), out(gpu, n);
  words x(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>(i * 2654435761u);
  in.upload(x);
  std::sort(x.begin(), x.end());
  gpu.trim();
  const std::uint64_t before = gpu.free_memory();
  for (const context* c : {&gpu, &side}) sort(*c, in.span(), out.span());
  EXPECT_GE(gpu.temporary_storage_bytes(), n);
  EXPECT_GE(side.temporary_storage_bytes(), n);
  gpu.trim();  // of all streams
  EXPECT_EQ(gpu.temporary_storage_bytes(), 0u);
  EXPECT_EQ(side.temporary_storage_bytes(), 0u);
  EXPECT_LE(before, gpu.free_memory() + (8 << 20));
  for (const context* c : {&gpu, &side}) {
    sort(*c, in.span(), out.span());
    c->synchronize();
    EXPECT_EQ(out.download(), x);
  }
}

// Idle temporary storage of another stream is freed before a call fails. If that is not enough, the message says who
// holds the memory.
TEST_F(CaptureCuda, IdleScratchGoesBeforeMemoryRunsOut) {
  const context gpu = context::cuda();
  const cuda_stream s;
  const context side = gpu.with({.stream = s.handle()});
  const std::uint64_t n = std::uint64_t{1} << 28;
  gpu.trim();
  buffer<std::uint32_t> in(gpu, n);
  fill(gpu, in.span(), 5u);
  gpu.synchronize();
  sort(side, in.span());  // in place: a gigabyte and more of scratch
  side.synchronize();
  const std::uint64_t held = side.temporary_storage_bytes();
  ASSERT_GE(held, n * 4);
  // All but a little is taken.
  const std::uint64_t free = gpu.free_memory();
  ASSERT_GT(free, std::uint64_t{1} << 30);
  const buffer<std::byte> hog(gpu, free - (std::uint64_t{600} << 20));
  sort(gpu, in.span());
  gpu.synchronize();
  EXPECT_EQ(side.temporary_storage_bytes(), 0u);
  EXPECT_EQ(reduce(gpu, in.span(), 0u, maximum{}), 5u);
  expect_error(fault::out_of_memory, {"were requested", "are free", "this process has", "CUDA graphs"},
               [&] { const buffer<std::byte> more(gpu, free); });
  sort(gpu, in.span());  // after the error
  EXPECT_EQ(reduce(gpu, in.span(), 0u, maximum{}), 5u);
}

// A graph keeps the run-time compiled programs that it launches, though later calls drop all others; they go with it.
TEST_F(CaptureCuda, GraphsKeepTheirPrograms) {
  ::setenv("UPSWEEP_PROGRAM_LIMIT", "4", 1);
  struct at_end {
    ~at_end() { ::unsetenv("UPSWEEP_PROGRAM_LIMIT"); }
  } const restored;
  const cuda_stream s;
  const context gpu = context::cuda().with({.stream = s.handle()}), other = context::cuda();
  const buffer<std::uint32_t> x(gpu, words{1, 2, 3, 1000});
  buffer<std::uint32_t> y(gpu, 4), z(other, 4);
  const auto drop_others = [&](unsigned first) {
    for (unsigned k = first; k < first + 40; ++k) {
      transform(other, x, z, expression("x + " + std::to_string(k)));
      ASSERT_EQ(z.download(), (words{1 + k, 2 + k, 3 + k, 1000 + k}));
    }
  };
  const std::int64_t before = code_cache::programs_in_memory();
  {
    // Captured before its program was compiled, and again after that.
    const recording first(s, [&] { transform(gpu, x, y, expression("x * x + 77")); });
    const recording second(s, [&] { transform(gpu, x, y, expression("x * x + 77")); });
    drop_others(100);
    for (const recording* graph : {&first, &second, &first}) {
      y.upload(words(4, 0));
      graph->run();
      EXPECT_EQ(y.download(), (words{78, 81, 86, 1'000'077}));
    }
  }
  drop_others(200);
  EXPECT_LE(code_cache::programs_in_memory(), before + 5);
}

// Cached temporary storage is bounded: idle storage is freed before the limit is exceeded.
TEST_F(CaptureCuda, KeptScratchIsBounded) {
  const context gpu = context::cuda();
  gpu.trim();
  setenv("UPSWEEP_SCRATCH_LIMIT", "64M", 1);
  const std::uint64_t n = 1 << 22;
  std::vector<std::unique_ptr<cuda_stream>> streams;
  std::vector<context> contexts;
  buffer<std::uint32_t> in(gpu, n), out(gpu, n);
  fill(gpu, in.span(), 5u);
  gpu.synchronize();
  std::uint64_t most = 0;
  for (int i = 0; i < 16; ++i) {
    streams.push_back(std::make_unique<cuda_stream>());
    contexts.push_back(gpu.with({.stream = streams.back()->handle()}));
    sort(contexts.back(), in.span(), out.span());
    contexts.back().synchronize();
    std::uint64_t kept = 0;
    for (const context& c : contexts) kept += c.temporary_storage_bytes();
    most = std::max(most, kept);
  }
  unsetenv("UPSWEEP_SCRATCH_LIMIT");
  EXPECT_LE(most, std::uint64_t{96} << 20);
  EXPECT_EQ(reduce(gpu, out.span(), 0u, maximum{}), 5u);
}

}  // namespace
