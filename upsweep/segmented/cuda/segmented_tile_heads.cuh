// Shared by scans and reductions by segment with a tile a block: the beginnings of a tile's segments, and the fold of
// the tiles before it that contain the segment which enters it.
#pragma once

#include "upsweep/cuda/tile_state.cuh"
#include "upsweep/segmented/cuda/segmented_by_key.cuh"
#include "upsweep/segmented/cuda/segmented_work_shares.cuh"

namespace upsweep::cuda {

inline constexpr std::uint64_t no_place = ~std::uint64_t{0};

// The heads of a tile, found by its block.
template <int Threads, int Tile>
struct tile_heads {
  static constexpr int threads = Threads, loads = 2, window = loads * threads;
  static_assert(Tile / 32 <= threads);

  std::uint32_t bits[Tile / 32 + 2];
  std::uint64_t opened;   // where the segment begins that the element before the tile is in, or no_place
  std::uint64_t segment;  // that one's number, or the first
  std::uint64_t at;       // offsets to look at next
  bool found, ended;      // the first offset that is not below the tile, and the last that is not above it

  __device__ void mark(std::uint32_t place) { atomicOr(&bits[place / 32], 1u << place % 32); }
  __device__ void clear() {
    for (int i = threadIdx.x; i < Tile / 32 + 2; i += threads) bits[i] = 0;
    if (threadIdx.x == 0) opened = no_place, segment = 0, found = ended = false;
  }
  // Elements [first, last) are the tile's, `skew` positions after its beginning. With MarkNext, a segment that begins
  // with the next tile is marked after this one's positions. Begins and ends at a barrier.
  template <bool MarkNext = false>
  __device__ void find(const std::uint64_t* offsets, std::uint64_t segments, std::uint64_t first, std::uint64_t last,
                       int skew, double segments_an_element) {
    const std::uint64_t count = segments + 1;
    const auto guess = (min)(segments, static_cast<std::uint64_t>(static_cast<double>(first) * segments_an_element));
    std::uint64_t from = guess > window / 4 ? guess - window / 4 : 0;
    from = (min)(from, count > window ? count - window : 0);
    std::uint64_t here[loads], next[loads];
    const auto look = [&] {
#pragma unroll
      for (int k = 0; k < loads; ++k) {
        const std::uint64_t i = from + k * threads + threadIdx.x;
        here[k] = next[k] = no_place;
        if (i < count) here[k] = offsets[i];
        if (i + 1 < count) next[k] = offsets[i + 1];
      }
    };
    look();
    __syncthreads();  // nothing is found
    while (true) {
#pragma unroll
      for (int k = 0; k < loads; ++k) {
        const std::uint64_t i = from + k * threads + threadIdx.x;
        if (i >= count) continue;
        if (here[k] < first) {
          if (next[k] >= first) opened = here[k], segment = i, found = true;
        } else {
          if (i == 0) found = true;
          if (here[k] < last) {
            mark(static_cast<std::uint32_t>(here[k] - first) + skew);
          }
        }
        if (next[k] >= last && (here[k] < last || i == 0)) {
          ended = true;
          if (MarkNext && next[k] == last) mark(static_cast<std::uint32_t>(last - first) + skew);
        }
      }
      __syncthreads();  // what the window has is marked
      if (found && ended) return;
      const bool was_found = found;
      if (!was_found) __syncthreads();  // everyone has read what ends now
      if (!was_found && threadIdx.x < warp_size) {
        const std::uint64_t before = count_before(count, guess, static_cast<int>(threadIdx.x),
                                                  [&](std::uint64_t i) { return offsets[i] < first; });
        if (threadIdx.x == 0) at = before > 0 ? before - 1 : 0, ended = false;
      }
      __syncthreads();  // the next window is known, and every thread has read `found`
      from = was_found ? from + window : at;
      look();
    }
  }
};

// Called by a whole warp. Returns in lane 0 the fold of the values that tiles [first, tile) have published, in
// batches of 32 from `first` on, so that the grouping does not depend on the order of arrival.
template <class T, class Op>
__device__ T fold_of_tiles(tagged_words words, std::uint32_t epoch, std::uint64_t first, std::uint64_t tile, int lane,
                           const Op& op) {
  constexpr int depth = sizeof(T) <= 8 ? 4 : 1;
  T fold = identity_of<T>(op);
  for (std::uint64_t t = first; t < tile; t += depth * warp_size) {
    T value[depth];
    bool here[depth], all_here;
#pragma unroll
    for (int k = 0; k < depth; ++k) value[k] = identity_of<T>(op), here[k] = t + k * warp_size + lane >= tile;
    do {
      all_here = true;
#pragma unroll
      for (int k = 0; k < depth; ++k) {
        if (!here[k]) here[k] = words.try_load(t + k * warp_size + lane, epoch, value[k]);
        all_here = all_here && here[k];
      }
    } while (!__all_sync(whole_warp, all_here));
#pragma unroll
    for (int k = 0; k < depth; ++k)
      if (t + k * warp_size < tile) fold = op(fold, warp_reduce(value[k], op));
  }
  return fold;
}

}  // namespace upsweep::cuda
