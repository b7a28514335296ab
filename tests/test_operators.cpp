// The operators keep the promises that every algorithm rests on: an identity on both sides, associativity, wrapping.
#include <gtest/gtest.h>

#include "upsweep/conformance/reference_fold.hpp"
#include "upsweep/core/catalog.hpp"

namespace upsweep {
namespace {

template <class F>
void for_every_pair(F f) {
  for (dtype type : folding_dtypes)
    for (op_kind op : all_ops)
      if (accepts(op, type))
        with_type(type, [&](auto tag) {
          using T = typename decltype(tag)::type;
          with_op(op, [&](auto o) {
            if constexpr (accepts(decltype(o)::kind, dtype_of<T>)) {
              SCOPED_TRACE(std::string(name_of(decltype(o)::kind)) + " on " + std::string(name_of(dtype_of<T>)));
              f(T{}, o);
            }
          });
        });
}

TEST(Operators, NamesLeadBack) {
  for (op_kind op : all_ops) EXPECT_EQ(op_named(name_of(op)), op);
  for (transform_kind f : all_transforms) EXPECT_EQ(transform_named(name_of(f)), f);
  for (dtype t : all_dtypes) EXPECT_EQ(dtype_named(name_of(t)), t);
  EXPECT_FALSE(op_named("divides"));
  EXPECT_FALSE(dtype_named("f17"));
}

TEST(Operators, IdentityOnBothSides) {
  for_every_pair([](auto zero, auto op) {
    using T = decltype(zero);
    std::vector<T> x(1000);
    random_input(dtype_of<T>, op.kind, x.size(), 5).fill(x.data(), 0, x.size());
    const T e = identity_of<T>(op);
    for (T raw : x) {
      const T a = to_accumulator(op, raw);
      ASSERT_EQ(op(e, a), a);
      ASSERT_EQ(op(a, e), a);
    }
    EXPECT_EQ(identity_scalar(op.kind, dtype_of<T>).template as<T>(), e);
  });
}

TEST(Operators, Associative) {
  for_every_pair([](auto zero, auto op) {
    using T = decltype(zero);
    const bool rounds = std::is_floating_point_v<T> && (op.kind == op_kind::plus || op.kind == op_kind::multiplies);
    if (rounds) return;  // within rounding only
    std::vector<T> x(3000);
    random_input(dtype_of<T>, op.kind, x.size(), 6).fill(x.data(), 0, x.size());
    for (std::size_t i = 0; i + 2 < x.size(); i += 3) {
      const T a = to_accumulator(op, x[i]), b = to_accumulator(op, x[i + 1]), c = to_accumulator(op, x[i + 2]);
      ASSERT_EQ(op(op(a, b), c), op(a, op(b, c)));
    }
  });
}

TEST(Operators, CommuteAsDeclared) {
  for_every_pair([](auto zero, auto op) {
    using T = decltype(zero);
    std::vector<T> x(1000);
    random_input(dtype_of<T>, op.kind, x.size(), 7).fill(x.data(), 0, x.size());
    bool differs = false;
    for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
      const T a = to_accumulator(op, x[i]), b = to_accumulator(op, x[i + 1]);
      differs = differs || op(a, b) != op(b, a);
    }
    EXPECT_EQ(differs, !commutes(op.kind));
  });
}

TEST(Operators, SignedIntegersWrap) {
  constexpr int most = std::numeric_limits<int>::max(), least = std::numeric_limits<int>::min();
  static_assert(plus{}(most, 1) == least);
  static_assert(multiplies{}(65536, 65536) == 0);
  static_assert(negate{}(least) == least);
  static_assert(absolute{}(least) == least);
  static_assert(square{}(-46341) == static_cast<int>(46341u * 46341u));
}

TEST(Operators, ComposeAffineIsComposition) {
  const auto map = [](std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} | std::uint64_t{b} << 32; };
  const auto apply = [](std::uint64_t f, std::uint32_t x) {
    return static_cast<std::uint32_t>(f) * x + static_cast<std::uint32_t>(f >> 32);
  };
  const std::uint64_t f = map(1664525, 1013904223), g = map(22695477, 1);
  for (std::uint32_t x : {0u, 1u, 12345u, 0xffffffffu})
    EXPECT_EQ(apply(compose_affine{}(f, g), x), apply(g, apply(f, x)));
}

TEST(Operators, AcceptOnlyTheirTypes) {
  EXPECT_FALSE(accepts(op_kind::bit_and, dtype::f32));
  EXPECT_FALSE(accepts(op_kind::compose_affine, dtype::u32));
  EXPECT_TRUE(accepts(op_kind::compose_affine, dtype::u64));
  EXPECT_TRUE(accepts(op_kind::logical_or, dtype::f64));
}

}  // namespace
}  // namespace upsweep
