// One pass over memory for all that is a scan at heart: a ring of tiles in each of as many blocks as fit.
//
// Persistent blocks draw tiles by ticket. Of each tile a block publishes one thing, the tile's aggregate; no prefix is
// ever published. Three kinds of warps share a block's work, which goes round a ring of tiles in shared memory:
//
//   the copy warp        draws tickets and starts bulk copies, into the ring and out of it;
//   the look-ahead warp  adds up the aggregates between the block's last tile and its next, so no tile waits for the
//                        one before it in a chain;
//   all other warps      fold a tile as soon as it has come, and publish its aggregate; rounds later they finish it.
//
//   ring:   | draining (i-1) | finishing (i) | looking ahead (i+1) | folded (i+2) … folding (i+A) | loading … |
//
// What a prefix consists of has therefore long been there when it is asked for, also where some blocks are slower than
// others.
//
// Forward progress: a ticket is drawn by a block that runs, and a block works its tickets off in order, so the lowest
// unfinished tile never waits. Determinism: aggregates are folded in batches of 32 aligned to the tile number,
// whichever block took which tile.
//
// What is folded and what is done with the prefix, a work says:
//   using value, op, shape;             // op: value ∘ value, with an identity; shape: scan_shape
//   struct tile;                        // of the input, in shared memory, one a stage
//   struct held;                        // in shared memory, one a block
//   struct own;                         // one a thread, in registers
//   static constexpr int depth;         // batches of aggregates asked for at once
//   static constexpr bool drains;       // whether the finished tile goes out of shared memory
//   op combine;  tagged_words aggregates;  launch_control* control;  std::uint64_t tiles;
//   value first() const;                                    // the prefix of tile 0
//   void begin(held&) const;                                // every thread, before a barrier and all else
//   bool load(tile&, t, copy_barrier*) const;               // who asks for loads; false: fold() brings the tile itself
//   value fold(tile&, const held&, t) const;                // the thread's own part; threads may wait for each other
//   void finish(tile&, held&, own&, t, value before) const; // before: all that stands before the thread's part
//   where it drains: bool drains_in_bulk(t), void drain(tile&, t) by one thread, void drain_by_threads(tile&, t)
//   void end(held&, own&) const;                            // once, by the threads that finished
#pragma once

#include <algorithm>

#include "upsweep/cuda/bulk_copy.cuh"
#include "upsweep/scan/cuda/aggregates.cuh"
#include "upsweep/scan/cuda/tuning.hpp"

