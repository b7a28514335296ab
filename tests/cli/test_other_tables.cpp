// Tables that other programs wrote: separators at the ends of rows, headers of R and pandas, numbers in other forms,
// codes with leading zeros, numbers beyond f64, text in other encodings, arrays in Fortran order.
#include <cmath>
#include <numeric>

#include "command.hpp"

namespace {

class other_tables : public command_test {
 protected:
  std::string good(const std::vector<std::string>& arguments, std::string_view in = {}) const {
    const ran r = run(arguments, in);
    EXPECT_EQ(r.status, 0) << r.err;
    return r.out;
  }
  // Nothing is said on standard error.
  std::string quiet(const std::vector<std::string>& arguments, std::string_view in = {}) const {
    const ran r = run(arguments, in);
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.err, "");
    return r.out;
  }
  // It works, and standard error holds all of these words.
  std::string said(const std::vector<std::string>& arguments, const std::vector<std::string>& words) const {
    const ran r = run(arguments);
    EXPECT_EQ(r.status, 0) << r.err;
    for (const std::string& word : words) EXPECT_NE(r.err.find(word), std::string::npos) << word << " in " << r.err;
    return r.out;
  }
};

TEST_F(other_tables, separators_end_rows) {
  for (const char* rows :
       {"1,2,\n3,4,\n", "1,2,\n3,4\n", "1,2,,\n3,4,,\n", "1,2, \n3,4,\n", "1,2,\"\"\n3,4,\n", "1,2,\r\n3,4,\r\n"}) {
    write("t.csv", std::string("a,b\n") + rows);
    EXPECT_EQ(good({"reduce", "t.csv", "--column", "a"}), "4\n") << rows;
    EXPECT_EQ(good({"reduce", "t.csv", "--column", "b"}), "6\n") << rows;
    EXPECT_EQ(good({"reduce", "t.csv", "--column", "2", "--dtype", "i64"}), "6\n") << rows;
    EXPECT_EQ(good({"group", "t.csv", "--by", "a", "--sum", "b"}), "a,b_sum\n1,2\n3,4\n") << rows;
    EXPECT_EQ(good({"scan", "t.csv", "--column", "b", "-o", "-"}), "b\n2\n6\n") << rows;
    EXPECT_EQ(good({"select", "t.csv", "--where", "a > 1", "--count"}), "1\n") << rows;
    EXPECT_EQ(good({"unique", "t.csv", "--column", "a"}), "a\n1\n3\n") << rows;
  }
  write("t.csv", "a,b,\n1,2,\n3,4,\n");
  EXPECT_EQ(good({"sort", "t.csv", "--by", "-b"}), "a,b,\n3,4,\n1,2,\n");
  write("t.csv", "a\n1,\n2,\n");
  EXPECT_EQ(good({"reduce", "t.csv"}), "3\n");
  // A row's name in front stays one.
  write("t.csv", "Weight,Pig\n1,26.5,4601\n2,27.6,4602\n");
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "Pig"}), "9203\n");
  write("t.csv", "a,b\n1,2,\n3,4,5\n");
  expect_refusal({"reduce", "t.csv", "--column", "b"}, {"row 3", "3 fields", "2 columns"});
  std::string csv = "a,b\n";
  for (int i = 0; i < 50000; ++i) csv += "1,2,\n";
  write("t.csv", csv);
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "b"}), "100000\n");
}

