// The definitions for textbook variants (textbook_definitions.cuh), with CUDA's cooperative groups as cg. A separate
// file, because their header takes longer to read than many a variant takes to compile.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"

#if !defined(UPSWEEP_MACHINE)

#include <cooperative_groups.h>

namespace upsweep::textbook {

namespace cg = cooperative_groups;

}  // namespace upsweep::textbook

#endif
