// Orders along an axis by a comparison: it sorts all keys together, each element is replaced by its rank among all, and
// the built-in variants sort these ranks along the lines.
#pragma once

#include "upsweep/axis/axis_layout.hpp"
#include "upsweep/core/device.hpp"

namespace upsweep::detail::axis_order_impl {

// All n keys of the lines, sorted stably, and the original index of each (u64).
struct keys_in_order {
  memory keys, places;
  std::uint64_t bytes = 0;  // of a key
};
// Scratch for n keys of this size.
keys_in_order space_for_order(device&, std::uint64_t n, std::uint64_t bytes);

// Writes the k first of each line to `out`, and their indices in the line, as integers of index_bytes, to `indices`. A
// null output is not written. Enqueued; n > 0 and k > 0.
void order_by_ranks(device&, const keys_in_order&, const detail::axis_impl::lines&, std::uint64_t k, memory out,
                    memory indices, std::uint32_t index_bytes);

}  // namespace upsweep::detail::axis_order_impl
