// Shared memory that a block may have: from 48 KB, which every GPU gives, to Hopper's 227 KB; a device's shared_limit()
// says how much it is. A row of tuning that needs more than the least has a smaller one beside it.
#pragma once

#include <cstdint>

namespace upsweep {

inline constexpr std::uint64_t least_shared_limit = 48 << 10;

}  // namespace upsweep
