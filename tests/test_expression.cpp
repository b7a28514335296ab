// Expressions as operators: as C calculates them on the CPU, the same on OpenCL, and refused with their place.
#include <climits>
#include <numeric>

#include "tests/devices.hpp"
#include "upsweep/expression.hpp"
#include "upsweep/upsweep.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;

// The same expression, written once: as a string, and for this compiler.
#define AS_C(T, EXPRESSION)                                                                                 \
  [] {                                                                                                      \
    const expression source(#EXPRESSION);                                                                   \
    for (const T x : {T(0), T(1), T(2), T(7), T(100), T(-1), T(-8), T(-100), std::numeric_limits<T>::max(), \
                      std::numeric_limits<T>::lowest()})                                                    \
      EXPECT_EQ(source(x), static_cast<T>(EXPRESSION)) << #EXPRESSION << " of " << +x;                      \
  }()

// The compiler's warnings concern the cases under test: precedence, and comparisons of signed with unsigned values.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"

TEST(Expression, CalculatesAsC) {
  AS_C(std::uint32_t, x* x + 1);
  AS_C(std::uint32_t, x / 3 - x % 7 * 2);
  AS_C(std::uint32_t, -x >> 3 ^ x << 2 | 5 & ~x);
  AS_C(std::uint32_t, x > 1 ? x - 1 : 2 * x);
  AS_C(std::uint32_t, -1 < x);  // uint wins
  AS_C(std::uint32_t, -1 < (int)x);
  AS_C(std::uint32_t, x == 1 || x == 2 && x != 7);
  AS_C(std::uint32_t, !x + !!x * 3);
  AS_C(std::uint32_t, x & 1 ? x > 2 ? 10 : 20 : x < 5 ? 30 : 40);
  AS_C(std::int32_t, x / 4 + x % 4);
  AS_C(std::int32_t, (x >> 2) + (x & 0x0f) - 010);
  AS_C(std::int32_t, x * 3u > 5);
  AS_C(std::int32_t, 7 - 2 - 1 - x / 2);
  AS_C(std::int64_t, x / 3 * 2 + 0xffffffff);
  AS_C(std::uint64_t, x * 6364136223846793005ul + 1442695040888963407ul);
  AS_C(std::uint64_t, x >> 63 | x << 1);
  AS_C(std::int16_t, x / 2 + 40000);
  AS_C(std::uint8_t, x * 200 >> 3);
  AS_C(std::int8_t, (char)(x + 100) / 2);
  AS_C(float, x * 0.1f + 1.5f);
  AS_C(float, x * 0.1 + 1.5);  // in double, and rounded
  AS_C(float, x / 3);
  AS_C(float, x < 0 ? -x : x);
  AS_C(float, 1e3f - .5f * x);
  AS_C(double, x / 3 + 1 / 2);
  AS_C(double, (float)x * 0.5f);
  AS_C(double, x > 1.5 && x < 1e2 || !(x >= -8));
}

#pragma GCC diagnostic pop

TEST(Expression, Functions) {
  EXPECT_EQ(expression("sqrt(x)")(2.0f), std::sqrt(2.0f));
  EXPECT_EQ(expression("floor(x) + ceil(x) * 10 + trunc(-x) * 100 + rint(x) * 1000")(2.5), 2 + 30 - 200 + 2000);
  EXPECT_EQ(expression("fmin(a, b) - fmax(a, 1.0f)")(3.0f, 2.0f), -1.0f);
  EXPECT_EQ(expression("max(a, b) - min(a, 5)")(7, 3), 2);
  EXPECT_EQ(expression("fabs(x)")(-3.0), 3.0);
  EXPECT_EQ(expression("isnan(x) + 2 * isinf(x) + 4 * isfinite(x)")(std::nan("")), 1.0);
  EXPECT_EQ(expression("isnan(x) + 2 * isinf(x) + 4 * isfinite(x)")(-INFINITY), 2.0f);
  EXPECT_EQ(expression("b != 0 ? a / b : -1")(7, 0), -1);
  EXPECT_EQ(expression("a - b * c")(20, 3, 4), 8);
  EXPECT_EQ(expression("x / -1")(INT_MIN), INT_MIN);
}

// The error for an invalid expression says where it is.
TEST(Expression, WrongSources) {
  const auto bad = [](const char* source, std::vector<std::string> pieces) {
    pieces.push_back("expression");
    expect_error(fault::bad_argument, pieces, [&] { expression made(source); });
  };
  bad("", {"character 1", "it is empty"});
  bad("x +", {"character 4", "ends"});
  bad("x + * 2", {"character 5", "'*'"});
  bad("(x + 1", {"character 1", "never closed"});
  bad("x + 1)", {"character 6", "')' is not expected"});
  bad("x = 1", {"character 3", "== compares"});
  bad("x > 1 ? 2", {"character 10", ":"});
  bad("y + 1", {"character 1", "no name 'y'"});
  bad("x + a", {"character 5", "'x' and 'a'"});
  bad("x +\n  sine(x)", {"line 2, character 3", "no function 'sine'"});
  bad("x++", {"character 2"});
  bad("0x", {"character 1", "is not a number"});
  bad("1.5q + x", {"character 1", "is not a number"});
  bad("99999999999999999999 + x", {"character 1", "is not a number"});
  bad("x; system(0)", {"character 2", "';'"});
  bad(std::string(1000, '(').c_str(), {"nests too deep"});

  expect_error(fault::bad_argument, {"character 3", "integers are expected", "float"},
               [] { expression("x % 2")(1.0f); });
  expect_error(fault::bad_argument, {"character 1", "floats of one type", "int"}, [] { expression("sqrt(x)")(4); });
  expect_error(fault::bad_argument, {"2 arguments", "a, b"}, [] { expression("x + 1")(1, 2); });
  expect_error(fault::bad_argument, {"1 argument", "x"}, [] { expression("a + b")(1); });
}

struct ExpressionOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, ExpressionOn, testing::ValuesIn(tests::device_names()), tests::device_label);

