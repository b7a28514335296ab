// The built-in types and operators on CUDA; reduce.cu and scan.cu compile them side by side.
#pragma once

#include "upsweep/axis/problem.hpp"

namespace upsweep::axis_room {

void reduce_on_cuda(device&, const problem&);
void scan_on_cuda(device&, const problem&);

}  // namespace upsweep::axis_room
