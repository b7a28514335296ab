// Types and operators of a user, and the expected results of reduce and scan with them. A .cpp and a .cu file include
// this, because the two compilers treat the same call differently. Everything is in an unnamed namespace, so that the
// two copies stay separate.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "tests/devices.hpp"
#include "upsweep/upsweep.hpp"

namespace {

// x -> a·x + b modulo 2^32; first this one, then that one.
struct affine {
  std::uint32_t a, b;
  bool operator==(const affine&) const = default;
};
struct then {
  UPSWEEP_HD affine operator()(affine f, affine g) const { return {g.a * f.a, g.a * f.b + g.b}; }
  UPSWEEP_HD static affine identity() { return {1, 0}; }
  static constexpr const char* source = "affine_then(a, b)";
};

// 2×2 matrices over the ring of integers modulo 2^64: 32 bytes an element.
struct matrix {
  std::uint64_t m[4];
  bool operator==(const matrix&) const = default;
};
struct matrix_product {
  UPSWEEP_HD matrix operator()(const matrix& x, const matrix& y) const {
    return {{x.m[0] * y.m[0] + x.m[1] * y.m[2], x.m[0] * y.m[1] + x.m[1] * y.m[3], x.m[2] * y.m[0] + x.m[3] * y.m[2],
             x.m[2] * y.m[1] + x.m[3] * y.m[3]}};
  }
  UPSWEEP_HD static matrix identity() { return {{1, 0, 0, 1}}; }
  static constexpr const char* source = "matrix_times(a, b)";
};

// The first element that holds something: 12 bytes, no power of two.
struct entry {
  std::int32_t empty;
  float x;
  std::int32_t tag;
  bool operator==(const entry&) const = default;
};
struct first_non_empty {
  UPSWEEP_HD entry operator()(entry a, entry b) const { return a.empty ? b : a; }
  UPSWEEP_HD static entry identity() { return {1, 0, 0}; }
  static constexpr const char* source = "(a.empty ? b : a)";
};

// An operator of one's own on a built-in type: the last value that is not zero, so left zeros carry the value on.
struct last_non_zero {
  UPSWEEP_HD std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return b ? b : a; }
  UPSWEEP_HD static std::uint32_t identity() { return 0; }
  static constexpr const char* source = "(b ? b : a)";
};

// A transform of one's own.
struct clear_odd {
  UPSWEEP_HD std::uint32_t operator()(std::uint32_t x) const { return x & 1 ? 0 : x; }
  static constexpr const char* source = "(x & 1 ? 0 : x)";
};

}  // namespace

template <>
struct upsweep::opencl_type<affine> {
  static constexpr const char* name = "affine";
  static constexpr const char* definition =
      "typedef struct { uint a, b; } affine;\n"
      "affine affine_then(affine f, affine g) { affine r; r.a = g.a * f.a; r.b = g.a * f.b + g.b; return r; }\n";
};
template <>
struct upsweep::opencl_type<matrix> {
  static constexpr const char* name = "matrix";
  static constexpr const char* definition =
      "typedef struct { ulong m[4]; } matrix;\n"
      "matrix matrix_times(matrix x, matrix y) {\n"
      "  matrix r;\n"
      "  r.m[0] = x.m[0] * y.m[0] + x.m[1] * y.m[2]; r.m[1] = x.m[0] * y.m[1] + x.m[1] * y.m[3];\n"
      "  r.m[2] = x.m[2] * y.m[0] + x.m[3] * y.m[2]; r.m[3] = x.m[2] * y.m[1] + x.m[3] * y.m[3];\n"
      "  return r;\n"
      "}\n";
};
template <>
struct upsweep::opencl_type<entry> {
  static constexpr const char* name = "entry";
  static constexpr const char* definition = "typedef struct { int empty; float x; int tag; } entry;\n";
};

namespace {

using bits = std::mt19937_64;

affine random_affine(bits& g) { return {static_cast<std::uint32_t>(g()) | 1, static_cast<std::uint32_t>(g())}; }
// Determinant 1, so that no product collapses.
matrix random_matrix(bits& g) {
  const std::uint64_t p = g(), q = g();
  return {{1 + p * q, p, q, 1}};
}
entry random_entry(bits& g) {
  const bool empty = g() % 7 != 0;
  return empty ? entry{1, 0, 0} : entry{0, static_cast<float>(g() % 1000) / 8, static_cast<std::int32_t>(g() % 100000)};
}
std::uint32_t random_number(bits& g) { return g() % 3 ? 0 : static_cast<std::uint32_t>(g()); }

// Holds every form of reduce and scan on `where` to a loop.
template <class T, class Op, class F, class Make>
void expect_folds(const upsweep::context& where, Op op, F f, Make make) {
  using namespace upsweep;
  bits g(std::random_device{}());
  for (std::size_t n : {0, 1, 2, 31, 33, 257, 1025, 7169, 100003}) {
    SCOPED_TRACE(where.name() + ", n = " + std::to_string(n));
    std::vector<T> x(n);
    for (T& e : x) e = make(g);
    const T init = make(g);
    std::vector<T> inclusive(n), exclusive(n);
    T running = init;
    for (std::size_t i = 0; i < n; ++i) {
      exclusive[i] = running;
      running = op(running, f(x[i]));
      inclusive[i] = running;
    }

    EXPECT_EQ(transform_reduce(where, x, init, op, f), running);
    std::vector<T> y(n);
    transform_inclusive_scan(where, x, y, op, f, init);
    EXPECT_TRUE(y == inclusive);
    transform_exclusive_scan(where, x, y, init, op, f);
    EXPECT_TRUE(y == exclusive);

    buffer<T> in(where, x), out(where, n), one(where, 1);
    EXPECT_EQ(transform_reduce(where, in.span(), init, op, f), running);
    transform_reduce(where, in.span(), one.span(), init, op, f);
    EXPECT_EQ(one.download()[0], running);
    transform_inclusive_scan(where, in.span(), out.span(), op, f, init);
    EXPECT_TRUE(out.download() == inclusive);
    EXPECT_TRUE(in.download() == x);
    transform_exclusive_scan(where, in.span(), in.span(), init, op, f);  // in place
    EXPECT_TRUE(in.download() == exclusive);
    if (n > 2) {
      in.upload(x);
      // Off alignment, and without the first element: seeded with it, the rest is as before.
      const T seed = op(init, f(x[0]));
      EXPECT_EQ(transform_reduce(where, in.span().subspan(1, n - 1), seed, op, f), running);
      transform_inclusive_scan(where, in.span().subspan(1, n - 1), out.span().subspan(1, n - 1), op, f, seed);
      EXPECT_TRUE(std::equal(inclusive.begin() + 1, inclusive.end(), out.download().begin() + 1));
    }
  }
}

void expect_all_custom_folds(const upsweep::context& where) {
  const upsweep::identity same;
  expect_folds<affine>(where, then{}, same, random_affine);
  expect_folds<matrix>(where, matrix_product{}, same, random_matrix);
  expect_folds<entry>(where, first_non_empty{}, same, random_entry);
  expect_folds<std::uint32_t>(where, last_non_zero{}, same, random_number);
  expect_folds<std::uint32_t>(where, last_non_zero{}, clear_odd{}, random_number);
  expect_folds<std::uint32_t>(where, upsweep::plus{}, clear_odd{}, random_number);
  expect_folds<std::uint32_t>(where, last_non_zero{}, upsweep::square{}, random_number);
}

}  // namespace
