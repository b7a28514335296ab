// says: upsweep: upsweep/scan/scan_cuda.cuh is CUDA; include it from a .cu file, or include
// upsweep/scan.hpp
#include "upsweep/scan/scan_cuda.cuh"

int main() {}
