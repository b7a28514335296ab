// Every kind of bad input gets one sentence, a status other than 0, and no output file.
#include <cmath>

#include "command.hpp"

namespace {

class bad_input : public command_test {
 protected:
  static std::string header(const std::string& dictionary, int version = 1) {
    std::string text(npy_magic);
    text += static_cast<char>(version);
    text += '\0';
    text += static_cast<char>(dictionary.size() & 255);
    text += static_cast<char>(dictionary.size() >> 8);
    if (version > 1) text += std::string(2, '\0');
    return text + dictionary;
  }
  static std::string with(const std::string& descr, const std::string& shape, bool fortran = false) {
    return header("{'descr': " + descr + ", 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape +
                  ", }\n");
  }
  void refuse_file(const std::string& bytes, const std::vector<std::string>& words) const {
    write("x.npy", bytes);
    expect_refusal({"reduce", "x.npy"}, words);
    expect_refusal({"scan", "x.npy", "-o", "y.npy"}, words);
    // And the same down a pipe, where the length is not known beforehand.
    if (bytes.starts_with(npy_magic)) expect_refusal({"scan", "-", "-o", "y.npy"}, {}, bytes);
  }
};

TEST_F(bad_input, no_file) {
  expect_refusal({"reduce", "nothing.npy"}, {"nothing.npy", "No such file"});
  expect_refusal({"scan", "nothing.npy", "-o", "y.npy"}, {"nothing.npy", "No such file"});
  expect_refusal({"reduce", "."}, {"directory"});
}

TEST_F(bad_input, no_npy) {
  refuse_file("", {"x.npy", "empty"});
  refuse_file("hello, this is text", {"x.npy", "NUMPY"});
  refuse_file("\x93NUMPX\x01", {"x.npy", "NUMPY"});
  refuse_file("\x93NUM", {"cut off"});
  refuse_file(std::string("\x93NUMPY\x01\x00\x76", 9), {"cut off"});
  refuse_file(header("{}", 4), {"version", "4.0"});
}

TEST_F(bad_input, header_longer_than_the_file) {
  std::string bytes = npy_header_text(upsweep::dtype::f64, 2);
  refuse_file(bytes.substr(0, 60), {"118 bytes", "ends after 50"});
  bytes[9] = '\x7f';
  refuse_file(bytes, {"length of", "ends after"});
  refuse_file(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14), {"length of 4294967295 bytes"});
}

