// Before a test of x86-simd-sort's: its calls, answered by this library's sorts. There, NaNs stand where what is
// greater than all numbers would: a descending order of those is a comparison of one's own here. What this library has
// no call for, selections with values or places, a whole sort answers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "custom-compare.h"
#include "rand_array.h"
#include "upsweep/sort.hpp"
#include "x86simdsort.h"

namespace on_upsweep {

inline int calls = 0;
inline const upsweep::context here = upsweep::context::cpu();

// call(order), for the order that is asked for.
template <class T, class Call>
void in_order(bool hasnan, bool descending, Call call) {
  ++calls;
  if (hasnan && descending)
    call([](T a, T b) { return compare<T, std::greater<T>>()(a, b); });
  else
    call(upsweep::sort_options{.descending = descending});
}

namespace ours {

template <class T>
void qsort(T* x, std::size_t n, bool hasnan = false, bool descending = false) {
  in_order<T>(hasnan, descending, [&](auto order) { upsweep::sort(here, std::span(x, n), order); });
}
template <class T>
void qselect(T* x, std::size_t k, std::size_t n, bool hasnan = false, bool descending = false) {
  if (n == 0) return;
  const std::vector<T> from(x, x + n);
  in_order<T>(hasnan, descending, [&](auto order) { upsweep::nth_element(here, from, std::span(x, n), k, order); });
}
template <class T>
void partial_qsort(T* x, std::size_t k, std::size_t n, bool hasnan = false, bool descending = false) {
  ours::qselect(x, k, n, hasnan, descending);
  ours::qsort(x, k, hasnan, descending);
}
template <class T>
std::vector<std::size_t> argsort(T* x, std::size_t n, bool hasnan = false, bool descending = false) {
  std::vector<std::size_t> places(n);
  in_order<T>(hasnan, descending, [&](auto order) { upsweep::argsort(here, std::span(x, n), places, order); });
  return places;
}
template <class T>
std::vector<std::size_t> argselect(T* x, std::size_t, std::size_t n, bool hasnan = false) {
  return ours::argsort(x, n, hasnan);
}
template <class K, class V>
void keyvalue_qsort(K* keys, V* values, std::size_t n, bool hasnan = false, bool descending = false) {
  in_order<K>(hasnan, descending,
              [&](auto order) { upsweep::sort_by_key(here, std::span(keys, n), std::span(values, n), order); });
}
template <class K, class V>
void keyvalue_select(K* keys, V* values, std::size_t, std::size_t n, bool hasnan = false, bool descending = false) {
  ours::keyvalue_qsort(keys, values, n, hasnan, descending);
}
template <class K, class V>
void keyvalue_partial_sort(K* keys, V* values, std::size_t, std::size_t n, bool hasnan = false,
                           bool descending = false) {
  ours::keyvalue_qsort(keys, values, n, hasnan, descending);
}
template <class T, class Key>
void object_qsort(T* x, std::size_t n, Key key) {
  ++calls;
  upsweep::sort(here, std::span(x, n), [key](const T& a, const T& b) { return key(a) < key(b); });
}

}  // namespace ours
}  // namespace on_upsweep

#define ON_UPSWEEP(name) \
  namespace on_upsweep { \
  using ours::name;      \
  }
ON_UPSWEEP(qsort)
ON_UPSWEEP(qselect)
ON_UPSWEEP(partial_qsort)
ON_UPSWEEP(argsort)
ON_UPSWEEP(argselect)
ON_UPSWEEP(keyvalue_qsort)
ON_UPSWEEP(keyvalue_select)
ON_UPSWEEP(keyvalue_partial_sort)
ON_UPSWEEP(object_qsort)
#undef ON_UPSWEEP
