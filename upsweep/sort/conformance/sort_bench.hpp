// What was published about the sorts of the textbook, for `upsweep bench --table`.
#pragma once

#include "upsweep/conformance/published_results.hpp"

namespace upsweep::detail::sort_impl {

std::span<const published_table> published();

}  // namespace upsweep::detail::sort_impl
