#include "upsweep/nbody/nbody_domain_steps.hpp"

namespace upsweep::detail::nbody_impl {

template <class T>
std::unique_ptr<domain_steps<T>> domain_steps_on(device& d) {
  switch (d.kind()) {
#if UPSWEEP_WITH_CUDA
    case backend::cuda: return domain_steps_on_cuda<T>(d);
#endif
#if UPSWEEP_WITH_OPENCL
    case backend::opencl: return domain_steps_on_opencl<T>(d);
#endif
    default: break;
  }
  throw error(fault::unsupported, "nbody", d.name() + " cannot build a domain of a tree in its own memory",
              "use CUDA or OpenCL devices");
}

template std::unique_ptr<domain_steps<float>> domain_steps_on(device&);
template std::unique_ptr<domain_steps<double>> domain_steps_on(device&);

}  // namespace upsweep::detail::nbody_impl
