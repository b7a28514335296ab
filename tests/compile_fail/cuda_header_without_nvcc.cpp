// says: upsweep: upsweep/scan/cuda.cuh is CUDA; include it from a .cu file compiled by nvcc, or include
// upsweep/scan.hpp
#include "upsweep/scan/cuda.cuh"

int main() {}
