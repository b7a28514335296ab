#include "upsweep/core/catalog.hpp"
#include "upsweep/sort/problem.hpp"

namespace upsweep::sort_room {

std::vector<upsweep::variant> rungs() {
  std::vector<upsweep::variant> all;
  add(all, cpu_textbook());
#if UPSWEEP_WITH_CUDA
  add(all, cuda_textbook());
#endif
  return all;
}

}  // namespace upsweep::sort_room
