// How many elements are even.
__global__ void evens(const unsigned* in, unsigned* count, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 2 == 0) atomicAdd(count, 1u);
}
