// Calls in an OpenCL queue of the caller's, in the library's OpenCL context and in another.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "tests/devices.hpp"
#include "upsweep/device_counted.hpp"
#include "upsweep/opencl/opencl_device.hpp"
#include "upsweep/opencl/queue_order.hpp"
#include "upsweep/upsweep.hpp"

namespace upsweep {
namespace {

using tests::expect_error;

std::vector<std::uint32_t> numbers(std::size_t n) {
  std::vector<std::uint32_t> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>(i * 2654435761u) >> 7;
  return x;
}

struct ControlOpenCL : testing::Test {
  void SetUp() override {
    const auto names = tests::device_names();
    const auto at = std::ranges::find_if(names, [](const std::string& n) { return n.starts_with("opencl"); });
    if (at == names.end()) GTEST_SKIP() << "no OpenCL device here";
    where.emplace(tests::on(*at));
  }
  // A context's OpenCL context and hardware, as a caller finds them: by the memory.
  static cl::Context context_of(buffer<std::uint32_t>& b) {
    return cl::Buffer(static_cast<cl_mem>(b.span().where().base), true).getInfo<CL_MEM_CONTEXT>();
  }
  std::optional<context> where;
};

// Kernels count elements: a span that begins within one would be read from where that one begins.
TEST_F(ControlOpenCL, OperandsThatBeginWithinAnElement) {
  const std::vector<std::uint32_t> x = numbers(1001);
  const buffer<std::uint32_t> words(*where, x);
  const auto pairs_from = [&](std::uint64_t bytes) {
    return device_span<const std::uint64_t>(words.span().where().plus_bytes(bytes), 400);
  };
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < 400; ++i) sum += x[2 * i + 2] + (std::uint64_t{x[2 * i + 3]} << 32);
  EXPECT_EQ(reduce(*where, pairs_from(8)), sum);
  for (const std::uint64_t bytes : {4, 12, 1004}) {
    const auto refused = [&](const auto& call) {
      expect_error(fault::bad_argument,
                   {"begins " + std::to_string(bytes) + " bytes into its memory", "multiple of its elements' 8"}, call);
    };
    refused([&] { reduce(*where, pairs_from(bytes)); });
    buffer<std::uint64_t> sums(*where, 400);
    refused([&] { inclusive_scan(*where, pairs_from(bytes), sums.span()); });
  }
  EXPECT_EQ(words.download(), x);
}

TEST(TurnsOpenCL, AreTakenOnTheReleasesThatNeedThem) {
  for (const char* const yes :
       {"OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts", "OpenCL 1.2 pocl 1.1 RelWithDebInfo"})
    EXPECT_TRUE(opencl::wants_turns(yes)) << yes;
  for (const char* const no :
       {"OpenCL 3.0 PoCL 6.0  Linux", "OpenCL 3.0 PoCL 10.1", "OpenCL 3.0 CUDA 13.0.84", "PoCL "})
    EXPECT_FALSE(opencl::wants_turns(no)) << no;
}

TEST(PoclOpenCL, IsToldByItsRelease) {
  EXPECT_EQ(opencl::pocl_release("OpenCL 3.0 PoCL 5.0+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 16.0.6"), 5);
  EXPECT_EQ(opencl::pocl_release("OpenCL 3.0 PoCL 10.1"), 10);
  EXPECT_EQ(opencl::pocl_release("OpenCL 3.0 CUDA 13.0.84"), 0);
  EXPECT_EQ(opencl::pocl_release("PoCL "), 0);
  EXPECT_TRUE(opencl::loses_values("OpenCL 3.0 PoCL 5.0+debian"));
  EXPECT_TRUE(opencl::loses_values("OpenCL 3.0 PoCL 6.0"));
  EXPECT_FALSE(opencl::loses_values("OpenCL 3.0 PoCL 3.1+debian"));
  EXPECT_FALSE(opencl::loses_values("OpenCL 3.0 CUDA 13.0.84"));
  EXPECT_EQ(opencl::vector_bytes("OpenCL 3.0 PoCL 7.1  Linux, Release"), 32);
  EXPECT_EQ(opencl::vector_bytes("OpenCL 3.0 PoCL 6.0"), 64);
}

// The widest vectors that a device's kernels are written with, in and out of functions: PoCL 7.1 loses half of 64
// bytes.
TEST_F(ControlOpenCL, TheWidestVectors) {
  opencl::device& d = opencl::of(where->device());
  const std::uint32_t width = d.vector_bytes() / 4;
  const std::string text =
      "#define JOINED_(a, b) a##b\n"
      "#define JOINED(a, b) JOINED_(a, b)\n"
      "typedef JOINED(uint, WIDTH) ALL;\n"
      "ALL odd(ALL x, ALL* twice) { *twice = x + x; return x * x + 1; }\n"
      "kernel void f(global uint* io, ulong at) {\n"
      "  ALL twice;\n"
      "  const ALL x = JOINED(vload, WIDTH)(0, io + at);\n"
      "  const ALL y = odd(clamp(x, (ALL)7, (ALL)1000), &twice);\n"
      "  JOINED(vstore, WIDTH)(select(y, twice, y > (ALL)500), 0, io + at);\n"
      "}\n";
  std::vector<std::uint32_t> x(width), expected(width);
  for (std::uint32_t i = 0; i < width; ++i) {
    x[i] = 5 * i + 1;
    const std::uint32_t c = std::clamp(x[i], 7u, 1000u);
    expected[i] = c * c + 1 > 500 ? 2 * c : c * c + 1;
  }
  buffer<std::uint32_t> io(*where, x);
  d.launch(d.kernel({}, "-D WIDTH=" + std::to_string(width), "f", text), 1, 1, opencl::operand{io.span().where(), 4});
  EXPECT_EQ(io.download(), expected);
}

// One kernel in three queues, the last of which asks for a wider grid each time: PoCL 3.1 alone ends the process.
TEST_F(ControlOpenCL, KernelsOfThreeQueuesAtOnce) {
  const std::string text =
      "kernel void f(global uint* out, ulong at, uint salt) {\n"
      "  uint x = salt;\n"
      "  for (int i = 0; i < 10000; ++i) x = x * 3 + (uint)get_global_id(0);\n"
      "  out[at + get_global_id(0)] = x;\n"
      "}\n";
  const auto expected = [](std::uint32_t salt, std::uint32_t id) {
    std::uint32_t x = salt;
    for (int i = 0; i < 10000; ++i) x = x * 3 + id;
    return x;
  };
  constexpr std::uint64_t group = 16, most = 160;
  std::vector<context> queues;
  std::vector<buffer<std::uint32_t>> out;
  for (int i = 0; i < 3; ++i) {
    queues.push_back(context::named(where->device().name()));
    out.emplace_back(queues.back(), group * most);
  }
  for (std::uint32_t width = 1; width < most; ++width) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      opencl::device& d = opencl::of(queues[i].device());
      auto k = d.kernel({}, "", "f", text);
      d.launch(k, width + (i == 2), group, opencl::operand{out[i].span().where(), 4}, cl_uint{width + i});
    }
    for (const context& c : queues) c.synchronize();
  }
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::vector<std::uint32_t> last = out[i].download();
    for (const std::uint32_t id : {0u, 17u, static_cast<std::uint32_t>(group * (most - 1)) - 1})
      EXPECT_EQ(last[id], expected(most - 1 + i, id)) << "queue " << i << ", work-item " << id;
  }
}

