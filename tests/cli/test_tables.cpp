// CSV tables: types of columns, headers, row names, line ends, missing values, orders of rows, groups.
#include "command.hpp"

namespace {

class tables : public command_test {
 protected:
  std::string good(const std::vector<std::string>& arguments, std::string_view in = {}) const {
    const ran r = run(arguments, in);
    EXPECT_EQ(r.status, 0) << r.err;
    return r.out;
  }
};

TEST_F(tables, integers_past_2_to_the_53_are_exact) {
  write("t.csv", "id,a\n9007199254740993,1\n9007199254740992,2\n18446744073709551615,3\n");
  EXPECT_EQ(good({"sort", "t.csv", "--by", "id"}),
            "id,a\n9007199254740992,2\n9007199254740993,1\n18446744073709551615,3\n");
  EXPECT_EQ(good({"sort", "t.csv", "--column", "id"}),
            "id\n9007199254740992\n9007199254740993\n18446744073709551615\n");
  EXPECT_EQ(good({"unique", "t.csv", "--column", "id"}),
            "id\n9007199254740993\n9007199254740992\n18446744073709551615\n");
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "id", "--op", "max"}), "18446744073709551615\n");
  EXPECT_EQ(good({"scan", "t.csv", "--column", "id", "--op", "min", "-o", "-"}),
            "id\n9007199254740993\n9007199254740992\n9007199254740992\n");
  good({"sort", "t.csv", "--column", "id", "-o", "y.npy"});
  EXPECT_EQ(read_npy<std::uint64_t>("y.npy"),
            (std::vector<std::uint64_t>{9007199254740992, 9007199254740993, 18446744073709551615u}));
}

TEST_F(tables, longer_integers_and_decimals_are_ordered_by_all_their_digits) {
  const std::string sorted =
      "-100000000000000000000000000002\n-100000000000000000000000000001\n-0.10000000000000000000002\n"
      "-0.10000000000000000000001\n0\n1e-30\n0.10000000000000000000001\n0.10000000000000000000002\n"
      "9007199254740992\n9007199254740993\n";
  std::vector<std::string> lines{"9007199254740993",
                                 "0.10000000000000000000002",
                                 "9007199254740992",
                                 "-100000000000000000000000000001",
                                 "-0.10000000000000000000001",
                                 "0",
                                 "1e-30",
                                 "-100000000000000000000000000002",
                                 "0.10000000000000000000001",
                                 "-0.10000000000000000000002"};
  std::string csv = "x\n";
  for (const std::string& line : lines) csv += line + "\n";
  write("t.csv", csv);
  EXPECT_EQ(good({"sort", "t.csv", "--by", "x"}), "x\n" + sorted);
}

TEST_F(tables, sums_of_integers_are_exact_or_told) {
  write("t.csv", "x\n9223372036854775807\n-9223372036854775807\n5\n");
  EXPECT_EQ(good({"reduce", "t.csv"}), "5\n");
  write("t.csv", "x\n9223372036854775807\n1\n");
  expect_refusal({"reduce", "t.csv"}, {"t.csv", "i64", "--dtype f64"});
  expect_refusal({"scan", "t.csv", "-o", "y.csv"}, {"t.csv", "i64", "--dtype f64"});
  EXPECT_EQ(good({"reduce", "t.csv", "--dtype", "i64"}), "-9223372036854775808\n");
}

TEST_F(tables, verbose_tells_types) {
  write("t.csv", "id,price,day,name,big\n1,2.5,2020-01-31,Oslo,18446744073709551615\n2,NA,,x,1\n");
  const std::vector<std::pair<std::string, std::string>> told{{"id", "integers (i64)"},
                                                              {"price", "decimals (f64), 1 of 2 missing"},
                                                              {"day", "dates, 1 of 2 missing"},
                                                              {"name", "text"},
                                                              {"big", "integers (u64)"}};
  for (const auto& [column, words] : told) {
    const ran r = run({"sort", "t.csv", "--by", column, "--verbose"});
    EXPECT_NE(r.err.find("column '" + column + "' holds " + words + "\n"), std::string::npos) << r.err;
    EXPECT_NE(r.err.find("the first row holds names"), std::string::npos) << r.err;
  }
}

TEST_F(tables, what_is_moved_stays_as_it_stands) {
  write("t.csv", "x\n1.50\n 01\n\"2\"\n+1.5\n1e0\n");
  EXPECT_EQ(good({"sort", "t.csv", "--column", "x"}), "x\n 01\n1e0\n1.50\n+1.5\n\"2\"\n");
  EXPECT_EQ(good({"unique", "t.csv", "--column", "x"}), "x\n1.50\n 01\n\"2\"\n+1.5\n1e0\n");
  write("t.csv", "\xEF\xBB\xBF a ; b\r\n2;x\r\n1;\"y\r\nz\"\r\n");
  EXPECT_EQ(good({"sort", "t.csv", "--by", "a", "--separator", ";"}), "\xEF\xBB\xBF a ; b\r\n1;\"y\r\nz\"\r\n2;x\r\n");
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "a", "--separator", ";"}), "3\n");
}

