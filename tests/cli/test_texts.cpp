// upsweep lex, cmp and recurrence: output compared with cmp(1) and plain loops, and error messages.
#include <algorithm>
#include <cmath>
#include <random>

#include "command.hpp"

namespace {

using texts = command_test;

TEST_F(texts, tokens_are_counted_and_printed) {
  write("a.json", "{\"k\": [1, -2.5e3, \"x\\n\", true, null]}\n");
  const ran counted = run({"lex", "a.json", "--grammar", "json"});
  EXPECT_EQ(counted.status, 0) << counted.err;
  EXPECT_NE(counted.out.find("           2 string\n"), std::string::npos) << counted.out;
  EXPECT_NE(counted.out.find("           2 number\n"), std::string::npos);
  const ran each = run({"lex", "-", "--grammar", "c", "--tokens"}, "int a = b >>= 3; // no\n");
  EXPECT_EQ(
      each.out,
      "0\tkeyword\tint\n4\tname\ta\n6\toperator\t=\n8\tname\tb\n10\toperator\t>>=\n14\tnumber\t3\n15\tseparator\t;\n");
  write("words.rules", "# words\nword [a-z]+\n-space [ \\n]+\n");
  EXPECT_EQ(run({"lex", "-", "--grammar", "words.rules", "--tokens"}, "so it\n").out, "0\tword\tso\n3\tword\tit\n");
}

TEST_F(texts, fields_are_counted_and_printed) {
  EXPECT_EQ(run({"lex", "-", "--grammar", "csv"}, "a,b\r\n\"1,\"\"2\"\"\n\",3\r\n").out, "4 fields\n2 records\n");
  EXPECT_EQ(run({"lex", "-", "--grammar", "csv", "--tokens"}, "a,b\r\n\"x\ny\",\n").out,
            "1:1\ta\n1:2\tb\n2:1\t\"x\\ny\"\n2:2\t\n");
  EXPECT_EQ(run({"lex", "-", "--grammar", "csv", "--separator", "tab"}, "a,b\tc").out, "2 fields\n1 records\n");
}

TEST_F(texts, what_cannot_be_cut_is_named_with_its_place) {
  expect_refusal({"lex", "-", "--grammar", "json"}, {"line 2", "byte 4"}, "[1,\n 2,x]");
  expect_refusal({"lex", "-", "--grammar", "json", "-o", "out"}, {"ends within a token"}, "[\"abc");
  expect_refusal({"lex", "-", "--grammar", "json"}, {"line 1", "byte 3"}, "\"\xC3(\"");
  expect_refusal({"lex", "-", "--grammar", "csv"}, {"never closed"}, "a,\"b");
  expect_refusal({"lex", "-", "--grammar", "csv"}, {"line 1", "byte 6", "closing quote"}, "a,\"b\"c");
  write("bad.rules", "word [a-z\n");
  expect_refusal({"lex", "-", "--grammar", "bad.rules"}, {"word", "too soon"}, "a");
  expect_refusal({"lex", "-", "--grammar", "none.rules"}, {"none.rules"}, "a");
}

TEST_F(texts, cmp_says_what_cmp_says) {
  std::string a(3'000'000, 'x');
  for (std::size_t i = 99; i < a.size(); i += 100) a[i] = '\n';
  write("a", a);
  for (const std::size_t at : {0u, 99u, 262'143u, 262'144u, 2'999'999u}) {
    std::string b = a;
    b[at] = '\x81';
    write("b", b);
    const ran ours = run({"cmp", "a", "b"}), theirs = shell("cmp a b");
    EXPECT_EQ(ours.out, theirs.out) << at;
    EXPECT_EQ(ours.status, 1);
    EXPECT_EQ(shell("cat b | $upsweep cmp a - | sed 's/standard input/b/'").out, theirs.out) << at;
    EXPECT_EQ(shell("$upsweep cmp -b a b").out, shell("cmp -b a b").out) << at;
  }
  EXPECT_EQ(run({"cmp", "a", "a"}).status, 0);
  write("short", a.substr(0, 2'000'000));
  const ran ended = run({"cmp", "a", "short"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.err.find("short ends after byte 2000000"), std::string::npos) << ended.err;
  write("empty", "");
  EXPECT_EQ(run({"cmp", "empty", "a"}).status, 1);
  EXPECT_EQ(run({"cmp", "empty", "empty"}).status, 0);
  EXPECT_EQ(run({"cmp", "-s", "a", "short"}).err, "");
  for (const char* bad : {"missing", "."}) {
    const ran r = run({"cmp", "a", bad});
    EXPECT_EQ(r.status, 2) << bad;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_NE(r.err.find(bad), std::string::npos) << r.err;
  }
}

TEST_F(texts, recurrences_are_the_loops) {
  std::mt19937 bits(1);
  const std::size_t n = 50'000;
  std::vector<double> x(n), a(n), want(n);
  for (double& v : x) v = double(bits() % 1000) / 64 - 8;
  for (double& v : a) v = double(bits() % 1000) / 512 - 1;
  write_npy("x.npy", x), write_npy("a.npy", a);
  const auto expect = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words{"recurrence", "x.npy", "-o", "y.npy"};
    words.insert(words.end(), options.begin(), options.end());
    const ran r = run(words);
    ASSERT_EQ(r.status, 0) << r.err;
    const auto y = read_npy<double>("y.npy");
    ASSERT_EQ(y.size(), n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(std::abs(y[i] - want[i]) <= 1e-9) << options[0] << " at " << i;
  };
  double s = 2;
  for (std::size_t i = 0; i < n; ++i) want[i] = s = a[i] * s + x[i];
  expect({"--factor", "a.npy", "--start", "2"});
  s = 0;
  for (std::size_t i = 0; i < n; ++i) want[i] = s = -0.5 * s + x[i];
  expect({"--factor", "-0.5"});
  s = 1;
  for (std::size_t i = 0; i < n; ++i) want[i] = s = 0.75 * s + 0.25 * x[i];
  expect({"--average", "0.25", "--start", "1"});
  double one = 0, two = 0;
  for (std::size_t i = 0; i < n; ++i) {
    want[i] = 0.5 * x[i] + one;
    one = 0.25 * x[i] + 0.9 * want[i] + two, two = -0.3 * want[i];
  }
  for (double& v : want) v *= 2;
  expect({"--biquad", "0.5,0.25,0,-0.9,0.3", "--biquad", "2,0,0,0,0"});
  EXPECT_EQ(
      run({"recurrence", "-", "--dtype", "u32", "--format", "csv", "--factor", "3", "-o", "-"}, "4294967295\n1\n").out,
      "4294967295\n4294967294\n");
}

TEST_F(texts, what_recurrences_refuse) {
  write_npy("x.npy", std::vector<float>{1, 2, INFINITY});
  write_npy("two.npy", std::vector<float>{1, 2});
  write_npy("ok.npy", std::vector<float>{1, 2, 3});
  write_npy("four.npy", std::vector<float>{1, 2, 3, 4});
  expect_refusal({"recurrence", "x.npy", "--average", "0.5", "-o", "y.npy"}, {"x.npy", "element 2"});
  expect_refusal({"recurrence", "ok.npy", "-o", "y.npy"}, {"--factor", "--average", "--biquad"});
  expect_refusal({"recurrence", "ok.npy", "--average", "2", "-o", "y.npy"}, {"alpha"});
  expect_refusal({"recurrence", "ok.npy", "--biquad", "1,2,3", "-o", "y.npy"}, {"3 numbers"});
  expect_refusal({"recurrence", "ok.npy", "--biquad", "1,2,3,nan,1", "-o", "y.npy"}, {"'nan'"});
  expect_refusal({"recurrence", "ok.npy", "--factor", "two.npy", "-o", "y.npy"}, {"two.npy", "ends after 2"});
  expect_refusal({"recurrence", "ok.npy", "--factor", "four.npy", "-o", "y.npy"}, {"four.npy", "more factors"});
  expect_refusal({"recurrence", "ok.npy", "--factor", "inf", "-o", "y.npy"}, {"inf"});
}

}  // namespace