TEST_F(other_tables, headers_of_r_and_pandas) {
  const std::string r = "\"\",\"1940\",\"1945\"\n\"Food\",22,44\n\"Home\",10,20\n";
  write("t.csv", r);
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "2"}), "32\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "1945"}), "64\n");
  EXPECT_EQ(quiet({"sort", "t.csv", "--by", "2"}), "\"\",\"1940\",\"1945\"\n\"Home\",10,20\n\"Food\",22,44\n");
  EXPECT_EQ(quiet({"unique", "t.csv", "--column", "3"}), "1945\n44\n20\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--where", "`1940` > 15"}), "\"\",\"1940\",\"1945\"\n\"Food\",22,44\n");
  EXPECT_EQ(quiet({"group", "t.csv", "--by", "1", "--max", "3"}), "column 1,1945_max\n\"Food\",44\n\"Home\",20\n");
  write("t.csv", "\"1940\",\"1945\"\n\"Food\",22,44\n");  // write.table
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "2"}), "44\n");
  write("t.csv", "1940,1945\nFood,22,44\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "2"}), "44\n");
  write("t.csv", ",0.1,0.5\nFood,22,44\n");  // pandas
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "2"}), "22\n");
  write("t.csv", ",0,1\n0,1.5,2.5\n1,3,4\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "3"}), "6.5\n");
  write("t.csv", "\"1\",\"2\"\n\"3\",\"4\"\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "2"}), "6\n");
  write("t.csv", "\"2000\",\"2001\"\n3,4\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "2"}), "4\n");
}

TEST_F(other_tables, rows_without_a_header_are_all_data) {
  write("t.csv", "foo,\"-113.65\",bar\nbaz,\"-100\",qux\n");
  EXPECT_EQ(said({"reduce", "t.csv", "--column", "2"}, {"first row", "data", "--header"}), "-213.65\n");
  EXPECT_EQ(good({"sort", "t.csv", "--by", "3"}), "foo,\"-113.65\",bar\nbaz,\"-100\",qux\n");
  EXPECT_EQ(good({"group", "t.csv", "--by", "1", "--sum", "2"}), "column 1,column 2_sum\nbaz,-100\nfoo,-113.65\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "2", "--no-header"}), "-213.65\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "2", "--header"}), "-100\n");
  write("t.csv", "foo,\"-113.65\",bar\n");
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "2"}), "-113.65\n");
  write("t.csv", "Oslo,2020-01-01,7\nRome,2020-01-02,8\n");
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "3"}), "15\n");
  write("t.csv", "city,2000,2001\nOslo,1,20\n");
  EXPECT_EQ(said({"reduce", "t.csv", "--column", "3"}, {"first row", "names", "--no-header"}), "20\n");
  write("t.csv", "city,price\nOslo,1\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "2"}), "1\n");
}

TEST_F(other_tables, names_that_stand_twice) {
  write("t.csv", "a,a,b\n1,10,5\n2,20,6\n");
  const std::vector<std::string> words{"t.csv", "2 columns", "'a'", "column 1"};
  EXPECT_EQ(said({"reduce", "t.csv", "--column", "a"}, words), "3\n");
  EXPECT_EQ(said({"sort", "t.csv", "--by", "-a"}, words), "a,a,b\n2,20,6\n1,10,5\n");
  EXPECT_EQ(said({"group", "t.csv", "--by", "a", "--count"}, words), "a,count\n1,1\n2,1\n");
  EXPECT_EQ(said({"select", "t.csv", "--where", "a > 1", "--count"}, words), "1\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "2"}), "30\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "b"}), "11\n");
}

