// One pass over tiles whose results have a position that depends on all tiles before: the pipeline of the CUDA scan,
// for any work.
//
// A tile passes one value to the tiles after it, published once (tagged words; nothing is ever cleared). A pass
// defines the work:
//
//   stage<Shape>     a tile in shared memory; load() starts its copy, or fill() copies it by threads where load() is
//                    not possible
//   fold()           all working threads: reads a tile, publishes its value, and leaves in the stage the data that
//                    emit() needs
//   look(), before   one whole warp: the sum of the values of the tiles before
//   emit()           all working threads: writes the tile's results to their positions
//
//   ring_of_tiles    large inputs: persistent blocks with a ring of tiles in shared memory; tiles are folded rounds
//                    before they are written, and a separate warp looks ahead
//   tile_a_block     up to as many tiles as fit on the device at once: each block takes one tile
//
// Forward progress: a ticket is drawn by a block that runs, and a block processes its tickets in order, so the lowest
// unfinished tile never waits; tile_a_block is launched cooperatively. Determinism: the assignment of tiles to blocks
// does not affect the result.
#pragma once

#if !defined(__CUDACC_RTC__)
#include <algorithm>
#include <array>
#include <tuple>

#include "upsweep/cuda/cooperative_launch.cuh"
#endif

#include "upsweep/cuda/bulk_copy.cuh"
#include "upsweep/cuda/thread_items.cuh"
#include "upsweep/cuda/tile_state.cuh"
#include "upsweep/select/cuda/select_cuda_tuning.hpp"

