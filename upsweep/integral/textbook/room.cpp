#include "upsweep/core/catalog.hpp"
#include "upsweep/integral/problem.hpp"

namespace upsweep::integral_room {

std::vector<upsweep::variant> rungs() {
  std::vector<upsweep::variant> all;
  add(all, cpu_textbook());
#if UPSWEEP_WITH_CUDA
  add(all, cuda_textbook());
#endif
  return all;
}

}  // namespace upsweep::integral_room
