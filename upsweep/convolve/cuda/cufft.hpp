// cuFFT, where it is found when the program runs: the library does not need it to be there.
#pragma once

#include <cufft.h>

#include "upsweep/cuda/device.hpp"

namespace upsweep::cuda {

struct cufft_calls {
  decltype(&cufftPlanMany) plan_many;
  decltype(&cufftSetStream) set_stream;
  decltype(&cufftExecR2C) forward_f32;
  decltype(&cufftExecC2R) backward_f32;
  decltype(&cufftExecD2Z) forward_f64;
  decltype(&cufftExecZ2D) backward_f64;
};

// Null where there is no cuFFT.
const cufft_calls* cufft();

// Throws what cuFFT's status means.
void check_cufft(cufftResult status, const char* doing);

// A plan for `batch` transforms of rows by columns, all of them one after the other, made once for a device object and
// used in its stream.
cufftHandle cufft_plan(device& d, cufftType type, int rows, int columns, int batch);

}  // namespace upsweep::cuda
