#include "upsweep/core/catalog.hpp"
#include "upsweep/nbody/problem.hpp"

namespace upsweep::nbody_room {

std::vector<upsweep::variant> rungs() {
  std::vector<upsweep::variant> all;
  add(all, cpu_textbook());
#if UPSWEEP_WITH_CUDA
  add(all, cuda_textbook());
#endif
  return all;
}

}  // namespace upsweep::nbody_room
