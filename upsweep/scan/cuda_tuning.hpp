// How the CUDA scan cuts its work. A shape is a row of numbers; the kernels take it as a template parameter.
#pragma once

namespace upsweep {

// One tile of the look-ahead scan. Items a thread: an odd number of 16-byte pieces, so that reading runs of them from shared
// memory has no bank conflicts. Stages: tiles of one block that are loading, folded, being scanned or draining at once. FoldAhead: rounds
// from the folding of a tile to its scanning. The more, the later a slow block holds up the others; what is left of the
// stages, less the one that drains, is loading, and has to cover the latency of memory.
template <int Threads, int Items, int Stages, int FoldAhead, int BlocksPerMultiprocessor>
struct scan_shape {
  static_assert(FoldAhead >= 1 && Stages >= FoldAhead + 2);
  static constexpr int fold_ahead = FoldAhead;
  static constexpr int threads = Threads;
  static constexpr int items = Items;
  static constexpr int stages = Stages;
  static constexpr int blocks = BlocksPerMultiprocessor;
  static constexpr int tile = Threads * Items;
};

}  // namespace upsweep
