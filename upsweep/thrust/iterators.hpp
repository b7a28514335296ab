// Converts iterators and function objects of Thrust to inputs, spans and operators of this library.
#pragma once

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/type_traits/unwrap_contiguous_iterator.h>

#include <functional>
#include <iterator>

#include "upsweep/core/user_call.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/operators/comparisons.hpp"
#include "upsweep/thrust/policy.hpp"
#include "upsweep/views.hpp"

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

// n contiguous elements from `first` on, as a span to read or write.
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

// n elements from `first` on as an input, for any iterator.
template <class It>
auto input(It first, std::uint64_t n) {
  if constexpr (contiguous<It>) {
    const auto s = thrust_calls::span(first, n);
    return device_span<const typename decltype(s)::value_type>(s.data(), n);
  } else {
    return core::make_lazy_view<memory_space::device>(element_at<It>{first}, n);
  }
}

// Compares the types, not the templates: the two compilers of nvcc disagree on whether an alias and its template are
// the same template.
template <template <class> class Standard, class F>
inline constexpr bool is_any = false;
template <template <class> class Standard, template <class> class Of, class T>
inline constexpr bool is_any<Standard, Of<T>> = std::same_as<Standard<T>, Of<T>>;

// plus<int> truncates floats before it adds them, and less<unsigned> takes -1 for the largest value. Such function
// objects are not replaced by plus or less of this library.
template <class F, class X>
inline constexpr bool cuts = false;
template <template <class> class Standard, class T, class X>
inline constexpr bool cuts<Standard<T>, X> =
    !std::is_void_v<T> && std::is_arithmetic_v<T> && std::is_arithmetic_v<X> && !core::holds_all<X, T>();

// Wraps a function that is not const or takes its arguments by mutable reference. Each call uses copies of the function
// and of the arguments.
template <class F>
struct called_anew {
  F f;
  template <class... X>
  UPSWEEP_HD auto operator()(X... x) const {
    F own = f;
    return core::call(own, x...);
  }
};
// Returns f in a form that this library can call: as const, from several threads at once, with elements of the types X.
template <class... X, class F>
auto shared(const F& f) {
  if constexpr (!std::is_invocable_v<const F&, const X&...> && std::is_invocable_v<F&, X&...>) {
    return called_anew<F>{f};
  } else {
    return f;
  }
}

// Types that the built-in operators support.
template <class X>
inline constexpr bool builtin_or_bool = builtin_type<X> || std::is_arithmetic_v<X>;

// Replaces function objects of Thrust and libcu++ by the operators of this library. Any other function is returned in a
// form that can be called with elements of the types X.
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

// f with its results converted to the type of the output, as Thrust's assignment does.
template <class T, class F>
struct converted {
  F f;
  template <class... X>
  UPSWEEP_HD T operator()(const X&... x) const {
    return static_cast<T>(core::call(f, x...));
  }
};
// Elements of type T from an iterator over any type that converts to T.
template <class T, class It>
auto input_of(It first, std::uint64_t n) {
  if constexpr (std::same_as<value_of<It>, T>) {
    return thrust_calls::input(first, n);
  } else {
    return upsweep::views::transform(thrust_calls::input(first, n), converted<T, ::cuda::std::identity>{});
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
      return core::equal_to_op(x, value);
    }
  }
};
// The library's own test if the value has the type of the elements. Otherwise a comparison with ==, as in Thrust.
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
