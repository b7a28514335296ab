// What the kernels that work on tiles share: their arguments, a thread's own scan, and the fold of the tiles before
// one.
#pragma once

#if !defined(__CUDACC_RTC__)
#include <array>
#include <tuple>

#include "upsweep/cuda/together.cuh"
#endif

#include "upsweep/cuda/initial.cuh"
#include "upsweep/cuda/items.cuh"
#include "upsweep/cuda/tagged.cuh"

namespace upsweep::cuda {

template <class T>
struct scan_arguments {
  const T* in;
  T* out;
  std::uint64_t n, tiles;
  initial<T> init;
  bool inclusive, bulk_in, bulk_out;  // bulk: the address is a multiple of 16 bytes
  tagged_words aggregates;            // one a tile
  launch_control* control;
};

#if !defined(__CUDACC_RTC__)  // the host's side

template <class T>
scan_arguments<T> scan_arguments_for(device& d, const T* in, std::uint64_t n, T* out, bool inclusive,
                                     const initial<T>& init, std::uint64_t tiles) {
  scan_arguments<T> a{in, out, n, tiles, init, inclusive};
  a.bulk_in = reinterpret_cast<std::uintptr_t>(in) % 16 == 0;
  a.bulk_out = reinterpret_cast<std::uintptr_t>(out) % 16 == 0;
  std::tie(a.control, a.aggregates) = launch_state<T>(d, "scan/cuda", tiles);
  return a;
}

// Blocks that can run at once, found out once for each kernel and device.
template <class Kernel>
int resident_blocks(const device& d, Kernel kernel, int threads, std::size_t shared_bytes) {
  int a_multiprocessor = 0;
  d.allow_shared(kernel, shared_bytes, "scan on cuda");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel, threads, shared_bytes),
        "scan on cuda");
  return a_multiprocessor * d.multiprocessors();
}

#endif

template <int Items, class T, class Op>
__device__ void scan_items(T (&x)[Items], T running, bool inclusive, const Op& op) {
  if (inclusive) {
#pragma unroll
    for (int i = 0; i < Items; ++i) x[i] = running = op(running, x[i]);
  } else {
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const T own = x[i];
      x[i] = running;
      running = op(running, own);
    }
  }
}

// A whole warp: everything before `tile`, right in lane 0. `carry` is the fold of init and of all aggregates before
// tile `batch`, a multiple of 32; both move on to the last whole batch. Asks for `Depth` batches at once.
template <int Depth, class T, class Op>
__device__ T prefix_of(tagged_words aggregates, std::uint32_t epoch, std::uint64_t tile, T& carry, std::uint64_t& batch,
                       const Op& op) {
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
    for (int k = 0; k < Depth; ++k) total[k] = warp_reduce(value[k], op);  // chains that do not wait for one another
    const std::uint64_t first = batch;
    bool cut = false;  // the last batch is not whole: it is added up anew for the next tile
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

#if !defined(__CUDACC_RTC__)  // the host's side

// A tile a block, all at once. False where the tiles are more than the device can hold.
template <class Kernel, class T, class Op, class F>
bool scan_all_tiles_at_once(device& d, Kernel* kernel, int threads, int tile, const T* in, std::uint64_t n, T* out,
                            bool inclusive, const initial<T>& init, Op op, F f) {
  const std::uint64_t tiles = (n + tile - 1) / tile;
  const int blocks = d.once(kernel, [&] { return resident_blocks(d, kernel, threads, 0); });
  if (tiles > static_cast<std::uint64_t>(blocks)) return false;
  const scan_arguments<T> a = scan_arguments_for(d, in, n, out, inclusive, init, tiles);
  launch_together(d, kernel, tiles, threads, 0, true, "scan on cuda", a, op, f);
  return true;
}

#endif

}  // namespace upsweep::cuda
