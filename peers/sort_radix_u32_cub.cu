// CUB's radix sort of u32 keys.
#include "peers/sort_radix_cub.cuh"

namespace upsweep::peers::UPSWEEP_CUB {

void add_radix_u32(std::vector<peer>& list) { add_radix_of<std::uint32_t>(list); }

}  // namespace upsweep::peers::UPSWEEP_CUB
