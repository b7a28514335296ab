// Running sums of 256 elements each: at distance 1, 2, 4, ... each cell adds the one before it.
__global__ void running(const int* in, int* out, int n) {
  __shared__ int cells[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  cells[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = 1; d < 256; d *= 2) {
    if (t >= d) cells[t] += cells[t - d];
    __syncthreads();
  }
  if (i < n) out[i] = cells[t];
}
