// Launch parameters of the CUDA histograms, with the origin of each number.
#pragma once

#include <cstdint>

namespace upsweep::cuda {

struct histogram_tuning {
  // Threads of a block, one block a multiprocessor: as fast at 2^28 bytes as two or four blocks of 512, and faster from
  // 2^16 to 2^24, where fewer blocks have fewer sums to add. (H200: 11.8 µs against 12.3 to 17.1 at 2^24.)
  int threads = 1024;
  // Vectors of 16 bytes that a thread has in flight.
  int in_flight = 2;
  // Up to this number of samples one block counts, and adds no sums to global memory.
  std::uint64_t one_block = std::uint64_t{1} << 15;
  // Up to this number of bytes one cluster counts, whose blocks add up through distributed shared memory.
  std::uint64_t one_cluster = std::uint64_t{1} << 18;
  // Shared memory for counters where a block may have 227 KiB; on other devices what they have. Edges of custom bins
  // are stored after them, in a quarter of it at most.
  unsigned counters_bytes = 192u << 10;
  unsigned edges_bytes = 32u << 10;
  // The number of counters that the last block writes; with more, all blocks add to the output directly.
  std::uint64_t handed_out_by_one = 4096;
  // The mean number of increments from which a private counter pays for adding it to the total; with fewer, samples are
  // counted in global memory directly.
  std::uint64_t samples_a_counter = 4;
};

inline constexpr histogram_tuning histogram_tuned;

}  // namespace upsweep::cuda
