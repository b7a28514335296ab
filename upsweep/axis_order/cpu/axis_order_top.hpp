// The k first of each line on the CPU, for small k.
#pragma once

#include "upsweep/axis_order/axis_order_problem.hpp"

namespace upsweep::detail::axis_order_impl {

void top_by_heaps(device&, const problem&);
const char* too_many_for_heaps(const problem&);

}  // namespace upsweep::detail::axis_order_impl
