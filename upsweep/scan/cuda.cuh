// The CUDA scan: one launch, every element read once and written once.
//
// Persistent blocks draw tiles by ticket. Of each tile a block publishes one thing, the tile's aggregate; no prefix is ever published. Three
// kinds of warps share a block's work, which goes round a ring of tiles in shared memory:
//
//   the copy warp        draws tickets and starts bulk copies, into the ring and out of it;
//   the look-ahead warp  adds up the aggregates between the block's last tile and its next, so no tile waits for the one before it in a chain;
//   all other warps      fold a tile as soon as it has come, and publish its aggregate; rounds later they scan it.
//
//   ring:   | draining (i-1) | scanning (i) | looking ahead (i+1) | folded (i+2) … folding (i+A) | loading … |
//
// What a prefix consists of has therefore long been there when it is asked for, also where some blocks are slower than others.
//
// Forward progress: a ticket is drawn by a block that runs, and a block works its tickets off in order, so the lowest unfinished tile
// never waits. Determinism: aggregates are folded in batches of 32 aligned to the tile number, whichever block took which tile.
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/scan/cuda.cuh is CUDA; include it from a .cu file compiled by nvcc, or include upsweep/scan.hpp"
#endif

#include <algorithm>
#include <array>
#include <tuple>

#include "upsweep/cuda/bulk_copy.cuh"
#include "upsweep/cuda/device.hpp"
#include "upsweep/cuda/items.cuh"
#include "upsweep/cuda/tagged.cuh"
#include "upsweep/scan/cuda_tuning.hpp"

