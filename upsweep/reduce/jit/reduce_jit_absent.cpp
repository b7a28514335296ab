// Definitions that callers of reduce link to in a build without CUDA or without OpenCL.
#if !UPSWEEP_WITH_CUDA || !UPSWEEP_WITH_OPENCL
#include "upsweep/jit/jit_absent.hpp"
#include "upsweep/reduce/cuda/reduce_cuda_jit.hpp"
#endif

#if !UPSWEEP_WITH_CUDA
namespace upsweep::cuda {

void reduce_jit(upsweep::device&, const opencl::custom_kernel& k, memory, std::uint64_t, memory) {
  throw jit::no_cuda(k.where);
}

}  // namespace upsweep::cuda
#endif

#if !UPSWEEP_WITH_OPENCL
namespace upsweep::opencl {

void reduce_custom(upsweep::device&, const custom_kernel& k, memory, std::uint64_t, memory) {
  throw jit::no_opencl(k.where);
}

}  // namespace upsweep::opencl
#endif
