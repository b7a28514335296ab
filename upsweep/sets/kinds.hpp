// What may be made of two sorted sequences.
#pragma once

#include <cstdint>

namespace upsweep::sets_room {

enum class primitive : std::uint8_t {
  merge_by_key,
  set_union,
  set_intersection,
  set_difference,
  set_symmetric_difference
};

}  // namespace upsweep::sets_room
