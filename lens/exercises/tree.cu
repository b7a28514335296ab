// Sums of 256 elements each, by a tree in shared memory.
__global__ void sums(const int* in, int* out, int n) {
  __shared__ int cells[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  cells[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned s = 1; s < 256; s *= 2) {
    if (t % (2 * s) == 0) cells[t] += cells[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = cells[0];
}
