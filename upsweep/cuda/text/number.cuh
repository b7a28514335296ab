// A constant of the kernels for the host to know: it stands in the name that NVRTC gives number<N> in the code.
#pragma once

namespace upsweep::text {

template <unsigned long N>
__device__ char number;

}  // namespace upsweep::text
