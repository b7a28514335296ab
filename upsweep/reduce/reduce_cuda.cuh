// The CUDA reduce: one launch, every element read once.
//
// One block folds a short input. One cluster of blocks folds a longer one; the values of the blocks meet in the shared
// memory of the first block. Blocks all over the GPU fold a large input:
//
// Each block folds one contiguous part of the input and publishes one value. The first block waits for all values and
// folds them, in order. Values are tagged words, so no fence and no counter is needed, and nothing is cleared between
// launches. Only the first block waits, so the other blocks need not be resident at the same time. The grouping depends
// only on the size and the device.
//
// With a commutative operator a thread reads 16-byte pieces with a block's stride, several in flight. With any other
// operator the order is kept: a warp reads 32 consecutive pieces and folds them as a tree over its lanes before it
// reads the next.
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/reduce/reduce_cuda.cuh is CUDA; include it from a .cu file, or include reduce.hpp"
#endif

#if !defined(__CUDACC_RTC__)
#include <algorithm>
#include <array>
#include <tuple>

#include "upsweep/cuda/cuda_device.hpp"
#endif
#include "upsweep/cuda/cluster.cuh"
#include "upsweep/cuda/large_elements.cuh"
#include "upsweep/cuda/thread_items.cuh"
#include "upsweep/cuda/tile_state.cuh"
#include "upsweep/reduce/cuda/reduce_cuda_tuning.hpp"