std::vector<std::uint32_t> numbers(std::size_t n) {
  std::vector<std::uint32_t> x(n);
  std::uint32_t state = 1;
  for (auto& e : x) e = (state = state * 1664525u + 1013904223u) >> 12;
  return x;
}

TEST_P(ExpressionOn, EveryCallThatTakesOne) {
  for (const std::size_t n : {0, 1, 257, 100003}) {
    const auto x = numbers(n);
    const buffer<std::uint32_t> in(where(), x);
    buffer<std::uint32_t> out(where(), n);
    // Does not commute.
    const expression last("b % 3 ? b : a", 0u);
    std::vector<std::uint32_t> want(n);
    std::uint32_t run = 0;
    for (std::size_t i = 0; i < n; ++i) want[i] = run = x[i] % 3 ? x[i] : run;
    inclusive_scan(where(), in, out, last);
    EXPECT_EQ(out.download(), want);
    EXPECT_EQ(reduce(where(), in, last), run);

    transform(where(), in, out, expression("x * x + 1"));
    for (std::size_t i = 0; i < n; ++i) want[i] = x[i] * x[i] + 1;
    EXPECT_EQ(out.download(), want);
    // Converted to the arguments' type first: the quotient has no fraction.
    buffer<double> halves(where(), n);
    transform(where(), in, halves, expression("x * 0.5"));
    const auto half = halves.download();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(half[i], x[i] / 2);
    buffer<std::uint64_t> squares(where(), n);
    tabulate(where(), squares, expression("i * i % 1000"));
    const auto square = squares.download();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(square[i], std::uint64_t{i} * i % 1000);

    want.clear();
    std::copy_if(x.begin(), x.end(), std::back_inserter(want), [](auto e) { return e % 4 == 1 || e > 1000000; });
    auto kept = copy_if(where(), in, out, expression("x % 4 == 1 || x > 1000000"));
    auto got = out.download();
    got.resize(kept);
    EXPECT_EQ(got, want);
    want.clear();
    for (std::size_t i = 0; i < n; ++i)
      if (i == 0 || x[i - 1] / 300000 != x[i] / 300000) want.push_back(x[i]);
    kept = unique(where(), in, out, expression("a / 300000 == b / 300000"));
    got = out.download();
    got.resize(kept);
    EXPECT_EQ(got, want);

    want = x;
    std::stable_sort(want.begin(), want.end(), [](auto a, auto b) { return a % 100 > b % 100; });
    sort(where(), in, out, expression("a % 100 > b % 100"));
    EXPECT_EQ(out.download(), want);
  }
}