namespace upsweep::cuda {

template <class T, class Shape>
struct scan_shared {
  alignas(128) T tile[Shape::stages][Shape::tile];
  T warp_total[2][Shape::threads / warp_size];  // of the tile being folded and of the one before, in turn
  T warp_prefix[Shape::stages][Shape::threads / warp_size];
  T tile_prefix[2];  // of the tile being scanned and of the one looked ahead for, in turn
  std::uint64_t tile_number[Shape::stages];
  copy_barrier loaded[Shape::stages];
};

template <class T>
struct scan_arguments {
  const T* in;
  T* out;
  std::uint64_t n, tiles;
  T init;
  bool inclusive, bulk_in, bulk_out;  // bulk: the address is a multiple of 16 bytes
  tagged_words aggregates;            // one a tile
  launch_control* control;
};

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

// A whole warp: everything before `tile`, right in lane 0. `carry` is the fold of init and of all aggregates before tile `batch`, a multiple of
// 32; both move on to the last whole batch. Asks for `Depth` batches at once.
template <int Depth, class T, class Op>
__device__ T prefix_of(tagged_words aggregates, std::uint32_t epoch, std::uint64_t tile, T& carry, std::uint64_t& batch, const Op& op) {
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

template <class Shape>
inline constexpr int scan_block_threads = Shape::threads + 2 * warp_size;

template <class T, class Op, class F, class Shape>
__global__ void __launch_bounds__(scan_block_threads<Shape>, Shape::blocks)
    look_ahead_scan(const __grid_constant__ scan_arguments<T> a, const Op op, const F f) {
  constexpr int threads = Shape::threads, items = Shape::items, stages = Shape::stages, tile_size = Shape::tile, ahead = Shape::fold_ahead;
  constexpr int warps = threads / warp_size;
  constexpr std::uint64_t none = ~std::uint64_t{0};
  static_assert(warps <= warp_size);
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  auto& shared = *reinterpret_cast<scan_shared<T, Shape>*>(shared_bytes);

  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const bool looks_ahead = warp == warps, copies = warp == warps + 1, scans = warp < warps;
  const T nothing = identity_of<T>(op);
  // Written by the last block of the launch before. The first warp publishes with it.
  const std::uint32_t epoch = warp == 0 || !scans ? a.control->epoch + 1 : 0;

  const auto elements_of = [&](std::uint64_t tile) {
    const std::uint64_t left = a.n - tile * tile_size;
    return left < tile_size ? static_cast<int>(left) : tile_size;
  };
  const auto in_bulk = [&](bool aligned, std::uint64_t tile) {
    return has_bulk_copy() && aligned && elements_of(tile) == tile_size && tile_size * sizeof(T) % 16 == 0;
  };

  // Copy warp, lane 0: draws a tile and starts its copy into a stage. The barrier tells the others the tile's number, too.
  bool tiles_left = true;
  const auto begin_load = [&](int stage) {
    std::uint64_t tile = none;
    if (tiles_left) {
      tile = atomicAdd(&a.control->ticket, 1ull);  // relaxed: only the number matters
      tiles_left = tile < a.tiles && a.tiles > gridDim.x;
      if (tile >= a.tiles) tile = none;
    }
    shared.tile_number[stage] = tile;
    if (tile != none && in_bulk(a.bulk_in, tile)) {
      bulk_load(shared.tile[stage], a.in + tile * tile_size, tile_size * sizeof(T), &shared.loaded[stage]);
    } else {
      arrive_without_copy(&shared.loaded[stage]);
    }
  };

  // Round r's tile is in stage r % stages, for the r/stages-th time. Waits until it has come.
  const auto tile_of = [&](std::uint64_t round) {
    const int stage = static_cast<int>(round % stages);
    wait_copy_barrier(&shared.loaded[stage], static_cast<std::uint32_t>(round / stages & 1));
    return shared.tile_number[stage];
  };

  if (copies && lane == 0) {
    for (int s = 0; s < stages; ++s) init_copy_barrier(&shared.loaded[s]);
    publish_copy_barriers();
  }
  __syncthreads();  // the copy warp made the barriers
  if (copies && lane == 0)
    for (int s = 0; s < stages - 1; ++s) begin_load(s);

  // A thread's items of a stage, brought through the transform; what lies past the end is the identity.
  const auto items_of = [&](int stage, int count, T(&x)[items]) {
    read_items(shared.tile[stage] + thread * items, x);
    transform_items(x, op, f);
    if (count != tile_size) {
#pragma unroll
      for (int i = 0; i < items; ++i)
        if (thread * items + i >= count) x[i] = nothing;
    }
  };

  // Scanning warps: each thread gets the fold of the threads before it in its warp; the warps' totals become prefixes in shared memory, and their
  // fold is published as the tile's aggregate.
  const auto fold_and_publish = [&](std::uint64_t round, std::uint64_t tile) {
    const int stage = static_cast<int>(round % stages), count = elements_of(tile);
    if (!in_bulk(a.bulk_in, tile)) {
      const T* from = a.in + tile * tile_size;
      for (int i = thread; i < tile_size; i += threads) shared.tile[stage][i] = i < count ? from[i] : nothing;
      sync_first_threads<threads>();  // all threads wrote the tile that each then reads its run of
    }
    T x[items];
    items_of(stage, count, x);
    const T inclusive = warp_inclusive_scan(fold_items(x, op), lane, op);
    T* totals = shared.warp_total[round % 2];
    if (lane == warp_size - 1) totals[warp] = inclusive;
    const T before_thread = shuffle_up(inclusive, 1);
    sync_first_threads<threads>();  // every scanning warp wrote its total
    if (warp == 0) {
      const T scanned = warp_inclusive_scan(lane < warps ? totals[lane] : nothing, lane, op);
      const T before_warp = shuffle_up(scanned, 1);
      if (lane == warp_size - 1) a.aggregates.store(tile, epoch, scanned);
      if (lane < warps) shared.warp_prefix[stage][lane] = lane == 0 ? nothing : before_warp;
    }
    return lane == 0 ? nothing : before_thread;
  };

  T carry = a.init;  // look-ahead warp
  std::uint64_t batch = 0;
  const auto find_prefix = [&](std::uint64_t round, std::uint64_t tile) {
    // What a round of all blocks adds on the largest GPUs, and one batch that is cut.
    constexpr int depth = sizeof(T) <= 8 ? 5 * Shape::blocks + 1 : 2;
    const T prefix = prefix_of<depth>(a.aggregates, epoch, tile, carry, batch, op);
    if (lane == 0) shared.tile_prefix[round % 2] = prefix;
  };

  // Folds of this warp's threads before this one, in the tiles of this round and of those folded since.
  T before[ahead + 1];
#pragma unroll
  for (T& b : before) b = nothing;
  std::uint64_t tile = tile_of(0);
  if (tile != none) {
    if (looks_ahead) find_prefix(0, tile);
    if (scans) {
#pragma unroll
      for (int k = 0; k < ahead; ++k)
        if (const std::uint64_t t = tile_of(k); t != none) before[k] = fold_and_publish(k, t);
    }
    __syncthreads();  // the look-ahead warp wrote the first tile's prefix, the first warp its warps' prefixes
  }

  for (std::uint64_t round = 0; tile != none; ++round) {
    const int stage = static_cast<int>(round % stages);
    if (looks_ahead)
      if (const std::uint64_t next = tile_of(round + 1); next != none) find_prefix(round + 1, next);
    if (scans) {
      if (const std::uint64_t t = tile_of(round + ahead); t != none) before[ahead] = fold_and_publish(round + ahead, t);
      T x[items];
      items_of(stage, elements_of(tile), x);
      T running = op(op(shared.tile_prefix[round % 2], shared.warp_prefix[stage][warp]), before[0]);
      scan_items(x, running, a.inclusive, op);
      write_items(shared.tile[stage] + thread * items, x);
      fence_before_bulk_store();
    }
    __syncthreads();  // every thread wrote its run of the scanned tile, the look-ahead warp the next prefix, the first warp its warps' prefixes

    if (scans && !in_bulk(a.bulk_out, tile)) {
      T* to = a.out + tile * tile_size;
      const int count = elements_of(tile);
      for (int i = thread; i < count; i += threads) to[i] = shared.tile[stage][i];
      fence_before_bulk_store();  // these reads come before the copy that fills the stage again, a round from here
    }
    if (copies && lane == 0) {
      if (in_bulk(a.bulk_out, tile)) bulk_store(a.out + tile * tile_size, shared.tile[stage], tile_size * sizeof(T));
      close_bulk_group();
      wait_bulk_groups_read<1>();  // the tile of the round before has left its stage
      begin_load(static_cast<int>((round + stages - 1) % stages));
    }
    tile = tile_of(round + 1);
#pragma unroll
    for (int k = 0; k < ahead; ++k) before[k] = before[k + 1];
  }

  // The look-ahead warp, too, is done with the words: it left the loop with the others, after a barrier.
  if (copies && lane == 0) {
    wait_bulk_groups_read<0>();  // shared memory must outlive the copies that read it
    a.control->leave(gridDim.x, epoch, a.aggregates);
  }
}

// One block walks over all of a short input: a single launch, and no memory but the operands.
template <class T, class Op, class F, int Threads, int Items>
__global__ void __launch_bounds__(Threads) one_block_scan(const T* in, T* out, std::uint32_t n, T init, bool inclusive, const Op op, const F f) {
  constexpr int warps = Threads / warp_size;
  __shared__ shared_array<T, 2 * warps> warp_totals;
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const T nothing = identity_of<T>(op);
  T carry = init;
  int now = 0;  // two sets of totals, so that one barrier a step is enough
  for (std::uint32_t step = 0; step < n; step += Threads * Items, now = 1 - now) {
    const std::uint32_t first = step + thread * Items;
    T x[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) x[i] = first + i < n ? in[first + i] : nothing;
    transform_items(x, op, f);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (first + i >= n) x[i] = nothing;
    const T scanned = warp_inclusive_scan(fold_items(x, op), lane, op);
    T* warp_total = warp_totals.data() + now * warps;
    if (lane == warp_size - 1) warp_total[warp] = scanned;
    __syncthreads();  // every warp wrote its total
    const T warps_scanned = warp_inclusive_scan(lane < warps ? warp_total[lane] : nothing, lane, op);
    const T before_warp = shuffle_from(warps_scanned, warp == 0 ? 0 : warp - 1), before_thread = shuffle_up(scanned, 1);
    T running = warp == 0 ? carry : op(carry, before_warp);
    if (lane > 0) running = op(running, before_thread);
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const T until = op(running, x[i]);
      if (first + i < n) out[first + i] = inclusive ? until : running;
      running = until;
    }
    carry = op(carry, shuffle_from(warps_scanned, warp_size - 1));
  }
}

// Middle sizes, where latency is all: each block takes one tile, from memory to registers and back. The launch is cooperative, so all blocks
// are resident and each can wait for those before it.
template <class T, class Op, class F, int Threads, int Items>
__global__ void __launch_bounds__(Threads) one_tile_scan(const __grid_constant__ scan_arguments<T> a, const Op op, const F f) {
  constexpr int warps = Threads / warp_size, tile_size = Threads * Items;
  __shared__ shared_array<T, warps> warp_prefix;
  __shared__ shared_array<T, 1> tile_prefix;
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const T nothing = identity_of<T>(op);
  const std::uint32_t epoch = warp == 0 ? a.control->epoch + 1 : 0;  // written by the last block of the launch before
  const std::uint64_t tile = blockIdx.x, first = tile * tile_size + thread * Items;
  const bool full = (tile + 1) * tile_size <= a.n;

  T x[Items];
  if (full && a.bulk_in) {
    read_items(a.in + first, x);
    transform_items(x, op, f);
  } else {
#pragma unroll
    for (int i = 0; i < Items; ++i) x[i] = first + i < a.n ? a.in[first + i] : nothing;
    transform_items(x, op, f);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (first + i >= a.n) x[i] = nothing;
  }
  const T inclusive = warp_inclusive_scan(fold_items(x, op), lane, op);
  const T before_thread = shuffle_up(inclusive, 1);
  if (lane == warp_size - 1) warp_prefix.data()[warp] = inclusive;
  __syncthreads();  // every warp wrote its total
  if (warp == 0) {
    const T scanned = warp_inclusive_scan(lane < warps ? warp_prefix.data()[lane] : nothing, lane, op);
    const T before_warp = shuffle_up(scanned, 1);
    if (lane == warp_size - 1) a.aggregates.store(tile, epoch, scanned);
    if (lane < warps) warp_prefix.data()[lane] = lane == 0 ? nothing : before_warp;
    T carry = a.init;
    std::uint64_t batch = 0;
    const T prefix = prefix_of<(sizeof(T) <= 8 ? 8 : 2)>(a.aggregates, epoch, tile, carry, batch, op);
    if (lane == 0) *tile_prefix.data() = prefix;
  }
  __syncthreads();  // the first warp wrote the prefixes
  T running = op(*tile_prefix.data(), warp_prefix.data()[warp]);
  if (lane > 0) running = op(running, before_thread);
  scan_items(x, running, a.inclusive, op);
  if (full && a.bulk_out) {
    write_items(a.out + first, x);
  } else {
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (first + i < a.n) a.out[first + i] = x[i];
  }
  if (thread == 0) a.control->leave(gridDim.x, epoch, a.aggregates);
}

// Blocks that can run at once, found out once for each kernel and device.
template <class Kernel>
int resident_blocks(const device& d, Kernel kernel, int threads, std::size_t shared_bytes) {
  int a_multiprocessor = 0;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)), "scan on cuda");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel, threads, shared_bytes), "scan on cuda");
  return a_multiprocessor * d.multiprocessors();
}