namespace upsweep::cuda {

template <class T>
__host__ __device__ constexpr T least_of(T a, T b) {
  return b < a ? b : a;
}

struct reading {
  bool whole_pieces;  // whether the address of the input is a multiple of 16 bytes
  bool streaming;
};

template <class T>
struct reduce_arguments {
  const T* in;
  T* out;
  std::uint64_t n, stretch;  // elements a block folds
  T init;
  reading how;
  tagged_words partial;  // one a block
  launch_control* control;
};

// Returns the fold of the block in thread 0, in the order of the threads.
template <int Threads, class T, class Op>
__device__ T block_reduce(T x, const Op& op, T* warp_total) {
  constexpr int warps = Threads / warp_size;
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  x = warp_reduce(x, op);
  if (lane == 0) warp_total[warp] = x;
  __syncthreads();  // every warp wrote its total
  if (warp == 0) x = warp_reduce(lane < warps ? warp_total[lane] : identity_of<T>(op), op);
  return x;
}

// Streaming loads are marked evict-first. Measured on an H200: up to 128 MB they save a tenth, beyond it they cost a
// twentieth.
template <class T, int Items>
__device__ void load_piece(const T* from, T (&x)[Items], bool streaming) {
  const uint4* at = reinterpret_cast<const uint4*>(from);
  const uint4 piece = streaming ? __ldcs(at) : *at;
  memcpy(x, &piece, 16);
}

// The fold of a thread over its part of [first, last), in any order.
template <class Shape, class T, class Index, class Op, class F>
__device__ core::carrier<T, Op> fold_strided(const T* in, Index first, Index last, reading how, const Op& op,
                                             const F& f) {
  using W = core::carrier<T, Op>;
  const W nothing(identity_of<T>(op));
  W sum = nothing;
  Index i = first;
  if constexpr (16 % sizeof(T) == 0) {
    constexpr int per = 16 / sizeof(T), pieces = Shape::pieces, step = Shape::threads * per;
    if (how.whole_pieces) {
      W column[per];  // a running fold per position in a piece: four chains instead of one
#pragma unroll
      for (int c = 0; c < per; ++c) column[c] = nothing;
      const auto take = [&](T(&x)[per]) {
        transform_items(x, op, f);
#pragma unroll
        for (int c = 0; c < per; ++c) column[c] = op(column[c], W(x[c]));
      };
      for (; i + pieces * step <= last; i += pieces * step) {
        T x[pieces][per];
        if (how.streaming) {
#pragma unroll
          for (int p = 0; p < pieces; ++p) load_piece(in + i + p * step + threadIdx.x * per, x[p], true);
        } else {
#pragma unroll
          for (int p = 0; p < pieces; ++p) load_piece(in + i + p * step + threadIdx.x * per, x[p], false);
        }
#pragma unroll
        for (int p = 0; p < pieces; ++p) take(x[p]);
      }
      // The rest is smaller: the same loads, each only if a whole piece is left.
      T x[pieces][per];
#pragma unroll
      for (int p = 0; p < pieces; ++p) {
        const Index own = i + p * step + threadIdx.x * per;
        if (own + per <= last) load_piece(in + own, x[p], false);
      }
#pragma unroll
      for (int p = 0; p < pieces; ++p)
        if (i + p * step + threadIdx.x * per + per <= last) take(x[p]);
      sum = fold_items(column, op);
      i += (last - i) / per * per;
    }
  }
  for (i += threadIdx.x; i < last; i += Shape::threads) {
    T x[1] = {in[i]};
    transform_items(x, op, f);
    sum = op(sum, W(x[0]));
  }
  return sum;
}

// The part of a thread in the fold of [first, last), such that folding the threads of the block in order keeps the
// order of the elements. Each warp takes one run of whole rows. A row is the piece that its lanes read in one step.
template <class Shape, class T, class Index, class Op, class F>
__device__ core::carrier<T, Op> fold_in_order(const T* in, Index first, Index last, reading how, const Op& op,
                                              const F& f) {
  constexpr int per = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1, row = warp_size * per,
                warps = Shape::threads / warp_size;
  const T nothing = identity_of<T>(op);
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const Index rows = (last - first + row - 1) / row, rows_a_warp = (rows + warps - 1) / warps;
  const Index begin = first + least_of<Index>(rows, warp * rows_a_warp) * row;
  const Index end = least_of<Index>(last, first + least_of<Index>(rows, (warp + 1) * rows_a_warp) * row);
  using W = core::carrier<T, Op>;
  W sum(nothing);
  for (Index i = begin; i < end; i += row) {
    const Index own = i + lane * per;
    T x[per];
    if (per > 1 && how.whole_pieces && own + per <= end) {
      if constexpr (per > 1) load_piece(in + own, x, false);
      transform_items(x, op, f);
    } else {
#pragma unroll
      for (int c = 0; c < per; ++c) x[c] = own + c < end ? in[own + c] : nothing;
      transform_items(x, op, f);
#pragma unroll
      for (int c = 0; c < per; ++c)
        if (own + c >= end) x[c] = nothing;
    }
    sum = op(sum, warp_reduce(fold_items_in<W>(x, op), op));  // lane 0 has the fold of the row
  }
  return lane == 0 ? sum : W(nothing);
}

template <class T, class Op, class F, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    first_block_reduce(const __grid_constant__ reduce_arguments<T> a, const Op op, const F f) {
  using W = core::carrier<T, Op>;
  __shared__ shared_array<W, warp_size> warp_total;
  std::uint32_t epoch = 0;
  if (gridDim.x > 1 && (threadIdx.x == 0 || blockIdx.x == 0))
    epoch = a.control->this_epoch();  // requested before the long loads
  const std::uint64_t first = blockIdx.x * a.stretch, last = least_of(a.n, first + a.stretch);
  W sum;
  if constexpr (may_reorder<Op>) {
    sum = fold_strided<Shape>(a.in, first, last, a.how, op, f);
  } else {
    sum = fold_in_order<Shape>(a.in, first, last, a.how, op, f);
  }
  sum = block_reduce<Shape::threads>(sum, op, warp_total.data());
  if (blockIdx.x > 0) {
    if (threadIdx.x == 0) a.partial.store(blockIdx.x, epoch, sum);
    return;
  }
  if (gridDim.x > 1) {
    // A thread folds a run of consecutive values, so that the order is kept. Thread 0 already has the first value.
    const unsigned run = (gridDim.x + Shape::threads - 1) / Shape::threads;
    const unsigned begin = threadIdx.x * run, end = least_of(gridDim.x, begin + run);
    W rest(identity_of<T>(op));
    for (unsigned i = begin; i < end; ++i) rest = op(rest, i == 0 ? sum : a.partial.template wait<W>(i, epoch));
    __syncthreads();  // the first warp has read the totals that the next fold overwrites
    sum = block_reduce<Shape::threads>(rest, op, warp_total.data());
  }
  if (threadIdx.x == 0) {
    *a.out = static_cast<T>(op(W(a.init), sum));
    // Every block read the epoch before it published, and this block has waited for all of them.
    if (gridDim.x > 1) a.control->end_epoch(epoch, a.partial);
  }
}

// A short input: all loads at once, and no data shared with other blocks.
template <class T, class Op, class F, class Shape>
__global__ void __launch_bounds__(Shape::threads)
    one_block_reduce(const T* in, T* out, std::uint32_t n, T init, reading how, const Op op, const F f) {
  using W = core::carrier<T, Op>;
  __shared__ shared_array<W, warp_size> warp_total;
  W sum;
  if constexpr (may_reorder<Op>) {
    sum = fold_strided<Shape>(in, 0u, n, how, op, f);
  } else {
    sum = fold_in_order<Shape>(in, 0u, n, how, op, f);
  }
  sum = block_reduce<Shape::threads>(sum, op, warp_total.data());
  if (threadIdx.x == 0) *out = static_cast<T>(op(W(init), sum));
}

// One cluster: the values of the blocks meet in the shared memory of the first block, in a fraction of the time that
// global memory takes.
template <class T, class Op, class F, class Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    cluster_reduce(const __grid_constant__ reduce_arguments<T> a, const Op op, const F f) {
#if __CUDA_ARCH__ >= 900
  using W = core::carrier<T, Op>;
  __shared__ shared_array<W, warp_size> warp_total;
  __shared__ shared_array<W, 16> block_total;
  __cluster_barrier_arrive();
  const std::uint64_t first = least_of(a.n, blockIdx.x * a.stretch), last = least_of(a.n, first + a.stretch);
  W sum;
  if constexpr (may_reorder<Op>) {
    sum = fold_strided<Shape>(a.in, first, last, a.how, op, f);
  } else {
    sum = fold_in_order<Shape>(a.in, first, last, a.how, op, f);
  }
  sum = block_reduce<Shape::threads>(sum, op, warp_total.data());
  __cluster_barrier_wait();  // the first block has begun, so its shared memory is there
  if (threadIdx.x == 0) in_block_of_cluster(block_total.data(), 0)[blockIdx.x] = sum;
  cluster_sync();  // every block wrote its total
  if (blockIdx.x > 0 || threadIdx.x >= warp_size) return;
  sum = warp_reduce(threadIdx.x < gridDim.x ? block_total.data()[threadIdx.x] : W(identity_of<T>(op)), op);
  if (threadIdx.x == 0) *a.out = static_cast<T>(op(W(a.init), sum));
#endif
}

#if !defined(__CUDACC_RTC__)  // host code

template <class T>
reading reading_of(const T* in, std::uint64_t n) {
  return {reinterpret_cast<std::uintptr_t>(in) % 16 == 0, n * sizeof(T) <= reduce_tuning::streaming_bytes};
}

// Whether the device can run a cluster of that many blocks. Not every GPU supports more than 8.
template <class Kernel>
bool cluster_fits(Kernel kernel, cudaLaunchConfig_t& launch) {
  if (launch.gridDim.x > 8 &&
      cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) != cudaSuccess)
    return false;
  int clusters = 0;
  const cudaError_t status = cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch);
  cudaGetLastError();
  return status == cudaSuccess && clusters > 0;
}

