// Sets by comparators that have device source: the same on the CPU, on OpenCL and on CUDA, held to the standard's
// algorithms.
#include "tests/jit_operators.hpp"

namespace {

using namespace upsweep;

struct SetsJit : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, SetsJit, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class K>
std::vector<K> first_of(const buffer<K>& all, std::uint64_t count) {
  auto here = all.download();
  here.resize(count);
  return here;
}

template <class K, class Less>
void expect_sets(const context& where, std::size_t n, const Less& less) {
  SCOPED_TRACE(where.name() + ", n = " + std::to_string(n));
  auto a = made_many<K>(n, 1), b = made_many<K>(n / 2 + 3, 2);
  std::stable_sort(a.begin(), a.end(), less), std::stable_sort(b.begin(), b.end(), less);
  const buffer<K> first(where, a), second(where, b);
  buffer<K> out(where, a.size() + b.size());
  std::vector<K> want;
  const auto into = std::back_inserter(want);
  const auto expect = [&](std::uint64_t kept, const char* what) {
    EXPECT_EQ(kept, want.size()) << what;
    expect_same(first_of(out, kept), want, what);
    want.clear();
  };
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), into, less);
  expect(set_union(where, first, second, out, less), "union");
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), into, less);
  expect(set_intersection(where, first, second, out, less), "intersection");
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), into, less);
  expect(set_difference(where, first, second, out, less), "difference");
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), into, less);
  expect(set_symmetric_difference(where, first, second, out, less), "symmetric difference");

  // Values of 12 bytes, told apart by their tags.
  const auto a_values = made_many<record>(a.size(), 3), b_values = made_many<record>(b.size(), 4);
  std::vector<record> want_values;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size())
    if (j < b.size() && (i == a.size() || less(b[j], a[i])))
      want.push_back(b[j]), want_values.push_back(b_values[j++]);
    else
      want.push_back(a[i]), want_values.push_back(a_values[i++]);
  const buffer<record> first_values(where, a_values), second_values(where, b_values);
  buffer<record> values(where, out.size());
  merge_by_key(where, first, first_values, second, second_values, out, values, less);
  expect_same(values.download(), want_values, "merged values");
  expect(out.size(), "merged keys");
}

TEST_P(SetsJit, AsTheStandardHasThem) {
  for (const std::size_t n : sizes) {
    expect_sets<std::uint32_t>(where(), n, by_last_digit{});
    expect_sets<record>(where(), n, by_record_key{});
  }
  expect_sets<std::uint32_t>(where(), 300007, expression("a % 1000 < b % 1000"));
}

}  // namespace
