// upsweep rle: runs and back, through every format, over every seam.
#include "command.hpp"
#include "random_elements.hpp"

namespace {

using upsweep::half;

template <class T>
class runs_of : public command_test {};
using every_type = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, half, std::int32_t,
                                  std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(runs_of, every_type);

TYPED_TEST(runs_of, there_and_back) {
  using T = TypeParam;
  std::mt19937 random(8);
  for (std::size_t n : {0, 1, 5000}) {
    auto x = random_elements<T>(n, static_cast<unsigned>(n));
    for (std::size_t i = 0; i < n;) {
      const std::size_t length = random() % 4 == 0 ? random() % 900 : random() % 3;
      for (std::size_t k = 1; k < length && i + k < n; ++k) x[i + k] = x[i];
      i += std::max<std::size_t>(length, 1);
    }
    std::vector<T> values;
    std::vector<std::uint64_t> lengths;
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0 && x[i] == x[i - 1]) {
        ++lengths.back();
      } else {
        values.push_back(x[i]);
        lengths.push_back(1);
      }
    }
    this->write_npy("x.npy", x);
    for (const std::string chunk : {"4194304", "100", "3", "1"}) {
      ASSERT_EQ(
          this->run({"rle", "x.npy", "-o", "v.npy", "--lengths", "l.npy", "--chunk", chunk, "--device", "cpu"}).status,
          0);
      EXPECT_EQ(this->read("v.npy").substr(128), this->bytes_of(values)) << chunk;
      EXPECT_EQ(this->template read_npy<std::uint64_t>("l.npy"), lengths) << chunk;
      const ran back = this->run(
          {"rle", "--decode", "v.npy", "--lengths", "l.npy", "-o", "y.npy", "--chunk", chunk, "--device", "cpu"});
      ASSERT_EQ(back.status, 0) << back.err;
      std::vector<T> wanted;
      for (std::size_t r = 0; r < values.size(); ++r) wanted.insert(wanted.end(), lengths[r], values[r]);
      EXPECT_EQ(this->read("y.npy").substr(128), this->bytes_of(wanted)) << chunk;
    }
    ASSERT_EQ(this->run({"rle", "x.npy", "-o", "r.csv"}).status, 0);
    const std::string type(upsweep::name_of(upsweep::dtype_of<T>));
    ASSERT_EQ(this->run({"rle", "--decode", "r.csv", "--dtype", type, "-o", "z.npy"}).status, 0);
    const auto z = this->template read_npy<T>("z.npy");
    ASSERT_EQ(z.size(), x.size());
    for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(z[i] == x[i] || (!(z[i] == z[i]) && !(x[i] == x[i]))) << i;
  }
}

class runs : public command_test {};

TEST_F(runs, csv_has_two_columns) {
  write("x.csv", "state\n7\n7\n1\n7\n");
  EXPECT_EQ(run({"rle", "x.csv"}).out, "state,length\n7,2\n1,1\n7,1\n");
  EXPECT_EQ(run({"rle", "-", "--dtype", "u8", "--output-format", "csv"}, "aab").out, "value,length\n97,2\n98,1\n");
  EXPECT_EQ(run({"rle", "--decode", "-", "--format", "csv", "-o", "-"}, "state,length\n7,2\n1,0\n7,1\n").out,
            "state\n7\n7\n7\n");
  EXPECT_EQ(run({"rle", "--decode", "-", "--format", "csv", "--dtype", "u8", "-o", "-", "--output-format", "raw"},
                "97,2\n98,1\n")
                .out,
            "aab");
}

TEST_F(runs, lengths_of_any_integer_type) {
  write_npy<float>("v.npy", {1.5f, 2.5f, 3.5f});
  write_npy<std::uint8_t>("l.npy", {2, 0, 3});
  ASSERT_EQ(run({"rle", "--decode", "v.npy", "--lengths", "l.npy", "-o", "y.npy"}).status, 0);
  EXPECT_EQ(read_npy<float>("y.npy"), (std::vector<float>{1.5f, 1.5f, 3.5f, 3.5f, 3.5f}));
  write_npy<std::int64_t>("l.npy", {2, -1, 3});
  expect_refusal({"rle", "--decode", "v.npy", "--lengths", "l.npy", "-o", "z.npy"}, {"length 1", "negative"});
  write_npy<double>("l.npy", {2, 1, 3});
  expect_refusal({"rle", "--decode", "v.npy", "--lengths", "l.npy", "-o", "z.npy"}, {"whole numbers", "f64"});
  write_npy<std::uint64_t>("l.npy", {2, std::uint64_t{1} << 62, std::uint64_t{1} << 62});
  expect_refusal({"rle", "--decode", "v.npy", "--lengths", "l.npy", "-o", "z.npy"}, {"length 1"});
}

TEST_F(runs, refusals) {
  write_npy<float>("v.npy", {1.5f, 2.5f, 3.5f});
  write_npy<std::uint64_t>("l.npy", {2, 1});
  expect_refusal({"rle", "v.npy", "-o", "r.npy"}, {"--lengths"});
  expect_refusal({"rle", "v.npy", "-o", "r.npy", "--lengths", "r.npy"}, {"two files"});
  expect_refusal({"rle", "--decode", "v.npy", "-o", "y.npy"}, {"--lengths"});
  expect_refusal({"rle", "--decode", "v.npy", "--lengths", "l.npy", "-o", "y.npy"}, {"2 lengths", "3 values"});
  expect_refusal({"rle", "--decode", "-", "--dtype", "f32", "--lengths", "l.npy", "-o", "y.npy"},
                 {"more lengths", "1 values"}, bytes_of<float>({1}));
  expect_refusal({"rle", "--decode", "-", "--dtype", "f32", "--lengths", "l.npy", "-o", "y.npy"},
                 {"2 lengths", "more values"}, bytes_of<float>({1, 2, 3}));
  write("r.csv", "v,n\n1,-2\n");
  expect_refusal({"rle", "--decode", "r.csv", "-o", "y.csv"}, {"row 2", "column 'n'", "'-2'"});
  write("r.csv", "v,n\n1\n");
  expect_refusal({"rle", "--decode", "r.csv", "-o", "y.csv"}, {"row 2", "column 'n' is missing"});
}

}  // namespace
