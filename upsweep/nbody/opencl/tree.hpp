#pragma once

#include "upsweep/nbody/problem.hpp"

namespace upsweep::nbody_room {

void tree_on_opencl(device&, const problem&);  // tree_opencl.cpp

}  // namespace upsweep::nbody_room
