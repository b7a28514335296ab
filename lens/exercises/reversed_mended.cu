// Each block's 256 elements, the last one first.
// Read when all of them have been written.
__global__ void reversed(const int* in, int* out, int n) {
  __shared__ int cells[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i < n) cells[t] = in[i];
  __syncthreads();
  if (i < n) out[i] = cells[255 - t];
}
