// Definitions that callers of recurrence link to in a build without CUDA or without OpenCL.
#if !UPSWEEP_WITH_CUDA || !UPSWEEP_WITH_OPENCL
#include "upsweep/jit/jit_absent.hpp"
#include "upsweep/recurrence/cuda/recurrence_cuda_jit.hpp"
#include "upsweep/recurrence/jit/recurrence_jit.hpp"
#endif

#if !UPSWEEP_WITH_CUDA
namespace upsweep::cuda {

void recur_jit(upsweep::device&, std::uint64_t, const coded_steps&, void*, opencl::kept_program&) {
  throw jit::no_cuda("recurrence");
}
void recur_jit(upsweep::device&, std::uint64_t, const opencl::recurrence_source& t, memory) {
  throw jit::no_cuda(t.call);
}

}  // namespace upsweep::cuda
#endif

#if !UPSWEEP_WITH_OPENCL
namespace upsweep::opencl {

void recur_jit(upsweep::device&, std::uint64_t, const recurrence_source& t, memory, memory) {
  throw jit::no_opencl(t.call);
}

}  // namespace upsweep::opencl
#endif
