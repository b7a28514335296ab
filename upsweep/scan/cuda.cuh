// The CUDA scan: one launch, every element read once and written once.
//
// Persistent blocks draw tiles by ticket. Of each tile a block publishes one thing, the tile's aggregate; no prefix is ever published. A
// block's first warp adds up the aggregates between its last tile and its next, so nothing is waited for in a chain from tile to tile.
// Bulk copies fill and drain a ring of tiles in shared memory, and the aggregate of a block's next tile is published
// before the block turns to its present one: by the time a prefix is wanted, what it consists of has long been there.
//
//   ring:   | draining | scanning (i) | folding (i+1) | loading | loading |
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
  T warp_total[2][Shape::threads / warp_size];  // of the tile being folded and of the one being scanned
  T warp_prefix[2][Shape::threads / warp_size];
  T tile_prefix;
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

template <class T, class Op, class F, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    look_ahead_scan(const __grid_constant__ scan_arguments<T> a, const Op op, const F f) {
  constexpr int threads = Shape::threads, items = Shape::items, stages = Shape::stages, tile_size = Shape::tile;
  constexpr int warps = threads / warp_size;
  constexpr std::uint64_t none = ~std::uint64_t{0};
  static_assert(stages >= 3 && warps <= warp_size);
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  auto& shared = *reinterpret_cast<scan_shared<T, Shape>*>(shared_bytes);

  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const T nothing = identity_of<T>(op);
  std::uint32_t epoch = 0;
  std::uint64_t ticket = 0;  // thread 0: the tile to load next

  const auto elements_of = [&](std::uint64_t tile) {
    const std::uint64_t left = a.n - tile * tile_size;
    return left < tile_size ? static_cast<int>(left) : tile_size;
  };
  const auto comes_in_bulk = [&](std::uint64_t tile) {
    return has_bulk_copy() && a.bulk_in && elements_of(tile) == tile_size && tile_size * sizeof(T) % 16 == 0;
  };
  const auto goes_in_bulk = [&](std::uint64_t tile) {
    return has_bulk_copy() && a.bulk_out && elements_of(tile) == tile_size && tile_size * sizeof(T) % 16 == 0;
  };

  // Thread 0: puts its ticket's tile into a stage, starts its copy, and draws the next ticket, whose answer is wanted a tile later.
  const auto begin_load = [&](int stage) {
    const std::uint64_t tile = ticket;
    shared.tile_number[stage] = tile < a.tiles ? tile : none;
    if (tile >= a.tiles) return;
    if (comes_in_bulk(tile)) bulk_load(shared.tile[stage], a.in + tile * tile_size, tile_size * sizeof(T), &shared.loaded[stage]);
    if (a.tiles > gridDim.x) {
      ticket = atomicAdd(&a.control->ticket, 1ull);  // relaxed: only the number matters
    } else {
      ticket = none;  // one tile a block
    }
  };

  if (thread == 0) {
    for (int s = 0; s < stages; ++s) init_copy_barrier(&shared.loaded[s]);
    publish_copy_barriers();
    ticket = atomicAdd(&a.control->ticket, 1ull);
    for (int s = 0; s < stages - 1; ++s) begin_load(s);
  }
  if (warp == 0) epoch = a.control->epoch + 1;  // written by the last block of the launch before
  __syncthreads();  // thread 0 wrote the tile numbers and the barriers

  // Reads a thread's items of a stage, brought through the transform; what lies past the end is the identity.
  const auto items_of = [&](int stage, int count, T(&x)[items]) {
    read_items(shared.tile[stage] + thread * items, x);
    transform_items(x, op, f);
    if (count != tile_size) {
#pragma unroll
      for (int i = 0; i < items; ++i)
        if (thread * items + i >= count) x[i] = nothing;
    }
  };

  // Folds the tile in a stage: each thread gets the fold of the threads before it in its warp, and the warp's total goes to shared memory.
  const auto fold_tile = [&](int stage, std::uint32_t parity, std::uint64_t tile, T* warp_total) {
    const int count = elements_of(tile);
    if (comes_in_bulk(tile)) {
      wait_copy_barrier(&shared.loaded[stage], parity);
    } else {
      const T* from = a.in + tile * tile_size;
      for (int i = thread; i < tile_size; i += threads) shared.tile[stage][i] = i < count ? from[i] : nothing;
      __syncthreads();  // all threads wrote the tile that each now reads its run of
    }
    T x[items];
    items_of(stage, count, x);
    const T inclusive = warp_inclusive_scan(fold_items(x, op), lane, op);
    if (lane == warp_size - 1) warp_total[warp] = inclusive;
    const T before = shuffle_up(inclusive, 1);
    return lane == 0 ? nothing : before;
  };

  // First warp: the warps' totals become prefixes, and their fold is published as the tile's aggregate.
  const auto publish = [&](std::uint64_t tile, const T* warp_total, T* warp_prefix) {
    const T inclusive = warp_inclusive_scan(lane < warps ? warp_total[lane] : nothing, lane, op);
    const T before = shuffle_up(inclusive, 1);
    if (lane < warps) warp_prefix[lane] = lane == 0 ? nothing : before;
    if (lane == warp_size - 1) a.aggregates.store(tile, epoch, inclusive);
  };

  // First warp: everything before `tile`. `carry` is the fold of init and all whole batches of 32 aggregates before tile `batch`.
  T carry = a.init;
  std::uint64_t batch = 0;
  const auto look_ahead = [&](std::uint64_t tile) {
    while (batch + warp_size <= tile) {
      const T total = warp_reduce(a.aggregates.template wait<T>(batch + lane, epoch), op);
      carry = op(carry, total);  // right in lane 0 only
      batch += warp_size;
    }
    const bool exists = batch + lane < tile;
    if (batch == tile) return carry;
    const T part = warp_reduce(exists ? a.aggregates.template wait<T>(batch + lane, epoch) : nothing, op);
    return op(carry, part);
  };

  const auto parity_of = [](std::uint64_t round) { return static_cast<std::uint32_t>(round / stages & 1); };
  std::uint64_t tile = shared.tile_number[0];
  T before_thread = nothing;  // fold of this warp's threads before this one, in the tile being scanned
  if (tile != none) {
    before_thread = fold_tile(0, 0, tile, shared.warp_total[0]);
    __syncthreads();  // every warp wrote its total of the first tile
    if (warp == 0) publish(tile, shared.warp_total[0], shared.warp_prefix[0]);
  }

  for (std::uint64_t round = 0; tile != none; ++round) {
    const int stage = static_cast<int>(round % stages), next_stage = static_cast<int>((round + 1) % stages);
    const int now = static_cast<int>(round % 2), after = 1 - now;
    const std::uint64_t next = shared.tile_number[next_stage];
    T before_next = nothing;
    if (next != none) before_next = fold_tile(next_stage, parity_of(round + 1), next, shared.warp_total[after]);
    __syncthreads();  // every warp wrote its total of the next tile
    if (warp == 0) {
      if (next != none) publish(next, shared.warp_total[after], shared.warp_prefix[after]);
      const T prefix = look_ahead(tile);
      if (lane == 0) shared.tile_prefix = prefix;
    }
    __syncthreads();  // the first warp wrote the tile's prefix and, a round ago, its warps' prefixes

    const int count = elements_of(tile);
    T x[items];
    items_of(stage, count, x);
    T running = op(op(shared.tile_prefix, shared.warp_prefix[now][warp]), before_thread);
    if (a.inclusive) {
#pragma unroll
      for (int i = 0; i < items; ++i) x[i] = running = op(running, x[i]);
    } else {
#pragma unroll
      for (int i = 0; i < items; ++i) {
        const T own = x[i];
        x[i] = running;
        running = op(running, own);
      }
    }
    write_items(shared.tile[stage] + thread * items, x);
    fence_before_bulk_store();
    __syncthreads();  // every thread wrote its run of the scanned tile

    if (!goes_in_bulk(tile)) {
      T* to = a.out + tile * tile_size;
      for (int i = thread; i < count; i += threads) to[i] = shared.tile[stage][i];
      fence_before_bulk_store();  // these reads come before the copy that fills the stage again, two barriers from here
    }
    if (thread == 0) {
      if (goes_in_bulk(tile)) bulk_store(a.out + tile * tile_size, shared.tile[stage], tile_size * sizeof(T));
      close_bulk_group();
      wait_bulk_groups_read<1>();  // the tile of the round before has left its stage
      begin_load(static_cast<int>((round + stages - 1) % stages));
    }
    tile = next;
    before_thread = before_next;
  }

  if (thread == 0) {
    wait_bulk_groups_read<0>();  // shared memory must outlive the copies that read it
    a.control->leave(gridDim.x, epoch, a.aggregates);
  }
}

