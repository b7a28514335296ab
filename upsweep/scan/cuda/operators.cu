// The CUDA scan for every built-in operator but the sum.
#include "upsweep/cuda/erased.cuh"
#include "upsweep/scan/cuda.cuh"
#include "upsweep/scan/problem.hpp"

namespace upsweep::scan_room {

void scan_with_other_operator(cuda::device& d, const problem& p) {
  const auto scan = [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    cuda::scan_sized(d, p.in.as<const T>(), p.n, p.out.as<T>(), p.inclusive, p.init.as<T>(), op, f);
  };
  if (!cuda::with_kernel<multiplies, minimum, maximum, compose_affine>(p, scan)) cuda::with_rare_kernel(p, scan);
}

}  // namespace upsweep::scan_room
