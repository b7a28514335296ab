#include "upsweep/convolve/problem.hpp"
#include "upsweep/core/catalog.hpp"

namespace upsweep::convolve_room {

std::vector<upsweep::variant> rungs() {
  std::vector<upsweep::variant> all;
  add(all, cpu_textbook());
#if UPSWEEP_WITH_CUDA
  add(all, cuda_textbook());
#endif
  return all;
}

}  // namespace upsweep::convolve_room
