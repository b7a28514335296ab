// Operators without an identity that have device source, on every device.
#include "tests/identity_free_cases.hpp"

namespace {

using namespace upsweep;

struct IdentityFreeOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, IdentityFreeOn, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(IdentityFreeOn, RecordsInEveryCall) {
  tests::identity_free_cases<tests::tagged_map, tests::then_map, tests::turned_map>(where(), {}, {}).all();
}
TEST_P(IdentityFreeOn, NumbersInEveryCall) {
  tests::identity_free_cases<std::int32_t, tests::larger_of<std::int32_t>, negate>(where(), {}, {}).all();
  tests::identity_free_cases<float, tests::larger_of<float>, identity>(where(), {}, {}).all();
}
TEST_P(IdentityFreeOn, NarrowNumbersInEveryCall) {
  tests::identity_free_cases<std::uint8_t, tests::larger_of<std::uint8_t>, identity>(where(), {}, {}).all();
}

}  // namespace
