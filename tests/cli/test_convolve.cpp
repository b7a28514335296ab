// upsweep convolve: arrays of every type and number of axes compared with a plain loop, borders, and error messages.
#include <cmath>

#include "command.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/core/image_shape.hpp"
#include "upsweep/half.hpp"

namespace {

using upsweep::border;
using upsweep::dtype;
using upsweep::half;

class convolutions : public command_test {
 protected:
  template <class T>
  void write_array(const std::string& name, const std::vector<std::uint64_t>& shape,
                   const std::vector<T>& elements) const {
    write(name, npy_header_text(upsweep::dtype_of<T>, shape) + bytes_of(elements));
  }
  template <class T>
  std::vector<T> read_array(const std::string& name, const std::vector<std::uint64_t>& shape) const {
    const std::string bytes = read(name);
    std::uint64_t at = 0;
    const npy_header h = read_npy_header("output", [&](void* to, std::uint64_t n) {
      n = std::min<std::uint64_t>(n, bytes.size() - at);
      std::memcpy(to, bytes.data() + at, n);
      at += n;
      return n;
    });
    EXPECT_EQ(h.type.builtin(), upsweep::dtype_of<T>);
    EXPECT_EQ(h.shape, shape);
    return from_bytes<T>(std::string_view(bytes).substr(h.bytes));
  }
  void good(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "convolve");
    const ran r = run(arguments);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.out, "");
  }
};

