// Types, operators and transforms of the user's own from a .cpp file: by their texts off the CPU.
#include "tests/custom_operators.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;

struct CustomOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, CustomOn, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(CustomOn, Folds) { expect_all_custom_folds(where()); }

// The CPU needs no trivially copyable type: here strings are joined, and the order shows.
struct join {
  std::string operator()(const std::string& a, const std::string& b) const { return a + b; }
  static std::string identity() { return {}; }
};

TEST(Custom, StringsOnTheCpu) {
  std::vector<std::string> letters;
  std::string all;
  for (int i = 0; i < 30000; ++i) {
    letters.push_back(std::string(1, static_cast<char>('a' + i * 7 % 26)));
    all += letters.back();
  }
  EXPECT_EQ(reduce(context::cpu(3), letters, std::string(">"), join{}), ">" + all);
  letters.resize(500);
  std::vector<std::string> prefixes(letters.size());
  exclusive_scan(context::cpu(3), letters, prefixes, std::string(">"), join{});
  for (std::size_t i = 0; i < prefixes.size(); ++i) ASSERT_EQ(prefixes[i], ">" + all.substr(0, i));
}

// An operator with members, which no static function could hold.
struct modulo_sum {
  std::uint32_t modulus;
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return (a + b) % modulus; }
  static std::uint32_t identity() { return 0; }
};

TEST(Custom, OperatorsWithMembers) {
  std::vector<std::uint32_t> x(100000, 6);
  EXPECT_EQ(reduce(context::cpu(), x, 3, modulo_sum{101}), (3 + 6 * 100000) % 101);
}

// An exception of the operator's own arrives at the caller, from whichever thread.
struct refuses {
  int operator()(int a, int b) const {
    if (b == 77777) throw std::domain_error("seven");
    return a + b;
  }
  static int identity() { return 0; }
};

TEST(Custom, ExceptionsReachTheCaller) {
  std::vector<int> x(200000, 1), y(x.size());
  x[150001] = 77777;
  const context cpu = context::cpu(4);
  EXPECT_THROW(reduce(cpu, x, 0, refuses{}), std::domain_error);
  EXPECT_THROW(inclusive_scan(cpu, x, y, refuses{}), std::domain_error);
  x[150001] = 1;
  EXPECT_EQ(reduce(cpu, x, 0, refuses{}), 200000);
}

// Without its text an operator cannot go to another device, and the error says what is missing.
struct without_text {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a | b; }
  static std::uint32_t identity() { return 0; }
};

TEST_P(CustomOn, WithoutOpenCLText) {
  const std::vector<std::uint32_t> x(10, 1);
  if (where().kind() == backend::cpu) {
    EXPECT_EQ(reduce(where(), x, 0, without_text{}), 1u);
    return;
  }
  if (where().kind() == backend::opencl)
    return expect_error(fault::unsupported, {"has no OpenCL C text", "static constexpr const char* opencl"},
                        [&] { reduce(where(), x, 0, without_text{}); });
  std::vector<std::uint32_t> y(10);
  expect_error(
      fault::unsupported,
      {"by its text, or only where nvcc compiles the call", "move the call into a .cu file", "upsweep/reduce/cuda.cuh"},
      [&] { reduce(where(), x, 0, without_text{}); });
  expect_error(fault::unsupported, {"upsweep/scan/cuda.cuh"}, [&] { inclusive_scan(where(), x, y, without_text{}); });
}

}  // namespace
