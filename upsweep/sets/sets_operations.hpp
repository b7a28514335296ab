// The operations on two sorted sequences.
#pragma once

#include <cstdint>

namespace upsweep::detail::sets_impl {

enum class primitive : std::uint8_t {
  merge_by_key,
  set_union,
  set_intersection,
  set_difference,
  set_symmetric_difference
};

}  // namespace upsweep::detail::sets_impl
