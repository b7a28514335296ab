// How many elements are even.
// A ballot is a warp's 32 answers, and one lane adds how many of them are yes.
__global__ void evens(const unsigned* in, unsigned* count, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned even = __ballot_sync(~0u, i < n && in[i] % 2 == 0);
  if (threadIdx.x % 32 == 0) atomicAdd(count, __popc(even));
}
