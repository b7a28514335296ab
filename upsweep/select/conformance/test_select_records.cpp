// What only moves elements, of structs, on every device and from a file that nvcc does not compile.
#include <cstring>

#include "tests/jit_operators.hpp"

namespace {

using namespace upsweep;

struct MovesOfStructs : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, MovesOfStructs, testing::ValuesIn(tests::device_names()), tests::device_label);

struct three_bytes {
  std::uint8_t x[3];
};
bool same_bits(const three_bytes& a, const three_bytes& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
struct twelve_bytes {
  std::uint32_t x[3];
};
bool same_bits(const twelve_bytes& a, const twelve_bytes& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
struct apart {  // eight bytes that are aligned as four
  std::uint32_t x[2];
};
bool same_bits(const apart& a, const apart& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

template <class T>
std::vector<T> any_bytes(std::size_t n, unsigned seed) {
  std::mt19937 g(seed);
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n * sizeof(T); ++i)
    reinterpret_cast<unsigned char*>(x.data())[i] = static_cast<unsigned char>(g());
  return x;
}

template <class T, class I>
void expect_moves(const context& where, std::size_t n) {
  SCOPED_TRACE("n = " + std::to_string(n) + ", " + std::to_string(sizeof(T)) + " bytes");
  std::mt19937 g(static_cast<unsigned>(n));
  const auto x = any_bytes<T>(n, 1), before = any_bytes<T>(n, 2);
  std::vector<I> places(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = static_cast<I>(i);
  std::shuffle(places.begin(), places.end(), g);
  std::vector<std::uint8_t> flags(n);
  for (auto& f : flags) f = g() % 3 == 0 ? static_cast<std::uint8_t>(1 + g() % 255) : std::uint8_t{0};
  const buffer<T> in(where, x);
  const buffer<I> index(where, places);
  const buffer<std::uint8_t> by(where, flags);
  auto gathered = before, some_gathered = before, scattered = before, some_scattered = before;
  for (std::size_t i = 0; i < n; ++i) {
    gathered[i] = x[places[i]], scattered[places[i]] = x[i];
    if (flags[i]) some_gathered[i] = x[places[i]], some_scattered[places[i]] = x[i];
  }
  buffer<T> out(where, before);
  gather(where, in, index, out);
  expect_same(out.download(), gathered, "gather");
  out.upload(before);
  gather_if(where, in, index, by, out);
  expect_same(out.download(), some_gathered, "gather_if");
  out.upload(before);
  scatter(where, in, index, out);
  expect_same(out.download(), scattered, "scatter");
  out.upload(before);
  scatter_if(where, in, index, by, out);
  expect_same(out.download(), some_scattered, "scatter_if");

  std::vector<std::uint64_t> lengths(n);
  std::vector<T> repeated;
  for (std::size_t i = 0; i < n; ++i) {
    lengths[i] = g() % 50 == 0 ? 300 : g() % 4;
    repeated.insert(repeated.end(), lengths[i], x[i]);
  }
  buffer<T> decoded(where, any_bytes<T>(repeated.size(), 3));
  run_length_decode(where, in, buffer<std::uint64_t>(where, lengths), decoded);
  expect_same(decoded.download(), repeated, "run_length_decode");
}

TEST_P(MovesOfStructs, AreByteForByteTheLoops) {
  for (const std::size_t n : sizes) {
    expect_moves<twelve_bytes, std::uint32_t>(where(), n);
    expect_moves<square_matrix, std::uint64_t>(where(), n);
    expect_moves<three_bytes, std::uint64_t>(where(), n);
    expect_moves<apart, std::uint32_t>(where(), n);
  }
}

// Elements that begin anywhere in a buffer.
TEST_P(MovesOfStructs, OfParts) {
  const auto x = any_bytes<three_bytes>(1001, 1);
  const buffer<three_bytes> in(where(), x);
  buffer<three_bytes> out(where(), 1001);
  std::vector<std::uint32_t> back(1000);
  for (std::uint32_t i = 0; i < 1000; ++i) back[i] = 999 - i;
  const buffer<std::uint32_t> index(where(), back);
  scatter(where(), in.span().subspan(1, 1000), index, out.span().subspan(1, 1000));
  const auto got = out.download();
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_TRUE(same_bits(got[1000 - i], x[1 + i])) << i;
}

}  // namespace
