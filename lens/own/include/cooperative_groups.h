// Blocks, and the tiles of a warp.
#pragma once

#include "cuda_runtime.h"

namespace cooperative_groups {

class thread_block {
 public:
  static unsigned thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
  UPSWEEP_WORD void sync() const { upsweep_block_barrier(0); }
};
UPSWEEP_WORD thread_block this_thread_block() { return {}; }

// As many threads of one warp, side by side.
template <unsigned tile, class Parent = thread_block>
class thread_block_tile {
 public:
  static_assert(tile <= 32 && (tile & (tile - 1)) == 0, "the lens knows tiles of 1 to 32 threads");
  static constexpr unsigned size() { return tile; }
  static constexpr unsigned num_threads() { return tile; }
  UPSWEEP_WORD static unsigned thread_rank() { return thread_block::thread_rank() % tile; }
  UPSWEEP_WORD static unsigned meta_group_rank() { return thread_block::thread_rank() / tile; }
  UPSWEEP_WORD static unsigned meta_group_size() { return (thread_block::size() + tile - 1) / tile; }
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
  UPSWEEP_WORD static unsigned first() { return thread_block::thread_rank() % 32 / tile * tile; }
  UPSWEEP_WORD static unsigned mask() { return (tile == 32 ? ~0u : (1u << tile % 32) - 1) << first(); }
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
