#include "upsweep/recurrence/cuda.cuh"

#include "upsweep/recurrence/run.hpp"

namespace upsweep::recurrence_room {

template <class Steps>
void run_on_cuda(device& d, std::uint64_t n, const Steps& steps, typename Steps::state* carry) {
  cuda::recur(d, n, steps, carry);
}

template void run_on_cuda(device&, std::uint64_t, const affine_steps<float>&, float*);
template void run_on_cuda(device&, std::uint64_t, const affine_steps<double>&, double*);
template void run_on_cuda(device&, std::uint64_t, const affine_steps<std::uint32_t>&, std::uint32_t*);
template void run_on_cuda(device&, std::uint64_t, const affine_steps<std::uint64_t>&, std::uint64_t*);
template void run_on_cuda(device&, std::uint64_t, const decay_steps<float>&, float*);
template void run_on_cuda(device&, std::uint64_t, const decay_steps<double>&, double*);
template void run_on_cuda(device&, std::uint64_t, const biquad_steps<float>&, biquad_state<float>*);
template void run_on_cuda(device&, std::uint64_t, const biquad_steps<double>&, biquad_state<double>*);

}  // namespace upsweep::recurrence_room
