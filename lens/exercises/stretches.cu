// A sum for each thread, of as many elements each.
__global__ void sums(const int* in, int* out, int n) {
  const unsigned threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned each = n / threads;
  int sum = 0;
  for (unsigned k = 0; k < each; ++k) sum += in[i * each + k];
  out[i] = sum;
}
