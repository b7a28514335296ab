// Tuning parameters of reduce on OpenCL devices.
#pragma once

#include "upsweep/opencl/opencl_fold.hpp"

namespace upsweep::opencl {

// The entry of the tuning table (reduce/opencl/reduce_opencl.cpp) for a device and an element size. A tuner may change
// it between two calls.
shape& reduce_shape(const device& d, std::size_t element_bytes);

}  // namespace upsweep::opencl