namespace upsweep::cuda {

template <class Pass>
struct tile_arguments {
  Pass pass;
  std::uint64_t tiles;
  tagged_words words;  // one value a tile
  launch_control* control;
};

// A thread's run of elements from shared memory: by pieces, or by words where narrow elements fill whole words.
template <int Items, class T>
__device__ void read_run(const T* from, T (&x)[Items]) {
  if constexpr (sizeof(T) < 4 && !in_sixteens<T, Items> && Items * sizeof(T) % 4 == 0) {
#pragma unroll
    for (int i = 0; i < Items * static_cast<int>(sizeof(T)) / 4; ++i) {
      const std::uint32_t word = reinterpret_cast<const std::uint32_t*>(from)[i];
      memcpy(&x[i * (4 / sizeof(T))], &word, 4);
    }
  } else {
    read_items(from, x);
  }
}

inline constexpr std::uint64_t no_tile = ~std::uint64_t{0};

template <class Shape>
__device__ int elements_of_tile(std::uint64_t n, std::uint64_t tile) {
  const std::uint64_t left = n - tile * Shape::tile;
  return left < Shape::tile ? static_cast<int>(left) : Shape::tile;
}

template <class Pass, class Shape>
struct ring_shared {
  typename Pass::template stage<Shape> stage[Shape::stages];
  typename Pass::template block_totals<Shape> totals[2];  // of the tile being folded and of the one before, in turn
  typename Pass::before before[2];  // of the tile being written and of the one looked ahead for, in turn
  std::uint64_t tile_number[Shape::stages];
  copy_barrier loaded[Shape::stages];
};

template <class Shape>
inline constexpr int ring_threads = Shape::threads + 2 * warp_size;

template <class Pass, class Shape>
__global__ void __launch_bounds__(ring_threads<Shape>, Shape::blocks)
    ring_of_tiles(const __grid_constant__ tile_arguments<Pass> a) {
  constexpr int threads = Shape::threads, stages = Shape::stages, ahead = Shape::fold_ahead;
  constexpr int warps = threads / warp_size;
  static_assert(warps <= warp_size);
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  auto& shared = *reinterpret_cast<ring_shared<Pass, Shape>*>(shared_bytes);

  const Pass& pass = a.pass;
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const bool looks_ahead = warp == warps, copies = warp == warps + 1, works = warp < warps;
  // Written by the last block of the launch before. The first warp publishes with it.
  const std::uint32_t epoch = warp == 0 || !works ? a.control->this_epoch() : 0;

  // Called by the copy warp's threads that start loads: draw a tile and start its copy into a stage. The barrier also
  // passes the tile's number to the others.
  const bool asks = copies && asks_for_loads(lane);
  bool tiles_left = true;
  const auto begin_load = [&](int stage) {
    std::uint64_t tile = no_tile;
    if (tiles_left) {
      may_doze();
      if (lane == 0) tile = atomicAdd(&a.control->ticket, 1ull);  // relaxed: only the number matters
      if constexpr (warps_load()) tile = __shfl_sync(whole_warp, tile, 0);
      tiles_left = tile < a.tiles && a.tiles > gridDim.x;
      if (tile >= a.tiles) tile = no_tile;
    }
    if (lane == 0) shared.tile_number[stage] = tile;
    const bool loads = tile != no_tile && pass.template in_bulk<Shape>(tile);
    if (loads) pass.template load<Shape>(shared.stage[stage], tile, &shared.loaded[stage]);
    end_loads(&shared.loaded[stage], loads);
  };

  // Round r's tile is in stage r % stages, for the r/stages-th time. Waits until it is loaded.
  const auto tile_of = [&](std::uint64_t round) {
    const int stage = static_cast<int>(round % stages);
    wait_copy_barrier(&shared.loaded[stage], static_cast<std::uint32_t>(round / stages & 1));
    return shared.tile_number[stage];
  };

  const auto fold = [&](std::uint64_t round, std::uint64_t tile) {
    auto& stage = shared.stage[round % stages];
    if (!pass.template in_bulk<Shape>(tile)) {
      pass.template fill<Shape>(stage, tile, thread);
      sync_first_threads<threads>();  // all threads have loaded the tile that each then reads its run of
    }
    pass.template fold<Shape>(stage, shared.totals[round % 2], tile, thread,
                              [&](const auto& value) { a.words.store(tile, epoch, value); });
  };

  if (copies && lane == 0) {
    for (int s = 0; s < stages; ++s) init_load_barrier(&shared.loaded[s]);
    publish_copy_barriers();
  }
  __syncthreads();  // the copy warp made the barriers
  constexpr int loads_at_once = Pass::stores_in_bulk ? stages - 1 : stages;
  if (asks)
    for (int s = 0; s < loads_at_once; ++s) begin_load(s);

  typename Pass::cursor cursor = pass.start();  // look-ahead warp
  // The number of words that one round of all blocks adds on the largest GPUs, and one partial batch.
  constexpr int asked = Pass::look_depth * Shape::blocks + 1, depth = asked < 11 ? asked : 11;
  std::uint64_t tile = tile_of(0);
  if (tile != no_tile) {
    if (looks_ahead) pass.template look<depth, Shape>(a.words, epoch, tile, cursor, shared.before[0]);
    if (works)
      for (int k = 0; k < ahead; ++k)
        if (const std::uint64_t t = tile_of(k); t != no_tile) fold(k, t);
    __syncthreads();  // the look-ahead warp wrote what is before the first tile, the working warps their stages
  }

  const typename Pass::all_tiles all = pass.of_all_tiles();  // working warps

  for (std::uint64_t round = 0; tile != no_tile; ++round) {
    auto& stage = shared.stage[round % stages];
    if (looks_ahead)
      if (const std::uint64_t next = tile_of(round + 1); next != no_tile)
        pass.template look<depth, Shape>(a.words, epoch, next, cursor, shared.before[(round + 1) % 2]);
    if (works) {
      if (const std::uint64_t t = tile_of(round + ahead); t != no_tile) fold(round + ahead, t);
      pass.template emit<Shape>(stage, tile, shared.before[round % 2], all, thread);
      fence_before_bulk_store();  // reads and writes of the stage come before the copies from it, and into it
    }
    __syncthreads();  // the stage has been read, or written for a bulk copy; the next `before` is written
    if (asks) {
      if constexpr (Pass::stores_in_bulk) {
        pass.template store<Shape>(stage, tile);
        close_bulk_group();
        wait_bulk_groups_read<1>();  // the tile of the round before has left its stage
      }
      begin_load(static_cast<int>((round + loads_at_once) % stages));
    }
    tile = tile_of(round + 1);
  }

  // The look-ahead warp, too, is done with the words: it left the loop with the others, after a barrier.
  if (copies && lane == 0) {
    wait_bulk_groups_read<0>();  // shared memory must outlive the copies that read it
    a.control->leave(gridDim.x, epoch, a.words);
  }
}

template <class Pass, class Shape>
struct tile_shared {
  typename Pass::template stage<Shape> stage;
  typename Pass::template block_totals<Shape> totals;
  typename Pass::before before;
  typename Pass::all_tiles all;
  copy_barrier loaded;
};

// A single tile needs neither words nor epoch.
template <class Pass, class Shape>
__global__ void __launch_bounds__(Shape::threads + warp_size)
    tile_a_block(const __grid_constant__ tile_arguments<Pass> a) {
  constexpr int threads = Shape::threads, warps = threads / warp_size;
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  auto& shared = *reinterpret_cast<tile_shared<Pass, Shape>*>(shared_bytes);
  const Pass& pass = a.pass;
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const bool looks_back = warp == warps, works = warp < warps;
  const std::uint64_t tile = blockIdx.x;
  const bool bulk = pass.template in_bulk<Shape>(tile);
  if (looks_back && lane == 0) {
    init_load_barrier(&shared.loaded);
    publish_copy_barriers();
  }
  if (looks_back) __syncwarp();  // the barrier is made, before any lane's copies count on it
  if (looks_back && bulk && asks_for_loads(lane)) {
    pass.template load<Shape>(shared.stage, tile, &shared.loaded);
    end_loads(&shared.loaded, true);
  }
  const std::uint32_t epoch = warp == 0 || looks_back ? a.control->this_epoch() : 0;
  if (!bulk && works) pass.template fill<Shape>(shared.stage, tile, thread);
  __syncthreads();  // the barrier is initialised, or the tile is loaded
  if (looks_back) {
    typename Pass::cursor cursor = pass.start();
    pass.template look<Pass::look_depth + 1, Shape>(a.words, epoch, tile, cursor, shared.before);
    pass.template look_at_all<Shape>(a.words, epoch, a.tiles, shared.all);
  } else {
    if (bulk) wait_copy_barrier(&shared.loaded, 0);
    pass.template fold<Shape>(shared.stage, shared.totals, tile, thread,
                              [&](const auto& value) { a.words.store(tile, epoch, value); });
  }
  __syncthreads();  // the last warp wrote what is before, the others their stage
  if (works) pass.template emit<Shape>(shared.stage, tile, shared.before, shared.all, thread);
  if constexpr (Pass::stores_in_bulk) {
    fence_before_bulk_store();
    __syncthreads();  // the results are in the stage
    if (looks_back && lane == 0) {
      pass.template store<Shape>(shared.stage, tile);
      close_bulk_group();
      wait_bulk_groups_read<0>();
    }
  }
  if (looks_back && lane == 0) a.control->leave(gridDim.x, epoch, a.words);
}

#if !defined(__CUDACC_RTC__)  // the host's side

// Blocks that can run at once.
template <class Kernel>
int blocks_at_once(const device& d, Kernel kernel, int threads, std::size_t shared_bytes, const char* where) {
  int a_multiprocessor = 0;
  d.allow_shared(kernel, shared_bytes, where);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel, threads, shared_bytes), where);
  return a_multiprocessor * d.multiprocessors();
}

