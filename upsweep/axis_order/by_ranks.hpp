// Orders along an axis of keys that a comparison has put in order all together: each element's rank among all stands
// for it, and ranks are numbers, which the room's own variants put in order along the lines.
#pragma once

#include "upsweep/axis/lines.hpp"
#include "upsweep/core/device.hpp"

namespace upsweep::axis_order_room {

// All n keys of the lines in order, equal ones as they stood, and u64 places where each stood.
struct keys_in_order {
  memory keys, places;
  std::uint64_t bytes = 0;  // of a key
};
// In scratch, for keys of that size.
keys_in_order room_for_order(device&, std::uint64_t n, std::uint64_t bytes);

// The k first of each line to `out`, and where in their line they stood, in index_bytes, to `indices`; what is null is
// not written. Enqueued; n > 0 and k > 0.
void order_by_ranks(device&, const keys_in_order&, const axis_room::lines&, std::uint64_t k, memory out, memory indices,
                    std::uint32_t index_bytes);

}  // namespace upsweep::axis_order_room
