// vector_add.hpp's contract, on every usable device that has a variant of it.
#include "upsweep/vector_add.hpp"

#include <gtest/gtest.h>

#include "tests/devices.hpp"
#include "upsweep/core/catalog.hpp"

namespace upsweep {
namespace {

using tests::expect_error;

struct VectorAddOn : tests::on_each_device {
  bool has_it() const {
    for (const variant& v : catalog())
      if (v.what == vector_add_room::primitive::vector_add && v.where == where().kind()) return true;
    return false;
  }
};
INSTANTIATE_TEST_SUITE_P(, VectorAddOn, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(VectorAddOn, AddsOrSaysThatItCannot) {
  if (!has_it()) {
    buffer<int> x(where(), 3);
    expect_error(fault::unsupported, {"no variant of vector-add"},
                 [&] { vector_add(where(), x.span(), x.span(), x.span()); });
    return;
  }
  std::vector<float> a(10007), b(10007), want(10007);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i) / 7;
    b[i] = -static_cast<float>(i * i % 1001);
    want[i] = a[i] + b[i];
  }
  buffer<float> x(where(), a), y(where(), b), out(where(), a.size());
  vector_add(where(), x.span(), y.span(), out.span());
  EXPECT_EQ(out.download(), want);
  vector_add(where(), x.span(), y.span(), x.span());
  EXPECT_EQ(x.download(), want);
}

TEST_P(VectorAddOn, SizesMustAgree) {
  buffer<float> x(where(), 10), y(where(), 9);
  expect_error(fault::bad_argument, {"vector_add", "same size"},
               [&] { vector_add(where(), x.span(), y.span(), x.span()); });
}

}  // namespace
}  // namespace upsweep
