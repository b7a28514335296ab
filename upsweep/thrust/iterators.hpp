// Thrust's iterators and function objects as this library's inputs, spans and operators.
#pragma once

#include <thrust/functional.h>
#include <thrust/type_traits/unwrap_contiguous_iterator.h>

#include <functional>
#include <iterator>

#include "upsweep/inputs.hpp"
#include "upsweep/operators.hpp"
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

// n elements from first on, to be written or read where they lie.
template <class It>
auto span(It first, std::uint64_t n) {
  static_assert(contiguous<It>,
                "upsweep: this call reads and writes memory: give it pointers, or iterators of a vector; "
                "folds, scans and searches read any iterator");
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

template <template <class> class Standard, class F>
inline constexpr bool is_any = false;
template <template <class> class Standard, class T>
inline constexpr bool is_any<Standard, Standard<T>> = true;

// Thrust's and libcu++'s function objects of any type by the names that this library knows; what is none stays.
template <class F>
auto function(const F& f) {
  if constexpr (is_any<::cuda::std::plus, F>) {
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
    return f;
  }
}

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
