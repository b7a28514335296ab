// CUB's radix sort of f32 keys.
#include "peers/sort_radix_cub.cuh"

namespace upsweep::peers::UPSWEEP_CUB {

void add_radix_f32(std::vector<peer>& list) { add_radix_of<float>(list); }

}  // namespace upsweep::peers::UPSWEEP_CUB
