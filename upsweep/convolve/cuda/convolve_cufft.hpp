// cuFFT, loaded at run time if found: building the library does not need it.
#pragma once

#include <cufft.h>

#include <functional>

#include "upsweep/cuda/cuda_device.hpp"

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

// Null where cuFFT was not found.
const cufft_calls* cufft();

// Enqueues `transform` of a plan for `batch` contiguous transforms of rows by columns, in the device's stream. Plans
// are made once for a GPU and shared by all contexts; each transform uses memory of its own context. Throws an error
// for cuFFT's status, which names `doing`.
//
// Threads  any: one transform is enqueued at a time, and none runs while a plan is made. When transforms ran in other
//          streams meanwhile, cuFFT 12.0 (CUDA 13.0) read out of bounds; a program that uses only cuFFT showed it, too.
void transform_by_cufft(device& d, cufftType type, int rows, int columns, int batch, const char* doing,
                        const std::function<cufftResult(cufftHandle)>& transform);

}  // namespace upsweep::cuda
