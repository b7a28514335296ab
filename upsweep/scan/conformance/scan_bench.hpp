// What was published about the scans of the textbook, for `upsweep bench --table`.
#pragma once

#include "upsweep/conformance/published_results.hpp"

namespace upsweep::detail::scan_impl {

std::span<const published_table> published();

}  // namespace upsweep::detail::scan_impl