TEST_F(other_tables, codes_keep_their_zeros) {
  write("t.csv", "zip,n\n01234,1\n1234,2\n01234,4\n9,8\n");
  EXPECT_EQ(said({"group", "t.csv", "--by", "zip", "--sum", "n"}, {"'zip'", "row 2", "'01234'", "--number zip"}),
            "zip,n_sum\n01234,5\n1234,2\n9,8\n");
  EXPECT_EQ(quiet({"group", "t.csv", "--by", "zip", "--sum", "n", "--text", "zip"}),
            "zip,n_sum\n01234,5\n1234,2\n9,8\n");
  EXPECT_EQ(quiet({"group", "t.csv", "--by", "zip", "--sum", "n", "--number", "zip"}), "zip,n_sum\n9,8\n01234,7\n");
  EXPECT_EQ(good({"sort", "t.csv", "--by", "zip"}), "zip,n\n01234,1\n01234,4\n1234,2\n9,8\n");
  EXPECT_EQ(quiet({"sort", "t.csv", "--by", "zip", "--number", "zip"}), "zip,n\n9,8\n01234,1\n1234,2\n01234,4\n");
  EXPECT_EQ(good({"unique", "t.csv", "--column", "zip"}), "zip\n01234\n1234\n01234\n9\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--where", "zip == '01234'"}), "zip,n\n01234,1\n01234,4\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "zip"}), "3711\n");
  expect_refusal({"reduce", "t.csv", "--column", "zip", "--text", "zip"}, {"--text"});
  const ran compared = run({"select", "t.csv", "--where", "zip > 5", "--text", "zip"});
  EXPECT_EQ(compared.status, 1);
  EXPECT_NE(compared.err.find("column 'zip' is declared as text by --text"), std::string::npos) << compared.err;
  expect_refusal({"group", "t.csv", "--by", "n", "--sum", "zip", "--text", "zip"}, {"--text", "'zip'"});
  expect_refusal({"sort", "t.csv", "--by", "zip", "--text", "zap"}, {"no column 'zap'"});
  expect_refusal({"sort", "t.csv", "--by", "zip", "--text", "zip", "--number", "n,zip"}, {"--number", "'zip'"});
  // Of one length each: text has the order of numbers.
  write("t.csv", "zip\n02000\n01234\n");
  EXPECT_EQ(quiet({"sort", "t.csv", "--by", "zip"}), "zip\n01234\n02000\n");
  // So do hashes that look like zeros.
  write("t.csv", "h\n0e1234\n0e5678\n01e4567\n");
  EXPECT_EQ(good({"group", "t.csv", "--by", "h", "--count"}), "h,count\n01e4567,1\n0e1234,1\n0e5678,1\n");
  // A sign or a decimal point identifies numbers.
  write("t.csv", "x\n0e+00\n1e+01\n9e+00\n");
  EXPECT_EQ(quiet({"sort", "t.csv", "--by", "x"}), "x\n0e+00\n9e+00\n1e+01\n");
  write("t.csv", "x\n01.5\n10.25\n9\n");
  EXPECT_EQ(quiet({"sort", "t.csv", "--by", "x"}), "x\n01.5\n9\n10.25\n");
}

TEST_F(other_tables, numbers_beyond_f64_are_ordered_and_grouped) {
  const std::string big(310, '7'), bigger = std::string(309, '7') + '8';
  write("t.csv",
        "x,n\n1e400,1\n" + bigger + ",2\n2e399,3\n" + big + ",4\n-1e400,5\n1e-400,6\n0,7\n2e-400,8\ninf,9\n-inf,10\n");
  const std::string sorted =
      "-inf,10\n-1e400,5\n0,7\n1e-400,6\n2e-400,8\n" + big + ",4\n" + bigger + ",2\n2e399,3\n1e400,1\ninf,9\n";
  EXPECT_EQ(quiet({"sort", "t.csv", "--by", "x"}), "x,n\n" + sorted);
  EXPECT_EQ(quiet({"sort", "t.csv", "--column", "x", "--top", "3"}), "x\n-inf\n-1e400\n0\n");
  EXPECT_EQ(quiet({"sort", "t.csv", "--by", "-x", "--top", "2"}), "x,n\ninf,9\n1e400,1\n");
  write("h.csv", "commit\n12e4567\n12e4567\n120e4566\n12e4568\n1e99999999999999999999\n1e99999999999999999998\n");
  EXPECT_EQ(quiet({"group", "h.csv", "--by", "commit", "--count"}),
            "commit,count\n12e4567,3\n12e4568,1\n1e99999999999999999998,1\n1e99999999999999999999,1\n");
  EXPECT_EQ(quiet({"unique", "h.csv", "--column", "commit", "--count"}), "4\n");
  EXPECT_EQ(quiet({"select", "h.csv", "--where", "commit > 12e4567", "--count"}), "3\n");
  EXPECT_EQ(quiet({"group", "h.csv", "--by", "commit", "--count", "--text", "commit"}),
            "commit,count\n120e4566,1\n12e4567,2\n12e4568,1\n1e99999999999999999998,1\n1e99999999999999999999,1\n");
}

