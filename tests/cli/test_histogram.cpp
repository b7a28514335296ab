// upsweep histogram and range-count: bins of every kind and type, bars, weights, channels, queries; and error messages.
#include <cmath>
#include <numeric>

#include "cli/io/nearest_half.hpp"
#include "command.hpp"
#include "random_elements.hpp"
#include "upsweep/histogram/histogram_bins.hpp"

namespace {

using upsweep::half;

class counts : public command_test {
 protected:
  std::string good(const std::vector<std::string>& arguments, std::string_view in = {}) const {
    const ran r = run(arguments, in);
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.err, "");
    return r.out;
  }
  std::vector<std::uint64_t> counted(std::vector<std::string> arguments, std::string_view in = {}) const {
    arguments.insert(arguments.begin(), "histogram");
    arguments.insert(arguments.end(), {"-o", "counts.npy"});
    good(arguments, in);
    return read_npy<std::uint64_t>("counts.npy");
  }
};

template <class T>
class counts_of : public command_test {};
using every_type = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, half, std::int32_t,
                                  std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(counts_of, every_type);

TYPED_TEST(counts_of, edges_and_ranges) {
  using T = TypeParam;
  const auto x = random_elements<T>(30011, 6);
  this->write_npy("x.npy", x);
  const std::vector<double> edges{0, 1, 2, 3.5, 7, 100};
  std::vector<std::uint64_t> wanted(edges.size() - 1), cumulated;
  for (T e : x) {
    const double v = static_cast<double>(e);
    for (std::size_t b = 0; b + 1 < edges.size(); ++b)
      if (v >= edges[b] && v < edges[b + 1]) ++wanted[b];
  }
  for (const char* chunk : {"4194304", "1001"}) {
    const ran r = this->run(
        {"histogram", "x.npy", "--edges", "0,1,2,3.5,7,100", "-o", "c.npy", "--chunk", chunk, "--device", "cpu"});
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(this->template read_npy<std::uint64_t>("c.npy"), wanted) << chunk;
    const ran q =
        this->run({"range-count", "x.npy", "0,1", "1,2", "2,3.5", "3.5,7", "7,100", "0,100", "5,5", "--chunk", chunk});
    std::string text;
    for (std::uint64_t c : wanted) text += std::to_string(c) + "\n";
    text += std::to_string(std::accumulate(wanted.begin(), wanted.end(), std::uint64_t{0})) + "\n0\n";
    EXPECT_EQ(q.out, text) << q.err;
  }
  // Bounds beyond the type, and all there is.
  std::uint64_t negative = 0, all = 0, finite = 0;
  for (T e : x) {
    negative += static_cast<double>(e) < 0;
    all += e == e;
    finite += std::isfinite(static_cast<double>(e));
  }
  const std::uint64_t infinite_up = [&] {
    std::uint64_t n = 0;
    for (T e : x) n += std::isinf(static_cast<double>(e)) && static_cast<double>(e) > 0;
    return n;
  }();
  const ran q = this->run({"range-count", "x.npy", "--range=-inf,0", "--range=-inf,inf", "--range=-1e300,1e300"});
  EXPECT_EQ(q.out,
            std::to_string(negative) + "\n" + std::to_string(all - infinite_up) + "\n" + std::to_string(finite) + "\n")
      << q.err;
}

