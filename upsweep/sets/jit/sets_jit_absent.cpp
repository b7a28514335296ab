// Definitions that callers of sets link to in a build without CUDA or without OpenCL.
#if !UPSWEEP_WITH_CUDA || !UPSWEEP_WITH_OPENCL
#include "upsweep/jit/jit_absent.hpp"
#include "upsweep/sets/cuda/sets_cuda_jit.hpp"
#include "upsweep/sets/opencl/sets_opencl_jit.hpp"
#endif

#if !UPSWEEP_WITH_CUDA
namespace upsweep::cuda {

void keep_jit(upsweep::device&, const sets_source& s, detail::sets_impl::primitive, const sets_operands&) {
  throw jit::no_cuda(s.order.call);
}

}  // namespace upsweep::cuda
#endif

#if !UPSWEEP_WITH_OPENCL
namespace upsweep::opencl {

void keep_jit(upsweep::device&, const custom_order& order, const detail::sets_impl::problem&) {
  throw jit::no_opencl(order.call);
}

}  // namespace upsweep::opencl
#endif
