// What calls with types and operators of their own link to when OpenCL is not in the build. No context of kind opencl
// exists then.
#if !UPSWEEP_WITH_OPENCL
#include "upsweep/opencl/custom.hpp"

namespace upsweep::opencl {

namespace {

error absent(const char* where) {
  return {fault::no_device, where, "this build has no OpenCL",
          "install OpenCL headers and a loader (ocl-icd-opencl-dev, opencl-clhpp-headers) and build again"};
}

}  // namespace

void reduce_custom(upsweep::device&, const custom_kernel& k, memory, std::uint64_t, memory) { throw absent(k.where); }
void scan_custom(upsweep::device&, const custom_kernel& k, memory, std::uint64_t, memory, bool) {
  throw absent(k.where);
}

}  // namespace upsweep::opencl
#endif
