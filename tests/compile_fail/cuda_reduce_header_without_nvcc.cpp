// says: upsweep: upsweep/reduce/cuda.cuh is CUDA; include it from a .cu file compiled by nvcc, or include
// upsweep/reduce.hpp
#include "upsweep/reduce/cuda.cuh"

int main() {}