TYPED_TEST(counts_of, even_bins) {
  using T = TypeParam;
  const auto x = random_elements<T>(30011, 7, false);
  this->write_npy("x.npy", x);
  using bound = upsweep::detail::histogram_impl::bound_of<T>;
  const auto bins = upsweep::detail::histogram_impl::even_bins<T>::of(bound(1), bound(9), 16);
  std::vector<std::uint64_t> wanted(16);
  for (T e : x)
    if (const auto b = bins(e); b != upsweep::detail::histogram_impl::no_bin) ++wanted[b];
  ASSERT_EQ(this->run({"histogram", "x.npy", "--bins", "16", "--range", "1,9", "-o", "c.npy"}).status, 0);
  EXPECT_EQ(this->template read_npy<std::uint64_t>("c.npy"), wanted);
  // Without a range all elements are counted, from a file and from a pipe.
  for (const bool piped : {false, true}) {
    const ran r =
        piped ? this->run({"histogram", "-", "--bins", "7", "-o", "c.npy", "--chunk", "500"}, this->read("x.npy"))
              : this->run({"histogram", "x.npy", "--bins", "7", "-o", "c.npy"});
    ASSERT_EQ(r.status, 0) << r.err;
    const auto c = this->template read_npy<std::uint64_t>("c.npy");
    EXPECT_EQ(std::accumulate(c.begin(), c.end(), std::uint64_t{0}), x.size());
    EXPECT_EQ(c.size(), 7u);
    EXPECT_GT(c.front(), 0u);
    EXPECT_GT(c.back(), 0u);
  }
}

TEST_F(counts, bars_and_tables) {
  write_npy<std::int32_t>("x.npy", {1, 1, 2, 9, 9, 9, 9, 10});
  EXPECT_EQ(good({"histogram", "x.npy", "--edges", "0,2,5,10"}).substr(0, 16), "[0,  2)  2  ####");
  const std::string bars = good({"histogram", "x.npy", "--edges", "0,2,5,10"});
  EXPECT_EQ(std::ranges::count(bars, '\n'), 4);
  EXPECT_NE(bars.find("1 of 8 elements are in no bin"), std::string::npos) << bars;
  EXPECT_EQ(good({"histogram", "x.npy", "--edges", "0,2,5,10", "--output-format", "csv"}),
            "lower,upper,count\n0,2,2\n2,5,1\n5,10,4\n");
  EXPECT_EQ(good({"histogram", "x.npy", "--bins", "2", "--output-format", "csv"}),
            "lower,upper,count\n1,5.5,3\n5.5,10,5\n");
  write("e.csv", "edge\n0\n2\n5\n10\n");
  EXPECT_EQ(good({"histogram", "x.npy", "--edges", "e.csv", "--output-format", "csv"}),
            "lower,upper,count\n0,2,2\n2,5,1\n5,10,4\n");
  write("t.csv", "a,b\n1,0.5\n2,1.5\n3,\"1.5\"\n");
  EXPECT_EQ(good({"histogram", "t.csv", "--column", "b", "--edges", "0,1,2", "--output-format", "csv"}),
            "lower,upper,count\n0,1,1\n1,2,2\n");
  write_npy<double>("e.npy", {});
  EXPECT_EQ(counted({"e.npy", "--bins", "3"}), (std::vector<std::uint64_t>{0, 0, 0}));
  write_npy<float>("c.npy", {2.5f, 2.5f});
  EXPECT_EQ(counted({"c.npy", "--bins", "4"}), (std::vector<std::uint64_t>{0, 0, 2, 0}));
  write_npy<float>("nan.npy", {1.0f, std::nanf(""), 3.0f});
  EXPECT_EQ(counted({"nan.npy", "--bins", "2"}), (std::vector<std::uint64_t>{1, 1}));
}

TEST_F(counts, channels_and_every_byte) {
  std::vector<std::uint8_t> x(3 * 5000);
  std::mt19937 random(3);
  std::vector<std::uint64_t> wanted(3 * 256);
  for (std::size_t i = 0; i < x.size(); ++i)
    ++wanted[(i % 3) * 256 + (x[i] = static_cast<std::uint8_t>(random() >> (i % 3)))];
  write_npy("x.npy", x);
  for (const char* chunk : {"4194304", "1000"})
    EXPECT_EQ(counted({"x.npy", "--bins", "256", "--range", "0,256", "--channels", "3", "--chunk", chunk}), wanted)
        << chunk;
}

