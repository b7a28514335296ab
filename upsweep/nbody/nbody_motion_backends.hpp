// The steps of nbody_motion.hpp for each backend.
#pragma once

#include "upsweep/nbody/nbody_motion.hpp"

namespace upsweep::detail::nbody_impl {

struct motion_on {
  void (*kick_and_drift)(device&, const moving&, double kick, double drift);
  void (*predict)(device&, const moving&, const moving& to, double dt);
  void (*correct)(device&, const moving&, const moving& there, double dt);
  // The square of each body's shortest time, or the type's largest number.
  void (*times)(device&, const moving&, double softening, bool jerks, memory to);
  void (*interleave)(device&, dtype, std::uint64_t n, const columns& from, memory rows);
  void (*deinterleave)(device&, dtype, std::uint64_t n, memory rows, const columns& to);
  void (*add_up)(device&, dtype, std::uint64_t n, std::uint64_t stacks, memory rows, memory to);
};

const motion_on& cuda_motion();    // nbody_cuda.cu
const motion_on& opencl_motion();  // motion_opencl.cpp

}  // namespace upsweep::detail::nbody_impl
