#include "upsweep/core/catalog.hpp"
#include "upsweep/reduce/problem.hpp"

namespace upsweep::reduce_room {

std::vector<upsweep::variant> rungs() {
  std::vector<upsweep::variant> all;
  add(all, cpu_textbook());
#if UPSWEEP_WITH_CUDA
  add(all, cuda_textbook());
#endif
#if UPSWEEP_WITH_OPENCL
  add(all, opencl_textbook());
#endif
  return all;
}

}  // namespace upsweep::reduce_room
