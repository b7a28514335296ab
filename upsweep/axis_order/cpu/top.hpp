// A few of each line on the CPU.
#pragma once

#include "upsweep/axis_order/problem.hpp"

namespace upsweep::axis_order_room {

void top_by_heaps(device&, const problem&);
const char* too_many_for_heaps(const problem&);

}  // namespace upsweep::axis_order_room