// Returns false if the device cannot run such a cluster.
template <int Blocks, class T, class Op, class F>
bool reduce_in_cluster(device& d, const T* in, std::uint64_t n, T* out, T init, Op op, F f) {
  using shape = reduce_tuning::cluster;
  const auto kernel = cluster_reduce<T, Op, F, shape>;
  cudaLaunchAttribute size;
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim = {Blocks, 1, 1};
  cudaLaunchConfig_t launch{};
  launch.gridDim = Blocks;
  launch.blockDim = shape::threads;
  launch.stream = d.stream();
  launch.attrs = &size;
  launch.numAttrs = 1;
  if (!d.once(kernel, [&] { return d.has_clusters(kernel) && cluster_fits(kernel, launch); }, Blocks)) return false;
  reduce_arguments<T> a{in, out, n};
  constexpr std::uint64_t align = warp_size * 16;
  a.stretch = ((n + Blocks - 1) / Blocks + align - 1) / align * align;
  a.init = init;
  a.how = reading_of(in, n);
  check(cudaLaunchKernelEx(&launch, kernel, a, op, f), "reduce on cuda");
  return true;
}

template <class Shape, class T, class Op, class F>
void reduce_with(device& d, const T* in, std::uint64_t n, T* out, T init, Op op, F f, std::uint64_t least_a_block,
                 int times = 1) {
  constexpr std::uint64_t align = 4 * warp_size * 16;  // parts begin at whole pieces, rows and cache lines
  const std::uint64_t most = static_cast<std::uint64_t>(d.multiprocessors()) * Shape::blocks * times;
  const std::uint64_t wanted = std::clamp<std::uint64_t>((n + least_a_block - 1) / least_a_block, 1, most);
  reduce_arguments<T> a{in, out, n};
  a.stretch = ((n + wanted - 1) / wanted + align - 1) / align * align;
  const unsigned grid = static_cast<unsigned>(std::max<std::uint64_t>(1, (n + a.stretch - 1) / a.stretch));
  a.init = init;
  a.how = reading_of(in, n);
  std::tie(a.control, a.partial) = launch_state<core::carrier<T, Op>>(d, "reduce/cuda", most);
  first_block_reduce<T, Op, F, Shape><<<grid, Shape::threads, 0, d.stream()>>>(a, op, f);
  check(cudaGetLastError(), "reduce on cuda");
}

