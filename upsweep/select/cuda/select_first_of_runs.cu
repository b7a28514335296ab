// The first of each run on CUDA: used by unique, and as the first step of folds by key. A separate object file, so
// that these need not link all of select.
#include "upsweep/select/cuda/select_cuda_type_dispatch.cuh"

namespace upsweep::cuda {

template void run_compact<false>(device&, firsts_pass<std::uint8_t>, const char*);
template void run_compact<false>(device&, firsts_pass<std::uint16_t>, const char*);
template void run_compact(device&, firsts_pass<std::uint32_t>, const char*);
template void run_compact(device&, firsts_pass<std::uint64_t>, const char*);

}  // namespace upsweep::cuda
