// Expressions in every call that takes them, in a file that g++ compiles.
#include "tests/devices.hpp"
#include "tests/expression_cases.hpp"

namespace {

using namespace upsweep;

struct ExpressionFormsOn : tests::on_each_device {
  tests::expression_cases cases() const { return tests::expression_cases(where()); }
};
INSTANTIATE_TEST_SUITE_P(, ExpressionFormsOn, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(ExpressionFormsOn, Maps) { cases().maps(); }
TEST_P(ExpressionFormsOn, Folds) { cases().folds(); }
TEST_P(ExpressionFormsOn, Questions) { cases().questions(); }
TEST_P(ExpressionFormsOn, Orders) { cases().orders(); }
TEST_P(ExpressionFormsOn, Selections) { cases().selections(); }
TEST_P(ExpressionFormsOn, LazyInputs) { cases().lazy_inputs(); }

}  // namespace
