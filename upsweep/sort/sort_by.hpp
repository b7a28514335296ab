// Orders by several parts of an element; the first part that differs decides:
//
//   upsweep::sort(c, people, upsweep::by(&person::family, &person::given));
//   upsweep::sort(c, trades.span(), upsweep::by(&trade::day, upsweep::descending(&trade::price)));
//   upsweep::sort(c, words, upsweep::by(&std::string::size, [](const std::string& w) { return w.substr(0, 1); }));
//
// A part is a member, or the result of a function of the element (on CUDA a UPSWEEP_HD function). Parts are ordered
// by <, floats as sort orders keys: NaNs last and equal to each other, the zeros of both signs equal. descending
// reverses one part, including its NaNs. The comparator returned by by is accepted wherever a user-defined comparator
// is.
#pragma once

#include <type_traits>
#include <utility>

#include "upsweep/core/user_call.hpp"
#include "upsweep/types.hpp"

namespace upsweep {

namespace detail::sort_impl {

template <class T>
UPSWEEP_HD constexpr bool part_before(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, half>) {
    return a < b || (!(b == b) && a == a);
  } else {
    return core::less_op(a, b);
  }
}

template <class Part, bool Descending>
struct part_order {
  Part part;

  template <class T>
  UPSWEEP_HD constexpr decltype(auto) of(const T& x) const {
    if constexpr (std::is_member_object_pointer_v<Part>) {
      return (x.*part);
    } else if constexpr (std::is_member_function_pointer_v<Part>) {
      core::require_callable_on_a_gpu<Part, T>();
      return (x.*part)();
    } else {
      return core::call(part, x);
    }
  }
  // Below 0: a precedes. Above 0: b precedes.
  template <class T>
  UPSWEEP_HD constexpr int operator()(const T& a, const T& b) const {
    const auto& x = of(a);
    const auto& y = of(b);
    return part_before(x, y) ? (Descending ? 1 : -1) : part_before(y, x) ? (Descending ? -1 : 1) : 0;
  }
};

template <class Part>
inline constexpr bool is_part_order = false;
template <class Part, bool Descending>
inline constexpr bool is_part_order<part_order<Part, Descending>> = true;

template <class Part>
constexpr auto order_of(Part part) {
  if constexpr (is_part_order<Part>) {
    return part;
  } else {
    return part_order<Part, false>{std::move(part)};
  }
}

template <class Part, class T>
concept part_of = requires(const Part& part, const T& x) { part(x, x); };

template <class First, class... Rest>
struct by_parts {
  First first;
  by_parts<Rest...> rest;

  template <class T>
  UPSWEEP_HD constexpr int compare(const T& a, const T& b) const {
    const int c = first(a, b);
    return c != 0 ? c : rest.compare(a, b);
  }
  template <class T>
    requires part_of<First, T> && (part_of<Rest, T> && ...)
  UPSWEEP_HD constexpr bool operator()(const T& a, const T& b) const {
    return compare(a, b) < 0;
  }
};
template <class First>
struct by_parts<First> {
  First first;

  template <class T>
  UPSWEEP_HD constexpr int compare(const T& a, const T& b) const {
    return first(a, b);
  }
  template <class T>
    requires part_of<First, T>
  UPSWEEP_HD constexpr bool operator()(const T& a, const T& b) const {
    return first(a, b) < 0;
  }
};

template <class First>
constexpr by_parts<First> abreast(First first) {
  return {std::move(first)};
}
template <class First, class Second, class... Rest>
constexpr by_parts<First, Second, Rest...> abreast(First first, Second second, Rest... rest) {
  return {std::move(first), detail::sort_impl::abreast(std::move(second), std::move(rest)...)};
}

}  // namespace detail::sort_impl

template <class Part>
constexpr detail::sort_impl::part_order<Part, true> descending(Part part) {
  return {std::move(part)};
}

template <class... Parts>
  requires(sizeof...(Parts) > 0)
constexpr auto by(Parts... parts) {
  return detail::sort_impl::abreast(detail::sort_impl::order_of(std::move(parts))...);
}

}  // namespace upsweep
