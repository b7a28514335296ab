// Where there is no CUDA in the build.
#include "upsweep/group/gpus.hpp"

#if !UPSWEEP_WITH_CUDA

namespace upsweep {

linkable described_for_link(device&, bool) { return {}; }
std::unique_ptr<gpu_link> linked(device&, const linkable&, int, int, std::function<void()>) {
  throw exchange::ended(fault::no_device, "group", "this build has no CUDA",
                        "install NVIDIA's toolkit and build again");
}
nccl_listing nccl_found() { return {false, "this build has no CUDA"}; }

}  // namespace upsweep

#endif
