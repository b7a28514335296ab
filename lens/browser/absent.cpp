// Replacements for library functions that a browser does not have: there are no other threads, and no variants but the
// textbook variants.
#include "upsweep/core/catalog.hpp"
#include "upsweep/cpu/block_partition.hpp"

namespace upsweep {

std::span<const variant> catalog() { return {}; }

namespace cpu {

void for_each_block(std::uint64_t blocks, block_body body) {
  const stop_flag never;
  for (std::uint64_t b = 0; b < blocks; ++b) body(b, never);
}

}  // namespace cpu
}  // namespace upsweep
