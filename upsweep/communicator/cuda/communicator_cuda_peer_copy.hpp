// Copies from GPU to GPU, on a stream separate from the device's.
#pragma once

#include "upsweep/communicator/communicator_peer_copy.hpp"

namespace upsweep::cuda {

std::unique_ptr<upsweep::peer_copy> peer_copy_to(upsweep::device&);

}  // namespace upsweep::cuda
