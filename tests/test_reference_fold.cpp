// The reference accepts correct results and rejects every small error. The other tests depend on this.
#include "upsweep/conformance/reference_fold.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace upsweep {
namespace {

template <class T>
detail::scan_impl::problem scan_of(const std::vector<T>& x, op_kind op, bool inclusive, T init) {
  detail::scan_impl::problem p;
  p.type = dtype_of<T>;
  p.op = op;
  p.inclusive = inclusive;
  p.in = {const_cast<T*>(x.data()), 0};
  p.n = x.size();
  p.init = scalar::of(init);
  return p;
}

// All the values that a scan passes through.
detail::reduce_impl::problem reduction_of(const detail::scan_impl::problem& s) {
  detail::reduce_impl::problem p;
  static_cast<problem_head&>(p) = s;
  static_cast<folding&>(p) = s;
  p.in = s.in, p.out = s.out;
  return p;
}

template <class T>
std::vector<T> random_values(op_kind op, std::uint64_t n, std::uint64_t seed) {
  std::vector<T> x(n);
  random_input(dtype_of<T>, op, n, seed).fill(x.data(), 0, n);
  return x;
}

TEST(ReferenceFold, KnowsPrefixSumsByHand) {
  std::vector<int> x{3, 1, 7, 0, 4, 1, 6, 3}, y(8);
  detail::scan_impl::problem p = scan_of(x, op_kind::plus, true, 0);
  p.out = {y.data(), 0};
  reference(p);
  EXPECT_EQ(y, (std::vector<int>{3, 4, 11, 11, 15, 16, 22, 25}));
  p.inclusive = false;
  p.init = scalar::of(10);
  reference(p);
  EXPECT_EQ(y, (std::vector<int>{10, 13, 14, 21, 21, 25, 26, 32}));
  EXPECT_EQ(what_is_wrong(p, y.data(), 0), "");
}

TEST(ReferenceFold, AppliesTransformThenLift) {
  const std::vector<float> x{-2, 0, 3};
  std::vector<float> y(3);
  detail::scan_impl::problem p = scan_of(x, op_kind::logical_and, true, 1.0f);
  p.out = {y.data(), 0};
  reference(p);
  EXPECT_EQ(y, (std::vector<float>{1, 0, 0}));
  p.op = op_kind::plus;
  p.transform = transform_kind::square;
  p.init = scalar::of(0.5f);
  reference(p);
  EXPECT_EQ(y, (std::vector<float>{4.5f, 4.5f, 13.5f}));
}

TEST(ReferenceFold, SumsFloatsBeyondTheirPrecision) {
  // 2^24 + 1 - 2^24 is 0 in f32, and 2^60 + 1 - 2^60 is 0 in f64.
  std::vector<float> x{0x1p24f, 1, -0x1p24f};
  std::vector<double> z{0x1p60, 1, -0x1p60};
  float y = 0;
  double w = 0;
  detail::reduce_impl::problem p = reduction_of(scan_of(x, op_kind::plus, true, 0.0f)),
                               q = reduction_of(scan_of(z, op_kind::plus, true, 0.0));
  p.out = {&y, 0};
  q.out = {&w, 0};
  reference(p);
  reference(q);
  EXPECT_EQ(y, 1);
  EXPECT_EQ(w, 1);
}

TEST(ReferenceFold, RefusesEverySmallWrong) {
  for (dtype type : folding_dtypes)
    for (op_kind op : all_ops)
      if (accepts(op, type))
        with_type(type, [&](auto tag) {
          using T = typename decltype(tag)::type;
          SCOPED_TRACE(std::string(name_of(op)) + " on " + std::string(name_of(type)));
          const std::vector<T> x = random_values<T>(op, 3001, 11);
          std::vector<T> y(x.size());
          detail::scan_impl::problem p = scan_of<T>(x, op, true, identity_scalar(op, type).as<T>());
          p.out = {y.data(), 0};
          reference(p);
          ASSERT_EQ(what_is_wrong(p, y.data(), 12), "");
          for (std::size_t at : {std::size_t{0}, std::size_t{1500}, x.size() - 1}) {
            std::vector<T> bad = y;
            bad[at] = y[at] == T(1) ? T(0) : T(1);
            if (bad[at] == y[at]) continue;
            const std::string wrong = what_is_wrong(p, bad.data(), 12);
            EXPECT_NE(wrong.find("element " + std::to_string(at) + " of 3001"), std::string::npos) << wrong;
          }
        });
}

TEST(ReferenceFold, RefusesNaNAndInfinity) {
  const std::vector<float> x = random_values<float>(op_kind::plus, 100, 3);
  std::vector<float> y(x.size());
  detail::scan_impl::problem p = scan_of(x, op_kind::plus, true, 0.0f);
  p.out = {y.data(), 0};
  for (float bad : {std::nanf(""), std::numeric_limits<float>::infinity()})
    for (op_kind op : {op_kind::plus, op_kind::multiplies, op_kind::maximum}) {
      p.op = op;
      reference(p);
      y[57] = bad;
      EXPECT_NE(what_is_wrong(p, y.data(), 1000).find("element 57"), std::string::npos) << name_of(op);
    }
}

// Typical errors of a kernel in a float sum are outside the tolerance.
template <class T>
void expect_noticed(op_kind op, std::uint64_t n) {
  const std::vector<T> x = random_values<T>(op, n, 4);
  int noticed = 0;
  for (int turn = 0; turn < 16; ++turn) {
    std::vector<T> without = x;
    without[(turn * 977 + n / 2) % n] = identity_scalar(op, dtype_of<T>).template as<T>();
    detail::reduce_impl::problem p =
        reduction_of(scan_of(without, op, true, identity_scalar(op, dtype_of<T>).template as<T>()));
    T result = 0;
    p.out = {&result, 0};
    reference(p);
    p.in = {const_cast<T*>(x.data()), 0};
    noticed += !what_is_wrong(p, &result, 2 * std::log2(n) + 2).empty();
  }
  EXPECT_GE(noticed, 15) << name_of(op) << ", n = " << n;
}

TEST(ReferenceFold, NoticesOneElementLeftOut) {
  for (op_kind op : {op_kind::plus, op_kind::multiplies}) {
    for (std::uint64_t n : {2, 100, 2000}) expect_noticed<float>(op, n);
    for (std::uint64_t n : {2, 2000, 1000000}) expect_noticed<double>(op, n);
  }
}

TEST(ReferenceFold, AcceptsASequentialFloatLoop) {
  const std::vector<float> x = random_values<float>(op_kind::plus, 1 << 20, 8);
  std::vector<float> y(x.size());
  std::partial_sum(x.begin(), x.end(), y.begin());
  EXPECT_EQ(what_is_wrong(scan_of(x, op_kind::plus, true, 0.0f), y.data(), x.size()), "");
  const std::vector<float> f = random_values<float>(op_kind::multiplies, 1 << 20, 8);
  std::partial_sum(f.begin(), f.end(), y.begin(), std::multiplies<float>());
  EXPECT_EQ(what_is_wrong(scan_of(f, op_kind::multiplies, true, 1.0f), y.data(), f.size()), "");
}

TEST(ReferenceFold, InputIsFreshUnevenAndTheSameForASeed) {
  for (dtype type : folding_dtypes)
    for (op_kind op : all_ops)
      if (accepts(op, type))
        with_type(type, [&](auto tag) {
          using T = typename decltype(tag)::type;
          SCOPED_TRACE(std::string(name_of(op)) + " on " + std::string(name_of(type)));
          const auto a = random_values<T>(op, 5000, 1), again = random_values<T>(op, 5000, 1),
                     b = random_values<T>(op, 5000, 2);
          EXPECT_EQ(a, again);
          EXPECT_NE(a, b);
          for (T x : a) ASSERT_EQ(x, x);  // no NaN
          // Pieces are the same elements.
          std::vector<T> piece(100);
          random_input(type, op, 5000, 1).fill(piece.data(), 1234, 100);
          EXPECT_TRUE(std::equal(piece.begin(), piece.end(), a.begin() + 1234));
        });
}

// A reduction over n elements is no check of the last ones if the result is settled by the first.
TEST(ReferenceFold, ResultsStayInformative) {
  for (op_kind op : {op_kind::multiplies, op_kind::minimum, op_kind::maximum, op_kind::bit_and, op_kind::bit_or}) {
    const auto x = random_values<std::uint32_t>(op, 100000, 9);
    std::vector<std::uint32_t> y(x.size());
    detail::scan_impl::problem p = scan_of(x, op, true, identity_scalar(op, dtype::u32).as<std::uint32_t>());
    p.out = {y.data(), 0};
    reference(p);
    EXPECT_NE(y[x.size() / 2], y.back()) << name_of(op);
  }
}

}  // namespace
}  // namespace upsweep
