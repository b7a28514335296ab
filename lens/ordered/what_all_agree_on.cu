// Owners sort pairs of keys while other threads read the same words for the bits that both keys have in common. A short
// sort does this for keys whose leading digits are equal (upsweep/sort/cuda/sort_in_shared_memory.cuh); the rest is
// left out.
//
// Reads and writes are relaxed, at block scope: strong operations on whole words, so their order does not matter and
// they are not a data race. The leading bits of both keys of a pair are the same. README.md has the argument.
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
