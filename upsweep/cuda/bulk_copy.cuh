// Hopper's bulk copies between global and shared memory: one thread starts a copy, the copy engine moves the tile,
// and a barrier in shared memory or a group count signals its end. Addresses and sizes are multiples of 16 bytes. On
// Ampere, asynchronous copies into shared memory replace those loads, 16 bytes a lane of a warp; Turing has neither.
#pragma once

#include <cstdint>

#include "upsweep/cuda/schedule_fuzzing.cuh"

namespace upsweep::cuda {

__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// An mbarrier, in shared memory. Turing has none: there the lower half counts all arrivals, and the upper half is the
// number of arrivals of a phase, as a power of two.
using copy_barrier = std::uint64_t;

template <std::uint32_t Arrivals = 1>
__device__ void init_copy_barrier(copy_barrier* b) {
  static_assert((Arrivals & (Arrivals - 1)) == 0);
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "n"(Arrivals) : "memory");
#elif __CUDA_ARCH__ >= 800
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "n"(Arrivals) : "memory");
#elif defined(__CUDA_ARCH__)
  std::uint64_t power = 0;
  while (std::uint32_t{1} << power < Arrivals) ++power;
  asm volatile("st.shared.u64 [%0], %1;" ::"r"(shared_address(b)), "l"(power << 32) : "memory");
#endif
}

// Whether tiles are loaded by asynchronous copies, and whether all lanes of a warp issue them instead of one thread.
__device__ constexpr bool has_async_load() {
#if __CUDA_ARCH__ >= 800
  return true;
#else
  return false;
#endif
}
__device__ constexpr bool warps_load() {
#if __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 900
  return true;
#else
  return false;
#endif
}
__device__ inline bool asks_for_loads(int lane) { return warps_load() || lane == 0; }

// A barrier for the issuers of loads. With a warp each lane arrives once, and the first lane once more for its own
// writes.
__device__ inline void init_load_barrier(copy_barrier* b) {
#if __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 900
  asm volatile("mbarrier.init.shared.b64 [%0], 33;" ::"r"(shared_address(b)) : "memory");
#else
  init_copy_barrier(b);
#endif
}

// Makes initialised barriers visible to the copy engine; every thread still needs a __syncthreads before it waits on
// one.
__device__ inline void publish_copy_barriers() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

// Several copies into shared memory that together complete the barrier's current phase: first the total number of
// bytes, then each copy.
__device__ inline void expect_bulk_loads(std::uint32_t bytes, copy_barrier* b) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes)
               : "memory");
#endif
}
__device__ inline void expected_bulk_load(void* to_shared, const void* from_global, std::uint32_t bytes,
                                          copy_barrier* b) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to_shared)),
               "l"(from_global), "r"(bytes), "r"(shared_address(b))
               : "memory");
#elif __CUDA_ARCH__ >= 800
  const std::uint32_t to = shared_address(to_shared);
  const auto from = reinterpret_cast<std::uintptr_t>(from_global);
#pragma unroll 4
  for (std::uint32_t at = threadIdx.x % 32 * 16; at < bytes; at += 32 * 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to + at), "l"(from + at) : "memory");
#endif
}

// One copy that completes the phase by itself.
__device__ inline void bulk_load(void* to_shared, const void* from_global, std::uint32_t bytes, copy_barrier* b) {
  expect_bulk_loads(bytes, b);
  expected_bulk_load(to_shared, from_global, bytes, b);
}

// Completes the barrier's current phase without a copy.
__device__ inline void arrive_without_copy(copy_barrier* b) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
#elif __CUDA_ARCH__ >= 800
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(shared_address(b)) : "memory");
#elif defined(__CUDA_ARCH__)
  asm volatile("red.release.cta.shared.add.u32 [%0], 1;" ::"r"(shared_address(b)) : "memory");
#endif
}

// Ends a phase after its loads, or without any: the threads that start loads add no more to it.
__device__ inline void end_loads(copy_barrier* b, bool loaded) {
#if __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 900
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(b)) : "memory");
  if (threadIdx.x % 32 == 0) arrive_without_copy(b);
#else
  if (!loaded) arrive_without_copy(b);
#endif
}

// Waits for the phase of that parity (0, 1, 0, …) to complete; the copied bytes are visible to the thread then.
__device__ inline void wait_copy_barrier(copy_barrier* b, std::uint32_t parity) {
  may_doze();
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\n"
      "bra again;\n"
      "over:\n"
      "}" ::"r"(shared_address(b)),
      "r"(parity)
      : "memory");
#elif __CUDA_ARCH__ >= 800
  // Before Hopper a barrier has only test_wait, by the state that an arrival returned or, from PTX 7.1 on, by parity.
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n"
      "@done bra over;\n"
      "bra again;\n"
      "over:\n"
      "}" ::"r"(shared_address(b)),
      "r"(parity)
      : "memory");
#elif defined(__CUDA_ARCH__)
  std::uint32_t arrived, power;
  do {
    asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(arrived) : "r"(shared_address(b)) : "memory");
    asm volatile("ld.shared.u32 %0, [%1 + 4];" : "=r"(power) : "r"(shared_address(b)) : "memory");
  } while ((arrived >> power & 1) == parity);
#endif
}

// Orders this thread's ordinary writes to shared memory before bulk copies that a thread starts after the next block
// barrier.
__device__ inline void fence_before_bulk_store() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

// Starts a copy out of shared memory as one group of the calling thread.
__device__ inline void bulk_store(void* to_global, const void* from_shared, std::uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to_global),
               "r"(shared_address(from_shared)), "r"(bytes)
               : "memory");
#endif
}
__device__ inline void close_bulk_group() {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}

// Waits until at most `Left` groups of the calling thread still read shared memory.
template <int Left>
__device__ void wait_bulk_groups_read() {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Left) : "memory");
#endif
}

__device__ constexpr bool has_bulk_copy() {
#if __CUDA_ARCH__ >= 900
  return true;
#else
  return false;
#endif
}

}  // namespace upsweep::cuda
