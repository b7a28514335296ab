// 32 rows of 8 elements become 8 rows of 32: a block goes by way of shared memory.
__global__ void rows(const int* in, int* out, int n) {
  __shared__ int cells[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i < n) cells[t] = in[i];
  __syncthreads();
  const unsigned row = t / 32, column = t % 32;
  if (i < n) out[i] = cells[column * 8 + row];
}
