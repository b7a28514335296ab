#pragma once

#include "upsweep/nbody/problem.hpp"

namespace upsweep::nbody_room {

void tree_on_opencl(device&, const problem&);
std::uint64_t tree_from_on_opencl(device&);  // bodies from which it is faster than all pairs

}  // namespace upsweep::nbody_room