TEST_P(ExpressionOn, ByKeyAndBySegment) {
  const auto x = numbers(50021);
  std::vector<std::uint32_t> keys(x.size()), want(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) keys[i] = static_cast<std::uint32_t>(i / 7);
  std::uint32_t run = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 7 == 0) run = 0;
    want[i] = run = run > x[i] ? run : x[i];
  }
  const buffer<std::uint32_t> k(where(), keys), in(where(), x);
  buffer<std::uint32_t> out(where(), x.size());
  inclusive_scan_by_key(where(), k, in, out, expression("a > b ? a : b", 0u));
  EXPECT_EQ(out.download(), want);
}

// Several threads share one expression from its first call on.
TEST(Expression, IsSharedByThreads) {
  const context cpu = context::cpu(4);
  std::vector<std::int32_t> x(200000), y(x.size());
  std::iota(x.begin(), x.end(), 0);
  for (int round = 0; round < 20; ++round) {
    transform(cpu, x, y, expression("x % 2 ? -x : x * 2"));
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] % 2 ? -x[i] : x[i] * 2);
  }
}

TEST(Expression, NamesOfOnesOwnStandForValues) {
  EXPECT_EQ(expression("x > t", {"t", 7})(8), 1);
  EXPECT_EQ(expression("a * x + b", {{"a", 3}, {"b", -1}})(5), 14);
  EXPECT_EQ(expression("x % _m2", {"_m2", 4})(7), 3);
  EXPECT_FLOAT_EQ(expression("x * half", {"half", 0.5f})(3.0f), 1.5f);
  EXPECT_EQ(expression("x + t", {"t", std::int8_t{-3}})(1), -2);
  EXPECT_EQ(expression("x + t", {"t", true})(1), 2);
  const auto op = expression("a > b ? a : b * one", 0, {"one", 1});
  EXPECT_EQ(op(3, 9), 9);
  EXPECT_EQ(op.identity(), 0);
  EXPECT_EQ(expression("x + t", {"t", std::string("1.5").size()})(std::uint64_t{1}), 4u);
  // By its bits.
  EXPECT_EQ(expression("x + as_int(0xffffffffu)")(5), 4);
  EXPECT_FLOAT_EQ(expression("x + as_float(0x3f800000u)")(5.0f), 6.0f);
  EXPECT_DOUBLE_EQ(expression("x + as_double(0x3ff0000000000000ul)")(5.0), 6.0);
}

TEST(Expression, AValueThatCannotBeNamedIsRefused) {
  const auto refuse = [](const char* name, const char* piece) {
    tests::expect_error(fault::bad_argument, {piece}, [&] { expression("x + t", {{"t", 1}, {name, 1}}); });
  };
  refuse("t", "two values have this name");
  refuse("unused", "does not use it");
  refuse("", "letters");
  refuse("1t", "letters");
  refuse("t-u", "letters");
  refuse("sqrt", "function");
  refuse("int", "meaning");
  refuse("true", "meaning");
  refuse("as_int", "meaning");
  tests::expect_error(fault::bad_argument, {"no argument"}, [] { expression("x > x", {"x", 1}); });
  tests::expect_error(fault::bad_argument, {"character 5", "no name 'u'"}, [] { expression("x + u", {"t", 1}); });
  tests::expect_error(fault::bad_argument, {"character 9", "there is no name 'w'"},
                      [] { expression("x + t + w", {"t", 1}); });
  tests::expect_error(fault::bad_argument, {"as_float takes a literal of type uint"},
                      [] { expression("as_float(1)"); });
}

}  // namespace
