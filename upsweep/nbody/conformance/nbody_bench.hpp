// Published results of n-body simulations, for `upsweep bench --table`.
#pragma once

#include "upsweep/conformance/published_results.hpp"

namespace upsweep::detail::nbody_impl {

std::span<const published_table> published();

}  // namespace upsweep::detail::nbody_impl
