// Definitions that callers of segmented link to in a build without CUDA or without OpenCL.
#if !UPSWEEP_WITH_CUDA || !UPSWEEP_WITH_OPENCL
#include "upsweep/jit/jit_absent.hpp"
#include "upsweep/segmented/jit/segmented_jit.hpp"
#endif

#if !UPSWEEP_WITH_CUDA
namespace upsweep::cuda {

void fold_by_key(upsweep::device&, const opencl::custom_kernel& k, const keys_jit&,
                 const detail::segmented_impl::problem&) {
  throw jit::no_cuda(k.where);
}

}  // namespace upsweep::cuda
#endif

#if !UPSWEEP_WITH_OPENCL
namespace upsweep::opencl {

void fold_by_key(upsweep::device&, const custom_kernel& k, const question*, const detail::segmented_impl::problem&) {
  throw jit::no_opencl(k.where);
}
void fold_by_segment(upsweep::device&, const custom_kernel& k, const detail::segmented_impl::problem&) {
  throw jit::no_opencl(k.where);
}

}  // namespace upsweep::opencl
#endif
