#include "upsweep/recurrence/run.hpp"

namespace upsweep::recurrence_room {

// No context of CUDA can be made in this build; the linker wants these all the same.
template <class Steps>
void run_on_cuda(device&, std::uint64_t, const Steps&, typename Steps::state*) {
  throw error(fault::no_device, "recurrence", "CUDA is not in this build", "build with nvcc");
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
