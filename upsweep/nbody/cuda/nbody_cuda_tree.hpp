#pragma once

#include "upsweep/nbody/nbody_problem.hpp"

namespace upsweep::detail::nbody_impl {

void tree_on_cuda(device&, const problem&);  // tree.cu

}  // namespace upsweep::detail::nbody_impl