template <class T>
std::vector<T> small_numbers(std::uint64_t n, std::uint64_t seed) {
  std::vector<T> x(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<T>(static_cast<float>(upsweep::mixed(i + seed) % 50));
  return x;
}

// One plane: rows of w elements.
std::vector<double> plain(const std::vector<double>& in, std::int64_t w, std::int64_t h,
                          const std::vector<double>& mask, std::int64_t mw, std::int64_t mh, border edge) {
  std::vector<double> out;
  for (std::int64_t y = 0; y < h; ++y)
    for (std::int64_t x = 0; x < w; ++x) {
      double sum = 0;
      for (std::int64_t j = 0; j < mh; ++j)
        for (std::int64_t i = 0; i < mw; ++i) {
          const auto px = border_index(edge, x - i + mw / 2, w), py = border_index(edge, y - j + mh / 2, h);
          if (px >= 0 && py >= 0)
            sum += mask[static_cast<std::size_t>(j * mw + i)] * in[static_cast<std::size_t>(py * w + px)];
        }
      out.push_back(sum);
    }
  return out;
}

template <class T>
std::vector<double> as_doubles(const std::vector<T>& x) {
  std::vector<double> d;
  for (const T v : x) d.push_back(static_cast<double>(static_cast<float>(v)));
  return d;
}

template <class T>
class convolutions_of : public convolutions {};
using every_type = testing::Types<std::int32_t, float, double, half, std::uint8_t>;
TYPED_TEST_SUITE(convolutions_of, every_type);

// Small integers, so that every type is exact.
TYPED_TEST(convolutions_of, signals_and_matrices) {
  using T = TypeParam;
  const std::vector<double> mask{1, -2, 3, 2, 0, 1, 0, -1, 2, 1, 1, 0};
  for (const border edge : {border::zero, border::clamp, border::reflect, border::mirror, border::wrap}) {
    const auto x = small_numbers<T>(23 * 17, 5);
    this->write_array("x.npy", {17, 23}, x);
    this->write_array("mask.npy", {3, 4}, mask);
    this->good(
        {"x.npy", "--mask", "mask.npy", "--border", std::string(name_of(edge)), "-o", "y.npy", "--device", "cpu"});
    auto wanted = plain(as_doubles(x), 23, 17, mask, 4, 3, edge);
    if (std::is_same_v<T, std::uint8_t>)
      for (double& v : wanted) v = std::clamp(v, 0.0, 255.0);
    EXPECT_EQ(as_doubles(this->template read_array<T>("y.npy", {17, 23})), wanted) << name_of(edge);
    this->write_array("s.npy", {391}, x);
    this->good(
        {"s.npy", "--mask", "1 2 3 4", "--border", std::string(name_of(edge)), "-o", "t.npy", "--device", "cpu"});
    wanted = plain(as_doubles(x), 391, 1, {1, 2, 3, 4}, 4, 1, edge);
    if (std::is_same_v<T, std::uint8_t>)
      for (double& v : wanted) v = std::clamp(v, 0.0, 255.0);
    EXPECT_EQ(as_doubles(this->template read_array<T>("t.npy", {391})), wanted) << name_of(edge);
  }
}

TEST_F(convolutions, correlation_does_not_turn_the_mask) {
  write_npy<double>("x.npy", {0, 0, 1, 0, 0});
  good({"x.npy", "--mask", "1 2 3", "-o", "y.npy"});
  EXPECT_EQ(read_npy<double>("y.npy"), (std::vector<double>{0, 1, 2, 3, 0}));
  good({"x.npy", "--mask", "1 2 3", "-o", "y.npy", "--correlate"});
  EXPECT_EQ(read_npy<double>("y.npy"), (std::vector<double>{0, 3, 2, 1, 0}));
  good({"x.npy", "--mask", "1 2 3", "-o", "y.npy", "--border", "none"});
  EXPECT_EQ(read_npy<double>("y.npy"), (std::vector<double>{1, 2, 3}));
  good({"x.npy", "--mask", "1 2 3 4 5 6", "-o", "y.npy", "--border", "none"});
  EXPECT_EQ(read_npy<double>("y.npy"), std::vector<double>{});
}

TEST_F(convolutions, volumes_and_channels) {
  std::vector<float> x(5 * 4 * 3, 0.0f);
  x[2 * 12 + 1 * 3 + 1] = 1;
  write_array<float>("x.npy", {5, 4, 3}, x);
  const std::vector<float> mask{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
  write_array<float>("m.npy", {3, 3, 3}, mask);
  good({"x.npy", "--mask", "m.npy", "-o", "y.npy"});
  const auto y = read_array<float>("y.npy", {5, 4, 3});
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(y[(k + 1) * 12 + j * 3 + i], mask[k * 9 + j * 3 + i], 1e-4);
  // The last axis as channels: each by itself.
  good({"x.npy", "--mask", "1 2 3", "-o", "z.npy", "--channels-last"});
  const auto z = read_array<float>("z.npy", {5, 4, 3});
  for (std::size_t i = 0; i < 60; ++i)
    EXPECT_EQ(z[i], i == 2 * 12 + 1 ? 1 : i == 2 * 12 + 4 ? 2 : i == 2 * 12 + 7 ? 3 : 0) << i;
  good({"x.npy", "--mask", "1 1 / 1 1", "-o", "v.npy", "--border", "none"});
  read_array<float>("v.npy", {5, 3, 2});
}

TEST_F(convolutions, a_column_of_a_table) {
  write("t.csv", "a,b\n1,0\n2,1\n3,0\n4,0\n");
  const ran r = run({"convolve", "t.csv", "--column", "b", "--mask", "1 2 3", "--explain"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.err.find("products"), std::string::npos) << r.err;
  EXPECT_EQ(r.out, "b\n1\n2\n3\n0\n");
}

TEST_F(convolutions, what_is_refused) {
  write_npy<double>("x.npy", {1, 2, 3});
  write_npy<std::int16_t>("short.npy", {1, 2, 3});
  write_npy<std::int32_t>("int.npy", {1, 2, 3});
  write_npy<double>("none.npy", {});
  write_npy<double>("nan.npy", {1, std::nan(""), 3});
  write_array<double>("four.npy", {1, 1, 1, 1}, {1});
  expect_refusal({"convolve", "x.npy", "--mask", "nan.npy", "-o", "y.npy"}, {"mask", "NaN"});
  expect_refusal({"convolve", "x.npy", "--mask", "none.npy", "-o", "y.npy"}, {"mask", "no elements"});
  expect_refusal({"convolve", "x.npy", "--mask", "four.npy", "-o", "y.npy"}, {"four.npy", "4 axes"});
  expect_refusal({"convolve", "x.npy", "--mask", "nothing.npy", "-o", "y.npy"},
                 {"nothing.npy", "neither a file nor rows"});
  expect_refusal({"convolve", "four.npy", "--mask", "1", "-o", "y.npy"}, {"four.npy", "4 axes"});
  expect_refusal({"convolve", "none.npy", "--mask", "1", "-o", "y.npy"}, {"empty"});
  expect_refusal({"convolve", "short.npy", "--mask", "1", "-o", "y.npy"}, {"i16", "--as i32"});
  expect_refusal({"convolve", "int.npy", "--mask", "0.5", "-o", "y.npy"}, {"--mask", "not integers"});
  expect_refusal({"convolve", "x.npy", "--mask", "1", "--border", "round", "-o", "y.npy"}, {"--border 'round'"});
  expect_refusal({"convolve", "x.npy", "--mask", "1", "--channels-last", "-o", "y.npy"}, {"channels"});
  expect_refusal({"convolve", "x.npy", "-o", "y.npy"}, {"--mask"}, {}, 2);
}

}  // namespace
