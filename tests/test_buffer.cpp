// Buffers and spans.
#include "upsweep/buffer.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/devices.hpp"

namespace upsweep {
namespace {

using tests::expect_error;

struct BufferOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, BufferOn, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(BufferOn, HoldsWhatWasPutIn) {
  std::vector<double> host(1001);
  std::iota(host.begin(), host.end(), -3.0);
  buffer<double> b(where(), host);
  EXPECT_EQ(b.size(), 1001u);
  EXPECT_EQ(b.download(), host);
  host[500] = 17;
  b.upload(host);
  EXPECT_EQ(b.download(), host);
}

TEST_P(BufferOn, Moves) {
  const std::vector<int> one{1, 2, 3}, two{4, 5};
  buffer<int> a(where(), one), b(where(), two);
  buffer<int> c(std::move(a));
  EXPECT_EQ(a.size(), 0u);
  EXPECT_EQ(c.download(), one);
  c = std::move(b);
  EXPECT_EQ(c.download(), two);
}

TEST_P(BufferOn, MayBeEmpty) {
  buffer<int> none(where(), 0);
  EXPECT_EQ(none.size(), 0u);
  EXPECT_TRUE(none.download().empty());
  EXPECT_EQ(none.span().size(), 0u);
}

TEST_P(BufferOn, SizesMustAgree) {
  buffer<int> b(where(), 3);
  std::vector<int> four(4);
  expect_error(fault::bad_argument, {"buffer::upload", "4 elements", "3"}, [&] { b.upload(four); });
  expect_error(fault::bad_argument, {"buffer::download", "4 elements", "3"}, [&] { b.download(std::span<int>(four)); });
}

TEST_P(BufferOn, PartsGoThereAndBack) {
  buffer<int> b(where(), std::vector<int>{1, 2, 3, 4});
  upload(where(), std::vector<int>{7, 8}, b.span().subspan(1, 2));
  std::vector<int> last(2);
  download(where(), b.span().subspan(2, 2), last);
  EXPECT_EQ(last, (std::vector<int>{8, 4}));
  EXPECT_EQ(b.download(), (std::vector<int>{1, 7, 8, 4}));
  upload(where(), {}, b.span().subspan(4, 0));
  expect_error(fault::bad_argument, {"upload", "1 elements", "4"},
               [&] { upload(where(), std::vector<int>{1}, b.span()); });
  expect_error(fault::bad_argument, {"download", "2 elements", "4"}, [&] { download(where(), b.span(), last); });
  EXPECT_GT(where().free_memory(), 0u);
}

TEST_P(BufferOn, SubspansStayInside) {
  std::vector<std::uint16_t> host(100);
  std::iota(host.begin(), host.end(), 0);
  buffer<std::uint16_t> b(where(), host);
  const device_span<std::uint16_t> part = b.span().subspan(90, 10);
  std::vector<std::uint16_t> got(10);
  where().device().download(got.data(), part.where(), 20);
  EXPECT_EQ(got[0], 90);
  EXPECT_EQ(b.span().subspan(100, 0).size(), 0u);
  expect_error(fault::bad_argument, {"device_span::subspan", "91", "101", "of 100"}, [&] { b.span().subspan(91, 10); });
  expect_error(fault::bad_argument, {"device_span::subspan"}, [&] { b.span().subspan(1, ~std::uint64_t{0}); });
}

}  // namespace
}  // namespace upsweep
