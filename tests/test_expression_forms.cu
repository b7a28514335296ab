// Expressions in every call that takes them, in a file that nvcc compiles.
#include "tests/devices.hpp"
#include "tests/expression_cases.hpp"

namespace {

using namespace upsweep;

struct ExpressionFormsByNvccOn : tests::on_each_device {
  tests::expression_cases cases() const { return tests::expression_cases(where()); }
};
INSTANTIATE_TEST_SUITE_P(, ExpressionFormsByNvccOn, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(ExpressionFormsByNvccOn, Maps) { cases().maps(); }
TEST_P(ExpressionFormsByNvccOn, Folds) { cases().folds(); }
TEST_P(ExpressionFormsByNvccOn, Questions) { cases().questions(); }
TEST_P(ExpressionFormsByNvccOn, Orders) { cases().orders(); }
TEST_P(ExpressionFormsByNvccOn, Selections) { cases().selections(); }
TEST_P(ExpressionFormsByNvccOn, LazyInputs) { cases().lazy_inputs(); }

}  // namespace
