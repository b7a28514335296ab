// Link targets of calls with user-defined functions if OpenCL is not in the build. No context of kind opencl exists
// then.
#if !UPSWEEP_WITH_OPENCL
#include "upsweep/transform/opencl/transform_map.hpp"

namespace upsweep::opencl {

void map(upsweep::device&, const map_kernel& k, std::uint64_t, std::uint64_t, memory) {
  throw error(fault::no_device, k.call, "this build has no OpenCL",
              "install OpenCL headers and a loader (ocl-icd-opencl-dev, opencl-clhpp-headers) and build again");
}

}  // namespace upsweep::opencl
#endif
