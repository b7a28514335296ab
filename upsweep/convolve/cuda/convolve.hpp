// The CUDA convolutions.
#pragma once

#include "upsweep/convolve/problem.hpp"

namespace upsweep::convolve_room {

void run_cuda_direct(device&, const problem&);  // products.cu
void run_cuda_split(device&, const problem&);   // products.cu
void run_cuda_fft(device&, const problem&);     // fft.cu
bool have_cufft();

}  // namespace upsweep::convolve_room