// One block walks over all of a short input: a single launch, and no memory but the operands.
template <class T, class Op, class F, int Threads, int Items>
__global__ void __launch_bounds__(Threads) one_block_scan(const T* in, T* out, std::uint32_t n, T init, bool inclusive, const Op op, const F f) {
  constexpr int warps = Threads / warp_size;
  __shared__ T warp_total[2][warps];
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
    if (lane == warp_size - 1) warp_total[now][warp] = scanned;
    __syncthreads();  // every warp wrote its total
    const T warps_scanned = warp_inclusive_scan(lane < warps ? warp_total[now][lane] : nothing, lane, op);
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

// Blocks that can run at once, found out once for each kernel and device.
template <class Kernel>
int resident_blocks(const device& d, Kernel kernel, int threads, std::size_t shared_bytes) {
  int a_multiprocessor = 0;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)), "scan on cuda");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel, threads, shared_bytes), "scan on cuda");
  return a_multiprocessor * d.multiprocessors();
}

template <class Shape, class T, class Op, class F>
void look_ahead(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, T init, Op op, F f) {
  const auto kernel = look_ahead_scan<T, Op, F, Shape>;
  constexpr std::size_t shared_bytes = sizeof(scan_shared<T, Shape>);
  static std::array<int, 64> resident{};
  int& blocks = resident[d.index() % resident.size()];
  if (blocks == 0) blocks = resident_blocks(d, kernel, Shape::threads, shared_bytes);

  const std::uint64_t tiles = (n + Shape::tile - 1) / Shape::tile;
  const std::uint64_t grid = std::min<std::uint64_t>(tiles, blocks);
  scan_arguments<T> a{in, out, n, tiles, init, inclusive};
  a.bulk_in = reinterpret_cast<std::uintptr_t>(in) % 16 == 0;
  a.bulk_out = reinterpret_cast<std::uintptr_t>(out) % 16 == 0;
  std::tie(a.control, a.aggregates) = launch_state<T>(d, "scan/cuda", tiles);
  kernel<<<static_cast<unsigned>(grid), Shape::threads, shared_bytes, d.stream()>>>(a, op, f);
  check(cudaGetLastError(), "scan on cuda");
}

template <class T, class Op, class F>
void one_block(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, T init, Op op, F f) {
  constexpr int items = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 2 : 1;
  one_block_scan<T, Op, F, 1024, items><<<1, 1024, 0, d.stream()>>>(in, out, static_cast<std::uint32_t>(n), init, inclusive, op, f);
  check(cudaGetLastError(), "scan on cuda");
}

// Chooses by size.
template <class T, class Op, class F>
void scan_sized(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, T init, Op op, F f) {
  if (n <= 4096) return one_block(d, in, n, out, inclusive, init, op, f);
  look_ahead<scan_shape<128, 20, 4, 5>>(d, in, n, out, inclusive, init, op, f);
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
