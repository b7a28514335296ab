// The CUDA convolutions.
#pragma once

#include "upsweep/convolve/problem.hpp"

namespace upsweep::convolve_room {

void run_cuda_direct(device&, const problem&);  // products.cu
void run_cuda_split(device&, const problem&);   // products.cu
void run_cuda_tiles(device&, const problem&);   // products.cu
void run_cuda_fft(device&, const problem&);     // fft.cu
bool have_cufft();

// What tiles cannot take of a problem, or null; and whether they are faster than all else for it.
const char* tiles_cannot(const problem&);
bool tiles_are_fastest(const problem&);

}  // namespace upsweep::convolve_room
