// cuFFT's types, for a build without the toolkit. The library finds cuFFT itself where it runs; on the lens it must not.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#define CUFFT_VERSION 0  // of no library that is anywhere
typedef int cufftHandle;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
enum cufftResult { CUFFT_SUCCESS = 0, CUFFT_ALLOC_FAILED = 2 };
enum cufftType { CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c };
extern "C" {
cufftResult cufftCreate(cufftHandle*);
cufftResult cufftDestroy(cufftHandle);
cufftResult cufftSetAutoAllocation(cufftHandle, int);
cufftResult cufftMakePlanMany(cufftHandle, int, int*, int*, int, int, int*, int, int, cufftType, int, std::size_t*);
cufftResult cufftSetWorkArea(cufftHandle, void*);
cufftResult cufftSetStream(cufftHandle, cudaStream_t);
cufftResult cufftExecR2C(cufftHandle, float*, cufftComplex*);
cufftResult cufftExecC2R(cufftHandle, cufftComplex*, float*);
cufftResult cufftExecD2Z(cufftHandle, double*, cufftDoubleComplex*);
cufftResult cufftExecZ2D(cufftHandle, cufftDoubleComplex*, double*);
}
