// How reduce is cut up on OpenCL devices.
#pragma once

#include "upsweep/opencl/folding.hpp"

namespace upsweep::opencl {

// The row of the tuning table (reduce/opencl/reduce.cpp) for a device and an element size. A tuner may change it
// between two calls.
shape& reduce_shape(const device& d, std::size_t element_bytes);

}  // namespace upsweep::opencl
