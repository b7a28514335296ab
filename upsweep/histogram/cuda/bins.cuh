// From a problem with its types erased to its bins: the types that the CUDA histograms are compiled for. Integers are
// counted as words; whether these have a sign is found out at run time.
#pragma once

#include "upsweep/histogram/bins.hpp"
#include "upsweep/histogram/problem.hpp"

namespace upsweep::cuda {

// Even bins of integers of 8 and 16 bits: the rule is the same for all of up to 32.
template <class U>
struct narrow_bins {
  histogram_room::even_bins<std::uint32_t> bins;
  std::uint32_t sign;  // the bit that is the sign's, or 0
  __device__ std::uint32_t operator()(U x) const { return bins((std::uint32_t{x} ^ sign) - sign); }
};

// Custom bins of integers: with the sign's bit turned round they are in order as numbers without a sign are.
template <class U>
struct word_edges {
  const U* edges;
  std::uint32_t m;
  U sign;
  __device__ std::uint32_t operator()(U sample) const {
    const auto at = [&](std::uint32_t i) { return static_cast<U>(edges[i] ^ sign); };
    const U x = sample ^ sign;
    if (!(at(0) <= x && x < at(m))) return histogram_room::no_bin;
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
void with_bins(const histogram_room::problem& p, F&& f) {
  with_any_type(p.type, [&]<class T>(type_tag<T> tag) {
    using bound = histogram_room::bound_of<T>;
    const auto m = static_cast<std::uint32_t>(p.m);
    if constexpr (!std::is_integral_v<T>) {
      if (p.edges) return f(tag, histogram_room::edge_bins<T>{p.in3.as<const T>(), m});
      f(tag, histogram_room::even_bins<T>::of(p.lower.as<bound>(), p.upper.as<bound>(), p.m));
    } else {
      using word = std::make_unsigned_t<T>;
      constexpr word sign = std::is_signed_v<T> ? static_cast<word>(word{1} << (8 * sizeof(T) - 1)) : word{0};
      // The commonest keys are spared the turning.
      if constexpr (std::is_same_v<T, std::uint32_t>)
        if (p.edges) return f(tag, histogram_room::edge_bins<T>{p.in3.as<const T>(), m});
      if (p.edges) return f(type_tag<word>{}, word_edges<word>{p.in3.as<const word>(), m, sign});
      using counted = std::conditional_t<(sizeof(T) < 4), std::uint32_t, word>;
      using as = histogram_room::bound_of<counted>;  // the same bits
      const auto bins = histogram_room::even_bins<counted>::of(p.lower.as<as>(), p.upper.as<as>(), p.m);
      if constexpr (sizeof(T) < 4) {
        f(type_tag<word>{}, narrow_bins<word>{bins, sign});
      } else {
        f(type_tag<word>{}, bins);
      }
    }
  });
}

}  // namespace upsweep::cuda
