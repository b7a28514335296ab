// Tuning parameters of the CUDA reduce: how it partitions its work.
#pragma once

#include <cstdint>

namespace upsweep {

// Pieces: the number of 16-byte loads that a thread has in flight before it folds the first.
template <int Threads, int Pieces, int BlocksPerMultiprocessor>
struct reduce_shape {
  static constexpr int threads = Threads;
  static constexpr int pieces = Pieces;
  static constexpr int blocks = BlocksPerMultiprocessor;
};

// Measured on one H200, cold, u32 and u64 sums.
struct reduce_tuning {
  using one_block = reduce_shape<512, 4, 1>;
  using cluster = reduce_shape<1024, 4, 1>;
  using many_blocks = reduce_shape<512, 8, 2>;
  static constexpr std::uint64_t one_block_bytes = 32 << 10;  // one block, one wave of loads
  static constexpr std::uint64_t cluster_bytes =
      256 << 10;  // 8 blocks; from here on more multiprocessors are worth the access to global memory
  static constexpr std::uint64_t least_bytes_a_block = 16 << 10;
  static constexpr std::uint64_t streaming_bytes = 128 << 20;
  static constexpr int largest_in_blocks = 256;  // bytes of an element; lanes exchange no larger elements
};

}  // namespace upsweep
