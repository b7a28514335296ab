// says: upsweep: upsweep/reduce/reduce_cuda.cuh is CUDA; include it from a .cu file, or include
// upsweep/reduce.hpp
#include "upsweep/reduce/reduce_cuda.cuh"

int main() {}