TEST_F(ControlOpenCL, QueuesOfTheCallers) {
  const std::vector<std::uint32_t> x = numbers(100003);
  std::vector<std::uint32_t> sorted = x;
  std::ranges::sort(sorted);
  buffer<std::uint32_t> in(*where, x);
  where->synchronize();
  const cl::Context its_own = context_of(in);
  const cl::Device hardware = its_own.getInfo<CL_CONTEXT_DEVICES>()[0];
  const cl::CommandQueue queue(its_own, hardware);
  const context mine = where->with({.stream = queue()});
  EXPECT_NE(&mine.device(), &where->device());
  event done;
  sort(mine.with({.record = &done}), in.span());
  EXPECT_EQ(reduce(where->with({.wait_for = {done}}), in.span()), reduce(context::cpu(1), x));
  EXPECT_EQ(in.download(), sorted);
  // Of each queue there is one scratch.
  const std::uint64_t allocations = mine.temporary_storage_allocations();
  EXPECT_GT(allocations, 0u);
  sort(where->with({.stream = queue()}), in.span());
  EXPECT_EQ(mine.temporary_storage_allocations(), allocations);
  EXPECT_EQ(&where->with({.stream = queue()}).device(), &mine.device());
  queue.finish();
}

TEST_F(ControlOpenCL, QueuesOfAnotherContext) {
  buffer<std::uint32_t> any(*where, 1);
  const cl::Device hardware = context_of(any).getInfo<CL_CONTEXT_DEVICES>()[0];
  const cl::Context other(hardware);
  const cl::CommandQueue queue(other, hardware);
  const context mine = where->with({.stream = queue()});
  std::vector<std::uint32_t> x = numbers(50021);
  const cl::Buffer theirs(other, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, x.size() * 4, x.data());
  const device_span<std::uint32_t> span(memory{theirs(), 0}, x.size());
  inclusive_scan(mine, span, span);
  event done;
  done.record(mine);
  done.wait(*where);  // by way of the host
  std::vector<std::uint32_t> back(x.size());
  download(mine, span, back);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(back[i], sum += x[i]) << i;
  sort(mine, x);
  EXPECT_TRUE(std::ranges::is_sorted(x));
}

