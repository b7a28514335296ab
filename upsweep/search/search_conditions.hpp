// The conditions of searches, as functions of the index: on the CPU and, compiled by nvcc, on CUDA. `At` and `Bt`
// return the inputs' elements (core/element_reader.hpp).
#pragma once

#include "upsweep/core/user_call.hpp"
#include "upsweep/half.hpp"
#include "upsweep/search/search_kinds.hpp"
#if !defined(__CUDACC_RTC__)
#include "upsweep/core/element_reader.hpp"
#include "upsweep/search/search_problem.hpp"
#endif

namespace upsweep::detail::search_impl {

#if !defined(__CUDACC_RTC__)
using namespace core;
#endif

struct same {
  template <class A, class B>
  UPSWEEP_HD constexpr bool operator()(const A& a, const B& b) const {
    return core::equal_to_op(a, b);
  }
};
struct precedes {
  template <class A, class B>
  UPSWEEP_HD constexpr bool operator()(const A& a, const B& b) const {
    return core::less_op(a, b);
  }
};
template <class Test>
struct fails {
  Test test;
  template <class T>
  UPSWEEP_HD constexpr bool operator()(const T& x) const {
    return !core::call(test, x);
  }
};
template <class T>
struct is_value {
  T value;
  UPSWEEP_HD constexpr bool operator()(const T& x) const { return core::equal_to_op(x, value); }
};

template <std::size_t Bytes>
using bits_beside = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 8, std::uint64_t, std::uint32_t>>>;

template <class T>
inline constexpr bool may_be_nan = std::is_floating_point_v<T> || std::is_same_v<T, half>;

// In the order of sorted keys: NaNs last, and equal to each other.
struct in_order {
  template <class A, class B>
  UPSWEEP_HD constexpr bool operator()(const A& a, const B& b) const {
    if constexpr (may_be_nan<A> || may_be_nan<B>) {
      return static_cast<bool>(static_cast<int>(a < b) | (static_cast<int>(a == a) & static_cast<int>(!(b == b))));
    } else {
      return core::less_op(a, b);
    }
  }
};
// The reverse order, but NaNs are last here, too.
struct in_falling_order {
  template <class A, class B>
  UPSWEEP_HD constexpr bool operator()(const A& a, const B& b) const {
    if constexpr (may_be_nan<A> || may_be_nan<B>) {
      return static_cast<bool>(static_cast<int>(b < a) | (static_cast<int>(a == a) & static_cast<int>(!(b == b))));
    } else {
      return core::less_op(b, a);
    }
  }
};
// `less` with its operands exchanged.
template <class Less>
struct exchanged {
  Less less;
  template <class A, class B>
  UPSWEEP_HD constexpr bool operator()(const A& a, const B& b) const {
    return static_cast<bool>(core::call(less, b, a));
  }
};

template <class At>
using value_at = std::remove_cvref_t<std::invoke_result_t<const At&, std::uint64_t>>;
// An unsigned type as wide as the elements: counters of it use the same vectors as the comparisons.
template <class At>
using word_beside = bits_beside<sizeof(value_at<At>)>;

template <class At, class Test>
struct passes_at {
  using word = word_beside<At>;
  At at;
  Test test;
  UPSWEEP_HD bool operator()(std::uint64_t i) const { return static_cast<bool>(core::call(test, at(i))); }
};

template <class At, class Equal>
struct adjacent_at {
  using word = word_beside<At>;
  At at;
  Equal equal;
  UPSWEEP_HD bool operator()(std::uint64_t i) const { return static_cast<bool>(core::call(equal, at(i), at(i + 1))); }
};

template <class At, class Bt, class Equal>
struct one_of_at {
  using word = word_beside<At>;
  At at;
  Bt of;
  std::uint64_t m;
  Equal equal;
  UPSWEEP_HD bool operator()(std::uint64_t i) const {
    for (std::uint64_t k = 0; k < m; ++k)
      if (core::call(equal, at(i), of(k))) return true;
    return false;
  }
};

template <class At, class Bt, class Equal>
struct beginning_at {
  using word = word_beside<At>;
  At at;
  Bt pattern;
  std::uint64_t m;
  Equal equal;
  UPSWEEP_HD bool operator()(std::uint64_t i) const {
    for (std::uint64_t k = 0; k < m; ++k)
      if (!core::call(equal, at(i + k), pattern(k))) return false;
    return true;
  }
};

template <class At, class Bt, class Equal>
struct unequal_at {
  using word = word_beside<At>;
  At at;
  Bt with;
  Equal equal;
  UPSWEEP_HD bool operator()(std::uint64_t i) const { return !core::call(equal, at(i), with(i)); }
};

template <class At, class Bt, class Less>
struct apart_at {
  using word = word_beside<At>;
  At at;
  Bt with;
  Less less;
  UPSWEEP_HD bool operator()(std::uint64_t i) const {
    return core::call(less, at(i), with(i)) || core::call(less, with(i), at(i));
  }
};

// How many of [0, m) pass, if all that do precede all others.
template <class Passes>
UPSWEEP_HD constexpr std::uint64_t passing_before(std::uint64_t m, const Passes& passes) {
  std::uint64_t first = 0;
  for (; m > 1; m -= m / 2)  // without a branch, which could not be predicted
    first += m / 2 & (0 - static_cast<std::uint64_t>(passes(first + m / 2 - 1)));
  return m == 1 ? first + static_cast<std::uint64_t>(passes(first)) : first;
}

// Several such searches at once, passes(k, i) being the k-th's: all take as many steps, so that their waits for
// memory overlap.
template <unsigned Searches, class Passes>
UPSWEEP_HD constexpr void passing_before_each(std::uint64_t m, const Passes& passes, std::uint64_t* first) {
  for (unsigned k = 0; k < Searches; ++k) first[k] = 0;
  for (; m > 1; m -= m / 2)
    for (unsigned k = 0; k < Searches; ++k)
      first[k] += m / 2 & (0 - static_cast<std::uint64_t>(passes(k, first[k] + m / 2 - 1)));
  if (m == 1)
    for (unsigned k = 0; k < Searches; ++k) first[k] += static_cast<std::uint64_t>(passes(k, first[k]));
}

// How many of m sorted elements precede x: those less than it, or, `after` equal ones, those not greater.
template <class At, class T, class Less>
UPSWEEP_HD constexpr std::uint64_t bound_of(const At& sorted, std::uint64_t m, const T& x, const Less& less,
                                            bool after) {
  if constexpr (std::is_same_v<Less, in_order> && may_be_nan<T> && may_be_nan<value_at<At>>) {
    // One comparison an element if x is a number, since none with a NaN is true.
    if (!(x == x))
      return after ? m
                   : detail::search_impl::passing_before(m, [&](std::uint64_t i) { return sorted(i) == sorted(i); });
    if (after) return detail::search_impl::passing_before(m, [&](std::uint64_t i) { return sorted(i) <= x; });
    return detail::search_impl::passing_before(m, [&](std::uint64_t i) { return sorted(i) < x; });
  } else {
    if (after)
      return detail::search_impl::passing_before(
          m, [&](std::uint64_t i) { return !static_cast<bool>(core::call(less, x, sorted(i))); });
    return detail::search_impl::passing_before(
        m, [&](std::uint64_t i) { return static_cast<bool>(core::call(less, sorted(i), x)); });
  }
}

// out[i] of bounds.
template <bound Side, class At, class Qt, class Less, class Out>
struct bound_at {
  At sorted;
  std::uint64_t m;
  Qt queries;
  Less less;
  Out* out;
  UPSWEEP_HD void operator()(std::uint64_t i) const {
    const auto& x = queries(i);
    tell(i, x, detail::search_impl::bound_of(sorted, m, x, less, Side == bound::upper));
  }

