// Scans by key and by segment on CUDA, for every built-in operator.
#include "upsweep/segmented/cuda/erased.cuh"
#include "upsweep/segmented/problem.hpp"

namespace upsweep::segmented_room {

void scan_on_cuda(cuda::device& d, const problem& p, const cuda::heads& h) {
  cuda::with_any_kernel(p, [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    cuda::scan_by_bits<T>(d, p, h, op, f);
  });
}

}  // namespace upsweep::segmented_room
