// What was published about the reductions of the textbook, for `upsweep bench --table`.
#pragma once

#include "upsweep/conformance/published_results.hpp"

namespace upsweep::detail::reduce_impl {

std::span<const published_table> published();

}  // namespace upsweep::detail::reduce_impl
