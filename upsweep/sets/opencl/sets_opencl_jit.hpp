// Set operations on OpenCL by comparators with a device source in OpenCL C (jit/jit.hpp), of keys of any
// size in memory.
#pragma once

#include "upsweep/sets/sets_problem.hpp"
#include "upsweep/sort/jit/sort_jit.hpp"

namespace upsweep::opencl {

// sets/opencl/sets_opencl.cpp; without OpenCL in the build it throws (sets_jit_absent.cpp). Enqueued; ignores the
// problem's type and order.
void keep_jit(upsweep::device&, const custom_order&, const detail::sets_impl::problem&);

}  // namespace upsweep::opencl