  // The number of queries handled together, [i, i + at_once), if queries are in memory.
  static constexpr unsigned at_once = std::is_reference_v<decltype(queries(std::uint64_t{}))> ? 16 : 1;
  UPSWEEP_HD void several(std::uint64_t i) const {
    using T = std::remove_cvref_t<decltype(queries(i))>;
    std::uint64_t place[at_once];
    if constexpr (std::is_same_v<Less, in_order> && may_be_nan<T> && may_be_nan<value_at<At>>) {
      bool numbers = true;
      for (unsigned k = 0; k < at_once; ++k) numbers = numbers && queries(i + k) == queries(i + k);
      if (!numbers) {
        for (unsigned k = 0; k < at_once; ++k) (*this)(i + k);
        return;
      }
      detail::search_impl::passing_before_each<at_once>(
          m,
          [&](unsigned k, std::uint64_t at) {
            return Side == bound::upper ? sorted(at) <= queries(i + k) : sorted(at) < queries(i + k);
          },
          place);
    } else {
      detail::search_impl::passing_before_each<at_once>(
          m,
          [&](unsigned k, std::uint64_t at) {
            return Side == bound::upper ? !static_cast<bool>(core::call(less, queries(i + k), sorted(at)))
                                        : static_cast<bool>(core::call(less, sorted(at), queries(i + k)));
          },
          place);
    }
    for (unsigned k = 0; k < at_once; ++k) tell(i + k, queries(i + k), place[k]);
  }

 private:
  template <class T>
  UPSWEEP_HD void tell(std::uint64_t i, const T& x, std::uint64_t place) const {
    if constexpr (Side == bound::found) {
      out[i] = static_cast<Out>(place < m && !core::call(less, x, sorted(place)));
    } else {
      out[i] = static_cast<Out>(place);
    }
  }
};

}  // namespace upsweep::detail::search_impl
