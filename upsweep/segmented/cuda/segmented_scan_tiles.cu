// Scans by segment on CUDA with a tile a block, for the most common operators.
#include "upsweep/segmented/cuda/segmented_scan_tiles.cuh"

#include "upsweep/cuda/type_dispatch.cuh"
#include "upsweep/segmented/segmented_problem.hpp"

namespace upsweep::detail::segmented_impl {

void scan_tiles_on_cuda(cuda::device& d, const problem& p) {
  cuda::with_kernel<plus, multiplies>(p, [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    cuda::run_scan_tiles(d, p.in.as<const T>(), p.n, p.in2.as<const std::uint64_t>(), p.m, p.out.as<T>(), p.inclusive,
                         p.init.as<T>(), op, f, "segmented_scan on cuda");
  });
}

void scan_tiles_alone_on_cuda(cuda::device& d, const problem& p) {
  cuda::with_kernel<plus, multiplies>(p, [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    cuda::run_scan_tiles_alone(d, p.in.as<const T>(), p.n, p.in2.as<const std::uint64_t>(), p.m, p.out.as<T>(),
                               p.inclusive, p.init.as<T>(), op, f, "segmented_scan on cuda");
  });
}

}  // namespace upsweep::detail::segmented_impl
