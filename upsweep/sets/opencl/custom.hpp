// Sets on OpenCL by comparators that carry their text in OpenCL C (opencl/custom.hpp says how), of keys of any size
// that lie in memory.
#pragma once

#include "upsweep/sets/problem.hpp"
#include "upsweep/sort/opencl/custom.hpp"

namespace upsweep::opencl {

// sets/opencl/sets.cpp; without OpenCL in the build it throws (core/opencl_absent.cpp). Enqueued; the problem's type
// and order are not looked at.
void keep_by_text(upsweep::device&, const custom_order&, const sets_room::problem&);

}  // namespace upsweep::opencl
