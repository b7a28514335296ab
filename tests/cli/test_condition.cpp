// The syntax that --where accepts, the errors it reports and the position of the caret.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cli/select/condition.hpp"

namespace {

template <class T>
std::string passing(const std::string& text, const std::vector<T>& x) {
  const condition c(text);
  std::vector<std::uint8_t> flags(x.size(), 7);
  c.evaluate(std::vector<condition::column>(c.names().size(), {upsweep::dtype_of<T>, x.data()}), {}, x.size(),
             flags.data());
  std::string out;
  for (std::uint8_t f : flags) out += static_cast<char>('0' + f);
  // If the library evaluates a single comparison, the result must be the same.
  if (const auto single = c.single(upsweep::dtype_of<T>); single && c.names().size() == 1) {
    std::string same;
    const upsweep::compared<T> passes{single->how, single->threshold.template as<T>()};
    for (T e : x)
      same += single->when == condition::test::outcome::by_element ? (passes(e) ? '1' : '0')
              : single->when == condition::test::outcome::always   ? '1'
                                                                   : '0';
    EXPECT_EQ(same, out) << text;
  }
  return out;
}

const std::vector<double> reals{-2, -0.5, 0, 0.5, 1, 2, 1e300, std::numeric_limits<double>::infinity(), std::nan("")};
const std::vector<std::int32_t> integers{-7, -2, -1, 0, 1, 2, 3, 7};

TEST(condition, comparisons) {
  EXPECT_EQ(passing("x > 0.5", reals), "000011110");
  EXPECT_EQ(passing("x>=0.5", reals), "000111110");
  EXPECT_EQ(passing("x < 0.5", reals), "111000000");
  EXPECT_EQ(passing("x<=.5", reals), "111100000");
  EXPECT_EQ(passing("x == 0", reals), "001000000");
  EXPECT_EQ(passing("x != 0", reals), "110111111");
  EXPECT_EQ(passing("0.5 < x", reals), "000011110");
  EXPECT_EQ(passing("-0.5 == x", reals), "010000000");
  EXPECT_EQ(passing("x < inf", reals), "111111100");
  EXPECT_EQ(passing("x > -1e-3", reals), "001111110");
  EXPECT_EQ(passing("0 <= x < 1", reals), "001100000");
  EXPECT_EQ(passing("2 > x >= 0.5 != 1", reals), passing("2 > x and x >= 0.5", reals));
}

TEST(condition, joins_bind_as_usual) {
  EXPECT_EQ(passing("x < 0 or x > 1 and x < 3", reals), "110001000");
  EXPECT_EQ(passing("(x < 0 or x > 1) and x < 3", reals), "110001000");
  EXPECT_EQ(passing("(x < 0 or x > 1) and x > -1", reals), "010001110");
  EXPECT_EQ(passing("not x > 0.5", reals), "111100001");
  EXPECT_EQ(passing("!(x > 0.5) && !isnan(x) || x == 2", reals), "111101000");
  EXPECT_EQ(passing("not not x > 0.5", reals), "000011110");
  EXPECT_EQ(passing("true", reals), "111111111");
  EXPECT_EQ(passing("false or x == 1", reals), "000010000");
}

TEST(condition, functions_and_arithmetic) {
  EXPECT_EQ(passing("isnan(x)", reals), "000000001");
  EXPECT_EQ(passing("isinf(x)", reals), "000000010");
  EXPECT_EQ(passing("isfinite(x)", reals), "111111100");
  EXPECT_EQ(passing("abs(x) == 2", reals), "100001000");
  EXPECT_EQ(passing("x * x + 1 > 2 * 2", reals), "100001110");
  EXPECT_EQ(passing("x / 2 == 0.25", reals), "000100000");
  EXPECT_EQ(passing("x - 1 - 1 == 0", reals), "000001000");
  EXPECT_EQ(passing("x % 2 == 0", integers), "01010100");
  EXPECT_EQ(passing("x % 2 == 1", integers), "10101011");  // as in Python: never negative
  EXPECT_EQ(passing("-x % 3 == 2", integers), "01001001");
  EXPECT_EQ(passing("x / 2 == 0.5", integers), "00001000");
  EXPECT_EQ(passing("1 % x == 0", integers), "00101000");  // by zero: no number
  EXPECT_EQ(passing("isnan(x)", integers), "00000000");
}

TEST(condition, numbers_meet_every_type_exactly) {
  EXPECT_EQ(passing("x > 0.5", integers), "00001111");
  EXPECT_EQ(passing("x >= 0.5", integers), "00001111");
  EXPECT_EQ(passing("x < -1.5", integers), "11000000");
  EXPECT_EQ(passing("x <= -1.5", integers), "11000000");
  EXPECT_EQ(passing("x == 0.5", integers), "00000000");
  EXPECT_EQ(passing("x != 0.5", integers), "11111111");
  EXPECT_EQ(passing("x < 1e30", integers), "11111111");
  EXPECT_EQ(passing("x > inf", integers), "00000000");
  EXPECT_EQ(passing("x >= -inf", integers), "11111111");
  const std::vector<std::uint8_t> bytes{0, 1, 254, 255};
  EXPECT_EQ(passing("x < 256", bytes), "1111");
  EXPECT_EQ(passing("x >= 256", bytes), "0000");
  EXPECT_EQ(passing("x > -1", bytes), "1111");
  EXPECT_EQ(passing("x == -1", bytes), "0000");
  EXPECT_EQ(passing("x != 300", bytes), "1111");
  EXPECT_EQ(passing("x < 0xff", bytes), "1110");
  EXPECT_EQ(passing("x + 1 == 256", bytes), "0001");  // arithmetic does not wrap
  const std::vector<std::uint64_t> large{9007199254740992u, 9007199254740993u, ~std::uint64_t{0}};
  EXPECT_EQ(passing("x == 9007199254740993", large), "010");
  EXPECT_EQ(passing("x > 9007199254740992", large), "011");
  EXPECT_EQ(passing("x == 18446744073709551615", large), "001");
  EXPECT_EQ(passing("x - 9007199254740992 == 1", large), "010");
  const std::vector<std::int64_t> lowest{std::numeric_limits<std::int64_t>::min(), 0};
  EXPECT_EQ(passing("x == -9223372036854775808", lowest), "10");
  EXPECT_EQ(passing("-x > 0", lowest), "10");
  const std::vector<float> singles{0.1f, 1.0f, 3e38f, std::numeric_limits<float>::infinity()};
  EXPECT_EQ(passing("x == 0.1", singles), "1000");  // the number is rounded to the elements' type
  EXPECT_EQ(passing("x <= 1e300", singles), "1110");
  EXPECT_EQ(passing("x >= 1e300", singles), "0001");
  EXPECT_EQ(passing("x > 1e300", singles), "0001");
  EXPECT_EQ(passing("x > -1e300", singles), "1111");
  const std::vector<upsweep::half> halves{upsweep::half(0.1f), upsweep::half(65504.0f),
                                          upsweep::half(std::numeric_limits<float>::infinity())};
  EXPECT_EQ(passing("x == 0.1 or x > 65504", halves), "101");
  EXPECT_EQ(passing("x < 1e6", halves), "110");
}

// Of whatever length integers become.
TEST(condition, arithmetic_passes_128_bits) {
  const std::vector<std::uint64_t> large{0, 10, 11, ~std::uint64_t{0}};
  EXPECT_EQ(passing("x * x > 100", large), "0011");
  EXPECT_EQ(passing("x*x*x*x*x == "
                    "2135987035920910081816061259982971137547620614667080038315646755056884185109834672074087649509375",
                    large),
            "0001");
  EXPECT_EQ(passing("x*x*x - x*x*x == 0", large), "1111");
  EXPECT_EQ(passing("x*x*x*x % 1000000007 == 883459073", large), "0001");
  EXPECT_EQ(passing("x*x*x % (x*x + 1) == x*x*x - x*(x*x + 1) + x*x + 1", large), "0111");
  EXPECT_EQ(passing("-x*x*x < -1000", large), "0011");
  EXPECT_EQ(passing("x < 340282366920938463463374607431768211456340282366920938463463374607431768211456", large),
            "1111");
  EXPECT_EQ(passing("x*x*x*x > 1e76 and x*x*x*x < 1.2e77", large), "0001");
  EXPECT_EQ(passing("x*x*x / (x*x) == x", large), "0110");  // a double's rounding
  const std::vector<std::int64_t> ends{std::numeric_limits<std::int64_t>::min(), -1, 0};
  EXPECT_EQ(passing("x * x * x * x * x < 0", ends), "110");
  EXPECT_EQ(passing("abs(x) * abs(x) * 4 == 340282366920938463463374607431768211456", ends), "100");
  EXPECT_EQ(passing("9223372036854775807 * 9223372036854775807 * 9223372036854775807 > x", ends), "111");
  EXPECT_EQ(passing("5 % x == 0", ends), "010");  // of zero there is no remainder
  EXPECT_EQ(passing("5 % x != 0", ends), "101");
  EXPECT_EQ(passing("isnan(5 % x)", ends), "001");
  const std::vector<std::int64_t> near{9007199254740992, 9007199254740993, 9007199254740994};
  EXPECT_EQ(passing("x + 0 > 9007199254740992.0", near), "011");  // compared with a float as well
}

TEST(condition, names_and_text) {
  const condition c("price > 2 and `close, adjusted` < 5 and name == 'IBM' and date >= \"2020-01-01\" and price < 9");
  ASSERT_EQ(c.names().size(), 2u);
  EXPECT_EQ(c.names()[0].text, "price");
  EXPECT_EQ(c.names()[1].text, "close, adjusted");
  EXPECT_EQ(c.names()[1].at, 14u);
  ASSERT_EQ(c.text_tests().size(), 2u);
  EXPECT_EQ(c.text_tests()[0].column.text, "name");
  EXPECT_TRUE(c.text_tests()[0]("IBM"));
  EXPECT_FALSE(c.text_tests()[0]("IBMX"));
  EXPECT_TRUE(c.text_tests()[1]("2020-01-01"));
  EXPECT_TRUE(c.text_tests()[1]("2021-01-01"));
  EXPECT_FALSE(c.text_tests()[1]("2019-12-31"));
  EXPECT_TRUE(condition("'b' > x").text_tests()[0]("a"));
  EXPECT_EQ(condition("größe_1.mm > 3").names()[0].text, "größe_1.mm");
  EXPECT_FALSE(c.single(upsweep::dtype::f64));
  EXPECT_FALSE(condition("not x > 3").single(upsweep::dtype::f64));
  EXPECT_TRUE(condition("(3 < x)").single(upsweep::dtype::f64));
}

void expect_refused(const std::string& text, std::size_t place, const std::string& words) {
  try {
    const condition c(text);
    ADD_FAILURE() << text << " was understood";
  } catch (const condition_error& e) {
    const std::string what = e.what(), picture = e.picture();
    EXPECT_NE(what.find("character " + std::to_string(place) + ":"), std::string::npos) << text << ": " << what;
    EXPECT_NE(what.find(words), std::string::npos) << text << ": " << what;
    EXPECT_EQ(what.find('\n'), std::string::npos);
    const auto second = picture.find('\n') + 1;
    EXPECT_EQ(picture.find('^') - second, place + 1) << picture;
  }
}

TEST(condition, what_does_not_parse_is_shown_where) {
  expect_refused("", 1, "empty");
  expect_refused("  ", 3, "empty");
  expect_refused("x > 0.5 and", 12, "ends where a number or a name is expected");
  expect_refused("x = 5", 3, "== compares");
  expect_refused("x > = 5", 5, "== compares");
  expect_refused("x >", 4, "ends");
  expect_refused("(x > 1", 1, "never closed");
  expect_refused("x > 1)", 6, "')'");
  expect_refused("(x > 1 y)", 8, "'y'");
  expect_refused("x > 1 y < 2", 7, "'y'");
  expect_refused("x", 1, "this is a number");
  expect_refused("x > 1 and 3", 11, "this is a number");
  expect_refused("(x > 1) + 2 > 3", 2, "this is a condition");
  expect_refused("isnan(x > 1)", 7, "this is a condition");
  expect_refused("sqrt(x) > 2", 1, "no function 'sqrt'");
  expect_refused("abs(x > 2", 5, "this is a condition");
  expect_refused("abs(x", 6, "the ) of abs is missing");
  expect_refused("x > 12abc", 5, "is not a number");
  expect_refused("x > 1.2.3", 5, "is not a number");
  expect_refused("x > 0x", 5, "no digits");
  expect_refused("x > 0x12345678901234567", 5, "64 bits");
  expect_refused("x == nan", 6, "isnan(x)");
  expect_refused("x % 0 == 1", 5, "divides by zero");
  expect_refused("x > 'a", 5, "no closing quote");
  expect_refused("'a'", 1, "without a comparison");
  expect_refused("'a' == 'b'", 1, "both sides are text");
  expect_refused("x + 1 == 'b'", 1, "only a column");
  expect_refused("`a > 3", 1, "no closing quote");
  expect_refused("`` > 3", 1, "empty");
  expect_refused("x > 1 & x < 2", 7, "and, or");
  expect_refused("and > 1", 1, "backquotes");
  expect_refused("x > 1 # comment", 7, "'#'");
  expect_refused("größe > ", 9, "ends");
  expect_refused(std::string(500, '('), 0 + 67, "too deep");
  expect_refused(std::string(500, '-') + "x > 1", 199, "too deep");
}

TEST(condition, long_ones_are_understood_or_refused) {
  std::string text = "x == 0";
  for (int i = 1; i < 300; ++i) text += " or x == " + std::to_string(i);
  EXPECT_EQ(passing(text, integers), "00011111");
  for (int i = 0; i < 3000; ++i) text += " or x == 3";
  EXPECT_THROW(condition{text}, condition_error);
}

}  // namespace
