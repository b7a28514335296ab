// cuFFT, where it is found when the program runs: the library does not need it to be there.
#pragma once

#include <cufft.h>

#include <functional>

#include "upsweep/cuda/device.hpp"

namespace upsweep::cuda {

struct cufft_calls {
  decltype(&cufftCreate) create;
  decltype(&cufftDestroy) destroy;
  decltype(&cufftSetAutoAllocation) allocate_area;
  decltype(&cufftMakePlanMany) make_plan;
  decltype(&cufftSetWorkArea) set_area;
  decltype(&cufftSetStream) set_stream;
  decltype(&cufftExecR2C) forward_f32;
  decltype(&cufftExecC2R) backward_f32;
  decltype(&cufftExecD2Z) forward_f64;
  decltype(&cufftExecZ2D) backward_f64;
};

// Null where there is no cuFFT.
const cufft_calls* cufft();

// Enqueues `transform` of a plan for `batch` transforms of rows by columns, all of them one after the other, in the
// device's stream. Plans are made once for a GPU and shared by all contexts; the memory of a transform is its own
// context's. Throws what cuFFT's status means, of `doing`.
//
// Threads  any: one transform is enqueued at a time, and none runs while a plan is made. Where transforms ran in other
//          streams meanwhile, cuFFT 12.0 (CUDA 13.0) read where it may not, which a program of plain cuFFT showed, too.
void transform_by_cufft(device& d, cufftType type, int rows, int columns, int batch, const char* doing,
                        const std::function<cufftResult(cufftHandle)>& transform);

}  // namespace upsweep::cuda
