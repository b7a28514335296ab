#include "peers/ceilings.hpp"

#include <algorithm>

#include "peers/peers.hpp"

namespace upsweep::peers {

std::vector<ceiling> measure_ceilings(device& d, std::uint64_t bytes, int repeats) {
  switch (d.kind()) {
    case backend::cpu: return processor_fits() ? cpu_ceilings(d, bytes, repeats) : std::vector<ceiling>{};
#if UPSWEEP_WITH_CUDA
    case backend::cuda: return cuda_ceilings(d, bytes, repeats);
#endif
#if UPSWEEP_WITH_OPENCL
    case backend::opencl: return opencl_ceilings(d, bytes, repeats);
#endif
    default: return {};
  }
}

double best_rate(const std::vector<ceiling>& all, limit kind) {
  double best = 0;
  for (const ceiling& c : all)
    if (c.kind == kind) best = std::max(best, c.rate());
  return best;
}

double fastest_seconds(device& d, int repeats, const std::function<void()>& work) {
  d.seconds(work);
  double fastest = d.seconds(work);
  for (int i = 1; i < repeats; ++i) fastest = std::min(fastest, d.seconds(work));
  return fastest;
}

}  // namespace upsweep::peers
