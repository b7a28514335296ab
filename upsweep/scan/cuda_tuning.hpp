// How the CUDA scan cuts its work. A shape is a row of numbers; the kernels take it as a template parameter.
#pragma once

namespace upsweep {

// One tile of the look-ahead scan. Items a thread: an odd number of 16-byte pieces, so that reading runs of them from shared
// memory has no bank conflicts. Stages: tiles of one block that are loading, being folded, being scanned or draining at once.
template <int Threads, int Items, int Stages, int BlocksPerMultiprocessor>
struct scan_shape {
  static constexpr int threads = Threads;
  static constexpr int items = Items;
  static constexpr int stages = Stages;
  static constexpr int blocks = BlocksPerMultiprocessor;
  static constexpr int tile = Threads * Items;
};

}  // namespace upsweep
