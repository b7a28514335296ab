// Blocks, the tiles of a warp, and the lanes that are together.
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

// Threads of one warp.
class upsweep_lanes {
 public:
  UPSWEEP_WORD unsigned num_threads() const { return size_; }
  UPSWEEP_WORD unsigned size() const { return size_; }
  UPSWEEP_WORD unsigned thread_rank() const { return __popc(mask_ & ((1u << lane()) - 1)); }
  UPSWEEP_WORD void sync() const { upsweep_warp_barrier(mask_); }
  UPSWEEP_WORD int any(int p) const { return ballot(p) != 0; }
  UPSWEEP_WORD int all(int p) const { return __popc(ballot(p)) == (int)size_; }
  UPSWEEP_WORD unsigned ballot(int p) const { return packed(__ballot_sync(mask_, p)); }
  template <class T>
  UPSWEEP_WORD unsigned match_any(T v) const {
    return packed(__match_any_sync(mask_, v));
  }
  template <class T>
  UPSWEEP_WORD T shfl(T v, unsigned rank) const {
    upsweep_shuffle(mask_, &v, sizeof v, 32, upsweep_lens::from_lane, lane_of(rank % size_));
    return v;
  }
  template <class T>
  UPSWEEP_WORD T shfl_down(T v, unsigned d) const {
    const unsigned from = thread_rank() + d < size_ ? thread_rank() + d : thread_rank();
    upsweep_shuffle(mask_, &v, sizeof v, 32, upsweep_lens::from_lane, lane_of(from));
    return v;
  }
  template <class T>
  UPSWEEP_WORD T shfl_up(T v, unsigned d) const {
    const unsigned from = thread_rank() >= d ? thread_rank() - d : thread_rank();
    upsweep_shuffle(mask_, &v, sizeof v, 32, upsweep_lens::from_lane, lane_of(from));
    return v;
  }
  template <class T>
  UPSWEEP_WORD T shfl_xor(T v, unsigned d) const {
    const unsigned from = (thread_rank() ^ d) < size_ ? thread_rank() ^ d : thread_rank();
    upsweep_shuffle(mask_, &v, sizeof v, 32, upsweep_lens::from_lane, lane_of(from));
    return v;
  }
  UPSWEEP_WORD unsigned meta_group_rank() const { return thread_block::thread_rank() / size_; }
  UPSWEEP_WORD unsigned meta_group_size() const { return (thread_block::size() + size_ - 1) / size_; }

 protected:
  UPSWEEP_WORD upsweep_lanes(unsigned mask) : mask_(mask), size_((unsigned)__popc(mask)) {}
  UPSWEEP_WORD static unsigned lane() { return thread_block::thread_rank() % 32; }
  UPSWEEP_WORD int lane_of(unsigned rank) const {
    unsigned rest = mask_;
    for (unsigned i = 0; i < rank; ++i) rest &= rest - 1;
    return __ffs((int)rest) - 1;
  }
  UPSWEEP_WORD unsigned packed(unsigned lanes) const {
    unsigned bits = 0, k = 0;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1) bits |= (lanes >> (__ffs((int)rest) - 1) & 1) << k++;
    return bits;
  }
  unsigned mask_, size_;
};

template <unsigned tile, class Parent = thread_block>
class thread_block_tile : public upsweep_lanes {
 public:
  static_assert(tile <= 32 && (tile & (tile - 1)) == 0, "the lens knows tiles of 1 to 32 threads");
  UPSWEEP_WORD thread_block_tile() : upsweep_lanes((tile == 32 ? ~0u : (1u << tile % 32) - 1) << lane() / tile * tile) {
    // The last warp of a block may be shorter.
    const unsigned rest = thread_block::size() - thread_block::thread_rank() / 32 * 32;
    if (rest < 32) mask_ &= (1u << rest) - 1, size_ = (unsigned)__popc(mask_);
  }
  static constexpr unsigned size() { return tile; }
  static constexpr unsigned num_threads() { return tile; }
  UPSWEEP_WORD unsigned meta_group_rank() const { return thread_block::thread_rank() / tile; }
  UPSWEEP_WORD unsigned meta_group_size() const { return (thread_block::size() + tile - 1) / tile; }
};
template <unsigned tile, class Parent>
UPSWEEP_WORD thread_block_tile<tile, Parent> tiled_partition(const Parent&) {
  return {};
}

class coalesced_group : public upsweep_lanes {
 public:
  UPSWEEP_WORD explicit coalesced_group(unsigned mask) : upsweep_lanes(mask) {}
};
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
