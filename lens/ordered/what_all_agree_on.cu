// Owners put pairs of keys in order while other threads look at the same words, for what both keys have alike.
// What a short sort does with keys whose leading digits are equal (upsweep/sort/cuda/resident.cuh), and nothing else.
//
// Reads and writes are relaxed, of the block's scope: strong operations on whole words, which are no data race whatever
// their order; and whichever key of the pair a reader finds, its leading bits are the same. README.md has the argument.
//
//   -DPLAIN   ordinary reads and writes: a race
#include <cstdint>
#include <cstdio>

__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__device__ inline unsigned get(const unsigned* p) {
#ifdef PLAIN
  return *p;
#else
  unsigned x;
  asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(x) : "r"(shared_address(p)) : "memory");
  return x;
#endif
}

__device__ inline void put(unsigned* p, unsigned x) {
#ifdef PLAIN
  *p = x;
#else
  asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"(shared_address(p)), "r"(x) : "memory");
#endif
}

constexpr unsigned threads = 256;

__global__ void settle(unsigned* keys) {
  __shared__ unsigned row[threads];
  const unsigned at = threadIdx.x;
  row[at] = keys[threads * blockIdx.x + at];
  __syncthreads();  // all keys are there
  const unsigned mine = get(row + at);
  const bool first = at == 0 || get(row + at - 1) >> 8 != mine >> 8;
  if (first && at + 1 < threads) {
    const unsigned next = get(row + at + 1);
    if (next >> 8 == mine >> 8 && mine > next) {
      put(row + at, next);
      put(row + at + 1, mine);
    }
  }
  __syncthreads();  // all pairs are in order
  keys[threads * blockIdx.x + at] = row[at];
}

int main() {
  constexpr unsigned blocks = 3, n = blocks * threads;
  static unsigned host[n];
  unsigned* keys;
  for (unsigned i = 0; i < n; ++i) host[i] = i / 2 << 8 | (i % 2 ? 1 : 2 + i % 7);
  cudaMalloc(&keys, sizeof host);
  cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice);
  settle<<<blocks, threads>>>(keys);
  cudaMemcpy(host, keys, sizeof host, cudaMemcpyDeviceToHost);
  for (unsigned i = 1; i < n; ++i)
    if (host[i - 1] > host[i]) {
      std::printf("key %u is %u, and the one before it %u\n", i, host[i], host[i - 1]);
      return 1;
    }
  cudaFree(keys);
  std::printf("right: %u keys\n", n);
  return 0;
}
