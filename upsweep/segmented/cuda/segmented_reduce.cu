// Reductions by key on CUDA, for every built-in operator.
#include "upsweep/segmented/cuda/segmented_cuda_type_dispatch.cuh"
#include "upsweep/segmented/segmented_problem.hpp"

namespace upsweep::detail::segmented_impl {

void reduce_on_cuda(cuda::device& d, const problem& p) {
  cuda::with_any_kernel(p, [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    cuda::run_by_bits<T>(d, p, cuda::folds_out<T>{p.out.as<T>()}, op, f);
  });
}

}  // namespace upsweep::detail::segmented_impl
