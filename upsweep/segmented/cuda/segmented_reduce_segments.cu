// Reductions by segment on CUDA, for every built-in operator.
#include "upsweep/segmented/cuda/segmented_reduce_segments.cuh"

#include "upsweep/cuda/type_dispatch.cuh"
#include "upsweep/segmented/segmented_problem.hpp"

namespace upsweep::detail::segmented_impl {

void reduce_segments_on_cuda(cuda::device& d, const problem& p) {
  cuda::with_any_kernel(p, [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    cuda::run_reduce_segments(d, p.in.as<const T>(), p.n, p.in2.as<const std::uint64_t>(), p.m, p.out.as<T>(),
                              p.init.as<T>(), op, f, "segmented_reduce on cuda");
  });
}

}  // namespace upsweep::detail::segmented_impl
