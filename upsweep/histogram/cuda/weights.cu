// Sums of weights on CUDA, for every type of sample.
#include "upsweep/histogram/cuda.cuh"
#include "upsweep/histogram/cuda/bins.cuh"
#include "upsweep/histogram/problem.hpp"

namespace upsweep::histogram_room {

void sum_weights(cuda::device& d, const problem& p) {
  cuda::with_bins(p, [&]<class T>(type_tag<T>, const auto& bins) {
    cuda::histogram_of_weights(d, p.in.as<const T>(), p.in2.as<const float>(), p.n, bins,
                               static_cast<std::uint32_t>(p.m), p.channels, p.out.as<double>());
  });
}

}  // namespace upsweep::histogram_room
