// The partition of work in CUDA passes over tiles (select, partition, unique, run lengths, by key).
#pragma once

#include <algorithm>

#include "upsweep/cuda/shared_limits.hpp"

namespace upsweep {

// Stages: tiles of one block that are loading, folded or being written at once. FoldAhead: rounds from the folding of
// a tile to its writing. With more rounds, a slow block delays the others later; the remaining stages are loading,
// and have to cover the latency of memory.
template <int Threads, int Items, int Stages, int FoldAhead, int BlocksPerMultiprocessor>
struct tile_shape {
  static_assert(FoldAhead >= 1 && Stages >= FoldAhead + 2);
  static_assert(Threads * Items < 65536, "positions in a tile, and counts of its elements, are 16-bit numbers");
  static constexpr int threads = Threads, items = Items, tile = Threads * Items;
  static constexpr int stages = Stages, fold_ahead = FoldAhead, blocks = BlocksPerMultiprocessor;
};

// How many elements a thread takes: an odd number of 16-byte pieces, or of words for narrow elements, so that reading
// runs of them from shared memory has no bank conflicts; as many as fit the bytes given for a tile, of elements with
// `Bytes` each in arrays whose largest type has `Largest` bytes, and no more than `Most`.
template <int Bytes, int Largest, int TileBytes, int Most, int... Threads>
struct tile_fitting {
  static constexpr int step = Largest == 1                         ? 4
                              : Largest == 2                       ? 2
                              : Largest <= 16 && 16 % Largest == 0 ? 16 / Largest
                                                                   : 1;
  static constexpr int items_for(int threads) {
    const int fit =
        (std::min)(TileBytes / ((std::max)(threads, 256) * Bytes), Most) / step;  // fewer threads take no more each
    return (fit % 2 == 1 ? fit : fit - 1) * step;  // not positive where a tile of a step each is too large
  }
  // The number of threads with the largest tile.
  static constexpr int best() {
    int most = 64;
    for (int t : {Threads...})
      if (t * items_for(t) > most * items_for(most)) most = t;
    return most;
  }
  static constexpr int threads = best();
  static constexpr int items = (std::max)(items_for(threads), step);
  static constexpr int tile_bytes = threads * items * Bytes;
  static_assert(
      tile_bytes <= 52 << 10,
      "upsweep: elements of this size do not fit in a multiprocessor's shared memory; work on their indices instead");
};

// The ring for blocks with less shared memory than a larger one needs. If four tiles of the elements do not fit the
// smallest limit, it has one warp's tile, and if necessary three stages. Not timed.
template <class Fit, int Step, int Bytes>
struct small_ring_shape {
  static constexpr int most_bytes = 46 << 10;  // besides the tiles there is something to be kept of each
  static constexpr bool fits = 4 * Fit::tile_bytes <= most_bytes;
  static constexpr int stages = fits || 4 * 32 * Step * Bytes <= most_bytes ? 4 : 3;
  using type = tile_shape<fits ? Fit::threads : 32, fits ? Fit::items : Step, stages, stages - 2, 2>;
};

// The kernel for each size, on one H200 against CUB 3.0.1, cold (README.md has the history). `Most`: items a thread.
template <int Bytes, int Largest, int Most = 44>
struct select_tuning {
  // The ring, two blocks a multiprocessor, so that one works while the other waits at its barriers.
  using ring_fit = tile_fitting<Bytes, Largest, 26 << 10, Most, 256, 320>;
  using ring = tile_shape<ring_fit::threads, ring_fit::items, 4, 2, ring_fit::tile_bytes <= 26 << 10 ? 2 : 1>;
  using small_fit = tile_fitting<Bytes, Largest, 24 << 10, Most, 96>;  // few threads, and long runs of them
  using small_ring = typename small_ring_shape<small_fit, small_fit::step, Bytes>::type;
  // One tile a block, all at once, while they fit on the device together.
  using small_tile = tile_shape<(ring_fit::threads < 256 ? 64 : 512), ring_fit::step, 3, 1, 1>;
  static constexpr int small_tile_bytes = 2 << 20;
  using large_fit = tile_fitting<Bytes, Largest, 46 << 10, Most, 256>;
  using large_tile = tile_shape<large_fit::threads, large_fit::items, 3, 1, 1>;
};

}  // namespace upsweep
