// Folds, scans and orders along an axis by operators, transforms and comparators that have device source: the same on
// the CPU, on OpenCL and on CUDA, held to a loop over each line.
#include "tests/jit_operators.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;

struct AxisJit : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, AxisJit, testing::ValuesIn(tests::device_names()), tests::device_label);

struct case_of {
  std::vector<std::uint64_t> lengths;
  int axis;
  std::uint64_t outer = 1, length = 1, inner = 1, elements = 1;
  case_of(std::vector<std::uint64_t> l, int a) : lengths(std::move(l)), axis(a) {
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      const auto at = static_cast<std::size_t>(axis);
      (k < at ? outer : k == at ? length : inner) *= lengths[k];
      elements *= lengths[k];
    }
  }
  std::uint64_t lines() const { return outer * inner; }
  std::uint64_t place(std::uint64_t line, std::uint64_t j) const {
    return (line / inner * length + j) * inner + line % inner;
  }
};

// Lines that are rows and lines across them, few and many, short and long, and none.
std::vector<case_of> cases() {
  std::vector<case_of> all;
  for (const auto& lengths : std::vector<std::vector<std::uint64_t>>{{1},
                                                                     {2049},
                                                                     {33, 31},
                                                                     {3, 4099},
                                                                     {4099, 3},
                                                                     {7, 33, 5},
                                                                     {2, 1, 300},
                                                                     {300, 2, 17},
                                                                     {0, 5},
                                                                     {5, 0},
                                                                     {4, 0, 3}})
    for (int axis = 0; axis < static_cast<int>(lengths.size()); ++axis) all.emplace_back(lengths, axis);
  return all;
}

template <class T, class Op>
void expect_folds(const context& where, const case_of& c, const Op& op) {
  SCOPED_TRACE(where.name() + ", axis " + std::to_string(c.axis) + " of " + testing::PrintToString(c.lengths));
  const auto x = made_many<T>(c.elements, 7);
  const lines_along which(shape(c.lengths), c.axis);
  const buffer<T> in(where, x);
  const auto poison = made_many<T>(std::max<std::uint64_t>(c.elements, c.lines()), 99);
  buffer<T> folds(where, std::vector<T>(poison.begin(), poison.begin() + static_cast<std::ptrdiff_t>(c.lines()))),
      scanned(where, std::vector<T>(poison.begin(), poison.begin() + static_cast<std::ptrdiff_t>(c.elements)));
  const T first = made_many<T>(1, 3)[0];
  std::vector<T> want(c.lines(), first), inclusive(x), exclusive(x);
  for (std::uint64_t line = 0; line < c.lines(); ++line) {
    T after = identity_of<T>(op);
    for (std::uint64_t j = 0; j < c.length; ++j) {
      const std::uint64_t at = c.place(line, j);
      want[line] = op(want[line], x[at]);
      exclusive[at] = after, inclusive[at] = after = op(after, x[at]);
    }
  }
  reduce_along(where, in, which, folds, first, op);
  expect_same(folds.download(), want, "folds from an init");
  inclusive_scan_along(where, in, which, scanned, op);
  expect_same(scanned.download(), inclusive, "inclusive scans");
  exclusive_scan_along(where, in, which, scanned, op);
  expect_same(scanned.download(), exclusive, "exclusive scans");
  buffer<T> onto(where, x);
  inclusive_scan_along(where, onto, which, onto, op);
  expect_same(onto.download(), inclusive, "in place");
}

TEST_P(AxisJit, Folds) {
  for (const case_of& c : cases()) {
    expect_folds<std::uint32_t>(where(), c, last_set{});
    expect_folds<record>(where(), c, first_kept{});
    expect_folds<square_matrix>(where(), c, product{});
    expect_folds<std::uint64_t>(where(), c, expression("b % 3 != 0 ? b : a", std::uint64_t{0}));
  }
}

struct halved {
  float operator()(float x) const { return x / 2; }
  static constexpr const char* source = "x / 2";
};
TEST_P(AxisJit, TransformsAndHostMemory) {
  const case_of c({7, 33, 5}, 1);
  const auto x = made_many<float>(c.elements, 7);
  std::vector<float> most(c.lines()), want(c.lines(), 0);
  for (std::uint64_t line = 0; line < c.lines(); ++line)
    for (std::uint64_t j = 0; j < c.length; ++j) want[line] = std::max(want[line], x[c.place(line, j)] / 2);
  transform_reduce_along(where(), x, {c.lengths, c.axis}, most, expression("a > b ? a : b", 0.0f), halved{});
  expect_same(most, want, "halved");
}

template <class T, class Less>
void expect_orders(const context& where, const case_of& c, const Less& less) {
  SCOPED_TRACE(where.name() + ", axis " + std::to_string(c.axis) + " of " + testing::PrintToString(c.lengths));
  const auto x = made_many<T>(c.elements, 11);
  const lines_along which(shape(c.lengths), c.axis);
  const buffer<T> in(where, x);
  const std::uint64_t k = (c.length + 2) / 3, kept = c.lines() * k;
  std::vector<T> sorted(x), best(kept);
  std::vector<std::uint32_t> stood(c.elements);
  std::vector<std::uint64_t> best_stood(kept);
  for (std::uint64_t line = 0; line < c.lines(); ++line) {
    std::vector<std::uint32_t> order(c.length);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return less(x[c.place(line, a)], x[c.place(line, b)]); });
    for (std::uint64_t j = 0; j < c.length; ++j) {
      sorted[c.place(line, j)] = x[c.place(line, order[j])], stood[c.place(line, j)] = order[j];
      const std::uint64_t to = (line / c.inner * k + j) * c.inner + line % c.inner;
      if (j < k) best[to] = x[c.place(line, order[j])], best_stood[to] = order[j];
    }
  }
  buffer<T> out(where, x), first(where, kept);
  buffer<std::uint32_t> indices(where, c.elements);
  buffer<std::uint64_t> first_indices(where, kept);
  sort_along(where, in, which, out, less);
  expect_same(out.download(), sorted, "sorted");
  argsort_along(where, in, which, indices, less);
  expect_same(indices.download(), stood, "where they stood");
  top_k_along(where, in, which, k, first, first_indices, less);
  expect_same(first.download(), best, "the first of each line");
  expect_same(first_indices.download(), best_stood, "where the first stood");
  top_k_along(where, in, which, k, first, less);
  expect_same(first.download(), best, "the first of each line alone");
  buffer<T> onto(where, x);
  sort_along(where, onto, which, less);
  expect_same(onto.download(), sorted, "in place");
}

TEST_P(AxisJit, Orders) {
  for (const case_of& c : cases()) {
    expect_orders<std::uint32_t>(where(), c, by_last_digit{});
    expect_orders<record>(where(), c, by_record_key{});
    expect_orders<square_matrix>(where(), c, by_trace{});
    expect_orders<std::uint32_t>(where(), c, expression("a / 50 > b / 50"));
  }
}

TEST_P(AxisJit, WhatHasNoTextIsRefused) {
  if (where().kind() == backend::cpu) GTEST_SKIP();
  buffer<record> in(where(), made_many<record>(12, 1)), out(where(), 3);
  const auto last = monoid([](const record& a, const record& b) { return b.tag ? b : a; }, record{});
  expect_error(fault::unsupported, {"reduce_along", "source"},
               [&] { reduce_along(where(), in, {3, 4}, 1, out, last); });
  expect_error(fault::unsupported, {"sort_along", "by its device source"}, [&] {
    sort_along(where(), in, {3, 4}, 1, [](const record& a, const record& b) { return a.tag < b.tag; });
  });
}

}  // namespace
