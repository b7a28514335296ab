// A sum for each thread, of as many elements each.
// The elements of a thread are as far apart as there are threads: in each step a warp reads 32 adjacent ones.
__global__ void sums(const int* in, int* out, int n) {
  const unsigned threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (unsigned k = i; k < n; k += threads) sum += in[k];
  out[i] = sum;
}
