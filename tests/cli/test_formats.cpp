// Every format and option of reduce and scan, compared with results computed here.
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "command.hpp"
#include "upsweep/operators.hpp"

namespace {

template <class T>
std::vector<T> random_elements(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(n);
  for (T& e : x) {
    if constexpr (std::is_floating_point_v<T>)
      e = static_cast<T>(static_cast<std::int64_t>(random() % 2001) - 1000) / 8;  // sums stay exact
    else
      e = static_cast<T>(random());
  }
  return x;
}

template <class T>
std::vector<T> running_sums(const std::vector<T>& x) {
  std::vector<T> y(x.size());
  if constexpr (std::is_integral_v<T>) {
    std::make_unsigned_t<T> sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = static_cast<T>(sum += static_cast<std::make_unsigned_t<T>>(x[i]));
  } else {
    std::partial_sum(x.begin(), x.end(), y.begin());
  }
  return y;
}

template <class T>
class every_type : public command_test {};
using types = testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(every_type, types);

TYPED_TEST(every_type, npy_is_scanned_and_reduced) {
  using T = TypeParam;
  for (std::size_t n : {0, 1, 2, 1000, 70001}) {
    const auto x = random_elements<T>(n, static_cast<unsigned>(n + sizeof(T)));
    const auto sums = running_sums(x);
    this->write_npy("x.npy", x);
    const ran scanned = this->run({"scan", "x.npy", "-o", "y.npy", "--device", "cpu"});
    ASSERT_EQ(scanned.status, 0) << scanned.err;
    EXPECT_EQ(scanned.out + scanned.err, "");
    EXPECT_EQ(this->template read_npy<T>("y.npy"), sums);

    ASSERT_EQ(this->run({"scan", "x.npy", "-o", "e.npy", "--exclusive", "--device", "cpu"}).status, 0);
    std::vector<T> exclusive(n);
    if (n > 0) std::copy(sums.begin(), sums.end() - 1, exclusive.begin() + 1);
    EXPECT_EQ(this->template read_npy<T>("e.npy"), exclusive);

    const ran reduced = this->run({"reduce", "x.npy", "--device", "cpu"});
    ASSERT_EQ(reduced.status, 0) << reduced.err;
    const T total = n ? sums.back() : T(0);
    if constexpr (std::is_floating_point_v<T>)
      EXPECT_EQ(static_cast<T>(std::stod(reduced.out)), total);
    else
      EXPECT_EQ(reduced.out, std::to_string(total) + "\n");
  }
}

TYPED_TEST(every_type, raw_and_csv_say_the_same) {
  using T = TypeParam;
  const auto x = random_elements<T>(3001, 7);
  const auto sums = running_sums(x);
  const std::string type(upsweep::name_of(upsweep::dtype_of<T>));
  this->write("x.raw", this->bytes_of(x));
  std::string csv;
  for (T e : x) csv += std::is_floating_point_v<T> ? std::to_string(e) + "\n" : std::to_string(e) + "\r\n";
  this->write("x.csv", csv);
  ASSERT_EQ(this->run({"scan", "x.raw", "--dtype", type, "-o", "y.raw"}).status, 0);
  EXPECT_EQ(this->template from_bytes<T>(this->read("y.raw")), sums);
  ASSERT_EQ(this->run({"scan", "x.csv", "--dtype", type, "-o", "y.npy"}).status, 0);
  EXPECT_EQ(this->template read_npy<T>("y.npy"), sums);
  ASSERT_EQ(this->run({"scan", "x.raw", "--dtype", type, "-o", "y.csv"}).status, 0);
  ASSERT_EQ(this->run({"scan", "y.csv", "--dtype", type, "--op", "max", "-o", "z.npy"}).status, 0);
  const auto highs = this->template read_npy<T>("z.npy");
  T high = std::numeric_limits<T>::lowest();
  for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_EQ(highs[i], high = std::max(high, sums[i])) << i;
}

TYPED_TEST(every_type, the_other_byte_order_is_swapped) {
  using T = TypeParam;
  const auto x = random_elements<T>(1025, 3);
  std::string bytes = this->bytes_of(x);
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T))
    std::reverse(bytes.begin() + static_cast<long>(i), bytes.begin() + static_cast<long>(i + sizeof(T)));
  std::string header = npy_header_text(upsweep::dtype_of<T>, x.size());
  char& order = header[header.find(std::endian::native == std::endian::little ? '<' : '>')];
  order = order == '<' ? '>' : '<';
  this->write("x.npy", header + bytes);
  ASSERT_EQ(this->run({"scan", "x.npy", "-o", "y.npy"}).status, 0);
  EXPECT_EQ(this->template read_npy<T>("y.npy"), running_sums(x));
}

