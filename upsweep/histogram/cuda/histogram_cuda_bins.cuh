// From a problem to the types of bins that the CUDA histograms are compiled for. Integers are counted as words; whether
// they are signed is tested at run time.
#pragma once

#include "upsweep/histogram/histogram_bins.hpp"
#include "upsweep/histogram/histogram_problem.hpp"

namespace upsweep::cuda {

// Even bins of integers of 8 and 16 bits; integers of up to 32 bits all follow the same rule.
template <class U>
struct narrow_bins {
  detail::histogram_impl::even_bins<std::uint32_t> bins;
  std::uint32_t sign;  // the sign bit, or 0
  __device__ std::uint32_t operator()(U x) const { return bins((std::uint32_t{x} ^ sign) - sign); }
};

// Custom bins of integers: with the sign bit flipped signed integers have the order of unsigned ones.
template <class U>
struct word_edges {
  const U* edges;
  std::uint32_t m;
  U sign;
  bool closed;
  __device__ std::uint32_t operator()(U sample) const {
    const auto at = [&](std::uint32_t i) { return static_cast<U>(edges[i] ^ sign); };
    const U x = sample ^ sign;
    if (!(at(0) <= x && (x < at(m) || (closed && x == at(m))))) return detail::histogram_impl::no_bin;
    std::uint32_t low = 0, high = m;  // edge `low` <= x < edge `high`
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (at(middle) <= x ? low : high) = middle;
    }
    return low;
  }
};

// Calls f(type_tag<T>{}, bins).
template <class F>
void with_bins(const detail::histogram_impl::problem& p, F&& f) {
  with_any_type(p.type, [&]<class T>(type_tag<T> tag) {
    using bound = detail::histogram_impl::bound_of<T>;
    const auto m = static_cast<std::uint32_t>(p.m);
    if constexpr (!std::is_integral_v<T>) {
      if (p.edges) return f(tag, detail::histogram_impl::edge_bins<T>{p.in3.as<const T>(), m, p.closed});
      f(tag, detail::histogram_impl::even_bins<T>::of(p.lower.as<bound>(), p.upper.as<bound>(), p.m));
    } else {
      using word = std::make_unsigned_t<T>;
      constexpr word sign = std::is_signed_v<T> ? static_cast<word>(word{1} << (8 * sizeof(T) - 1)) : word{0};
      // Common keys avoid the flip.
      if constexpr (std::is_same_v<T, std::uint32_t>)
        if (p.edges) return f(tag, detail::histogram_impl::edge_bins<T>{p.in3.as<const T>(), m, p.closed});
      if (p.edges) return f(type_tag<word>{}, word_edges<word>{p.in3.as<const word>(), m, sign, p.closed});
      using counted = std::conditional_t<(sizeof(T) < 4), std::uint32_t, word>;
      using as = detail::histogram_impl::bound_of<counted>;  // the same bits
      const auto bins = detail::histogram_impl::even_bins<counted>::of(p.lower.as<as>(), p.upper.as<as>(), p.m);
      if constexpr (sizeof(T) < 4) {
        f(type_tag<word>{}, narrow_bins<word>{bins, sign});
      } else {
        f(type_tag<word>{}, bins);
      }
    }
  });
}

}  // namespace upsweep::cuda
