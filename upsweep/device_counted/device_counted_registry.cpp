#include "upsweep/device_counted/device_counted_steps.hpp"

namespace upsweep::detail::device_counted_impl {

void run(device& d, const step& s) {
  if (s.size == 0 && s.what != step_kind::correct) return;
  switch (d.kind()) {
#if UPSWEEP_WITH_CUDA
    case backend::cuda: return run_cuda(d, s);
#endif
#if UPSWEEP_WITH_OPENCL
    case backend::opencl: return run_opencl(d, s);
#endif
    default: break;
  }
  throw error(fault::unsupported, "device_counted", "this build has no " + std::string(name_of(d.kind())),
              "use a CPU context");
}

}  // namespace upsweep::detail::device_counted_impl
