// An exchange between threads of one process: ranks publish the addresses of their data, wait at a barrier, and copy
// from each other.
#pragma once

#include <memory>
#include <vector>

#include "upsweep/communicator/communicator_route.hpp"

namespace upsweep {

// One exchange for each of `size` ranks; each is used by a thread of its own.
std::vector<std::unique_ptr<message_route>> between_threads(int size);

}  // namespace upsweep
