// How the CUDA histograms are cut up, with where each number comes from.
#pragma once

#include <cstdint>

namespace upsweep::cuda {

struct histogram_tuning {
  // Threads of a block, one block a multiprocessor: as fast at 2^28 bytes as two or four blocks of 512, and faster from
  // 2^16 to 2^24, where fewer blocks have fewer sums to hand over. (H200: 11.8 µs against 12.3 to 17.1 at 2^24.)
  int threads = 1024;
  // Vectors of 16 bytes that a thread has on their way.
  int in_flight = 2;
  // Up to so many samples, one block and no hand-over.
  std::uint64_t one_block = std::uint64_t{1} << 15;
  // Up to so many bytes, one cluster, whose blocks add up through distributed shared memory.
  std::uint64_t one_cluster = std::uint64_t{1} << 18;
  // Shared memory for counters where a block may have 227 KiB, as much as is left of it elsewhere; edges of custom bins
  // lie behind them, in a quarter of it at most.
  unsigned counters_bytes = 192u << 10;
  unsigned edges_bytes = 32u << 10;
  // Counters that the last block hands out; beyond, all blocks add to the output itself.
  std::uint64_t handed_out_by_one = 4096;
  // A private counter must be raised so often on the average that adding it to the whole is worth it; otherwise samples
  // go there at once.
  std::uint64_t samples_a_counter = 4;
};

inline constexpr histogram_tuning histogram_tuned;

}  // namespace upsweep::cuda
