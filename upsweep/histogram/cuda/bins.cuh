// From a problem with its types erased to its bins: the types that the CUDA histograms are compiled for.
#pragma once

#include "upsweep/histogram/bins.hpp"
#include "upsweep/histogram/problem.hpp"

namespace upsweep::cuda {

// Calls f(type_tag<T>{}, bins).
template <class F>
void with_bins(const histogram_room::problem& p, F&& f) {
  with_any_type(p.type, [&]<class T>(type_tag<T> tag) {
    using bound = histogram_room::bound_of<T>;
    if (p.edges) return f(tag, histogram_room::edge_bins<T>{p.in3.as<const T>(), static_cast<std::uint32_t>(p.m)});
    f(tag, histogram_room::even_bins<T>::of(p.lower.as<bound>(), p.upper.as<bound>(), p.m));
  });
}

}  // namespace upsweep::cuda
