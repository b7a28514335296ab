// The built-in types and operators on the CPU; reduce.cpp and scan.cpp compile them side by side.
#pragma once

#include "upsweep/axis/by_segments.hpp"
#include "upsweep/axis/cpu/axis.hpp"
#include "upsweep/cpu/types.hpp"

namespace upsweep::axis_room {

// Long rows are folded by vectors, as segments are.
inline bool by_vectors(const problem& p) { return p.along.inner == 1 && p.along.length >= 64 && p.n != 0; }

void reduce_on_cpu(device&, const problem&);
void scan_on_cpu(device&, const problem&);

}  // namespace upsweep::axis_room
