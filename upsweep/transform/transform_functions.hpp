// A call as a function of the index, which returns the element at place i of its output. And the requirements on its
// types.
#pragma once

#include "upsweep/core/user_call.hpp"
#include "upsweep/views.hpp"

namespace upsweep::detail::transform_impl {

using namespace core;

// f of the elements of a zip_reference.
template <class F, class At, class Indices>
struct of_zip_reference;
template <class F, class At, std::size_t... I>
struct of_zip_reference<F, At, std::index_sequence<I...>> {
  F f;
  At at;
  UPSWEEP_HD constexpr auto operator()(std::uint64_t i) const {
    const auto r = at(i);
    return core::call(f, r.template get<I>()...);
  }
};

template <class F, class... At>
auto function_of(F f, At... at) {
  if constexpr (sizeof...(At) == 1) {
    return core::transform_function{std::move(at)..., std::move(f)};
  } else {
    auto zip = core::make_zip_function(std::move(at)...);
    return of_zip_reference<F, decltype(zip), std::index_sequence_for<At...>>{std::move(f), std::move(zip)};
  }
}

// f after the first indices: a chunk's.
template <class F>
struct further_on {
  F f;
  std::uint64_t first;
  UPSWEEP_HD constexpr auto operator()(std::uint64_t i) const { return core::call(f, first + i); }
};

template <class F>
struct without_index {
  F f;
  UPSWEEP_HD constexpr auto operator()(std::uint64_t) const { return core::call(f); }
};

// first + i·step; integers wrap.
template <class T>
struct stepped_from {
  T first, step;
  UPSWEEP_HD constexpr T operator()(std::uint64_t i) const {
    return plus{}(first, multiplies{}(static_cast<T>(i), step));
  }
};

struct difference {
  static constexpr const char* source = "(a - b)";
  template <class T>
  UPSWEEP_HD constexpr T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
    } else if constexpr (std::is_arithmetic_v<T>) {
      return a - b;
    } else {
      return core::minus_op(a, b);
    }
  }
};

// x_0, op(x_1, x_0), op(x_2, x_1), …
template <class T, class At, class Op>
struct beside_the_one_before {
  At at;
  Op op;
  UPSWEEP_HD constexpr T operator()(std::uint64_t i) const {
    if (i == 0) return static_cast<T>(at(0));
    return static_cast<T>(core::call(op, at(i), at(i - 1)));
  }
};

// op(x_1, x_0), op(x_2, x_1), …
template <class At, class Op>
struct later_ones {
  At at;
  Op op;
  UPSWEEP_HD constexpr auto operator()(std::uint64_t i) const { return core::call(op, at(i + 1), at(i)); }
};

// Every value of R is one of T, or makes one.
template <class R, class T>
inline constexpr bool place_for = holds_all<R, T>() || (!std::is_arithmetic_v<T> && std::convertible_to<R, T>);

template <class R, class T>
constexpr bool require_place_for() {
  constexpr bool place = place_for<std::remove_cvref_t<R>, T>;
  static_assert(place,
                "upsweep: the output's elements do not hold every value that is written to them; give it an output "
                "of a type that does, or convert in the function");
  return place;
}

template <class F, class... X>
constexpr bool require_function() {
  core::require_both_sides<F>();
  constexpr bool called = std::is_invocable_v<const F&, const X&...>;
  static_assert(called,
                "upsweep: this function cannot be called with one element of each input, in their order (threads share "
                "it, so that a lambda may not be mutable)");
  constexpr bool member = std::is_member_pointer_v<F>;
  static_assert(!member, "upsweep: a pointer to a member is not a function; give std::mem_fn of it, or a lambda");
  return called && !member;
}

template <class Y>
constexpr bool require_output() {
  constexpr bool memory = operands<Y>;
  static_assert(
      memory,
      "upsweep: a call writes to a device span, a buffer or a contiguous range; a deque is not contiguous, and a "
      "vector of bool has no elements in memory: give a vector of char, or an array of bool");
  return memory;
}

// All of them in device memory, or all in the host's.
template <class Y, class... X>
constexpr bool require_one_side() {
  constexpr bool one = ((memory_space_of<X> == memory_space::any || memory_space_of<X> == memory_space_of<Y>) && ...);
  static_assert(one, "upsweep: the inputs and the output of one call are all in host memory or all in device memory");
  return one && require_output<Y>();
}

template <class... X>
constexpr bool require_inputs() {
  (core::require_input<X>(), ...);
  return (readable_input<X> && ...);
}

// A value for elements of T (core/lossless_conversion.hpp).
template <class T, class V>
T value_for(const char* call, const V& value) {
  constexpr bool given = given_for<V, T>;
  static_assert(given, "upsweep: this value does not convert to the elements' type; give one of theirs");
  if constexpr (given) return core::given_value<T>(call, "the value", value);
}

}  // namespace upsweep::detail::transform_impl
