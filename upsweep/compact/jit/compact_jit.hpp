// Compaction by tests and equalities with device source, on OpenCL and on CUDA: the functions that it needs in addition
// to select's selections.
#pragma once

#include "upsweep/select/jit/select_jit.hpp"

namespace upsweep::opencl {

// Enqueued: offsets[count[0]] = n. compact/opencl/compact_opencl.cpp; without OpenCL in the build it throws
// (compact_jit_absent.cpp).
void end_offsets(upsweep::device&, memory offsets, memory count, std::uint64_t n);

}  // namespace upsweep::opencl

namespace upsweep::cuda {
// As above on CUDA: compact/cuda/compact_cuda.cu. Without CUDA in the build it throws.
void end_offsets(upsweep::device&, memory offsets, memory count, std::uint64_t n);
}  // namespace upsweep::cuda
