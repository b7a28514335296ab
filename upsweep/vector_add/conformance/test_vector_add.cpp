// vector_add.hpp's contract, on every usable device.
#include "upsweep/vector_add.hpp"

#include <gtest/gtest.h>

#include "tests/devices.hpp"

namespace upsweep {
namespace {

using tests::expect_error;

struct VectorAddOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, VectorAddOn, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class T>
void expect_sums(const context& where, std::size_t n) {
  if (!where.device().supports(dtype_of<T>)) return;
  std::vector<T> a(n), b(n), want(n), out(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = static_cast<T>(i * 0x9e3779b97f4a7c15u >> 31) / static_cast<T>(7);
    b[i] = static_cast<T>(i * i % 1001);
    want[i] = plus{}(a[i], b[i]);
  }
  buffer<T> x(where, a), y(where, b), sums(where, n);
  vector_add(where, x.span(), y, sums.span());
  EXPECT_EQ(sums.download(), want) << n;
  vector_add(where, x, y.span(), x);
  EXPECT_EQ(x.download(), want) << n;
  vector_add(where, a, b, out);
  EXPECT_EQ(out, want) << n;
  vector_add(where, a, b, b);
  EXPECT_EQ(b, want) << n;
}

TEST_P(VectorAddOn, AddsDeviceAndHostMemory) {
  for (const std::size_t n : {0, 1, 255, 257, 10007, 300007}) {
    expect_sums<float>(where(), n);
    expect_sums<std::int32_t>(where(), n);
    expect_sums<std::uint64_t>(where(), n);
    expect_sums<double>(where(), n);
  }
}

TEST_P(VectorAddOn, SizesMustAgreeAndOutputsLieApart) {
  buffer<float> x(where(), 10), y(where(), 9);
  std::vector<int> a(10), b(9);
  expect_error(fault::bad_argument, {"vector_add", "same size"},
               [&] { vector_add(where(), x.span(), y.span(), x.span()); });
  expect_error(fault::bad_argument, {"vector_add", "same size"}, [&] { vector_add(where(), a, a, b); });
  expect_error(fault::bad_argument, {"overlap"},
               [&] { vector_add(where(), std::span(a).first(9), b, std::span(a).last(9)); });
  expect_error(fault::bad_argument, {"the second input", "overlap"},
               [&] { vector_add(where(), y.span(), x.span().subspan(0, 9), x.span().subspan(1, 9)); });
}

}  // namespace
}  // namespace upsweep
