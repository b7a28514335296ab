// Sums of 256 elements each, by a tree in shared memory.
// At distance s the first s threads work, and whole warps have nothing to do.
__global__ void sums(const int* in, int* out, int n) {
  __shared__ int cells[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  cells[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned s = 128; s > 0; s /= 2) {
    if (t < s) cells[t] += cells[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = cells[0];
}
