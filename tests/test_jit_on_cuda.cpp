// Calls by device source on a CUDA GPU that no algorithm's own tests cover: from several threads, and with types that
// were not compiled in advance.
#include <algorithm>
#include <cstring>
#include <thread>

#include "tests/jit_operators.hpp"

namespace {

using namespace upsweep;

struct JitOnCuda : testing::Test {
  void SetUp() override {
    const auto names = tests::device_names();
    if (std::find(names.begin(), names.end(), "cuda:0") == names.end()) GTEST_SKIP() << "there is no CUDA GPU";
  }
};

// Several threads ask for the same device source for the first time, and for others in turn.
TEST_F(JitOnCuda, FromSeveralThreads) {
  const context gpu = context::cuda();
  std::vector<std::thread> threads;
  for (std::uint32_t me = 0; me < 4; ++me)
    threads.emplace_back([&, me] {
      const buffer<std::uint32_t> x(gpu, std::vector<std::uint32_t>(1000, me + 1));
      for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(reduce(gpu, x, expression("a + b", 0u)), 1000 * (me + 1));
        EXPECT_EQ(reduce(gpu, x, expression("a > b ? a : b", 0u)), me + 1);
      }
    });
  for (std::thread& t : threads) t.join();
}

// Types that nothing was compiled for, with built-in operators and with device source: the same as on the CPU.
struct pair_of_16 {
  double value;
  std::uint32_t place, beside;
  friend bool operator==(const pair_of_16& a, const pair_of_16& b) { return a.value == b.value; }
};
struct by_value {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return b < a;
  }
  bool operator()(const pair_of_16& a, const pair_of_16& b) const { return b.value < a.value; }
  std::string source = "b < a";
};
struct is_low {
  template <class T>
  bool operator()(const T& x) const {
    return x < T(3);
  }
  bool operator()(const pair_of_16& x) const { return x.value < 3; }
  std::string source = "x < 3";
};
struct greater_pair {
  pair_of_16 operator()(const pair_of_16& a, const pair_of_16& b) const { return a.value < b.value ? b : a; }
  static pair_of_16 identity() { return {-1e300, 0, 0}; }
  static constexpr const char* source = "a.value < b.value ? b : a";
};

}  // namespace

template <>
struct upsweep::opencl_type<pair_of_16> {
  static constexpr const char* name = "pair_of_16";
  static constexpr const char* definition = "typedef struct { double value; uint place, beside; } pair_of_16;";
  static constexpr const char* equal = "a.value == b.value";
};

namespace {

template <class T, class Op>
void expect_alike(std::size_t n, const Op& op, const std::string& lower = "b < a", const std::string& low = "x < 3") {
  SCOPED_TRACE(n);
  const context gpu = context::cuda(), cpu = context::cpu();
  std::mt19937 g(static_cast<unsigned>(n));
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i)
    if constexpr (std::is_same_v<T, pair_of_16>)
      x.push_back({double(g() % 8), static_cast<std::uint32_t>(i), 7});
    else
      x.push_back(T(static_cast<float>(g() % 8)));
  const auto same = [&](const std::vector<T>& got, const std::vector<T>& want, const char* what) {
    ASSERT_EQ(got.size(), want.size()) << what;
    if (!got.empty()) {
      EXPECT_EQ(std::memcmp(got.data(), want.data(), got.size() * sizeof(T)), 0) << what;
    }
  };
  by_value by;
  is_low test;
  by.source = lower, test.source = low;
  const buffer<T> in(gpu, x);
  buffer<T> out(gpu, n), one(gpu, 1);
  std::vector<T> want(n), want_one(1);
  upsweep::reduce(gpu, in, one, op);
  want_one[0] = upsweep::reduce(cpu, x, op);
  same(one.download(), want_one, "reduced");
  inclusive_scan(gpu, in, out, op), inclusive_scan(cpu, x, want, op);
  same(out.download(), want, "scanned");
  const auto kept = copy_if(gpu, in, out, test), want_kept = copy_if(cpu, x, want, test);
  ASSERT_EQ(kept, want_kept);
  auto here = out.download();
  here.resize(kept), want.resize(kept);
  same(here, want, "kept");
  want.resize(n);
  const auto firsts = unique(gpu, in, out), want_firsts = unique(cpu, x, want);
  ASSERT_EQ(firsts, want_firsts);
  here = out.download();
  here.resize(firsts), want.resize(firsts);
  same(here, want, "firsts");
  sort(gpu, in, out, by);
  want = x;
  std::stable_sort(want.begin(), want.end(), by);
  same(out.download(), want, "sorted");
}

TEST_F(JitOnCuda, TypesThatNothingWasCompiledFor) {
  for (const std::size_t n : {0u, 1u, 31u, 4097u, 70001u}) {
    expect_alike<std::int8_t>(n, plus{});
    expect_alike<std::uint16_t>(n, maximum{});
    expect_alike<std::int16_t>(n, plus{});
    expect_alike<half>(n, maximum{}, "b < a", "x < upsweep::half(3)");
    expect_alike<bfloat16>(n, maximum{});
    expect_alike<pair_of_16>(n, greater_pair{}, "b.value < a.value", "x.value < 3");
  }
  // Sums that no rounding changes.
  expect_alike<bfloat16>(30, plus{});
  expect_alike<half>(30, plus{}, "b < a", "x < upsweep::half(3)");
}

}  // namespace
