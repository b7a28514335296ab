// Limits of a block's shared memory: from 48 KB, which every GPU has, to Hopper's 227 KB. A device's shared_limit()
// returns its own. A tuning policy that needs more than the smallest limit is listed together with a smaller one.
#pragma once

#include <cstdint>

namespace upsweep {

inline constexpr std::uint64_t least_shared_limit = 48 << 10;

}  // namespace upsweep