template <class T>
scan_arguments<T> scan_arguments_for(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, T init, std::uint64_t tiles) {
  scan_arguments<T> a{in, out, n, tiles, init, inclusive};
  a.bulk_in = reinterpret_cast<std::uintptr_t>(in) % 16 == 0;
  a.bulk_out = reinterpret_cast<std::uintptr_t>(out) % 16 == 0;
  std::tie(a.control, a.aggregates) = launch_state<T>(d, "scan/cuda", tiles);
  return a;
}

template <class Shape, class T, class Op, class F>
void look_ahead(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, T init, Op op, F f) {
  const auto kernel = look_ahead_scan<T, Op, F, Shape>;
  constexpr std::size_t shared_bytes = sizeof(scan_shared<T, Shape>);
  static std::array<int, 64> resident{};
  int& blocks = resident[d.index() % resident.size()];
  if (blocks == 0) blocks = resident_blocks(d, kernel, scan_block_threads<Shape>, shared_bytes);

  const std::uint64_t tiles = (n + Shape::tile - 1) / Shape::tile;
  const std::uint64_t grid = std::min<std::uint64_t>(tiles, blocks);
  const scan_arguments<T> a = scan_arguments_for(d, in, n, out, inclusive, init, tiles);
  kernel<<<static_cast<unsigned>(grid), scan_block_threads<Shape>, shared_bytes, d.stream()>>>(a, op, f);
  check(cudaGetLastError(), "scan on cuda");
}