// A call on device memory without a return value never waits on the host: it returns while the queue is blocked.
TEST_F(ControlOpenCL, CallsThatReturnNothingDoNotWait) {
  constexpr std::size_t n = 5003;
  std::vector<std::uint32_t> runs(n);
  std::vector<std::uint64_t> back(n);
  for (std::size_t i = 0; i < n; ++i) runs[i] = static_cast<std::uint32_t>(i / 7), back[i] = n - 1 - i;
  buffer<std::uint32_t> any(*where, 1);
  const cl::Context its_own = context_of(any);
  const cl::CommandQueue queue(its_own, its_own.getInfo<CL_CONTEXT_DEVICES>()[0]);
  const context c = where->with({.stream = queue()});
  buffer<std::uint32_t> x(c, numbers(n)), y(c, n), z(c, n), one(c, 1), four(c, 4);
  const buffer<std::uint32_t> keys(c, runs);
  buffer<std::uint64_t> count(c, std::vector<std::uint64_t>{1000}), lengths(c, n), bins(c, 64);
  const buffer<std::uint64_t> offsets(c, std::vector<std::uint64_t>{0, 5, 5, 4000, n}), indices(c, back),
      held(c, std::vector<std::uint64_t>{4000});
  const buffer<std::uint8_t> flags(c, std::vector<std::uint8_t>(n, 1));
  const buffer<float> f(c, std::vector<float>(n, 0.5f));
  buffer<float> g(c, n), sum(c, 1);
  const auto some = device_counted(x, held);
  const struct {
    const char* name;
    std::function<void()> call;
  } calls[] = {
      {"reduce", [&] { reduce(c, x, one.span()); }},
      {"reduce across devices", [&] { reduce(c.with({.deterministic = determinism::across_devices}), f, sum.span()); }},
      {"inclusive_scan", [&] { inclusive_scan(c, x, y); }},
      {"exclusive_scan", [&] { exclusive_scan(c, x, y, 5u); }},
      {"sort", [&] { sort(c, x, y); }},
      {"sort_by_key", [&] { sort_by_key(c, x, keys, y, z); }},
      {"argsort", [&] { argsort(c, x, y); }},
      {"segmented_sort", [&] { segmented_sort(c, x, y, offsets); }},
      {"top_k", [&] { top_k(c, x, four); }},
      {"merge", [&] { merge(c, keys.span().subspan(0, n / 2), keys.span().subspan(0, n - n / 2), y); }},
      {"copy_if", [&] { copy_if(c, x, y, count.span(), less_than(1u << 22)); }},
      {"select_flagged", [&] { select_flagged(c, x, flags, y, count.span()); }},
      {"unique", [&] { unique(c, keys, y, count.span()); }},
      {"partition", [&] { partition(c, x, y, count.span(), less_than(1u << 22)); }},
      {"run_length_encode", [&] { run_length_encode(c, keys.span(), y.span(), lengths.span(), count.span()); }},
      {"gather", [&] { gather(c, x, indices, y); }},
      {"scatter_if", [&] { scatter_if(c, x, indices, flags, y); }},
      {"reduce_by_key", [&] { reduce_by_key(c, keys, x, y, z, count.span()); }},
      {"inclusive_scan_by_key", [&] { inclusive_scan_by_key(c, keys, x, y); }},
      {"segmented_reduce", [&] { segmented_reduce(c, x, offsets, four); }},
      {"segmented_inclusive_scan", [&] { segmented_inclusive_scan(c, x, offsets, y); }},
      {"histogram", [&] { histogram(c, x, bins, 0u, 1u << 23); }},
      {"summed_area_table",
       [&] { summed_area_table(c, f.span().subspan(0, 5000), g.span().subspan(0, 5000), {100, 50}); }},
      {"transform", [&] { transform(c, x, y, square{}); }},
      {"fill", [&] { fill(c, y, 7u); }},
      {"iota", [&] { iota(c, y, 3u); }},
      {"copy", [&] { copy(c, x, y); }},
      {"reverse_copy", [&] { reverse_copy(c, x, y); }},
      {"vector_add", [&] { vector_add(c, x, keys, y); }},
      {"counted sort", [&] { sort(c, some, y); }},
      {"counted inclusive_scan", [&] { inclusive_scan(c, some, y); }},
      {"counted reduce", [&] { reduce(c, some, one.span()); }},
      {"counted reduce_by_key", [&] { reduce_by_key(c, some, keys, y, z, count.span()); }},
      {"counted copy_if", [&] { copy_if(c, some, y, count.span(), at_least(1u << 22)); }},
      {"counted partition", [&] { partition(c, some, y, count.span(), at_least(1u << 22)); }},
      {"counted unique", [&] { unique(c, some, y, count.span()); }},
      {"counted histogram", [&] { histogram(c, some, bins, 0u, 1u << 23); }},
  };
  for (const auto& [name, call] : calls) {
    call();  // compiles the kernels and takes the scratch
    queue.finish();
    cl::UserEvent gate(its_own);
    const std::vector<cl::Event> closed{gate};
    queue.enqueueBarrierWithWaitList(&closed);
    // Opened when the call has returned, or for one that waits.
    std::promise<void> returned;
    bool waited = false;
    std::thread opener([&, has_returned = returned.get_future()] {
      waited = has_returned.wait_for(std::chrono::seconds(30)) != std::future_status::ready;
      gate.setStatus(CL_COMPLETE);
    });
    call();
    returned.set_value();
    opener.join();
    queue.finish();
    EXPECT_FALSE(waited) << name;
  }
}

TEST_F(ControlOpenCL, WrongQueues) {
  buffer<std::uint32_t> any(*where, 1);
  const cl::Context its_own = context_of(any);
  const cl::Device hardware = its_own.getInfo<CL_CONTEXT_DEVICES>()[0];
  expect_error(fault::bad_argument, {"the queue is null", "cl_command_queue"},
               [&] { where->with({.stream = nullptr}); });
  cl_int code = CL_SUCCESS;
  const cl_command_queue unordered =
      clCreateCommandQueue(its_own(), hardware(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code != CL_SUCCESS) GTEST_SKIP() << "all queues are in order";
  expect_error(fault::bad_argument, {"out of order", "in order"}, [&] { where->with({.stream = unordered}); });
  clReleaseCommandQueue(unordered);
}

}  // namespace
}  // namespace upsweep