TEST_F(other_tables, nan_has_no_sign) {
  write("t.csv", "k,x\na,inf\na,-inf\nb,1\n");
  EXPECT_EQ(quiet({"group", "t.csv", "--by", "k", "--sum", "x", "--mean", "x", "--max", "x"}),
            "k,x_sum,x_mean,x_max\na,nan,nan,inf\nb,1,1,1\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "x"}), "nan\n");
  EXPECT_EQ(quiet({"scan", "t.csv", "--column", "x", "-o", "-"}), "x\ninf\nnan\nnan\n");
}

TEST_F(other_tables, text_among_numbers_is_told) {
  write("t.csv", "x\n900\n\"13,000\"\n10\n");
  EXPECT_EQ(
      said({"sort", "t.csv", "--by", "x"}, {"'x'", "row 3", "'13,000'", "--thousands ,", "--decimal ,", "--number x"}),
      "x\n10\n\"13,000\"\n900\n");
  EXPECT_EQ(quiet({"sort", "t.csv", "--by", "x", "--thousands", ","}), "x\n10\n900\n\"13,000\"\n");
  EXPECT_EQ(quiet({"sort", "t.csv", "--by", "x", "--decimal", ","}), "x\n10\n\"13,000\"\n900\n");
  EXPECT_EQ(quiet({"sort", "t.csv", "--by", "x", "--text", "x"}), "x\n10\n\"13,000\"\n900\n");
  expect_refusal({"sort", "t.csv", "--by", "x", "--number", "x"}, {"row 3", "'x'", "'13,000'", "--thousands ,"});
  said({"unique", "t.csv", "--column", "x"}, {"row 3", "'13,000'"});
  said({"group", "t.csv", "--by", "x", "--count"}, {"row 3", "'13,000'"});
  EXPECT_EQ(quiet({"reduce", "t.csv", "--thousands", ","}), "13910\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--decimal", ","}), "923\n");
  EXPECT_EQ(quiet({"scan", "t.csv", "--thousands", ",", "-o", "-"}), "x\n900\n13900\n13910\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--where", "x > 500", "--thousands", ","}), "x\n900\n\"13,000\"\n");
  EXPECT_EQ(quiet({"group", "t.csv", "--by", "1", "--max", "1", "--thousands", ",", "--na", "skip"}).substr(0, 8),
            "x,x_max\n");
  expect_refusal({"reduce", "t.csv"}, {"row 3", "'13,000'", "--thousands ,"});
  expect_refusal({"reduce", "t.csv", "--thousands", "."}, {"--thousands '.'", "--decimal"});
  expect_refusal({"reduce", "t.csv", "--thousands", "5"}, {"--thousands '5'"});
  // One misprint among ten numbers, and among ten dates.
  std::string csv = "x,day\n";
  for (int i = 0; i < 9; ++i) csv += std::to_string(10 - i) + ",2020-01-" + std::to_string(10 + i) + "\n";
  write("t.csv", csv + "1O,2020-13-01\n");
  expect_refusal({"sort", "t.csv", "--by", "x"}, {"row 11", "'x'", "'1O'", "--text"});
  said({"group", "t.csv", "--by", "x", "--count"}, {"row 11", "'x'", "'1O'", "--number x", "--text x"});
  said({"unique", "t.csv", "--column", "x"}, {"row 11", "'x'", "'1O'", "9 of 10"});
  said({"sort", "t.csv", "--by", "day"}, {"row 11", "'day'", "'2020-13-01'", "date"});
  // Mostly text: nothing is guessed.
  write("t.csv", "name\nOslo\n12\nRome\n");
  EXPECT_EQ(quiet({"sort", "t.csv", "--by", "name"}), "name\n12\nOslo\nRome\n");
}