// False where the tiles are more than the device can hold at once.
template <int Threads, int Items, class T, class Op, class F>
bool one_tile_a_block(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, T init, Op op, F f) {
  constexpr int tile = Threads * Items;
  const std::uint64_t tiles = (n + tile - 1) / tile;
  const auto kernel = one_tile_scan<T, Op, F, Threads, Items>;
  static std::array<int, 64> resident{};
  int& blocks = resident[d.index() % resident.size()];
  if (blocks == 0) blocks = resident_blocks(d, kernel, Threads, 0);
  if (tiles > static_cast<std::uint64_t>(blocks)) return false;
  const scan_arguments<T> a = scan_arguments_for(d, in, n, out, inclusive, init, tiles);
  cudaLaunchAttribute together;
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = static_cast<unsigned>(tiles);
  launch.blockDim = Threads;
  launch.stream = d.stream();
  launch.attrs = &together;
  launch.numAttrs = 1;
  check(cudaLaunchKernelEx(&launch, kernel, a, op, f), "scan on cuda");
  return true;
}

template <class T, class Op, class F>
void one_block(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, T init, Op op, F f) {
  using tuning = scan_tuning<sizeof(T)>;
  one_block_scan<T, Op, F, tuning::one_block_threads, tuning::one_block_items>
      <<<1, tuning::one_block_threads, 0, d.stream()>>>(in, out, static_cast<std::uint32_t>(n), init, inclusive, op, f);
  check(cudaGetLastError(), "scan on cuda");
}

