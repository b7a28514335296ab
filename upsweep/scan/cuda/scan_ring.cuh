// The ring: one pass over memory for scan and every algorithm that is a scan in structure. It processes tiles in as
// many blocks as fit on the device.
//
// Persistent blocks take tiles by ticket. A block publishes only the aggregate of each of its tiles, never a prefix.
// Three kinds of warps share the work of a block on a ring of tiles in shared memory:
//
//   the copy warp        takes tickets and starts bulk copies into the ring and out of it
//   the look-ahead warp  folds the aggregates between the block's last tile and its next, so tiles do not wait for each
//                        other in a chain
//   all other warps      fold a tile as soon as it has been loaded, and publish its aggregate; rounds later they finish
//                        it
//
//   ring:   | draining (i-1) | finishing (i) | looking ahead (i+1) | folded (i+2) … folding (i+A) | loading … |
//
// So the aggregates that a prefix consists of were published long before they are needed, even if some blocks are
// slower than others.
//
// Forward progress: only a running block takes a ticket, and a block processes its tickets in order, so the lowest
// unfinished tile never waits. Determinism: aggregates are folded in batches of 32 aligned to the tile number,
// whichever block took which tile.
//
// A work defines the fold and the use of the prefix:
//
//   using value, op, shape;             // op: value ∘ value, with an identity; shape: scan_shape
//   struct tile;                        // input in shared memory, one per stage
//   struct held;                        // in shared memory, one per block
//   struct own;                         // in registers, one per thread
//   static constexpr int depth;         // batches of aggregates requested at once
//   static constexpr bool drains;       // whether the finished tile is stored from shared memory
//   op combine;  tagged_words aggregates;  launch_control* control;  std::uint64_t tiles;
//   value first() const;                                    // the prefix of tile 0
//   void begin(held&) const;                                // every thread, before a barrier and all other calls
//   bool load(tile&, t, copy_barrier*) const;               // called by lanes that load; false: fold() loads the tile
//   value fold(tile&, const held&, t) const;                // fold of the thread's part; threads may wait for each
//   other
//   void finish(tile&, held&, own&, t, value before) const; // before: the fold of all before the thread's part
//   if it drains: bool drains_in_bulk(t), void drain(tile&, t) by one thread, void drain_by_threads(tile&, t)
//   void end(held&, own&) const;                            // once, by the threads that called finish()
//   if value is the plain form of a carrier (scan_f64.cuh):
//     using carried;
//     carried carried_fold(const tile&, t) const;           // the result of fold(), for a loaded tile
//     bool finish_in_range(tile&, t, value before) const;   // finish() of a warp; false if a result is not finite
//     void carried_finish(tile&, t, carried before) const;  // instead of finish()
#pragma once

#include <algorithm>

#include "upsweep/cuda/bulk_copy.cuh"
#include "upsweep/scan/cuda/scan_aggregates.cuh"
#include "upsweep/scan/cuda/scan_cuda_tuning.hpp"

