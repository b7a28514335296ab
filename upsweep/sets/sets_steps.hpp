// Walks two sorted sequences together, and divides that walk into pieces; on the host and on CUDA devices.
//
// Of m equal elements of the first and k of the second the i-th of either are a pair. Whether an operation keeps an
// element depends on whether it is one of a pair. So a piece may begin inside a run of equal elements wherever no
// pair is split: as many of either sequence precede it, or more of one whose remaining elements have no partner.
#pragma once

#include "upsweep/core/user_call.hpp"
#include "upsweep/sets/sets_operations.hpp"
#include "upsweep/sort/sort_order.hpp"

namespace upsweep::detail::sets_impl {

struct place {
  std::uint64_t first, second;
};

// The first of x[low … high) that does not precede the key.
template <class X, class T, class Less>
UPSWEEP_HD std::uint64_t lower_bound(const X& x, std::uint64_t low, std::uint64_t high, const T& key,
                                     const Less& less) {
  while (low < high) {
    const std::uint64_t i = low + (high - low) / 2;
    if (core::call(less, x[i], key))
      low = i + 1;
    else
      high = i;
  }
  return low;
}

// The first of x[low … high) that the key precedes.
template <class X, class T, class Less>
UPSWEEP_HD std::uint64_t upper_bound(const X& x, std::uint64_t low, std::uint64_t high, const T& key,
                                     const Less& less) {
  while (low < high) {
    const std::uint64_t i = low + (high - low) / 2;
    if (core::call(less, key, x[i]))
      high = i;
    else
      low = i + 1;
  }
  return low;
}

// The position of the walk after k steps, keys of the first before equal ones of the second.
template <class A, class B, class Less>
UPSWEEP_HD place merged_at(const A& a, std::uint64_t n, const B& b, std::uint64_t m, std::uint64_t k,
                           const Less& less) {
  std::uint64_t low = k > m ? k - m : 0, high = k < n ? k : n;
  while (low < high) {
    const std::uint64_t i = low + (high - low) / 2;
    if (core::call(less, b[k - i - 1], a[i]))
      high = i;
    else
      low = i + 1;
  }
  return {low, k - low};
}

// That position, with the run of equal keys that it is in divided by pairs.
template <class A, class B, class T, class Less>
UPSWEEP_HD place in_pairs(const A& a, std::uint64_t n, const B& b, std::uint64_t m, place at, const T& key,
                          const Less& less) {
  const std::uint64_t a0 = detail::sets_impl::lower_bound(a, 0, at.first, key, less),
                      b0 = detail::sets_impl::lower_bound(b, 0, at.second, key, less),
                      behind = at.first - a0 + at.second - b0;
  if (behind == 0) return at;
  const auto least = [](std::uint64_t x, std::uint64_t y) { return x < y ? x : y; };
  const std::uint64_t of_a = detail::sets_impl::upper_bound(a, a0, least(n, a0 + behind), key, less) - a0,
                      of_b = detail::sets_impl::upper_bound(b, b0, least(m, b0 + behind), key, less) - b0;
  std::uint64_t s = least((behind + 1) / 2, of_a), t = behind - s;
  if (t > of_b) t = of_b, s = least(behind - t, n - a0);
  if (s == t + 1 && t < of_b) ++t;
  return {a0 + s, b0 + t};
}

// A position where a piece may begin, k steps from the beginning or one more.
template <class A, class B, class Less>
UPSWEEP_HD place cut_at(primitive what, const A& a, std::uint64_t n, const B& b, std::uint64_t m, std::uint64_t k,
                        const Less& less) {
  if (k >= n + m) return {n, m};
  const place at = detail::sets_impl::merged_at(a, n, b, m, k, less);
  if (what == primitive::merge_by_key) return at;
  if (at.first < n && (at.second == m || !core::call(less, b[at.second], a[at.first])))
    return detail::sets_impl::in_pairs(a, n, b, m, at, a[at.first], less);
  return detail::sets_impl::in_pairs(a, n, b, m, at, b[at.second], less);
}

// Whether an operation keeps an element that precedes all remaining elements of the other sequence, and a pair.
UPSWEEP_HD constexpr bool keeps_first(primitive p) { return p != primitive::set_intersection; }
UPSWEEP_HD constexpr bool keeps_second(primitive p) {
  return p != primitive::set_intersection && p != primitive::set_difference;
}
UPSWEEP_HD constexpr bool keeps_pair(primitive p) {
  return p == primitive::set_union || p == primitive::set_intersection || p == primitive::merge_by_key;
}

// Calls keep(from_second, index) for the kept elements between two cuts, in order. It makes at most as many steps as
// there are elements between them, whatever `less` returns.
template <class A, class B, class Less, class Keep>
UPSWEEP_HD void walk(primitive what, const A& a, const B& b, place from, place to, const Less& less, Keep&& keep) {
  const bool first_alone = keeps_first(what), second_alone = keeps_second(what), pair = keeps_pair(what);
  std::uint64_t i = from.first, j = from.second;
  while (i < to.first && j < to.second) {
    if (core::call(less, b[j], a[i])) {
      if (second_alone) keep(true, j);
      ++j;
    } else if (what == primitive::merge_by_key || core::call(less, a[i], b[j])) {
      if (first_alone) keep(false, i);
      ++i;
    } else {
      if (pair) keep(false, i);
      ++i, ++j;
    }
  }
  if (first_alone)
    for (; i < to.first; ++i) keep(false, i);
  if (second_alone)
    for (; j < to.second; ++j) keep(true, j);
}

// A built-in order, of keys given by value.
template <class T>
struct in_order {
  using number = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  order_window<order_image<number>> window;
  UPSWEEP_HD bool operator()(const T& a, const T& b) const {
    return window(order_bits(static_cast<number>(a))) < window(order_bits(static_cast<number>(b)));
  }
};

}  // namespace upsweep::detail::sets_impl