class formats : public command_test {
 protected:
  std::string answer(const std::vector<std::string>& arguments, std::string_view in = {}) const {
    const ran r = run(arguments, in);
    EXPECT_EQ(r.status, 0) << r.err;
    return r.out;
  }
};

TEST_F(formats, operators_and_their_other_names) {
  write_npy<std::int32_t>("x.npy", {6, -3, 12, 5});
  const std::vector<std::pair<std::string, std::string>> answers{
      {"plus", "20"},    {"sum", "20"}, {"add", "20"},     {"multiplies", "-1080"}, {"product", "-1080"},
      {"minimum", "-3"}, {"min", "-3"}, {"maximum", "12"}, {"bit_and", "4"},        {"and", "4"},
      {"bit_or", "-1"},  {"or", "-1"},  {"xor", "-14"},    {"bit-xor", "-14"},      {"logical_and", "1"},
      {"all", "1"},      {"any", "1"}};
  for (const auto& [op, value] : answers) EXPECT_EQ(answer({"reduce", "x.npy", "--op", op}), value + "\n") << op;
}

TEST_F(formats, an_operator_that_does_not_commute_keeps_its_order) {
  std::vector<std::uint64_t> maps;
  for (std::uint64_t i = 0; i < 5000; ++i) maps.push_back((2 * i + 3) | (i * 77 + 1) << 32);
  write_npy("maps.npy", maps);
  std::uint64_t all = 1;
  std::vector<std::uint64_t> prefixes;
  for (std::uint64_t m : maps) prefixes.push_back(all = upsweep::compose_affine{}(all, m));
  EXPECT_EQ(answer({"reduce", "maps.npy", "--op", "compose_affine", "--chunk", "129"}), std::to_string(all) + "\n");
  answer({"scan", "maps.npy", "--op", "affine", "--chunk", "129", "-o", "y.npy"});
  EXPECT_EQ(read_npy<std::uint64_t>("y.npy"), prefixes);
}

TEST_F(formats, init_and_transform) {
  write_npy<double>("x.npy", {1.5, -2.5, 3});
  EXPECT_EQ(answer({"reduce", "x.npy", "--init", "-5"}), "-3\n");
  EXPECT_EQ(answer({"reduce", "x.npy", "--init=-1e3"}), "-998\n");
  EXPECT_EQ(answer({"reduce", "x.npy", "--transform", "square"}), "17.5\n");
  EXPECT_EQ(answer({"reduce", "x.npy", "--transform", "abs", "--op", "max"}), "3\n");
  EXPECT_EQ(answer({"reduce", "x.npy", "--op", "max", "--init", "inf"}), "inf\n");
  answer({"scan", "x.npy", "--exclusive", "--init", "10", "--transform", "negate", "-o", "y.npy"});
  EXPECT_EQ(read_npy<double>("y.npy"), (std::vector<double>{10, 8.5, 11}));
  answer({"scan", "x.npy", "--inclusive", "--init", "10", "-o", "y.npy"});
  EXPECT_EQ(read_npy<double>("y.npy"), (std::vector<double>{11.5, 9, 12}));
}

TEST_F(formats, no_elements_give_init_or_the_identity) {
  write_npy<float>("x.npy", {});
  EXPECT_EQ(answer({"reduce", "x.npy"}), "0\n");
  EXPECT_EQ(answer({"reduce", "x.npy", "--op", "min"}), "inf\n");
  EXPECT_EQ(answer({"reduce", "x.npy", "--op", "product", "--init", "7"}), "7\n");
  EXPECT_EQ(answer({"reduce", "-", "--dtype", "i32"}), "0\n");
  EXPECT_EQ(answer({"reduce", "-", "--format", "csv"}), "0\n");
  answer({"scan", "x.npy", "-o", "y.npy"});
  EXPECT_EQ(read_npy<float>("y.npy"), std::vector<float>{});
}

TEST_F(formats, floats_are_printed_so_that_they_read_back) {
  for (double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 1e21}) {
    write_npy<double>("x.npy", {value});
    EXPECT_EQ(std::strtod(answer({"reduce", "x.npy"}).c_str(), nullptr), value);
  }
  write_npy<float>("x.npy", {0.1f});
  EXPECT_EQ(answer({"reduce", "x.npy"}), "0.1\n");
}

TEST_F(formats, narrow_types_widen_and_wide_ones_stay) {
  std::string header = npy_header_text(upsweep::dtype::i32, 4);
  header.replace(header.find("'<i4'"), 5, "'|i1'");
  write("bytes.npy", header + "\x7f\x7f\x80\xff");
  EXPECT_EQ(answer({"reduce", "bytes.npy", "--as", "i64"}), "125\n");
  EXPECT_EQ(answer({"reduce", "bytes.npy", "--as", "f32"}), "125\n");
  write_npy<std::int32_t>("x.npy", {2000000000, 2000000000});
  EXPECT_EQ(answer({"reduce", "x.npy"}), "-294967296\n");
  EXPECT_EQ(answer({"reduce", "x.npy", "--as", "i64"}), "4000000000\n");
  EXPECT_EQ(answer({"reduce", "x.npy", "--as", "f64"}), "4000000000\n");
  write("u16.raw", std::string("\x01\x02\xff\xff", 4));
  EXPECT_EQ(answer({"reduce", "u16.raw", "--dtype", ">u2", "--as", "u32"}), std::to_string(0x0102 + 0xffff) + "\n");
}

