// Tuning parameters of scan on OpenCL devices.
#pragma once

#include "upsweep/opencl/opencl_fold.hpp"

namespace upsweep::opencl {

// The entry of the tuning table (scan/opencl/scan_opencl.cpp) for a device and an element size. A tuner may change it
// between two calls.
shape& scan_shape(const device& d, std::size_t element_bytes);

}  // namespace upsweep::opencl
