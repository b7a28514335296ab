// Scans by key and by long segments on CUDA, for every built-in operator.
#include "upsweep/segmented/cuda/segmented_cuda_type_dispatch.cuh"
#include "upsweep/segmented/segmented_problem.hpp"

namespace upsweep::detail::segmented_impl {

void scan_on_cuda(cuda::device& d, const problem& p) {
  const bool segments = p.what == primitive::segmented_scan;
  const auto* const offsets = segments ? p.in2.as<const std::uint64_t>() : nullptr;
  const auto* const end = segments ? offsets + p.m : nullptr;
  cuda::with_any_kernel(p, [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    cuda::run_by_bits<T>(d, p, cuda::elements_out<T>{p.out.as<T>(), p.init.as<T>(), p.inclusive, offsets, end}, op, f);
  });
}

}  // namespace upsweep::detail::segmented_impl
