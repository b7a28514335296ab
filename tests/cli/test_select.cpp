// upsweep select and unique: elements and rows, boundaries between parts, flags; and error messages.
#include <cmath>

#include "command.hpp"
#include "random_elements.hpp"
#include "upsweep/context.hpp"

namespace {

using upsweep::half;

class selects : public command_test {
 protected:
  std::string good(const std::vector<std::string>& arguments, std::string_view in = {}) const {
    const ran r = run(arguments, in);
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.err, "");
    return r.out;
  }
};

template <class T>
class selects_of : public command_test {};
using every_type = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, half, std::int32_t,
                                  std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(selects_of, every_type);

TYPED_TEST(selects_of, conditions_simple_and_compound) {
  using T = TypeParam;
  const auto x = random_elements<T>(20011, 11);
  this->write_npy("x.npy", x);
  const std::vector<std::pair<std::string, bool (*)(T)>> conditions{
      {"x > 3", [](T e) { return e > static_cast<T>(3); }},
      {"x <= 5", [](T e) { return e <= static_cast<T>(5); }},
      {"x == 2", [](T e) { return e == static_cast<T>(2); }},
      {"x != 2", [](T e) { return !(e == static_cast<T>(2)); }},
      {"1 <= x < 6 and not x == 3",
       [](T e) { return e >= static_cast<T>(1) && e < static_cast<T>(6) && !(e == static_cast<T>(3)); }},
      {"isnan(x)", [](T e) { return !(e == e); }},
      {"x < 1e300 or x >= 1e300 or isnan(x)", [](T) { return true; }},
  };
  for (const auto& [text, passes] : conditions) {
    std::vector<T> kept;
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (passes(x[i])) {
        kept.push_back(x[i]);
        places.push_back(static_cast<std::int64_t>(i));
      }
    for (const char* chunk : {"4194304", "777"}) {
      const ran r = this->run({"select", "x.npy", "--where", text, "-o", "y.npy", "--chunk", chunk, "--device", "cpu"});
      ASSERT_EQ(r.status, 0) << r.err;
      EXPECT_EQ(this->read("y.npy").substr(128), this->bytes_of(kept)) << text;
    }
    ASSERT_EQ(this->run({"select", "x.npy", "--where", text, "-o", "i.npy", "--indices", "--chunk", "1000"}).status, 0);
    EXPECT_EQ(this->template read_npy<std::int64_t>("i.npy"), places) << text;
    EXPECT_EQ(this->run({"select", "x.npy", "--where", text, "--count"}).out, std::to_string(kept.size()) + "\n");
  }
}

TYPED_TEST(selects_of, unique_keeps_the_first_of_a_run) {
  using T = TypeParam;
  auto x = random_elements<T>(9001, 2);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i - i % 3];
  for (std::size_t i = 3000; i < 6000; ++i) x[i] = static_cast<T>(1);  // a run over several chunks
  std::vector<T> wanted;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i == 0 || !(x[i] == x[i - 1])) wanted.push_back(x[i]);
  this->write_npy("x.npy", x);
  for (const char* chunk : {"4194304", "1000", "7", "1"}) {
    ASSERT_EQ(this->run({"unique", "x.npy", "-o", "y.npy", "--chunk", chunk, "--device", "cpu"}).status, 0);
    EXPECT_EQ(this->read("y.npy").substr(128), this->bytes_of(wanted)) << chunk;
  }
  EXPECT_EQ(this->run({"unique", "x.npy", "--count"}).out, std::to_string(wanted.size()) + "\n");
}

