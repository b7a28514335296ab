// The words of the rungs (rung.cuh), and CUDA's cooperative groups under the name cg. On their own, because their
// header takes longer to read than many a rung to compile.
#pragma once

#include "upsweep/cuda/rung.cuh"

#if !defined(UPSWEEP_MACHINE)

#include <cooperative_groups.h>

namespace upsweep::textbook {

namespace cg = cooperative_groups;

}  // namespace upsweep::textbook

#endif
