// Gather and scatter, by flags or without, and the expansion of run lengths.
#pragma once

#include "upsweep/scan/scan_cuda.cuh"
#include "upsweep/select/cuda/select_compact.cuh"

namespace upsweep::cuda {

inline constexpr int move_threads = 256, moves_a_thread = 8;

// Several independent loads a thread are in flight before the first is used.
template <class T, class Index>
__global__ void __launch_bounds__(move_threads)
    gather_kernel(const T* in, const Index* indices, std::uint64_t n, T* out) {
  const std::uint64_t first = std::uint64_t{blockIdx.x} * (move_threads * moves_a_thread) + threadIdx.x;
  Index from[moves_a_thread];
  T x[moves_a_thread];
#pragma unroll
  for (int k = 0; k < moves_a_thread; ++k)
    if (first + k * move_threads < n) from[k] = indices[first + k * move_threads];
#pragma unroll
  for (int k = 0; k < moves_a_thread; ++k)
    if (first + k * move_threads < n) x[k] = in[from[k]];
#pragma unroll
  for (int k = 0; k < moves_a_thread; ++k)
    if (first + k * move_threads < n) out[first + k * move_threads] = x[k];
}

template <class T, class Index>
__global__ void __launch_bounds__(move_threads)
    gather_if_kernel(const T* in, const Index* indices, const std::uint8_t* flags, std::uint64_t n, T* out) {
  const std::uint64_t first = std::uint64_t{blockIdx.x} * (move_threads * moves_a_thread) + threadIdx.x;
  bool kept[moves_a_thread];
  T x[moves_a_thread];
#pragma unroll
  for (int k = 0; k < moves_a_thread; ++k) {
    const std::uint64_t i = first + k * move_threads;
    kept[k] = i < n && flags[i] != 0;
  }
#pragma unroll
  for (int k = 0; k < moves_a_thread; ++k)
    if (kept[k]) x[k] = in[indices[first + k * move_threads]];
#pragma unroll
  for (int k = 0; k < moves_a_thread; ++k)
    if (kept[k]) out[first + k * move_threads] = x[k];
}

template <class T, class Index>
__global__ void __launch_bounds__(move_threads)
    scatter_if_kernel(const T* in, const Index* indices, const std::uint8_t* flags, std::uint64_t n, T* out) {
  const std::uint64_t first = std::uint64_t{blockIdx.x} * (move_threads * moves_a_thread) + threadIdx.x;
  bool kept[moves_a_thread];
  Index to[moves_a_thread];
  T x[moves_a_thread];
#pragma unroll
  for (int k = 0; k < moves_a_thread; ++k) {
    const std::uint64_t i = first + k * move_threads;
    kept[k] = i < n && (flags == nullptr || flags[i] != 0);
  }
#pragma unroll
  for (int k = 0; k < moves_a_thread; ++k)
    if (kept[k]) {
      to[k] = indices[first + k * move_threads];
      x[k] = in[first + k * move_threads];
    }
#pragma unroll
  for (int k = 0; k < moves_a_thread; ++k)
    if (kept[k]) out[to[k]] = x[k];
}

inline unsigned blocks_of_moves(std::uint64_t n, const char* where) {
  const std::uint64_t blocks = (n + move_threads * moves_a_thread - 1) / (move_threads * moves_a_thread);
  if (blocks >= 1ull << 31)
    core::throw_error(
        error(fault::unsupported, where, "the input has too many elements for one launch", "call it in parts"));
  return static_cast<unsigned>(blocks);
}

template <class Length>
__global__ void __launch_bounds__(move_threads) widen(const Length* in, std::uint64_t n, std::uint64_t* out) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * move_threads + threadIdx.x;
  if (i < n) out[i] = in[i];
}

// Called by a whole warp: how many of the ascending values are at most x. Each step compares 32 of them at once.
__device__ inline std::uint64_t count_not_above(const std::uint64_t* ascending, std::uint64_t n, std::uint64_t x) {
  const int lane = threadIdx.x % warp_size;
  std::uint64_t low = 0, high = n;  // the answer is in [low, high]
  while (low < high) {
    const std::uint64_t step = (high - low + warp_size - 1) / warp_size;
    const std::uint64_t probe = low + (lane + 1) * step - 1;
    const bool not_above = probe < high && ascending[probe] <= x;
    const int whole_steps = __popc(__ballot_sync(whole_warp, not_above));
    low += whole_steps * step;
    high = (min)(high, low + step - 1);
  }
  return low;
}

inline constexpr int expand_items = 16, expand_tile = move_threads * expand_items;

