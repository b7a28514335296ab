// upsweep select --where on CSV columns: text and patterns, dates, 64-bit integers, missing values.
#include <cmath>

#include "command.hpp"

namespace {

class selects_text : public command_test {
 protected:
  // The rows that are kept, without the header, a blank between them.
  std::string kept(const std::string& file, const std::string& condition,
                   const std::vector<std::string>& options = {}) const {
    std::vector<std::string> words{"select", file, "--where", condition};
    words.insert(words.end(), options.begin(), options.end());
    const ran r = run(words);
    EXPECT_EQ(r.status, 0) << condition << ": " << r.err;
    std::string rows = r.out.substr(std::min(r.out.size(), r.out.find('\n') + 1));
    while (rows.ends_with('\n')) rows.pop_back();
    std::ranges::replace(rows, '\n', ' ');
    return rows;
  }
};

constexpr std::string_view trips =
    "id,day,city,price\n"
    "1,2021-02-28,Oslo,1.5\n"
    "2,2021-03-01,Alta,\n"
    "3,2021-03-05,\"Å, i Lofoten\",NA\n"
    "4,,Oslo,2\n"
    "5,2021-03-05T12:30,oslo 12,-\n";

TEST_F(selects_text, text_and_patterns) {
  write("t.csv", trips);
  EXPECT_EQ(kept("t.csv", "city == \"Oslo\""), "1,2021-02-28,Oslo,1.5 4,,Oslo,2");
  EXPECT_EQ(kept("t.csv", "city ~ \"^A\""), "2,2021-03-01,Alta,");
  EXPECT_EQ(kept("t.csv", "city ~ 'slo( \\d+)?$' and not city ~ '^O'"), "5,2021-03-05T12:30,oslo 12,-");
  EXPECT_EQ(kept("t.csv", "city !~ '^[Oo]' and id < 3"), "2,2021-03-01,Alta,");
  EXPECT_EQ(kept("t.csv", "city ~ '^(O[[:alpha:]]{2,200})+++$'"), "1,2021-02-28,Oslo,1.5 4,,Oslo,2");
  EXPECT_EQ(kept("t.csv", "city ~ '^Å, i'"), "3,2021-03-05,\"Å, i Lofoten\",NA");
  // Repeats of repeats, of which the C library takes seconds or gigabytes.
  EXPECT_EQ(kept("t.csv", "city ~ '^Osl+o" + std::string(30, '+') + "$'"), "1,2021-02-28,Oslo,1.5 4,,Oslo,2");
  EXPECT_EQ(kept("t.csv", "city ~ '^Osl+++x????+?+++++o$'"), "1,2021-02-28,Oslo,1.5 4,,Oslo,2");
  EXPECT_EQ(kept("t.csv", "city ~ '^O?s?l??o*??$'"), "1,2021-02-28,Oslo,1.5 4,,Oslo,2");
  std::string all_again;
  for (int i = 0; i < 30; ++i) all_again += ")+";
  expect_refusal({"select", "t.csv", "--where", "town ~ 'O'"}, {"no column 'town'"});
  for (const auto& [pattern, words] :
       std::vector<std::pair<std::string, std::string>>{{"(", "a ( is never closed"},
                                                        {"[a", "a [ is never closed"},
                                                        {"a{", "{"},
                                                        {"[z-a]", "range"},
                                                        {"[[:x]", "a [ is never closed"},
                                                        {std::string(30, '(') + "a" + all_again, "it is too large"},
                                                        {"((a?){500}){20}", "it is too large"},
                                                        {"((a{1,200}){1,200}){1,200}", "it is too large"}}) {
    const ran r = run({"select", "t.csv", "--where", "city ~ '" + pattern + "'"});
    EXPECT_EQ(r.status, 1);
    EXPECT_NE(r.err.find(words), std::string::npos) << r.err;
  }
}

TEST_F(selects_text, dates) {
  write("t.csv", trips);
  EXPECT_EQ(kept("t.csv", "day >= 2021-03-01 and id < 4"), "2,2021-03-01,Alta, 3,2021-03-05,\"Å, i Lofoten\",NA");
  EXPECT_EQ(kept("t.csv", "2021-03-05 < day"), "5,2021-03-05T12:30,oslo 12,-");
  EXPECT_EQ(kept("t.csv", "day < 2021-03-01 or day == 2021-03-05T12:30:00Z"),
            "1,2021-02-28,Oslo,1.5 5,2021-03-05T12:30,oslo 12,-");
  EXPECT_EQ(kept("t.csv", "day <= \"2021-03-01\" and day is not missing"), "1,2021-02-28,Oslo,1.5 2,2021-03-01,Alta,");
  for (const auto& [condition, words] :
       std::vector<std::pair<std::string, std::string>>{{"price > 2021-03-01", "cannot be compared with dates"},
                                                        {"day > 3", "holds dates"},
                                                        {"day > 2021-02-30", "does not exist"},
                                                        {"day + 1 > 2021-03-01", "only a column"},
                                                        {"id > 2021-03-01 + 1", "arithmetic with dates"}}) {
    const ran r = run({"select", "t.csv", "--where", condition});
    EXPECT_EQ(r.status, 1);
    EXPECT_NE(r.err.find(words), std::string::npos) << r.err;
  }
}

TEST_F(selects_text, missing_values) {
  write("t.csv", trips);
  EXPECT_EQ(kept("t.csv", "price is missing and id != 3"), "2,2021-03-01,Alta, 5,2021-03-05T12:30,oslo 12,-");
  EXPECT_EQ(kept("t.csv", "price is not missing"), "1,2021-02-28,Oslo,1.5 4,,Oslo,2");
  EXPECT_EQ(kept("t.csv", "price > 0"), "1,2021-02-28,Oslo,1.5 4,,Oslo,2");
  EXPECT_EQ(kept("t.csv", "day is missing"), "4,,Oslo,2");
  write("n.csv", "a,b\n1,\n2,5\n3,6\n4\n");
  EXPECT_EQ(kept("n.csv", "b * 2 > 10"), "3,6");
  EXPECT_EQ(kept("n.csv", "b != 5"), "1, 3,6 4");
  EXPECT_EQ(kept("n.csv", "isnan(b)"), "1, 4");
  EXPECT_EQ(kept("n.csv", "b == 5"), "2,5");
  write_npy<double>("x.npy", {1, std::nan(""), 3});
  const ran r = run({"select", "x.npy", "--where", "x is not missing", "--output-format", "csv"});
  EXPECT_EQ(r.out, "1\n3\n") << r.err;
  EXPECT_EQ(run({"select", "x.npy", "--where", "x is missing or x > 2", "--count"}).out, "2\n");
  EXPECT_EQ(run({"select", "x.npy", "--where", "x > 2021-03-01"}).status, 1);
  EXPECT_EQ(run({"select", "x.npy", "--where", "x ~ 'a'"}).status, 1);
}

TEST_F(selects_text, integers_of_64_bits) {
  write("t.csv", "id,other\n9007199254740993,18446744073709551615\n9007199254740992,3\n");
  EXPECT_EQ(kept("t.csv", "id == 9007199254740993"), "9007199254740993,18446744073709551615");
  EXPECT_EQ(kept("t.csv", "id * id > 81129638414606681695789005144064"), "9007199254740993,18446744073709551615");
  EXPECT_EQ(kept("t.csv", "other > 18446744073709551614"), "9007199254740993,18446744073709551615");
}

}  // namespace
