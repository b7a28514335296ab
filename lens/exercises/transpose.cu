// A matrix of 64 rows and 64 columns, transposed: a thread an element.
__global__ void transpose(const float* in, float* out) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  out[x * 64 + y] = in[y * 64 + x];
}