TEST_F(bad_input, malformed_header) {
  for (const char* dictionary :
       {"", "{", "{}", "}", "[]", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': False, 'shape': (1,",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}", "{'descr': '<f8', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1.5,)}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr: '<f8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': <f8, 'fortran_order': False, 'shape': (1,)}"})
    refuse_file(header(dictionary) + std::string(8, '\0'), {"malformed"});
  refuse_file(with("'<f8'", "(18446744073709551615,)"), {"more elements than any file"});
  refuse_file(with("'<f8'", "(4294967296, 4294967296, 2)"), {"more elements than any file"});
  refuse_file(with("'<f8'", "(99999999999999999999999,)"), {"too large"});
}

TEST_F(bad_input, size_that_does_not_match) {
  const std::string eight(8, '\0');
  refuse_file(with("'<f8'", "(2,)") + eight, {"2 elements", "8 bytes follow", "cut off"});
  refuse_file(with("'<f8'", "(1,)") + eight + eight, {"1 elements", "16 bytes follow"});
  refuse_file(with("'<f8'", "(1,)") + eight + "x", {"9 bytes follow"});
  refuse_file(with("'<f8'", "(0, 5)") + eight, {"0 elements"});
  expect_refusal({"reduce", "-"}, {"standard input", "promises 3 elements", "ends after 1"},
                 with("'<f8'", "(3,)") + eight + "half");
  expect_refusal({"reduce", "-"}, {"standard input", "more data follows"}, with("'<f8'", "(1,)") + eight + "x");
}

TEST_F(bad_input, orders_and_types_that_are_not_folded) {
  // Fortran order is read: transposed, or as it is where order does not matter.
  write("x.npy", with("'<f8'", "(2, 2)", true) + std::string(32, '\0'));
  EXPECT_EQ(run({"reduce", "x.npy"}).out, "0\n");
  refuse_file(with("'|O'", "(1,)") + std::string(8, '\0'), {"Python objects"});
  refuse_file(with("[('a', '<f8'), ('b', '<i4')]", "(1,)") + std::string(12, '\0'), {"structured"});
  refuse_file(with("'<c16'", "(1,)") + std::string(16, '\0'), {"complex"});
  refuse_file(with("'<U5'", "(1,)") + std::string(20, '\0'), {"text"});
  refuse_file(with("'<M8[ns]'", "(1,)") + std::string(8, '\0'), {"dates"});
  refuse_file(with("'<f2'", "(1,)") + std::string(2, '\0'), {"f16", "--as f32"});
  refuse_file(with("'<f16'", "(1,)") + std::string(16, '\0'), {"<f16"});
  refuse_file(with("'<f\x01\n'", "(1,)") + std::string(8, '\0'), {"not supported"});
  refuse_file(with("'|b1'", "(1,)") + std::string(1, '\0'), {"bool", "--as"});
  write("x.npy", with("'<f8'", "(2, 2)") + std::string(32, '\0'));
  expect_refusal({"scan", "x.npy", "-o", "y.npy"}, {"2 axes", "ravel"});
  write_npy<double>("d.npy", {1});
  expect_refusal({"reduce", "d.npy", "--as", "i64"}, {"f64", "cannot represent every value"});
  expect_refusal({"reduce", "d.npy", "--as", "f32"}, {"cannot represent every value"});
  expect_refusal({"reduce", "d.npy", "--dtype", "i32"}, {"--dtype gives i32"});
  // One axis is one axis in either order.
  write("f.npy", with("'<i4'", "(1,)", true) + std::string("\x05\0\0\0", 4));
  EXPECT_EQ(run({"reduce", "f.npy"}).out, "5\n");
}

TEST_F(bad_input, csv) {
  write("t.csv", "date,price\nd1,1.5\nd2,n/a\n");
  expect_refusal({"scan", "t.csv", "--column", "price", "-o", "y.csv"}, {"t.csv", "row 3", "column 'price'", "'n/a'"});
  expect_refusal({"scan", "t.csv", "-o", "y.csv"}, {"2 columns", "date, price", "--column"});
  expect_refusal({"scan", "t.csv", "--column", "cost", "-o", "y.csv"}, {"no column 'cost'", "date, price"});
  expect_refusal({"scan", "t.csv", "--column", "3", "-o", "y.csv"}, {"no column '3'"});
  expect_refusal({"scan", "t.csv", "--column", "0", "-o", "y.csv"}, {"no column '0'"});
  write("t.csv", "1,2\n3,\n");
  expect_refusal({"reduce", "t.csv", "--column", "2"}, {"row 2", "column 2", "empty"});
  write("t.csv", "a,b\n1,2\n3\n");
  expect_refusal({"reduce", "t.csv", "--column", "b"}, {"row 3", "1 field", "column 'b' is missing"});
  write("t.csv", "a\n1\n\"2\n");
  expect_refusal({"reduce", "t.csv"}, {"row 3", "quote", "never closed"});
  write("t.csv", "a\n1\n\"2\"3\n");
  expect_refusal({"reduce", "t.csv"}, {"row 3", "after a closing quote"});
  write("t.csv", "a\n1\n3000000000\n");
  expect_refusal({"reduce", "t.csv", "--dtype", "i32"}, {"row 3", "does not fit in i32"});
  write("t.csv", "a\n1\n1.5\n");
  expect_refusal({"reduce", "t.csv", "--dtype", "i32"}, {"row 3", "'1.5'", "i32"});
  write("t.csv", "a\n1e999\n");
  expect_refusal({"reduce", "t.csv"}, {"row 2", "does not fit in f64"});
  write("t.csv", "1\n");
  expect_refusal({"reduce", "t.csv", "--separator", "ab"}, {"--separator"});
}

TEST_F(bad_input, raw) {
  write("x.raw", "12345");
  expect_refusal({"reduce", "x.raw"}, {"--dtype"});
  expect_refusal({"reduce", "x.raw", "--dtype", "f32"}, {"5 bytes", "not a multiple of the 4"});
  expect_refusal({"reduce", "-", "--dtype", "f32"}, {"1 bytes after the last whole element"}, "12345");
  expect_refusal({"reduce", "x.raw", "--dtype", "f128"}, {"f128", "no such type"});
  expect_refusal({"reduce", "-"}, {"its format is unknown"}, "12345");
  expect_refusal({"reduce", "x.raw", "--dtype", "i32", "--column", "a"}, {"--column", "CSV"});
  expect_refusal({"reduce", "x.raw", "--format", "hdf5"}, {"hdf5", "npy, csv, raw"});
}

TEST_F(bad_input, nan_where_the_operator_forbids_it) {
  std::vector<double> x(10000, 1.0);
  x[7777] = std::nan("");
  write_npy("x.npy", x);
  for (const char* op : {"minimum", "maximum"}) {
    expect_refusal({"reduce", "x.npy", "--op", op}, {"element 7777", "NaN", op});
    expect_refusal({"scan", "x.npy", "--op", op, "-o", "y.npy", "--chunk", "1000"}, {"element 7777", "NaN", op});
    expect_refusal({"reduce", "x.npy", "--op", op, "--init", "nan"}, {"--init", "NaN"});
  }
  EXPECT_EQ(run({"reduce", "x.npy"}).status, 0);
  write("x.csv", "a\n1\nnan\n");
  expect_refusal({"reduce", "x.csv", "--op", "max"}, {"element 1", "NaN"});
}

TEST_F(bad_input, variants_and_devices) {
  write_npy<double>("x.npy", {1, 2, 3});
  expect_refusal({"scan", "x.npy", "-o", "y.npy", "--variant", "scan/sequental"},
                 {"scan/sequental", "similar", "scan/sequential"});
  expect_refusal({"check", "scan/sequental"}, {"similar", "scan/sequential"});
  expect_refusal({"list", "scan/sequental"}, {"similar", "scan/sequential"});
  expect_refusal({"reduce", "x.npy", "--variant", "scan/sequential"}, {"not a variant of reduce"});
  expect_refusal({"reduce", "x.npy", "--variant", "reduce/reproducible", "--op", "max"}, {"does not take maximum"});
  expect_refusal({"reduce", "x.npy", "--op", "xor"}, {"bit_xor", "f64"});
  expect_refusal({"reduce", "x.npy", "--op", "affine"}, {"compose_affine", "u64"});
  for (const char* device : {"cuda:99", "opencl:99", "cuda:x", "gpu", "cpu:-1", "cpu:99999", ""}) {
    if (*device) expect_refusal({"scan", "x.npy", "-o", "y.npy", "--device", device}, {});
    if (*device) expect_refusal({"check", "--quick", "--device", device}, {});
  }
}

TEST_F(bad_input, init) {
  write_npy<std::uint32_t>("x.npy", {1});
  expect_refusal({"reduce", "x.npy", "--init", "-1"}, {"--init", "u32"});
  expect_refusal({"reduce", "x.npy", "--init", "5000000000"}, {"does not fit in u32"});
  expect_refusal({"reduce", "x.npy", "--init", "1.5"}, {"--init", "u32"});
  expect_refusal({"reduce", "x.npy", "--init", "one"}, {"--init"});
}

TEST_F(bad_input, usage) {
  write_npy<std::uint32_t>("x.npy", {1});
  expect_refusal({"reduce", "x.npy", "--op", "average"}, {"average", "plus"}, {}, 2);
  expect_refusal({"reduce", "x.npy", "--transform", "cube"}, {"cube", "square"}, {}, 2);
  expect_refusal({"reduce"}, {"FILE", "upsweep reduce --help"}, {}, 2);
  expect_refusal({"scan", "x.npy", "-o", "y.npy", "--inclusive", "--exclusive"}, {"exclusive"}, {}, 2);
  expect_refusal({"average"}, {"average"}, {}, 2);
  expect_refusal({"reduce", "x.npy", "--frobnicate"}, {"frobnicate"}, {}, 2);
}

TEST_F(bad_input, outputs_that_cannot_be) {
  write_npy<std::uint32_t>("x.npy", {1});
  std::filesystem::create_directory(path("there"));
  expect_refusal({"scan", "x.npy", "-o", "there"}, {"there", "directory"});
  expect_refusal({"scan", "x.npy", "-o", "nowhere/y.npy"}, {"nowhere/y.npy", "No such file"});
  expect_refusal({"scan", "x.npy", "-o", "x.npy/y.npy"}, {"Not a directory"});
}

}  // namespace
