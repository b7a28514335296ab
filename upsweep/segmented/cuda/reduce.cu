// Reductions by key on CUDA, for every built-in operator.
#include "upsweep/segmented/cuda/erased.cuh"
#include "upsweep/segmented/problem.hpp"

namespace upsweep::segmented_room {

void reduce_on_cuda(cuda::device& d, const problem& p) {
  cuda::with_any_kernel(p, [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    cuda::run_by_bits<T>(d, p, cuda::folds_out<T>{p.out.as<T>()}, op, f);
  });
}

}  // namespace upsweep::segmented_room