TEST_F(tables, carriage_returns_end_rows) {
  write("t.csv", "a,b\r1,2\r3,4\r");
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "b"}), "6\n");
  EXPECT_EQ(good({"sort", "t.csv", "--by", "-b"}), "a,b\r3,4\r1,2\r");
  write("t.csv", "a,b\n1,2\r3,4\n5,6\r\n");  // of all kinds
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "a"}), "9\n");
  std::string csv = "a,b\n";
  for (int i = 0; i < 100000; ++i) csv += i % 1000 == 7 ? "1,\"x\ry\"\r" : "1,0\n";
  write("t.csv", csv);
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "a"}), "100000\n");
}

TEST_F(tables, rows_may_begin_with_a_name) {
  write("t.csv", "Weight,Pig\n1,26.5,4601\n2,27.6,4602\n");
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "Pig"}), "9203\n");
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "2"}), "9203\n");
  EXPECT_EQ(good({"sort", "t.csv", "--by", "-Pig"}), "Weight,Pig\n2,27.6,4602\n1,26.5,4601\n");
  write("t.csv", "a,b\n1,2\n3,4,5\n");
  expect_refusal({"reduce", "t.csv", "--column", "b"}, {"row 3", "3 fields", "2 columns"});
}

TEST_F(tables, headers_may_be_numbers) {
  write("t.csv", "city,2000,2001\nOslo,1,20\nRome,3,10\n");
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "3"}), "30\n");
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "2000"}), "4\n");
  EXPECT_EQ(good({"sort", "t.csv", "--by", "3"}), "city,2000,2001\nRome,3,10\nOslo,1,20\n");
  write("t.csv", "2,1\n10,20\n");
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "1"}), "12\n");
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "1", "--header"}), "20\n");
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "1", "--no-header"}), "12\n");
  write("t.csv", "2000,2001\n1,2\n");
  EXPECT_EQ(good({"reduce", "t.csv", "--column", "2001"}), "2\n");
}

TEST_F(tables, missing_values_by_rule) {
  for (const char* word : {"", "NA", "n/a", "NaN", "null", "None", "-", "."}) {
    write("t.csv", std::string("a,x\n1,2\n2,") + word + "\n3,4\n4\n");
    expect_refusal({"reduce", "t.csv", "--column", "x", "--na", "error"}, {"row 3", "column 'x'"});
    EXPECT_EQ(good({"reduce", "t.csv", "--column", "x", "--na", "skip"}), "6\n") << word;
    EXPECT_EQ(good({"reduce", "t.csv", "--column", "x", "--na", "zero", "--op", "min"}), "0\n") << word;
    EXPECT_EQ(good({"reduce", "t.csv", "--column", "x", "--na", "10"}), "26\n") << word;
    EXPECT_EQ(good({"reduce", "t.csv", "--column", "x", "--na", "0.5"}), "7\n") << word;
    EXPECT_EQ(good({"reduce", "t.csv", "--column", "x", "--na", "nan"}), "nan\n") << word;
    EXPECT_EQ(good({"sort", "t.csv", "--by", "-x"}), std::string("a,x\n3,4\n1,2\n2,") + word + "\n4\n");
    EXPECT_EQ(good({"sort", "t.csv", "--by", "x", "--na", "skip"}), "a,x\n1,2\n3,4\n");
    EXPECT_EQ(good({"sort", "t.csv", "--by", "x", "--na", "3"}), std::string("a,x\n1,2\n2,") + word + "\n4\n3,4\n");
  }
  write("t.csv", "x\n1\n\"\"\n");
  expect_refusal({"reduce", "t.csv"}, {"row 3", "column 'x'", "empty", "--na", "skip"});
  expect_refusal({"reduce", "t.csv", "--na", "maybe"}, {"--na 'maybe'", "skip, zero, error"});
}

