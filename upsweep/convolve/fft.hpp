// Convolution of floats by FFT, on the CPU.
#pragma once

#include "upsweep/convolve/problem.hpp"

namespace upsweep::convolve_room {

void convolve_by_fft(device&, const problem&);
variant fft_entry();

}  // namespace upsweep::convolve_room
