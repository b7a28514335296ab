// The library's own on the CPU.
#pragma once

#include "upsweep/integral/problem.hpp"

namespace upsweep::integral_room {

void table_in_strips(device&, const problem&);  // cpu_table.cpp
void box_in_bands(device&, const problem&);     // cpu_box.cpp

}  // namespace upsweep::integral_room
