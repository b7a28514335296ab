// The errors of calls with device source in a build without a backend (X_jit_absent.cpp). Such a build has no contexts
// of that kind.
#pragma once

#include "upsweep/error.hpp"

namespace upsweep::jit {

inline error no_cuda(const char* where) {
  return {fault::no_device, where, "this build has no CUDA", "install NVIDIA's toolkit and build again"};
}
inline error no_opencl(const char* where) {
  return {fault::no_device, where, "this build has no OpenCL",
          "install OpenCL headers and a loader (ocl-icd-opencl-dev, opencl-clhpp-headers) and build again"};
}

}  // namespace upsweep::jit
