// Scans by segment on CUDA with a tile a block, for the operators that are much asked for.
#include "upsweep/segmented/cuda/scan_tiles.cuh"

#include "upsweep/cuda/erased.cuh"
#include "upsweep/segmented/problem.hpp"

namespace upsweep::segmented_room {

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

}  // namespace upsweep::segmented_room
