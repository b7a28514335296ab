// What all bodies do to a few of them, in f64, by backend.
#pragma once

#include "upsweep/core/device.hpp"
#include "upsweep/nbody/gravitation.hpp"
#include "upsweep/nbody/motion_steps.hpp"

namespace upsweep::nbody_room {

// `few` are some of the bodies; host memory, all. The accelerations go to `pulls`.
struct truth_asked {
  const four<double>* bodies;
  std::uint64_t n;
  const four<double>* few;
  std::uint64_t count;
  four<double>* pulls;
};

void truth_on_cuda(device&, const truth_asked&, const gravitation&);  // cuda.cu

}  // namespace upsweep::nbody_room
