#pragma once

#include "upsweep/nbody/nbody_problem.hpp"

namespace upsweep::detail::nbody_impl {

void tree_on_opencl(device&, const problem&);
std::uint64_t tree_from_on_opencl(device&);  // bodies from which it is faster than all pairs

}  // namespace upsweep::detail::nbody_impl