template <class Pass, class Shape>
tile_arguments<Pass> tile_arguments_for(device& d, const Pass& pass, std::uint64_t tiles) {
  tile_arguments<Pass> a{pass, tiles, {}, nullptr};
  std::tie(a.control, a.words) = launch_state<typename Pass::word>(d, "select/cuda", tiles);
  return a;
}

template <class Shape, class Pass>
void run_ring_of(device& d, const Pass& pass, const char* where) {
  const auto kernel = ring_of_tiles<Pass, Shape>;
  constexpr std::size_t shared_bytes = sizeof(ring_shared<Pass, Shape>);
  const int blocks =
      d.once(kernel, [&] { return blocks_at_once(d, kernel, ring_threads<Shape>, shared_bytes, where); });
  const std::uint64_t tiles = (pass.n + Shape::tile - 1) / Shape::tile;
  const std::uint64_t grid = std::min<std::uint64_t>(tiles, blocks);
  kernel<<<static_cast<unsigned>(grid), ring_threads<Shape>, shared_bytes, d.stream()>>>(
      tile_arguments_for<Pass, Shape>(d, pass, tiles));
  check(cudaGetLastError(), where);
}

// In the large shape if a block has the shared memory for it, and otherwise in the small one.
template <class Tuning, class Pass>
void run_ring(device& d, const Pass& pass, const char* where) {
  using large = typename Tuning::ring;
  using small = typename Tuning::small_ring;
  constexpr std::size_t shared_bytes = sizeof(ring_shared<Pass, large>);
  static_assert(sizeof(ring_shared<Pass, small>) <= least_shared_limit ||
                    sizeof(typename Pass::template stage<small>) > 400 * small::tile,
                "only elements of more than 400 bytes do not fit everywhere");
  if constexpr (shared_bytes > least_shared_limit)
    if (shared_bytes > d.shared_limit()) return run_ring_of<small>(d, pass, where);
  run_ring_of<large>(d, pass, where);
}

// False if the device cannot hold all tiles at once, or a block cannot hold one.
template <class Shape, class Pass>
bool run_tile_a_block(device& d, const Pass& pass, const char* where) {
  const std::uint64_t tiles = (pass.n + Shape::tile - 1) / Shape::tile;
  const auto kernel = tile_a_block<Pass, Shape>;
  constexpr int threads = Shape::threads + warp_size;
  constexpr std::size_t shared_bytes = sizeof(tile_shared<Pass, Shape>);
  if (shared_bytes > least_shared_limit && shared_bytes > d.shared_limit()) return false;
  const int blocks = d.once(kernel, [&] { return blocks_at_once(d, kernel, threads, shared_bytes, where); });
  if (tiles > static_cast<std::uint64_t>(blocks)) return false;
  launch_together(d, kernel, tiles, threads, shared_bytes, true, where,
                  tile_arguments_for<Pass, Shape>(d, pass, tiles));
  return true;
}

#endif

}  // namespace upsweep::cuda
