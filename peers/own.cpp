// Who takes part in work by functions of the caller's own, and the library's calls on the CPU: compiled as those of a
// user are, not as the peers, which may have this processor's own instructions.
#include "peers/own_calls.hpp"
#include "peers/peers.hpp"

namespace upsweep::peers {

const std::vector<own_side>& own_sides() {
  static const std::vector<own_side> all = [] {
    std::vector<own_side> list{ours_on(backend::cpu)};
    if (processor_fits()) add_own_on_cpu(list);
#if UPSWEEP_WITH_CUDA
    add_own_on_cuda(list);
#endif
#if UPSWEEP_WITH_GPU_PEERS
    toolkit::add_own(list);
#endif
#if UPSWEEP_WITH_CCCL_CHECKOUT
    checkout::add_own(list);
#endif
    return list;
  }();
  return all;
}

}  // namespace upsweep::peers
