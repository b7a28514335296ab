// What stands in the place of thrust::device: a context, where the calls of folds.hpp, searches.hpp, selects.hpp and
// sorts.hpp run.
#pragma once

#include <thrust/execution_policy.h>

#include "upsweep/context.hpp"
#include "upsweep/core/compiled.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// A namespace of its own: Thrust finds the calls below by the policy's, and nothing else of this library.
namespace thrust_calls {

struct policy : thrust::execution_policy<policy> {
  explicit policy(context c) : where(std::move(c)) {}
  context where;
};

}  // namespace thrust_calls

inline thrust_calls::policy on(const context& where) {
  if (where.kind() == backend::opencl)
    throw error(fault::unsupported, "on", "Thrust's iterators do not name memory of OpenCL devices",
                "use a CPU or a CUDA context");
  return thrust_calls::policy(where);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
