// Clusters of blocks, in the compiler's own words: the header of cooperative groups says the same and takes more than a
// second to read. Before Hopper every block is a cluster of its own.
#pragma once

#if !defined(__CUDACC_RTC__)
#include <cuda_runtime.h>
#endif

namespace upsweep::cuda {

__device__ inline unsigned cluster_blocks() {
#if __CUDA_ARCH__ >= 900
  return __clusterSizeInBlocks();
#else
  return 1;
#endif
}

// A barrier for all threads of the cluster.
__device__ inline void cluster_sync() {
#if __CUDA_ARCH__ >= 900
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
#endif
}

// Where that block of the cluster has what this one has at `own` in its shared memory.
template <class T>
__device__ T* in_block_of_cluster(T* own, unsigned block) {
#if __CUDA_ARCH__ >= 900
  return static_cast<T*>(__cluster_map_shared_rank(own, block));
#else
  return own;
#endif
}

}  // namespace upsweep::cuda
