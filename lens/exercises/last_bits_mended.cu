// How many elements have each of 64 values of their last bits: a block counts in shared memory.
// Cleared first: shared memory holds whatever was there before.
__global__ void counts(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned bins[64];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t < 64) bins[t] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&bins[in[i] % 64], 1u);
  __syncthreads();
  if (t < 64) atomicAdd(&out[t], bins[t]);
}