template <class T, class Op, class F>
void reduce_in_blocks(device& d, const T* in, std::uint64_t n, T* out, T init, Op op, F f) {
  using tuning = reduce_tuning;
  const std::uint64_t bytes = n * sizeof(T);
  if (bytes <= tuning::one_block_bytes) {
    using shape = tuning::one_block;
    one_block_reduce<T, Op, F, shape>
        <<<1, shape::threads, 0, d.stream()>>>(in, out, static_cast<std::uint32_t>(n), init, reading_of(in, n), op, f);
    return check(cudaGetLastError(), "reduce on cuda");
  }
  if constexpr (!seldom_asked_for<Op>)
    if (bytes <= tuning::cluster_bytes && reduce_in_cluster<8>(d, in, n, out, init, op, f)) return;
  reduce_with<tuning::many_blocks>(d, in, n, out, init, op, f, tuning::least_bytes_a_block / sizeof(T));
}

template <class T, class Op, class F>
void reduce(upsweep::device& where, const T* in, std::uint64_t n, T* out, T init, Op op, F f) {
  static_assert(std::is_trivially_copyable_v<T>,
                "upsweep: CUDA moves elements as bytes; give it a trivially copyable type");
  device& d = of(where);
  d.make_current();
  if constexpr (sizeof(T) > reduce_tuning::largest_in_blocks) {
    reduce_by_runs(d, in, n, out, init, op, f);
  } else {
    reduce_in_blocks(d, in, n, out, init, op, f);
  }
}

#endif

}  // namespace upsweep::cuda