TEST_F(tables, rows_by_text_dates_and_several_columns) {
  write("t.csv",
        "city,day,price\nb,2020-02-01,1\n\xC3\x84,2019-12-31T23:00:00-02:00,2\nB,2020-01-01,3\nb,2020-01-15,4\n,,5\n");
  const auto prices = [&](const std::vector<std::string>& how) {
    std::vector<std::string> line{"sort", "t.csv", "--by"};
    line.insert(line.end(), how.begin(), how.end());
    std::string last;
    for (const std::string text = good(line); const char c : text)
      if (c >= '1' && c <= '5') last += c;
    std::string order;
    std::istringstream rows(good(line));
    for (std::string row; std::getline(rows, row);)
      if (const char c = row.back(); c >= '1' && c <= '5') order += c;
    return order;
  };
  EXPECT_EQ(prices({"city"}), "31425");
  EXPECT_EQ(prices({"-city"}), "21435");
  EXPECT_EQ(prices({"city,-price"}), "34125");
  EXPECT_EQ(prices({"city", "--descending"}), "21435");
  EXPECT_EQ(prices({"day"}), "32415");
  EXPECT_EQ(prices({"-day"}), "14235");
  EXPECT_EQ(prices({"-1,-3"}), "24135");
  write("t.csv", "name\na10\na9\na010x\nA\n");
  EXPECT_EQ(good({"sort", "t.csv", "--by", "name"}), "name\nA\na010x\na10\na9\n");
  EXPECT_EQ(good({"sort", "t.csv", "--by", "name", "--natural"}), "name\nA\na9\na10\na010x\n");
  EXPECT_EQ(good({"sort", "t.csv", "--column", "name", "--top", "2"}), "name\nA\na010x\n");
  write("t.csv", "a-b,-x,\"a,b\"\n1,2,3\n3,1,2\n");
  EXPECT_EQ(good({"sort", "t.csv", "--by", "-x"}), "a-b,-x,\"a,b\"\n3,1,2\n1,2,3\n");
  EXPECT_EQ(good({"sort", "t.csv", "--by", "-a-b"}), "a-b,-x,\"a,b\"\n3,1,2\n1,2,3\n");
  EXPECT_EQ(good({"sort", "t.csv", "--by", "`a,b`,a-b"}), "a-b,-x,\"a,b\"\n3,1,2\n1,2,3\n");
}

TEST_F(tables, rows_are_sorted_on_disk_as_in_memory) {
  std::string csv = "k,text,i\n";
  std::uint64_t x = 1;
  for (int i = 0; i < 60000; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    csv += std::to_string(x >> 61) + ",long common beginning " + std::to_string(x >> 50 & 255) + "," +
           std::to_string(i) + "\n";
  }
  write("t.csv", csv);
  for (const char* by : {"k,-text", "text,-k", "-text", "k"}) {
    const std::string whole = good({"sort", "t.csv", "--by", by});
    EXPECT_EQ(whole.size(), csv.size());
    EXPECT_TRUE(whole == good({"sort", "-", "--format", "csv", "--by", by, "--memory", "300K"}, csv)) << by;
  }
}

TEST_F(tables, rows_are_sorted_within_the_memory_allowed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer has memory of its own";
#endif
  ASSERT_EQ(shell("awk 'BEGIN { for (i = 0; i < 3000000; ++i) print i * 7919 % 3000017 \",row\" }' > t.csv").status, 0);
  const ran r = shell(
      "/usr/bin/python3 -c 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
      "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "
      "$upsweep sort t.csv --by 1 --memory 20M -o s.csv --device cpu");
  if (r.status != 0 && r.err.find("python3") != std::string::npos) GTEST_SKIP() << "no Python";
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_LT(std::stol(r.out), 60 << 10) << "KiB";
}

TEST_F(tables, groups) {
  write("t.csv", "city,price,n\nRome,1.5,9007199254740993\nOslo,2,1\nRome,2.5,9007199254740993\nOslo,NA,2\n,7,3\n");
  EXPECT_EQ(good({"group", "t.csv", "--by", "city", "--sum", "price,n", "--mean", "price", "--min", "n", "--max",
                  "price", "--count"}),
            "city,price_sum,n_sum,price_mean,n_min,price_max,count\n"
            "Oslo,2,3,2,1,2,2\nRome,4,18014398509481986,2,9007199254740993,2.5,2\n,7,3,7,3,7,1\n");
  EXPECT_EQ(good({"group", "t.csv", "--by", "-city", "--count", "--mean", "price", "--na", "zero", "-o", "-"}),
            "city,count,price_mean\nRome,2,2\nOslo,2,1\n,1,7\n");
  EXPECT_EQ(good({"group", "t.csv", "--by", "city", "--count", "--na", "skip"}), "city,count\nOslo,2\nRome,2\n");
  write("t.csv", "a,b,x\n1,2,9223372036854775807\n1.0,2,9223372036854775807\n1,3,-5\n");
  EXPECT_EQ(good({"group", "t.csv", "--by", "a,-b", "--sum", "x"}), "a,b,x_sum\n1,3,-5\n1,2,18446744073709551614\n");
  write("t.csv", "a,x\n1,18446744073709551615\n1,1\n");
  expect_refusal({"group", "t.csv", "--by", "a", "--sum", "x"}, {"t.csv", "'x'", "64 bits", "--dtype f64"});
  EXPECT_EQ(good({"group", "t.csv", "--by", "a", "--max", "x"}), "a,x_max\n1,18446744073709551615\n");
  expect_refusal({"group", "t.csv", "--by", "a"}, {"--sum"});
  expect_refusal({"group", "t.csv", "--by", "b", "--count"}, {"no column 'b'"});
  expect_refusal({"group", "t.csv", "--by", "a", "--count", "-o", "g.npy"}, {"CSV"});
}

}  // namespace
