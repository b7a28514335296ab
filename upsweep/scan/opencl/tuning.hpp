// How scan is cut up on OpenCL devices.
#pragma once

#include "upsweep/opencl/folding.hpp"

namespace upsweep::opencl {

// The row of the tuning table (scan/opencl/scan.cpp) for a device and an element size. A tuner may change it between
// two calls.
shape& scan_shape(const device& d, std::size_t element_bytes);

}  // namespace upsweep::opencl
