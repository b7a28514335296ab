// Elements that are only moved differ only in their width.
#pragma once

#include "upsweep/select/select_problem.hpp"

namespace upsweep::detail::select_impl {

// Calls f(type_tag) with an unsigned type of that many bytes.
template <class F>
void with_width(std::uint64_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(type_tag<std::uint8_t>{});
    case 2: return f(type_tag<std::uint16_t>{});
    case 4: return f(type_tag<std::uint32_t>{});
    default: return f(type_tag<std::uint64_t>{});
  }
}

}  // namespace upsweep::detail::select_impl
