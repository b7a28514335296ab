#include <cstdint>

#include "upsweep/for_each/cuda.cuh"

namespace upsweep::for_each_room {

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

}  // namespace upsweep::for_each_room