namespace upsweep::cuda {

// The carrier type of a work's values: that of the plain form `value`, or `value` itself.
template <class Work>
struct carrier_of_work {
  using type = typename Work::value;
};
template <class Work>
  requires requires { typename Work::carried; }
struct carrier_of_work<Work> {
  using type = typename Work::carried;
};

// The carrier forms of the values in tile_ring_shared, and the carry of the look-ahead warp.
template <class Shape, class W>
struct tile_ring_carried {
  W warp_total[2][Shape::threads / warp_size];
  W warp_prefix[Shape::stages][Shape::threads / warp_size];
  W tile_prefix[2];
  W carry;
};
template <class Shape>
struct tile_ring_carried<Shape, void> {};

template <class Work>
struct tile_ring_shared {
  using shape = typename Work::shape;
  using value = typename Work::value;
  using carried = typename carrier_of_work<Work>::type;
  alignas(128) typename Work::tile tile[shape::stages];
  value warp_total[2][shape::threads / warp_size];  // of the tile being folded and of the previous one, alternating
  value warp_prefix[shape::stages][shape::threads / warp_size];
  value tile_prefix[2];  // of the tile being finished and of the next one, alternating
  std::uint64_t tile_number[shape::stages];
  copy_barrier loaded[shape::stages];
  typename Work::held held;
  std::conditional_t<checks_range<carried>, tile_ring_carried<shape, carried>, tile_ring_carried<shape, void>> wide;
};

template <class Shape>
inline constexpr int tile_ring_threads = Shape::threads + 2 * warp_size;

// A multiprocessor of Turing holds 1024 threads, later ones 1536 or more.
template <class Shape>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr int tile_ring_blocks = (std::min)(Shape::blocks, (std::max)(1, 1024 / tile_ring_threads<Shape>));
#else
inline constexpr int tile_ring_blocks = Shape::blocks;
#endif

template <class Work>
__global__ void __launch_bounds__(tile_ring_threads<typename Work::shape>, tile_ring_blocks<typename Work::shape>)
    work_in_ring(const __grid_constant__ Work work) {
  using shape = typename Work::shape;
  using value = typename Work::value;
  using carried = typename carrier_of_work<Work>::type;
  constexpr int threads = shape::threads, stages = shape::stages, ahead = shape::fold_ahead;
  constexpr int warps = threads / warp_size;
  constexpr std::uint64_t none = ~std::uint64_t{0};
  static_assert(warps <= warp_size);
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  auto& shared = *reinterpret_cast<tile_ring_shared<Work>*>(shared_bytes);
  [[maybe_unused]] auto& wide = shared.wide;

  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const bool looks_ahead = warp == warps, copies = warp == warps + 1, scans = warp < warps;
  const auto& op = work.combine;
  const value nothing = identity_of<value>(op);
  // The last block of the previous launch wrote it. The first warp publishes with it.
  const std::uint32_t epoch = warp == 0 || !scans ? work.control->this_epoch() : 0;

  // Called by the lanes of the copy warp that load: takes a ticket and starts the copy of its tile into a stage. The
  // barrier also publishes the tile number to the other warps.
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

  // The tile of round r is in stage r % stages, which it fills for the r/stages-th time. Waits until the tile has been
  // loaded.
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
  __syncthreads();  // the copy warp initialised the barriers, all threads the block's shared data
  if (asks)
    for (int s = 0; s < stages - 1; ++s) begin_load(s);

  [[maybe_unused]] const carried_aggregates<carried> aggregates{work.aggregates, work.tiles};
  // A warp's scan of the folds of its threads, in the carrier.
  [[maybe_unused]] const auto carried_scan = [&](int stage, std::uint64_t tile) {
    if constexpr (checks_range<carried>)
      return carried_warp_scan(work.carried_fold(shared.tile[stage], tile), lane, op);
  };
  // Returns to each thread the fold of the threads before it in its warp. The totals of the warps become prefixes in
  // shared memory, and their fold is published as the aggregate of the tile.
  const auto fold_and_publish = [&](std::uint64_t round, std::uint64_t tile) {
    const int stage = static_cast<int>(round % stages);
    const value inclusive = warp_inclusive_scan(work.fold(shared.tile[stage], shared.held, tile), lane, op);
    value* totals = shared.warp_total[round % 2];
    if (lane == warp_size - 1) totals[warp] = inclusive;
    if constexpr (checks_range<carried>) {
      if (is_out_of_range(inclusive, lane == warp_size - 1)) {
        const carried total = carried_scan(stage, tile);
        if (lane == warp_size - 1) {
          totals[warp] = plain_form(total);
          wide.warp_total[round % 2][warp] = total;
        }
      }
    }
    const value before_thread = shuffle_up(inclusive, 1);
    sync_first_threads<threads>();  // every scanning warp wrote its total
    if (warp == 0) {
      const value scanned = warp_inclusive_scan(lane < warps ? totals[lane] : nothing, lane, op);
      bool in_plain_form = true;
      if constexpr (checks_range<carried>) in_plain_form = !any_out_of_range(scanned);
      if (in_plain_form) {
        const value before_warp = shuffle_up(scanned, 1);
        if (lane == warp_size - 1) work.aggregates.store(tile, epoch, scanned);
        if (lane < warps) shared.warp_prefix[stage][lane] = lane == 0 ? nothing : before_warp;
      } else if constexpr (checks_range<carried>) {
        publish_carried<warps>(totals, wide.warp_total[round % 2], shared.warp_prefix[stage], wide.warp_prefix[stage],
                               aggregates, tile, epoch, lane, op);
      }
    }
    return lane == 0 ? nothing : before_thread;
  };

  value carry = work.first();  // look-ahead warp
  std::uint64_t batch = 0;
  if constexpr (checks_range<carried>)
    if (looks_ahead && lane == 0) wide.carry = carried(carry);
  const auto find_prefix = [&](std::uint64_t round, std::uint64_t tile) {
    [[maybe_unused]] const value carry_before = carry;
    [[maybe_unused]] const std::uint64_t batch_before = batch;
    const value prefix = prefix_of<Work::depth>(work.aggregates, epoch, tile, carry, batch, op);
    if (lane == 0) shared.tile_prefix[round % 2] = prefix;
    if constexpr (checks_range<carried>) {
      if (is_out_of_range(prefix, lane == 0)) {  // only the carry of the first lane is valid
        carried in_full(carry_before);
        if (lane == 0) in_full = in_carrier(carry_before, wide.carry);
        batch = batch_before;
        const carried found = prefix_of<1>(aggregates, epoch, tile, in_full, batch, op);
        carry = plain_form(in_full);
        if (lane == 0) {
          wide.carry = in_full;
          shared.tile_prefix[round % 2] = plain_form(found);
          wide.tile_prefix[round % 2] = found;
        }
      }
    }
  };

  // The folds of the threads before this one in its warp, for the tile of this round and for the tiles folded since.
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
      if constexpr (checks_range<carried>) {
        if (!work.finish_in_range(shared.tile[stage], tile, running)) {
          const carried nothing_before = identity_of<carried>(op), up = shuffle_up(carried_scan(stage, tile), 1);
          const carried before_warp = op(in_carrier(shared.tile_prefix[round % 2], wide.tile_prefix[round % 2]),
                                         in_carrier(shared.warp_prefix[stage][warp], wide.warp_prefix[stage][warp]));
          work.carried_finish(shared.tile[stage], tile, op(before_warp, lane == 0 ? nothing_before : up));
        }
      } else {
        work.finish(shared.tile[stage], shared.held, own, tile, running);
      }
      fence_before_bulk_store();
    }
    // Every thread is done with its part of the tile, the look-ahead warp wrote the next prefix, and the first warp
    // wrote the prefixes of the warps.
    __syncthreads();

