// The OpenCL selection as other rooms use it.
#pragma once

#include "upsweep/opencl/words.hpp"
#include "upsweep/select/problem.hpp"

namespace upsweep::opencl {

// Enqueued: what select.hpp says of p. With `starts`, which holds n u64 and takes the values' place: where each kept
// element stood.
void enqueue_selection(device&, const select_room::problem& p, memory starts = {});

}  // namespace upsweep::opencl
