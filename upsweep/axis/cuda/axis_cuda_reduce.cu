// Folds along an axis on CUDA, for every built-in operator.
#include "upsweep/axis/axis_cuda.cuh"
#include "upsweep/axis/cuda/axis_cuda_builtin.hpp"
#include "upsweep/cuda/type_dispatch.cuh"

namespace upsweep::detail::axis_impl {

void reduce_on_cuda(device& d, const problem& p) {
  if (p.along.count() == 0) return;
  if (goes_by_segments(p.along)) return fold_by_segments(d, p);
  cuda::with_any_kernel(p, [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    cuda::fold_each_line(cuda::of(d), p.in.as<const T>(), p.along, p.out.as<T>(), p.init.as<T>(), op, f);
  });
}

}  // namespace upsweep::detail::axis_impl
