// The execution policy: upsweep::on(context), used like thrust::device. The calls of the other headers of this folder
// run on that context.
#pragma once

#include <thrust/execution_policy.h>

#include "upsweep/context.hpp"
#include "upsweep/core/config.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// Thrust finds the calls by the namespace of the policy. This namespace contains nothing else of the library.
namespace thrust_calls {

struct policy : thrust::execution_policy<policy> {
  explicit policy(context c) : where(std::move(c)) {}
  context where;
};

}  // namespace thrust_calls

inline thrust_calls::policy on(const context& where) {
  if (where.kind() == backend::opencl)
    core::throw_error(error(fault::unsupported, "on", "iterators of Thrust cannot refer to memory of OpenCL devices",
                            "use a CPU or a CUDA context"));
  where.device().require_no_capture("a Thrust call");
  return thrust_calls::policy(where);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
