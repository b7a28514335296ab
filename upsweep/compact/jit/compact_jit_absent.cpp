// Definitions that callers of compact link to in a build without CUDA or without OpenCL.
#if !UPSWEEP_WITH_CUDA || !UPSWEEP_WITH_OPENCL
#include "upsweep/compact/jit/compact_jit.hpp"
#include "upsweep/jit/jit_absent.hpp"
#endif

#if !UPSWEEP_WITH_CUDA
namespace upsweep::cuda {

void end_offsets(upsweep::device&, memory, memory, std::uint64_t) { throw jit::no_cuda("group_by"); }

}  // namespace upsweep::cuda
#endif

#if !UPSWEEP_WITH_OPENCL
namespace upsweep::opencl {

void end_offsets(upsweep::device&, memory, memory, std::uint64_t) { throw jit::no_opencl("group_by"); }

}  // namespace upsweep::opencl
#endif
