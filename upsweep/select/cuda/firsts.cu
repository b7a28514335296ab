// The first of each run on CUDA: what unique does, and what folds by key begin with. On its own, so that these need not
// link all of select.
#include "upsweep/select/cuda/erased.cuh"

namespace upsweep::cuda {

template void run_compact<false>(device&, firsts_pass<std::uint8_t>, const char*);
template void run_compact<false>(device&, firsts_pass<std::uint16_t>, const char*);
template void run_compact(device&, firsts_pass<std::uint32_t>, const char*);
template void run_compact(device&, firsts_pass<std::uint64_t>, const char*);

}  // namespace upsweep::cuda
