// How the CUDA passes over tiles (select, partition, unique, run lengths, by key) cut their work.
#pragma once

namespace upsweep {

// Items a thread: an odd number of 16-byte pieces, so that reading runs of them from shared memory has no bank conflicts.
// Stages: tiles of one block that are loading, folded or being written at once. FoldAhead: rounds from the folding of a tile
// to its writing. The more, the later a slow block holds up the others; what is left of the stages is loading, and has to
// cover the latency of memory.
template <int Threads, int Items, int Stages, int FoldAhead, int BlocksPerMultiprocessor>
struct tile_shape {
  static_assert(FoldAhead >= 1 && Stages >= FoldAhead + 2);
  static_assert(Threads * Items < 65536, "positions in a tile, and counts of its elements, are 16-bit numbers");
  static constexpr int threads = Threads, items = Items, tile = Threads * Items;
  static constexpr int stages = Stages, fold_ahead = FoldAhead, blocks = BlocksPerMultiprocessor;
};

// The ring's shape for elements of which a pass keeps `Bytes` each in shared memory, in arrays whose largest type has `Largest`
// bytes: as many threads and stages as fit.
template <int Bytes, int Largest>
struct ring_fitting {
  static constexpr int shared_bytes = 220 << 10;
  static constexpr int per_piece = Largest <= 16 && 16 % Largest == 0 ? 16 / Largest : 1;
  static constexpr int items = Bytes <= Largest ? 3 * per_piece : per_piece;
  static constexpr int threads = 768 * items * Bytes <= 48 << 10 ? 768 : 256 * items * Bytes <= 64 << 10 ? 256 : 64;
  static constexpr int fit = shared_bytes / (threads * items * Bytes + 512);
  static_assert(fit >= 3, "upsweep: elements of this size do not fit in a multiprocessor's shared memory; select indices instead");
  static constexpr int stages = fit < 6 ? fit : 6;
  using shape = tile_shape<threads, items, stages, stages / 2, 1>;
};

// Which kernel takes which size.
template <int Bytes, int Largest>
struct select_tuning {
  using ring_rule = ring_fitting<Bytes, Largest>;
  using ring = typename ring_rule::shape;
  // One tile a block, all at once, as long as they fit on the device together.
  static constexpr int tile_threads = ring_rule::threads < 256 ? ring_rule::threads : 256;
  using small_tile = tile_shape<tile_threads, ring_rule::per_piece, 3, 1, 1>;
  using large_tile = tile_shape<2 * tile_threads, ring_rule::items, 3, 1, 1>;
};

// Run lengths keep a head's place beside each element.
template <int ElementBytes>
struct run_length_tuning {
  static constexpr int per_piece = ElementBytes <= 16 && 16 % ElementBytes == 0 ? 16 / ElementBytes : 1;
  static constexpr int items = per_piece <= 4 ? 3 * per_piece : per_piece;
  static constexpr int threads = ElementBytes <= 8 ? 768 : 128;
  static constexpr int fit = (220 << 10) / (threads * items * (ElementBytes + 2) + 512);
  static constexpr int stages = fit < 6 ? fit : 6;
  using ring = tile_shape<threads, items, stages, stages / 2, 1>;
  static constexpr int tile_threads = threads < 256 ? threads : 256;
  using small_tile = tile_shape<tile_threads, per_piece, 3, 1, 1>;
  using large_tile = tile_shape<2 * tile_threads, items, 3, 1, 1>;
};

}  // namespace upsweep
