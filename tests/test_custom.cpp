// Types, operators and transforms of the user's own from a .cpp file: by their device source off the CPU.
#include <array>
#include <chrono>
#include <complex>

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

// The library's operators on types of one's own have an identity only where it is one: the others begin with the first.
struct turn {  // an aggregate of which a one makes no one
  double a = 0, b = 0, c = 0, d = 0;
  friend turn operator*(turn x, turn y) {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
  bool operator==(const turn&) const = default;
};
struct ranked {  // std::numeric_limits does not know it
  int rank = 0;
  friend bool operator<(ranked x, ranked y) { return x.rank < y.rank; }
  bool operator==(const ranked&) const = default;
};

TEST(Custom, BuiltInOperatorsOnTypesOfOnesOwn) {
  const context cpu = context::cpu(3);
  std::vector<turn> turns(30000, {1, 1, 1, 0}), products(turns.size());
  for (std::size_t i = 2; i < turns.size(); ++i) turns[i] = {0, 1, 1, 0};  // an even number of exchanges
  EXPECT_EQ(reduce(cpu, turns, multiplies{}), (turn{2, 1, 1, 1}));
  inclusive_scan(cpu, turns, products, multiplies{});
  EXPECT_EQ(products[0], turns[0]);
  EXPECT_EQ(products.back(), (turn{2, 1, 1, 1}));

  std::vector<ranked> ranks(30000), extremes(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i].rank = 5 + static_cast<int>(i * 7 % 30000);
  EXPECT_EQ(reduce(cpu, ranks, minimum{}).rank, 5);
  inclusive_scan(cpu, ranks, extremes, minimum{});
  EXPECT_EQ(extremes.back().rank, 5);
  for (ranked& r : ranks) r.rank = -r.rank;
  EXPECT_EQ(reduce(cpu, ranks, maximum{}).rank, -5);
  inclusive_scan(cpu, ranks, extremes, maximum{});
  EXPECT_EQ(extremes[0], ranks[0]);
  EXPECT_EQ(reduce(cpu, std::vector{std::chrono::seconds(3), std::chrono::seconds(2)}, minimum{}).count(), 2);

  const std::vector<std::string> words{"so", "me", "body"};
  std::vector<std::string> sentences(3);
  EXPECT_EQ(reduce(cpu, words), "somebody");
  inclusive_scan(cpu, words, sentences);
  EXPECT_EQ(sentences, (std::vector<std::string>{"so", "some", "somebody"}));
  expect_error(fault::bad_argument, {"there are no elements"}, [&] { reduce(cpu, std::vector<std::string>()); });

  const std::vector<std::complex<float>> turned{{1, 2}, {3, 4}};
  EXPECT_EQ(reduce(cpu, turned, multiplies{}), std::complex<float>(-5, 10));
  EXPECT_EQ(reduce(cpu, turned, std::complex<double>(1)), std::complex<double>(5, 6));  // kept in init's type
}

// To bool every function converts; it is an operator nevertheless, and no init.
TEST(Custom, FunctionsOfBools) {
  const context cpu = context::cpu(3);
  const std::array<bool, 4> none{};
  std::array<bool, 4> so_far{true, true, true, true};
  const auto either = [](bool a, bool b) { return a || b; };
  EXPECT_FALSE(reduce(cpu, none, either));
  inclusive_scan(cpu, none, so_far, either);
  EXPECT_EQ(so_far, none);
  EXPECT_TRUE(reduce(cpu, std::vector<bool>{true, true}, multiplies{}));
  EXPECT_EQ(reduce(cpu, std::vector<bool>{true, false, true}, 0), 2);
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

// An operator without device source cannot run on another device, and the error names the missing part.
struct without_source {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a | b; }
  static std::uint32_t identity() { return 0; }
};

TEST_P(CustomOn, WithoutSource) {
  const std::vector<std::uint32_t> x(10, 1);
  if (where().kind() == backend::cpu) {
    EXPECT_EQ(reduce(where(), x, 0, without_source{}), 1u);
    return;
  }
  if (where().kind() == backend::opencl)
    return expect_error(fault::unsupported, {"has no device source", "static constexpr const char* source"},
                        [&] { reduce(where(), x, 0, without_source{}); });
  std::vector<std::uint32_t> y(10);
  expect_error(fault::unsupported,
               {"by its device source, or only where nvcc compiles the call", "move the call into a .cu file",
                "upsweep/reduce/reduce_cuda.cuh"},
               [&] { reduce(where(), x, 0, without_source{}); });
  expect_error(fault::unsupported, {"upsweep/scan/scan_cuda.cuh"},
               [&] { inclusive_scan(where(), x, y, without_source{}); });
}

}  // namespace