TEST_F(other_tables, numbers_in_other_forms) {
  write("t.csv", "x;y\n1.234.567,5;a\n-2.000;b\n3,25;c\n+7;d\n1e3;e\n");
  const std::vector<std::string> form{"--separator", ";", "--thousands", ".", "--decimal", ","};
  const auto with = [&](std::vector<std::string> line) {
    line.insert(line.end(), form.begin(), form.end());
    return line;
  };
  EXPECT_EQ(quiet(with({"reduce", "t.csv", "--column", "x"})), "1233577.75\n");
  EXPECT_EQ(quiet(with({"sort", "t.csv", "--by", "x", "--top", "2"})), "x;y\n-2.000;b\n3,25;c\n");
  EXPECT_EQ(quiet(with({"select", "t.csv", "--where", "x < 3.5"})), "x;y\n-2.000;b\n3,25;c\n");
  EXPECT_EQ(quiet(with({"group", "t.csv", "--by", "y", "--max", "x", "--na", "skip"})),
            "y;x_max\na;1234567.5\nb;-2000\nc;3.25\nd;7\ne;1000\n");
  write("t.csv", "x\n1 234\n12 34\n");
  expect_refusal({"reduce", "t.csv", "--thousands", " "}, {"row 3", "'12 34'"});
  write("t.csv", "x\n\"12,34,567\"\n\"1,000\"\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--thousands", ","}), "1235567\n");
  write("t.csv", "x\n1.5\n2\n");
  expect_refusal({"reduce", "t.csv", "--decimal", ","}, {"row 2", "'1.5'"});
  write("t.csv",
        "x\n1\xE2\x80\xAF"
        "234\n");  // a narrow no-break space
  EXPECT_EQ(quiet({"reduce", "t.csv", "--thousands", "\xE2\x80\xAF"}), "1234\n");
  write_npy<double>("x.npy", {1});
  expect_refusal({"reduce", "x.npy", "--thousands", ","}, {"--thousands", "CSV"});
  expect_refusal({"reduce", "x.npy", "--no-quotes"}, {"--no-quotes", "CSV"});
}

TEST_F(other_tables, extremes_and_conditions_are_exact) {
  write("t.csv", "id,k\n9007199254740993,a\n9007199254740992,a\n1.5,b\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--where", "id == 9007199254740993"}), "id,k\n9007199254740993,a\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--where", "id != 9007199254740993 and id > 2"}), "id,k\n9007199254740992,a\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--where", "id - 1 == 9007199254740992"}), "id,k\n9007199254740993,a\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--where", "id % 2 == 1"}), "id,k\n9007199254740993,a\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--column", "id", "--where", "x >= 9007199254740993"}), "id\n9007199254740993\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--column", "id", "--where", "x == 9007199254740993", "--count"}), "1\n");
  quiet({"select", "t.csv", "--column", "id", "--where", "x == 9007199254740993", "--indices", "-o", "i.npy"});
  EXPECT_EQ(read_npy<std::int64_t>("i.npy"), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "id", "--op", "max"}), "9007199254740993\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "id", "--op", "min"}), "1.5\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "id", "--op", "max", "--init", "1e16"}), "1e+16\n");
  EXPECT_NE(quiet({"reduce", "t.csv", "--column", "id", "--op", "max", "--json"}).find("\"value\": 9007199254740993"),
            std::string::npos);
  EXPECT_EQ(quiet({"group", "t.csv", "--by", "k", "--max", "id", "--min", "id"}),
            "k,id_max,id_min\na,9007199254740993,9007199254740992\nb,1.5,1.5\n");
  EXPECT_EQ(quiet({"scan", "t.csv", "--column", "id", "--op", "min", "-o", "-"}),
            "id\n9007199254740993\n9007199254740992\n1.5\n");
  EXPECT_EQ(quiet({"scan", "t.csv", "--column", "id", "--op", "max", "--exclusive", "-o", "-"}),
            "id\n-inf\n9007199254740993\n9007199254740993\n");
  said({"reduce", "t.csv", "--column", "id"}, {"'id'", "f64 rounds"});
  // Past 64 bits, and across columns.
  write("t.csv",
        "a,b\n123456789012345678901,123456789012345678902\n5,5\n0.30000000000000000001,0.3\n-1e400,-2e400\n,1\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--where", "a == 123456789012345678901", "--count"}), "1\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--where", "a == 123456789012345678900", "--count"}), "0\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--where", "a == b"}), "a,b\n5,5\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--where", "a < b"}), "a,b\n123456789012345678901,123456789012345678902\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--where", "a > 0.3 and a < 0.4"}), "a,b\n0.30000000000000000001,0.3\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--where", "a is missing or a < -0.99e400"}), "a,b\n-1e400,-2e400\n,1\n");
  EXPECT_EQ(quiet({"select", "t.csv", "--where", "isinf(b)", "--count"}), "0\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "b", "--op", "max"}), "123456789012345678902\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "b", "--op", "min"}), "-2e400\n");
  EXPECT_EQ(quiet({"reduce", "t.csv", "--column", "a", "--op", "max", "--na", "skip"}), "123456789012345678901\n");
  expect_refusal({"reduce", "t.csv", "--column", "a", "--op", "max"}, {"row 6", "'a'", "empty"});
  EXPECT_EQ(quiet({"group", "t.csv", "--by", "b", "--max", "a", "--na", "0"}).substr(0, 9), "b,a_max\n-");
}