namespace upsweep::cuda {

template <class Work>
struct tile_ring_shared {
  using shape = typename Work::shape;
  using value = typename Work::value;
  alignas(128) typename Work::tile tile[shape::stages];
  value warp_total[2][shape::threads / warp_size];  // of the tile being folded and of the one before, in turn
  value warp_prefix[shape::stages][shape::threads / warp_size];
  value tile_prefix[2];  // of the tile being finished and of the one looked ahead for, in turn
  std::uint64_t tile_number[shape::stages];
  copy_barrier loaded[shape::stages];
  typename Work::held held;
};

template <class Shape>
inline constexpr int tile_ring_threads = Shape::threads + 2 * warp_size;

// A multiprocessor of Turing holds 1024 threads, every later one 1536 or more.
template <class Shape>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr int tile_ring_blocks = std::min(Shape::blocks, std::max(1, 1024 / tile_ring_threads<Shape>));
#else
inline constexpr int tile_ring_blocks = Shape::blocks;
#endif

template <class Work>
__global__ void __launch_bounds__(tile_ring_threads<typename Work::shape>, tile_ring_blocks<typename Work::shape>)
    work_in_ring(const __grid_constant__ Work work) {
  using shape = typename Work::shape;
  using value = typename Work::value;
  constexpr int threads = shape::threads, stages = shape::stages, ahead = shape::fold_ahead;
  constexpr int warps = threads / warp_size;
  constexpr std::uint64_t none = ~std::uint64_t{0};
  static_assert(warps <= warp_size);
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  auto& shared = *reinterpret_cast<tile_ring_shared<Work>*>(shared_bytes);

  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const bool looks_ahead = warp == warps, copies = warp == warps + 1, scans = warp < warps;
  const auto& op = work.combine;
  const value nothing = identity_of<value>(op);
  // Written by the last block of the launch before. The first warp publishes with it.
  const std::uint32_t epoch = warp == 0 || !scans ? work.control->this_epoch() : 0;

  // Copy warp, those who ask: draw a tile and start its copy into a stage. The barrier tells the others the tile's
  // number, too.
  const bool asks = copies && asks_for_loads(lane);
  bool tiles_left = true;
  const auto begin_load = [&](int stage) {
    std::uint64_t tile = none;
    if (tiles_left) {
      may_doze();
      if (lane == 0) tile = atomicAdd(&work.control->ticket, 1ull);  // relaxed: only the number matters
      if constexpr (warps_load()) tile = __shfl_sync(whole_warp, tile, 0);
      tiles_left = tile < work.tiles && work.tiles > gridDim.x;
      if (tile >= work.tiles) tile = none;
    }
    if (lane == 0) shared.tile_number[stage] = tile;
    end_loads(&shared.loaded[stage], tile != none && work.load(shared.tile[stage], tile, &shared.loaded[stage]));
  };

  // Round r's tile is in stage r % stages, for the r/stages-th time. Waits until it has come.
  const auto tile_of = [&](std::uint64_t round) {
    const int stage = static_cast<int>(round % stages);
    wait_copy_barrier(&shared.loaded[stage], static_cast<std::uint32_t>(round / stages & 1));
    return shared.tile_number[stage];
  };

  if (copies && lane == 0) {
    for (int s = 0; s < stages; ++s) init_load_barrier(&shared.loaded[s]);
    publish_copy_barriers();
  }
  work.begin(shared.held);
  __syncthreads();  // the copy warp made the barriers, everyone what the block holds
  if (asks)
    for (int s = 0; s < stages - 1; ++s) begin_load(s);

  // Each thread gets the fold of the threads before it in its warp; the warps' totals become prefixes in shared memory,
  // and their fold is published as the tile's aggregate.
  const auto fold_and_publish = [&](std::uint64_t round, std::uint64_t tile) {
    const int stage = static_cast<int>(round % stages);
    const value inclusive = warp_inclusive_scan(work.fold(shared.tile[stage], shared.held, tile), lane, op);
    value* totals = shared.warp_total[round % 2];
    if (lane == warp_size - 1) totals[warp] = inclusive;
    const value before_thread = shuffle_up(inclusive, 1);
    sync_first_threads<threads>();  // every scanning warp wrote its total
    if (warp == 0) {
      const value scanned = warp_inclusive_scan(lane < warps ? totals[lane] : nothing, lane, op);
      const value before_warp = shuffle_up(scanned, 1);
      if (lane == warp_size - 1) work.aggregates.store(tile, epoch, scanned);
      if (lane < warps) shared.warp_prefix[stage][lane] = lane == 0 ? nothing : before_warp;
    }
    return lane == 0 ? nothing : before_thread;
  };

  value carry = work.first();  // look-ahead warp
  std::uint64_t batch = 0;
  const auto find_prefix = [&](std::uint64_t round, std::uint64_t tile) {
    const value prefix = prefix_of<Work::depth>(work.aggregates, epoch, tile, carry, batch, op);
    if (lane == 0) shared.tile_prefix[round % 2] = prefix;
  };

  // Folds of this warp's threads before this one, in the tiles of this round and of those folded since.
  value before[ahead + 1];
#pragma unroll
  for (value& b : before) b = nothing;
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

  typename Work::own own{};
  for (std::uint64_t round = 0; tile != none; ++round) {
    const int stage = static_cast<int>(round % stages);
    if (looks_ahead)
      if (const std::uint64_t next = tile_of(round + 1); next != none) find_prefix(round + 1, next);
    if (scans) {
      if (const std::uint64_t t = tile_of(round + ahead); t != none) before[ahead] = fold_and_publish(round + ahead, t);
      const value running = op(op(shared.tile_prefix[round % 2], shared.warp_prefix[stage][warp]), before[0]);
      work.finish(shared.tile[stage], shared.held, own, tile, running);
      fence_before_bulk_store();
    }
    // every thread is done with its part of the tile, the look-ahead warp wrote the next prefix, the first warp its
    // warps' prefixes
    __syncthreads();

    if constexpr (Work::drains) {
      if (scans && !work.drains_in_bulk(tile)) {
        work.drain_by_threads(shared.tile[stage], tile);
        fence_before_bulk_store();  // these reads come before the copy that fills the stage again, a round from here
      }
    }
    if (asks) {
      if constexpr (Work::drains && !warps_load()) {
        if (work.drains_in_bulk(tile)) work.drain(shared.tile[stage], tile);
        close_bulk_group();
        wait_bulk_groups_read<1>();  // the tile of the round before has left its stage
      }
      begin_load(static_cast<int>((round + stages - 1) % stages));
    }
    tile = tile_of(round + 1);
#pragma unroll
    for (int k = 0; k < ahead; ++k) before[k] = before[k + 1];
  }

  if (scans) work.end(shared.held, own);
  // The look-ahead warp, too, is done with the words: it left the loop with the others, after a barrier.
  if (copies && lane == 0) {
    if constexpr (Work::drains) wait_bulk_groups_read<0>();  // shared memory must outlive the copies that read it
    work.control->leave(gridDim.x, epoch, work.aggregates);
  }
}

// Whether a block of the device has the shared memory that the ring takes. What fits in the least is not asked about,
// so that nothing is compiled to stand in for it.
template <class Work>
inline constexpr bool tile_ring_always_fits = sizeof(tile_ring_shared<Work>) <= least_shared_limit;
#if !defined(__CUDACC_RTC__)  // the host's side

template <class Work>
bool tile_ring_fits(const device& d) {
  return sizeof(tile_ring_shared<Work>) <= d.shared_limit();
}

// Fills in what all works have, and launches.
template <class Work>
void run_tile_ring(device& d, Work work, std::uint64_t tiles, const char* name) {
  const auto kernel = work_in_ring<Work>;
  constexpr int threads = tile_ring_threads<typename Work::shape>;
  constexpr std::size_t shared_bytes = sizeof(tile_ring_shared<Work>);
  // The rows' tests go by what tuning.hpp says.
  static_assert(shared_bytes <= ring_bytes<typename Work::shape>(sizeof(typename Work::tile),
                                                                 sizeof(typename Work::value),
                                                                 sizeof(typename Work::held)) +
                                    128);
  const int blocks = d.once(kernel, [&] { return resident_blocks(d, kernel, threads, shared_bytes); });
  std::tie(work.control, work.aggregates) = launch_state<typename Work::value>(d, "scan/cuda", tiles);
  work.tiles = tiles;
  const std::uint64_t grid = std::min<std::uint64_t>(tiles, blocks);
  kernel<<<static_cast<unsigned>(grid), threads, shared_bytes, d.stream()>>>(work);
  check(cudaGetLastError(), name);
}

#endif

}  // namespace upsweep::cuda
