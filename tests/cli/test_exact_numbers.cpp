// Numbers pass through the command unchanged: options of the element type, 64-bit integers, and edges printed with the
// values used for counting.
#include <cmath>
#include <limits>

#include "cli/histogram/histogram.hpp"
#include "command.hpp"

namespace {

class exact_numbers : public command_test {
 protected:
  std::string good(const std::vector<std::string>& arguments, std::string_view in = {}) const {
    const ran r = run(arguments, in);
    EXPECT_EQ(r.status, 0) << r.err;
    return r.out;
  }
};

// Steps in unsigned integers, whose wrapping is that of both.
template <class T>
std::vector<T> stepped(const std::vector<T>& x, const std::vector<T>& factors, T start) {
  using U = std::make_unsigned_t<T>;
  std::vector<T> states;
  U s = static_cast<U>(start);
  for (std::size_t i = 0; i < x.size(); ++i)
    states.push_back(static_cast<T>(s = static_cast<U>(factors[i % factors.size()]) * s + static_cast<U>(x[i])));
  return states;
}

TEST_F(exact_numbers, recurrences_of_integers) {
  std::vector<std::uint64_t> u(5000, 1442695040888963407u);
  write_npy("u.npy", u);
  good({"recurrence", "u.npy", "--factor", "6364136223846793005", "--start", "9007199254740993", "-o", "y.npy"});
  EXPECT_EQ(read_npy<std::uint64_t>("y.npy"), stepped<std::uint64_t>(u, {6364136223846793005u}, 9007199254740993u));
  std::vector<std::int64_t> i, factors;
  for (int k = 0; k < 5000; ++k) i.push_back(k % 2 ? -k : (std::int64_t{1} << 62) + k), factors.push_back(k % 7 - 3);
  write_npy("i.npy", i), write_npy("factors.npy", factors);
  good({"recurrence", "i.npy", "--factor", "-9223372036854775807", "--start", "-5", "-o", "y.npy"});
  EXPECT_EQ(read_npy<std::int64_t>("y.npy"), stepped<std::int64_t>(i, {-9223372036854775807}, -5));
  good({"recurrence", "i.npy", "--factor", "factors.npy", "-o", "y.npy"});
  EXPECT_EQ(read_npy<std::int64_t>("y.npy"), stepped<std::int64_t>(i, factors, 0));
  const std::vector<std::int32_t> narrow{-7, 5, 2147483647, -1};
  write_npy("narrow.npy", narrow);
  good({"recurrence", "narrow.npy", "--factor", "-3", "-o", "y.npy"});
  EXPECT_EQ(read_npy<std::int32_t>("y.npy"), stepped<std::int32_t>(narrow, {-3}, 0));
}

TEST_F(exact_numbers, numbers_that_their_type_has_not) {
  write_npy<std::uint32_t>("u.npy", {1, 2, 3});
  write_npy<float>("f.npy", {1, 2, 3});
  write_npy<std::int64_t>("i.npy", {1, 2, 3});
  expect_refusal({"recurrence", "u.npy", "--factor", "0.5"}, {"--factor '0.5'", "u32"});
  expect_refusal({"recurrence", "u.npy", "--factor", "4294967296"}, {"--factor", "does not fit in u32"});
  expect_refusal({"recurrence", "u.npy", "--factor", "2", "--start", "0.5"}, {"--start '0.5'", "u32"});
  expect_refusal({"recurrence", "f.npy", "--factor", "1e39"}, {"--factor '1e39'", "f32"});
  expect_refusal({"recurrence", "f.npy", "--factor", "1", "--start", "1e39"}, {"--start '1e39'", "f32"});
  expect_refusal({"recurrence", "f.npy", "--factor", "nan"}, {"--factor 'nan'", "finite"});
  expect_refusal({"recurrence", "f.npy", "--biquad", "1,1e39,0,0,0"}, {"--biquad", "1e39", "f32"});
  expect_refusal({"recurrence", "f.npy", "--average", "half"}, {"--average 'half'"});
  expect_refusal({"recurrence", "i.npy", "--average", "0.5"}, {"i64", "--as f64"});
  expect_refusal({"scan", "u.npy", "--init", "0.5"}, {"--init '0.5'", "u32"});
  expect_refusal({"reduce", "f.npy", "--init", "1e39"}, {"--init '1e39'", "f32"});
  expect_refusal({"convolve", "f.npy", "--mask", "1e39"}, {"mask"});
}

// The command that an error message suggests works.
TEST_F(exact_numbers, integers_become_floats_where_none_is_altered) {
  write_npy<std::int64_t>("i.npy", {1, 2, -3, std::int64_t{1} << 60});
  write_npy<std::uint64_t>("u.npy", {3, (std::uint64_t{1} << 53) + 1});
  good({"recurrence", "i.npy", "--average", "1", "--as", "f64", "-o", "y.npy"});
  EXPECT_EQ(read_npy<double>("y.npy"), (std::vector<double>{1, 2, -3, 0x1p60}));
  EXPECT_EQ(good({"reduce", "i.npy", "--op", "min", "--as", "f64"}), "-3\n");
  expect_refusal({"reduce", "u.npy", "--as", "f64"}, {"element 1", "9007199254740993", "f64 does not hold"});
  expect_refusal({"reduce", "i.npy", "--as", "i32"}, {"element 3", "i32 does not hold"});
}

TEST_F(exact_numbers, convolutions_of_long_integers) {
  std::vector<std::int64_t> x(300), mask{3, -9007199254740993, 5, 0, -1};
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<std::int64_t>(0x9e3779b97f4a7c15u * (i + 1)) >> (i % 4 * 16);
  write_npy("x.npy", x), write_npy("m.npy", mask);
  const auto wanted = [&](const std::vector<std::int64_t>& m) {
    std::vector<std::int64_t> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < m.size(); ++k)
        if (const std::size_t at = i + m.size() / 2 - k; at < x.size())
          sum += static_cast<std::uint64_t>(m[k]) * static_cast<std::uint64_t>(x[at]);
      y[i] = static_cast<std::int64_t>(sum);
    }
    return y;
  };
  good({"convolve", "x.npy", "--mask", "m.npy", "-o", "y.npy"});
  EXPECT_EQ(read_npy<std::int64_t>("y.npy"), wanted(mask));
  good({"convolve", "x.npy", "--mask", "3 -9007199254740993 5 0 -1", "-o", "y.npy"});
  EXPECT_EQ(read_npy<std::int64_t>("y.npy"), wanted(mask));
  good({"convolve", "x.npy", "--mask", "1 1 1", "-o", "y.npy"});
  EXPECT_EQ(read_npy<std::int64_t>("y.npy"), wanted({1, 1, 1}));
  write_npy<std::uint64_t>("u.npy", {~std::uint64_t{0}, 1, 2});
  good({"convolve", "u.npy", "--mask", "18446744073709551615", "-o", "y.npy"});
  EXPECT_EQ(read_npy<std::uint64_t>("y.npy"), (std::vector<std::uint64_t>{1, ~std::uint64_t{0}, ~std::uint64_t{1}}));
  write_npy<std::uint32_t>("n.npy", {4000000000u, 1, 2});
  good({"convolve", "n.npy", "--mask", "1 2 3", "-o", "y.npy"});
  EXPECT_EQ(read_npy<std::uint32_t>("y.npy"), (std::vector<std::uint32_t>{3705032705u, 3410065412u, 7}));
  expect_refusal({"convolve", "x.npy", "--mask", "0.5"}, {"--mask", "not integers", "--as f64"});
}

