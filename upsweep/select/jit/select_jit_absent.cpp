// Definitions that callers of select link to in a build without CUDA or without OpenCL.
#if !UPSWEEP_WITH_CUDA || !UPSWEEP_WITH_OPENCL
#include "upsweep/jit/jit_absent.hpp"
#include "upsweep/select/jit/select_jit.hpp"
#endif

#if !UPSWEEP_WITH_CUDA
namespace upsweep::cuda {

void select_by(upsweep::device&, const opencl::selection_jit& s, memory, memory, opencl::kept_program*,
               const beside_selected&) {
  throw jit::no_cuda(s.call);
}

}  // namespace upsweep::cuda
#endif

#if !UPSWEEP_WITH_OPENCL
namespace upsweep::opencl {

void select_by(upsweep::device&, const selection_jit& s, std::initializer_list<moved_elements>) {
  throw jit::no_opencl(s.call);
}
void select_by_flags(upsweep::device&, const char* call, const detail::select_impl::problem&, std::size_t) {
  throw jit::no_opencl(call);
}
void run_lengths_by(upsweep::device&, const selection_jit& s, memory, memory) { throw jit::no_opencl(s.call); }

}  // namespace upsweep::opencl
#endif
