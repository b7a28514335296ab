// The CPU's filters.
#pragma once

#include "upsweep/filters/filters_problem.hpp"

namespace upsweep::detail::filters_impl {

void median_by_rank(device&, const problem&);
void median_by_forgetting(device&, const problem&);
void bilateral_by_tiles(device&, const problem&);
void deriches_gaussian(device&, const problem&);
void thin(device&, const problem&);
void link_by_flooding(device&, const problem&);
void resize_by_lines(device&, const problem&);

}  // namespace upsweep::detail::filters_impl
