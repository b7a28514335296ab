// Before a test of Highway's sorts: VQSort's calls as vqsort.h declares them, answered by this library. Its keys of
// 128 bits, and pairs of a key and a value in one, are structs here, ordered by Highway's own `<`. There, NaNs stand
// last in both orders: descending floats go by a comparison of one's own.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <span>
#include <type_traits>

#include "hwy/contrib/sort/vqsort.h"
#include "upsweep/sort.hpp"

namespace on_upsweep {

inline int calls = 0;
inline const upsweep::context here = upsweep::context::cpu();

// call(order), for the order that is asked for.
template <class T, class Order, class Call>
void in_order(Order, Call call) {
  ++calls;
  if constexpr (Order::IsAscending() && std::is_arithmetic_v<T>) {
    call(upsweep::sort_options{});
  } else if constexpr (Order::IsAscending()) {
    call([](const T& a, const T& b) { return a < b; });
  } else if constexpr (std::is_floating_point_v<T>) {
    call([](T a, T b) { return b != b ? a == a : a > b; });
  } else if constexpr (std::is_arithmetic_v<T>) {
    call(upsweep::sort_options{.descending = true});
  } else {
    call([](const T& a, const T& b) { return b < a; });
  }
}

template <class T, class Order>
void sort(T* keys, std::size_t n, Order order) {
  in_order<T>(order, [&](auto asked) { upsweep::sort(here, std::span(keys, n), asked); });
}
template <class T, class Order>
void nth_element(T* keys, std::size_t n, std::size_t k, Order order) {
  in_order<T>(order, [&](auto asked) { upsweep::nth_element(here, std::span(keys, n), std::span(keys, n), k, asked); });
}
// The first k in order, and the rest behind them.
template <class T, class Order>
void partial_sort(T* keys, std::size_t n, std::size_t k, Order order) {
  if (k < n) on_upsweep::nth_element(keys, n, k, order);
  on_upsweep::sort(keys, k, order);
}

}  // namespace on_upsweep

namespace hwy {

#define ON_UPSWEEP(type, order)                                                               \
  void VQSort(type* HWY_RESTRICT keys, size_t n, order by) { on_upsweep::sort(keys, n, by); } \
  void VQPartialSort(type* HWY_RESTRICT keys, size_t n, size_t k, order by) {                 \
    on_upsweep::partial_sort(keys, n, k, by);                                                 \
  }                                                                                           \
  void VQSelect(type* HWY_RESTRICT keys, size_t n, size_t k, order by) { on_upsweep::nth_element(keys, n, k, by); }
#define ON_UPSWEEP_BOTH(type)     \
  ON_UPSWEEP(type, SortAscending) \
  ON_UPSWEEP(type, SortDescending)
ON_UPSWEEP_BOTH(uint16_t)
ON_UPSWEEP_BOTH(uint32_t)
ON_UPSWEEP_BOTH(uint64_t)
ON_UPSWEEP_BOTH(int16_t)
ON_UPSWEEP_BOTH(int32_t)
ON_UPSWEEP_BOTH(int64_t)
ON_UPSWEEP_BOTH(float)
ON_UPSWEEP_BOTH(double)
ON_UPSWEEP_BOTH(K32V32)
ON_UPSWEEP_BOTH(uint128_t)
ON_UPSWEEP_BOTH(K64V64)
#undef ON_UPSWEEP_BOTH
#undef ON_UPSWEEP

bool VQSortHaveFloat16() { return false; }
bool VQSortHaveFloat64() { return true; }
// What vqsort-inl.h asks for, which draws its own pivots.
bool Fill16BytesSecure(void*) { return false; }
uint64_t* GetGeneratorState() {
  static uint64_t state[3] = {1, 2, 3};
  return state;
}

}  // namespace hwy