TEST_F(counts, weights) {
  const auto x = random_elements<float>(10001, 3, false);
  std::vector<double> w(x.size()), wanted(2);
  for (std::size_t i = 0; i < w.size(); ++i) {
    w[i] = static_cast<double>(i % 64) / 8;
    if (x[i] >= 0 && x[i] < 20) wanted[x[i] >= 10] += w[i];
  }
  write_npy("x.npy", x);
  write_npy("w.npy", w);
  for (const char* chunk : {"4194304", "1000"}) {
    good({"histogram", "x.npy", "--bins", "2", "--range", "0,20", "--weights", "w.npy", "-o", "c.npy", "--chunk",
          chunk});
    const auto c = read_npy<double>("c.npy");
    for (std::size_t b = 0; b < 2; ++b) EXPECT_EQ(c[b], wanted[b]);
  }
  w.pop_back();
  write_npy("w.npy", w);
  expect_refusal({"histogram", "x.npy", "--weights", "w.npy", "--range", "0,1"}, {"10000 weights", "10001 elements"});
  expect_refusal({"histogram", "-", "--dtype", "f32", "--weights", "w.npy", "--range", "0,1"},
                 {"10000 weights", "more elements"}, bytes_of(x));
  expect_refusal({"histogram", "-", "--dtype", "f32", "--weights", "w.npy", "--range", "0,1"},
                 {"more weights", "2 elements"}, bytes_of<float>({1, 2}));
}

// Weights are added as f64, each bin's apart from the others'; infinities of both signs make NaN without a sign.
TEST_F(counts, weights_of_any_magnitude) {
  write("f.csv", "x,w\n0,1e300\n1,1\n2,16777217\n2,1\n2,1\n3,inf\n3,-inf\n4,-inf\n5,1e15\n");
  for (const char* chunk : {"4194304", "1"})
    EXPECT_EQ(good({"histogram", "f.csv", "--column", "x", "--edges", "0,1,2,3,4,5,6", "--weights", "f.csv",
                    "--weights-column", "w", "--chunk", chunk, "--output-format", "csv"}),
              "lower,upper,weight\n0,1,1e+300\n1,2,1\n2,3,16777219\n3,4,nan\n4,5,-inf\n5,6,1000000000000000\n")
        << chunk;
}

TEST_F(counts, queries_from_files) {
  std::vector<std::int64_t> x(5000);
  std::mt19937_64 random(12);
  for (auto& e : x) e = static_cast<std::int64_t>(random() % 2000) - 1000;
  write_npy("x.npy", x);
  std::vector<std::int64_t> queries;
  std::vector<std::uint64_t> wanted;
  std::string csv = "from,to\n";
  for (int i = 0; i < 3000; ++i) {
    std::int64_t a = static_cast<std::int64_t>(random() % 2400) - 1200,
                 b = static_cast<std::int64_t>(random() % 2400) - 1200;
    if (a > b) std::swap(a, b);
    queries.push_back(a);
    queries.push_back(b);
    csv += std::to_string(a) + "," + std::to_string(b) + "\n";
    wanted.push_back(
        static_cast<std::uint64_t>(std::ranges::count_if(x, [&](std::int64_t e) { return a <= e && e < b; })));
  }
  std::string header = npy_header_text(upsweep::dtype::i64, queries.size());
  header.replace(header.find("(6000,), }"), 12, "(3000, 2), }");
  write("q.npy", header + bytes_of(queries));
  good({"range-count", "x.npy", "--queries", "q.npy", "-o", "c.npy"});
  EXPECT_EQ(read_npy<std::uint64_t>("c.npy"), wanted);
  write("q.csv", csv);
  good({"range-count", "-", "--queries", "q.csv", "-o", "c.npy", "--chunk", "999"}, read("x.npy"));
  EXPECT_EQ(read_npy<std::uint64_t>("c.npy"), wanted);
}

