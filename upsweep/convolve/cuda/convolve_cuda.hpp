// The entry points of the CUDA convolutions.
#pragma once

#include "upsweep/convolve/convolve_problem.hpp"

namespace upsweep::detail::convolve_impl {

void run_cuda_direct(device&, const problem&);  // convolve_products.cu
void run_cuda_split(device&, const problem&);   // convolve_products.cu
void run_cuda_tiles(device&, const problem&);   // convolve_products.cu
void run_cuda_fft(device&, const problem&);     // convolve_cuda_fft.cu
bool have_cufft();

// The reason why tiles cannot run a problem, or null; and whether they are the fastest algorithm for it.
const char* tiles_cannot(const problem&);
bool tiles_are_fastest(const problem&);

}  // namespace upsweep::detail::convolve_impl
