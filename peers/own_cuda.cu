// The library's calls with functions of the caller's own, compiled for CUDA.
#include "peers/own_calls.hpp"

namespace upsweep::peers {

void add_own_on_cuda(std::vector<own_side>& list) { list.push_back(ours_on(backend::cuda)); }

}  // namespace upsweep::peers
