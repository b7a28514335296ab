// Passes a constant of the kernels to the host: it is part of the name that NVRTC gives number<N> in the code.
#pragma once

namespace upsweep::jit {

template <unsigned long N>
__device__ char number;

}  // namespace upsweep::jit
