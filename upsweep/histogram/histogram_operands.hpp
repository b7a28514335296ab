// Creates problems from a histogram's operands; host memory that does not fit on the device goes through it in chunks.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <utility>

#include "upsweep/buffer.hpp"
#include "upsweep/core/operands.hpp"
#include "upsweep/histogram/histogram_bins.hpp"
#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/histogram/histogram_weights.hpp"

namespace upsweep::detail::histogram_impl {

using namespace core;

// Throws fault::bad_argument for no bins or too many, no channels, counts that channels do not divide.
std::uint64_t bins_of(const char* where, std::uint64_t counts, std::uint32_t channels);
void require_bins(const char* where, std::uint64_t bins);

template <class T>
problem make_problem(const char* where, std::uint64_t counts, std::uint32_t channels) {
  static_assert(builtin_type<T>,
                "upsweep: histograms take samples of built-in types; map each sample to a number first");
  problem p;
  p.what = primitive::histogram, p.type = dtype_of<T>;
  p.channels = channels;
  p.m = bins_of(where, counts, channels);
  return p;
}

template <class B>
std::string bound_text(B lower, B upper) {
  std::string text = "[";  // GCC 12 at -O3 reports "[" + … as a copy out of bounds
  return text += std::to_string(lower) + ", " + std::to_string(upper) + ")";
}

template <class T>
void set_bounds(const char* where, problem& p, bound_of<T> lower, bound_of<T> upper) {
  if (!(lower < upper))
    core::throw_error(error(fault::bad_argument, where, "the bounds " + bound_text(lower, upper) + " hold nothing",
                            "give a lower bound below the upper one"));
  if constexpr (std::is_floating_point_v<bound_of<T>>) {
    if (!std::isfinite(upper - lower) || !std::isfinite(static_cast<bound_of<T>>(p.m) / (upper - lower)))
      core::throw_error(error(fault::bad_argument, where,
                              "the width of the bins over " + bound_text(lower, upper) + " is not a finite number",
                              "give bounds that are neither that far nor that close"));
  } else if (lower < lowest_bound<T> || upper > highest_bound<T>) {
    core::throw_error(error(fault::bad_argument, where,
                            "the bounds " + bound_text(lower, upper) + " exceed the range of bins of " +
                                std::string(name_of(dtype_of<T>)) + " can cover",
                            "keep them within " + bound_text(lowest_bound<T>, highest_bound<T>)));
  }
  p.lower = scalar::of(lower), p.upper = scalar::of(upper);
}

// A bound of bins for T as the caller passes it: a number of any type that keeps its value, or a type that converts.
template <class B, class T>
concept bound_for = std::is_arithmetic_v<B> || std::convertible_to<const B&, bound_of<T>>;

// The smallest number of the bounds' own type that is not below the given one: x < bound gives the same result for
// every sample with both. Throws where there is none.
template <class T, class B>
bound_of<T> bound_from(const char* where, const B& given) {
  using own = bound_of<T>;
  constexpr bool of_integers = std::is_integral_v<own>;
  if constexpr (std::is_same_v<B, own> || !std::is_arithmetic_v<B>) {
    return given;
  } else if constexpr (of_integers) {
    static_assert(
        std::is_integral_v<B>,
        "upsweep: bounds of integers are integers: give integers, or floating-point samples, by views::transform()");
    const auto whole = +given;  // std::in_range takes neither bool nor char
    if (!std::in_range<own>(whole))
      core::throw_error(error(fault::bad_argument, where,
                              "the bound " + std::to_string(whole) + " is outside of the range that bins of " +
                                  std::string(name_of(dtype_of<T>)) + " can cover",
                              "keep it within " + bound_text(lowest_bound<T>, highest_bound<T>)));
    return static_cast<own>(whole);
  } else {
    const own near = static_cast<own>(given);
    bool below;
    if constexpr (std::is_integral_v<B>) {
      // A value that converts to 2^63 or 2^64 is above every number of B.
      const own end = std::ldexp(own(1), std::numeric_limits<B>::digits);
      below = near < end && static_cast<B>(near) < given;
    } else {
      below = static_cast<B>(near) < given;
    }
    return below ? std::nextafter(near, std::numeric_limits<own>::infinity()) : near;
  }
}

template <class T, class L, class U>
void set_bounds_from(const char* where, problem& p, const L& lower, const U& upper) {
  set_bounds<T>(where, p, bound_from<T>(where, lower), bound_from<T>(where, upper));
}

// A closed last bin may be one number.
template <class T>
void require_increasing(const char* where, const T* edges, std::uint64_t count, bool closed = false) {
  for (std::uint64_t i = 1; i < count; ++i)
    if (!(edges[i - 1] < edges[i] || (closed && i + 1 == count && edges[i - 1] == edges[i])))
      core::throw_error(error(fault::bad_argument, where,
                              "edge " + std::to_string(i) + " is not above the one before it",
                              "give edges that increase"));
}

inline namespace UPSWEEP_COMPILED {

template <class T>
void set_edges(const char* where, const context& at, problem& p, operand<const T> edges) {
  require_reach(where, at, {{"the edges", edges}});
  if (edges.size() != p.m + 1)
    core::throw_error(error(fault::bad_argument, where,
                            std::to_string(p.m) + " bins have " + std::to_string(p.m + 1) + " edges, and " +
                                std::to_string(edges.size()) + " are given",
                            "give one edge more than there are bins"));
  p.edges = true;
  if (!edges.on_host() && at.kind() != backend::cpu && !core::is_checked(at)) return;
  require_increasing(where, readable<T>(at, edges).data(), edges.size(), p.closed);
}

}  // namespace UPSWEEP_COMPILED

// The weights of an unweighted histogram.
using no_weights = operand<const float>;

template <class T, class W, class Out>
void count_into(const char* name, const context& where, problem p, operand<const T> samples, operand<const T> edges,
                operand<const W> weights, operand<Out> out) {
  static_assert(std::is_same_v<W, float> || std::is_same_v<W, double>, "upsweep: weights are floats or doubles");
  static_assert(std::is_same_v<Out, std::uint64_t> || std::is_same_v<Out, double>,
                "upsweep: counts are std::uint64_t, sums of weights double");
  p.weight_type = dtype_of<W>;
  if (p.weighted)
    require_same_size(name, "the samples have # elements and the weights #", samples.size(), weights.size());
  require_no_overlap(name, where,
                     {{"the samples", samples}, {"the edges", edges}, {"the weights", weights}, {"the output", out}});
  if (samples.accessible_from(where)) {
    p.in = samples.where(), p.in2 = weights.where(), p.in3 = edges.where(), p.out = out.where();
    p.n = samples.size();
    return detail::histogram_impl::run(where, p);
  }
  if (p.weighted && where.deterministic() == determinism::across_devices) differs_by_device(name, where.device());
  const buffer<T> bounds(where, edges.host());
  buffer<Out> some(where, out.size());
  std::vector<Out> counted(out.size());
  std::vector<std::conditional_t<std::is_same_v<Out, double>, sum_of_parts, std::uint64_t>> all(out.size());
  const auto count = [&](std::uint64_t first, std::uint64_t n) {
    const buffer<T> part(where, samples.part(first, n).host());
    const buffer<W> heavy(where, weights.part(first, p.weighted ? n : 0).host());
    detail::histogram_impl::count_into<T, W, Out>(name, where, p, part.span(), bounds.span(), heavy.span(),
                                                  some.span());
    some.download(counted);
    for (std::uint64_t b = 0; b < out.size(); ++b)
      if constexpr (std::is_same_v<Out, double>)
        all[b].add(counted[b]);
      else
        all[b] += counted[b];
  };
  // A whole number of rounds of the channels.
  const std::uint64_t chunk = chunk_elements(where.device(), samples.size(), sizeof(T) + (p.weighted ? sizeof(W) : 0));
  for_each_chunk_of(std::max<std::uint64_t>(chunk / p.channels, 1) * p.channels, samples.size(), count);
  if (samples.size() == 0) count(0, 0);  // throws the same errors as with elements
  for (std::uint64_t b = 0; b < out.size(); ++b)
    if constexpr (std::is_same_v<Out, double>)
      out[b] = all[b].value();
    else
      out[b] = all[b];
}

}  // namespace upsweep::detail::histogram_impl
