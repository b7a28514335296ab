#include <cstdint>

#include "upsweep/for_each/for_each_cuda.cuh"

namespace upsweep::detail::for_each_impl {

namespace {

struct widening {
  const std::uint32_t* from;
  std::uint64_t* to;
  __device__ void operator()(std::uint64_t i) const { to[i] = from[i]; }
};

}  // namespace

void widen_on_cuda(device& where, const std::uint32_t* from, std::uint64_t n, std::uint64_t* to) {
  cuda::for_each_index(where, n, widening{from, to});
}

}  // namespace upsweep::detail::for_each_impl
