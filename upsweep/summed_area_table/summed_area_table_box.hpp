// Sums of box filters. A part holds the sums of some elements. Two parts join to the part of all their elements, and a
// part is never subtracted. So elements that have left the box leave no trace in its sum, and a small sum is never the
// difference of large ones.
//
//   to_accumulator(x)   the part of one element; part{} is that of no element
//   joined(a, b, k, l)  the part of a's k elements and b's l
//   result(a, k)        the result of the filter for k elements
//
// Sums of integers are unsigned and wrap; sums of floats are made in f64. Variances are of the population. For elements
// of up to 16 bits they come from the exact sums Σx and Σx²: k·Σx² - (Σx)² is an integer of up to 128 bits, rounded
// once. Others carry the mean and the sum of squared distances from it (T. Chan, G. Golub, R. LeVeque, 1979), whose
// joining adds only terms that are not negative.
#pragma once

#include <type_traits>

#include "upsweep/summed_area_table/summed_area_table_problem.hpp"
#include "upsweep/summed_area_table/summed_area_table_types.hpp"

namespace upsweep::detail::summed_area_table_impl {

// The type that sums for Out are made in.
template <class In, class Out>
using sum_type = std::conditional_t<std::is_floating_point_v<In>, double,
                                    std::conditional_t<sizeof(Out) == 4, std::uint32_t, std::uint64_t>>;

// Sign and all: sums modulo 2^64 of negative numbers.
template <class Sum, class In>
UPSWEEP_HD constexpr Sum widened(In x) {
  if constexpr (std::is_floating_point_v<Sum>)
    return x;
  else
    return static_cast<Sum>(static_cast<std::int64_t>(x));
}

template <class In, class Out>
struct box_sum_of {
  using part = sum_type<In, Out>;
  static constexpr bool counts = false;  // joined() looks at k and l
  UPSWEEP_HD static constexpr part to_accumulator(In x) { return widened<part>(x); }
  UPSWEEP_HD static constexpr part joined(part a, part b, double, double) { return a + b; }
  UPSWEEP_HD static constexpr Out result(part a, std::uint64_t) { return static_cast<Out>(a); }
};

template <class In, class Out>
struct box_mean_of {
  using part = std::conditional_t<std::is_floating_point_v<In>, double, std::uint64_t>;
  static constexpr bool counts = false;
  UPSWEEP_HD static constexpr part to_accumulator(In x) { return widened<part>(x); }
  UPSWEEP_HD static constexpr part joined(part a, part b, double, double) { return a + b; }
  UPSWEEP_HD static constexpr Out result(part a, std::uint64_t k) {
    if constexpr (std::is_integral_v<Out>) {
      // Half to even. Those have no sign.
      const std::uint64_t down = a / k, twice = 2 * (a % k);
      return static_cast<Out>(down + (twice > k || (twice == k && down % 2 != 0) ? 1 : 0));
    } else if constexpr (std::is_signed_v<In> && std::is_integral_v<In>) {
      return static_cast<Out>(static_cast<double>(static_cast<std::int64_t>(a)) / static_cast<double>(k));
    } else {
      return static_cast<Out>(static_cast<double>(a) / static_cast<double>(k));
    }
  }
};

UPSWEEP_HD constexpr std::uint64_t upper_half_of_product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
  const std::uint64_t middle = ah * bl + (al * bl >> 32), other = al * bh + (middle & 0xffffffff);
  return ah * bh + (middle >> 32) + (other >> 32);
}

struct exact_moments {
  std::uint64_t sum = 0, squares = 0;
};
struct moments {
  double mean = 0, squares = 0;  // squares of the distances from the mean
};

template <class In, class Out>
struct box_variance_of {
  static constexpr bool exact = std::is_integral_v<In> && sizeof(In) <= 2;
  using part = std::conditional_t<exact, exact_moments, moments>;
  static constexpr bool counts = !exact;
  UPSWEEP_HD static constexpr part to_accumulator(In x) {
    if constexpr (exact)
      return {x, std::uint64_t{x} * x};
    else
      return {static_cast<double>(x), 0};
  }
  UPSWEEP_HD static constexpr part joined(part a, part b, double k, double l) {
    if constexpr (exact) {
      return {a.sum + b.sum, a.squares + b.squares};
    } else {
      const double share = k + l > 0 ? l / (k + l) : 0, apart = b.mean - a.mean;
      return {a.mean + apart * share, a.squares + b.squares + apart * apart * (k * share)};
    }
  }
  UPSWEEP_HD static constexpr Out result(part a, std::uint64_t k) {
    const auto n = static_cast<double>(k);
    if constexpr (exact) {
      const std::uint64_t lower = k * a.squares, less = a.sum * a.sum;
      const std::uint64_t upper =
          upper_half_of_product(k, a.squares) - upper_half_of_product(a.sum, a.sum) - (lower < less);
      return static_cast<Out>((static_cast<double>(upper) * 0x1p64 + static_cast<double>(lower - less)) / n / n);
    } else {
      return static_cast<Out>(a.squares / n);
    }
  }
};

// Calls f(rule of the problem, type_tag<In>, type_tag<Out>).
template <class F>
void with_box(const problem& p, F f) {
  switch (p.box) {
    case box_result::sum:
      return with_pair<box_result::sum>(
          p.type, p.out_type,
          [&]<class In, class Out>(type_tag<In> in, type_tag<Out> out) { f(box_sum_of<In, Out>(), in, out); });
    case box_result::mean:
      return with_pair<box_result::mean>(
          p.type, p.out_type,
          [&]<class In, class Out>(type_tag<In> in, type_tag<Out> out) { f(box_mean_of<In, Out>(), in, out); });
    case box_result::variance:
      return with_pair<box_result::variance>(
          p.type, p.out_type,
          [&]<class In, class Out>(type_tag<In> in, type_tag<Out> out) { f(box_variance_of<In, Out>(), in, out); });
  }
}

}  // namespace upsweep::detail::summed_area_table_impl
