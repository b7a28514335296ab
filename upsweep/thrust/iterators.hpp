// Thrust's iterators and function objects as this library's inputs, spans and operators.
#pragma once

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/type_traits/unwrap_contiguous_iterator.h>

#include <functional>
#include <iterator>

#include "upsweep/core/call.hpp"
#include "upsweep/inputs.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/operators/comparisons.hpp"
#include "upsweep/thrust/policy.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

template <class It>
inline constexpr bool contiguous = thrust::is_contiguous_iterator_v<It>;
template <class It>
using value_of = typename std::iterator_traits<It>::value_type;

template <class It>
std::uint64_t length(It first, It last) {
  return static_cast<std::uint64_t>(last - first);
}
template <class It>
It behind(It first, std::uint64_t n) {
  return first + static_cast<std::ptrdiff_t>(n);
}

// n elements from first on, to be written or read where they lie in one piece of memory.
template <class It>
auto span(It first, std::uint64_t n) {
  static_assert(contiguous<It>);
  auto* const address = thrust::unwrap_contiguous_iterator(first);
  return device_span<std::remove_pointer_t<decltype(address)>>(address, n);
}

template <class It>
struct element_at {
  It first;
  UPSWEEP_HD value_of<It> operator()(std::uint64_t i) const {
    return first[static_cast<typename std::iterator_traits<It>::difference_type>(i)];
  }
};

// The same to be read alone, however its elements come to be.
template <class It>
auto input(It first, std::uint64_t n) {
  if constexpr (contiguous<It>) {
    const auto s = thrust_calls::span(first, n);
    return device_span<const typename decltype(s)::value_type>(s.data(), n);
  } else {
    return core::made<home::device>(element_at<It>{first}, n);
  }
}

// Asked of the types: whether an alias and its template are one name, nvcc's two compilers see differently.
template <template <class> class Standard, class F>
inline constexpr bool is_any = false;
template <template <class> class Standard, template <class> class Of, class T>
inline constexpr bool is_any<Standard, Of<T>> = std::same_as<Standard<T>, Of<T>>;

// plus<int> cuts floats before it adds them, less<unsigned> takes -1 for the greatest: such a one is no plus, no less.
template <class F, class X>
inline constexpr bool cuts = false;
template <template <class> class Standard, class T, class X>
inline constexpr bool cuts<Standard<T>, X> =
    !std::is_void_v<T> && std::is_arithmetic_v<T> && std::is_arithmetic_v<X> && !core::holds_all<X, T>();

// A function that is not const, or takes what it may change: a copy is called, with copies.
template <class F>
struct called_anew {
  F f;
  template <class... X>
  UPSWEEP_HD auto operator()(X... x) const {
    F own = f;
    return core::call(own, x...);
  }
};
// f as this library calls it: as const, from several threads at once, with elements of the types X.
template <class... X, class F>
auto shared(const F& f) {
  if constexpr (!std::is_invocable_v<const F&, const X&...> && std::is_invocable_v<F&, X&...>) {
    return called_anew<F>{f};
  } else {
    return f;
  }
}

// What the library's own operators are of.
template <class X>
inline constexpr bool builtin_or_bool = builtin_type<X> || std::is_arithmetic_v<X>;

// Thrust's and libcu++'s function objects of any type by the names that this library knows; what is none stays, to be
// called with elements of the types X.
template <class... X, class F>
auto function(const F& f) {
  if constexpr (!(builtin_or_bool<X> && ...) || (cuts<F, X> || ...)) {
    return thrust_calls::shared<X...>(f);
  } else if constexpr (is_any<::cuda::std::plus, F>) {
    return plus{};
  } else if constexpr (is_any<::cuda::std::multiplies, F>) {
    return multiplies{};
  } else if constexpr (is_any<thrust::minimum, F>) {
    return minimum{};
  } else if constexpr (is_any<thrust::maximum, F>) {
    return maximum{};
  } else if constexpr (is_any<::cuda::std::bit_and, F>) {
    return bit_and{};
  } else if constexpr (is_any<::cuda::std::bit_or, F>) {
    return bit_or{};
  } else if constexpr (is_any<::cuda::std::bit_xor, F>) {
    return bit_xor{};
  } else if constexpr (is_any<::cuda::std::logical_and, F>) {
    return logical_and{};
  } else if constexpr (is_any<::cuda::std::logical_or, F>) {
    return logical_or{};
  } else if constexpr (is_any<::cuda::std::less, F>) {
    return std::less<>{};
  } else if constexpr (is_any<::cuda::std::greater, F>) {
    return std::greater<>{};
  } else if constexpr (is_any<::cuda::std::equal_to, F>) {
    return std::equal_to<>{};
  } else if constexpr (is_any<::cuda::std::negate, F>) {
    return negate{};
  } else if constexpr (is_any<thrust::square, F>) {
    return square{};
  } else if constexpr (std::same_as<F, ::cuda::std::identity>) {
    return identity{};
  } else {
    return thrust_calls::shared<X...>(f);
  }
}

// f's results in the output's type, as Thrust assigns them.
template <class T, class F>
struct converted {
  F f;
  template <class... X>
  UPSWEEP_HD T operator()(const X&... x) const {
    return static_cast<T>(core::call(f, x...));
  }
};
// Ts from an iterator of whatever its elements are.
template <class T, class It>
auto input_of(It first, std::uint64_t n) {
  if constexpr (std::same_as<value_of<It>, T>) {
    return thrust_calls::input(first, n);
  } else {
    return upsweep::transformed(thrust_calls::input(first, n), converted<T, ::cuda::std::identity>{});
  }
}

template <class V>
struct compares_equal {
  V value;
  template <class T>
  UPSWEEP_HD bool operator()(const T& x) const {
    if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<V>) {
      using both = std::common_type_t<T, V>;
      return static_cast<both>(x) == static_cast<both>(value);
    } else {
      return core::same_value(x, value);
    }
  }
};
// In the elements' own type the library's test; Thrust compares all others as == does.
template <class It, class V>
auto equality(const V& value) {
  if constexpr (builtin_type<V> && std::same_as<V, value_of<It>>) {
    return upsweep::equal_to(value);
  } else {
    return compares_equal<V>{value};
  }
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