// Halfway between two adjacent halves: the exact middle rounds to the even one. The adjacent doubles round to their own
// side, although no float is between them.
TEST(nearest_half, of_what_lies_beside_the_middle) {
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const half low = half::of_bits(bits), high = half::of_bits(static_cast<std::uint16_t>(bits + 1));
    const double from = static_cast<double>(low), to = static_cast<double>(high), middle = (from + to) / 2;
    ASSERT_EQ(nearest_half(from).bits, low.bits);
    ASSERT_EQ(nearest_half(middle).bits, bits % 2 == 0 ? low.bits : high.bits) << middle;
    ASSERT_EQ(nearest_half(std::nextafter(middle, from)).bits, low.bits) << middle;
    ASSERT_EQ(nearest_half(std::nextafter(middle, to)).bits, high.bits) << middle;
    ASSERT_EQ(nearest_half(-std::nextafter(middle, from)).bits, low.bits | 0x8000) << middle;
  }
  EXPECT_EQ(nearest_half(std::nextafter(65520.0, 0.0)).bits, 0x7bff);
  EXPECT_EQ(nearest_half(65520.0).bits, 0x7c00);
  EXPECT_EQ(nearest_half(1e300).bits, 0x7c00);
  EXPECT_EQ(nearest_half(1e-300).bits, 0);
}

TEST_F(counts, refusals) {
  write_npy<std::int32_t>("x.npy", {1, 2, 3});
  write_npy<std::uint8_t>("b.npy", {1, 2, 3});
  write_npy<float>("f.npy", {1, std::numeric_limits<float>::infinity()});
  expect_refusal({"histogram", "x.npy", "--edges", "1,5,5"}, {"edge 2", "increase"});
  expect_refusal({"histogram", "x.npy", "--edges", "3,2"}, {"edge 1", "increase"});
  expect_refusal({"histogram", "x.npy", "--edges", "1.2,1.4"}, {"no element of type i32 is between them"});
  expect_refusal({"histogram", "f.npy", "--edges", "1,nan,2"}, {"edge 1", "NaN"});
  expect_refusal({"histogram", "x.npy", "--edges", "4"}, {"1 edges"});
  expect_refusal({"histogram", "b.npy", "--edges", "0,256"}, {"edge 1", "256", "u8", "--as"});
  expect_refusal({"histogram", "x.npy", "--edges", "1,two"}, {"--edges", "neither"});
  expect_refusal({"histogram", "x.npy", "--edges", "none.npy"}, {"none.npy", "No such file"});
  expect_refusal({"histogram", "x.npy", "--range", "3,3"}, {"--range", "LO < HI"});
  expect_refusal({"histogram", "x.npy", "--range", "3"}, {"--range", "LO,HI"});
  expect_refusal({"histogram", "x.npy", "--range", "0,1e40"}, {"--range", "out of range"});
  expect_refusal({"histogram", "f.npy"}, {"finite", "--range"});
  expect_refusal({"histogram", "x.npy", "--bins", "0"}, {"--bins"}, {}, 2);
  expect_refusal({"histogram", "x.npy", "--bins", "99999999999"}, {"--bins"}, {}, 2);
  expect_refusal({"histogram", "x.npy", "--bins", "16777216", "--channels", "2"}, {"--bins", "fewer"});
  expect_refusal({"histogram", "x.npy", "--bins", "3", "--edges", "1,2"}, {"--edges"}, {}, 2);
  expect_refusal({"range-count", "x.npy"}, {"no query is given"});
  expect_refusal({"range-count", "x.npy", "1,2", "5,3"}, {"query 1", "A <= B"});
  expect_refusal({"range-count", "x.npy", "1"}, {"query '1'", "A,B"});
  expect_refusal({"range-count", "x.npy", "1,nan"}, {"query 0", "NaN"});
  write_npy<double>("q.npy", {1, 2, 3});
  expect_refusal({"range-count", "x.npy", "--queries", "q.npy"}, {"3 numbers", "pairs"});
}

}  // namespace
