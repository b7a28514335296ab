#pragma once

#include "upsweep/nbody/problem.hpp"

namespace upsweep::nbody_room {

void tree_on_cuda(device&, const problem&);  // tree.cu

}  // namespace upsweep::nbody_room
