// Random test cases: the same cases on any number of threads, all passed by the library's variants; a wrong result is
// detected and found again by its case number.
#include "upsweep/conformance/random_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "tests/devices.hpp"
#include "upsweep/conformance/occupying_kernels.hpp"
#include "upsweep/conformance/reference_fold.hpp"

namespace upsweep {
namespace {

using work_list = std::vector<std::pair<std::string, const variant*>>;

work_list of_the_cpu() {
  work_list work;
  for (const variant& v : catalog())
    if (v.where == backend::cpu) work.emplace_back("cpu", &v);
  return work;
}

std::string first_of(const drawn_report& r) {
  if (r.failures.empty()) return "";
  const drawn_failure& f = r.failures.front();
  return "case " + std::to_string(f.number) + ", " + f.variant + " on " + f.device + ", " + f.what + ": " + f.wrong;
}

TEST(Drawn, EverythingOnTheCpuIsRight) {
  const drawn_report r = check_drawn(of_the_cpu(), {.seed = 20, .count = 600, .max_n = 1 << 14, .threads = 2});
  EXPECT_EQ(r.failed, 0u) << first_of(r);
  EXPECT_GT(r.cases, 550u);
  EXPECT_GT(r.of.size(), 20u);
}

TEST(Drawn, TheSameCasesOnAnyNumberOfThreads) {
  const work_list work = of_the_cpu();
  const drawn_report one = check_drawn(work, {.seed = 3, .count = 150, .max_n = 3000, .threads = 1});
  const drawn_report four = check_drawn(work, {.seed = 3, .count = 150, .max_n = 3000, .threads = 4});
  EXPECT_EQ(one.of, four.of);
  EXPECT_EQ(one.cases, four.cases);
  EXPECT_NE(one.of, check_drawn(work, {.seed = 4, .count = 150, .max_n = 3000}).of);
}

TEST(Drawn, MostAreSmallAndTheLargestCome) {
  work_list fills;
  for (const auto& [device, v] : of_the_cpu())
    if (std::string_view(v->what.name) == "fill") fills.emplace_back(device, v);
  const drawn_report r = check_drawn(fills, {.seed = 6, .count = 2000, .max_n = 1 << 20});
  std::uint64_t small = 0, large = 0;
  for (std::size_t k = 0; k < r.of_bits.size(); ++k) (k <= 17 ? small : large) += r.of_bits[k];
  EXPECT_EQ(small + large, r.cases);
  EXPECT_GT(large, 10u);
  EXPECT_LT(large, 60u);
  for (std::size_t k = 0; k <= 20; ++k) EXPECT_GT(r.of_bits[k], 0u) << k;
}

// A scan that loses its last element where there are many.
TEST(Drawn, WhatIsWrongIsFoundAgainByItsNumber) {
  variant_of<detail::scan_impl::problem> v;
  v.name = "scan/for-this-test";
  v.run = [](device&, const detail::scan_impl::problem& p) {
    auto q = p;
    if (p.n > 100) --q.n;
    reference(q);
  };
  const variant spoilt = erased(v);
  const work_list work{{"cpu", &spoilt}};
  const drawn_options options{.seed = 1, .count = 60, .max_n = 2000, .types = {dtype::i32, dtype::f32}};
  const drawn_report all = check_drawn(work, options);
  ASSERT_GT(all.failed, 5u);
  EXPECT_LT(all.failed, all.cases);
  for (const drawn_failure& f : all.failures) {
    drawn_options again = options;
    again.first = f.number, again.count = 1;
    const drawn_report one = check_drawn(work, again);
    ASSERT_EQ(one.failed, 1u);
    EXPECT_EQ(one.failures[0].what, f.what);
    EXPECT_EQ(one.failures[0].wrong, f.wrong);
    EXPECT_TRUE(f.what.starts_with("i32") || f.what.starts_with("f32")) << f.what;
  }
}

TEST(Drawn, EndsWhenItsTimeIsOver) {
  const drawn_report r = check_drawn(of_the_cpu(), {.seed = 5, .seconds = 0.2, .max_n = 1000, .threads = 2});
  EXPECT_GT(r.cases, 0u);
  EXPECT_EQ(r.failed, 0u) << first_of(r);
  EXPECT_EQ(check_drawn({}, {.seed = 5}).cases, 0u);
}

TEST(Drawn, OtherKernelsComeAndGoBesideThem) {
  EXPECT_THROW(crowd(context::cpu(1), 1), error);
  const std::vector<std::string> devices = tests::device_names();
  if (std::ranges::count(devices, "cuda:0") == 0) GTEST_SKIP() << "there is no CUDA GPU";
  const context gpu = context::cuda();
  work_list work;
  for (const variant& v : catalog())
    if (v.where == backend::cuda) work.emplace_back("cuda:0", &v);
  using clock = std::chrono::steady_clock;
  clock::time_point end;
  std::uint64_t beside = 0;
  {
    const crowd others(gpu, 7);
    const drawn_report r = check_drawn(work, {.seed = 31, .count = 300, .max_n = 1 << 16, .threads = 4});
    EXPECT_EQ(r.failed, 0u) << first_of(r);
    beside = others.kernels();
    end = clock::now();
  }
  EXPECT_LT(clock::now() - end, std::chrono::seconds(1));
  EXPECT_GT(beside, 20u);
}

}  // namespace
}  // namespace upsweep
