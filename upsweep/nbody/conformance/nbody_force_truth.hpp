// The accelerations of a few bodies by all bodies, in f64, for each backend.
#pragma once

#include "upsweep/core/device.hpp"
#include "upsweep/nbody/nbody_gravitation.hpp"
#include "upsweep/nbody/nbody_motion_steps.hpp"

namespace upsweep::detail::nbody_impl {

// `few` are some of the bodies; host memory, all. The accelerations go to `pulls`.
struct truth_asked {
  const vec4<double>* bodies;
  std::uint64_t n;
  const vec4<double>* few;
  std::uint64_t count;
  vec4<double>* pulls;
};

void truth_on_cuda(device&, const truth_asked&, const gravitation&);  // cuda.cu

}  // namespace upsweep::detail::nbody_impl
