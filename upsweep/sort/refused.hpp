// What sort does not take, each in a sentence of the compiler's.
#pragma once

#include <iterator>
#include <ranges>

#include "upsweep/core/operands.hpp"
#include "upsweep/core/reading.hpp"
#include "upsweep/sort/comparing.hpp"
#include "upsweep/sort/made.hpp"

namespace upsweep {

namespace sort_room {

// A range, or what is made as it is read, but no keys in memory.
template <class X>
concept no_memory = (std::ranges::range<X> || core::is_made<std::remove_cvref_t<X>>) && !operands<X>;

// Neither an output, nor options, nor a comparator.
template <class C, class T>
concept no_order = !operands<C> && !no_memory<C> && !std::convertible_to<const C&, sort_options> &&
                   !std::is_invocable_r_v<bool, const C&, const T&, const T&>;

}  // namespace sort_room

inline namespace UPSWEEP_COMPILED {

template <class X>
  requires sort_room::no_memory<X>
void sort(const context&, X&&, const sort_options& = {}) {
  static_assert(
      operands<X>,
      "upsweep: keys are sorted in place in device spans, buffers and contiguous ranges; a deque, a vector of "
      "bool or what is made as it is read wants an output; copy a list into a vector first");
}
template <class X, class Y, class... Rest>
  requires sort_room::no_memory<X> && (!sort_room::made_keys<X> || !operands<Y>)
void sort(const context&, X&&, Y&&, Rest&&...) {
  static_assert(
      operands<X>,
      "upsweep: keys are sorted in place in device spans, buffers and contiguous ranges; a deque, a vector of "
      "bool or what is made as it is read wants an output; copy a list into a vector first");
}

template <std::input_iterator I, std::sentinel_for<I> S, class... Rest>
void sort(const context&, I, S, Rest&&...) {
  static_assert(operands<I>, "upsweep: calls take ranges; of a pair of iterators make one: std::span(first, last)");
}

template <class X, class C>
  requires operands<X> && sort_room::no_order<C, element_of<X>>
void sort(const context&, X&&, const C&) {
  static_assert(operands<C>,
                "upsweep: sort goes by options, or by a comparator, bool(const T&, const T&), callable as const; for "
                "members, or what a function makes of a key, give upsweep::by(&T::member)");
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