TEST_F(other_tables, quotes_that_are_none) {
  const std::string table = "name\tn\n5\" disk\t1\n\"Weird Al\t2\n3\" \"x\t4\n";
  write("t.tsv", table);
  EXPECT_EQ(quiet({"reduce", "t.tsv", "--column", "n", "--no-quotes"}), "7\n");
  EXPECT_EQ(quiet({"sort", "t.tsv", "--by", "name", "--no-quotes"}),
            "name\tn\n\"Weird Al\t2\n3\" \"x\t4\n5\" disk\t1\n");
  EXPECT_EQ(quiet({"select", "t.tsv", "--where", "n >= 2", "--no-quotes"}), "name\tn\n\"Weird Al\t2\n3\" \"x\t4\n");
  EXPECT_EQ(quiet({"group", "t.tsv", "--by", "name", "--sum", "n", "--no-quotes"}),
            "name\tn_sum\n\"Weird Al\t2\n3\" \"x\t4\n5\" disk\t1\n");
  EXPECT_EQ(quiet({"unique", "t.tsv", "--column", "name", "--no-quotes"}), "name\n5\" disk\n\"Weird Al\n3\" \"x\n");
  expect_refusal({"reduce", "t.tsv", "--column", "n"}, {"quote", "--no-quotes"});
  std::string csv = "a\tn\n";
  for (int i = 0; i < 20000; ++i) csv += i % 3 ? "\"x\t1\n" : "y\"\t1\r\n";
  write("t.tsv", csv);
  EXPECT_EQ(quiet({"reduce", "t.tsv", "--column", "n", "--no-quotes"}), "20000\n");
}

