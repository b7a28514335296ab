// Types, operators and transforms of the user's own, compiled by nvcc: every usable device.
#include "tests/custom_operators.hpp"

namespace {

using namespace upsweep;

struct CustomNvccOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, CustomNvccOn, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(CustomNvccOn, Folds) {
  if (where().kind() != backend::cpu) return expect_all_custom_folds(where());
  // The .cpp file tests the results on the CPU. This file tests that nvcc compiles the same calls.
  expect_folds<affine>(where(), then{}, upsweep::identity{}, random_affine);
}

TEST_P(CustomNvccOn, BuiltInOnesAreTheLibrarys) {
  const std::vector<float> x(1000, 0.25f);
  EXPECT_EQ(reduce(where(), x), 250.0f);
  EXPECT_FALSE(where().last_algorithm().empty());
}

}  // namespace
