// Copies from GPU to GPU, in a stream beside the device's own.
#pragma once

#include "upsweep/group/pull.hpp"

namespace upsweep::cuda {

std::unique_ptr<upsweep::pull> pull_to(upsweep::device&);

}  // namespace upsweep::cuda
