// Definitions that callers of scan link to in a build without CUDA or without OpenCL.
#if !UPSWEEP_WITH_CUDA || !UPSWEEP_WITH_OPENCL
#include "upsweep/jit/jit_absent.hpp"
#include "upsweep/scan/cuda/scan_cuda_jit.hpp"
#endif

#if !UPSWEEP_WITH_CUDA
namespace upsweep::cuda {

void scan_jit(upsweep::device&, const opencl::custom_kernel& k, memory, std::uint64_t, memory, bool, memory) {
  throw jit::no_cuda(k.where);
}

}  // namespace upsweep::cuda
#endif

#if !UPSWEEP_WITH_OPENCL
namespace upsweep::opencl {

void scan_custom(upsweep::device&, const custom_kernel& k, memory, std::uint64_t, memory, bool) {
  throw jit::no_opencl(k.where);
}

}  // namespace upsweep::opencl
#endif
