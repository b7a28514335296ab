// The CUDA scan of large inputs: a ring of tiles in each of as many blocks as fit.
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

#include <algorithm>

#include "upsweep/cuda/bulk_copy.cuh"
#include "upsweep/scan/cuda/aggregates.cuh"
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

template <class Shape>
inline constexpr int scan_block_threads = Shape::threads + 2 * warp_size;

template <class T, class Op, class F, class Shape>
__global__ void __launch_bounds__(scan_block_threads<Shape>, Shape::blocks)
    look_ahead_scan(const __grid_constant__ scan_arguments<T> a, const Op op, const F f) {
  constexpr int threads = Shape::threads, items = Shape::items, stages = Shape::stages, tile_size = Shape::tile,
                ahead = Shape::fold_ahead;
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

}  // namespace upsweep::cuda