TEST_F(selects, flags_from_a_file) {
  write_npy<double>("x.npy", {1, 2, 3, 4, 5});
  write_npy<std::uint8_t>("f.npy", {1, 0, 0, 7, 1});
  good({"select", "x.npy", "--flags", "f.npy", "-o", "y.npy", "--chunk", "2"});
  EXPECT_EQ(read_npy<double>("y.npy"), (std::vector<double>{1, 4, 5}));
  std::string header = npy_header_text(upsweep::dtype::u8, 5);
  header.replace(header.find("'|u1'"), 5, "'|b1'");
  write("b.npy", header + std::string("\0\1\1\0\0", 5));
  good({"select", "x.npy", "--flags", "b.npy", "-o", "y.npy"});
  EXPECT_EQ(read_npy<double>("y.npy"), (std::vector<double>{2, 3}));
  // Flags selected by themselves stay flags.
  good({"select", "b.npy", "--where", "x == 1", "-o", "c.npy"});
  EXPECT_NE(read("c.npy").find("'|b1'"), std::string::npos);
  write_npy<std::uint8_t>("f.npy", {1, 0, 0});
  expect_refusal({"select", "x.npy", "--flags", "f.npy", "-o", "z.npy"}, {"3 flags", "5 elements"});
  expect_refusal({"select", "-", "--dtype", "f64", "--flags", "f.npy", "-o", "z.npy"}, {"f.npy", "3 flags"},
                 bytes_of<double>({1, 2, 3, 4}));
  expect_refusal({"select", "-", "--dtype", "f64", "--flags", "f.npy", "-o", "z.npy"}, {"more flags", "2 elements"},
                 bytes_of<double>({1, 2}));
  write_npy<float>("g.npy", {1, 0, 0, 1, 1});
  expect_refusal({"select", "x.npy", "--flags", "g.npy", "-o", "z.npy"}, {"f32", "astype(bool)"});
}

const std::string table =
    "date,name,price,volume\n2020-01-03,IBM,3.5,10\n2020-01-01,\"A, "
    "\"\"B\"\"\nInc\",1.5,\n2020-01-02,IBM,2.5,30\n2020-01-05,x,,40\n";

TEST_F(selects, rows_by_their_columns) {
  write("t.csv", table);
  const std::string head = "date,name,price,volume\n";
  const auto row = [&](const std::string& start) {
    const auto at = table.find("2020-01-0" + start),
               end = start == "1" ? table.find("\n2020-01-02") : table.find('\n', at);
    return table.substr(at, end - at) + "\n";
  };
  EXPECT_EQ(good({"select", "t.csv", "--where", "price > 2"}), head + row("3") + row("2"));
  EXPECT_EQ(good({"select", "t.csv", "--where", "price > 2 and volume >= 30"}), head + row("2"));
  EXPECT_EQ(good({"select", "t.csv", "--where", "isnan(price) or isnan(volume)"}), head + row("1") + row("5"));
  EXPECT_EQ(good({"select", "t.csv", "--where", "name == 'IBM' and price < 3"}), head + row("2"));
  EXPECT_EQ(good({"select", "t.csv", "--where", "\"2020-01-02\" <= date < '2020-01-05'"}), head + row("3") + row("2"));
  EXPECT_EQ(good({"select", "t.csv", "--where", "name != 'IBM'"}), head + row("1") + row("5"));
  EXPECT_EQ(good({"select", "t.csv", "--where", "true"}), table);
  EXPECT_EQ(good({"select", "t.csv", "--where", "price > 1e9"}), head);
  EXPECT_EQ(good({"select", "t.csv", "--where", "price > 2", "--count"}), "2\n");
  EXPECT_EQ(good({"select", "-", "--where", "x > 2", "--column", "price", "--rows"}, table),
            head + row("3") + row("2"));
  EXPECT_EQ(good({"select", "t.csv", "--where", "`3` == 3.5"}), head + row("3"));
  // Of one column, the elements; of a file of one column, its rows.
  write("p.csv", "price\n3\n1\n2\n");
  EXPECT_EQ(good({"select", "p.csv", "--where", "x >= 2"}), "price\n3\n2\n");
  EXPECT_EQ(good({"select", "p.csv", "--where", "price >= 2", "--column", "price"}), "price\n3\n2\n");
  EXPECT_EQ(good({"select", "p.csv", "--where", "x >= 2", "--column", "1", "--dtype", "i32", "--indices",
                  "--output-format", "csv"}),
            "0\n2\n");
  good({"select", "p.csv", "--where", "x >= 2", "-o", "p.csv"});
  EXPECT_EQ(read("p.csv"), "price\n3\n2\n");
}

