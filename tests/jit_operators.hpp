// Types, operators, tests, comparators and equalities of a user's own that carry their device source, and the sizes
// that what takes them is tried at. In an unnamed namespace: each test has its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/devices.hpp"
#include "upsweep/upsweep.hpp"

namespace {

// 12 bytes, no power of two. Equal where the keys are, so that the tag tells which of equal ones is kept.
struct record {
  std::int32_t key;
  float x;
  std::uint32_t tag;
  friend bool operator==(const record& a, const record& b) { return a.key == b.key; }
};
[[maybe_unused]] bool same_bits(const record& a, const record& b) {
  return a.key == b.key && a.x == b.x && a.tag == b.tag;
}
template <class T>
  requires std::is_arithmetic_v<T>
[[maybe_unused]] bool same_bits(T a, T b) {
  return a == b;
}

// 2×2 matrices over the integers modulo 2^64, whose product does not commute: 32 bytes.
struct square_matrix {
  std::uint64_t m[4];
  friend bool operator==(const square_matrix&, const square_matrix&) = default;
};
[[maybe_unused]] bool same_bits(const square_matrix& a, const square_matrix& b) { return a == b; }

struct product {
  square_matrix operator()(const square_matrix& x, const square_matrix& y) const {
    return {{x.m[0] * y.m[0] + x.m[1] * y.m[2], x.m[0] * y.m[1] + x.m[1] * y.m[3], x.m[2] * y.m[0] + x.m[3] * y.m[2],
             x.m[2] * y.m[1] + x.m[3] * y.m[3]}};
  }
  static square_matrix identity() { return {{1, 0, 0, 1}}; }
  static constexpr const char* source = "times(a, b)";
};

// The first that is not negative, or else the last: does not commute. No element has the identity's key.
struct first_kept {
  record operator()(const record& a, const record& b) const { return a.key < 0 && b.key > -1000 ? b : a; }
  static record identity() { return {-1000, 0, 0}; }
  static constexpr const char* source = "a.key < 0 && b.key > -1000 ? b : a";
};
struct last_set {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return b ? b : a; }
  static std::uint32_t identity() { return 0; }
  static constexpr const char* source = "b ? b : a";
};

struct is_odd {
  bool operator()(std::uint32_t x) const { return x % 2 == 1; }
  static constexpr const char* source = "x % 2 == 1";
};
struct by_third {
  bool operator()(std::uint32_t x) const { return x % 3 == 0; }
  static constexpr const char* source = "x % 3 == 0";
};
struct has_odd_key {
  bool operator()(const record& r) const { return (r.key & 1) != 0; }
  static constexpr const char* source = "(x.key & 1) != 0";
};
struct is_heavy {
  bool operator()(const record& r) const { return r.x > 0.5f; }
  static constexpr const char* source = "x.x > 0.5f";
};

struct by_last_digit {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 10 < b % 10; }
  static constexpr const char* source = "a % 10 < b % 10";
};
struct by_record_key {
  bool operator()(const record& a, const record& b) const { return a.key < b.key; }
  static constexpr const char* source = "a.key < b.key";
};
struct by_trace {
  bool operator()(const square_matrix& a, const square_matrix& b) const {
    return (a.m[0] + a.m[3]) % 97 < (b.m[0] + b.m[3]) % 97;
  }
  static constexpr const char* source = "(a.m[0] + a.m[3]) % 97 < (b.m[0] + b.m[3]) % 97";
};
struct same_hundred {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a / 100 == b / 100; }
  static constexpr const char* source = "a / 100 == b / 100";
};

}  // namespace

template <>
struct upsweep::opencl_type<record> {
  static constexpr const char* name = "record";
  static constexpr const char* definition = "typedef struct { int key; float x; uint tag; } record;";
  static constexpr const char* equal = "a.key == b.key";
};
template <>
struct upsweep::opencl_type<square_matrix> {
  static constexpr const char* name = "square_matrix";
  static constexpr const char* definition =
      "typedef struct { ulong m[4]; } square_matrix;\n"
      "square_matrix times(square_matrix x, square_matrix y) {\n"
      "  square_matrix r;\n"
      "  r.m[0] = x.m[0] * y.m[0] + x.m[1] * y.m[2]; r.m[1] = x.m[0] * y.m[1] + x.m[1] * y.m[3];\n"
      "  r.m[2] = x.m[2] * y.m[0] + x.m[3] * y.m[2]; r.m[3] = x.m[2] * y.m[1] + x.m[3] * y.m[3];\n"
      "  return r;\n"
      "}\n";
  static constexpr const char* equal = "a.m[0] == b.m[0] && a.m[1] == b.m[1] && a.m[2] == b.m[2] && a.m[3] == b.m[3]";
};

namespace {

// Around work-groups, tiles and what is between them.
constexpr std::size_t sizes[]{0, 1, 2, 31, 33, 255, 257, 2047, 2048, 2049, 4095, 4097, 7919, 100003};
// One beyond them; where cuda:0 is the lens, which takes minutes and gigabytes over millions, no more than that.
[[maybe_unused]] constexpr std::size_t large(std::size_t n) {
#if defined(UPSWEEP_TESTS_ON_LENS)
  return std::min<std::size_t>(n, 200003);
#else
  return n;
#endif
}

template <class T>
T made(std::mt19937& g, std::uint32_t i) {
  if constexpr (std::is_same_v<T, record>) {
    return {static_cast<std::int32_t>(g() % 50) - 5, static_cast<float>(g() % 1000) / 1000, i};
  } else if constexpr (std::is_same_v<T, square_matrix>) {
    const std::uint64_t p = g() % 1000, q = g() % 1000;
    return {{1 + p * q, p, q, 1}};
  } else {
    return static_cast<T>(g() % 1000);
  }
}
template <class T>
std::vector<T> made_many(std::size_t n, std::uint32_t seed) {
  std::mt19937 g(seed);
  std::vector<T> x;
  for (std::uint32_t i = 0; i < n; ++i) x.push_back(made<T>(g, i));
  return x;
}
// In runs of one to nine equal keys, now and then a long one.
template <class K>
std::vector<K> made_runs(std::size_t n, std::uint32_t seed) {
  std::mt19937 g(seed);
  std::vector<K> keys;
  while (keys.size() < n) {
    K key = made<K>(g, 0);
    for (std::size_t left = g() % 40 ? 1 + g() % 9 : 3000; left && keys.size() < n; --left) {
      if constexpr (std::is_same_v<K, record>) key.tag = static_cast<std::uint32_t>(keys.size());
      keys.push_back(key);
    }
  }
  return keys;
}

template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& want, const char* what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_TRUE(same_bits(got[i], want[i])) << what << ", element " << i;
}

}  // namespace
