// An exchange between threads of one process: members lay out where their bytes are, meet, and copy from each other.
#pragma once

#include <memory>
#include <vector>

#include "upsweep/group/exchange.hpp"

namespace upsweep {

// One for each of `size` members, which are to be called from a thread each.
std::vector<std::unique_ptr<exchange>> between_threads(int size);

}  // namespace upsweep
