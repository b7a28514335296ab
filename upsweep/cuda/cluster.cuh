// Clusters of blocks, in inline PTX: the header of cooperative groups offers the same and takes more than a second to
// compile. Before Hopper every block is a cluster of its own.
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

// The address in that block of the cluster that corresponds to `own` in this block's shared memory.
template <class T>
__device__ T* in_block_of_cluster(T* own, unsigned block) {
#if __CUDA_ARCH__ >= 900
  return static_cast<T*>(__cluster_map_shared_rank(own, block));
#else
  return own;
#endif
}

}  // namespace upsweep::cuda
