// Arguments that sort does not accept, each with a compiler message.
#pragma once

#include <iterator>
#include <ranges>

#include "upsweep/core/element_reader.hpp"
#include "upsweep/core/no_overload.hpp"
#include "upsweep/core/operands.hpp"
#include "upsweep/sort/sort_comparators.hpp"
#include "upsweep/sort/sort_lazy.hpp"

namespace upsweep {

namespace detail::sort_impl {

// A range, or a lazy view, but not keys in memory.
template <class X>
concept no_memory = (std::ranges::range<X> || core::is_lazy_view<std::remove_cvref_t<X>>) && !operands<X>;

// Neither an output, nor options, nor a comparator.
template <class C, class T>
concept no_order = !operands<C> && !no_memory<C> && !std::convertible_to<const C&, sort_options> &&
                   !std::is_invocable_r_v<bool, const C&, const T&, const T&>;

}  // namespace detail::sort_impl

inline namespace UPSWEEP_COMPILED {

template <class X>
  requires detail::sort_impl::no_memory<X>
void sort(const context&, X&&, const sort_options& = {}) {
  static_assert(
      operands<X>,
      "upsweep: keys are sorted in place in device spans, buffers and contiguous ranges; a deque, a vector of "
      "bool or what is made as it is read wants an output; copy a list into a vector first");
}
template <class X, class Y, class... Rest>
  requires detail::sort_impl::no_memory<X> && (!detail::sort_impl::made_keys<X> || !operands<Y>)
void sort(const context&, X&&, Y&&, Rest&&...) {
  static_assert(
      operands<X>,
      "upsweep: keys are sorted in place in device spans, buffers and contiguous ranges; a deque, a vector of "
      "bool or what is made as it is read wants an output; copy a list into a vector first");
}

template <std::input_iterator I, std::sentinel_for<I> S, class... Rest>
void sort(const context&, I, S, Rest&&...) {
  static_assert(operands<I>, "upsweep: calls take ranges; make one of a pair of iterators: std::span(first, last)");
}

template <class X, class C>
  requires operands<X> && detail::sort_impl::no_order<C, element_of<X>>
void sort(const context&, X&&, const C&) {
  static_assert(operands<C>,
                "upsweep: sort takes options, or a comparator, bool(const T&, const T&), callable as const; for "
                "members, or what a function makes of a key, give upsweep::by(&T::member)");
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
