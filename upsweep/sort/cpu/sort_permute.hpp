// out[i] = in[index[i]] for elements of any size, in parallel.
#pragma once

#include <cstdint>

#include "upsweep/core/device.hpp"

namespace upsweep::cpu {

// index_bytes: 4 or 8. `out` may be `in`; the elements are then copied through scratch memory.
void permute(upsweep::device& d, const void* in, std::uint64_t element_bytes, const void* index,
             std::uint64_t index_bytes, std::uint64_t n, void* out);

}  // namespace upsweep::cpu
