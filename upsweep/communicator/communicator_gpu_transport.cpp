// For builds without CUDA.
#include "upsweep/communicator/communicator_gpu_transport.hpp"

#if !UPSWEEP_WITH_CUDA

namespace upsweep {

linkable described_for_link(device&, bool) { return {}; }
std::unique_ptr<gpu_link> linked(device&, const linkable&, int, int, std::function<void()>) { return nullptr; }
nccl_listing nccl_found() { return {false, "this build has no CUDA"}; }

}  // namespace upsweep

#endif
