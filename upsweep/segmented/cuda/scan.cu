// Scans by key and by long segments on CUDA, for every built-in operator.
#include "upsweep/segmented/cuda/erased.cuh"
#include "upsweep/segmented/problem.hpp"

namespace upsweep::segmented_room {

void scan_on_cuda(cuda::device& d, const problem& p) {
  const bool segments = p.what == primitive::segmented_scan;
  const auto* const offsets = segments ? p.in2.as<const std::uint64_t>() : nullptr;
  const auto* const end = segments ? offsets + p.m : nullptr;
  cuda::with_any_kernel(p, [&](auto tag, auto op, auto f) {
    using T = typename decltype(tag)::type;
    cuda::run_by_bits<T>(d, p, cuda::elements_out<T>{p.out.as<T>(), p.init.as<T>(), p.inclusive, offsets, end}, op, f);
  });
}

}  // namespace upsweep::segmented_room