// Sums of built-in types get every kernel; other operators do without those that only save a few microseconds at some sizes.
template <class T, class Op>
inline constexpr bool every_size_tuned = builtin_type<T> && std::is_same_v<Op, plus>;

template <class T, class Op, class F>
void scan_sized(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, T init, Op op, F f) {
  using tuning = scan_tuning<sizeof(T)>;
  const std::uint64_t bytes = n * sizeof(T);
  if (bytes <= tuning::one_block_bytes) return one_block(d, in, n, out, inclusive, init, op, f);
  if constexpr (tuning::per_piece > 1) {
    constexpr int threads = tuning::tile_threads;
    if constexpr (every_size_tuned<T, Op>)
      if (bytes <= tuning::small_tile_bytes && one_tile_a_block<threads, tuning::small_tile_items>(d, in, n, out, inclusive, init, op, f)) return;
    if (bytes <= tuning::large_tile_bytes && one_tile_a_block<threads, tuning::large_tile_items>(d, in, n, out, inclusive, init, op, f)) return;
    if constexpr (every_size_tuned<T, Op>)
      if (bytes <= tuning::middle_bytes) return look_ahead<typename tuning::middle>(d, in, n, out, inclusive, init, op, f);
    look_ahead<typename tuning::large>(d, in, n, out, inclusive, init, op, f);
  } else {
    look_ahead<typename tuning::any_size>(d, in, n, out, inclusive, init, op, f);
  }
}

// The scan in scan.hpp's words, for any trivially copyable type and any operator with an identity.
template <bool Inclusive, class T, class Op, class F>
void scan(upsweep::device& where, const T* in, std::uint64_t n, T* out, T init, Op op, F f) {
  static_assert(std::is_trivially_copyable_v<T>, "upsweep: CUDA moves elements as bytes; give it a trivially copyable type");
  device& d = of(where);
  d.make_current();
  if (n == 0) return;
  scan_sized(d, in, n, out, Inclusive, init, op, f);
}

}  // namespace upsweep::cuda
