// One readable error for arguments that no overload accepts, in place of the compiler's list of all overloads:
//
//   UPSWEEP_REFUSED(gather, "gather takes an input, indices and an output")
//
// It is written in namespace upsweep, at the end of the last header that declares overloads of the call. The overload
// that it declares is viable only if no earlier overload is.
#pragma once

#include <iterator>
#include <ranges>
#include <vector>

#include "upsweep/core/element_reader.hpp"
#include "upsweep/core/operands.hpp"

namespace upsweep::core {

// True for argument types whose overloads are declared in a later header (device_counted.hpp).
template <class X>
inline constexpr bool has_own_calls = false;

// The result of a refused call. It converts to every type, so that the compiler reports no further error.
struct refused_result {
  template <class T>
  operator T() const;
};

template <class X>
concept an_iterator = std::input_or_output_iterator<std::remove_cvref_t<X>> && !std::ranges::range<X>;
template <class X>
inline constexpr bool is_vector_of_bool = std::same_as<std::remove_cvref_t<X>, std::vector<bool>>;
template <class X>
concept unreadable_range = std::ranges::range<X> && !readable_input<X>;

// Whether one of the arguments is of a kind that no call accepts. A static_assert then names it.
template <class... A>
constexpr bool refused_argument() {
  constexpr bool iterators = (an_iterator<A> || ...), bits = (is_vector_of_bool<A> || ...),
                 lists = (unreadable_range<A> || ...);
  constexpr bool host = (on_host<A> || ...), device = (on_device<A> || ...);
  if constexpr (iterators) {
    static_assert(
        !iterators,
        "upsweep: calls take ranges and no iterators; in place of a back_inserter give an output with a place "
        "for every element, and of a pair of iterators make std::span(first, last)");
  } else if constexpr (bits) {
    static_assert(!bits,
                  "upsweep: a vector of bool has no elements in memory: give a vector of char, or an array of bool");
  } else if constexpr (lists) {
    static_assert(
        !lists,
        "upsweep: an input is a device span, a buffer, or a range with random access and a size; copy a list or "
        "a stream into a vector first");
  } else if constexpr (host && device) {
    static_assert(!(host && device),
                  "upsweep: the operands of one call are all in host memory or all in device memory");
  }
  return iterators || bits || lists || (host && device);
}

}  // namespace upsweep::core

#define UPSWEEP_REFUSED(call, sentence)                                                             \
  namespace core {                                                                                  \
  inline namespace UPSWEEP_COMPILED {                                                               \
  template <class... A>                                                                             \
  concept taken_by_##call =                                                                         \
      requires(const context& where, A&&... a) { upsweep::call(where, static_cast<A&&>(a)...); };   \
  }                                                                                                 \
  }                                                                                                 \
  inline namespace UPSWEEP_COMPILED {                                                               \
  template <class... A>                                                                             \
    requires(!(core::has_own_calls<std::remove_cvref_t<A>> || ...) && !core::taken_by_##call<A...>) \
  core::refused_result call(const context&, A&&...) {                                               \
    if constexpr (!core::refused_argument<A...>())                                                  \
      static_assert(sizeof...(A) == ~std::size_t{0}, "upsweep: " sentence);                         \
    return {};                                                                                      \
  }                                                                                                 \
  }
