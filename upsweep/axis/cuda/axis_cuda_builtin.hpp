// The built-in types and operators on CUDA; axis_cuda_reduce.cu and axis_cuda_scan.cu compile them in parallel.
#pragma once

#include "upsweep/axis/axis_problem.hpp"

namespace upsweep::detail::axis_impl {

void reduce_on_cuda(device&, const problem&);
void scan_on_cuda(device&, const problem&);

}  // namespace upsweep::detail::axis_impl