TEST_F(other_tables, wide_encodings_are_named) {
  const auto wide = [](std::string_view text, std::size_t bytes, bool big) {
    std::string all;
    for (const char c : text) {
      std::string one(bytes, '\0');
      one[big ? bytes - 1 : 0] = c;
      all += one;
    }
    return all;
  };
  const std::string text = "a,b\n1,2\n3,4\n";
  const std::vector<std::pair<std::string, std::string>> files{
      {"\xFF\xFE" + wide(text, 2, false), "UTF-16"},
      {"\xFE\xFF" + wide(text, 2, true), "UTF-16"},
      {wide(text, 2, false), "UTF-16LE"},
      {wide(text, 2, true), "UTF-16BE"},
      {std::string("\xFF\xFE\0\0", 4) + wide(text, 4, false), "UTF-32"},
  };
  for (const auto& [bytes, encoding] : files) {
    write("t.csv", bytes);
    for (const std::vector<std::string>& line : {std::vector<std::string>{"reduce", "t.csv", "--column", "b"},
                                                 {"sort", "t.csv", "--by", "b"},
                                                 {"group", "t.csv", "--by", "a", "--count"},
                                                 {"select", "t.csv", "--where", "a > 1"},
                                                 {"unique", "t.csv", "--column", "a"},
                                                 {"histogram", "t.csv", "--column", "a"}})
      expect_refusal(line, {"t.csv", encoding + " text", "iconv -f " + encoding + " -t UTF-8 t.csv"});
  }
  expect_refusal({"reduce", "-", "--format", "csv", "--column", "b"}, {"iconv -f UTF-16 -t UTF-8"}, files[0].first);
}

// NumPy's array of this shape in Fortran order, its elements counted from 0 in C order.
template <class T>
std::string fortran(const std::vector<std::uint64_t>& shape) {
  const std::uint64_t n = std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
  std::string header = npy_header_text(upsweep::dtype_of<T>, shape);
  header.replace(header.find("False"), 5, "True,").replace(header.find("True,,"), 6, "True, ");
  std::vector<T> stored(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    std::uint64_t left = i, at = 0, step = n;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      step /= shape[axis];
      at += left % shape[axis] * step;
      left /= shape[axis];
    }
    stored[at] = static_cast<T>(i);
  }
  return header + std::string(reinterpret_cast<const char*>(stored.data()), n * sizeof(T));
}

TEST_F(other_tables, arrays_in_fortran_order) {
  write("f.npy", fortran<std::int32_t>({2, 3}));
  EXPECT_EQ(quiet({"reduce", "f.npy"}), "15\n");
  EXPECT_EQ(quiet({"reduce", "f.npy", "--op", "max"}), "5\n");
  EXPECT_EQ(quiet({"select", "f.npy", "--where", "x >= 1", "--output-format", "csv"}), "1\n2\n3\n4\n5\n");
  EXPECT_EQ(quiet({"select", "f.npy", "--where", "x == 3", "--indices", "--output-format", "csv"}), "3\n");
  EXPECT_EQ(quiet({"unique", "f.npy", "--output-format", "csv"}), "0\n1\n2\n3\n4\n5\n");
  EXPECT_EQ(quiet({"histogram", "f.npy", "--edges", "0,2,6", "--output-format", "csv"}),
            "lower,upper,count\n0,2,2\n2,6,4\n");
  EXPECT_EQ(quiet({"range-count", "f.npy", "1,4"}), "3\n");
  EXPECT_EQ(quiet({"reduce", "-"}, read("f.npy")), "15\n");
  const std::vector<std::vector<std::uint64_t>> shapes{{7, 5, 3}, {1, 4, 1, 3}, {0, 3}, {513, 300}};
  for (const auto& shape : shapes) {
    write("f.npy", fortran<std::uint16_t>(shape));
    const std::uint64_t n = std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
    std::vector<std::uint16_t> counted(n);
    for (std::uint64_t i = 0; i < n; ++i) counted[i] = static_cast<std::uint16_t>(i);
    quiet({"select", "f.npy", "--where", "x >= 0", "-o", "y.npy"});
    EXPECT_EQ(read_npy<std::uint16_t>("y.npy"), counted);
  }
  write("f.npy", fortran<double>({40, 50}));
  EXPECT_EQ(quiet({"reduce", "f.npy"}), "1999000\n");
  write("f.npy", fortran<double>({40, 50}).substr(0, 1000));
  expect_refusal({"reduce", "f.npy"}, {"f.npy", "2000 elements"});
}

}  // namespace