// Consecutive runs divide `total` positions by their lengths; run r begins at offsets[r]. A block calls write(i, r)
// for each position of the tile at tile_first that is below total, where i counts from tile_first and r is the
// position's run. Marked: the number of runs of a tile that a mark can distinguish.
template <std::uint64_t Marked = std::uint64_t{1} << 32, class Write>
__device__ void for_each_expanded(std::uint64_t tile_first, const std::uint64_t* offsets, std::uint64_t runs,
                                  std::uint64_t total, const Write& write) {
  __shared__ __align__(16) std::uint32_t run_of[expand_tile];  // counted from the tile's first run
  __shared__ std::uint32_t warp_greatest[move_threads / warp_size];
  __shared__ std::uint64_t ends[2];
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const std::uint64_t tile_last = (min)(tile_first + expand_tile, total) - 1;
  if (warp < 2) {
    const std::uint64_t found = count_not_above(offsets, runs, warp == 0 ? tile_first : tile_last);
    if (lane == 0) ends[warp] = found - 1;
  }
  for (int i = thread; i < expand_tile; i += move_threads) run_of[i] = 0;
  __syncthreads();  // the ends are found, the places clear
  const std::uint64_t first_run = ends[0];
  const int count = static_cast<int>(tile_last - tile_first) + 1;
  // With so many runs nearly all are empty. Each position looks for the last run that begins there or before.
  if (ends[1] - first_run >= Marked) {
    for (int i = thread; i < count; i += move_threads) {
      std::uint64_t low = first_run, high = ends[1];
      while (low < high) {
        const std::uint64_t middle = high - (high - low) / 2;
        if (offsets[middle] <= tile_first + i)
          low = middle;
        else
          high = middle - 1;
      }
      write(i, low);
    }
    return;
  }
  // Of empty runs that begin at one position the last mark counts: the run that follows them.
  for (std::uint64_t r = first_run + 1 + thread; r <= ends[1]; r += move_threads)
    atomicMax(&run_of[offsets[r] - tile_first], static_cast<std::uint32_t>(r - first_run));
  __syncthreads();  // every run's beginning is marked
  std::uint32_t x[expand_items], greatest = 0;
  read_items(run_of + thread * expand_items, x);
#pragma unroll
  for (auto& v : x) v = greatest = (max)(greatest, v);
  const auto larger = [](std::uint32_t a, std::uint32_t b) { return (max)(a, b); };
  const std::uint32_t inclusive = warp_inclusive_scan(greatest, lane, larger);
  std::uint32_t before = shuffle_up(inclusive, 1);
  if (lane == 0) before = 0;
  if (lane == warp_size - 1) warp_greatest[warp] = inclusive;
  __syncthreads();  // every warp wrote its greatest
  for (int w = 0; w < warp; ++w) before = (max)(before, warp_greatest[w]);
#pragma unroll
  for (auto& v : x) v = (max)(v, before);
  write_items(run_of + thread * expand_items, x);
  __syncthreads();  // every thread wrote its places' runs
#pragma unroll 4
  for (int i = thread; i < count; i += move_threads) write(i, first_run + run_of[i]);
}

// Each block writes one tile of the output, whatever the number of its runs.
template <class T, class Length>
__global__ void __launch_bounds__(move_threads)
    expand_runs(const T* values, const Length* lengths, const std::uint64_t* offsets, std::uint64_t runs, T* out,
                std::uint64_t n) {
  const std::uint64_t tile_first = std::uint64_t{blockIdx.x} * expand_tile;
  const std::uint64_t total = (min)(n, offsets[runs - 1] + lengths[runs - 1]);
  if (tile_first >= total) return;
  T* const to = out + tile_first;
  for_each_expanded(tile_first, offsets, runs, total, [=](int i, std::uint64_t run) { to[i] = values[run]; });
}

// The positions of pieces in two arrays, and pieces given by their addresses.
template <class T>
struct piece_starts {
  const T* in;
  T* out;
  const std::uint64_t *starts, *places;  // without places, one piece behind the other
  __device__ const T* from(std::uint64_t p) const { return in + starts[p]; }
  __device__ T* to(std::uint64_t p, std::uint64_t offset) const { return out + (places ? places[p] : offset); }
};
template <class T>
struct piece_addresses {
  const T* const* sources;
  T* const* destinations;
  __device__ const T* from(std::uint64_t p) const { return sources[p]; }
  __device__ T* to(std::uint64_t p, std::uint64_t) const { return destinations[p]; }
};

// Copies lengths[p] elements of each piece p from its source to its destination, m in total at most. Blocks take
// tiles of all elements until there are none left.
template <class Pieces>
__global__ void __launch_bounds__(move_threads)
    copy_pieces_kernel(Pieces all, const std::uint64_t* lengths, const std::uint64_t* offsets, std::uint64_t pieces,
                       std::uint64_t m) {
  const std::uint64_t total = (min)(m, offsets[pieces - 1] + lengths[pieces - 1]);
  for (std::uint64_t tile_first = std::uint64_t{blockIdx.x} * expand_tile; tile_first < total;
       tile_first += std::uint64_t{gridDim.x} * expand_tile) {
    for_each_expanded(tile_first, offsets, pieces, total, [&](int i, std::uint64_t p) {
      const std::uint64_t offset = offsets[p], k = tile_first + i - offset;
      all.to(p, offset)[k] = all.from(p)[k];
    });
    __syncthreads();  // all is written, before the next tile's runs are marked
  }
}

}  // namespace upsweep::cuda
