// Contexts: the list of devices, errors for a wrong name, and shared state.
#include "upsweep/context.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/devices.hpp"
#include "upsweep/buffer.hpp"
#include "upsweep/core/catalog.hpp"
#include "upsweep/for_each.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"

namespace upsweep {
namespace {

using tests::expect_error;

TEST(Context, NamesOpenWhatTheyName) {
  EXPECT_EQ(context::named("cpu").kind(), backend::cpu);
  EXPECT_EQ(context::named("cpu:2").kind(), backend::cpu);
  EXPECT_NE(context::named("cpu:2").description().find("2 threads"), std::string::npos);
  EXPECT_NO_THROW(context::named("best"));
  for (const device_listing& d : list_devices())
    if (d.usable) {
      const context c = context::named(d.name);
      EXPECT_EQ(c.kind(), d.kind) << d.name;
      EXPECT_EQ(c.description(), d.description) << d.name;
    }
}

TEST(Context, ListHasARowForEveryBackend) {
  bool row[3]{};
  for (const device_listing& d : list_devices()) {
    row[static_cast<int>(d.kind)] = true;
    EXPECT_FALSE(d.description.empty()) << d.name;
    EXPECT_TRUE(d.usable || d.description.find("off") != std::string::npos) << d.description;
  }
  for (bool there : row) EXPECT_TRUE(there);
}

TEST(Context, WrongNamesSayWhatToName) {
  expect_error(fault::no_device, {"nonsense", "cpu, cuda:N, opencl:N, best"}, [] { context::named("nonsense"); });
  expect_error(fault::no_device, {"cuda:x", "not a number"}, [] { context::named("cuda:x"); });
  expect_error(fault::no_device, {"cuda:-1"}, [] { context::named("cuda:-1"); });
  expect_error(fault::no_device, {"cpu:"}, [] { context::named("cpu:"); });
  expect_error(fault::no_device, {"best:1"}, [] { context::named("best:1"); });
  expect_error(fault::no_device, {"''"}, [] { context::named(""); });
}

TEST(Context, DevicesThatAreNotThere) {
#if UPSWEEP_WITH_CUDA
  expect_error(fault::no_device, {"99"}, [] { context::cuda(99); });
#else
  expect_error(fault::no_device, {"this build has no CUDA", "install the CUDA toolkit"}, [] { context::cuda(0); });
  expect_error(fault::no_device, {"this build has no CUDA"}, [] { context::cuda_on_stream(nullptr); });
#endif
#if UPSWEEP_WITH_OPENCL
  expect_error(fault::no_device, {"99"}, [] { context::opencl(99); });
#else
  expect_error(fault::no_device, {"this build has no OpenCL", "build again"}, [] { context::opencl(0); });
#endif
}

TEST(Context, ThreadCountsOutOfReason) {
  expect_error(fault::bad_argument, {"-1 threads"}, [] { context::cpu(-1); });
  expect_error(fault::bad_argument, {"100000 threads"}, [] { context::cpu(100000); });
}

TEST(Context, MoreThreadsThanCoresStillAnswers) {
  const context crowd = context::cpu(64);
  std::vector<std::uint64_t> x(300000, 3);
  EXPECT_EQ(reduce(crowd, x), 900000u);
  inclusive_scan(crowd, x, x);
  EXPECT_EQ(x.back(), 900000u);
}

TEST(Context, CopiesShareTheDevice) {
  const context a = context::cpu(1), b = a, other = context::cpu(1);
  EXPECT_EQ(&a.device(), &b.device());
  EXPECT_NE(&a.device(), &other.device());
  std::vector<int> x(10, 1);
  reduce(a, x);
  EXPECT_FALSE(b.last_algorithm().empty());
  EXPECT_TRUE(other.last_algorithm().empty());
}

TEST(Context, WithMakesAnotherOne) {
  const context fastest = context::cpu(2), chosen = fastest.with({.variant = "scan/sequential"});
  EXPECT_EQ(&chosen.device(), &fastest.device());
  const std::vector<std::uint32_t> x(1000, 3);
  std::vector<std::uint32_t> y(x.size());
  inclusive_scan(chosen, x, y);
  EXPECT_EQ(y.back(), 3000u);
  EXPECT_EQ(chosen.last_algorithm(), "scan/sequential");
  inclusive_scan(fastest, x, y);
  EXPECT_EQ(y.back(), 3000u);
  const std::string fastest_scan(fastest.last_algorithm());
  EXPECT_NE(fastest_scan, "scan/sequential");
  inclusive_scan(chosen, x, y);
  EXPECT_EQ(chosen.last_algorithm(), "scan/sequential");
  // Other algorithms run as before. A second choice of another algorithm is added; a second choice of the same
  // algorithm replaces the first.
  reduce(chosen, x);
  EXPECT_NE(chosen.last_algorithm(), "reduce/sequential");
  const context both = chosen.with({.variant = "reduce/sequential"});
  reduce(both, x);
  EXPECT_EQ(both.last_algorithm(), "reduce/sequential");
  inclusive_scan(both, x, y);
  EXPECT_EQ(both.last_algorithm(), "scan/sequential");
  const context other = both.with({.variant = fastest_scan});
  inclusive_scan(other, x, y);
  EXPECT_EQ(other.last_algorithm(), fastest_scan);
  inclusive_scan(both, x, y);
  EXPECT_EQ(both.last_algorithm(), "scan/sequential");
  // Without options the result is a copy.
  inclusive_scan(both.with({}), x, y);
  EXPECT_EQ(both.last_algorithm(), "scan/sequential");
  // A copy has the same options and outlives its original.
  const context kept = [] { return context(context::cpu(1).with({.variant = "scan/sequential"})); }();
  inclusive_scan(kept, x, y);
  EXPECT_EQ(kept.last_algorithm(), "scan/sequential");
}

TEST(Context, WithAnUnknownVariantChangesNothing) {
  context c = context::cpu(1).with({.variant = "scan/sequential"});
  expect_error(fault::bad_argument, {"scan/sequentail", "similar names are scan/sequential"},
               [&] { c = c.with({.variant = "scan/sequentail"}); });
  const std::vector<int> x(100, 1);
  std::vector<int> y(x.size());
  inclusive_scan(c, x, y);
  EXPECT_EQ(c.last_algorithm(), "scan/sequential");
  reduce(c, x);
  EXPECT_NE(c.last_algorithm(), "reduce/sequential");
}

TEST(Context, AnUnknownVariantsNearestNamesAreOfItsPrimitive) {
  expect_error(fault::bad_argument, {"scan/fastest", "similar names are scan/", ", scan/"},
               [] { context::cpu(1).with({.variant = "scan/fastest"}); });
}

#if !UPSWEEP_WITH_CUDA
TEST(Context, VariantsOfABackendThatIsNotThereSayWhatToBuild) {
  const std::string need = "build Upsweep with CUDA (-DUPSWEEP_CUDA=ON), and use a context of that backend";
  for (const char* name : {"scan/blelloch", "scan/look-ahead", "sort/onesweep"})
    expect_error(fault::unsupported, {name, "variant for cuda", need},
                 [&] { context::cpu(1).with({.variant = name}); });
}
#endif

// More threads than processors, over several open contexts: each context has its own threads, and there is no warning.
TEST(Context, EachHasTheThreadsThatItAskedFor) {
  const int few = static_cast<int>(std::thread::hardware_concurrency()) + 1, many = few + 3;
  const context first = context::cpu(few), second = context::cpu(many);
  testing::internal::CaptureStderr();
  std::atomic<int> here = 0;
  std::atomic<bool> all = false;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for_each_index(
      second, static_cast<std::uint64_t>(many),
      [&](std::uint64_t) {
        if (++here == many) all = true;
        while (!all && std::chrono::steady_clock::now() < until) std::this_thread::yield();
      },
      1);
  EXPECT_TRUE(all) << here << " of " << many;
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// Two threads, a context each, at once.
TEST(Context, OneForEachThread) {
  std::vector<float> x(200000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1000);
  const float alone = reduce(context::cpu(2), x);
  float results[4]{};
  std::vector<std::thread> threads;
  for (float& result : results)
    threads.emplace_back([&] {
      const context mine = context::cpu(2);
      for (int i = 0; i < 20; ++i) result = reduce(mine, x);
    });
  for (std::thread& t : threads) t.join();
  for (float result : results) EXPECT_EQ(result, alone);
}

struct ContextOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, ContextOn, testing::ValuesIn(tests::device_names()), tests::device_label);

// One context, captured by every thread as people write it: whatever the others do, each call is right.
TEST_P(ContextOn, ThreadsMayShareIt) {
  const context shared = where();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (unsigned turn = 0; turn < 6; ++turn) {
        std::vector<std::uint32_t> x(1000 + 7919 * t + 30011 * turn), y(x.size()), want(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint32_t>((i + t) * 2654435761u) >> 8;
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) want[i] = sum += x[i];
        wrong += reduce(shared, x) != sum;
        inclusive_scan(shared, x, y);
        wrong += y != want;
        const std::uint32_t middle = 1u << 23;
        want.assign(x.size(), 0);
        const auto kept =
            std::copy_if(x.begin(), x.end(), want.begin(), [=](auto v) { return v < middle; }) - want.begin();
        y.assign(x.size(), 0);
        wrong += copy_if(shared, x, y, less_than(middle)) != static_cast<std::uint64_t>(kept);
        wrong += !std::equal(want.begin(), want.begin() + kept, y.begin());
        want = x;
        std::ranges::sort(want);
        sort(shared, x, y);
        wrong += y != want;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

// Two threads at once, each with its own context on one device; one of them requests a variant. The variants add in
// different orders, so the bits of a float sum show which one ran.
TEST_P(ContextOn, ThreadsMayAskForDifferentVariants) {
  const context fastest = where();
  std::vector<float> x(30011);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 / static_cast<float>(1 + i * 7919 % x.size());
  const float own = reduce(fastest, x);
  const auto asked = core::fold_problem<detail::reduce_impl::problem, float, plus, identity>({}, {}, x.size(), 0);
  const auto all = catalog();
  const auto other = std::find_if(all.begin(), all.end(), [&](const variant& v) {
    return v.where == fastest.kind() && why_not(v, fastest.device(), asked).empty() &&
           reduce(fastest.with({.variant = v.name}), x) != own;
  });
  if (other == all.end()) GTEST_SKIP() << "all sums on " << fastest.name() << " are the same";
  const context chosen = fastest.with({.variant = other->name});
  const float others = reduce(chosen, x);
  std::atomic<int> wrong{0};
  const auto work = [&](const context& mine, float want) {
    for (int turn = 0; turn < 50; ++turn) wrong += reduce(mine, x) != want;
  };
  std::thread a([&] { work(chosen, others); }), b([&] { work(fastest, own); });
  a.join(), b.join();
  EXPECT_EQ(wrong, 0) << other->name;
  reduce(chosen, x);
  EXPECT_EQ(chosen.last_algorithm(), other->name);
  reduce(fastest, x);
  EXPECT_NE(fastest.last_algorithm(), other->name);
}

TEST_P(ContextOn, ThreadsMayOpenTheirOwnAtOnce) {
  const std::string name = where().name();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      const context mine = context::named(name);
      std::vector<std::uint32_t> x(200003 + t), y(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint32_t>(i ^ t);
      inclusive_scan(mine, x, y);
      wrong += y.back() != reduce(mine, x);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(ContextOn, OutOfMemorySaysHowMuchWasAskedAndFree) {
  expect_error(fault::out_of_memory, {std::to_string(std::uint64_t{8} << 50), "free"},
               [&] { buffer<double> too_large(where(), std::uint64_t{1} << 50); });
  // And the context is as good as before.
  const std::vector<int> x(1000, 2);
  EXPECT_EQ(reduce(where(), x), 2000);
}

TEST_P(ContextOn, MemoryGoesUpAndDown) {
  std::vector<std::uint32_t> host(10007), back(10007);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::uint32_t>(i * 2654435761u);
  device& d = where().device();
  const memory a = d.allocate(host.size() * 4), b = d.allocate(host.size() * 4);
  d.upload(a, host.data(), host.size() * 4);
  d.copy(b, a, host.size() * 4);
  d.fill(a, 0xab, host.size() * 4);
  d.download(back.data(), b, back.size() * 4);
  EXPECT_EQ(back, host);
  d.download(back.data() + 1, a.plus_bytes(4), (back.size() - 1) * 4);
  EXPECT_EQ(back[0], host[0]);
  for (std::size_t i = 1; i < back.size(); ++i) ASSERT_EQ(back[i], 0xababababu);
  d.deallocate(a);
  d.deallocate(b);
}

TEST_P(ContextOn, ScratchIsZeroedWhenItIsMadeAndThenKept) {
  device& d = where().device();
  const std::uint64_t before = d.temporary_storage_allocations();
  std::vector<unsigned char> bytes(3000, 1);
  d.download(bytes.data(), d.scratch("test/kept", 3000), 3000);
  EXPECT_EQ(bytes, std::vector<unsigned char>(3000, 0));
  d.fill(d.scratch("test/kept", 3000), 7, 3000);
  d.download(bytes.data(), d.scratch("test/kept", 2000), 3000);
  EXPECT_EQ(bytes, std::vector<unsigned char>(3000, 7));
  EXPECT_EQ(d.temporary_storage_allocations(), before + 1);
  d.download(bytes.data(), d.scratch("test/kept", 6000), 3000);
  EXPECT_EQ(bytes, std::vector<unsigned char>(3000, 0));
  EXPECT_EQ(d.temporary_storage_allocations(), before + 2);
}

TEST_P(ContextOn, TimesWhatItEnqueues) {
  buffer<float> x(where(), 1 << 20);
  where().device().fill(x.span().where(), 0, 4 << 20);
  int calls = 0;
  const double seconds = where().device().seconds([&] {
    ++calls;
    reduce(where(), x.span());
  });
  EXPECT_EQ(calls, 1);
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, 60);
}

}  // namespace
}  // namespace upsweep
