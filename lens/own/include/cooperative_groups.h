// Blocks, their clusters, and the tiles of a warp.
#pragma once

#include "cuda_runtime.h"

namespace cooperative_groups {

UPSWEEP_WORD unsigned upsweep_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
UPSWEEP_WORD unsigned upsweep_threads() { return blockDim.x * blockDim.y * blockDim.z; }
UPSWEEP_WORD unsigned upsweep_tile(unsigned tile) {
  return (tile == 32 ? ~0u : (1u << tile % 32) - 1) << upsweep_rank() % 32 / tile * tile;
}

// The block, or a tile of it, of which only the program knows which.
class thread_group {
 public:
  UPSWEEP_WORD explicit thread_group(unsigned tile = 0) : tile_(tile) {}
  UPSWEEP_WORD unsigned thread_rank() const { return tile_ == 0 ? upsweep_rank() : upsweep_rank() % tile_; }
  UPSWEEP_WORD unsigned size() const { return tile_ == 0 ? upsweep_threads() : tile_; }
  UPSWEEP_WORD unsigned num_threads() const { return size(); }
  UPSWEEP_WORD void sync() const {
    if (tile_ == 0) {
      upsweep_block_barrier(0);
    } else {
      upsweep_warp_barrier(upsweep_tile(tile_));
    }
  }

 private:
  unsigned tile_;
};

class thread_block : public thread_group {
 public:
  UPSWEEP_WORD static unsigned thread_rank() { return upsweep_rank(); }
  UPSWEEP_WORD static unsigned size() { return upsweep_threads(); }
  UPSWEEP_WORD static unsigned num_threads() { return upsweep_threads(); }
  UPSWEEP_WORD static dim3 group_index() { return blockIdx; }
  UPSWEEP_WORD static dim3 thread_index() { return threadIdx; }
  UPSWEEP_WORD static dim3 group_dim() { return blockDim; }
  UPSWEEP_WORD static dim3 dim_threads() { return blockDim; }
  UPSWEEP_WORD void sync() const { upsweep_block_barrier(0); }
};
UPSWEEP_WORD thread_block this_thread_block() { return {}; }

// The blocks that run together.
class cluster_group {
 public:
  struct arrival_token {};
  UPSWEEP_WORD static void sync() {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
  }
  UPSWEEP_WORD static arrival_token barrier_arrive() {
    __cluster_barrier_arrive();
    return {};
  }
  UPSWEEP_WORD static void barrier_wait() { __cluster_barrier_wait(); }
  UPSWEEP_WORD static void barrier_wait(arrival_token&&) { __cluster_barrier_wait(); }
  UPSWEEP_WORD static unsigned query_shared_rank(const void* at) { return __cluster_query_shared_rank(at); }
  template <class T>
  UPSWEEP_WORD static T* map_shared_rank(T* mine, int rank) {
    return (T*)__cluster_map_shared_rank((const void*)mine, (unsigned)rank);
  }
  UPSWEEP_WORD static dim3 block_index() { return __clusterRelativeBlockIdx(); }
  UPSWEEP_WORD static unsigned block_rank() { return __clusterRelativeBlockRank(); }
  UPSWEEP_WORD static unsigned thread_rank() { return block_rank() * upsweep_threads() + upsweep_rank(); }
  UPSWEEP_WORD static dim3 dim_blocks() { return __clusterDim(); }
  UPSWEEP_WORD static unsigned num_blocks() { return __clusterSizeInBlocks(); }
  UPSWEEP_WORD static unsigned num_threads() { return num_blocks() * upsweep_threads(); }
  UPSWEEP_WORD static unsigned size() { return num_threads(); }
};
UPSWEEP_WORD cluster_group this_cluster() { return {}; }
UPSWEEP_WORD thread_group tiled_partition(const thread_group&, unsigned tile) {
  if (tile == 0 || tile > 32 || (tile & (tile - 1)) != 0) {
    fprintf(stderr, "a tile of %u threads is not understood by the lens: 1 to 32, a power of two\n", tile);
    abort();
  }
  return thread_group(tile);
}

// `tile` adjacent threads of one warp.
template <unsigned tile, class Parent = thread_block>
class thread_block_tile : public thread_group {
 public:
  UPSWEEP_WORD thread_block_tile() : thread_group(tile) {}
  static_assert(tile <= 32 && (tile & (tile - 1)) == 0, "the lens knows tiles of 1 to 32 threads");
  static constexpr unsigned size() { return tile; }
  static constexpr unsigned num_threads() { return tile; }
  UPSWEEP_WORD static unsigned thread_rank() { return upsweep_rank() % tile; }
  UPSWEEP_WORD static unsigned meta_group_rank() { return upsweep_rank() / tile; }
  UPSWEEP_WORD static unsigned meta_group_size() { return (upsweep_threads() + tile - 1) / tile; }
  UPSWEEP_WORD void sync() const { upsweep_warp_barrier(mask()); }
  UPSWEEP_WORD int any(int p) const { return __any_sync(mask(), p); }
  UPSWEEP_WORD int all(int p) const { return __all_sync(mask(), p); }
  UPSWEEP_WORD unsigned ballot(int p) const { return __ballot_sync(mask(), p) >> first(); }
  template <class T>
  UPSWEEP_WORD unsigned match_any(T v) const {
    return __match_any_sync(mask(), v) >> first();
  }
  template <class T>
  UPSWEEP_WORD T shfl(T v, int from) const {
    return __shfl_sync(mask(), v, from, tile);
  }
  template <class T>
  UPSWEEP_WORD T shfl_up(T v, unsigned d) const {
    return __shfl_up_sync(mask(), v, d, tile);
  }
  template <class T>
  UPSWEEP_WORD T shfl_down(T v, unsigned d) const {
    return __shfl_down_sync(mask(), v, d, tile);
  }
  template <class T>
  UPSWEEP_WORD T shfl_xor(T v, unsigned d) const {
    return __shfl_xor_sync(mask(), v, (int)d, tile);
  }

 private:
  UPSWEEP_WORD static unsigned first() { return upsweep_rank() % 32 / tile * tile; }
  UPSWEEP_WORD static unsigned mask() { return upsweep_tile(tile); }
};
template <unsigned tile, class Parent>
UPSWEEP_WORD thread_block_tile<tile, Parent> tiled_partition(const Parent&) {
  return {};
}

template <class Group>
UPSWEEP_WORD void sync(const Group& g) {
  g.sync();
}

template <class T>
struct plus {
  UPSWEEP_WORD T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  UPSWEEP_WORD T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  UPSWEEP_WORD T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  UPSWEEP_WORD T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  UPSWEEP_WORD T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  UPSWEEP_WORD T operator()(T a, T b) const { return a ^ b; }
};
template <unsigned tile, class Parent, class T, class Op>
UPSWEEP_WORD T reduce(const thread_block_tile<tile, Parent>& g, T v, Op op) {
  for (unsigned d = tile / 2; d > 0; d /= 2) v = op(v, g.shfl_xor(v, d));
  return v;
}

}  // namespace cooperative_groups
