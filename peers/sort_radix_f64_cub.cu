// CUB's radix sort of f64 keys.
#include "peers/sort_radix_cub.cuh"

namespace upsweep::peers::UPSWEEP_CUB {

void add_radix_f64(std::vector<peer>& list) { add_radix_of<double>(list); }

void add_radix_sorts(std::vector<peer>& list) {
  add_radix_u32(list);
  add_radix_u64(list);
  add_radix_f32(list);
  add_radix_f64(list);
}

}  // namespace upsweep::peers::UPSWEEP_CUB
