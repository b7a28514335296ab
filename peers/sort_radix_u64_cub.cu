// CUB's radix sort of u64 keys.
#include "peers/sort_radix_cub.cuh"

namespace upsweep::peers::UPSWEEP_CUB {

void add_radix_u64(std::vector<peer>& list) { add_radix_of<std::uint64_t>(list); }

}  // namespace upsweep::peers::UPSWEEP_CUB
