// What was published about convolution, for `upsweep bench --table`.
#pragma once

#include "upsweep/conformance/published_results.hpp"

namespace upsweep::detail::convolve_impl {

std::span<const published_table> published();

}  // namespace upsweep::detail::convolve_impl
