// Scans by segment on CUDA, for the most common operators.
#include "upsweep/segmented/cuda/segmented_scan_segments.cuh"

#include "upsweep/cuda/type_dispatch.cuh"
#include "upsweep/segmented/segmented_problem.hpp"

namespace upsweep::detail::segmented_impl {

void scan_segments_on_cuda(cuda::device& d, const problem& p) {
  cuda::with_kernel<plus, multiplies>(p, [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    cuda::run_scan_segments(d, p.in.as<const T>(), p.n, p.in2.as<const std::uint64_t>(), p.m, p.out.as<T>(),
                            p.inclusive, p.init.as<T>(), op, f, "segmented_scan on cuda");
  });
}

}  // namespace upsweep::detail::segmented_impl
