// Lambdas without an identity, in a file that nvcc compiles.
#include "tests/identity_free_cases.hpp"

namespace {

using namespace upsweep;

struct IdentityFreeByNvccOn : tests::on_each_device {
  void SetUp() override {
    if (where().device().kind() == backend::opencl) GTEST_SKIP() << "a lambda has no device source";
  }
};
INSTANTIATE_TEST_SUITE_P(, IdentityFreeByNvccOn, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class T, class Op, class F>
void check(const context& where, Op op, F f) {
  tests::identity_free_cases<T, Op, F>(where, op, f).all();
}

TEST_P(IdentityFreeByNvccOn, Records) {
  check<tests::tagged_map>(
      where(),
      [] UPSWEEP_HD(const tests::tagged_map& a, const tests::tagged_map& b) { return tests::then_map{}(a, b); },
      [] UPSWEEP_HD(const tests::tagged_map& x) { return tests::turned_map{}(x); });
}
TEST_P(IdentityFreeByNvccOn, Numbers) {
  check<double>(
      where(), [] UPSWEEP_HD(double a, double b) { return a > b ? a : b; }, [] UPSWEEP_HD(double x) { return -x; });
}

}  // namespace
