// Definitions that callers of for_each link to in a build without CUDA or without OpenCL.
#if !UPSWEEP_WITH_CUDA || !UPSWEEP_WITH_OPENCL
#include "upsweep/for_each/cuda/for_each_cuda_jit.hpp"
#include "upsweep/for_each/jit/for_each_jit.hpp"
#include "upsweep/jit/jit_absent.hpp"
#endif

#if !UPSWEEP_WITH_CUDA
namespace upsweep::cuda {

void for_each_jit(upsweep::device&, std::uint64_t, const core::coded_object&, opencl::kept_program&) {
  throw jit::no_cuda("for_each_index");
}
void for_each_jit(upsweep::device&, std::uint64_t, const opencl::index_source& t) { throw jit::no_cuda(t.call); }

}  // namespace upsweep::cuda
#endif

#if !UPSWEEP_WITH_OPENCL
namespace upsweep::opencl {

void for_each_jit(upsweep::device&, std::uint64_t, const index_source& t) { throw jit::no_opencl(t.call); }

}  // namespace upsweep::opencl
#endif
