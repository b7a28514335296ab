// What the lens calls of the library and a browser has otherwise: no threads beside this one, and no variants but the
// rungs.
#include "upsweep/core/catalog.hpp"
#include "upsweep/cpu/blocks.hpp"

namespace upsweep {

std::span<const variant> catalog() { return {}; }

namespace cpu {

void for_each_block(std::uint64_t blocks, block_body body) {
  const stop_flag never;
  for (std::uint64_t b = 0; b < blocks; ++b) body(b, never);
}

}  // namespace cpu
}  // namespace upsweep