TEST_F(formats, columns_are_found_by_name_and_number) {
  write("t.csv",
        "\xEF\xBB\xBF"
        "date,\"close, adjusted\",volume\r\n2020-01-01,\"1.5\",10\r\n\r\n2020-01-02,+2.25 ,20\r\n2020-01-03, -1e0,30");
  EXPECT_EQ(answer({"reduce", "t.csv", "--column", "close, adjusted"}), "2.75\n");
  EXPECT_EQ(answer({"reduce", "t.csv", "--column", "2"}), "2.75\n");
  EXPECT_EQ(answer({"reduce", "t.csv", "--column", "volume", "--dtype", "i32"}), "60\n");
  answer({"scan", "t.csv", "--column", "2", "-o", "y.csv"});
  EXPECT_EQ(read("y.csv"), "\"close, adjusted\"\n1.5\n3.75\n2.75\n");
  write("n.csv", "1,10\n2,20\n");
  EXPECT_EQ(answer({"reduce", "n.csv", "--column", "1"}), "3\n");
  EXPECT_EQ(answer({"reduce", "n.csv", "--column", "1", "--header"}), "2\n");
  EXPECT_EQ(answer({"reduce", "n.csv", "--column", "10", "--header"}), "20\n");
  write("t.tsv", "a\tb\n1\t2\n");
  EXPECT_EQ(answer({"reduce", "t.tsv", "--column", "b"}), "2\n");
  write("s.csv", "a;b\n1;2\n3;4\n");
  EXPECT_EQ(answer({"reduce", "s.csv", "--column", "b", "--separator", ";"}), "6\n");
  write("q.csv", "note,x\n\"line one\nline \"\"two\"\"\",5\n\"\",6\n");
  EXPECT_EQ(answer({"reduce", "q.csv", "--column", "x"}), "11\n");
}

TEST_F(formats, csv_records_cross_every_block_border) {
  // Blocks are a mebibyte; quoted line breaks and doubled quotes fall on their borders here and there.
  std::string csv = "note,x\n";
  std::int64_t sum = 0;
  for (int i = 0; csv.size() < (std::size_t{5} << 20); ++i) {
    csv += i % 3 == 0 ? "\"a\n\"\"" + std::string(static_cast<std::size_t>(i % 97), 'b') + "\"\"\",\"" +
                            std::to_string(i) + "\"\r\n"
                      : "plain," + std::to_string(i) + "\n";
    sum += i;
  }
  write("big.csv", csv);
  EXPECT_EQ(answer({"reduce", "big.csv", "--column", "x", "--dtype", "i64"}), std::to_string(sum) + "\n");
  write("wide.csv", "note,x\n\"" + std::string(std::size_t{3} << 20, 'w') + "\",4\n");
  EXPECT_EQ(answer({"reduce", "wide.csv", "--column", "x"}), "4\n");
}

TEST_F(formats, a_matrix_is_folded_flat) {
  std::string header = npy_header_text(upsweep::dtype::i32, 4);
  header.replace(header.find("(4,), }"), 9, "(2, 2), }");
  write("m.npy", header + bytes_of<std::int32_t>({1, 2, 3, 4}));
  EXPECT_EQ(answer({"reduce", "m.npy"}), "10\n");
}

TEST_F(formats, json_says_what_ran) {
  write_npy<float>("x.npy", {0.1f});
  const std::string json = answer({"reduce", "x.npy", "--json", "--device", "cpu", "--variant", "sequential"});
  EXPECT_NE(json.find("\"value\": 0.1,"), std::string::npos) << json;
  EXPECT_NE(json.find("\"variant\": \"reduce/sequential\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"device\": \"cpu\""), std::string::npos) << json;
  write_npy<float>("x.npy", {std::nanf("")});
  EXPECT_NE(answer({"reduce", "x.npy", "--json"}).find("\"value\": \"nan\""), std::string::npos);
}

TEST_F(formats, the_reproducible_sum_is_exact_over_chunks) {
  write_npy<double>("x.npy", {1e300, 1, -1e300, 1e-30, 1e16, 1, -1e16});
  for (const char* chunk : {"1", "2", "3", "100"})
    EXPECT_EQ(answer({"reduce", "x.npy", "--variant", "reduce/reproducible", "--chunk", chunk, "--device", "cpu"}),
              "2\n")
        << chunk;
}

}  // namespace
