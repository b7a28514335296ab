// Running sums of 256 elements each: at distance 1, 2, 4, ... each cell adds the one before it.
// A step reads one buffer and writes the other: no thread reads a cell that the same step writes.
__global__ void running(const int* in, int* out, int n) {
  __shared__ int cells[2][256];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int now = 0;
  cells[now][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned d = 1; d < 256; d *= 2) {
    cells[1 - now][t] = t >= d ? cells[now][t] + cells[now][t - d] : cells[now][t];
    now = 1 - now;
    __syncthreads();
  }
  if (i < n) out[i] = cells[now][t];
}
