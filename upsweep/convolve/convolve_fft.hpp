// Convolution of floats by FFT, on the CPU.
#pragma once

#include "upsweep/convolve/convolve_problem.hpp"

namespace upsweep::detail::convolve_impl {

void convolve_by_fft(device&, const problem&);
variant fft_entry();

}  // namespace upsweep::detail::convolve_impl