    if constexpr (Work::drains) {
      if (scans && !work.drains_in_bulk(tile)) {
        work.drain_by_threads(shared.tile[stage], tile);
        fence_before_bulk_store();  // orders these reads before the copy that fills the stage again, one round later
      }
    }
    if (asks) {
      if constexpr (Work::drains && !warps_load()) {
        if (work.drains_in_bulk(tile)) work.drain(shared.tile[stage], tile);
        close_bulk_group();
        wait_bulk_groups_read<1>();  // the tile of the previous round has left its stage
      }
      begin_load(static_cast<int>((round + stages - 1) % stages));
    }
    tile = tile_of(round + 1);
#pragma unroll
    for (int k = 0; k < ahead; ++k) before[k] = before[k + 1];
  }

  if (scans) work.end(shared.held, own);
  // The look-ahead warp is done with the words, too: it left the loop with the others, after a barrier.
  if (copies && lane == 0) {
    if constexpr (Work::drains) wait_bulk_groups_read<0>();  // shared memory must outlive the copies that read it
    work.control->leave(gridDim.x, epoch, work.aggregates);
  }
}

// Whether a block of the device may have the shared memory that the ring needs. A ring that fits into the smallest
// limit is not checked, so that no alternative to it is compiled.
template <class Work>
inline constexpr bool tile_ring_always_fits = sizeof(tile_ring_shared<Work>) <= least_shared_limit;
#if !defined(__CUDACC_RTC__)  // host code

template <class Work>
bool tile_ring_fits(const device& d) {
  return sizeof(tile_ring_shared<Work>) <= d.shared_limit();
}

// Sets the members that all works have, and launches the kernel.
template <class Work>
void run_tile_ring(device& d, Work work, std::uint64_t tiles, const char* name) {
  const auto kernel = work_in_ring<Work>;
  constexpr int threads = tile_ring_threads<typename Work::shape>;
  constexpr std::size_t shared_bytes = sizeof(tile_ring_shared<Work>);
  // The tests of the tuning policies rely on ring_bytes of scan_cuda_tuning.hpp.
  static_assert(shared_bytes <= ring_bytes<typename Work::shape>(sizeof(typename Work::tile),
                                                                 bytes_a_value<typename carrier_of_work<Work>::type>,
                                                                 sizeof(typename Work::held)) +
                                    128);
  const int blocks = d.once(kernel, [&] { return resident_blocks(d, kernel, threads, shared_bytes); });
  std::tie(work.control, work.aggregates) = aggregates_for<typename carrier_of_work<Work>::type>(d, tiles);
  work.tiles = tiles;
  const std::uint64_t grid = std::min<std::uint64_t>(tiles, blocks);
  kernel<<<static_cast<unsigned>(grid), threads, shared_bytes, d.stream()>>>(work);
  check(cudaGetLastError(), name);
}

#endif

}  // namespace upsweep::cuda
