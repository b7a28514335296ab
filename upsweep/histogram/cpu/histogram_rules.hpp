// The rule that maps a problem's samples to bins.
#pragma once

#include "upsweep/histogram/histogram_bins.hpp"
#include "upsweep/histogram/histogram_problem.hpp"

namespace upsweep::detail::histogram_impl {

// Calls f(bins), where bins(x) is the bin of a sample.
template <class T, class F>
void with_bins(const problem& p, const F& f) {
  const auto m = static_cast<std::uint32_t>(p.m);
  if (p.edges)
    f(edge_bins<T>{p.in3.as<const T>(), m, p.closed});
  else
    f(even_bins<T>::of(p.lower.as<bound_of<T>>(), p.upper.as<bound_of<T>>(), p.m));
}

}  // namespace upsweep::detail::histogram_impl