TEST_F(selects, many_rows_in_batches) {
  std::string csv = "i,text\r\n", even = csv;
  for (int i = 0; i < 600000; ++i) {
    const std::string row = std::to_string(i) + (i % 5 ? ",plain\r\n" : ",\"in\nquotes\"\r\n");
    csv += row;
    if (i % 2 == 0) even += row;
  }
  write("t.csv", csv);
  EXPECT_TRUE(good({"select", "t.csv", "--where", "i % 2 == 0", "--dtype", "i64"}) == even);
}

TEST_F(selects, streams_and_formats) {
  EXPECT_EQ(from_bytes<std::int16_t>(
                good({"select", "-", "--dtype", "i16", "--where", "x<0"}, bytes_of<std::int16_t>({1, -2, 3, -4}))),
            (std::vector<std::int16_t>{-2, -4}));
  EXPECT_EQ(good({"select", "-", "--dtype", "i16", "--where", "x<0", "--output-format", "csv"},
                 bytes_of<std::int16_t>({1, -2, 3, -4})),
            "-2\n-4\n");
  EXPECT_EQ(from_npy<float>(good({"select", "-", "--where", "x>1"},
                                 npy_header_text(upsweep::dtype::f32, 3) + bytes_of<float>({1, 2, 3}))),
            (std::vector<float>{2, 3}));
  write_npy<std::int32_t>("e.npy", {});
  good({"select", "e.npy", "--where", "x>1", "-o", "y.npy"});
  EXPECT_EQ(read_npy<std::int32_t>("y.npy"), std::vector<std::int32_t>{});
  good({"unique", "e.npy", "-o", "y.npy"});
  EXPECT_EQ(read_npy<std::int32_t>("y.npy"), std::vector<std::int32_t>{});
}

// One sentence, then the condition and a caret under the place.
TEST_F(selects, a_condition_that_does_not_parse_is_shown) {
  write_npy<double>("x.npy", {1});
  write("t.csv", table);
  const std::vector<std::pair<std::string, std::size_t>> wrong{{"x > 0.5 and", 11},     {"x = 3", 2},    {"y > 3", 0},
                                                               {"x > 3 and y < 1", 10}, {"x == 'a'", 0}, {"", 0}};
  for (const auto& [text, at] : wrong) {
    if (text.empty()) continue;
    const ran r = run({"select", "x.npy", "--where", text, "-o", "z.npy"});
    EXPECT_EQ(r.status, 1) << text;
    EXPECT_EQ(r.out, "");
    const auto first = r.err.find('\n'), second = r.err.find('\n', first + 1);
    EXPECT_EQ(r.err.substr(0, 9), "upsweep: ");
    EXPECT_NE(r.err.find("character " + std::to_string(at + 1) + ":"), std::string::npos) << r.err;
    EXPECT_EQ(r.err.substr(first + 1, second - first - 1), "  " + text);
    EXPECT_EQ(r.err.substr(second + 1), "  " + std::string(at, ' ') + "^\n");
    EXPECT_FALSE(exists("z.npy"));
  }
  expect_refusal({"select", "t.csv", "--where", "cost > 3"}, {"no column 'cost'", "date, name, price, volume"});
  expect_refusal({"select", "t.csv", "--where", "name > 3"}, {"row 2", "column 'name'", "'IBM'"});
  expect_refusal({"select", "t.csv", "--where", "volume > 3", "--dtype", "i32"}, {"row 3", "column 'volume'", "empty"});
  expect_refusal({"select", "t.csv", "--where", "price > 3", "-o", "y.npy"}, {"CSV"});
  expect_refusal({"select", "x.npy", "--where", "x > 3", "--rows"}, {"--rows", "CSV"});
  expect_refusal({"select", "x.npy"}, {"--where", "--flags"});
  expect_refusal({"select", "t.csv", "--where", "price > 3", "--column", "price", "--rows", "--indices"},
                 {"whole rows"});
  expect_refusal({"select", "x.npy", "--where", "x>1", "--flags", "x.npy"}, {"--flags"}, {}, 2);
}

TEST_F(selects, an_old_output_outlives_a_failure) {
  write("t.csv", "a\n1\n2\nno\n");
  write("y.csv", "what was there");
  expect_refusal({"select", "t.csv", "--where", "a > 0", "-o", "y.csv"}, {"row 4", "'no'"});
  EXPECT_EQ(read("y.csv"), "what was there");
}

}  // namespace
