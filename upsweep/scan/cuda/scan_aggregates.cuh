// Shared by the kernels that work on tiles: their arguments, a thread's own scan, and the fold of the tiles before a
// tile.
#pragma once

#if !defined(__CUDACC_RTC__)
#include <array>
#include <tuple>

#include "upsweep/cuda/cooperative_launch.cuh"
#endif

#include "upsweep/cuda/init_value.cuh"
#include "upsweep/cuda/thread_items.cuh"
#include "upsweep/scan/cuda/scan_f64.cuh"

namespace upsweep::cuda {

template <class T>
struct scan_arguments {
  const T* in;
  T* out;
  std::uint64_t n, tiles;
  initial<T> init;
  bool inclusive, bulk_in, bulk_out;  // bulk: whether the address is a multiple of 16 bytes
  tagged_words aggregates;            // one per tile, in the format of carried_aggregates
  launch_control* control;
};

#if !defined(__CUDACC_RTC__)  // host code

// W: the carrier type of the tiles' aggregates.
template <class W>
std::pair<launch_control*, tagged_words> aggregates_for(device& d, std::uint64_t tiles) {
  return launch_state<std::array<std::uint32_t, words_a_tile<W>>>(d, "scan/cuda", tiles);
}

template <class W, class T>
scan_arguments<T> scan_arguments_for(device& d, const T* in, std::uint64_t n, T* out, bool inclusive,
                                     const initial<T>& init, std::uint64_t tiles) {
  scan_arguments<T> a{in, out, n, tiles, init, inclusive};
  a.bulk_in = reinterpret_cast<std::uintptr_t>(in) % 16 == 0;
  a.bulk_out = reinterpret_cast<std::uintptr_t>(out) % 16 == 0;
  std::tie(a.control, a.aggregates) = aggregates_for<W>(d, tiles);
  return a;
}

// The number of blocks that can run at once; determined once per kernel and device.
template <class Kernel>
int resident_blocks(const device& d, Kernel kernel, int threads, std::size_t shared_bytes) {
  int a_multiprocessor = 0;
  d.allow_shared(kernel, shared_bytes, "scan on cuda");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel, threads, shared_bytes),
        "scan on cuda");
  return a_multiprocessor * d.multiprocessors();
}

#endif

// Called by a whole warp. Returns the fold of everything before `tile`, valid in lane 0. `carry` is the fold of init
// and of all aggregates before tile `batch`, a multiple of 32; both advance to the last whole batch. Requests `Depth`
// batches at once. Aggregates: tagged_words or carried_aggregates.
template <int Depth, class T, class Op, class Aggregates>
__device__ T prefix_of(const Aggregates& aggregates, std::uint32_t epoch, std::uint64_t tile, T& carry,
                       std::uint64_t& batch, const Op& op) {
  const int lane = threadIdx.x % warp_size;
  T prefix = carry;
  while (batch < tile) {
    T value[Depth];
    bool here[Depth], all_here;
#pragma unroll
    for (int k = 0; k < Depth; ++k) {
      value[k] = identity_of<T>(op);
      here[k] = batch + k * warp_size + lane >= tile;
    }
    do {
      all_here = true;
#pragma unroll
      for (int k = 0; k < Depth; ++k) {
        if (!here[k]) here[k] = aggregates.try_load(batch + k * warp_size + lane, epoch, value[k]);
        all_here = all_here && here[k];
      }
    } while (!__all_sync(whole_warp, all_here));
    T total[Depth];
#pragma unroll
    for (int k = 0; k < Depth; ++k) total[k] = warp_reduce(value[k], op);  // independent chains
    const std::uint64_t first = batch;
    bool cut = false;  // the last batch is incomplete: it is folded again for the next tile
#pragma unroll
    for (int k = 0; k < Depth; ++k) {
      const std::uint64_t begin = first + k * warp_size;
      if (begin < tile) prefix = op(carry, total[k]);
      cut = cut || (begin < tile && begin + warp_size > tile);
      if (begin + warp_size <= tile) {
        carry = prefix;
        batch += warp_size;
      }
    }
    if (cut) break;
  }
  return prefix;
}

#if !defined(__CUDACC_RTC__)  // host code

// One tile per block, all at once. Returns false if the device cannot hold that many blocks.
template <class Kernel, class T, class Op, class F>
bool scan_all_tiles_at_once(device& d, Kernel* kernel, int threads, int tile, const T* in, std::uint64_t n, T* out,
                            bool inclusive, const initial<T>& init, Op op, F f) {
  const std::uint64_t tiles = (n + tile - 1) / tile;
  const int blocks = d.once(kernel, [&] { return resident_blocks(d, kernel, threads, 0); });
  if (tiles > static_cast<std::uint64_t>(blocks)) return false;
  const scan_arguments<T> a = scan_arguments_for<core::carrier<T, Op>>(d, in, n, out, inclusive, init, tiles);
  launch_together(d, kernel, tiles, threads, 0, true, "scan on cuda", a, op, f);
  return true;
}

#endif

}  // namespace upsweep::cuda
