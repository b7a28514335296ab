// The rule by which a problem's samples fall into bins.
#pragma once

#include "upsweep/histogram/bins.hpp"
#include "upsweep/histogram/problem.hpp"

namespace upsweep::histogram_room {

// Calls f(bins), where bins(x) is the bin of a sample.
template <class T, class F>
void with_bins(const problem& p, const F& f) {
  const auto m = static_cast<std::uint32_t>(p.m);
  if (p.edges)
    f(edge_bins<T>{p.in3.as<const T>(), m});
  else
    f(even_bins<T>::of(p.lower.as<bound_of<T>>(), p.upper.as<bound_of<T>>(), p.m));
}

}  // namespace upsweep::histogram_room
