// One warp fills a ring in shared memory, lane by lane, and one of its lanes signals the readers. One lane of the
// readers' warp signals when all lanes have read. This is the synchronisation that the walks of
// convolve used (upsweep/convolve/cuda/convolve_cuda_walk.cuh), without the rest.
//
// A lane's copy is done, for that lane, when it has waited for it (cp.async.wait_all). __syncwarp puts that before lane
// 0's arrival; the arrival is a release, the wait for its phase an acquire. README.md has the argument step by step.
//
//   -DWITHOUT_SYNCWARP_BEFORE_THERE   lane 0 arrives while other lanes may still copy: a race, write before read
//   -DWITHOUT_SYNCWARP_BEFORE_READ    lane 0 arrives while other lanes may still read: a race, read before write
//   -DWITHOUT_WAIT                    lane 0 arrives before any lane has waited for its copies
//
// As for Ampere and later. For Turing, which has neither the copies nor the barriers, stores and a counter take their
// place; `upsweep lens --flag=-DON_TURING` runs those.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define ON_TURING
#endif

constexpr unsigned stages = 2, rounds = 9;

__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__device__ inline void init(std::uint64_t* barrier) {
#ifdef ON_TURING
  *barrier = 0;
#else
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
#endif
}

// A release, of the block's scope.
__device__ inline void arrive(std::uint64_t* barrier) {
#ifdef ON_TURING
  asm volatile("red.release.cta.shared.add.u32 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
#else
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(shared_address(barrier))
               : "memory");
#endif
}

// An acquire, of the block's scope, of the arrival that ended phase 0, 1, 2, ...
__device__ inline void wait(std::uint64_t* barrier, std::uint32_t phase) {
  std::uint32_t done;
  do {
#ifdef ON_TURING
    asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(done) : "r"(shared_address(barrier)) : "memory");
    done = done > phase;
#else
    asm volatile("{ .reg .pred p;\n mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(phase & 1)
                 : "memory");
#endif
  } while (done == 0);
}

__device__ inline void start_copy(unsigned* to_shared, const unsigned* from) {
#ifdef ON_TURING
  *to_shared = *from;
#else
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to_shared)), "l"(from) : "memory");
#endif
}

__device__ inline void wait_for_copies() {
#if !defined(ON_TURING) && !defined(WITHOUT_WAIT)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

__global__ void mirror_rounds(const unsigned* in, unsigned* out) {
  __shared__ unsigned ring[stages][32];
  __shared__ std::uint64_t there[stages], read[stages];
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x < stages) {
    init(&there[threadIdx.x]);
    init(&read[threadIdx.x]);
  }
  __syncthreads();  // the barriers are there
  if (threadIdx.x < 32) {
    for (unsigned r = 0; r < rounds; ++r) {
      const unsigned s = r % stages;
      if (r >= stages) wait(&read[s], r / stages - 1);
      start_copy(&ring[s][lane], in + 32 * r + lane);
      wait_for_copies();
#ifndef WITHOUT_SYNCWARP_BEFORE_THERE
      __syncwarp();  // all lanes' copies are done before lane 0 says so
#endif
      if (lane == 0) arrive(&there[s]);
    }
  } else {
    for (unsigned r = 0; r < rounds; ++r) {
      const unsigned s = r % stages;
      wait(&there[s], r / stages);
      out[32 * r + lane] = ring[s][31 - lane];
#ifndef WITHOUT_SYNCWARP_BEFORE_READ
      __syncwarp();  // all lanes have read before lane 0 says so
#endif
      if (lane == 0) arrive(&read[s]);
    }
  }
}

int main() {
  constexpr unsigned n = 32 * rounds;
  unsigned host[n], *in, *out;
  for (unsigned i = 0; i < n; ++i) host[i] = 7 * i + 1;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  mirror_rounds<<<1, 64>>>(in, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < n; ++i)
    if (host[i] != 7 * (i / 32 * 32 + 31 - i % 32) + 1) {
      std::printf("element %u is %u\n", i, host[i]);
      return 1;
    }
  cudaFree(in);
  cudaFree(out);
  std::printf("right: %u elements\n", n);
  return 0;
}
