// The CUDA convolutions, each in a file of its own, so that they compile side by side.
#pragma once

#include "upsweep/convolve/problem.hpp"

namespace upsweep::convolve_room {

void run_cuda_direct(device&, const problem&);  // cuda_direct.cu
void run_cuda_split(device&, const problem&);   // cuda_split.cu
void run_cuda_fft(device&, const problem&);     // cuda_fft.cu
bool have_cufft();

}  // namespace upsweep::convolve_room
