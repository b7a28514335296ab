// 32 rows of 8 elements become 8 rows of 32: a block goes by way of shared memory.
// Cell c is at c + c / 32, so the cells that a warp reads are in 32 banks.
__global__ void rows(const int* in, int* out, int n) {
  __shared__ int cells[256 + 8];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i < n) cells[t + t / 32] = in[i];
  __syncthreads();
  const unsigned row = t / 32, column = t % 32, c = column * 8 + row;
  if (i < n) out[i] = cells[c + c / 32];
}
