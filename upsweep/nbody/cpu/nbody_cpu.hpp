// The library's variants on the CPU.
#pragma once

#include "upsweep/nbody/cpu/nbody_pairs.hpp"
#include "upsweep/nbody/nbody_problem.hpp"

namespace upsweep::detail::nbody_impl {

void all_pairs_on_cpu(device&, const problem&);  // cpu_all_pairs.cpp
void tree_on_cpu(device&, const problem&);       // cpu_tree.cpp

// Whether pairs of bodies whose coordinates are within ±widest, softened so, need no guard.
template <class T>
reach reach_of(T widest, T softening) {
  constexpr bool single = sizeof(T) == 4;
  return softening >= (single ? T(1e-12) : T(1e-90)) && widest <= (single ? T(1e12) : T(1e90)) ? reach::plain
                                                                                               : reach::guarded;
}

}  // namespace upsweep::detail::nbody_impl
