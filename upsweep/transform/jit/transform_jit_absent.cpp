// Definitions that callers of transform link to in a build without CUDA or without OpenCL.
#if !UPSWEEP_WITH_CUDA || !UPSWEEP_WITH_OPENCL
#include "upsweep/jit/jit_absent.hpp"
#include "upsweep/transform/jit/transform_jit.hpp"
#endif

#if !UPSWEEP_WITH_CUDA
namespace upsweep::cuda {

void map(upsweep::device&, const opencl::map_kernel& k, std::uint64_t, std::uint64_t, memory) {
  throw jit::no_cuda(k.call);
}

}  // namespace upsweep::cuda
#endif

#if !UPSWEEP_WITH_OPENCL
namespace upsweep::opencl {

void map(upsweep::device&, const map_kernel& k, std::uint64_t, std::uint64_t, memory) { throw jit::no_opencl(k.call); }

}  // namespace upsweep::opencl
#endif