TEST_F(exact_numbers, a_scan_goes_to_standard_output_and_nan_has_no_sign) {
  EXPECT_EQ(good({"scan", "-", "--format", "csv", "--dtype", "i64", "--no-header"}, "1\n2\n3\n"), "1\n3\n6\n");
  write_npy<double>("nan.npy", {1, -std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(good({"reduce", "nan.npy"}), "nan\n");
  EXPECT_EQ(good({"scan", "nan.npy", "--output-format", "csv"}), "1\nnan\n");
  write_npy<upsweep::half>("half.npy", {upsweep::half::of_bits(0xfe00)});
  EXPECT_EQ(good({"sort", "half.npy", "--output-format", "csv"}), "nan\n");
}

TEST_F(exact_numbers, histograms_tell_the_edges_they_count_by) {
  const std::string bars = good({"histogram", "-", "--format", "csv", "--dtype", "i64", "--no-header"}, "0\n1\n2\n");
  EXPECT_NE(bars.find("[  1, 1.2)  1"), std::string::npos) << bars;
  EXPECT_NE(bars.find("[1.8,   2]  1"), std::string::npos) << bars;
  write_npy<std::int32_t>("x.npy", {1700, 1730, 1731, 2008});
  EXPECT_EQ(good({"histogram", "x.npy", "--output-format", "csv"}).substr(0, 48),
            "lower,upper,count\n1700,1730.8,2\n1730.8,1761.6,1\n");
  // A bin whose edge is printed as 0.29 contains 0.29.
  write_npy<double>("d.npy", {0.29});
  const std::string csv = good({"histogram", "d.npy", "--range", "0,1", "--bins", "100", "--output-format", "csv"});
  EXPECT_NE(csv.find("\n0.29,0.3,1\n"), std::string::npos) << csv;
  // Every element of the type, and channels.
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < 512; ++i) bytes.push_back(static_cast<std::uint8_t>(i / 2));
  write_npy("b.npy", bytes);
  good({"histogram", "b.npy", "--bins", "256", "--channels", "2", "-o", "c.npy"});
  const auto counts = read_npy<std::uint64_t>("c.npy");
  EXPECT_EQ(counts, std::vector<std::uint64_t>(512, 1));
  good({"histogram", "b.npy", "--range", "-10,1000", "--bins", "7", "-o", "c.npy"});
  EXPECT_EQ(read_npy<std::uint64_t>("c.npy"), (std::vector<std::uint64_t>{270, 242, 0, 0, 0, 0, 0}));
  good({"histogram", "b.npy", "--range", "300,400", "--bins", "7", "-o", "c.npy"});
  EXPECT_EQ(read_npy<std::uint64_t>("c.npy"), std::vector<std::uint64_t>(7, 0));
}

TEST_F(exact_numbers, edges_and_ranges_beyond_doubles) {
  write_npy<std::int64_t>("x.npy", {9007199254740992, 9007199254740993, 9007199254740994});
  EXPECT_EQ(
      good({"histogram", "x.npy", "--edges", "0.5,9007199254740993,9007199254740994.5", "--output-format", "csv"}),
      "lower,upper,count\n1,9007199254740993,1\n9007199254740993,9007199254740995,2\n");
  EXPECT_EQ(good({"range-count", "x.npy", "9007199254740993,1e19", "9007199254740992.5,9007199254740993.5"}), "2\n1\n");
  write("q.csv", "a,b\n9007199254740993,9007199254740994\n");
  EXPECT_EQ(good({"range-count", "x.npy", "--queries", "q.csv"}), "1\n");
  write_npy<double>("d.npy", {0x1p53, 0x1p53 + 2});
  EXPECT_EQ(good({"range-count", "d.npy", "9007199254740993,1e300"}), "1\n");
}

TEST(listed_numbers, are_read_to_the_last_digit) {
  const auto whole = [](const char* text) { return first_not_below<std::int64_t>(*number_of_text(text)); };
  EXPECT_EQ(whole("9007199254740993"), 9007199254740993);
  EXPECT_EQ(whole("9007199254740993.000"), 9007199254740993);
  EXPECT_EQ(whole("9007199254740992.000000001"), 9007199254740993);
  EXPECT_EQ(whole("-9007199254740993.5"), -9007199254740993);
  EXPECT_EQ(whole("9007199254740.9930001e3"), 9007199254740994);
  EXPECT_EQ(whole("12e2"), 1200);
  EXPECT_EQ(whole("+.5"), 1);
  EXPECT_EQ(whole("1e-400"), 1);
  EXPECT_EQ(whole("0e500"), 0);
  EXPECT_EQ(whole("1e30"), std::nullopt);
  EXPECT_EQ(whole("-1e30"), std::numeric_limits<std::int64_t>::min());
  EXPECT_FALSE(number_of_text("1e"));
  EXPECT_FALSE(number_of_text(""));
  EXPECT_TRUE(*number_of_text("9007199254740993") < *number_of_text("9007199254740993.5"));
  EXPECT_FALSE(*number_of_text("9007199254740994") < *number_of_text("9007199254740993.5"));
}

}  // namespace
