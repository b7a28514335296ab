// Compaction on OpenCL by tests and equalities that carry their text in OpenCL C: what it needs beside the selections
// that select has.
#pragma once

#include "upsweep/select/opencl/custom.hpp"

namespace upsweep::opencl {

// Enqueued: offsets[count[0]] = n. compact/opencl/compact.cpp; without OpenCL in the build it throws.
void end_offsets(upsweep::device&, memory offsets, memory count, std::uint64_t n);

}  // namespace upsweep::opencl

namespace upsweep::cuda {
// The same on CUDA: compact/cuda/compact.cu; without CUDA in the build it throws.
void end_offsets(upsweep::device&, memory offsets, memory count, std::uint64_t n);
}  // namespace upsweep::cuda
