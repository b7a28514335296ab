// The library's own on the CPU.
#pragma once

#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::detail::summed_area_table_impl {

void table_in_strips(device&, const problem&);  // cpu_table.cpp
void box_in_bands(device&, const problem&);     // cpu_box.cpp

}  // namespace upsweep::detail::summed_area_table_impl
